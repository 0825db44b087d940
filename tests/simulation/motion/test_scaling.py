"""Scaling to limits: met everywhere, reached somewhere, and as fast as can be."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Limits
from tauforge.simulation.motion.scaling import Rows, _largest

from ...random_robots import random_robot, seeds

LWR = tf.robots.kuka_lwr()
WAVE = tf.motion(["pi/2*cos(pi/7*t)"] * 7, 14.0)


def random_motion(robot, seed, kind="spline"):
    points = np.random.default_rng(seed).uniform(-1.5, 1.5, (4, robot.dof))
    return tf.motion(points, [0.0, 1.0, 2.5, 4.0], kind=kind)


def torques(robot, motion, rest=False):
    """Return torques without those at turning points, where rounding decides the sign of friction; with those at rest,
    where there is none, if asked.
    """
    t = motion.grid(20001)
    _, qd, _ = motion(t)
    turning = (np.abs(qd) < 1e-9 * np.abs(qd).max()) & ~(rest & (qd == 0.0))
    return np.where(turning, 0.0, np.abs(tf.required_torques(robot, motion, t=t).tau))


def test_velocity_and_acceleration():
    motion = tf.motion([[0.0, 0.0], [1.0, -2.0]], 5.0, kind="quintic")
    fast = motion.scaled(velocity=[3.0, 3.0])  # the largest velocity of this quintic is 15/8 of its mean
    assert fast.duration == pytest.approx(2.0 * 15.0 / 8.0 / 3.0, rel=1e-9)
    assert "velocity of joint 2" in fast.limited_by
    hard = motion.scaled(acceleration=[1.0, np.inf])
    assert hard.duration == pytest.approx(np.sqrt(10.0 / np.sqrt(3.0)), rel=1e-9)
    assert "acceleration of joint 1" in repr(hard)


@pytest.mark.parametrize("kind", ["spline", "cubic", "trapezoidal"])
@seeds(quick=2, all=40)
def test_torque_limits_are_met_and_tight(seed, kind):
    robot = random_robot(seed, fixed=False, equipped=True, largest=6)
    motion = random_motion(robot, seed, kind)
    still = torques(robot, motion.stretched(1e7))
    limits = 1.2 * still.max(axis=0) + 0.5
    try:
        fast = motion.scaled(robot, torque=limits)
    except tf.ProgramError as error:
        assert "no shortest time" in str(error)  # noqa: PT017 - no joint needs a torque to move
        return
    assert (torques(robot, fast) / limits).max() < 1.0 + 1e-7
    # not 1, as the largest torque is between samples where friction changes its sign
    assert (torques(robot, fast, rest=True) / limits).max() > 0.999
    assert (torques(robot, fast.stretched(0.995 * fast.duration), rest=True) / limits).max() > 1.0


def test_the_largest_speed_of_many_quadratics():
    rng = np.random.default_rng(0)
    grid = np.linspace(0.0, 8.0, 20_001)[1:]
    allowed = 0
    for _ in range(100):
        A, B, C = rng.normal(size=(3, 5, 1)) * [[[2.0]], [[1.0]], [[1.2]]]
        A[0] = 3.0
        rows = Rows(A, B, C, np.array([1.5]))
        feasible = np.flatnonzero((np.abs(A * grid**2 + B * grid + C) <= 1.5).all(axis=0))
        if len(feasible):
            allowed += 1
            assert _largest(rows, [""], np.arange(5.0)) == pytest.approx(grid[feasible[-1]], abs=4.1e-4)
        else:
            with pytest.raises(tf.ProgramError, match="no speed keeps the limits"):
                _largest(rows, ["a"], np.arange(5.0))
    assert 25 < allowed < 95


def test_a_load_slows_down():
    free = WAVE.scaled(LWR, torque=90.0)
    loaded = WAVE.scaled(LWR, torque=90.0, payload=2.0)
    assert loaded.duration > 1.05 * free.duration
    assert tf.required_torques(LWR, loaded, payload=2.0, dt=1e-3).peak.max() == pytest.approx(90.0, rel=1e-5)


def test_limits_of_the_description():
    limits = [Limits(velocity=v, effort=e) for v, e in ((2.0, np.inf), (np.inf, 50.0))]
    joints = [replace(j, limits=x) for j, x in zip(LWR.joints, limits * 3 + limits[:1], strict=True)]
    robot = replace(LWR, joints=tuple(joints))
    assert WAVE.scaled(robot).limited_by.startswith("torque of joint2")
    assert WAVE.scaled(robot, torque=np.inf).limited_by.startswith("velocity of joint")
    none = replace(LWR, joints=(replace(LWR.joints[0], limits=Limits(velocity=0.0)), *LWR.joints[1:]))
    with pytest.raises(tf.ProgramError, match=r"velocity limit of joint 'joint1' is 0 .* give velocity="):
        WAVE.scaled(none)


def test_closed_loops():
    robot = tf.robots.fivebar()
    start = tf.close_loops(robot)
    q = start[[0, 2]]
    motion = tf.motion([q, np.add(q, [0.3, -0.2])], 2.0, kind="quintic")
    still = np.abs(tf.required_torques(robot, motion.stretched(1e4), guess=start).tau).max(axis=0)
    limits = 2.0 * still + 0.1
    fast = motion.scaled(robot, torque=limits, guess=start)
    peak = tf.required_torques(robot, fast, guess=start, dt=fast.duration / 5000).peak
    assert (peak / limits).max() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "no limits: give velocity"),
        ({"torque": 5.0}, "torques depend on the robot"),
        ({"robot": LWR}, "no limits"),
        ({"robot": "arm", "torque": 1.0}, "a model takes a Robot, not 'arm'"),
        (
            {"robot": LWR, "torque": 10.0},
            r"however slow the motion, the torque of joint2 reaches 42\.\d+ .* at most 10",
        ),
        ({"robot": LWR, "torque": [1.0, 2.0]}, "torque: give one limit for all joints, or 7"),
        ({"robot": LWR, "velocity": np.nan}, "a limit must be positive"),
        ({"robot": LWR, "velocity": 1.0, "load": 3.0}, "scaled does not take load"),
        ({"robot": tf.robots.planar2r(), "velocity": 1.0}, "the motion has 7 joints; planar2r has 2"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(tf.ProgramError, match=message):
        WAVE.scaled(**given)


def test_what_does_not_move_has_no_shortest_time():
    with pytest.raises(tf.ProgramError, match="the joints do not move"):
        tf.motion([[1.0], [1.0]], 1.0).scaled(velocity=1.0)
