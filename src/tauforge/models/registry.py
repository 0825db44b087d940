"""The list of all models. A decorator puts each there; the command line, the documentation and the tests read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec

from ..errors import ProgramError
from ..program.program import Program
from ..robot.robot import Robot

Given = ParamSpec("Given")


@dataclass(frozen=True)
class Model:
    """A model in the list.

    Attributes
    ----------
    name
        Its name on the command line, as "inverse-dynamics".
    function
        Makes its Program from a Robot and options.
    arrays
        Its inputs and outputs, as "q, qd, qdd -> tau".
    summary
        What the outputs are.
    """

    name: str
    function: Callable[..., Program]
    arrays: str
    summary: str

    def __str__(self) -> str:
        return f"{self.arrays}: {self.summary}" if self.summary else self.arrays


MODELS: dict[str, Model] = {}
"""All models by name, in the order in which they are defined."""


def model(arrays: str, summary: str = "") -> Callable[[Callable[Given, Program]], Callable[Given, Program]]:
    """Put a model on the list, under its function's name; what it is given is then checked to be a Robot."""

    def listed(function: Callable[Given, Program]) -> Callable[Given, Program]:
        @wraps(function)
        def checked(*robots: Given.args, **options: Given.kwargs) -> Program:
            given: Any = robots[0] if robots else options.get("robot")
            check_robot(given)
            return function(*robots, **options)

        name = function.__name__.replace("_", "-")
        MODELS[name] = Model(name, checked, arrays, summary)
        return checked

    return listed


def check_robot(robot: object) -> None:
    """Refuse what is no Robot, and say how to get one."""
    if not isinstance(robot, Robot):
        raise ProgramError(
            f"a model takes a Robot, not {robot!r}: tf.load(file) reads one, and tf.robots has bundled ones, "
            "as tf.robots.puma560()"
        )
