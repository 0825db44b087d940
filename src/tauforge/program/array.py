"""Arrays of a Program: their shapes, and the scalars they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..graph.node import ZERO, Node, Scalar, as_node, symbol


class Shape(tuple[int, ...]):
    """An array's shape; ``labels`` holds the names of its entries along each axis."""

    labels: tuple[tuple[str, ...], ...]

    def __new__(cls, shape: Sequence[int], labels: Sequence[Sequence[str]] = ()) -> Shape:
        self = super().__new__(cls, shape)
        self.labels = tuple(map(tuple, labels))
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape as a plain tuple, as an array has it."""
        return tuple(self)

    @property
    def size(self) -> int:
        """How many entries there are."""
        result = 1
        for n in self:
            result *= n
        return result


@dataclass(frozen=True)
class Array:
    """A named array of a Program: its shape, its scalars row by row, and what it means.

    An input whose entries are not independent coordinates, such as a quaternion, has a ``tangent``: how it changes with
    each velocity, one row per entry. Derivatives are then taken along the velocities.
    """

    shape: Shape
    nodes: tuple[Node, ...]
    meaning: str = ""
    tangent: Array | None = None


def inputs(name: str, labels: Sequence[str], meaning: str) -> Array:
    """Return a vector of inputs, one for each label."""
    return Array(Shape([len(labels)], [labels]), tuple(symbol(f"{name}[{i}]") for i in range(len(labels))), meaning)


def outputs(values: Sequence[Scalar], shape: Sequence[int], labels: Sequence[Sequence[str]], meaning: str) -> Array:
    """Return an array of outputs from its scalars, row by row."""
    nodes = tuple(x if isinstance(x, Node) else as_node(x) if x else ZERO for x in values)  # most may be zeros
    return Array(Shape(shape, labels), nodes, meaning)
