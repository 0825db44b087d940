"""Motions that limits alone determine: the fastest along a smooth path, and the fastest with limited jerk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ProgramError
from ...robot.robot import Robot
from .checks import Floats, bounds
from .laws import Along, Pieces
from .motion import Motion
from .time_optimal import along_path, time_optimal

SAME = 1e-12
"""Part of a duration below which two times are the same."""


def fastest_motion(points: Floats, *, robot: Robot | None = None, **limits: Any) -> Motion:
    """Return the fastest motion along the natural cubic spline through points, at rest only at its ends."""
    from scipy.interpolate import CubicSpline

    way = np.linalg.norm(np.diff(points, axis=0), axis=1)
    s = np.concatenate([[0.0], np.cumsum(way)])
    spline = CubicSpline(s, points, bc_type="natural")
    path = Pieces(s, spline.c[::-1].copy())
    return along_path("time-optimal", Along(path, time_optimal(path, s, robot, **limits)), points.shape[1])


def jerk_limited(
    points: Floats,
    velocities: Floats,
    accelerations: Floats,
    *,
    velocity: ArrayLike = np.inf,
    acceleration: ArrayLike = np.inf,
    jerk: ArrayLike | None = None,
) -> Motion:
    """Return the fastest motion from point to point with limited jerk, with given rates at the points."""
    ruckig = _ruckig()
    if jerk is None:
        raise ProgramError("kind='jerk-limited' needs jerk, the largest rate of the accelerations")
    n = points.shape[1]
    most = {name: bounds(name, x, n) for name, x in (("velocity", velocity), ("acceleration", acceleration))}
    task = ruckig.InputParameter(n)
    task.max_velocity, task.max_acceleration = most["velocity"].tolist(), most["acceleration"].tolist()
    task.max_jerk = bounds("jerk", jerk, n).tolist()
    if not np.isfinite(task.max_jerk).all():
        raise ProgramError("jerk: each joint needs a finite limit")
    knots, pieces, start = [np.zeros(1)], [], 0.0
    for k in range(len(points) - 1):
        for name, i in (("current", k), ("target", k + 1)):
            setattr(task, f"{name}_position", points[i].tolist())
            setattr(task, f"{name}_velocity", velocities[i].tolist())
            setattr(task, f"{name}_acceleration", accelerations[i].tolist())
        times, coefficients = _pieces(ruckig, task, k)
        knots.append(start + times[1:])
        pieces.append(coefficients)
        start += float(times[-1])
    law = Pieces(np.concatenate(knots), np.concatenate(pieces, axis=1))
    _, *corners, end = law.knots.tolist()
    return Motion(law=law, dof=n, end=end, kind="jerk-limited", corners=tuple(corners))


def _pieces(ruckig: Any, task: Any, k: int) -> tuple[Floats, Floats]:
    """Return the times at which any joint's jerk changes, and the cubic polynomials between them."""
    found = ruckig.Trajectory(task.degrees_of_freedom)
    try:
        result = ruckig.Ruckig(task.degrees_of_freedom).calculate(task, found)
    except ruckig.RuckigError as error:
        reason = str(error).replace("[ruckig]", "").strip()
        raise ProgramError(
            f"from point {k + 1} to point {k + 2} there is no motion within the limits: {reason}"
        ) from None
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise ProgramError(f"from point {k + 1} to point {k + 2} there is no motion within the limits ({result.name})")
    T = float(found.duration)
    every = [np.array([0.0, T])]
    for profile in (own for section in found.profiles for own in section):
        parts = [*profile.brake.t, *profile.t, *profile.accel.t]
        every.append(np.cumsum(parts))
    times = np.unique(np.clip(np.concatenate(every), 0.0, T))
    times = np.concatenate([times[:-1][np.diff(times) > SAME * T], [T]])
    q, qd, qdd = (np.array(x) for x in zip(*(found.at_time(float(t)) for t in times), strict=True))
    rise = np.diff(qdd, axis=0) / np.diff(times)[:, None]
    return times, np.stack([q[:-1], qd[:-1], qdd[:-1] / 2.0, rise / 6.0])


def _ruckig() -> Any:
    try:
        import ruckig
    except ImportError:
        raise ProgramError('kind="jerk-limited" needs ruckig: pip install "tauforge[trajectory]"') from None
    return ruckig
