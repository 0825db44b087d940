"""Controllers: their laws, their code, and robots that follow them."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

ROBOT = tf.robots.planar2r()


def swing(t):
    """Return a motion with its derivatives."""
    s, c = np.sin(2.0 * t), np.cos(2.0 * t)
    return np.array([s, 0.5 * c]), np.array([2.0 * c, -s]), np.array([-4.0 * s, -2.0 * c])


def test_pd_and_pid_are_what_they_say():
    q, qd, integral = np.array([0.1, 0.2]), np.array([0.3, -0.4]), np.array([2.0, 3.0])
    wanted, speed, _ = swing(0.7)
    pd = tf.pd_control(ROBOT, [3.0, 4.0], 2.0, swing)
    np.testing.assert_allclose(pd(0.7, q, qd), [3.0, 4.0] * (wanted - q) + 2.0 * (speed - qd))
    pid = tf.pid_control(ROBOT, [3.0, 4.0], 5.0, 2.0, swing)
    np.testing.assert_allclose(pid(0.7, q, qd, integral), pd(0.7, q, qd) + 5.0 * integral)
    np.testing.assert_allclose(pid.outputs(0.7, q, qd)["integral_rate"], wanted - q)
    few = tf.pd_control(ROBOT, [3.0, 4.0], 2.0, swing, saturation=[0.5, np.inf])
    np.testing.assert_allclose(few(0.7, q, qd), np.clip(pd(0.7, q, qd), [-0.5, -np.inf], [0.5, np.inf]))


def test_computed_torque_follows_exactly():
    """The error obeys ë + kd ė + kp e = 0: here it is damped critically, from a known start."""
    q, qd, _ = swing(0.0)
    control = tf.computed_torque(ROBOT, 25.0, 10.0, swing)
    t = np.linspace(0.0, 2.0, 21)
    found = tf.simulate(ROBOT, t, controller=control, q0=q + 0.1, qd0=qd, rtol=1e-10, atol=1e-12)
    error = np.array([swing(x)[0] for x in t]) - found.q
    np.testing.assert_allclose(error, (-0.1 * (1.0 + 5.0 * t) * np.exp(-5.0 * t))[:, None] * [1.0, 1.0], atol=1e-8)
    inverse = tf.inverse_dynamics(ROBOT).compile()
    np.testing.assert_allclose(found.tau, inverse(found.q, found.qd, found.qdd), atol=1e-9)


def test_gravity_compensation_holds_the_robot():
    still = tf.simulate(ROBOT, [0.0, 2.0], controller=tf.gravity_compensation(ROBOT), q0=[0.3, 0.4])
    np.testing.assert_allclose(still.q[-1], [0.3, 0.4], atol=1e-10)
    damped = tf.gravity_compensation(ROBOT, kd=5.0)
    slowed = tf.simulate(ROBOT, [0.0, 20.0], controller=damped, qd0=[1.0, 1.0])
    assert np.abs(slowed.qd[-1]).max() < 1e-3 < np.abs(slowed.q[-1]).max()
    moved = tf.simulate(
        ROBOT, [0.0, 20.0], controller=tf.gravity_compensation(ROBOT, 20.0, 10.0, [0.5, -0.5]), q0=[0.0, 0.0]
    )
    np.testing.assert_allclose(moved.q[-1], [0.5, -0.5], atol=1e-6)


def test_an_integral_removes_what_gravity_leaves():
    pd, pid = tf.pd_control(ROBOT, 50.0, 10.0, [0.5, 0.5]), tf.pid_control(ROBOT, 50.0, 50.0, 10.0, [0.5, 0.5])
    left = [
        np.abs(tf.simulate(ROBOT, [0.0, 12.0], controller=c, method="BDF", rtol=1e-6).q[-1] - 0.5).max()
        for c in (pd, pid)
    ]
    assert left[0] > 1e-2
    assert left[1] < 1e-3
    sampled = tf.simulate(ROBOT, [0.0, 0.5], controller=pid, rate=400.0, rtol=1e-5)
    exact = tf.simulate(ROBOT, [0.0, 0.5], controller=pid)
    assert 1e-6 < np.abs(sampled.q[-1] - exact.q[-1]).max() < 0.02


def test_samples_approach_the_controller_between_them():
    control = tf.pd_control(ROBOT, 20.0, 3.0, swing)
    t = np.linspace(0.0, 0.5, 6)
    exact = tf.simulate(ROBOT, t, controller=control)
    errors = [np.abs(tf.simulate(ROBOT, t, controller=control, rate=rate).q - exact.q).max() for rate in (200.0, 400.0)]
    assert 1.8 < errors[0] / errors[1] < 2.2


def test_saturation_bounds_any_torque():
    found = tf.simulate(ROBOT, np.linspace(0.0, 1.0, 50), lambda t, q, qd: [100.0 * np.sin(9 * t), t], saturation=3.0)
    assert found.tau[:, 0].max() == pytest.approx(3.0)
    assert found.tau[:, 0].min() == pytest.approx(-3.0)
    np.testing.assert_allclose(found.tau[:, 1], found.t, atol=1e-15)


def test_a_loop_and_a_floating_base():
    robot = tf.robots.fourbar()
    control = tf.computed_torque(robot, 100.0, 20.0, [1.2])
    found = tf.simulate(robot, np.linspace(0.0, 2.0, 9), controller=control, q0=[1.0])
    np.testing.assert_allclose(found.q[-1, 0], 1.2, atol=1e-6)
    assert found.residual.max() < 1e-8
    body = tf.Body(name="body", inertia=tf.Inertia(XX=1.0, YY=2.0, ZZ=1.5, M=2.0))
    free = replace(ROBOT.with_base("floating", body), gravity=(0.0, 0.0, 0.0))
    posture = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.4, -0.3]
    found = tf.simulate(free, [0.0, 20.0], controller=tf.pd_control(free, 20.0, 10.0, posture))
    np.testing.assert_array_equal(found.tau[:, :6], 0.0)
    np.testing.assert_allclose(found.q[-1, 7:], [0.4, -0.3], atol=1e-4)


def test_they_are_programs():
    control = tf.computed_torque(ROBOT, 25.0, 10.0, swing)
    assert "void law(" in control.code("c", "law")
    q, qd = np.array([0.1, 0.2]), np.array([0.3, 0.4])
    np.testing.assert_array_equal(control.compile()(q, qd, *(swing(0.2)[k] for k in (2, 0, 1))), control(0.2, q, qd))
    assert (
        repr(control) == "Controller(planar2r_computed_torque: q[2], qd[2], qdd_ref[2], q_ref[2], qd_ref[2] -> tau[2])"
    )


def test_a_program_of_ones_own():
    """A spring, from the expressions of its torques."""
    q = tf.gravity(ROBOT).arguments["q"]
    tau = replace(q, nodes=tuple(-5.0 * node for node in q.nodes))
    spring = tf.Program("spring", {"q": q}, {"tau": tau})
    t = np.linspace(0.0, 1.0, 5)
    found = tf.simulate(ROBOT, t, controller=spring)
    np.testing.assert_allclose(found.q, tf.simulate(ROBOT, t, lambda t, q, qd: -5.0 * q).q, atol=1e-7)


def test_the_only_output_of_a_program_is_the_torque():
    """As in a rollout: gravity held by its own model, so that nothing moves."""
    found = tf.simulate(ROBOT, [0.0, 1.0], controller=tf.gravity(ROBOT), q0=[0.3, 0.4])
    np.testing.assert_allclose(found.q[1], [0.3, 0.4], atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tf.pd_control(ROBOT, [1.0, 2.0, 3.0], 1.0, [0, 0]), r"kp has shape \[3\]; give one number, or 2"),
        (lambda: tf.pd_control(ROBOT, 1.0, np.nan, [0, 0]), "kd has entries that are not finite"),
        (lambda: tf.pd_control(ROBOT, 1.0, 1.0, [0, 0, 0]), r"the reference has shape \[3\]"),
        (lambda: tf.pd_control(ROBOT, 1.0, 1.0, None), "give it a reference"),
        (lambda: tf.pd_control(ROBOT, 1.0, 1.0, [0, 0], saturation=-1.0), "not negative"),
        (lambda: tf.pd_control(ROBOT, 1.0, 1.0, lambda t: [0, 0])(0.0, [0, 0], [0, 0]), r"gives q_ref of shape \[\]"),
        (lambda: tf.pd_control(ROBOT, 1.0, 1.0, lambda t: 0.0)(0.0, [0, 0], [0, 0]), "tuple of q_ref, qd_ref"),
        (lambda: tf.gravity_compensation(ROBOT, kp=1.0), "kp needs a reference"),
        (lambda: tf.computed_torque(ROBOT.with_base("floating"), 1.0, 1.0, [0] * 9), "none on base"),
        (lambda: tf.Controller(tf.inverse_dynamics(ROBOT)), "takes qdd; a controller is a Program from"),
        (lambda: tf.Controller(tf.inertia_matrix(ROBOT)), "has no output tau"),
        (lambda: tf.pd_control(ROBOT, 1.0, 1.0, [0, np.nan]), "the reference has entries that are not finite"),
        (lambda: tf.pd_control(ROBOT, 1.0, 1.0, ["a", 0]), "the reference must be an array of numbers"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(tf.ProgramError, match=message):
        make()


def test_a_controller_of_another_robot_is_refused():
    with pytest.raises(tf.ProgramError, match=r"takes q\[2\], but the robot has q\[4\]"):
        tf.simulate(tf.robots.scara(), [0.0, 1.0], controller=tf.pd_control(ROBOT, 1.0, 1.0, [0.0, 0.0]))
