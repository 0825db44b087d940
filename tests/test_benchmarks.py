"""The benchmarks still run; what they measure is no matter of tests."""

from benchmarks.startup import best, sympy_cse

import tauforge as tf


def test_sympy_takes_the_same_recursion():
    robot = tf.robots.planar2r(symbolic=True)
    milliseconds, operations = sympy_cse(robot)
    assert milliseconds > 0
    assert operations > 20
    assert best(lambda: tf.inverse_dynamics(robot), rounds=1) > 0
