"""Consistent parameters of robots simulated in closed loop, with the noise of real sensors."""

import numpy as np
import pytest

import tauforge as tf
from tests.identification.test_possible import links

pytest.importorskip("clarabel")
pytest.importorskip("pinocchio")
CASES = [(name, seed) for name in ("puma560", "panda", "anymal") for seed in range(8)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), CASES)
def test_simulated_robots_are_possible_and_predicted_as_well(name, seed):
    from tests.identification.simulated import case

    known = case(name, seed)
    learn, other = known.recordings
    free = tf.identify(known.known, learn)
    result = free.made_consistent()
    assert all(np.linalg.eigvalsh(P)[0] > 0.0 for P in links(result.robot) if np.any(P))
    assert result.validate(other).overall <= 1.02 * free.validate(other).overall
