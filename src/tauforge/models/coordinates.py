"""How the degrees of freedom move the joints: q̇_tree = G q̇, hence q̈_tree = G q̈ + Ġ q̇, and τ = Gᵀ τ_tree.

The recursions know only trees: they take the coordinates of each joint and give the torques along each joint's axes. In
a tree, G is the identity and costs nothing. If joints follow others, G is constant and holds their ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

from ..errors import ProgramError
from ..graph.node import Scalar, is_zero
from ..program.array import Array, outputs
from ..robot.entries import axis_names, by_joint, degrees, owners
from ..robot.robot import Robot

if TYPE_CHECKING:
    from .state import Values

INDEPENDENT, ALL = "independent", "all"
"""The joints whose velocities describe the motion of closed loops."""
Row = Mapping[int, Scalar]
"""The entries in a row of G that can differ from zero, by degree of freedom."""


@dataclass(frozen=True)
class Coordinates:
    """The map from degrees of freedom to the axes of all joints, at some configuration.

    Attributes
    ----------
    names
        Names of the degrees of freedom: the entries of qd, qdd and tau.
    widths
        How many axes each joint has.
    independent
        Numbers of the joints whose axes are the degrees of freedom, in the order of qd.
    G
        One row per axis of each joint; None if it is the identity.
    rate
        Gives the rows of Ġ from the joints' velocities; None if G is constant.
    drift
        Gives Ġ q̇, by axis, from the joints' velocities; None if G is constant.
    owned
        How many degrees of freedom each joint has; None if these are all its axes.
    """

    names: tuple[str, ...]
    widths: tuple[int, ...]
    independent: tuple[int, ...]
    G: tuple[Row, ...] | None = None
    rate: Callable[[Sequence[Values]], Sequence[Row]] | None = None
    drift: Callable[[Sequence[Values]], Values] | None = None
    owned: tuple[int, ...] | None = None

    @classmethod
    def of(cls, robot: Robot, q: Sequence[Values]) -> Coordinates:
        """Return the map of a robot whose joints have the coordinates q."""
        tree = cls.of_tree(robot)
        if not robot.loops:
            return tree
        from .loops.loop_map import closed

        return closed(robot, q, tree)

    @classmethod
    def of_tree(cls, robot: Robot) -> Coordinates:
        """Return the map of a robot with its loops open."""
        free, widths = owners(robot), tuple(len(joint.axes) for joint in robot.joints)
        G = None if len(free) == len(widths) else tuple({place: ratio} for place, ratio in degrees(robot))
        return cls(axis_names(robot), widths, free, G)

    @property
    def is_identity(self) -> bool:
        """Whether each joint moves by itself."""
        return self.G is None

    def velocities(self, qd: Values) -> list[Values]:
        """Return G q̇ by joint number; entry 0 is unused."""
        return self._by_joint(self._by_axis(qd))

    def accelerations(self, qdd: Values, joints: Sequence[Values]) -> list[Values]:
        """Return G q̈ + Ġ q̇ by joint number, from the joints' velocities; entry 0 is unused."""
        axes = self._by_axis(qdd)
        if self.drift:
            axes = [a + b for a, b in zip(axes, self.drift(joints), strict=True)]
        return self._by_joint(axes)

    def gathered(self, axes: Sequence[Any], rows: Sequence[Row] | None = None) -> list[Any]:
        """Return quantities given for each axis, such as torques or columns of a Jacobian, by degree of freedom: Gᵀ x.

        Other rows can be given instead of those of G: with those of Ġ, the result is Ġᵀ x.
        """
        rows = self.G if rows is None else rows
        if rows is None:
            return list(axes)
        found: list[Any] = [0.0] * len(self.names)
        for place, x in _sums(rows, enumerate(axes)).items():
            found[place] = x
        return found

    def gathered_some(self, axes: Mapping[int, Any]) -> dict[int, Any]:
        """Return quantities given for some axes (zero for the others) by the degrees of freedom that move them."""
        return dict(axes) if self.G is None else _sums(self.G, axes.items())

    def matrix(self, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        """Return Gᵀ M G for a matrix with one row and one column per axis."""
        return self._from_left([self.gathered(row) for row in rows])

    def symmetric(self, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        """Return Gᵀ M G for a symmetric matrix, computing only one half."""
        M = self.matrix(rows)
        return M if self.G is None else [[M[max(i, k)][min(i, k)] for k in range(len(M))] for i in range(len(M))]

    def coriolis(
        self, C: Sequence[Sequence[Scalar]], inertia: Callable[[], Sequence[Sequence[Scalar]]], joints: Sequence[Values]
    ) -> list[list[Scalar]]:
        """Return Gᵀ (C G + M Ġ) for a Coriolis matrix given by axis: Ṁ - 2C then remains skew-symmetric.

        ``inertia`` gives M; it is not called if G is constant.
        """
        if not self.rate:
            return self.matrix(C)
        rate = self.rate(joints)
        pairs = ((self.gathered(c), self.gathered(m, rate)) for c, m in zip(C, inertia(), strict=True))
        return self._from_left([[a + b for a, b in zip(*rows, strict=True)] for rows in pairs])

    def own(self, entries: Sequence[Any]) -> list[Sequence[Any]]:
        """Return quantities given by degree of freedom, by joint number; a joint that is not independent has none."""
        rest = iter(entries)
        found: list[Sequence[Any]] = [()] * (len(self.widths) + 1)
        for j in self.independent:
            found[j] = list(islice(rest, (self.owned or self.widths)[j - 1]))
        return found

    def movers(self, axis: int) -> Iterable[int]:
        """Return the degrees of freedom that move an axis."""
        return (axis,) if self.G is None else self.G[axis]

    def _from_left(self, rows: list[list[Scalar]]) -> list[list[Scalar]]:
        """Return Gᵀ M for a matrix with one row per axis."""
        if self.G is None:
            return rows
        return [list(row) for row in zip(*(self.gathered(column) for column in zip(*rows, strict=True)), strict=True)]

    def _by_axis(self, entries: Values) -> Values:
        return entries if self.G is None else [_combined(row, entries) for row in self.G]

    def _by_joint(self, axes: Values) -> list[Values]:
        rest = iter(axes)
        return [(), *(list(islice(rest, width)) for width in self.widths)]


def check_coordinates(coordinates: str) -> None:
    """Refuse an unknown choice of coordinates."""
    if coordinates not in (INDEPENDENT, ALL):
        raise ProgramError(f"coordinates is {coordinates!r}; it must be {INDEPENDENT!r} or {ALL!r}")


def _sums(rows: Sequence[Row], axes: Iterable[tuple[int, Any]]) -> dict[int, Any]:
    """Return the sum of the rows, each times the quantity of its axis, by degree of freedom."""
    total: dict[int, Any] = {}
    for axis, x in axes:
        if is_zero(x):  # most are, where many joints do not act on one another
            continue
        for place, factor in rows[axis].items():
            total[place] = total[place] + x * factor if place in total else x * factor
    return total


def _combined(row: Row, entries: Values) -> Scalar:
    parts = [entries[place] * factor for place, factor in row.items()]
    return sum(parts[1:], start=parts[0]) if parts else 0.0


def with_tangent(robot: Robot, coordinates: Coordinates, q: Array) -> Array:
    """Return the coordinates with their tangent, unless the rate of each entry is simply the entry of qd."""
    if coordinates.names == robot.coordinate_names and all(joint.kind.is_flat for joint in robot.joints):
        return q
    first = [0, *accumulate(coordinates.widths)]
    values, entries = by_joint(robot, q.nodes), list[Scalar]()
    for j in owners(robot):
        for row in robot.joints[j - 1].kind.tangent(values[j]):
            whole: list[Scalar] = [0.0] * len(coordinates.names)
            for place, x in coordinates.gathered_some(dict(enumerate(row, first[j - 1]))).items():
                whole[place] = x
            entries += whole
    labels = [robot.coordinate_names, coordinates.names]
    return replace(q, tangent=outputs(entries, list(map(len, labels)), labels, "dq/dt by qd"))
