"""Stand-in shapes for links that have none of their own: joints as cylinders, blocks and balls, links around them.

A link is the hull of balls at its joints: a tapered capsule for two, a rounded plate for three or more. The joint that
carries a link belongs to the parent if it slides, so that the link slides through it, and to the link otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..graph.node import Node
from ..models.loops.closure import with_sides
from ..robot.entries import places
from ..robot.joint import Joint
from ..robot.robot import Robot
from . import solids
from .drawing import check_reach, guides, matrix, upward
from .solids import Solid, facing

Floats = NDArray[np.float64]
LINK, ROD, BASE = (0.86, 0.88, 0.91), (0.70, 0.73, 0.77), (0.32, 0.37, 0.43)
"""Colours of links, of rods that slide, and of the base."""
DRIVEN, PASSIVE, TOOL = (0.10, 0.50, 0.61), (0.55, 0.60, 0.66), (0.93, 0.49, 0.19)
"""Colours of joints with and without a motor, and of tips."""
THICK, THIN = 0.052, 0.026
"""Radius of the first link as a part of the robot's reach; the second for robots with closed loops."""
NEAR = 1e-6
"""Distances that count as zero, as a part of the reach."""


@dataclass
class Part:
    """What a link consists of, in its own frame: points that it connects, their radii, and finished solids."""

    points: list[Floats] = field(default_factory=list)
    radii: list[float] = field(default_factory=list)
    solids: list[Solid] = field(default_factory=list)

    def add(self, point: Floats, radius: float) -> None:
        """Add a point to connect."""
        self.points.append(np.asarray(point, dtype=float))
        self.radii.append(radius)


@dataclass(frozen=True)
class Sizes:
    """The robot's reach, and the radius of each link by number."""

    reach: float
    radii: list[float]


def stand_ins(robot: Robot, low: Floats, high: Floats) -> list[Solid]:
    """Return a solid for each link of a robot on a fixed base, by number.

    Parameters
    ----------
    low, high
        Range of the coordinates: rods and tubes are long enough for it.
    """
    hidden, sizes = guides(robot), _sizes(robot)
    parts = [Part() for _ in range(len(robot.joints) + 1)]
    rods = _rods(robot, hidden, sizes, low, high)
    for j, joint in enumerate(robot.joints, 1):
        if j in hidden:
            continue
        if j in rods:
            _slide(parts[joint.antecedent], parts[j], joint, rods[j], sizes.radii[j])
            continue
        radius = sizes.radii[j]
        parts[j].add(np.zeros(3), radius)
        parts[joint.antecedent].add(matrix(joint, ())[:3, 3], 0.82 * radius)
        parts[j].solids += _joint(joint, radius)
    _add_cuts(robot, parts, sizes)
    for frame in robot.frames:
        if frame.antecedent and frame.antecedent not in {joint.antecedent for joint in robot.joints}:
            parts[frame.antecedent].add(matrix(frame, ())[:3, 3], 0.6 * sizes.radii[frame.antecedent])
    for j in range(1, len(parts)):
        _tip(robot, j, parts[j], sizes)
    return [_base(robot, parts[0], sizes), *(_link(part, sizes) for part in parts[1:])]


def _sizes(robot: Robot) -> Sizes:
    """Return how large a robot is, and the radii of its links: thinner further out, and in short ones."""
    out = [0.0]
    step = [0.0]
    for joint in robot.joints:
        step.append(float(np.linalg.norm(matrix(joint, ())[:3, 3])))
        out.append(out[joint.antecedent] + step[-1])
    ends = [out[loop.frame.antecedent] + float(np.linalg.norm(matrix(loop.frame, ())[:3, 3])) for loop in robot.loops]
    tips = [out[j] + float(np.linalg.norm(_centre(robot, j))) for j in range(1, len(out))]
    reach = max([*out, *ends, *tips]) or 1.0
    check_reach(robot, np.array(reach))
    first = (THIN if robot.loops else THICK) * reach
    if not robot.loops and max(map(len, map(robot.children, range(len(out))))) > 1:
        first *= 0.8
    radii = [first * (1.0 - 0.45 * at / reach) for at in out]
    for j, joint in enumerate(robot.joints, 1):  # joints at one point would hide each other
        if step[j] < NEAR * reach and joint.antecedent:
            radii[j] = min(radii[j], 0.86 * radii[joint.antecedent])
    return Sizes(reach, radii)


