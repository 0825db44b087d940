"""The torques that a motion requires: the inverse problem over many samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ...errors import ProgramError
from ...models.coordinates import INDEPENDENT
from ...models.loops.motors import MOTORS, motor_speeds
from ...robot.kinds.on_axes import PARTS
from ...robot.robot import Robot
from ..motion.checks import check_joints, numbers, rising
from ..motion.motion import Motion, Samples
from .drives import Drives
from .result import RequiredTorques

SAMPLES = 1001
"""Samples of a motion by default; those next to its ends and corners come on top."""


def required_torques(
    robot: Robot,
    trajectory: Motion | Sequence[ArrayLike] | Mapping[str, ArrayLike] | Any,
    *,
    dt: float | None = None,
    t: ArrayLike | None = None,
    payload: float | Mapping[str, Any] | None = None,
    wrench: Any = None,
    guess: ArrayLike | None = None,
    efforts: str = INDEPENDENT,
) -> RequiredTorques:
    """Return the torques along a motion, with what one needs to choose a drive: peaks, RMS, power and energy.

    Parameters
    ----------
    robot
        The robot, without symbols.
    trajectory
        A Motion, or samples: ``(t, q, qd, qdd)``, a mapping with these names, or an object that has them. With closed
        loops, q is that of the independent joints, and the others follow from sample to sample; or that of all joints,
        with the loops closed.
    dt, t
        Where to sample a Motion; by default at 1001 times, and next to its ends and to the times at which its
        acceleration jumps, on both sides.
    payload
        The mass of a load at the only tip of the robot, or ``dict(mass=…, com=…, inertia=…, at=…)`` as for
        ``Robot.payload``.
    wrench
        What links exert on their surroundings, in their own frames and at their origins: a mapping from a link's name
        to force and moment (6), one for each sample (m, 6), or a function of time; or those of all links, (links, 6) or
        (m, links, 6).
    guess
        With closed loops, coordinates of all joints near the first sample.
    efforts
        "motors" for what ``robot.motors`` must do instead of the independent joints: their torques, those of least norm
        if there is a choice, and their speeds and power. Motors that cannot cause every motion are refused.

    Examples
    --------
    >>> swing = tf.motion([[0.0, 0.0], [1.0, 0.5]], 2.0)
    >>> tf.required_torques(tf.robots.planar2r(), swing).peak
    """
    drives = Drives(robot, payload, wrench, guess, efforts=efforts)
    if isinstance(trajectory, Motion):
        samples = _sampled(robot, trajectory, dt, t)
    elif dt is not None or t is not None:
        raise ProgramError("dt and t are for a Motion; samples have their own times")
    else:
        samples = _given(robot, trajectory)
    q = samples.q
    if robot.loops:
        if q.shape[1] == len(robot.coordinate_names) != robot.dof:
            drives.check_closed(q)
        else:
            q = drives.closed(samples.t, q)
    tau = drives.torques(samples.t, q, samples.qd, samples.qdd)
    speeds = motor_speeds(robot).compile()(q, samples.qd) if efforts == MOTORS else samples.qd
    return RequiredTorques(
        robot.name,
        samples.t,
        q,
        samples.qd,
        samples.qdd,
        tau,
        speeds,
        drives.names,
        robot.velocity_names,
        robot.coordinate_names,
        _units(robot, drives.names),
    )


def _sampled(robot: Robot, motion: Motion, dt: float | None, t: ArrayLike | None) -> Samples:
    check_joints(robot, motion.dof)
    if dt is None and t is None:
        t = motion.grid(SAMPLES)
    return motion.sample(dt, t=t)


def _given(robot: Robot, trajectory: Any) -> Samples:
    """Return samples as arrays of fitting shapes."""
    if isinstance(trajectory, Mapping):
        found = [trajectory.get(name) for name in Samples._fields]
    elif all(hasattr(trajectory, name) for name in Samples._fields):
        found = [getattr(trajectory, name) for name in Samples._fields]
    elif isinstance(trajectory, Sequence) and len(trajectory) == len(Samples._fields):
        found = list(trajectory)
    else:
        found = [None]
    if any(x is None for x in found):
        raise ProgramError("trajectory: give a Motion, or samples as (t, q, qd, qdd), with all four of them")
    t = rising("t", found[0])
    q, qd, qdd = (numbers(name, x) for name, x in zip(Samples._fields[1:], found[1:], strict=True))
    rates, coordinates = len(robot.velocity_names), len(robot.coordinate_names)
    for name, x, counts in (
        ("q", q, (coordinates, rates) if robot.loops else (coordinates,)),
        ("qd", qd, (rates,)),
        ("qdd", qdd, (rates,)),
    ):
        if x.shape not in [(len(t), count) for count in counts]:
            wanted = " or ".join(str((len(t), count)) for count in dict.fromkeys(counts))
            raise ProgramError(f"{name} has the shape {x.shape}; {robot.name} with {len(t)} times needs {wanted}")
    return Samples(t, q, qd, qdd)


def _units(robot: Robot, names: Sequence[str]) -> tuple[str, ...]:
    """Return the unit of each torque or force; that of a tendon or coupled motor depends on what its numbers mean."""
    own = {}
    for joint in robot.expanded().joints:
        for part in joint.axes:
            linear = part in PARTS[:3]
            own[joint.name + part] = joint.kind.units[1] if len(joint.axes) == 1 else "N" if linear else "N m"
    return tuple(own.get(name, "") for name in names)
