"""Elastic and passive joints, hybrid data and the free base against the full matrices, which other engines confirm."""

from random import Random

import numpy as np
import pytest

import tauforge as tf

from ..interpret import interpret
from ..oracles.agree import agree, solved
from ..random_robots import random_robot, random_state, seeds


def matrices(robot, q, qd):
    """Return M and h of M q̈ + h = τ, springs and friction added by hand: equations (67), (69) and (70)."""
    bare = robot.neglect("k", "FV", "FS")
    h = interpret(tf.bias(bare), q, qd)
    resistance = []
    for joint in robot.expanded().joints:
        for _ in joint.axes:
            speed = qd[len(resistance)]
            spring = float(joint.k) * (coordinate(robot, joint, q) - float(joint.rest)) if joint.eta else 0.0
            resistance.append(spring + float(joint.FV) * speed + float(joint.FS) * np.sign(speed))
    return interpret(tf.inertia_matrix(robot), q), h + resistance


def coordinate(robot, joint, q):
    """Return the coordinate of a joint that has one."""
    return q[robot.expanded().coordinate_names.index(joint.name)]


def degrees(robot, names):
    """Tell of each degree of freedom whether its joint is among those named."""
    return np.array([joint.name in names for joint in robot.expanded().joints for _ in joint.axes], dtype=bool)


@seeds(quick=6, all=200)
def test_joints_that_give_way_against_the_matrices(seed):
    """Equations (68)-(71): the unknown accelerations solve their rows, and the unknown efforts follow."""
    robot = random_robot(seed, rotors=True, several=seed % 2 == 0, equipped=True, floating=seed % 3 == 0)
    q, qd, given = map(np.array, random_state(robot, seed))
    M, h = matrices(robot, q, qd)
    names = [joint.name for joint in robot.expanded().joints if joint.axes]
    rigid = [joint.name for joint in robot.joints if joint.axes and joint.mu and not joint.eta]
    some = Random(seed).sample(names, Random(seed).randint(0, len(names)))
    for accelerated, chosen in (("rigid", rigid), (some, some), (names, names), ([], [])):
        known = degrees(robot, chosen)
        program = tf.hybrid_dynamics(robot, accelerated=accelerated)
        efforts, accelerations = interpret(program, q, qd, given[known], given[~known])
        free = M[np.ix_(~known, ~known)]
        expected = np.linalg.solve(free, given[~known] - h[~known] - M[np.ix_(~known, known)] @ given[known])
        tolerance = solved(free) if len(free) else 1e-9
        agree(accelerations, expected, tolerance)
        whole = given.copy()
        whole[~known] = expected
        agree(efforts, (M @ whole + h)[known], tolerance)


@seeds(quick=6, all=200)
def test_a_free_base_against_the_matrices(seed):
    """Equations (83)-(88): no wrench acts on the base."""
    robot = random_robot(seed, rotors=True, several=seed % 2 == 0, equipped=True, floating=True)
    q, qd, qdd = map(np.array, random_state(robot, seed))
    M, h = matrices(robot, q, qd)
    base = np.linalg.solve(M[:6, :6], -h[:6] - M[:6, 6:] @ qdd[6:])
    tau, acceleration = interpret(tf.inverse_dynamics(robot, free_base=True), q, qd, qdd[6:])
    agree(acceleration, base, solved(M[:6, :6]))
    efforts = M[6:, :6] @ base + M[6:, 6:] @ qdd[6:] + h[6:]
    agree(tau, efforts, solved(M[:6, :6]))
    wrench = np.concatenate([np.zeros(6), efforts])
    for method in ("articulated", "composite"):
        found = interpret(tf.direct_dynamics(robot, method=method), q, qd, wrench)
        agree(found, np.concatenate([base, qdd[6:]]), solved(M))


def test_springs_push_towards_their_rest():
    joint = tf.Joint(name="spring", antecedent=0, eta=1, k=7.0, rest=0.3, FV=0.2)
    body = tf.Body(name="disc", inertia=tf.Inertia(ZZ=2.0, M=1.0))
    robot = tf.Robot(name="r", joints=(joint,), bodies=(body,))
    for method in ("articulated", "composite"):
        assert interpret(tf.direct_dynamics(robot, method=method), [0.8], [0.5], [0.0]) == pytest.approx(
            [(-7 * 0.5 - 0.1) / 2]
        )
    assert interpret(tf.energy(robot), [0.8], [0.5]) == pytest.approx([0.25, 0.5 * 7 * 0.25])
    assert interpret(tf.gravity(robot), [0.8]) == pytest.approx([0.0])


def test_a_free_base_needs_a_floating_one():
    with pytest.raises(tf.ProgramError, match="with_base"):
        tf.inverse_dynamics(tf.robots.planar2r(), free_base=True)
    with pytest.raises(tf.RobotError, match="hanging"):
        tf.robots.planar2r().with_base("hanging")
    with pytest.raises(tf.RobotError, match="planar joint cannot have k"):
        tf.Robot(name="r", joints=(tf.Joint(name="j", antecedent=0, sigma=5, k=1.0),), bodies=(tf.Body(name="b"),))