def _centre(robot: Robot, j: int) -> Floats:
    """Return a link's centre of mass; its origin where that is not known."""
    inertia = robot.bodies[j - 1].inertia
    moments = [inertia.MX, inertia.MY, inertia.MZ, inertia.M]
    if any(isinstance(x, Node) for x in moments) or not float(inertia.M) > 0.0:
        return np.zeros(3)
    return np.array([float(x) for x in moments[:3]]) / float(inertia.M)


def _rods(
    robot: Robot, hidden: set[int], sizes: Sizes, low: Floats, high: Floats
) -> dict[int, tuple[float, float, float]]:
    """Return the joints that slide: where the axis starts on the parent, and the range from there; a tube needs the
    first to be the parent's own origin.
    """
    found: dict[int, tuple[float, float, float]] = {}
    for (j, joint), place in zip(enumerate(robot.joints, 1), places(robot)[1:], strict=True):
        if j in hidden or joint.kind.word != "prismatic" or place is None:
            continue
        T = matrix(joint, ())
        along = float(T[:3, 3] @ T[:3, 2])
        off = float(np.linalg.norm(T[:3, 3] - along * T[:3, 2]))
        spread = (along + float(low[place]), along + float(high[place]))
        piston = off < NEAR * sizes.reach and joint.antecedent and min(map(abs, spread)) > 0.1 * sizes.reach
        same = spread[0] * spread[1] > 0
        found[j] = (along, *spread) if piston and same else (np.nan, spread[0] - along, spread[1] - along)
    return found


def _slide(parent: Part, child: Part, joint: Joint, rod: tuple[float, float, float], radius: float) -> None:
    """Add a joint that slides: a tube on the parent and a rod in it, or a block on the parent through which it goes."""
    T = matrix(joint, ())
    color = DRIVEN if joint.mu else PASSIVE
    along, low, high = rod
    child.add(np.zeros(3), 0.6 * radius)
    if not np.isnan(along):  # a piston
        z = T[:3, 2] * np.sign(low)
        least, most = sorted((abs(low), abs(high)))
        tube = 0.72 * least
        parent.solids.append(_bar(0.06 * least * z, tube * z, 1.0 * radius, color, 0.25 * radius))
        parent.add(np.zeros(3), 0.5 * radius)
        end = np.array([0.0, 0.0, -np.sign(low)]) * min(0.97 * least, most - 0.5 * tube)
        child.solids.append(_bar(np.zeros(3), end, 0.5 * radius, ROD))
        return
    block = solids.box((2.6 * radius, 2.6 * radius, 3.2 * radius), color)
    parent.solids.append(block.moved(T))
    parent.add(T[:3, 3], 0.8 * radius)
    ends = [np.array([0.0, 0.0, min(0.0, -high) - 2.2 * radius]), np.array([0.0, 0.0, max(0.0, -low) + 2.2 * radius])]
    child.solids.append(_bar(ends[0], ends[1], 0.6 * radius, ROD))


def _bar(start: Floats, end: Floats, radius: float, color: solids.Color, bevel: float = 0.0) -> Solid:
    made = solids.cylinder(radius, float(np.linalg.norm(end - start)), color, bevel)
    return made.moved(solids.between(start, end))


def _joint(joint: Joint, radius: float) -> list[Solid]:
    """Return the shape of a joint in its link's frame."""
    color = DRIVEN if joint.mu else PASSIVE
    if len(joint.axes) == 1:
        return [solids.cylinder(1.18 * radius, 2.7 * radius, color, 0.16 * radius)]
    return [solids.ball((1.2 * radius,) * 3, color)] if joint.axes and joint.kind.word != "floating" else []


