"""Simulations: energies, momenta, manifolds and closed loops are kept, and torques act when they should."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.simulation.options import IMPLICIT
from tauforge.simulation.options import SCIPY as METHODS
from tauforge.simulation.system import System

from ..random_robots import random_robot, random_state, seeds

BODY = tf.Body(name="body", inertia=tf.Inertia(XX=1.0, YY=2.0, ZZ=1.5, M=2.0))
SPIN = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0, -1.0]


def floating(gravity=(0.0, 0.0, 0.0)):
    return replace(tf.robots.planar2r().with_base("floating", BODY), gravity=gravity)


def drift(trajectory):
    return np.abs(trajectory.total - trajectory.total[0]).max() / trajectory.kinetic.max()


def pendulum(**joint):
    """Return a point mass of 1 kg on a rod of 1 m."""
    return tf.Robot(
        name="pendulum",
        joints=(tf.Joint(name="pivot", antecedent=0, **joint),),
        bodies=(tf.Body(name="bob", inertia=tf.Inertia(XX=0.0, YY=1.0, ZZ=1.0, MX=1.0, M=1.0)),),
        gravity=(9.81, 0.0, 0.0),
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_method_agrees_with_a_tight_one(method):
    robot, t = tf.robots.planar2r(), np.linspace(0.0, 1.0, 11)
    exact = tf.simulate(robot, t, [0.5, -0.2], q0=[0.5, 1.0], rtol=1e-12, atol=1e-12)
    found = tf.simulate(robot, t, [0.5, -0.2], q0=[0.5, 1.0], method=method, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.q, exact.q, atol=2e-5)
    np.testing.assert_allclose(found.qdd, exact.qdd, atol=5e-4)
    assert (found.jacobians > 0) == (method in ("Radau", "BDF"))
    assert found.evaluations > found.steps


@pytest.mark.parametrize("seconds", [5.0, pytest.param(100.0, marks=pytest.mark.slow)])
def test_a_double_pendulum_keeps_its_energy(seconds):
    t = np.linspace(0.0, seconds, 201)
    found = tf.simulate(tf.robots.planar2r(), t, q0=[0.5, 1.0], rtol=1e-10, atol=1e-10)
    assert np.ptp(found.kinetic) > 5.0
    assert drift(found) < 1e-7


@pytest.mark.parametrize("seconds", [5.0, pytest.param(100.0, marks=pytest.mark.slow)])
def test_a_floating_robot_keeps_momentum_energy_and_unit_quaternion(seconds):
    robot = floating()
    found = tf.simulate(robot, np.linspace(0.0, seconds, 51), qd0=SPIN, rtol=1e-10, atol=1e-10)
    momentum = tf.centroidal_momentum(robot).compile()(found.q, found.qd)
    assert np.abs(momentum - momentum[0]).max() < 1e-8
    assert np.ptp(found.q[:, 3:7], axis=0).min() > 0.1
    assert np.abs(np.linalg.norm(found.q[:, 3:7], axis=1) - 1.0).max() < 1e-15
    assert drift(found) < 1e-7


@pytest.mark.parametrize("method", ["DOP853", "BDF"])
@pytest.mark.parametrize("name", ["fourbar", "fivebar", "slider_crank"])
def test_loops_stay_closed_and_keep_their_energy(name, method):
    robot = tf.robots.bundled(name)
    q0 = tf.close_loops(robot, [0.9, 2.0] if name == "fivebar" else [1.0])
    found = tf.simulate(robot, np.linspace(0.0, 0.5, 21), q0=q0, method=method, rtol=1e-8, atol=1e-10)
    assert np.ptp(found.q, axis=0).min() > 0.01
    assert found.residual.max() < 1e-8
    assert found.residual_rate.max() < 1e-8
    assert drift(found) < 1e-6


@seeds(quick=2, all=30)
@pytest.mark.parametrize("method", ["DOP853", "BDF"])
def test_robots_of_any_kind_keep_their_energy(seed, method):
    """Joints of all kinds, springs, tendons and joints that follow others; at rest at the start, or moving."""
    robot = random_robot(seed, largest=3, several=True, floating=seed % 2 == 0, equipped=True).neglect("FV", "FS")
    if not robot.dof:
        pytest.skip("nothing moves")
    q, qd, _ = random_state(robot, seed)
    found = tf.simulate(robot, [0.0, 0.05, 0.1], q0=q, qd0=qd, method=method, rtol=1e-8, atol=1e-10)
    scale = found.kinetic.max() + np.ptp(found.potential)
    assert np.abs(found.total - found.total[0]).max() < 1e-5 * scale + 1e-9
    np.testing.assert_allclose(found.q[0], q, atol=1e-12)


@pytest.mark.slow
def test_rods_that_spin_between_ball_joints():
    """An axis of a ball joint can be independent, without a coordinate of its own."""
    robot = tf.robots.gough_stewart()
    found = tf.simulate(robot, [0.0, 0.05], rtol=1e-6, atol=1e-8)
    assert found.residual.max() < 1e-8
    assert found.residual_rate.max() < 1e-8
    assert drift(found) < 1e-4


def difference(rates, y):
    columns = []
    for k in range(len(y)):
        step = np.zeros(len(y))
        step[k] = 1e-6
        columns.append((rates(y + step) - rates(y - step)) / 2e-6)
    return np.array(columns).T


@pytest.mark.parametrize("kind", ["flat", "floating", "loop", "pid", "function", "wrenches", "friction"])
def test_jacobians_are_those_of_the_rates(kind, monkeypatch):
    """Along the manifold, in directions that leave it, and through loops: differences of the rates themselves."""
    robot = {"floating": floating((0.0, 0.0, -9.81)), "loop": tf.robots.fivebar()}.get(kind, tf.robots.planar2r())
    if kind == "friction":
        robot = replace(robot, joints=tuple(replace(joint, FS=0.3, FV=0.1) for joint in robot.joints))
    more = {
        "pid": lambda: {"controller": tf.pid_control(robot, 10.0, 3.0, 2.0, [0.3, 0.1], saturation=50.0)},
        "function": lambda: {"torque": lambda t, q, qd: np.sin(q) - 0.3 * qd * t},
        "wrenches": lambda: {"wrenches": lambda t, q, qd: np.outer(q * qd, np.arange(6.0))},
    }.get(kind, dict)()
    made = []
    original = System.__init__
    monkeypatch.setattr(System, "__init__", lambda self, *given: (original(self, *given), made.append(self))[0])
    q0 = tf.close_loops(robot, [0.9, 2.0]) if kind == "loop" else None
    tf.simulate(robot, [0.0, 1e-3], q0=q0, smoothing=0.5, **more)
    system, rng = made[0], np.random.default_rng(1)
    y = rng.normal(size=system.size) * 0.5
    if kind == "loop":
        y[: system.nq] = q0
    y = system.settled_state(y)
    slope = system.jacobian(0.7, y)
    np.testing.assert_allclose(slope, difference(lambda y: system.rates(0.7, y), y), atol=2e-6 * np.abs(slope).max())


def test_samples_are_held():
    """A torque that switches at a sample gives the velocities of the exact solution, without gravity."""
    robot = replace(pendulum(), gravity=(0.0, 0.0, 0.0))
    t = np.array([0.0, 0.5, 0.6, 1.0])
    found = tf.simulate(robot, t, [[2.0], [0.0], [-1.0], [7.0]])
    np.testing.assert_allclose(found.qd[:, 0], [0.0, 1.0, 1.0, 0.6], atol=1e-9)
    np.testing.assert_allclose(found.qdd[:, 0], [2.0, 0.0, -1.0, 7.0], atol=1e-9)
    np.testing.assert_array_equal(found.tau[:, 0], [2.0, 0.0, -1.0, 7.0])


def test_torques_as_functions():
    robot = replace(pendulum(), gravity=(0.0, 0.0, 0.0))
    by_time = tf.simulate(robot, [0.0, 1.0], lambda t: [6.0 * t])
    np.testing.assert_allclose(by_time.q[-1], 1.0, atol=1e-8)
    by_state = tf.simulate(robot, [0.0, np.pi], lambda t, q, qd: -q, q0=[0.4])
    np.testing.assert_allclose(by_state.q[-1], -0.4, atol=1e-8)
    sampled = tf.simulate(robot, [0.0, 0.25, 1.0], lambda t, q, qd: [t], rate=4.0)
    np.testing.assert_allclose(sampled.qd[-1], (0.25 + 0.5 + 0.75) / 4, atol=1e-12)
    np.testing.assert_array_equal(sampled.tau[:, 0], [0.0, 0.25, 0.75])


def test_wrenches_act_as_torques_do():
    """A moment about the axis, exerted on the surroundings, is a torque the other way."""
    wrench = np.zeros((1, 6))
    wrench[0, 5] = -2.0
    t = np.linspace(0.0, 1.0, 5)
    np.testing.assert_allclose(
        tf.simulate(pendulum(), t, wrenches=wrench).q, tf.simulate(pendulum(), t, [2.0]).q, atol=1e-8
    )
    along = tf.simulate(pendulum(), t, wrenches=lambda t: wrench * t, method="Radau")
    np.testing.assert_allclose(along.q, tf.simulate(pendulum(), t, lambda t: [2.0 * t]).q, atol=1e-6)


def test_friction_stops_a_joint_within_the_stated_width():
    robot = replace(pendulum(FS=0.5), gravity=(0.0, 0.0, 0.0))
    found = tf.simulate(robot, [0.0, 1.0, 3.0], qd0=[1.0], method="Radau", smoothing=1e-4)
    np.testing.assert_allclose(found.qd[1:, 0], [0.5, 0.0], atol=1e-3)
    np.testing.assert_allclose(found.q[-1], 1.0, atol=1e-3)  # v²/2a
    held = tf.simulate(robot, [0.0, 1.0], [0.4], method="Radau", smoothing=1e-4)
    np.testing.assert_allclose(held.qd[-1], 1e-4 * 0.8 / np.sqrt(1.0 - 0.8**2), rtol=1e-3)  # creeps within the width


def test_own_steps_and_other_starts():
    found = tf.simulate(pendulum(), 2.0, q0=[1.0])
    assert found.t[0] == 0.0
    assert found.t[-1] == 2.0
    assert len(found) == found.steps + 1
    later = tf.simulate(pendulum(), [5.0, 7.0], q0=[1.0])
    np.testing.assert_allclose(later.q[-1], found.q[-1], atol=1e-8)


def test_independent_joints_alone_can_start_a_loop():
    robot = tf.robots.fourbar()
    whole = tf.close_loops(robot, [1.0])
    one, other = (tf.simulate(robot, [0.0, 0.1], q0=q0) for q0 in ([1.0], whole))
    np.testing.assert_allclose(one.q, other.q, atol=1e-12)
    np.testing.assert_allclose(tf.simulate(robot, [0.0, 0.1]).q[0], tf.close_loops(robot), atol=1e-9)


@pytest.mark.parametrize("method", IMPLICIT)
def test_exact_jacobians_save_evaluations(method):
    """A stiff controller: differences of a function cost more evaluations than the graph."""
    robot = tf.robots.planar2r()
    control = tf.pd_control(robot, 1e3, 1e4, [0.5, 0.5])
    exact, differenced = (
        tf.simulate(robot, [0.0, 5.0], controller=law, method=method, rtol=1e-5, atol=1e-7)
        for law in (control, lambda t, q, qd: control(t, q, qd))
    )
    np.testing.assert_allclose(exact.q, differenced.q, atol=1e-4)
    assert exact.evaluations < differenced.evaluations
