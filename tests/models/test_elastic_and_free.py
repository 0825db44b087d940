"""Elastic and passive joints and the free base: special cases of hybrid dynamics, against the full matrices."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tauforge as tf

from ..interpret import interpret
from ..random_robots import random_robot, random_state


def elastic_robot(seed):
    """Return a robot some of whose joints have a spring and a damper, or no motor."""
    random = Random(seed)
    robot = random_robot(seed, largest=6, fixed=False, rotors=True)
    joints = []
    for joint in robot.joints:
        spring = {"eta": 1, "k": random.uniform(5, 50), "rest": random.uniform(-1, 1), "FV": random.uniform(0, 1)}
        joints.append(replace(joint, **random.choice(({}, spring, {"mu": 0}))))
    return replace(robot, joints=tuple(joints))


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_elastic_joints_against_the_matrices(first):
    """Equations (67)-(71): the elastic accelerations solve their rows, and the rigid torques follow."""
    for seed in range(first, first + 20):
        robot = elastic_robot(seed)
        q, qd, qdd = map(np.array, random_state(robot, seed))
        M, h = interpret(tf.inertia_matrix(robot), q), interpret(tf.bias(robot), q, qd)
        rigid = np.array([bool(joint.mu and not joint.eta) for joint in robot.joints])
        program = tf.hybrid_dynamics(robot, accelerated="rigid")
        efforts, accelerations = interpret(program, q, qd, qdd[rigid], np.zeros((~rigid).sum()))
        rows, columns = M[~rigid], M[rigid]
        elastic = np.linalg.solve(rows[:, ~rigid], -h[~rigid] - rows[:, rigid] @ qdd[rigid])
        whole = np.where(rigid, qdd, 0.0)
        whole[~rigid] = elastic
        tolerance = 1e-9 * (1 + np.linalg.cond(M))
        assert accelerations == pytest.approx(elastic, rel=tolerance, abs=tolerance)
        assert efforts == pytest.approx(columns @ whole + h[rigid], rel=tolerance, abs=tolerance)


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


def floating(seed):
    robot = random_robot(seed, largest=4)
    trunk = tf.Body(name="trunk", inertia=random_robot(seed + 1).bodies[0].inertia)
    return robot.with_base("floating", body=trunk)


def test_a_free_base_against_the_matrices():
    """Equations (83)-(88): no wrench acts on the base."""
    for seed in range(30):
        robot = floating(seed)
        q, qd, qdd = map(np.array, random_state(robot.expanded(), seed))
        M, h = interpret(tf.inertia_matrix(robot), q), interpret(tf.bias(robot), q, qd)
        base = np.linalg.solve(M[:6, :6], -h[:6] - M[:6, 6:] @ qdd[6:])
        tau, acceleration = interpret(tf.inverse_dynamics(robot, free_base=True), q, qd, qdd[6:])
        assert acceleration == pytest.approx(base, rel=1e-8, abs=1e-8)
        assert tau == pytest.approx(M[6:, :6] @ base + M[6:, 6:] @ qdd[6:] + h[6:], rel=1e-8, abs=1e-8)


def test_a_free_base_needs_a_floating_one():
    with pytest.raises(tf.ProgramError, match="with_base"):
        tf.inverse_dynamics(tf.robots.planar2r(), free_base=True)
    with pytest.raises(tf.RobotError, match="hanging"):
        tf.robots.planar2r().with_base("hanging")
    with pytest.raises(tf.RobotError, match="spherical joint can have no k"):
        tf.Robot(name="r", joints=(tf.Joint(name="j", antecedent=0, sigma=3, k=1.0),), bodies=(tf.Body(name="b"),))
