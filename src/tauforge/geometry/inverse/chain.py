"""The axes between base and frame: where each joint turns or slides if all joints are at zero.

With these, the frame's pose is a product of motions, E₁ E₂ … Eₙ M: each E turns about a constant line or slides along
a constant direction, and M is the pose at zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from ...graph.evaluate import evaluate, symbols
from ...graph.functions import sqrt
from ...graph.node import Node, Scalar, as_node, is_zero
from ...models.routes import frame_number, path
from ...robot.entries import places
from ...robot.robot import Robot
from ...spatial.pose import HERE, Pose
from ...spatial.vector import UNITS, Vector, column, cross, dot

Floats = NDArray[np.float64]
FREE = {"pose": (), "axis": (2,), "position": (2, 1, 2)}
"""The axes of the frame about which each aim leaves it free to turn."""
NOWHERE = -1
"""The place in q of such turns, which have none."""
TINY = 1e-15
"""Constants below it are rounding of zero."""


class Motion(NamedTuple):
    """How far a joint has moved: the cosine and sine of its angle, or the way that it has slid."""

    c: Any = 1.0
    s: Any = 0.0
    d: Any = 0.0

    def inverse(self) -> Motion:
        return Motion(self.c, -self.s, -self.d)


REST = Motion()


class Axis(NamedTuple):
    """The axis of a joint, if all joints are at zero, in the base frame.

    Attributes
    ----------
    name
        The joint's name.
    place
        Its place in q, or NOWHERE.
    slides
        Whether it is prismatic.
    h
        The unit vector along it.
    o
        A point on it.
    """

    name: str
    place: int
    slides: bool
    h: Vector
    o: Vector

    def turned(self, motion: Motion, v: Vector) -> Vector:
        """Return a direction after the motion."""
        if self.slides or motion is REST:
            return v
        along: Vector = self.h * dot(self.h, v)
        found: Vector = along + (v - along) * motion.c + cross(self.h, v) * motion.s
        return found

    def moved(self, motion: Motion, p: Vector) -> Vector:
        """Return a point after the motion."""
        if motion is REST:
            return p
        if self.slides:
            slid: Vector = p + self.h * motion.d
            return slid
        return self.o + self.turned(motion, p - self.o)


@dataclass(frozen=True)
class Chain:
    """The joints that move a frame.

    Attributes
    ----------
    axes
        Their axes, from the base outward.
    end
        The frame's pose at zero, M.
    """

    axes: tuple[Axis, ...]
    end: Pose

    @classmethod
    def of(cls, robot: Robot, frame: str, aim: str = "pose") -> Chain:
        """Return the joints between the base and a frame; refuse those that neither turn nor slide.

        Where the aim leaves the frame free to turn, joints that do so follow.
        """
        robot = robot.expanded().with_frames(frame).map(as_node)
        first, pose, axes = places(robot), HERE, list[Axis]()
        for j in path(robot, frame_number(robot, frame)):
            joint = robot.joints[j - 1]
            pose = pose.then(joint.pose())
            if not joint.axes:
                continue
            place, kind = first[j], joint.kind
            slides = kind.is_axial and is_zero(kind.turn)
            if not kind.is_axial or not (slides or is_zero(kind.slide)) or joint.mimic or place is None:
                what = "follows another" if joint.mimic else f"is {joint.kind.word}"
                raise ProgramError(
                    f"{robot.name}: joint {joint.name!r} {what}; inverse geometry takes joints that turn or slide by "
                    "themselves: tf.reach(…) finds states of any robot step by step"
                )
            axes.append(Axis(joint.name, place, slides, column(pose.R.rows, 2), pose.P))
        for k, unit in enumerate(column(pose.R.rows, k) for k in FREE[aim]):
            axes.append(Axis(f"turn{k + 1}", NOWHERE, False, unit, pose.P))
        return cls(tuple(axes), pose)._tidy()

    @property
    def real(self) -> list[int]:
        """Numbers of the axes that are joints, without turns that the aim leaves free."""
        return [k for k, axis in enumerate(self.axes) if axis.place != NOWHERE]

    @property
    def is_symbolic(self) -> bool:
        """Whether it has lengths or angles without values."""
        return bool(symbols(self._nodes()))

    @cached_property
    def size(self) -> float:
        """The arm's size, at least a millimetre: how far axes are from the first one, or if all are in one place, how
        far the frame is. Where the base is does not count.
        """
        numbers = self.numbers()
        first = numbers.axes[0].o
        far = max(abs(float(x)) for axis in numbers.axes for x in axis.o - first)
        return max(1e-3, far if far > 1e-3 else max(abs(float(x)) for x in numbers.end.P - first))

    @cached_property
    def unit(self) -> float:
        """What lengths are small or large compared with: the arm's size, or a metre where it has letters."""
        return 1.0 if self.is_symbolic else self.size

    @cached_property
    def scale(self) -> float:
        """What errors in lengths are divided by: the arm's size where that is more than a metre, because rounding grows
        with it.
        """
        return max(1.0, self.unit)

    def _nodes(self) -> list[Node]:
        nodes = [as_node(x) for axis in self.axes for x in (*axis.h, *axis.o)]
        return nodes + [as_node(x) for x in self.end.homogeneous]

    @property
    def measured(self) -> tuple[int, ...]:
        """The axes of the frame, 0 to 2, that tell whether it is at its goal."""
        free = len(self.axes) - len(self.real)
        return ((0, 1), (2,), (), ())[free]

    def padded(self, count: int) -> Chain:
        """Return the chain with as many axes as wanted, the last ones anywhere: for methods that need so many."""
        random = np.random.default_rng(5)
        axes = list(self.axes)
        while len(axes) < count:
            h, o = random.normal(size=3), random.uniform(-0.3, 0.3, 3)
            h /= np.linalg.norm(h)
            point = self.end.P + Vector(*map(float, o))
            axes.append(Axis(f"turn{len(axes) + 1}", NOWHERE, False, Vector(*map(float, h)), point))
        return Chain(tuple(axes), self.end)

    def _tidy(self) -> Chain:
        """Return the chain without traces of rounding, and with points where consecutive axes meet."""
        axes = [axis._replace(h=clean(axis.h), o=clean(axis.o)) for axis in self.axes]
        rows = [clean(row) for row in self.end.R.rows]
        end = Pose.of([x for row, p in zip(rows, clean(self.end.P), strict=True) for x in (*row, p)])
        return Chain(tuple(axes), end)

    def numbers(self, seed: int = 1) -> Chain:
        """Return the chain in numbers; symbols get random values."""
        nodes, random = self._nodes(), np.random.default_rng(seed)
        found = evaluate(nodes, {name: random.uniform(0.2, 1.0) for name in symbols(nodes)})
        axes = []
        for k, axis in enumerate(self.axes):
            own = found[6 * k : 6 * k + 6]
            axes.append(axis._replace(h=Vector(*own[:3]), o=Vector(*own[3:])))
        return Chain(tuple(axes), Pose.of(found[6 * len(self.axes) :]))


