"""Several recordings: each has its own delay and its own noise, and their order does not matter."""

import numpy as np
import pytest

import tauforge as tf

from .known import filled, recorded, truth

PLAIN = ("FV", "FS", "FO")


@pytest.fixture(scope="module")
def robot():
    return filled(tf.robots.planar2r())


def test_each_recording_has_its_own_delay(robot):
    first, second = recorded(robot, 6.0, rate=500.0), recorded(robot, 6.0, rate=100.0, seed=2)
    both = first.shifted(-0.01), second.shifted(-0.01)
    for pair in (both, both[::-1]):
        with pytest.warns(tf.RecordingWarning, match="lag behind the motion by"):
            result = tf.identify(robot, pair, friction=PLAIN)
        assert result.delays == pytest.approx([0.01, 0.01], abs=5e-4)
        assert [x.code for x in result.findings] == ["delay", "delay"]
    with pytest.warns(tf.RecordingWarning) as heard:
        result = tf.identify(robot, [first.shifted(-0.01), second.shifted(0.01)], friction=PLAIN)
    assert result.delays == pytest.approx([0.01, -0.01], abs=2e-3)
    assert {"lag behind" in str(x.message) for x in heard} == {True, False}


def test_a_noisy_recording_does_not_spoil_a_good_one(robot):
    good = recorded(robot, 6.0, noise=0.01)
    values, errors = {}, {}
    for noise in (0.01, 3.0):
        rough = recorded(robot, 6.0, noise=noise, seed=2)
        result = tf.identify(robot, [good, rough], friction=PLAIN)
        values[noise], errors[noise] = result.values, result.errors
    alone = tf.identify(robot, good, friction=PLAIN)
    true = truth(robot, alone.names)
    assert np.linalg.norm(errors[3.0]) < 1.3 * np.linalg.norm(alone.errors)
    assert np.linalg.norm(values[3.0] - true) < 2.0 * np.linalg.norm(alone.values - true) + 1e-3
    assert np.linalg.norm(errors[0.01]) < np.linalg.norm(errors[3.0])


def test_a_short_recording_does_not_count_by_what_it_is_followed(robot):
    long, short = recorded(robot, 6.0, noise=0.5), recorded(robot, 6.0, noise=0.5, seed=2)[:40]
    alone, both = (tf.identify(robot, x, friction=PLAIN) for x in (long, [long, short]))
    assert np.all(np.abs(both.values - alone.values) < 2.0 * alone.errors)


def test_the_order_of_recordings_does_not_matter(robot):
    recordings = [recorded(robot, 6.0, noise=noise, seed=seed) for seed, noise in ((1, 0.05), (2, 1.0), (3, 0.2))]
    one, other = (tf.identify(robot, x, friction=PLAIN) for x in (recordings, recordings[::-1]))
    assert np.all(np.abs(one.values - other.values) < 1e-6 * one.errors)
    assert other.errors == pytest.approx(one.errors, rel=1e-6)
    assert other.delays == pytest.approx(one.delays[::-1], rel=1e-6)
    threads = tf.identify(robot, recordings, friction=PLAIN, workers=2)
    assert np.all(np.abs(one.values - threads.values) < 1e-6 * one.errors)