def _add_cuts(robot: Robot, parts: list[Part], sizes: Sizes) -> None:
    """Add both sides of each cut to their links, and its joint to the first."""
    tree, sides = with_sides(robot)
    for side in sides:
        for number in (side.a, side.b):
            if number > len(robot.joints):
                end = tree.joints[number - 1]
                T, owner = matrix(end, ()), end.antecedent
            else:
                T, owner = np.eye(4), number
            radius = sizes.radii[owner] if owner else min(sizes.radii[1:])
            parts[owner].add(T[:3, 3], 0.82 * radius)
            if number == side.a:
                made = _joint(side.loop.joint, 0.9 * radius)
                parts[owner].solids += [solid.moved(T) for solid in made]


def _tip(robot: Robot, j: int, part: Part, sizes: Sizes) -> None:
    """End a link that carries nothing: where its frames are, or twice as far as its centre of mass."""
    carries = any(joint.antecedent == j for joint in robot.joints)
    cut = any(j in (loop.joint.antecedent, loop.frame.antecedent) for loop in robot.loops)
    if carries or cut or not part.points:
        return
    radius = sizes.radii[j]
    ends = [point for point in part.points if np.linalg.norm(point) > radius]
    if not ends and np.linalg.norm(2 * (centre := _centre(robot, j))) > 1.6 * radius:
        ends = [2 * centre]
        part.add(ends[0], 0.7 * radius)
    if ends:
        end = max(ends, key=lambda point: float(np.linalg.norm(point)))
        part.solids.append(solids.ball((0.78 * radius,) * 3, TOOL).moved(facing(end, end)))
    else:
        end = np.array([0.0, 0.0, 1.75 * radius])
        part.solids.append(solids.cylinder(0.8 * radius, 0.8 * radius, TOOL, 0.1 * radius).moved(facing(end, end)))


def _link(part: Part, sizes: Sizes) -> Solid:
    apart = [k for k, point in enumerate(part.points) if np.linalg.norm(point - part.points[0]) > NEAR * sizes.reach]
    made = list(part.solids)
    if apart:
        made.append(solids.hull([part.points[k] for k in (0, *apart)], [part.radii[k] for k in (0, *apart)], LINK))
    elif part.points and not part.solids:
        made.append(solids.ball((part.radii[0],) * 3, LINK).moved(facing(part.points[0], part.points[0])))
    return solids.joined(made)


def _base(robot: Robot, part: Part, sizes: Sizes) -> Solid:
    """Return the base: a plate below three joints or more, a bar along two, or a column below one."""
    if not part.points:
        return solids.joined(part.solids)
    spread = np.ptp(np.array(part.points), axis=0).max()
    if spread > NEAR * sizes.reach:
        return solids.joined([*part.solids, solids.hull(part.points, [1.15 * r for r in part.radii], BASE)])
    return solids.joined([*part.solids, _column(part.points[0], part.radii[0] / 0.82, upward(robot))])


def _column(top: Floats, radius: float, up: Floats) -> Solid:
    """Return a column from the level of the base's origin to a joint, or a foot below it."""
    height = max(float(top @ up), 1.4 * radius)
    rim, foot = 0.22 * radius, 2.1 * radius
    profile = [
        (0.0, 0.0), (1.0 * radius, 0.0), (1.25 * radius, -0.75 * height + rim), (1.45 * radius, rim - height),
        (foot - 0.3 * rim, rim - height), (foot, 0.7 * rim - height), (foot, -height), (0.0, -height),
    ]  # fmt: skip
    return solids.turned(profile, BASE).moved(facing(up, top))


def extent(parts: Sequence[Solid]) -> float:
    """Return the largest distance of a solid's corner from its link's origin."""
    return max((float(np.linalg.norm(part.points, axis=1).max()) for part in parts if len(part.points)), default=1.0)
