"""``exciting_trajectory``: the motion within limits that tells most about a robot's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import IdentificationError
from ...models.registry import check_robot
from ...robot.robot import Robot
from ...simulation.motion.checks import bounds, check_joints, numbers, positive
from ...sweeps.sweep import sweep
from ..threads import one_thread_each
from .clearance import clearances
from .information import Information, columns_to_excite, condition, noise_of
from .limits import MotionLimits, limits_of
from .problem import Grid, Problem
from .result import ExcitingTrajectory
from .search import FINER, PER_HARMONIC, STAGES, search
from .series import Series

Floats = NDArray[np.float64]
FEWEST, MOST = 3, 100
"""Harmonics that a series can have; with fewer than three, rest at both ends leaves too little freedom."""
FASTEST, USUAL = 2.0, (5, 20)
"""Frequency in Hz up to which a series has harmonics by default, and the range of their number."""
TURNING = 0.02
"""Part of a joint's speed over which the sign of Coulomb friction turns during the search."""


def exciting_trajectory(
    robot: Robot,
    duration: float,
    limits: Mapping[str, Any] | None = None,
    *,
    harmonics: int | None = None,
    start: ArrayLike | None = None,
    criterion: str = "condition",
    friction: Sequence[str] | None = None,
    rotors: bool | None = None,
    scale: str | ArrayLike | None = None,
    noise: ArrayLike | None = None,
    apart: Any = (),
    starts: int = 6,
    seed: int = 0,
    workers: Any = "threads",
    jobs: int | None = None,
) -> ExcitingTrajectory:
    """Return a motion from which a robot's parameters can be identified well. It needs the extra "identify".

    The motion is a Fourier series over one period, with velocities and accelerations that are zero at both ends. Its
    coefficients are optimised with exact gradients, from several random starts.

    Parameters
    ----------
    robot
        A robot on a fixed base, without closed loops. Its inertial parameters can be symbols if torques have no limits.
    duration
        How long it takes, in seconds; the base frequency is its inverse.
    limits
        ``{"position": (lower, upper), "velocity": …, "acceleration": …, "torque": …}``, one number for all joints or
        one each, inf for none. Those that are not given are those of the robot's description.
    harmonics
        How many multiples of the base frequency; by default those up to 2 Hz, but from 5 to 20. More of them excite
        better, but also what is elastic in a robot.
    start
        Coordinates at both ends, by default free.
    criterion
        "condition", the condition number of the base regressor; of motions in nearly the same condition, the one with
        the larger determinant. Or "determinant", that of the information matrix (D-optimality), which gives the
        smallest errors on the whole and does not depend on units.
    friction, rotors
        Terms of friction to identify, such as ("FV", "FS"), and whether to identify rotor inertias, as for
        ``identify``; by default those that some joint has.
    scale
        The units of the parameters, which a condition number depends on: None for SI units; "limits" to divide each
        column by its root mean square over states within the limits; or a factor for each column.
    noise
        Standard deviation of each joint's measured torque, by which its rows are divided; one for all by default.
    apart
        What to keep apart: pairs of ``tf.Capsule`` around links; Programs of q, or functions that map coordinates
        (samples, n) to clearances, which must not be negative.
    starts, seed
        From how many random motions to search, and what makes them reproducible.
    workers, jobs
        Who searches, as for ``tf.sweep``.

    Examples
    --------
    >>> tf.exciting_trajectory(tf.robots.puma560(), 10.0, {"position": (-2.0, 2.0), "velocity": 2.0})
    """
    period = positive("duration", duration)
    harmonics = int(np.clip(FASTEST * period, *USUAL)) if harmonics is None else harmonics
    _check(robot, harmonics, criterion, starts)
    own = limits_of(robot, limits)
    check_joints(robot, len(robot.velocity_names))
    speeds = own.speeds(2.0 * np.pi / period)
    series = Series(period, harmonics, 0.3 * speeds, _start(robot, start, own))
    width = TURNING * float(speeds.min())
    information = Information(
        columns_to_excite(robot, friction, rotors), noise_of(noise, len(robot.velocity_names)), width
    )
    problem = Problem(robot, information, own, clearances(robot, apart), _scale(scale, information, own), width)
    runs = _searched(problem, series, criterion, range(starts), seed=seed, workers=workers, jobs=jobs)
    return _best(runs, problem, series, criterion)


