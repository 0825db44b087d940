"""Standard errors against the spread of estimates over many noises, where directions differ widely in how well the data
determine them.
"""

import numpy as np
import pytest

import tauforge as tf
from tauforge.identification.noise import combined, long_run

from .known import filled, fourier, truth

RUNS = 60


@pytest.fixture(scope="module")
def fourbar():
    """Return a four-bar with friction and a motion of it: its regressor is nearly singular, as those of loops are."""
    robot = filled(tf.robots.fourbar())
    t = np.arange(2000) / 200.0
    crank, qd, qdd = fourier(1, t, 2, amplitude=0.06)
    start = tf.close_loops(robot, None)
    q = tf.close_loops(robot, crank - crank[0] + start[0], guess=np.broadcast_to(start, (len(t), 3)))
    return robot, (t, q, tf.inverse_dynamics(robot).compile()(q, qd, qdd), qd, qdd)


@pytest.mark.parametrize(("method", "outliers"), [("weighted", 0.0), ("huber", 0.03)])
def test_errors_of_a_closed_loop_are_the_spread_of_its_estimates(fourbar, method, outliers):
    robot, (t, q, tau, qd, qdd) = fourbar
    values, errors = [], []
    for seed in range(RUNS):
        random = np.random.default_rng(seed)
        noise = 0.05 * tau.std() * random.normal(size=tau.shape)
        noise[random.random(tau.shape) < outliers] *= 15.0
        recording = tf.Recording(t, q, tau + noise, qd, qdd)
        result = tf.identify(robot, recording, friction=("FV", "FS"), cutoff=None, method=method)
        values.append(result.values)
        errors.append(result.errors)
    known = np.isfinite(errors).all(axis=0)
    ratio = np.sqrt(np.mean(np.square(errors), axis=0))[known] / np.std(values, axis=0, ddof=1)[known]
    assert known.sum() >= 14
    assert ratio.min() > 0.75
    assert ratio.max() < 1.3


def test_no_direction_of_the_scores_is_lost_beside_a_larger_one():
    random = np.random.default_rng(0)
    scores = random.normal(size=(4000, 2))
    mixed = scores @ np.array([[1.0, 1.0], [1e-5, -1e-5]])
    covariance = combined(long_run(mixed, 3))
    back = np.linalg.inv(np.array([[1.0, 1.0], [1e-5, -1e-5]]))
    assert np.diag(back.T @ covariance @ back) == pytest.approx([4000.0, 4000.0], rel=0.2)


def test_errors_of_huber_are_those_of_the_samples_that_it_uses():
    robot = filled(tf.robots.planar2r())
    t = np.arange(2000) / 200.0
    q, qd, qdd = fourier(2, t, 2)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    names, values, errors = (), [], []
    for seed in range(RUNS):
        random = np.random.default_rng(seed)
        noise = 0.1 * random.normal(size=tau.shape)
        noise[random.random(tau.shape) < 0.05] *= 30.0
        recording = tf.Recording(t, q, tau + noise, qd, qdd)
        result = tf.identify(robot, recording, friction=("FV", "FS", "FO"), cutoff=None, decimate=1, method="huber")
        names = result.names
        values.append(result.values)
        errors.append(result.errors)
    ratio = np.sqrt(np.mean(np.square(errors), axis=0)) / np.std(values, axis=0, ddof=1)
    assert ratio.min() > 0.7
    assert ratio.max() < 1.3
    covered = np.abs(np.array(values) - truth(robot, names)) < 1.96 * np.array(errors)
    assert 0.9 < covered.mean() < 0.98
