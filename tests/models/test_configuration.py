"""Integration and difference on the configuration manifold, against Pinocchio's exponentials and logarithms."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tauforge as tf
from tauforge.models.loops.closure import loop_closure
from tests.interpret import interpret
from tests.random_robots import random_robot, random_state, seeds

from .loops.test_closure import Mechanism, with_an_idle_rod

ROBOT = tf.Robot(
    name="all_kinds",
    joints=(
        tf.Joint(name="free", antecedent=0, sigma=4, alpha=0.3, d=0.2),
        tf.Joint(name="ball", antecedent=1, sigma=3, gamma=0.4),
        tf.Joint(name="plane", antecedent=2, sigma=5, r=0.1),
        tf.Joint(name="slide", antecedent=3, sigma=1),
        tf.Joint(name="turn", antecedent=3, sigma=0),
        tf.Joint(name="none", antecedent=4, sigma=2),
    ),
    bodies=tuple(tf.Body(name=f"link{j}") for j in range(6)),
)
INTEGRATE, DIFFERENCE = tf.integrate(ROBOT), tf.difference(ROBOT)


def reached(q, v):
    """What Pinocchio says of the joints of ROBOT."""
    free = pin.SE3(pin.Quaternion(q[3:7]).matrix(), q[:3]) * pin.exp6(pin.Motion(v[:6]))
    ball = pin.Quaternion(q[7:11]).matrix() @ pin.exp3(v[6:9])
    turn = pin.exp3(np.array([0, 0, q[13]]))
    plane = pin.SE3(turn, np.array([q[11], q[12], 0])) * pin.exp6(pin.Motion(np.array([v[9], v[10], 0, 0, 0, v[11]])))
    return free, ball, plane


@given(st.integers(0, 10**6), st.sampled_from([0.0, 1e-300, 1e-20, 1e-9, 1e-5, 1e-2, 0.3, 1.0]))
def test_against_pinocchio(seed, size):
    rng = np.random.default_rng(seed)
    q, v = np.array(random_state(ROBOT, seed)[0]), rng.uniform(-1.7, 1.7, ROBOT.dof) * size
    q_next = interpret(INTEGRATE, q, v)
    free, ball, plane = reached(q, v)
    np.testing.assert_allclose(q_next[:3], free.translation, atol=1e-14)
    np.testing.assert_allclose(pin.Quaternion(q_next[3:7]).matrix(), free.rotation, atol=1e-14)
    np.testing.assert_allclose(pin.Quaternion(q_next[7:11]).matrix(), ball, atol=1e-14)
    np.testing.assert_allclose(q_next[11:13], plane.translation[:2], atol=1e-14)
    np.testing.assert_allclose(q_next[13:], q[13:] + v[11:], atol=1e-14)
    np.testing.assert_allclose([np.linalg.norm(q_next[k : k + 4]) for k in (3, 7)], 1.0, atol=1e-15)
    np.testing.assert_allclose(interpret(DIFFERENCE, q, q_next), v, atol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_integrate_undoes_difference(seed):
    robot = random_robot(seed, largest=8, several=True).with_base("floating")
    a, b = random_state(robot.expanded(), seed)[0], random_state(robot.expanded(), seed + 1000)[0]
    v = interpret(tf.difference(robot), a, b)
    again = interpret(tf.integrate(robot), a, v)
    np.testing.assert_allclose(interpret(tf.difference(robot), again, b), 0.0, atol=1e-13)


def test_both_quaternions_of_a_rotation_are_as_near():
    q, other = np.array(random_state(ROBOT, 1)[0]), np.array(random_state(ROBOT, 2)[0])
    opposite = other.copy()
    opposite[3:11] *= -1
    v, w = interpret(DIFFERENCE, q, other), interpret(DIFFERENCE, q, opposite)
    np.testing.assert_allclose(v, w, atol=1e-14)
    assert np.linalg.norm(v[3:6]) <= np.pi


def test_half_a_turn_has_a_way():
    ball = tf.Robot(name="ball", joints=(tf.Joint(name="j", antecedent=0, sigma=3),), bodies=(tf.Body(name="link"),))
    v = interpret(tf.difference(ball), np.array([0, 0, 0, 1.0]), np.array([0, 0, 1.0, 0]))
    np.testing.assert_allclose(v, [0, 0, np.pi])


@pytest.mark.parametrize("size", [0.0, 1e-8, 1e-3, 1.0])
def test_the_derivative_by_the_step(size):
    q, v = random_state(ROBOT, 3)[0], np.array(random_state(ROBOT, 3)[1]) * size
    step, found = 1e-6, interpret(INTEGRATE.derivative("q_next", "v"), q, v)
    expected = [
        (interpret(INTEGRATE, q, v + e) - interpret(INTEGRATE, q, v - e)) / (2 * step) for e in np.eye(ROBOT.dof) * step
    ]
    np.testing.assert_allclose(found, np.transpose(expected), atol=1e-8)


@seeds(quick=3, all=50)
@pytest.mark.parametrize("planar", [True, False])
def test_loops_stay_closed_along_many_steps(seed, planar):
    """The independent joints move as asked, the others follow, and errors do not add up."""
    found = Mechanism(seed, planar)
    step, back = tf.integrate(found.robot).compile(), tf.difference(found.robot).compile()
    v = np.random.default_rng(seed).normal(size=len(found.free))
    v *= 1e-3 / np.abs(found.G(found.q) @ v).max()
    q = found.q
    for _ in range(20):
        q = step(q, v)
    np.testing.assert_allclose(back(found.q, q), 20 * v, rtol=1e-12, atol=1e-14)
    closed = tf.close_loops(found.robot, found.q[found.free] + 20 * v, guess=q)
    np.testing.assert_allclose(q, closed, rtol=0, atol=1e-11)


def test_a_step_closes_loops_that_were_left_open():
    found = Mechanism(1, planar=True)
    still, open_by = np.zeros(len(found.free)), np.full(len(found.q), 1e-3)
    open_by[found.free] = 0.0
    np.testing.assert_allclose(tf.integrate(found.robot).compile()(found.q + open_by, still), found.q, atol=1e-10)


def test_a_rod_that_spins_steps_along_its_free_axis():
    robot = with_an_idle_rod()
    q, v = tf.close_loops(robot), np.array([1e-3, 2e-3])
    q_next = tf.integrate(robot).compile()(q, v)
    assert np.abs(loop_closure(robot).compile()(q_next)[0]).max() < 1e-14
    np.testing.assert_allclose(tf.difference(robot).compile()(q, q_next), v, rtol=1e-3)
