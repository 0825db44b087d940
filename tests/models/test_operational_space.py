"""Operational space against the definition with NumPy, and what it means: a wrench gives the frame its acceleration."""

import numpy as np
import pytest

import tauforge as tf

from ..interpret import interpret
from ..random_robots import random_robot, random_state, seeds


def expected(robot, frame, rows, q, qd, damping):
    J = interpret(tf.jacobian(robot, frame=frame), q)[rows]
    rate = interpret(tf.jacobian_bias(robot, frame=frame), q, qd)[rows]
    M, h, g = interpret(tf.inertia_matrix(robot), q), interpret(tf.bias(robot), q, qd), interpret(tf.gravity(robot), q)
    inertia = np.linalg.inv(J @ np.linalg.solve(M, J.T) + damping**2 * np.eye(len(rows)))
    return inertia, inertia @ (J @ np.linalg.solve(M, h - g) - rate), inertia @ J @ np.linalg.solve(M, g)


@seeds(quick=5, all=60)
def test_definition(seed):
    robot = random_robot(
        seed, largest=5, rotors=True, several=seed % 3 == 0, floating=seed % 4 == 0, equipped=seed % 2 == 0
    )
    frame, names = robot.bodies[-1].name, ("vx", "vy", "vz", "wx", "wy", "wz")
    q, qd, _ = map(np.array, random_state(robot, seed))
    program = tf.operational_space(robot, frame=frame, damping=0.3)
    found = interpret(program, q, qd)
    for ours, theirs in zip(found, expected(robot, frame, list(range(6)), q, qd, 0.3), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-8)
    assert program.outputs["Lambda"].labels[0] == names


def test_a_wrench_gives_the_frame_its_acceleration():
    robot = tf.robots.puma560()
    q, qd, _ = map(np.array, random_state(robot, 2))
    inertia, mu, p = interpret(tf.operational_space(robot, frame="link6", parameters="base"), q, qd)
    a = np.array([0.3, -0.2, 0.5, 0.1, 0.4, -0.6])
    J = interpret(tf.jacobian(robot, frame="link6"), q)
    qdd = interpret(tf.direct_dynamics(robot), q, qd, J.T @ (inertia @ a + mu + p))
    assert J @ qdd + interpret(tf.jacobian_bias(robot, frame="link6"), q, qd) == pytest.approx(a, rel=1e-8)


def test_clear_refusals():
    robot = tf.robots.planar2r()
    with pytest.raises(tf.ProgramError, match="damping"):
        tf.operational_space(robot, frame="link2")
    with pytest.raises(tf.ProgramError, match="'up'"):
        tf.operational_space(robot, frame="link2", rows=["up"])
    with pytest.raises(tf.ProgramError, match="wrist"):
        tf.operational_space(robot, frame="wrist", rows=["vx", "vy"])
    assert tf.operational_space(robot, frame="link2", rows=["vx", "vy"], point=(1.0, 0.0, 0.0)).outputs["Lambda"] == (
        2,
        2,
    )
