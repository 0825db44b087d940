"""The map from degrees of freedom to joints: an invented one that changes with q, in every model, against NumPy."""

from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.functions import cos, sin
from tauforge.models.coordinates import Coordinates
from tauforge.robot.entries import by_joint
from tauforge.robot.joint import Mimic
from tests.interpret import interpret
from tests.random_robots import random_robot, random_state, seeds

STEP = 1e-5


class Linkage:
    """Some joints of a tree move by themselves, in any order; all others move with them, as q has it."""

    def __init__(self, robot, seed):
        random = Random(seed)
        moving = [j for j, joint in enumerate(robot.joints, 1) if joint.axes]
        self.independent = tuple(random.sample(moving, max(1, len(moving) - 2)))
        self.single = [j for j in moving if len(robot.joints[j - 1].axes) == 1]
        names = dict(zip(robot.velocity_names, range(robot.dof), strict=True))
        owned = [robot.joints[j - 1].name for j in self.independent]
        self.places = [k for own in owned for name, k in names.items() if name.split(".")[0] == own]
        self.names = tuple(robot.velocity_names[k] for k in self.places)
        self.share = {
            (axis, place): [random.uniform(-1, 1) for _ in range(len(self.single) + 1)]
            for axis in range(robot.dof)
            if axis not in self.places
            for place in range(len(self.names))
        }

    def of(self, robot, q):
        """Return the map: G has ones for independent joints, and c + sin(Σ a q) for the others."""
        widths = tuple(len(joint.axes) for joint in robot.joints)
        count = sum(widths)

        def angle(values, a):
            return sum((values[j][0] * x for j, x in zip(self.single, a, strict=True)), start=0.0)

        G = [{} if axis not in self.places else {self.places.index(axis): 1.0} for axis in range(count)]
        for (axis, place), (c, *a) in self.share.items():
            G[axis][place] = c + sin(angle(q, a))

        def rate(qd):
            rows = [{} for _ in range(count)]
            for (axis, place), (_, *a) in self.share.items():
                rows[axis][place] = cos(angle(q, a)) * angle(qd, a)
            return rows

        def drift(qd):
            own = [x for j in self.independent for x in qd[j]]
            return [sum((own[place] * x for place, x in row.items()), start=0.0) for row in rate(qd)]

        return Coordinates(self.names, widths, self.independent, tuple(G), rate, drift)

    def G(self, robot, q):
        """Return G in numbers."""
        rows = self.of(robot, by_joint(robot, list(q))).G
        return np.array([[float(row.get(k, 0.0)) for k in range(len(self.names))] for row in rows])


def close(ours, theirs, tolerance=1e-8):
    scale = max(1.0, np.abs(theirs).max(initial=0.0))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)


def setting(seed):
    """Return a tree, a linkage of its joints, a state of it, and G and Ġ there."""
    options = {"rotors": True, "equipped": True, "several": seed % 2 == 1}
    robot = random_robot(seed, smallest=4, largest=6, **options)
    while sum(bool(joint.axes) for joint in robot.joints) < 3:
        seed += 1000
        robot = random_robot(seed, smallest=4, largest=6, **options)
    linkage = Linkage(robot, seed)
    q, qd, qdd = map(np.array, random_state(robot, seed))
    n = len(linkage.names)
    qd, qdd, G = qd[:n], qdd[:n], linkage.G(robot, q)
    return robot, linkage, (q, qd, qdd), G, slope(robot, q, G @ qd, partial(linkage.G, robot))


def slope(robot, q, direction, of):
    """Return how fast a function of q changes along a motion of the joints, by differences."""
    ahead, behind = (of(interpret(tf.integrate(robot), q, sign * STEP * direction)) for sign in (1, -1))
    return (ahead - behind) / (2 * STEP)


def trees_and_linkages(monkeypatch, robot, linkage):
    """Return functions that make a model's Program of the tree, and of the linkage."""

    def of_linkage(model, **options):
        with monkeypatch.context() as patch:
            patch.setattr(Coordinates, "of", staticmethod(linkage.of))
            return model(robot, **options)

    return lambda model, **options: model(robot, **options), of_linkage


@seeds(quick=3, all=60)
def test_dynamics(seed, monkeypatch):
    """τ = Gᵀ τ_tree(G q̇, G q̈ + Ġ q̇) and M = Gᵀ M_tree G; direct and hybrid dynamics are their inverses."""
    robot, linkage, (q, qd, qdd), G, Gd = setting(seed)
    tree, linked = trees_and_linkages(monkeypatch, robot, linkage)
    for options in ({}, {"formulation": "kane"}) if seed % 2 == 0 else ({},):
        tau = G.T @ interpret(tree(tf.inverse_dynamics), q, G @ qd, G @ qdd + Gd @ qd)
        close(interpret(linked(tf.inverse_dynamics, **options), q, qd, qdd), tau)
        h = G.T @ interpret(tree(tf.inverse_dynamics), q, G @ qd, Gd @ qd)
        close(interpret(linked(tf.bias, **options), q, qd), h)
        close(interpret(linked(tf.gravity, **options), q), G.T @ interpret(tree(tf.gravity), q))
        M = G.T @ interpret(tree(tf.inertia_matrix), q) @ G
        close(interpret(linked(tf.inertia_matrix, **options), q), M)
        close(interpret(linked(tf.direct_dynamics, **options), q, qd, tau), qdd, 1e-6)
    hybrid = linked(tf.hybrid_dynamics, accelerated=[robot.joints[linkage.independent[0] - 1].name])
    labels = [hybrid.inputs[name].labels[0] for name in ("qdd", "tau")]
    some, others = ([linkage.names.index(name) for name in own] for own in labels)
    efforts, accelerations = interpret(hybrid, q, qd, qdd[some], tau[others])
    close(efforts, tau[some], 1e-6)
    close(accelerations, qdd[others], 1e-6)


