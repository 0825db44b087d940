"""What is compiled in place of a model: the same with base parameters, where the robot is numbers."""

import pickle

import numpy as np
import pytest

import tauforge as tf
from tests.random_robots import random_robot, random_state


@pytest.mark.parametrize("seed", range(6))
def test_a_robot_in_numbers_is_compiled_with_base_parameters(seed):
    robot = random_robot(seed, largest=6)
    q, qd, qdd = random_state(robot, seed)
    for program, state in (
        (tf.inverse_dynamics(robot), (q, qd, qdd)),
        (tf.direct_dynamics(robot), (q, qd, qdd)),
        (tf.inverse_dynamics(robot).derivative("tau", "q"), (q, qd, qdd)),
        (tf.inertia_matrix(robot), (q,)),
    ):
        lean, plain = program.compile(), program.compile(lean=False)
        assert lean.program is program
        assert program.lean().count().total <= program.count().total
        np.testing.assert_array_equal(lean(*state), program.lean().compile()(*state))
        np.testing.assert_array_equal(lean(*state), pickle.loads(pickle.dumps(lean))(*state))
        assert lean.__name__ == plain.__name__
        np.testing.assert_allclose(lean(*state), plain(*state), rtol=1e-7, atol=1e-9)


def test_a_symbolic_robot_keeps_its_parameters():
    program = tf.inverse_dynamics(tf.robots.rx90(symbolic=True))
    assert program.lean() is None
    assert program.compile().inputs["parameters"]
