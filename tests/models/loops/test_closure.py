"""Robots with closed loops: models in independent coordinates against the tree's, projected in NumPy."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.coordinates import Coordinates
from tauforge.models.loops.freedom import freedom
from tauforge.models.loops.search import mechanism_of
from tests.random_loops import random_mechanism
from tests.random_robots import seeds

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize("name", ["fourbar", "fivebar"])
def test_values_on_which_engines_agree(name):
    robot = tf.load(DATA / f"{name}.xml")
    reference = json.loads((DATA / f"{name}_ref.json").read_text())
    free = reference["independent_v_indices"]
    inverse, direct = tf.inverse_dynamics(robot).compile(), tf.direct_dynamics(robot).compile()
    for state in reference["states"]:
        q, v, a = (np.array(state[key]) for key in "qva")
        tau = inverse(q, v[free], a[free])
        np.testing.assert_allclose(tau, state["tau_active"], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(direct(q, v[free], tau), a[free], rtol=1e-9, atol=1e-9)


class Mechanism:
    """A mechanism at a closed state, and the map from its independent velocities to all, in NumPy."""

    def __init__(self, seed, planar):
        while True:  # until the state is well away from singular ones
            self.robot, q = random_mechanism(seed, planar)
            self.tree = Coordinates.of_tree(self.robot)
            self.loops = mechanism_of(self.robot)
            self.q = self.loops.closed_from(q)
            assert self.q is not None
            self.free = [self.tree.names.index(name) for name in self.robot.velocity_names]
            self.G(self.q)
            if self.condition < 60:
                break
            seed += 1000

    @classmethod
    def at(cls, robot, q):
        """Return a given mechanism at a closed state."""
        found = object.__new__(cls)
        found.robot, found.q, found.tree, found.loops = robot, q, Coordinates.of_tree(robot), mechanism_of(robot)
        found.free = [found.tree.names.index(name) for name in robot.velocity_names]
        found.G(q)
        return found

    def G(self, q):
        J = self.loops.equations(q)
        dependent = [k for k in range(len(self.tree.names)) if k not in self.free]
        G = np.zeros((len(self.tree.names), len(self.free)))
        G[self.free] = np.eye(len(self.free))
        G[dependent] = -np.linalg.lstsq(J[:, dependent], J[:, self.free], rcond=None)[0]
        self.condition = np.linalg.cond(J[:, dependent])
        return G

    def moved(self, v):
        """Return the closed state after a step."""
        return self.loops.closed_from(self.loops.step(self.q[None], v[None])[0])

    def rate(self, v):
        h = 1e-3 / max(1.0, np.abs(v).max())
        places = (self.moved(k * h * v) for k in (-2, -1, 1, 2))
        a, b, c, d = map(self.G, places)
        return (a - 8 * b + 8 * c - d) / (12 * h)


@seeds(quick=3, all=200)
@pytest.mark.parametrize("planar", [False, True])
def test_dynamics_of_random_loops(seed, planar):
    found = Mechanism(seed, planar)
    robot, q, G = found.robot, found.q, found.G(found.q)
    rng = np.random.default_rng(seed)
    qd, qdd = rng.normal(size=(2, len(found.free)))
    v = G @ qd
    rate = found.rate(v)
    tree = robot.tree()
    whole = tf.inverse_dynamics(tree).compile()(q, v, G @ qdd + rate @ qd)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    scale = max(1.0, np.abs(whole).max()) * max(1.0, found.condition)
    np.testing.assert_allclose(tau, G.T @ whole, atol=1e-7 * scale)
    np.testing.assert_allclose(tau @ qd, whole @ v, atol=1e-7 * scale)  # the power of the tree
    np.testing.assert_allclose(tf.direct_dynamics(robot).compile()(q, qd, tau), qdd, rtol=1e-6, atol=1e-7)
    M = tf.inertia_matrix(robot).compile()(q)
    np.testing.assert_allclose(M, G.T @ tf.inertia_matrix(tree).compile()(q) @ G, rtol=1e-8, atol=1e-9 * scale)
    h, g = tf.bias(robot).compile()(q, qd), tf.gravity(robot).compile()(q)
    np.testing.assert_allclose(tau, M @ qdd + h, rtol=1e-8, atol=1e-9 * scale)
    C = tf.coriolis_matrix(robot).compile()(q, qd)
    friction = G.T @ (np.array([float(joint.FV) for joint in robot.joints]) * v)
    np.testing.assert_allclose(C @ qd + g + friction, h, rtol=1e-8, atol=1e-8 * scale)
    kinetic, _ = tf.energy(robot).compile()(q, qd)
    np.testing.assert_allclose(kinetic, qd @ M @ qd / 2, rtol=1e-8)
    J = tf.jacobian(robot, frame=robot.bodies[-1].name).compile()(q)
    np.testing.assert_allclose(J, tf.jacobian(tree, frame=robot.bodies[-1].name).compile()(q) @ G, atol=1e-9 * scale)


@seeds(quick=2, all=40)
def test_derivatives_of_a_solution_along_the_loops(seed):
    """The derivative by q along an allowed motion is that of the closing solution."""
    found = Mechanism(seed, planar=seed % 2 == 1)
    robot, q, G = found.robot, found.q, found.G(found.q)
    rng = np.random.default_rng(seed)
    qd, qdd = rng.normal(size=(2, len(found.free)))
    program = tf.inverse_dynamics(robot)
    slope = program.derivative("tau", "q").compile()(q, qd, qdd)
    inverse, h = program.compile(), 1e-6
    for k in range(len(found.free)):
        ends = [found.moved(sign * h * G[:, k]) for sign in (1, -1)]
        difference = (inverse(ends[0], qd, qdd) - inverse(ends[1], qd, qdd)) / (2 * h)
        np.testing.assert_allclose(slope[:, k], difference, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(difference).max()))


def test_freedom_is_found_at_closed_states():
    robot = tf.load(DATA / "fourbar.xml")
    found = freedom(robot)
    assert found.mobility == 1
    assert robot.independent == ("crank",)
    assert tf.robots.puma560().independent == tf.robots.puma560().joint_names


def test_friction_depends_on_where_the_loops_are():
    found = Mechanism(2, planar=False)
    program, v = tf.friction(found.robot), found.G(found.q)[:, 0]
    assert list(program.inputs) == ["q", "qd"]
    whole = tf.friction(found.robot.tree()).compile()(v)
    np.testing.assert_allclose(program.compile()(found.q, [1.0]), [v @ whole], rtol=1e-9)


def with_an_idle_rod():
    """Return two cranks and a rod between two spherical joints, which can spin."""
    joints = (
        tf.Joint(name="crank", antecedent=0, alpha=0.3),
        tf.Joint(name="ball", antecedent=1, sigma=3, mu=0, d=0.4),
        tf.Joint(name="rocker", antecedent=0, mu=0, alpha=-0.2, d=1.0),
    )
    bodies = tuple(tf.Body(name=f"link{k}", inertia=tf.Inertia(1, 0, 0, 1, 0, 1, 0.2, 0.1, 0, 1)) for k in range(3))
    frames = (tf.Joint(name="rod", antecedent=2, sigma=2, d=0.8), tf.Joint(name="end", antecedent=3, sigma=2, d=0.5))
    return tf.Robot(name="rssr", joints=joints, bodies=bodies, frames=frames).with_loop("rod", "end", kind="spherical")


def test_hybrid_dynamics_with_one_axis_of_a_spherical_joint():
    robot = with_an_idle_rod()
    q, (crank, spin) = tf.close_loops(robot), robot.velocity_names
    assert (crank, spin[:6]) == ("crank", "ball.w")
    qd, qdd = np.array([0.3, -0.4]), np.array([0.5, 0.7])
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    program = tf.hybrid_dynamics(robot, accelerated=["crank"])
    assert (program.inputs["qdd"].labels, program.inputs["tau"].labels) == (((crank,),), ((spin,),))
    efforts, accelerations = program.compile()(q, qd, qdd[:1], tau[1:])
    np.testing.assert_allclose(efforts, tau[:1], rtol=1e-9)
    np.testing.assert_allclose(accelerations, qdd[1:], rtol=1e-9)


def test_hybrid_dynamics_refuses_the_acceleration_of_a_dependent_joint():
    with pytest.raises(tf.ProgramError, match=r"determine the acceleration of coupler; .*independent joints, crank"):
        tf.hybrid_dynamics(tf.load(DATA / "fourbar.xml"), accelerated=["coupler"])


def test_a_frame_that_the_loops_hold_has_no_manipulability():
    held = tf.load(DATA / "fourbar.xml").lock({"crank": 0.3})
    for model in (tf.manipulability, tf.jacobian_determinant):
        with pytest.raises(tf.ProgramError, match="no independent joint moves rocker"):
            model(held, frame="rocker")


def test_names_of_joints_can_have_dots():
    robot = tf.load(DATA / "fourbar.xml")
    names = ("a", "a.b", "c.wx")
    joints = (
        replace(joint, name=name, variable="", mu=int(name == "a.b"))
        for joint, name in zip(robot.joints, names, strict=True)
    )
    dotted = replace(robot, joints=tuple(joints))
    assert dotted.independent == dotted.velocity_names == ("a.b",)
    np.testing.assert_allclose(tf.close_loops(dotted, [0.1])[1], 0.1)


def test_tables_and_designs_refuse_loops():
    robot = tf.load(DATA / "fourbar.xml")
    for use in (tf.configuration_space, tf.yang_tzeng):
        with pytest.raises(tf.ProgramError, match=r"fourbar has closed loops, which .* cannot handle"):
            use(robot)


def test_a_loop_needs_two_links():
    with pytest.raises(tf.RobotError, match="'link2' and 'joint2' are on the same link"):
        tf.robots.puma560().with_loop("link2", "joint2")


def test_derivatives_where_a_loop_only_reorders_the_joints():
    """A floating cut joint holds nothing, but the actuated joints come first."""
    robot = tf.robots.puma560()
    joints = (replace(robot.joints[0], mu=0), *robot.joints[1:])
    robot = replace(robot, joints=joints)
    looped = robot.with_loop("link6", "base", kind="floating")
    assert looped.velocity_names == (*(f"joint{k}" for k in range(2, 7)), "joint1")
    q = np.linspace(0.1, 0.6, 6)
    values = tf.gravity(robot).derivative("g", "q").compile()(q), tf.gravity(looped).derivative("g", "q").compile()(q)
    np.testing.assert_allclose(values[1], values[0][np.ix_([1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 5, 0])], atol=1e-9)
