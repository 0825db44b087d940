"""What every model ends with: output arrays by degree of freedom, and the Program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..graph.node import Scalar
from ..program.array import Array, outputs
from ..program.program import Program
from ..robot.robot import Robot
from ..robot.tables import heading
from .coordinates import Coordinates
from .labels import Labels


def vector(coordinates: Coordinates, values: Sequence[Scalar], meaning: str) -> Array:
    """Return an output with one entry per degree of freedom, from one entry per axis of each joint."""
    return outputs(coordinates.gathered(values), [len(coordinates.names)], [coordinates.names], meaning)


def matrix(coordinates: Coordinates, rows: Sequence[Sequence[Scalar]], meaning: str) -> Array:
    """Return an output with one row and one column per degree of freedom."""
    names = coordinates.names
    return outputs([x for row in rows for x in row], [len(names), len(names)], [names, names], meaning)


def by_columns(
    coordinates: Coordinates, rows: Sequence[Sequence[Scalar]], labels: Sequence[str], meaning: str
) -> Array:
    """Return an output with one column per degree of freedom, from rows with one entry per degree."""
    entries = [x for row in rows for x in row]
    return outputs(entries, [len(labels), len(coordinates.names)], [labels, coordinates.names], meaning)


def program(
    name: str,
    robot: Robot,
    arrays: dict[str, Array],
    results: dict[str, Array],
    labels: Labels | None = None,
) -> Program:
    """Return a model as a Program, named after the robot and headed by its tables."""
    names = labels.names if labels else {}
    return Program(f"{robot.name}_{name}", arrays, results, names, partial(heading, robot), symbol_order=robot.symbols)
