"""Limits hold between samples: at many times of their own, and as tightly as polynomials and torques can be bounded."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.simulation.motion.peaks import POINTS, Cells, ceiling

from ...random_robots import random_robot, seeds

PUMA = tf.robots.puma560()


def parts(motion, robot=None, velocity=np.inf, acceleration=np.inf, torque=np.inf, count=100_001):
    """Return the largest part of each kind of limit, at many times, on both sides of corners, and near what was found
    to be largest.
    """
    corners = np.array(motion.corners)
    t = np.unique(np.concatenate([motion.grid(count), corners, np.nextafter(corners, motion.start)]))
    largest = np.zeros(3)
    for _ in range(2):
        _, qd, qdd = motion(t)
        found = [np.abs(qd) / velocity, np.abs(qdd) / acceleration]
        if robot is not None:
            found.append(np.abs(tf.required_torques(robot, motion, t=t).tau) / torque)
        largest[: len(found)] = np.maximum(largest[: len(found)], [x.max() for x in found])
        best = [int(x.max(axis=1).argmax()) for x in found]
        sides = [(t[max(k - 1, 0)], t[min(k + 1, len(t) - 1)]) for k in best]
        t = np.unique(np.concatenate([np.linspace(*side, 2001) for side in sides]))
    return largest


def test_many_similar_peaks():
    noise = np.random.default_rng(9).normal(0, 0.01, (120, 2))
    points = np.tile([[0, 0], [1, 0.5], [0.3, 1]], (40, 1)) + noise
    found = tf.motion(points, np.arange(120.0), kind="quintic").scaled(velocity=2)
    assert 1.0 - 1e-6 < parts(found, velocity=2.0, count=1_000_001)[0] <= 1.0 + 1e-9


def test_time_optimal_through_many_points():
    points = np.random.default_rng(0).uniform(-1, 1, (200, 3))
    found = tf.motion(points, kind="time-optimal", velocity=2.0, acceleration=5.0)
    assert 1.0 - 1e-6 < parts(found, velocity=2.0, acceleration=5.0, count=400_001).max() <= 1.0 + 1e-9


KINDS = ["spline", "quintic spline", "cubic", "quintic", "trapezoidal", "stops", "time-optimal", "fourier", "function"]


@pytest.mark.parametrize("kind", KINDS)
@seeds(quick=2, all=40)
def test_velocities_and_accelerations(kind, seed):
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(1, 7)), int(rng.integers(2, 60))
    points = rng.uniform(-2, 2, (count, n))
    if seed % 2:
        points = np.tile(points[:2], (count, 1)) + rng.normal(0, 0.01, (2 * count, n))
    times = np.cumsum(rng.uniform(0.2, 2.0, len(points)))
    most = {"velocity": rng.uniform(0.1, 5.0, n), "acceleration": rng.uniform(0.1, 20.0, n)}
    motions = {
        "quintic spline": lambda: tf.motion(points, times, degree=5),
        "stops": lambda: tf.motion(points, times, kind="trapezoidal", stop=True),
        "time-optimal": lambda: tf.motion(points, kind="time-optimal", **most),
        "fourier": lambda: tf.fourier_motion(*rng.normal(size=(2, n, 12)), 10.0, duration=30.0),
        "function": lambda: tf.motion([f"sin({x}*t)*cos(t*t/9)" for x in rng.uniform(1, 9, n)], 12.0),
    }
    motion = motions[kind]() if kind in motions else tf.motion(points, times, kind=kind)
    fast = motion if kind == "time-optimal" else motion.scaled(**most)
    assert 1.0 - 1e-7 < parts(fast, **most).max() <= 1.0 + 1e-9


@pytest.mark.parametrize("kind", ["spline", "quintic", "trapezoidal", "time-optimal"])
@seeds(quick=2, all=40)
def test_torques(kind, seed):
    """Of random robots, with friction that jumps, fades and grows with speed."""
    rng = np.random.default_rng(seed)
    robot = random_robot(seed, fixed=False, equipped=True, largest=5)
    if seed % 2:
        friction = {"FB": float(rng.uniform(0, 3)), "VB": float(rng.uniform(0.05, 0.5))}
        robot = replace(robot, joints=tuple(replace(joint, **friction) for joint in robot.joints))
    points = rng.uniform(-2, 2, (int(rng.integers(2, 20)), robot.dof))
    motion = tf.motion(points, np.arange(float(len(points))), kind="spline" if kind == "time-optimal" else kind)
    still = tf.required_torques(robot, motion.stretched(1e6)).peak
    torque = still * rng.uniform(1.05, 2.0) + 0.1
    try:
        if kind == "time-optimal":
            fast = tf.motion(points, kind=kind, robot=robot, velocity=5.0, torque=torque)
            assert parts(fast, robot, velocity=5.0, torque=torque, count=50_001).max() <= 1.0 + 1e-9
            return
        fast = motion.scaled(robot, torque=torque)
    except tf.ProgramError as error:
        assert "no shortest time" in str(error) or "the drives cannot" in str(error)  # noqa: PT017
        return
    assert parts(fast, robot, torque=torque, count=50_001)[2] <= 1.0 + 1e-9
    when = float(fast.limited_by.split("t = ")[1].split(" ")[0])
    near = np.unique(np.clip(when + 1e-3 * np.linspace(-1, 1, 20_001) * fast.duration, fast.start, fast.end))
    assert (np.abs(tf.required_torques(robot, fast, t=near).tau) / torque).max() > 1.0 - 1e-4


def test_a_puma_through_thirty_points():
    torque = np.array([60.0, 90.0, 50.0, 10.0, 10.0, 10.0])
    points = np.random.default_rng(1).uniform(-1, 1, (30, 6))
    for found in (
        tf.motion(points, np.arange(30.0), kind="quintic").scaled(PUMA, torque=torque),
        tf.motion(points, kind="time-optimal", robot=PUMA, torque=torque),
    ):
        assert 0.99 < parts(found, PUMA, torque=torque, count=20_001)[2] <= 1.0 + 1e-9


def test_closed_loops():
    robot = tf.robots.fivebar()
    start = tf.close_loops(robot)
    q = start[[robot.coordinate_names.index(name) for name in robot.independent]]
    motion = tf.motion(q + np.array([[0, 0], [0.1, 0.2], [-0.1, -0.1], [0.2, 0.0]]), [0.0, 1.0, 2.0, 3.0])
    fast = motion.scaled(robot, torque=20.0, guess=start)
    tau = tf.required_torques(robot, fast, t=fast.grid(20_001), guess=start).tau
    assert 1.0 - 1e-6 < np.abs(tau).max() / 20.0 <= 1.0 + 1e-9


def test_very_slow_and_very_late():
    """Speeds change by factors of millions, and times are rounded to a quarter of a microsecond."""
    points = np.random.default_rng(2).uniform(-1, 1, (20, 3))
    slow = tf.motion(points, np.arange(20.0) * 1e7).scaled(velocity=2.0, acceleration=5.0)
    assert 1.0 - 1e-6 < parts(slow, velocity=2.0, acceleration=5.0).max() <= 1.0 + 1e-9
    late = tf.motion(points, 1.7e9 + np.arange(20.0)).scaled(velocity=2.0, acceleration=5.0)
    assert late.duration == pytest.approx(slow.duration, rel=1e-8)
    heavy = tf.motion(np.hstack([points, points]), np.arange(20.0) * 1e7).scaled(PUMA, torque=80.0)
    assert 1.0 - 1e-6 < parts(heavy, PUMA, torque=80.0)[2] <= 1.0 + 1e-9


def test_noise_ends():
    """Differences of a function that is not smooth are noise that no cell resolves."""
    random = np.random.default_rng(3)
    noisy = tf.motion(lambda t: [np.sin(3.0 * t) + 1e-9 * random.normal()], 10.0)
    assert noisy.scaled(velocity=2.0).duration == pytest.approx(15.0, rel=1e-2)


def test_bounds_of_cells():
    """No polynomial of degree 5 exceeds its bound; functions that are not such polynomials have an error."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        c = rng.normal(size=6)
        cells, gaps = Cells(np.zeros(1), np.ones(1)), []
        for _ in range(4):
            found = ceiling(np.polyval(c, cells.times)[..., None])
            assert found.error.max() < 1e-13 * np.abs(c).sum()
            dense = np.abs(np.polyval(c, cells.start + (cells.end - cells.start) * np.linspace(0, 1, 2001)[:, None]))
            gaps.append((found.value[:, 0] - dense.max(axis=0)).min())
            assert gaps[-1] > -1e-12 * np.abs(c).sum()
            cells = cells.halved()
    step = np.where(POINTS > 0.3, 1.0, -1.0)[None, :, None]
    assert ceiling(step).error > 0.1
