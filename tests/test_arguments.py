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
    "with_home": lambda x: BARS.with_home(x),
    "with_home of a joint": lambda x: BARS.with_home({"crank": x}),
    "with_coupling": lambda x: ROBOT.with_coupling(x),
    "Mimic": lambda x: tf.Mimic({"joint1": x}),
    "Mimic offset": lambda x: tf.Mimic({"joint1": 1.0}, offset=x),
    "Joint.at xyz": lambda x: tf.Joint.at("joint", on="base", xyz=(0.0, x, 0.0)),
    "with_frame rpy": lambda x: ROBOT.with_frame("tool", on="base", rpy=(0.0, x, 0.0)),
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
    "with_coupling joints": lambda x: ROBOT.with_coupling([1.0, 2.0], joints=x),
    "with_coupling names": lambda x: ROBOT.with_coupling([1.0, 2.0], names=[x, "motor"]),
    "with_coupling list of names": lambda x: ROBOT.with_coupling([1.0, 2.0], names=x),
    "Joint.at name": lambda x: tf.Robot(name="r", joints=(tf.Joint.at(x, on="base"),), bodies=(tf.Body(name="b"),)),
    "with_frame name": lambda x: ROBOT.with_frame(x, on="base"),
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


@pytest.mark.parametrize(
    ("take", "message"),
    [
        (lambda: tf.Mimic({"a": 1.0}, ratio=2.0), "ratio=2.0 belongs to joint=…"),
        (
            lambda: tf.simulate(BARS, 0.1, through="inertia", coordinates="independent"),
            "through='inertia' and coordinates='independent' exclude each other",
        ),
        (lambda: tf.simulate(BARS, 0.1, qd0=[1.0, 2.0, 3.0], coordinates="independent"), "qd0 opens the loops"),
        (
            lambda: tf.rollout(
                BARS, tf.close_loops(BARS), [1.0, 2.0, 3.0], None, 1e-3, steps=3, coordinates="independent"
            ),
            "qd0 opens the loops",
        ),
        (
            lambda: tf.direct_dynamics(BARS, formulation="waters", coordinates="all", multipliers=True),
            "coordinates='all' is for formulation='newton-euler'",
        ),
        (lambda: tf.direct_dynamics(BARS, formulation="waters", multipliers=True), "multipliers are those of closed"),
    ],
)
def test_nothing_that_is_given_is_ignored(take, message):
    with pytest.raises(tf.TauforgeError, match=message):
        take()


@pytest.mark.parametrize("model", [tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix, tf.bias])
def test_classical_formulations_have_independent_coordinates(model):
    with pytest.raises(tf.ProgramError, match="coordinates='all' is for formulation='newton-euler'"):
        model(BARS, formulation="waters", coordinates="all")
