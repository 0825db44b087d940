"""The map of closed loops: accurate next to singular states, finite wherever the loops are regular, and cheap."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.loops import ladder, side_by_side

import tauforge as tf
from tauforge.models.loops.closure import loop_closure
from tests.interpret import interpret
from tests.random_loops import random_mechanism
from tests.random_robots import seeds

EPSILON = np.finfo(float).eps
INERTIA = tf.Inertia(0.1, 0, 0, 0.1, 0, 0.1, 0.1, 0, 0, 1)


class Reference:
    """Motions of a mechanism in NumPy, from the loops' equations and their derivatives."""

    def __init__(self, robot, q):
        closure = loop_closure(robot)
        self.J = interpret(closure, q)[2]
        self.slopes = interpret(closure.derivative("J", "q"), q)
        axes = closure.outputs["J"].labels[1]
        self.free = [axes.index(name) for name in robot.velocity_names]
        self.rest = [k for k in range(len(axes)) if k not in self.free]
        self.condition = np.linalg.cond(self.J[:, self.rest])
        self.G = np.eye(len(axes))[:, self.free]
        self.G[self.rest] = self.solved(-self.J[:, self.free])

    def solved(self, b):
        return np.linalg.lstsq(self.J[:, self.rest], b, rcond=None)[0]

    def motion(self, qd, qdd):
        """Return velocities and accelerations of all joints."""
        v, a = self.G @ qd, self.G @ qdd
        a[self.rest] += self.solved(-np.einsum("ijk,j,k", self.slopes, v, v))
        return v, a


@seeds(quick=4, all=200)
@pytest.mark.parametrize("planar", [False, True])
def test_errors_grow_with_the_condition_number_only(seed, planar):
    """Whatever the condition number is: it exceeds 1000 for some of these mechanisms."""
    robot, q = random_mechanism(seed, planar)
    found = Reference(robot, q)
    qd, qdd = np.random.default_rng(seed).normal(size=(2, len(robot.velocity_names)))
    v, a = found.motion(qd, qdd)
    whole = interpret(tf.inverse_dynamics(robot.tree()), q, v, a)
    tau = interpret(tf.inverse_dynamics(robot), q, qd, qdd)
    bound = 1e2 * EPSILON * found.condition * (np.abs(found.G).T @ np.abs(whole)).max()
    assert np.abs(tau - found.G.T @ whole).max() < bound
    M, again = interpret(tf.inertia_matrix(robot), q), interpret(tf.direct_dynamics(robot), q, qd, tau)
    assert np.abs(M @ (again - qdd)).max() < bound


def locomotive():
    """Return two parallelograms that share a bar; the third crank is above the line of the others."""
    joints = (
        tf.Joint(name="crank", antecedent=0),
        tf.Joint(name="bar", antecedent=1, mu=0, d=0.3),
        tf.Joint(name="second", antecedent=0, mu=0, d=0.5),
        tf.Joint(name="third", antecedent=0, mu=0, d=0.4, gamma=np.pi / 2, theta=-np.pi / 2),
    )
    bodies = tuple(tf.Body(name=f"{joint.name}_link", inertia=INERTIA) for joint in joints)
    frames = (
        tf.Joint(name="pin2", antecedent=2, sigma=2, d=0.5),
        tf.Joint(name="end2", antecedent=3, sigma=2, d=0.3),
        tf.Joint(name="pin3", antecedent=2, sigma=2, d=0.4, gamma=np.pi / 2),
        tf.Joint(name="end3", antecedent=4, sigma=2, d=0.3),
    )
    robot = tf.Robot(name="locomotive", joints=joints, bodies=bodies, frames=frames, gravity=(0, -9.81, 0))
    return robot.with_loop("pin2", "end2", kind="revolute").with_loop("pin3", "end3", kind="revolute")


def test_a_loop_that_is_singular_alone_is_not_where_another_holds_it():
    """Flat, the first parallelogram could fold; the third crank keeps it from that, and every model is finite."""
    robot = locomotive()
    assert robot.velocity_names == ("crank",)
    for angle in (0.0, np.pi, np.pi / 2, 0.7):
        q = np.array([angle, -angle, angle, angle])
        assert tf.singularity(robot, q).kind == "regular"
        tau = tf.inverse_dynamics(robot).compile()(q, [0.5], [2.0])
        np.testing.assert_allclose(tf.direct_dynamics(robot).compile()(q, [0.5], tau), [2.0], rtol=1e-9)
        # bar moves along a circle and does not turn; each crank turns as the first one
        np.testing.assert_allclose(tf.inertia_matrix(robot).compile()(q), [[3 * 0.1 + 0.3**2]], rtol=1e-9)


@pytest.mark.parametrize("build", [side_by_side, ladder])
def test_operations_per_loop_do_not_grow(build):
    for model in (tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix):
        counts = [model(build(count)).count().total for count in (2, 4, 6)]
        assert counts[2] - counts[1] <= counts[1] - counts[0] + 2


def test_published_mechanisms_cost_no_more():
    data = Path(__file__).parents[2]
    for path, most in (
        ("models/loops/data/fourbar.xml", 96),
        ("models/loops/data/fivebar.xml", 170),
        ("formats/data/SR400.par", 951),
    ):
        assert tf.inverse_dynamics(tf.load(data / path)).count().total <= most
