"""Cartesian motions: a frame along straight lines, arcs and turns, by the joints that make it follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ProgramError, SimulationError
from ...geometry.reach import Search, bounds, reach
from ...geometry.task import Task
from ...models.registry import check_robot
from ...robot.robot import Robot
from .checks import Floats, check_joints, numbers, positive, rising
from .follow import Follower, Segment, Stop
from .laws import Along, Pieces, Rates
from .motion import Motion
from .pose_path import PosePath, pose_path
from .scaling import LOAD
from .through_points import at_rest, cubic, quintic
from .time_optimal import along_path, time_optimal

KINDS = ("quintic", "cubic", "trapezoidal", "time-optimal")
LIMITS = {"velocity", "acceleration", "torque"} | LOAD


@dataclass(frozen=True, eq=False)
class Segments:
    """Joints that follow segments of a path, the k-th from k to k + 1."""

    each: tuple[Segment, ...]

    def __call__(self, s: Floats, place: NDArray[np.intp]) -> Rates:
        """Return the coordinates and their rates by the parameter of the path, on given segments."""
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
    aim: str = "pose",
    limits: bool = True,
    blend: float | None = None,
    **fastest: Any,
) -> Motion:
    """Return the motion of the joints with which a frame goes from pose to pose along straight lines, or along arcs.

    It rests at each pose. Orientations turn about one axis from each pose to the next. Velocities and accelerations are
    exact. Redundant arms move as little as they can.

    Parameters
    ----------
    poses
        Poses of the frame relative to the base, (poses, 4, 4); with ``aim="position"`` also points, (poses, 3).
    times
        When each is reached; a single number is the duration, which lengths of segments share. Without times, each
        segment is as fast as the limits allow.
    frame
        Name of a link or of a constant frame.
    q0
        A state near the one at the first pose, as for ``tf.reach``: it decides with which elbow the arm goes.
    kind
        The rhythm on each segment: "quintic", "cubic", "trapezoidal" with a ``blend`` in seconds; or "time-optimal",
        the fastest of all along the path.
    via
        For each segment a point (3) through which a circular arc leads, or None for a line.
    aim
        "pose", "position", or "axis", as for ``tf.reach``.
    limits
        Whether joints that would exceed their limits are an error.
    **fastest
        Without times: ``velocity``, ``acceleration``, ``torque``, ``payload``, ``wrench`` and ``guess``, as for
        ``Motion.scaled``.

    Raises
    ------
    SimulationError
        If the joints cannot follow the path; its attribute ``trajectory`` holds the Motion up to there. If the first
        pose is out of reach, a ReachError.
    """
    _check(robot, times, kind, fastest)
    task = Task(robot, frame, aim)
    path = pose_path(task, poses, via)
    when = None if times is None else _times(times, path)
    first = reach(robot, path.poses[0], frame=frame, q0=q0, aim=aim, limits=limits)
    segments = _followed(Search(task, limits), path, first.q, when, kind, blend, limits)
    if kind == "time-optimal":
        return _time_optimal(robot, segments, fastest)
    if when is None:
        when = np.cumsum([0.0, *(_shortest(robot, one, kind, blend, fastest) for one in segments)])
    return _motion(segments, when, kind, blend)


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


def _times(times: ArrayLike, path: PosePath) -> Floats:
    found = numbers("times", times)
    if found.ndim == 0:
        shares = np.array([path.length(k) for k in range(len(path))])
        return np.asarray(positive("times", times) * np.concatenate([[0.0], np.cumsum(shares / shares.sum())]))
    if len(found) != len(path) + 1:
        raise ProgramError(f"there are {len(path) + 1} poses but {len(found)} times")
    return rising("times", found)


def _followed(
    search: Search, path: PosePath, q: Floats, times: Floats | None, kind: str, blend: float | None, limits: bool
) -> tuple[Segment, ...]:
    """Return the joints along all segments, or say where they cannot follow."""
    follower, own = Follower(search), bounds(search.robot) if limits else None
    segments = list[Segment]()
    for k in range(len(path)):
        try:
            segments.append(follower.segment(path, k, q, own))
        except Stop as stop:
            _, distance, angle, reached = search.nearest(stop.last[None], path.poses[k + 1][None])
            far = (
                f"; pose {k + 2} itself can be reached, but not along this path"
                if reached[0]
                else f"; pose {k + 2} is {distance[0]:.4g} m and {angle[0]:.4g} rad out of reach"
            )
            raised = SimulationError(f"{search.robot.name}: {stop}{far}")
            when = np.arange(len(path) + 1.0) if times is None else times
            raised.trajectory = _part(
                [*segments, *([stop.segment] if stop.segment else [])], when, kind, blend, k + stop.u
            )
            raise raised from None
        q = segments[-1].nodes[-1].whole
    return tuple(segments)


def _part(segments: list[Segment], times: Floats, kind: str, blend: float | None, reached: float) -> Motion | None:
    """Return the motion up to a place on the path."""
    if not segments:
        return None
    rhythm = _rhythm("quintic" if kind == "time-optimal" else kind, times, blend)
    low, high = float(times[0]), float(times[-1])
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rhythm(np.array([middle]))[0][0, 0] <= reached else (low, middle)
    if low <= times[0]:
        return None
    law = _law(tuple(segments), rhythm)
    return Motion(law=law, dof=len(segments[0].nodes[0].q), start=float(times[0]), end=low, kind="cartesian")


def _rhythm(kind: str, times: Floats, blend: float | None) -> Pieces:
    """Return the parameter of the path over time, with rest at each pose."""
    if blend is not None and kind != "trapezoidal":
        raise ProgramError(f"kind={kind!r} has no blend")
    points = np.arange(float(len(times)))[:, None]
    still = np.zeros_like(points)
    if kind == "trapezoidal":
        return at_rest(times, points, [blend] * (len(times) - 1))
    return cubic(times, points, still) if kind == "cubic" else quintic(times, points, still, still)


def _motion(segments: tuple[Segment, ...], times: Floats, kind: str, blend: float | None) -> Motion:
    law = _law(segments, _rhythm(kind, times, blend))
    return along_path("cartesian", law, len(segments[0].nodes[0].q))


def _law(segments: tuple[Segment, ...], rhythm: Pieces) -> Along:
    """Return segments in a rhythm that passes through them one after another."""
    middle = 0.5 * (rhythm.knots[1:] + rhythm.knots[:-1])
    place = np.clip(np.floor(rhythm(middle)[0][:, 0]).astype(int), 0, len(segments) - 1)
    return Along(Segments(segments), rhythm, place)


def _shortest(robot: Robot, segment: Segment, kind: str, blend: float | None, fastest: dict[str, Any]) -> float:
    """Return the shortest duration of one segment."""
    if blend is not None:
        raise ProgramError("blend: this needs times; a motion with limits alone finds its own")
    one = _motion((segment,), np.array([0.0, 1.0]), kind, None)
    return one.scaled(robot, **fastest).duration


def _time_optimal(robot: Robot, segments: tuple[Segment, ...], fastest: dict[str, Any]) -> Motion:
    """Return the fastest motion along all segments, with rest between them."""
    rhythms = [time_optimal(segment, np.array([0.0, 1.0]), robot, **fastest) for segment in segments]
    knots, coefficients = [np.zeros(1)], []
    for k, own in enumerate(rhythms):
        knots.append(knots[-1][-1] + own.knots[1:])
        part = own.coefficients.copy()
        part[0] += k
        coefficients.append(part)
    rhythm = Pieces(np.concatenate(knots), np.concatenate(coefficients, axis=1))
    return along_path("cartesian", _law(segments, rhythm), len(segments[0].nodes[0].q))
