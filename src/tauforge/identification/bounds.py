"""Bounds of masses and centres of mass, as a drawing or a pair of scales gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

import numpy as np

from ..errors import ExpressionError, IdentificationError
from ..robot.frames import frame
from ..robot.robot import Robot
from .problem import Inequality

Range = tuple[float, float]
Box = tuple[Sequence[float], Sequence[float]]
AXES = ("x", "y", "z")


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What is known of the links' masses and centres of mass. Infinite ends leave a side open.

    Attributes
    ----------
    mass
        Least and greatest mass of links, by name.
    centre
        A box for the centre of mass of links, by name: its lowest and its highest corner, in the frame of that name.
    total
        Least and greatest mass of all links together.
    """

    mass: Mapping[str, Range] = field(default_factory=dict)
    centre: Mapping[str, Box] = field(default_factory=dict)
    total: Range | None = None

    @classmethod
    def of(cls, robot: Robot, *, mass: float | None = None) -> Bounds:
        """Return bounds from the robot's own file: centres of mass inside the boxes around the links' shapes.

        Parameters
        ----------
        mass
            By which part the mass of each link may differ from the file's: 0.2 for 20 %. By default masses are free.
        """
        from ..view.meshes import solid_of

        links = [*robot.bodies, *([robot.base.body] if robot.base.floating and robot.base.body else [])]
        masses: dict[str, Range] = {}
        centres: dict[str, Box] = {}
        for link in links:
            if mass is not None and isinstance(link.inertia.M, float) and link.inertia.M > 0.0:
                masses[link.name] = (link.inertia.M * (1.0 - mass), link.inertia.M * (1.0 + mass))
            solids = [solid_of(visual) for visual in link.visuals]
            corners = [solid.points for solid in solids if solid is not None and len(solid.points)]
            if corners and len(corners) == len(solids):  # a mesh that cannot be read may be anywhere
                T = _place(robot, link.name)
                points = (np.concatenate(corners) - T[:3, 3]) @ T[:3, :3]
                centres[link.name] = (points.min(axis=0).tolist(), points.max(axis=0).tolist())
        return cls(mass=masses, centre=centres)

    def rows(self, robot: Robot) -> list[Inequality]:
        """Return the bounds as inequalities of the standard parameters of a robot."""
        numbers = {body.name: j for j, body in enumerate(robot.bodies, 1)}
        if robot.base.floating and robot.base.body:
            numbers[robot.base.body.name] = 0
        for name in (*self.mass, *self.centre):
            if name not in numbers:
                raise IdentificationError(f"bounds: no link {name!r} in {robot.name}; it has {', '.join(numbers)}")
        found = []
        for name, limits in self.mass.items():
            found += _between({f"M{numbers[name]}": 1.0}, *_range(limits, f"the mass of {name}"))
        for name, corners in self.centre.items():
            found += _in_box(robot, name, numbers[name], corners)
        if self.total is not None:
            every = {f"M{j}": 1.0 for j in numbers.values()}
            found += _between(every, *_range(self.total, "the total mass"))
        return found


def _range(given: object, what: str) -> Range:
    """Return the two ends of a range, or raise an error that says what is wrong with it."""
    try:
        low, high = map(float, given)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        raise IdentificationError(f"bounds: {what} has {given!r}; give the least and the greatest value") from None
    if not low <= high or low == inf or high == -inf:
        raise IdentificationError(f"bounds: {what} is to be between {low} and {high}, which no value is")
    return low, high


def _between(row: Mapping[str, float], low: float, high: float) -> list[Inequality]:
    found = [Inequality(row, -low)] if isfinite(low) else []
    return [*found, Inequality({name: -x for name, x in row.items()}, high)] if isfinite(high) else found


def _in_box(robot: Robot, name: str, number: int, corners: Box) -> list[Inequality]:
    """Return that mass times centre is between mass times the corners, along the axes of the named frame."""
    try:
        low, high = (list(map(float, corner)) for corner in corners)
    except (TypeError, ValueError, OverflowError):
        low, high = [], []
    if len(low) != 3 or len(high) != 3:
        raise IdentificationError(f"bounds: the box of {name} is {corners!r}; give its lowest and its highest corner")
    T = _place(robot, name)
    moments = [f"{key}{number}" for key in ("MX", "MY", "MZ")]
    found = []
    for k, axis in enumerate(T[:3, :3].T):
        ends = _range((low[k], high[k]), f"the centre of {name} along {AXES[k]}")
        row = dict(zip(moments, map(float, axis), strict=True))
        start = float(axis @ T[:3, 3])  # the frame's own origin, along its axis
        for sign, end in zip((1.0, -1.0), ends, strict=True):
            if isfinite(end):
                found.append(Inequality({k: sign * x for k, x in row.items()} | {f"M{number}": -sign * (start + end)}))
    return found


def _place(robot: Robot, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the pose of a frame, by name, on its link."""
    try:
        return np.array([float(x) for x in frame(robot, name).pose().homogeneous]).reshape(4, 4)
    except ExpressionError:
        raise IdentificationError(f"bounds: the frame {name!r} has symbols; give them numbers with bind(...)") from None
