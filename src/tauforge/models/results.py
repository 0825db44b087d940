"""What every model ends with: output arrays by degree of freedom, and the Program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..graph.node import Scalar
from ..program.program import Array, Program, outputs
from ..robot.robot import Robot
from ..robot.tables import heading
from .coordinates import folded, folded_twice
from .labels import Labels


def vector(robot: Robot, values: Sequence[Scalar], meaning: str) -> Array:
    """Return an output with an entry for each degree of freedom, from what stands for each axis of each joint."""
    return outputs(folded(robot, values), [robot.dof], [robot.velocity_names], meaning)


def matrix(robot: Robot, rows: Sequence[Sequence[Scalar]], meaning: str) -> Array:
    """Return an output with a row and a column for each degree of freedom, from what stands for each axis."""
    names = robot.velocity_names
    entries = [x for row in folded_twice(robot, rows) for x in row]
    return outputs(entries, [len(names), len(names)], [names, names], meaning)


def program(
    name: str,
    robot: Robot,
    arrays: dict[str, Array],
    results: dict[str, Array],
    labels: Labels | None = None,
    lean: Callable[[], Program | None] | None = None,
) -> Program:
    """Return a model as a Program, named after the robot and headed by its tables."""
    return Program(
        f"{robot.name}_{name}", arrays, results, labels.names if labels else {}, partial(heading, robot), lean
    )
