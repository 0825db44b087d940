"""What a robot costs that comes as URDF: no more than its description made by hand."""

import numpy as np
import pytest

import tauforge as tf
from tests.interpret import interpret
from tests.random_robots import random_state
from tests.robot.test_reframe import disturbed, with_numbers


@pytest.mark.parametrize("name", ["puma560", "rx90", "ur5", "kuka_lwr", "panda", "stanford"])
def test_as_few_operations_as_by_hand(name, tmp_path):
    by_hand = with_numbers(tf.robots.bundled(name)).neglect("IA")
    path = tmp_path / "arm.urdf"
    disturbed(by_hand, 1).save(path)
    arm = tf.load(path)
    for parameters in ("standard", "base"):
        ours, theirs = (tf.inverse_dynamics(x, parameters=parameters).count().total for x in (arm, by_hand))
        assert ours <= 1.01 * theirs
    state = random_state(by_hand, 3)
    efforts = [interpret(tf.inverse_dynamics(x), *state) for x in (arm, by_hand)]
    np.testing.assert_allclose(*efforts, rtol=1e-9, atol=1e-9)
