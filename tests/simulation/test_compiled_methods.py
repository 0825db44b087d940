"""Methods that are compiled with the model: their order, and their agreement with SciPy's."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.papers.wolinski import DAMPING as C
from tauforge.papers.wolinski import STIFFNESS as K
from tauforge.robot.joint import Limits
from tauforge.simulation.tableaus import COMPILED, tableau

from ..random_loops import random_mechanism
from ..random_robots import random_robot, random_state, seeds
from .test_published import PAPER

STIFF = tuple(name for name in COMPILED if not tableau(name).is_explicit)


def rates(t, y):
    return np.array([y[1] * np.cos(t), 0.3 * np.sin(3.0 * t) * y[1] ** 2 - y[0], y[0] * y[1]])


def slopes(t, y):
    return np.array([[0.0, np.cos(t), 0.0], [-1.0, 0.6 * np.sin(3.0 * t) * y[1], 0.0], [y[1], y[0], 0.0]])


def rates_by_t(t, y):
    return np.array([-y[1] * np.sin(t), 0.9 * np.cos(3.0 * t) * y[1] ** 2, 0.0])


def step(rule, t, y, h):
    """Return the state after a step as the tableau says it, the estimated error, and the interpolant."""
    W, u = np.linalg.inv(np.eye(3) - h * rule.gamma * slopes(t, y)), np.zeros((len(rule.c), 3))
    for i in range(len(rule.c)):
        f = rates(t + rule.c[i] * h, y + rule.A[i] @ u)
        if rule.is_explicit:
            u[i] = h * f
        else:
            u[i] = W @ (rule.gamma * (h * f + rule.C[i] @ u + rule.d[i] * h * h * rates_by_t(t, y)))
    own = u[: rule.stages]
    return y + rule.m @ own, rule.error @ own, lambda x: y + rule.P @ x ** np.arange(1.0, rule.P.shape[1] + 1) @ u


@pytest.mark.parametrize("method", COMPILED)
def test_the_numbers_of_a_method(method):
    """The error of a step, of its interpolant, and its estimate shrink with the powers of the step that they should."""
    rule, t, y = tableau(method), 0.3, np.array([1.0, 0.5, 0.2])
    # by steps so short that they are exact, from the Taylor series of a method of the order 8
    exact = tableau("DOP8")

    def truth(length):
        now = y
        for k in range(40):
            now = step(exact, t + k * length / 40, now, length / 40)[0]
        return now

    found = []
    for h in (0.4, 0.2):
        after, error, between = step(rule, t, y, h)
        inside = max(np.abs(between(x) - truth(x * h)).max() for x in (0.3, 0.7))
        found.append((np.abs(after - truth(h)).max(), np.abs(error).max(), inside))
        np.testing.assert_allclose(between(1.0), after, atol=1e-13)
    orders = np.log2(np.array(found[0]) / np.array(found[1]))
    assert orders[0] > rule.order + 0.5
    assert orders[1] > 3.4
    assert orders[2] > {8: 7.0, 5: 4.4, 4: 3.4}[rule.order]


@pytest.mark.parametrize("method", COMPILED)
@pytest.mark.parametrize("floating", [False, True])
@seeds(1, 5)
def test_the_order_of_convergence(seed, floating, method):
    """With tolerances that accept everything, the step is max_step."""
    robot = random_robot(seed, largest=3, several=True, fixed=False, floating=floating)
    q0, qd0, _ = random_state(robot, seed)
    h = {8: 0.02, 5: 0.005, 4: 0.004}[tableau(method).order]
    t, qd0 = [0.0, 32 * h], 0.5 * np.array(qd0)
    exact = tf.simulate(robot, t, q0=q0, qd0=qd0, rtol=1e-13, atol=1e-14)
    errors = []
    for length in (h, 0.5 * h):
        found = tf.simulate(robot, t, q0=q0, qd0=qd0, method=method, rtol=0.9, atol=1e6, max_step=length)
        errors.append(np.abs(found.qd[-1] - exact.qd[-1]).max() + np.abs(found.q[-1] - exact.q[-1]).max())
    size = 1.0 + np.abs(exact.qd).max()
    assert errors[1] < 1e-2 * size
    assert errors[1] < 2e-12 * size or np.log2(errors[0] / errors[1]) > tableau(method).order - 0.6


def close(robot, found, exact, error):
    size = 1.0 + np.abs(exact.q).max(), 1.0 + np.abs(exact.qd).max()
    np.testing.assert_allclose(found.q, exact.q, atol=error * size[0])
    np.testing.assert_allclose(found.qd, exact.qd, atol=error * size[1])
    np.testing.assert_allclose(found.tau, exact.tau, atol=error * (1.0 + np.abs(exact.tau).max()))
    np.testing.assert_allclose(found.total, exact.total, atol=error * (1.0 + np.abs(exact.total).max()))


@pytest.mark.parametrize("method", COMPILED)
@seeds(2, 8)
def test_agreement_on_random_trees(seed, method):
    """Any joints, every second robot on a floating base, with friction and springs."""
    robot = random_robot(seed, largest=4, several=True, fixed=False, floating=bool(seed % 2), equipped=True)
    q0, qd0, tau = random_state(robot, seed)
    given = {"torque": 0.1 * np.array(tau), "q0": q0, "qd0": 0.3 * np.array(qd0), "smoothing": 0.1}
    t = np.linspace(0.0, 0.05, 6)
    exact = tf.simulate(robot, t, **given, method="LSODA", rtol=1e-12, atol=1e-12)
    found = tf.simulate(robot, t, **given, method=method, rtol=1e-9, atol=1e-9)
    close(robot, found, exact, 2e-6)
    assert found.evaluations >= found.steps
    assert (found.jacobians > 0) == (method in STIFF)


@pytest.mark.parametrize("method", COMPILED)
@seeds(1, 6)
def test_agreement_on_random_loops(seed, method):
    robot, q0 = random_mechanism(seed, planar=bool(seed % 2))
    t = np.linspace(0.0, 0.05, 6)
    exact = tf.simulate(robot, t, q0=q0, rtol=1e-11, atol=1e-12)
    found = tf.simulate(robot, t, q0=q0, method=method, rtol=1e-9, atol=1e-10)
    close(robot, found, exact, 1e-6)
    assert found.residual.max() < 1e-10
    assert found.residual_rate.max() < 1e-8


ARM = tf.robots.planar2r()


@pytest.mark.parametrize("method", COMPILED)
def test_torques_that_are_sampled(method):
    t = np.linspace(0.0, 0.5, 26)
    tau = np.random.default_rng(0).uniform(-1.0, 1.0, (26, 2))
    exact = tf.simulate(ARM, t, tau, rtol=1e-11, atol=1e-12)
    close(ARM, tf.simulate(ARM, t, tau, method=method, rtol=1e-9, saturation=100.0), exact, 1e-7)


REFERENCES = {
    "rest": [0.3, -0.2],
    "pieces": tf.motion([[0.0, 0.0], [0.4, -0.3], [0.1, 0.2]], [0.1, 0.3, 0.45]),
    "expressions": tf.motion(["sin(3*t)", "t**2"], [0.0, 0.4]),
    "fourier": tf.fourier_motion([[0.1, 0.2], [0.3, 0.0]], [[0.1, 0.0], [0.1, 0.1]], 1.0),
    "stretched": tf.motion(["sin(3*t)", "t**2"], [0.1, 0.4]).stretched(0.35),
}


@pytest.mark.parametrize("kind", REFERENCES)
def test_controllers_that_follow_a_motion(kind):
    """Integral of a PID, computed torque; the reference ends before the simulation."""
    t = np.linspace(0.0, 0.62, 14)
    for control in (
        tf.pid_control(ARM, 20.0, 5.0, 4.0, REFERENCES[kind]),
        tf.computed_torque(ARM, 100.0, 20.0, REFERENCES[kind], saturation=50.0),
    ):
        exact = tf.simulate(ARM, t, controller=control, rtol=1e-10, atol=1e-12, max_step=0.005)
        for method in ("DOP8", "Rodas5P"):
            found = tf.simulate(ARM, t, controller=control, method=method, rtol=1e-9, atol=1e-10)
            close(ARM, found, exact, 3e-6)


def test_a_constant_wrench():
    wrenches = [[0.5, 0.0, 0.0, 0.0, 0.0, 0.1], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]
    t = [0.0, 0.2, 0.5]
    exact = tf.simulate(ARM, t, [0.2, 0.1], wrenches=wrenches, rtol=1e-11)
    for method in COMPILED:
        close(ARM, tf.simulate(ARM, t, [0.2, 0.1], wrenches=wrenches, method=method, rtol=1e-9), exact, 1e-7)


@pytest.mark.parametrize("method", COMPILED)
def test_results_at_the_steps(method):
    found = tf.simulate(ARM, 3.0, q0=[0.3, 0.2], method=method, rtol=1e-7)
    assert len(found) == found.steps + 1
    assert found.t[0] == 0.0
    assert found.t[-1] == 3.0
    assert (np.diff(found.t) > 0.0).all()
    exact = tf.simulate(ARM, found.t, q0=[0.3, 0.2], rtol=1e-10)
    close(ARM, found, exact, 1e-4)


@pytest.mark.parametrize("method", COMPILED)
def test_events_and_sampled_controllers(method):
    def falls(t, q, qd):
        return q[0] + 0.5

    falls.terminal = True
    t = np.linspace(0.0, 2.0, 41)
    exact = tf.simulate(ARM, t, rtol=1e-10, events=falls)
    found = tf.simulate(ARM, t, rtol=1e-9, method=method, events=falls)
    assert found.status == "event"
    assert found.events[0].t == pytest.approx(exact.events[0].t, abs=1e-8)
    close(ARM, found, exact, 1e-7)

    def control(t, q, qd):
        return -5.0 * q - 0.5 * qd

    exact = tf.simulate(ARM, [0.0, 0.25, 0.5], controller=control, rate=50.0, rtol=1e-10)
    found = tf.simulate(ARM, [0.0, 0.25, 0.5], controller=control, rate=50.0, rtol=1e-9, method=method)
    close(ARM, found, exact, 1e-7)


@pytest.mark.parametrize("method", STIFF)
def test_friction_that_sticks_and_end_stops(method):
    """A joint that swings against its limit, with bristles of friction."""
    joint = replace(ARM.joints[0], FS=0.5, limits=Limits(lower=-1.0, upper=1.0))
    robot = replace(ARM, joints=(joint, *ARM.joints[1:]))
    given = {"q0": [0.2, 0.0], "stiction": 1.2, "stops": True}
    t = np.linspace(0.0, 0.6, 13)
    exact = tf.simulate(robot, t, **given, method="Radau", rtol=1e-9, atol=1e-10)
    found = tf.simulate(robot, t, **given, method=method, rtol=1e-8, atol=1e-9)
    assert exact.q[:, 0].min() < -1.0
    np.testing.assert_allclose(found.q, exact.q, atol=1e-5)


@pytest.mark.parametrize("smoothing", [1e-4, 1e-6])
@pytest.mark.parametrize("method", [*STIFF, "Radau"])
def test_smoothed_friction_that_holds(method, smoothing):
    """At tolerances far wider than the velocity at which friction fades, a joint at rest is held in few steps."""
    joints = tuple(replace(joint, FS=15.0) for joint in ARM.joints)
    rotor = tf.Robot(
        name="rotor",
        joints=(tf.Joint(name="turn", antecedent=0, FS=1.0),),
        bodies=(tf.Body(name="disc", inertia=tf.Inertia(ZZ=1.0)),),
        gravity=(0.0, 0.0, 0.0),
    )
    for robot, q0, qd0 in (
        (rotor, [0.5], [2.97]),
        (rotor, [0.0], [0.035]),
        (replace(ARM, joints=joints), [0.09, -1.49], [0.0, 0.0]),
        (replace(ARM, joints=joints), [0.7, -1.0], [0.3, -0.4]),
    ):
        given = {"q0": q0, "qd0": qd0, "smoothing": smoothing}
        exact = tf.simulate(robot, [0.0, 20.0], **given, method="BDF", rtol=1e-8, atol=1e-10)
        for tolerance in (1e-2, 1e-3, 1e-4, 1e-5):
            found = tf.simulate(robot, [0.0, 20.0], **given, method=method, rtol=tolerance, atol=tolerance)
            assert found.steps < 130
            np.testing.assert_allclose(found.q[-1], exact.q[-1], atol=10.0 * tolerance)


def test_the_lwr():
    """Both stiff methods keep the error of 5e-6 rad at a tolerance of 1e-6; Rodas4 needs fewer evaluations than the
    published 1924 and 993.
    """
    robot, w = tf.robots.kuka_lwr(), np.pi / 7.0
    control = tf.pd_control(robot, K, C, tf.motion([f"{np.pi / 2.0}*cos({w}*t)"] * 7, [0.0, 14.0]))
    t = np.linspace(0.0, 14.0, 141)

    def run(method, tolerance):
        how = {"method": method, "rtol": tolerance, "atol": tolerance}
        return tf.simulate(robot, t, controller=control, q0=np.full(7, np.pi / 2.0), **how)

    exact = run("Rodas5P", 1e-10)
    for method in STIFF:
        assert np.abs(run(method, 1e-6).q - exact.q).max() < 2e-6
    for tolerance, count in PAPER.items():
        assert run("Rodas4", tolerance).evaluations < count


@pytest.mark.parametrize("path", [[[0.0, 0.0], [1.0, 0.5]], ["sin(t)", "t"]], ids=["points", "expressions"])
def test_a_reference_at_its_end(path):
    """At the very end, the torques are those of the way there; beyond it, those of rest."""
    robot, motion = tf.robots.planar2r(), tf.motion(path, 1.0)
    law = tf.computed_torque(robot, 100.0, 20.0, motion)
    start, t = motion(0.0), np.linspace(0.0, 1.5, 16)
    for times in (t, t[:11]):
        found, exact = (
            tf.simulate(robot, times, controller=law, q0=start.q, qd0=start.qd, method=method, rtol=1e-9)
            for method in ("DOP8", "DOP853")
        )
        np.testing.assert_allclose(found.tau, exact.tau, atol=1e-6)
        assert np.abs(np.diff(found.tau[9:11], axis=0)).max() < 0.2 * np.abs(found.tau).max()
