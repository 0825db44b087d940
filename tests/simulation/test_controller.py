"""Controllers as Programs: compiled into the step, they give the torques that the same Programs give from Python."""

import numpy as np
import pytest

import tauforge as tf

from .test_rollout import Loop, batch, close, joined

ROBOT = tf.robots.planar2r()


def entries(name):
    return [tf.symbol(f"{name}[{i}]") for i in range(2)]


def pd(gain=20.0):
    """Return a controller of entries of q and qd, and of its own inputs."""
    pairs = zip(entries("q"), entries("qd"), ("goal1", "goal2"), strict=True)
    return tf.Program.of("pd", tau=[gain * (tf.symbol(goal) - q) - 2.0 * v for q, v, goal in pairs])


@pytest.mark.parametrize("method", ["semi-implicit", "rk4"])
def test_equals_the_controller_in_python(method):
    q, qd, _ = batch(ROBOT, 5)
    goals = np.random.default_rng(0).normal(size=(2, 5))
    result = tf.rollout(
        ROBOT,
        q,
        qd,
        pd(),
        1e-2,
        steps=30,
        method=method,
        inputs={"goal1": goals[0][:, None], "goal2": goals[1][:, None]},
    )
    expected = Loop(ROBOT).run(method, q, qd, None, 1e-2, 30, lambda q, v, t: 20.0 * (goals.T - q) - 2.0 * v)
    close(joined(result), expected, 1e-12)


@pytest.mark.parametrize("method", ["semi-implicit", "rk4"])
def test_time_is_that_of_the_stage(method):
    controller = tf.Program.of("wave", tau=["sin(40*t)", "t*dt"])
    q, qd, _ = batch(ROBOT, 3)
    result = tf.rollout(ROBOT, q, qd, controller, 1e-2, steps=25, method=method)

    def torques(q, v, t):
        return np.tile([np.sin(40 * t), t * 1e-2], (3, 1))

    close(joined(result), Loop(ROBOT).run(method, q, qd, None, 1e-2, 25, torques), 1e-12)


def test_gravity_alone_holds_a_robot_at_rest():
    robot = tf.robots.puma560()
    q, _, _ = batch(robot, 4)
    result = tf.rollout(robot, q, np.zeros(6), tf.gravity(robot), 1e-3, steps=100, every=None)
    close(result.q, q, 1e-9)
    assert np.abs(tf.rollout(robot, q, np.zeros(6), None, 1e-3, steps=100, every=None).q - q).max() > 1e-3


def test_held_torques_are_those_at_the_beginning_of_the_step():
    q, qd, _ = batch(ROBOT, 3)
    inputs = {"goal1": 0.5, "goal2": -0.5}
    held = tf.rollout(ROBOT, q, qd, pd(), 1e-2, steps=10, method="rk4", inputs=inputs, hold=True)
    now, by_hand = (q, qd), []
    for _ in range(10):
        tau = 20.0 * (np.array([0.5, -0.5]) - now[0]) - 2.0 * now[1]
        last = tf.rollout(ROBOT, *now, tau[:, None], 1e-2, steps=1, method="rk4", every=None)
        now = last.q, last.qd
        by_hand.append(joined(last))
    close(joined(held), np.stack(by_hand, axis=1), 1e-12)
    free = tf.rollout(ROBOT, q, qd, pd(), 1e-2, steps=10, method="rk4", inputs=inputs)
    assert np.abs(free.q - held.q).max() > 1e-4


def test_a_reference_for_each_step():
    q, qd, _ = batch(ROBOT, 3)
    goals = np.random.default_rng(2).normal(size=(2, 3, 8))
    whole = tf.rollout(ROBOT, q, qd, pd(), 1e-2, inputs={"goal1": goals[0], "goal2": goals[1]})
    now = q, qd
    for k in range(8):
        given = {"goal1": goals[0, :, k, None], "goal2": goals[1, :, k, None]}
        last = tf.rollout(ROBOT, *now, pd(), 1e-2, steps=1, inputs=given, every=None)
        now = last.q, last.qd
    assert np.array_equal(whole.q[:, -1], last.q)


@pytest.mark.parametrize("method", ["semi-implicit", "rk4"])
def test_an_integral_starts_at_zero_and_is_integrated_with_the_state(method):
    kept = tf.Program.of("ramp", tau=["integral", "2*integral"], integral_rate="3.0")
    by_time = tf.Program.of("ramp", tau=["3*t", "6*t"])
    q, qd, _ = batch(ROBOT, 3)
    results = [tf.rollout(ROBOT, q, qd, program, 1e-2, steps=30, method=method) for program in (kept, by_time)]
    close(*map(joined, results), 1e-12)
    follows = tf.Program.of("pi", tau=[-3.0 * tf.symbol("integral"), 0.0], integral_rate=tf.symbol("qd[0]"))
    own = tf.Program.of("p", tau=[-3.0 * (tf.symbol("q[0]") - tf.symbol("start")), 0.0])
    fine = [
        tf.rollout(ROBOT, q, qd, program, 1e-3, steps=300, method="rk4", inputs=inputs)
        for program, inputs in ((follows, {}), (own, {"start": q[:, :1]}))
    ]
    close(*map(joined, fine), 1e-9)


@pytest.mark.parametrize(
    ("controller", "inputs", "message"),
    [
        (tf.Program.of(tau=["1"]), {}, r"output tau\[1\]; .* takes 2 torques"),
        (tf.Program.of(a=["1", "2"], b="3"), {}, "its torques must be called tau"),
        (pd(), {"goal1": 1.0}, "takes goal2"),
        (pd(), {"goal1": 1.0, "goal2": 2.0, "goal3": 1.0}, "has no input goal3"),
        (pd(), {"goal1": "high", "goal2": 2.0}, "goal1 must be an array of real numbers"),
        (pd(), {"goal1": [1.0] * 4, "goal2": [1.0] * 3}, "goal2 is given for 3 steps, but there are 4"),
        (pd(), {"goal1": np.nan, "goal2": 1.0}, r"goal1\[0\] is nan"),
        (tf.gravity(tf.robots.puma560()), {}, "takes 2 torques"),
        (tf.Program.of(tau=[tf.symbol("q[5]"), 1.0]), {}, r"has the input q\[5\]"),
        (tf.Program.of(tau=[tf.symbol("counter"), 1.0]), {"counter": 1}, "rename it"),
    ],
)
def test_controllers_that_do_not_fit(controller, inputs, message):
    steps = None if isinstance(inputs.get("goal1"), list) else 4
    with pytest.raises(tf.ProgramError, match=message):
        tf.rollout(ROBOT, np.zeros(2), np.zeros(2), controller, 1e-2, inputs=inputs, steps=steps)
