"""The operations of a robot's inverse dynamics, next to published figures if the conditions are the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..models.inverse_dynamics import inverse_dynamics
from ..program.count import Operations
from ..robot import bundled
from ..robot.published import published
from ..robot.robot import Robot


@dataclass(frozen=True)
class Count:
    """Operations of the inverse dynamics of a robot, or of its tree if it has closed loops.

    Attributes
    ----------
    symbolic
        Whether this is the symbolic form of the given robot.
    parameters
        "standard", "base" or "least".
    operations
        The operations of our Program.
    published
        Multiplications and additions that were published for the same robot; None if there are none.
    """

    symbolic: bool
    parameters: str
    operations: Operations
    published: tuple[int, int] | None = None

    @property
    def saved(self) -> int | None:
        """How many operations fewer than the published count."""
        return sum(self.published) - self.operations.total if self.published else None


def counts(robot: Robot) -> Iterator[Count]:
    """Yield the counts of a robot, and of its symbolic form if it is a bundled one, with each kind of parameters."""
    variants = {False: robot}
    if robot.name in bundled.names() and robot == bundled.bundled(robot.name):
        variants[True] = bundled.bundled(robot.name, symbolic=True)
    for symbolic, variant in variants.items():
        for parameters in ("standard", "base", "least"):
            yield count(variant, parameters, symbolic)


def count(robot: Robot, parameters: str, symbolic: bool = False) -> Count:
    """Return one count, with the published one if the robot is bundled and as in the publications."""
    whole = robot.tree() if robot.loops else robot
    made = inverse_dynamics(whole, parameters=parameters).count()
    same = robot.name in bundled.names() and robot == bundled.bundled(robot.name, symbolic=True)
    return Count(symbolic, parameters, made, published(robot.name, parameters) if same else None)
