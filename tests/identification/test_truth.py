"""Robots whose parameters are known, simulated in closed loop and measured as real ones: the truth is identified.

A joint near rest sticks, so samples below 0.05 rad/s do not count.
"""

import numpy as np
import pytest

import tauforge as tf

from .motions import links
from .simulated import CASES, case, controller_of, poorly_measured, true_values

OPTIONS = {"friction": ("FV", "FS"), "rest": 0.05}


def deviations(truth, result):
    """Return how far the estimates are from the truth, in standard errors."""
    return (result.values - true_values(truth, result.names)) / result.errors


def test_a_small_robot_is_identified():
    found = case("planar2r", 0)
    learnt, held_out = found.recordings
    result = tf.identify(found.known, learnt, **OPTIONS)
    assert np.abs(deviations(found.truth, result)).max() < 3.5
    size = np.abs(true_values(found.truth, result.names))
    assert (result.errors < 0.1 * size.max()).all()  # errors that are not so large that anything fits
    possible = tf.identify(found.known, learnt, **OPTIONS, consistent=True)
    assert possible.validate(held_out).overall < 1.02 * result.validate(held_out).overall


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["puma560", "panda", "a1"])
def test_base_parameters_are_within_three_standard_errors(robot):
    every, worse = [], []
    for name, seed in CASES:
        if name != robot:
            continue
        found = case(name, seed)
        learnt, held_out = found.recordings
        result = tf.identify(found.known, learnt, **OPTIONS)
        own = deviations(found.truth, result)
        every.append(own)
        before = result.validate(held_out).overall
        assert before < 0.03, (name, seed)
        possible = tf.identify(found.known, learnt, **OPTIONS, consistent=True)
        assert all(np.linalg.eigvalsh(P)[0] > 0.0 for P in links(possible.robot) if np.any(P)), (name, seed)
        worse.append(possible.validate(held_out).overall / before)
        print(name, seed, len(own), f"{np.sqrt(np.mean(own**2)):.2f}", np.sum(np.abs(own) > 3.0), f"{worse[-1]:.4f}")
    together = np.concatenate(every)
    assert np.mean(np.abs(together) <= 3.0) >= 0.99
    assert 0.8 < np.sqrt(np.mean(together**2)) < 1.2  # neither too small nor too large
    assert max(worse) <= 1.02


@pytest.mark.slow
def test_instruments_and_simulation_remove_the_bias_of_noise():
    spread, name = {}, "puma560"
    for method in ("weighted", "iv", "didim"):
        every = []
        for seed in range(2):
            found = case(name, seed)
            recording = poorly_measured(found.recordings[0], seed)
            more = {} if method == "weighted" else {"controller": controller_of(name, 0)}
            result = tf.identify(found.known, recording, **OPTIONS, method=method, cutoff=60.0, **more)
            every.append(deviations(found.truth, result))
        spread[method] = np.abs(np.concatenate(every))
    print(name, {method: (f"{np.sqrt(np.mean(z**2)):.2f}", np.mean(z > 3.0)) for method, z in spread.items()})
    assert np.mean(spread["weighted"] > 3.0) > 0.03  # otherwise this tests nothing
    assert np.mean(spread["iv"] > 3.0) <= 0.01
    assert np.mean(spread["didim"] > 3.0) <= 0.01