def clean(v: Vector) -> Vector:
    """Return a vector without traces of rounding."""
    return Vector(*(0.0 if _is_tiny(x) else x for x in v))


def _is_tiny(x: Scalar) -> bool:
    node = as_node(x)
    return not symbols([node]) and abs(float(evaluate([node], {})[0])) < TINY


def meeting(a: Axis, b: Axis) -> Vector:
    """Return the point of the second line that is nearest to the first; where they meet, if they do."""
    n = cross(a.h, b.h)
    across = cross(a.h, n)
    point: Vector = b.o + b.h * (dot(a.o - b.o, across) * (1.0 / dot(b.h, across)))
    return point


def length(v: Vector) -> Scalar:
    return sqrt(dot(v, v))


def crossed(h: Vector, numbers: Sequence[float]) -> Vector:
    """Return a vector across an axis, of any length."""
    return cross(h, UNITS[int(np.argmin(np.abs(numbers)))])


def across(h: Vector, numbers: Sequence[float]) -> Vector:
    """Return a unit vector across an axis, which has these numbers."""
    found = crossed(h, numbers)
    return Vector(*(x * (1.0 / length(found)) for x in found))


Motions = Mapping[int, Motion]
"""The motions of joints that are known, by their number in the chain from 0; the others are at rest."""