@seeds(quick=3, all=60)
def test_coriolis_matrix(seed, monkeypatch):
    """C = Gᵀ (C_tree G + M_tree Ġ), for which Ṁ - 2C is skew-symmetric along the motion."""
    robot, linkage, (q, qd, _), G, Gd = setting(seed)
    tree, linked = trees_and_linkages(monkeypatch, robot, linkage)
    M_tree = interpret(tree(tf.inertia_matrix), q)
    expected = G.T @ (interpret(tree(tf.coriolis_matrix), q, G @ qd) @ G + M_tree @ Gd)
    C = interpret(linked(tf.coriolis_matrix), q, qd)
    close(C, expected)
    skew = slope(robot, q, G @ qd, partial(interpret, linked(tf.inertia_matrix))) - 2 * C
    close(skew, -skew.T, 1e-6)


@seeds(quick=3, all=60)
def test_kinematics_and_parameters(seed, monkeypatch):
    """Columns are those of the tree times G, rates have J Ġ too; the regressor is Gᵀ Y_tree."""
    robot, linkage, (q, qd, qdd), G, Gd = setting(seed)
    tree, linked = trees_and_linkages(monkeypatch, robot, linkage)
    frame = {"frame": robot.bodies[-1].name}
    Qd, Qdd = G @ qd, G @ qdd + Gd @ qd
    J = interpret(tree(tf.jacobian, **frame), q)
    Jd = interpret(tree(tf.jacobian_rate, **frame), q, Qd) @ G + J @ Gd
    close(interpret(linked(tf.jacobian, **frame), q), J @ G)
    close(interpret(linked(tf.jacobian_rate, **frame), q, qd), Jd)
    close(interpret(linked(tf.jacobian_bias, **frame), q, qd), Jd @ qd)
    for model in (tf.centre_of_mass_jacobian, tf.centroidal_matrix):
        close(interpret(linked(model), q), interpret(tree(model), q) @ G)
    for model in (tf.energy, tf.link_velocities, tf.centre_of_mass_velocity, tf.centroidal_momentum):
        for ours, theirs in zip(interpret(linked(model), q, qd), interpret(tree(model), q, Qd), strict=True):
            close(ours, theirs)
    close(interpret(linked(tf.link_accelerations), q, qd, qdd), interpret(tree(tf.link_accelerations), q, Qd, Qdd))
    close(interpret(linked(tf.regressor), q, qd, qdd), G.T @ interpret(tree(tf.regressor), q, Qd, Qdd))
    close(interpret(linked(tf.integrate), q, qd), interpret(tree(tf.integrate), q, Qd))


@seeds(quick=2, all=30)
def test_derivatives_are_along_the_motions_that_the_map_allows(seed, monkeypatch):
    robot, linkage, (q, *_), G, _ = setting(seed)
    _, linked = trees_and_linkages(monkeypatch, robot, linkage)
    program = linked(tf.gravity)
    slopes = interpret(program.derivative("g", "q"), q)
    for k, column in enumerate(G.T):
        close(slopes[:, k], slope(robot, q, column, partial(interpret, program)), 1e-6)


def test_articulated_bodies_are_for_the_identity(monkeypatch):
    robot, linkage, *_ = setting(0)
    _, linked = trees_and_linkages(monkeypatch, robot, linkage)
    with pytest.raises(tf.ProgramError, match="joints that follow others"):
        linked(tf.direct_dynamics, method="articulated")


def test_the_map_of_a_tree_is_the_identity():
    """It hands on the very nodes that it gets."""
    robot = tf.robots.puma560()
    coordinates = Coordinates.of(robot, [()] * 7)
    entries = [tf.symbol(f"x{k}") for k in range(6)]
    assert coordinates.is_identity
    assert [x for own in coordinates.velocities(entries) for x in own] == entries
    assert coordinates.gathered(entries) == entries
    assert coordinates.matrix([entries] * 6) == [entries] * 6


def test_a_joint_follows_one_whose_velocity_the_description_fixes():
    arm = tf.robots.planar2r()
    joints = (replace(arm.joints[0], QP=2.0), replace(arm.joints[1], mimic=Mimic(joint=1, ratio=3.0)))
    V = interpret(tf.link_velocities(replace(arm, joints=joints)), [0.3], [7.0], **dict.fromkeys(arm.symbols, 1.0))
    np.testing.assert_allclose(V[:, 5], [2.0, 2.0 + 3.0 * 2.0])
