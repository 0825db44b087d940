"""The list of all models. A decorator adds each model; the command line, the documentation and the tests read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from ..errors import ProgramError
from ..program.optimise import made
from ..program.program import Program
from ..program.recipe import Recipe
from ..robot.robot import Robot
from .coordinates import check_coordinates
from .routes import tip

Given = ParamSpec("Given")
Watch = Callable[[Robot, Program], None]

SUMS = {"sums": (False, True)}
"""The choice of models that know sines of sums of angles."""


@dataclass(frozen=True)
class Model:
    """A model in the list.

    Attributes
    ----------
    name
        Its name on the command line, such as "inverse-dynamics".
    function
        Makes its Program from a Robot and options.
    arrays
        Its inputs and outputs, such as "q, qd, qdd -> tau".
    summary
        What the outputs are.
    groups
        Whether it takes grouped inertial parameters; see ``program.optimise.made``.
    """

    name: str
    function: Callable[..., Program]
    arrays: str
    summary: str
    groups: str | None = None

    def __str__(self) -> str:
        return f"{self.arrays}: {self.summary}" if self.summary else self.arrays


MODELS: dict[str, Model] = {}
"""All models by name, in the order in which they are defined."""


def model(
    arrays: str,
    summary: str = "",
    *,
    groups: str | None = None,
    of: Callable[[Robot], Robot] | None = None,
    watch: Watch | None = None,
    choices: Mapping[str, Sequence[object]] | None = None,
) -> Callable[[Callable[Given, Program]], Callable[Given, Program]]:
    """Register a model under its function's name, and let it choose the cheapest Program.

    Parameters
    ----------
    arrays, summary
        As in ``Model``.
    groups
        Whether the model takes grouped inertial parameters; see ``program.optimise.made``.
    of
        Returns what the model uses of a robot, for which its parameters are then grouped.
    watch
        Inspects the robot and the finished Program, and can warn.
    choices
        Options that change only how results are computed, each with the values that ``Program.optimise`` tries unless
        the user has chosen one.
    """

    def listed(function: Callable[Given, Program]) -> Callable[Given, Program]:
        taken = signature(function).parameters
        reframes, framed = "reframe" in taken, "frame" in taken

        @wraps(function)
        def chosen(*robots: Given.args, **options: Given.kwargs) -> Program:
            given: dict[str, Any] = {**options}
            robot: Any = robots[0] if robots else given.pop("robot", None)
            check_robot(robot)
            if "coordinates" in given and not robot.loops:
                check_coordinates(given.pop("coordinates"))  # those of a tree are all there are
            if framed and not given.get("frame"):
                given["frame"] = tip(robot)
            if len(robots) > 1:
                function(*robots, **options)  # says itself what it does not take
            program = made(Recipe(chosen, (robot,), given), function, groups, reframes, of)
            if robot.loops:
                from .loops.domain import within_closed_states

                program = within_closed_states(robot, program)
            if watch:
                watch(robot, program)
            return program

        chosen.choices = choices or {}  # type: ignore[attr-defined]
        name = function.__name__.replace("_", "-")
        MODELS[name] = Model(name, chosen, arrays, summary, groups)
        return chosen

    return listed


def check_robot(robot: object) -> None:
    """Refuse anything but a Robot, and say how to get one."""
    if not isinstance(robot, Robot):
        raise ProgramError(
            f"a model takes a Robot, not {robot!r}: tf.load(file) reads one, and tf.robots has bundled ones, "
            "such as tf.robots.puma560()"
        )
