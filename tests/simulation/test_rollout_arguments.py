"""Rollouts refuse what does not fit, and say what would."""

import numpy as np
import pytest

import tauforge as tf
from tests.random_loops import random_mechanism

ROBOT = tf.robots.planar2r()
GOOD = {"q0": np.zeros((3, 2)), "qd0": np.zeros(2), "tau": np.zeros((4, 2)), "dt": 1e-3}
NAN = np.array([[0.0, 0.0], [0.0, np.nan], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"q0": NAN}, r"q0\[1, 1\] is nan"),
        ({"qd0": [np.inf, 0.0]}, r"qd0\[0\] is inf"),
        ({"tau": np.tile([[0.0, np.nan]], (4, 1))}, r"tau\[0, 1\] is nan"),
        ({"q0": np.zeros(3)}, r"q0 has the shape \(3,\); it must be \(\.\.\., 2\)"),
        ({"qd0": 1.0}, r"qd0 has the shape \(\)"),
        ({"q0": ["a", "b"]}, "q0 must be an array of real numbers"),
        ({"q0": np.zeros((3, 2), complex)}, "q0 must be an array of real numbers"),
        ({"tau": np.zeros((4, 3))}, r"tau has the shape \(4, 3\); it must be \(2\) for all steps"),
        ({"tau": 0.0}, r"tau has the shape \(\)"),
        ({"tau": np.zeros((5, 4, 2))}, r"do not broadcast together: q0 \(3,\), qd0 \(\), tau \(5,\)"),
        ({"tau": np.zeros(2)}, "how many steps"),
        ({"steps": 5}, "tau is given for 4 steps, but there are 5"),
        ({"steps": -1}, "steps is -1"),
        ({"steps": 4.0}, r"steps is 4\.0"),
        ({"dt": 0.0}, "dt is 0; a time step must be positive"),
        ({"dt": -1e-3}, "dt is -0.001"),
        ({"dt": np.nan}, "dt is nan"),
        ({"dt": "fast"}, "dt is 'fast'"),
        ({"every": 3}, "every is 3, which does not divide 4 steps"),
        ({"every": 0}, "every is 0"),
        ({"method": "euler"}, "unknown method 'euler'"),
        ({"dtype": "int32"}, "float64 or float32"),
        ({"threads": 0}, "threads is 0"),
        ({"inputs": {"goal": 1.0}}, "no controller"),
        ({"out": np.zeros((3, 4, 2))}, r"shape \(3, 4, 4\)"),
        ({"out": np.zeros((3, 4, 8))[..., ::2]}, "in C order"),
        ({"robot": "puma560"}, "takes a Robot"),
        ({"robot": tf.robots.planar2r(symbolic=True)}, "has symbols"),
    ],
)
def test_what_does_not_fit(changed, message):
    tf.rollout(ROBOT, **GOOD)
    with pytest.raises(tf.ProgramError, match=message):
        tf.rollout(**{"robot": ROBOT, **GOOD, **changed})


def test_quaternions_at_the_start():
    robot = ROBOT.with_base("floating", body=tf.Body(name="trunk", inertia=tf.Inertia(XX=1, YY=1, ZZ=1, M=5)))
    q = np.array([0, 0, 0, 0, 0, 0, 1.0, 0.1, 0.2])
    exact = tf.rollout(robot, q, np.ones(8), None, 1e-3, steps=3)
    q[6] = 1.0 + 1e-5
    assert np.allclose(tf.rollout(robot, q, np.ones(8), None, 1e-3, steps=3).q, exact.q, rtol=1e-14)
    q[6] = 0.5
    with pytest.raises(tf.ProgramError, match=r"has the length 0\.5; it must be a unit quaternion"):
        tf.rollout(robot, q, np.ones(8), None, 1e-3, steps=3)


def test_open_loops_at_the_start():
    robot, q = random_mechanism(1, planar=True)
    with pytest.raises(tf.ProgramError, match=r"open by .*close_loops"):
        tf.rollout(robot, q + 0.1, np.zeros(len(robot.velocity_names)), None, 1e-3, steps=3)


def test_a_state_that_diverges_leaves_the_others_alone():
    fast = np.array([[0.0, 0.0], [1e200, 0.0], [0.1, 0.0]])
    result = tf.rollout(ROBOT, np.zeros(2), fast, None, 1.0, steps=50)
    assert not np.isfinite(result.q[1, -1]).all()
    alone = tf.rollout(ROBOT, np.zeros(2), fast[2], None, 1.0, steps=50)
    assert np.array_equal(result.q[2], alone.q, equal_nan=True)