def _searched(problem: Problem, series: Series, criterion: str, starts: Sequence[int], **how: Any) -> Any:
    """Return what was found from each start."""

    def found(number: int, rng: np.random.Generator) -> dict[str, Any]:
        x = search(problem, series, criterion, rng)
        return {"x": x, "value": measured(problem, series, criterion, x)}

    with one_thread_each():
        return sweep(found, {"number": starts}, batch=1, **how)


def measured(problem: Problem, series: Series, criterion: str, x: Floats) -> float:
    """Return what searches are compared by; inf if a motion keeps no limits."""
    if not np.isfinite(x).all():
        return float("inf")
    matrix = sampled_matrix(problem, series, x)
    if criterion == "condition":
        return condition(matrix)
    return -float(np.linalg.slogdet(matrix)[1])


def sampled_matrix(problem: Problem, series: Series, x: Floats) -> Floats:
    """Return the information matrix per sample, with the true sign of Coulomb friction."""
    grid, cols = Grid(series, FINER * PER_HARMONIC * series.harmonics), problem.information.columns
    W = cols.dense(cols.by_torque(*grid.states(x))) / problem.information.noise[:, None] * problem.scale
    return problem.measured(W)


def _best(runs: Any, problem: Problem, series: Series, criterion: str) -> ExcitingTrajectory:
    if failures := runs.errors:
        raise IdentificationError(f"{problem.robot.name}: the search failed: {failures[0].error}")
    values, every = np.asarray(runs.data["value"]), np.asarray(runs.data["x"])
    order = np.argsort(values, kind="stable")
    if not np.isfinite(values[order[0]]):
        raise IdentificationError(
            f"{problem.robot.name}: no motion was found that keeps the limits, however small; check that the robot can "
            "rest in its range without exceeding torques or clearances, or give another start"
        )
    x = every[order[0]]
    matrix = sampled_matrix(problem, series, x)
    reached = tuple(condition(sampled_matrix(problem, series, every[k])) for k in order if np.isfinite(values[k]))
    return ExcitingTrajectory(
        robot=problem.robot,
        motion=series.motion(x),
        names=problem.information.columns.names,
        condition=condition(matrix),
        determinant=float(np.linalg.slogdet(matrix)[1]) / len(matrix),
        criterion=criterion,
        limits=problem.limits,
        conditions=reached,
    )


def _check(robot: Robot, harmonics: int, criterion: str, starts: int) -> None:
    check_robot(robot)
    if robot.loops:
        raise IdentificationError(
            f"{robot.name} has closed loops, whose other joints would have to follow during the search; excite its "
            "tree, robot.tree(), within limits that keep the loops closed, or follow a motion of your own"
        )
    if robot.expanded() is not robot and len(robot.expanded().joints) != len(robot.joints):
        raise IdentificationError(
            f"{robot.name} has a floating base, whose motion cannot be prescribed; hold the base, as in "
            "robot.with_base('fixed'), and excite the joints"
        )
    for name, value, least, most in (("harmonics", harmonics, FEWEST, MOST), ("starts", starts, 1, 10_000)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not least <= value <= most:
            raise IdentificationError(f"{name} is {value!r}; it must be a whole number from {least} to {most}")
    if criterion not in STAGES:
        raise IdentificationError(f"criterion is {criterion!r}; choose among {', '.join(map(repr, STAGES))}")


def _start(robot: Robot, given: ArrayLike | None, limits: MotionLimits) -> Floats | None:
    if given is None:
        return None
    found, names = numbers("start", given), robot.velocity_names
    if found.shape != (len(names),):
        raise IdentificationError(f"start: {robot.name} has {len(names)} joints, not shape {found.shape}")
    if not ((found > limits.lower) & (found < limits.upper)).all():
        k = int(np.argmin((found > limits.lower) & (found < limits.upper)))
        raise IdentificationError(
            f"start: {names[k]} is at {found[k]:g}, which is not inside its range from {limits.lower[k]:g} to "
            f"{limits.upper[k]:g}"
        )
    return found


def _scale(given: str | ArrayLike | None, information: Information, limits: MotionLimits) -> Floats:
    if given is None:
        return np.ones(information.count)
    if isinstance(given, str):
        if given != "limits":
            raise IdentificationError(f"scale is {given!r}; give 'limits', one factor for each column, or None for SI")
        return np.asarray(1.0 / information.sizes(limits))
    return bounds("scale", given, information.count)
