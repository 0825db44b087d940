"""Choices that make a model cheaper without changing it: frames, and the grouping of parameters."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec

from ..errors import ProgramError
from ..graph.bulk import in_bulk
from ..graph.node import is_zero
from ..program.program import Program
from ..robot.robot import Robot

Given = ParamSpec("Given")


def with_parameters(robot: Robot, parameters: str) -> Robot:
    """Return the robot with the inertial parameters that a model is asked to use."""
    if parameters == "standard":
        return robot
    if parameters != "base":
        raise ProgramError(f"parameters is {parameters!r}; it may be 'standard' or 'base'")
    from ..parameters.base import base_parameters

    return base_parameters(robot).robot.derived(name=robot.name)


def in_best_frames(model: Callable[Given, Program]) -> Callable[Given, Program]:
    """Let a model with the option ``reframe`` take a robot with free frames as it is or re-framed: what costs less."""

    @wraps(model)
    @in_bulk()
    def chosen(*robots: Given.args, **options: Given.kwargs) -> Program:
        robot: Any = robots[0] if robots else options.get("robot")
        if not isinstance(robot, Robot) or not options.get("reframe", True) or robot.reframed is robot:
            return model(*robots, **options)
        plain: Any = {**options, "reframe": False}
        plain.pop("robot", None)
        ways: list[Any] = [robot.reframed, robot]
        return min((model(way, **plain) for way in ways), key=lambda made: made.count().total)

    return chosen


LONG = 24
"""Links of a chain beyond which base parameters are a bad trade: they gather the masses of all that follows, which
costs digits and time, make links unlike that a loop might compute, and were not faster for 30 links."""


_is_leaner = ContextVar("_is_leaner", default=False)


def is_leaner() -> bool:
    """Tell whether what is being made is the leaner equal of a model, whose robot has been looked at before."""
    return _is_leaner.get()


def _depth(robot: Robot) -> int:
    """Return the number of links of the longest chain."""
    depth = [0]
    for joint in robot.joints:
        depth.append(depth[joint.antecedent] + 1)
    return max(depth)


def leaner(
    model: Callable[..., Program], robot: Robot, parameters: str, **options: Any
) -> Callable[[], Program | None] | None:
    """Return what makes the same model with grouped parameters, if it has standard ones and the robot is numbers."""
    if parameters != "standard":
        return None

    def lean() -> Program | None:
        whole = robot.expanded()
        if (
            robot.symbols
            or _depth(whole) > LONG
            or not any(not is_zero(x) for body in whole.bodies for x in body.inertia)
        ):
            return None
        from ..parameters.base import by_rules

        grouped = by_rules(robot).robot.derived(name=robot.name)
        token = _is_leaner.set(True)
        try:
            return replace(model(grouped, **options, reframe=False), lean=None)
        finally:
            _is_leaner.reset(token)

    return lean
