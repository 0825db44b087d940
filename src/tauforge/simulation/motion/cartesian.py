"""Cartesian motions: a frame along straight lines, arcs and turns, by the joints that make it follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ProgramError, SimulationError
from ...geometry.joint_limits import limited_joints
from ...geometry.reach import ROUNDING, Search, bounds, reach
from ...geometry.task import Task
from ...models.registry import check_robot
from ...robot.robot import Robot
from .checks import Floats, check_joints, numbers, positive, rising
from .follow import Follower, Stop, Stretch
from .laws import Along, Pieces, Rates
from .motion import Motion
from .peaks import NARROW, Cells, ceiling
from .pose_path import PosePath, pose_path
from .scaling import LOAD
from .through_points import cubic, joined, quintic, trapezoidal
from .time_optimal import along_path, time_optimal

KINDS = ("quintic", "cubic", "trapezoidal", "time-optimal")
LIMITS = {"velocity", "acceleration", "torque"} | LOAD


@dataclass(frozen=True, eq=False)
class Stretches:
    """Joints that follow stretches of a path, the k-th from k to k + 1."""

    each: tuple[Stretch, ...]

    def __call__(self, s: Floats, place: NDArray[np.intp]) -> Rates:
        """Return the coordinates and their rates by the parameter of the path, on given stretches."""
        found = [np.empty((len(s), len(self.each[0].nodes[0].q))) for _ in range(3)]
        for k in np.unique(place):
            here = place == k
            for x, own in zip(found, self.each[k](np.clip(s[here] - k, 0.0, 1.0)), strict=True):
                x[here] = own
        return found[0], found[1], found[2]


def cartesian_motion(
    robot: Robot,
    poses: ArrayLike,
    times: ArrayLike | None = None,
    *,
    frame: str,
    q0: ArrayLike | None = None,
    kind: str = "quintic",
    via: Sequence[ArrayLike | None] | None = None,
    radius: ArrayLike | None = None,
    aim: str = "pose",
    limits: bool = True,
    blend: float | None = None,
    **fastest: Any,
) -> Motion:
    """Return the motion of the joints with which a frame goes from pose to pose along straight lines, or along arcs.

    It rests at each pose, or passes by without a stop where a ``radius`` allows it. Orientations turn about one axis
    from each pose to the next. Velocities and accelerations are exact. Redundant arms move as little as they can.

    Parameters
    ----------
    poses
        Poses of the frame relative to the base, (poses, 4, 4); with ``aim="position"`` also points, (poses, 3).
    times
        When each is reached; a single number is the duration, which the lengths from rest to rest share. Without times,
        the way from each rest to the next is as fast as the limits allow.
    frame
        Name of a link or of a constant frame.
    q0
        A state near the first one, as for ``tf.reach``: it decides with which elbow the arm goes.
    kind
        The rhythm: "quintic", "cubic", "trapezoidal" with a ``blend`` in seconds; or "time-optimal", the fastest.
    via
        For each segment a point (3) through which a circular arc leads, or None for a line.
    radius
        How far before and after a pose the frame leaves the segments to pass it without stopping, in metres (radians,
        where it only turns): one for all poses between the ends, or one each, zero for rest.
    aim, limits
        "pose", "position", or "axis", as for ``tf.reach``; whether joints that would exceed their limits are an error.
    **fastest
        Without times: ``velocity``, ``acceleration``, ``torque`` and the load, as for ``Motion.scaled``.

    Raises
    ------
    SimulationError
        If the joints cannot follow the path; its attribute ``trajectory`` holds the Motion up to there. If the first
        pose is out of reach, a ReachError.
    """
    _check(robot, times, kind, fastest)
    task = Task(robot, frame, aim)
    path = pose_path(task, poses, via, radius)
    timed = None if times is None else _timed(times, path)
    first = reach(robot, path.poses[0], frame=frame, q0=q0, aim=aim, limits=limits)
    stretches = _followed(Search(task, limits), path, first.q, timed, kind, blend, limits)
    if kind == "time-optimal":
        return _time_optimal(robot, path, stretches, fastest)
    if timed is None:
        timed = _rests(np.cumsum([0.0, *(_shortest(robot, one, kind, blend, fastest) for one in stretches)]))
    return _motion(stretches, timed, kind, blend)


def _check(robot: Robot, times: ArrayLike | None, kind: str, fastest: dict[str, Any]) -> None:
    """Refuse arguments that do not go together."""
    check_robot(robot)
    check_joints(robot, len(robot.velocity_names))
    if kind not in KINDS:
        raise ProgramError(f"kind={kind!r}; choose among {', '.join(map(repr, KINDS))}")
    if unknown := sorted({*fastest} - LIMITS):
        raise ProgramError(f"cartesian_motion does not take {', '.join(unknown)}")
    if times is not None and (fastest or kind == "time-optimal"):
        raise ProgramError("give times, or limits that decide how fast the motion is, not both")


class Timed(NamedTuple):
    """Times, and the parameter of the path that is reached at each."""

    times: Floats
    places: Floats


def _rests(times: Floats) -> Timed:
    return Timed(times, np.arange(float(len(times))))


def _timed(times: ArrayLike, path: PosePath) -> Timed:
    found = numbers("times", times)
    if found.ndim == 0:
        shares = np.cumsum([0.0, *(path.length(k) for k in range(len(path)))])
        return _rests(positive("times", times) * shares / shares[-1])
    if len(found) != len(path.poses):
        raise ProgramError(f"there are {len(path.poses)} poses but {len(found)} times")
    return Timed(rising("times", found), path.marks())


def _followed(
    search: Search, path: PosePath, q: Floats, timed: Timed | None, kind: str, blend: float | None, limits: bool
) -> tuple[Stretch, ...]:
    """Return the joints along all stretches, or say where they cannot follow."""
    follower, own = Follower(search), bounds(search.robot) if limits else None
    stretches = list[Stretch]()
    for k in range(len(path)):
        try:
            stretches.append(follower.stretch(path, k, q, own))
            if limits and search.robot.loops:
                _check_loops(search.robot, path, k, stretches[-1])
        except Stop as stop:
            goal, task = path.segment_at(k, stop.u)[0] + 1, search.task
            found = reach(task.robot, path.poses[goal], frame=task.frame, aim=task.aim, limits=limits, strict=False)
            far = (
                f"; pose {goal + 1} itself can be reached, but not along this path"
                if found.reached
                else f"; pose {goal + 1} is {found.distance:.4g} m and {found.angle:.4g} rad out of reach"
            )
            raised = SimulationError(f"{search.robot.name}: {stop}{far}")
            raised.trajectory = _part(
                [*stretches, *([stop.stretch] if stop.stretch else [])],
                timed or _rests(np.arange(len(path) + 1.0)),
                kind,
                blend,
                k + stop.u,
            )
            raise raised from None
        q = stretches[-1].nodes[-1].whole
    return tuple(stretches)


def _check_loops(robot: Robot, path: PosePath, k: int, stretch: Stretch) -> None:
    """Stop where a joint that closed loops determine exceeds its limit, at nodes or between them."""
    limited = [joint for joint in limited_joints(robot) if joint.is_bounded]
    lower, upper = (np.array([getattr(joint.limits, side) for joint in limited]) for side in ("lower", "upper"))
    cells, first, stop = Cells.between(np.array([node.u for node in stretch.nodes]), 0), 1.0, None
    while limited and len(cells.start):
        u = cells.times
        q = stretch.whole(u.ravel())
        at = np.stack([joint.position(q) for joint in limited], axis=1).reshape(*u.shape, -1)
        over = np.maximum(at - upper, lower - at)
        if (some := over.max(axis=2) > ROUNDING).any() and (stop is None or u[some].min() < first):
            first = float(u[some].min())
            name = limited[int(over[u == first].max(axis=0).argmax())].name
            j, passed = path.segment_at(k, first)
            where = f"{100.0 * passed:.2f} % of the way from pose {j + 1} to pose {j + 2}"
            stop = Stop(f"{name} would exceed its limit beyond {where}", None, first, q[u.ravel() == first][0])
        high, low = (x.value + x.error for x in (ceiling(at, signed=True), ceiling(-at, signed=True)))
        beyond = (np.maximum(high - upper, low + lower) > ROUNDING).any(axis=1)
        cells = cells.of((beyond | some.any(axis=1)) & (cells.start < first) & (cells.end - cells.start > NARROW))
        cells = cells.halved()
    if stop is not None:
        raise stop


def _part(stretches: list[Stretch], timed: Timed, kind: str, blend: float | None, reached: float) -> Motion | None:
    """Return the motion up to a place on the path."""
    if not stretches:
        return None
    rhythm = _rhythm("quintic" if kind == "time-optimal" else kind, timed, blend)
    start, end = float(timed.times[0]), float(timed.times[-1])
    low, high = start, end
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rhythm(np.array([middle]))[0][0, 0] <= reached else (low, middle)
    if low <= start:
        return None
    law = _law(tuple(stretches), rhythm)
    return Motion(law=law, dof=len(stretches[0].nodes[0].q), start=start, end=low, kind="cartesian")


def _rhythm(kind: str, timed: Timed, blend: float | None) -> Pieces:
    """Return the parameter of the path over time, with rest where it is a whole number."""
    if blend is not None and kind != "trapezoidal":
        raise ProgramError(f"kind={kind!r} has no blend")
    times, points = timed.times, timed.places[:, None]
    rests = timed.places == np.round(timed.places)
    if kind == "trapezoidal":
        each = [slice(a, b + 1) for a, b in pairwise(np.flatnonzero(rests).tolist())]
        found = joined([trapezoidal(times[own], points[own], blend) for own in each])
        if found.coefficients[1].min() < -1e-9 * found.coefficients[1].max():
            raise ProgramError("times: the frame would have to go back to be on time; leave more time between poses")
        return found
    slopes = np.diff(points, axis=0) / np.diff(times)[:, None]
    speeds = np.zeros_like(points)
    speeds[1:-1] = 2.0 / (1.0 / slopes[1:] + 1.0 / slopes[:-1])  # at most twice the smaller slope: never backwards
    speeds[rests] = 0.0
    return cubic(times, points, speeds) if kind == "cubic" else quintic(times, points, speeds, np.zeros_like(points))


def _motion(stretches: tuple[Stretch, ...], timed: Timed, kind: str, blend: float | None) -> Motion:
    law = _law(stretches, _rhythm(kind, timed, blend))
    return along_path("cartesian", law, len(stretches[0].nodes[0].q))


def _law(stretches: tuple[Stretch, ...], rhythm: Pieces) -> Along:
    """Return stretches in a rhythm that passes through them one after another."""
    middle = 0.5 * (rhythm.knots[1:] + rhythm.knots[:-1])
    place = np.clip(np.floor(rhythm(middle)[0][:, 0]).astype(int), 0, len(stretches) - 1)
    return Along(Stretches(stretches), rhythm, place)


def _shortest(robot: Robot, stretch: Stretch, kind: str, blend: float | None, fastest: dict[str, Any]) -> float:
    """Return the shortest duration of one stretch."""
    if blend is not None:
        raise ProgramError("blend: this needs times; a motion with limits alone finds its own")
    one = _motion((stretch,), _rests(np.array([0.0, 1.0])), kind, None)
    return one.scaled(robot, **fastest).duration


def _time_optimal(robot: Robot, path: PosePath, stretches: tuple[Stretch, ...], fastest: dict[str, Any]) -> Motion:
    """Return the fastest motion along all stretches, with rest between them."""
    end, each = 0.0, list[Pieces]()
    for k, stretch in enumerate(stretches):
        own = time_optimal(stretch, path.edges(k), robot, **fastest)
        coefficients = own.coefficients.copy()
        coefficients[0] += k
        each.append(Pieces(end + own.knots, coefficients))
        end = float(each[-1].knots[-1])
    return along_path("cartesian", _law(stretches, joined(each)), len(stretches[0].nodes[0].q))
