"""Arguments of the wrong type, and numbers that no float holds, are refused in our words."""

import numpy as np
import pytest

import tauforge as tf

ROBOT, BARS = tf.robots.planar2r(), tf.robots.fourbar()
PROGRAM = tf.gravity(ROBOT)
PD = tf.pd_control(ROBOT, 1.0, 1.0, np.zeros(2))
PATH = [[0.0, 0.0], [1.0, 1.0]]
MOTION = tf.motion(PATH, [0.0, 1.0])
LARGE = 10**400  # float(…) raises OverflowError

NUMBERS = {
    "simulate t": lambda x: tf.simulate(ROBOT, x),
    "simulate torque": lambda x: tf.simulate(ROBOT, 0.1, torque=x),
    "simulate q0": lambda x: tf.simulate(BARS, 0.1, q0=x),
    "simulate rtol": lambda x: tf.simulate(ROBOT, 0.1, rtol=x),
    "simulate atol": lambda x: tf.simulate(ROBOT, 0.1, atol=x),
    "simulate max_step": lambda x: tf.simulate(ROBOT, 0.1, max_step=x),
    "simulate saturation": lambda x: tf.simulate(ROBOT, 0.1, saturation=x),
    "simulate rate": lambda x: tf.simulate(ROBOT, 0.1, controller=PD, rate=x),
    "rollout dt": lambda x: tf.rollout(ROBOT, [0, 0], [0, 0], None, x, steps=3),
    "motion path": lambda x: tf.motion(x, [0.0, 1.0]),
    "motion times": lambda x: tf.motion(PATH, x),
    "scaled": lambda x: MOTION.scaled(velocity=x),
    "pd_control": lambda x: tf.pd_control(ROBOT, x, 1.0, np.zeros(2)),
    "close_loops": lambda x: tf.close_loops(BARS, x),
    "Recording": lambda x: tf.Recording(np.arange(9.0), x, np.zeros((9, 2))),
    "inverse_geometry": lambda x: tf.inverse_geometry(tf.robots.puma560())(x),
    "compiled": lambda x: PROGRAM.compile()(x),
}
OTHERS = {
    "code": lambda x: PROGRAM.code(x),
    "code name": lambda x: PROGRAM.code("c", name=x),
    "fuse": lambda x: tf.fuse(PROGRAM, x),
    "certify": lambda x: PROGRAM.certify(x),
    "derivative": lambda x: PROGRAM.derivative(x, "q"),
    "motion kind": lambda x: tf.motion(PATH, [0.0, 1.0], kind=x),
    "rollout inputs": lambda x: tf.rollout(ROBOT, [0, 0], [0, 0], None, 1e-3, steps=3, inputs=x),
}


@pytest.mark.parametrize(
    "given", ["a", [1, [2]], {"a": 1}, b"x", object(), LARGE, -LARGE, 2 + 3j], ids=lambda x: type(x).__name__
)
@pytest.mark.parametrize("take", NUMBERS.values(), ids=NUMBERS)
def test_what_are_no_numbers(take, given):
    with pytest.raises(tf.TauforgeError):
        take(given)


@pytest.mark.parametrize("given", [3, ["c"], [[]], object(), b"x", 2 + 3j], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("take", OTHERS.values(), ids=OTHERS)
def test_other_types(take, given):
    with pytest.raises(tf.TauforgeError):
        take(given)


def test_more_than_the_memory_holds():
    with pytest.raises(tf.ProgramError, match=r"do not fit into memory; keep fewer with every="):
        tf.rollout(ROBOT, [0, 0], [0, 0], None, 1e-3, steps=10**15)
