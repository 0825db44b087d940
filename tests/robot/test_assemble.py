"""Mimic joints, constant frames, merging, locking, attaching and loading, against the unreduced robot."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Mimic
from tauforge.robot.placement import placement
from tests.interpret import interpret
from tests.random_robots import random_robot, random_state, seeds


def with_mimics(seed: int) -> tuple[tf.Robot, np.ndarray, np.ndarray]:
    """Return a robot some of whose joints follow others, and the matrix and the offsets of q_all = S q + c."""
    rng = np.random.default_rng(seed)
    robot = random_robot(seed, largest=7)
    while sum(len(j.axes) for j in robot.joints) < 3:
        seed += 1000
        robot = random_robot(seed, largest=7)
    moving = list(robot.moving)
    master = moving[int(rng.integers(len(moving)))]
    followers = [j for j in moving if j != master][:2]
    joints = list(robot.joints)
    for j in followers:
        joints[j - 1] = replace(
            joints[j - 1], mimic=Mimic(joint=master, ratio=rng.uniform(-2, 2), offset=rng.uniform(-1, 1))
        )
    free = [j for j in moving if j not in followers]
    S, c = np.zeros((len(moving), len(free))), np.zeros(len(moving))
    for row, j in enumerate(moving):
        mimic = joints[j - 1].mimic
        S[row, free.index(mimic.joint if mimic else j)] = mimic.ratio if mimic else 1.0
        c[row] = mimic.offset if mimic else 0.0
    return replace(robot, joints=tuple(joints)), S, c


@seeds(quick=4, all=12)
def test_mimic_joints_in_every_model(seed):
    robot, S, c = with_mimics(seed)
    whole, rng = robot.tree(), np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-1, 1, (3, robot.dof))
    Q, Qd, Qdd = S @ q + c, S @ qd, S @ qdd
    close = {"rtol": 1e-9, "atol": 1e-9}
    tau = S.T @ interpret(tf.inverse_dynamics(whole), Q, Qd, Qdd)
    np.testing.assert_allclose(interpret(tf.inverse_dynamics(robot), q, qd, qdd), tau, **close)
    np.testing.assert_allclose(interpret(tf.inverse_dynamics(robot, parameters="base"), q, qd, qdd), tau, **close)
    np.testing.assert_allclose(interpret(tf.direct_dynamics(robot), q, qd, tau), qdd, rtol=1e-6, atol=1e-7)
    M = S.T @ interpret(tf.inertia_matrix(whole), Q) @ S
    np.testing.assert_allclose(interpret(tf.inertia_matrix(robot), q), M, **close)
    C = S.T @ interpret(tf.coriolis_matrix(whole), Q, Qd) @ S
    np.testing.assert_allclose(interpret(tf.coriolis_matrix(robot), q, qd), C, **close)
    np.testing.assert_allclose(interpret(tf.gravity(robot), q), S.T @ interpret(tf.gravity(whole), Q), **close)
    np.testing.assert_allclose(interpret(tf.friction(robot), qd), S.T @ interpret(tf.friction(whole), Qd), **close)
    np.testing.assert_allclose(interpret(tf.energy(robot), q, qd), interpret(tf.energy(whole), Q, Qd), **close)
    frame = robot.bodies[-1].name
    J = interpret(tf.jacobian(whole, frame=frame), Q) @ S
    np.testing.assert_allclose(interpret(tf.jacobian(robot, frame=frame), q), J, **close)
    np.testing.assert_allclose(
        interpret(tf.jacobian_rate(robot, frame=frame), q, qd),
        interpret(tf.jacobian_rate(whole, frame=frame), Q, Qd) @ S,
        **close,
    )
    A = interpret(tf.centroidal_matrix(whole), Q) @ S
    np.testing.assert_allclose(interpret(tf.centroidal_matrix(robot), q), A, **close)
    com = interpret(tf.centre_of_mass_jacobian(whole), Q) @ S
    np.testing.assert_allclose(interpret(tf.centre_of_mass_jacobian(robot), q), com, **close)
    regressor = S.T @ interpret(tf.regressor(whole), Q, Qd, Qdd)
    np.testing.assert_allclose(interpret(tf.regressor(robot), q, qd, qdd), regressor, **close)
    hybrid = tf.hybrid_dynamics(robot, accelerated=robot.joint_names[:1])
    efforts, accelerations = interpret(hybrid, q, qd, qdd[:1], tau[1:])
    np.testing.assert_allclose(efforts, tau[:1], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(accelerations, qdd[1:], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(interpret(tf.integrate(robot), q, qd), q + qd)


@pytest.mark.parametrize("seed", range(4))
def test_mimic_joints_on_a_free_base(seed):
    robot = with_mimics(seed)[0].with_base("floating", tf.Body(name="trunk", inertia=random_robot(3).bodies[0].inertia))
    q, qd, qdd = random_state(robot.tree().expanded(), seed)
    count = robot.expanded().dof
    q = [*q[:7], *q[7 : 1 + count]]
    tau, base = interpret(tf.inverse_dynamics(robot, free_base=True), q, qd[:count], qdd[6:count])
    expected = interpret(tf.inverse_dynamics(robot), q, qd[:count], [*base, *qdd[6:count]])
    np.testing.assert_allclose(expected, [*[0.0] * 6, *tau], atol=1e-7)


def test_base_parameters_of_mimic_joints_are_minimal():
    for seed in range(6):
        robot = with_mimics(seed)[0]
        base = tf.base_parameters(robot)
        Y = tf.regressor(robot, parameters="base", actuators=())
        rng = np.random.default_rng(seed)
        rows = np.vstack([interpret(Y, *rng.uniform(-2, 2, (3, robot.dof))) for _ in range(60)])
        rank = np.linalg.matrix_rank(rows / np.linalg.norm(rows, axis=0), tol=1e-8)
        assert rank == base.count


@seeds(quick=4, all=12)
def test_merged_links_act_as_before(seed):
    robot = random_robot(seed, largest=8, fixed=True)
    small = robot.merged()
    assert all(joint.sigma != 2 for joint in small.joints)
    q, qd, qdd = random_state(robot, seed)
    for model in (tf.inverse_dynamics,):
        np.testing.assert_allclose(interpret(model(small), q, qd, qdd), interpret(model(robot), q, qd, qdd), atol=1e-9)
    names = [body.name for body in robot.bodies]
    np.testing.assert_allclose(
        interpret(tf.transforms(small, frames=names), q), interpret(tf.transforms(robot, frames=names), q), atol=1e-12
    )
    last = names[-1]
    np.testing.assert_allclose(
        interpret(tf.jacobian(small, frame=last, axes="frame"), q),
        interpret(tf.jacobian(robot, frame=last, axes="frame"), q),
        atol=1e-12,
    )


@seeds(quick=4, all=12)
def test_locked_joints(seed):
    robot = random_robot(seed, largest=8)
    names = robot.joint_names[:: 2 if len(robot.joint_names) > 2 else 3][1:]
    positions = {name: 0.3 + k for k, name in enumerate(names)}
    q, qd, qdd = random_state(robot, seed)
    free = [k for k, name in enumerate(robot.joint_names) if name not in positions]
    full = [np.zeros(robot.dof) for _ in range(3)]
    for whole, own in zip(full, (q, qd, qdd), strict=True):
        whole[free] = np.array(own)[free]
    for name, value in positions.items():
        full[0][robot.joint_names.index(name)] = value
    small = robot.lock(positions)
    expected = interpret(tf.inverse_dynamics(robot), *full)[free]
    found = interpret(tf.inverse_dynamics(small), *(np.array(x)[free] for x in full))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_locked_master_locks_those_that_follow():
    robot = with_mimics(1)[0]
    master = next(robot.joints[joint.mimic.joint - 1] for joint in robot.joints if joint.mimic)
    small = robot.lock({master.name: 0.4})
    assert not any(joint.mimic for joint in small.joints)
    assert small.dof == robot.dof - 1


def test_payload_and_attached_tool_are_the_same():
    arm = tf.robots.puma560()
    tool = tf.Robot(
        name="tool",
        joints=(tf.Joint(name="mount", antecedent=0, sigma=2, alpha=0.3, d=0.1, r=0.2),),
        bodies=(tf.Body(name="hammer", inertia=tf.Inertia(0.1, 0.01, 0, 0.1, 0, 0.1, 0.2, 0, 0.1, 1.5)),),
    )
    q, qd, qdd = random_state(arm, 1)
    flange = arm.bodies[-1].name
    with_tool = arm.attach(tool, at=flange)
    assert with_tool.bodies[-1].name == "hammer"
    com = np.array([0.2, 0, 0.1]) / 1.5
    J = np.array([[0.1, 0.01, 0], [0.01, 0.1, 0], [0, 0, 0.1]]) - 1.5 * (com @ com * np.eye(3) - np.outer(com, com))
    at = with_tool.merged()
    loaded = replace(arm, frames=at.frames).payload(1.5, com, J, at="hammer")
    expected = interpret(tf.inverse_dynamics(with_tool), q, qd, qdd)
    for robot in (at, loaded):
        np.testing.assert_allclose(interpret(tf.inverse_dynamics(robot), q, qd, qdd), expected, atol=1e-12)


def test_attaching_needs_names_of_its_own():
    arm = tf.robots.rrp(symbolic=True)
    with pytest.raises(tf.RobotError, match="already"):
        arm.attach(arm, at=arm.bodies[-1].name)
    both = arm.attach(arm, at=arm.bodies[-1].name, name="second")
    assert both.dof == 2 * arm.dof
    assert both.joints[-1].name == "second_" + arm.joints[-1].name


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda arm: arm.lock({"elbow": 1.0}), "no joint 'elbow'"),
        (lambda arm: arm.payload(1.0, at="hand"), "no link, frame or joint 'hand'"),
        (lambda arm: arm.payload(-1.0, at="link6"), "positive"),
        (lambda arm: arm.payload(1.0, [0, 0], at="link6"), "three numbers"),
        (lambda arm: arm.payload(1.0, [0, 0, 0], [[1, 2, 0], [0, 1, 0], [0, 0, 1]], at="link6"), "symmetric"),
        (lambda arm: replace(arm, joints=(replace(arm.joints[0], mimic=Mimic(joint=9)), *arm.joints[1:])), "1 to 6"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(tf.RobotError, match=message):
        make(tf.robots.puma560())


def test_placement_gives_back_the_pose():
    rng = np.random.default_rng(0)
    quarter = [k * math.pi / 2 for k in range(-2, 3)]
    for _ in range(500):
        joint = tf.Joint(
            name="j",
            antecedent=0,
            **{k: float(rng.choice([*quarter, rng.uniform(-3, 3), 1e-7, 1e-4])) for k in ("gamma", "alpha", "theta")},
            **{k: float(rng.choice([0.0, 0.3, -0.2])) for k in ("b", "d", "e", "r")},
        )
        pose = joint.pose().in_numbers()
        again = tf.Joint(name="j", antecedent=0, **placement(pose)).pose().in_numbers()
        np.testing.assert_allclose(again.homogeneous, pose.homogeneous, atol=1e-14)


def test_what_is_not_a_position_or_a_loop():
    with pytest.raises(tf.RobotError, match=r"lock was given 'crank'; give positions too, as in lock\(\{"):
        tf.robots.fourbar().lock("crank")
    for wrong in ("pivot", tf.Loop(joint="a", frame="b")):
        with pytest.raises(tf.RobotError, match=r"is not a Loop of two Joints; robot\.with_loop makes one"):
            replace(tf.robots.fourbar(), loops=(wrong,))
