"""Robot: what it accepts, refuses, and can do."""

import math
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

import tauforge as tf
from tauforge.graph.node import symbol
from tauforge.robot.base import BASE_MOTION
from tauforge.robot.joint import Mimic

from ..random_robots import random_robot


def pendulum(**changes):
    joint = tf.Joint(name="hinge", antecedent=0, **changes)
    return tf.Robot(name="pendulum", joints=(joint,), bodies=(tf.Body(name="rod"),))


def test_numbers_texts_and_symbols_are_accepted():
    robot = pendulum(alpha="-Pi/2", d=1, r="2*L + 1", IA=symbol("J"))
    joint = robot.joints[0]
    assert joint.alpha == -math.pi / 2
    assert joint.d == 1.0
    assert isinstance(joint.d, float)
    assert str(joint.r) == "2*L + 1"
    assert robot.symbols == ("L", "J")


def test_it_is_frozen():
    with pytest.raises(FrozenInstanceError):
        pendulum().name = "other"
    with pytest.raises(FrozenInstanceError):
        pendulum().joints[0].d = 1.0


def test_bind():
    robot = pendulum(d="L", r="2*L")
    assert robot.bind(L=0.5).joints[0].r == 1.0
    assert robot.bind({"L": "K/2"}).symbols == ("K",)
    assert not robot.bind(L=0.5).symbols
    with pytest.raises(tf.RobotError, match="no symbol K"):
        robot.bind(K=1.0)
    for wrong in ("__import__('os')", math.nan, None, [1.0]):
        with pytest.raises(tf.RobotError, match="the value of L"):
            robot.bind(L=wrong)


def test_neglect():
    robot = pendulum(IA=1.0, FV=2.0, FS=3.0).neglect("IA", "FS")
    assert (robot.joints[0].IA, robot.joints[0].FV, robot.joints[0].FS) == (0.0, 2.0, 0.0)
    with pytest.raises(tf.RobotError, match="QQ"):
        robot.neglect("QQ")


def test_joint_order_and_fixed_joints():
    joints = tuple(
        tf.Joint(name=f"j{k}", antecedent=a, sigma=s) for k, (a, s) in enumerate([(0, 0), (1, 2), (2, 1), (1, 0)])
    )
    robot = tf.Robot(name="tree", joints=joints, bodies=tuple(tf.Body(name=f"b{k}") for k in range(4)))
    assert robot.dof == 3
    assert robot.joint_names == ("j0", "j2", "j3")
    assert robot.moving == (1, 3, 4)
    assert robot.children(1) == [2, 4]
    assert not robot.is_serial


@pytest.mark.parametrize("seed", range(6))
def test_the_names_of_q_and_qd_are_those_of_the_models_inputs(seed):
    fixed, floating = (random_robot(seed, largest=6, several=True, floating=x) for x in (False, True))
    for robot in (fixed, floating, floating.expanded(), fixed.with_base("floating", floating.base.body)):
        program = tf.inverse_dynamics(robot)
        assert program.inputs["q"].labels == (robot.coordinate_names,)
        assert program.inputs["qd"].labels == program.outputs["tau"].labels == (robot.velocity_names,)
        assert len(robot.velocity_names) == robot.dof
        assert len(robot.degrees) == sum(len(joint.axes) for joint in robot.expanded().joints)
    assert floating.dof == fixed.dof + 6
    assert floating.velocity_names == (
        *(f"base.{x}" for x in ["vx", "vy", "vz", "wx", "wy", "wz"]),
        *fixed.velocity_names,
    )
    assert floating.coordinate_names[:7] == tuple(f"base.{x}" for x in ["px", "py", "pz", "x", "y", "z", "w"])
    assert floating.joint_names == fixed.joint_names


def test_a_joint_that_follows_another_keeps_its_place_on_a_floating_base():
    arm = tf.robots.planar2r()
    follower = replace(arm.joints[1], mimic=Mimic(joint=1, ratio=2.0))
    robot = replace(arm, joints=(arm.joints[0], follower)).with_base("floating")
    assert robot.dof == 7
    assert robot.degrees == [*({k: 1.0} for k in range(7)), {6: 2.0}]


def test_equality_is_of_values():
    assert pendulum(d="L + 1") == pendulum(d=1 + symbol("L"))
    assert pendulum(d="L") != pendulum(d="K")
    assert pendulum() != "pendulum"
    assert pickle.loads(pickle.dumps(pendulum(d="L"))) == pendulum(d="L")
    base = tf.base_parameters(tf.robots.puma560()).robot
    assert base == base.map(lambda x: float(x))


def test_random_robots_are_valid_and_bind_whole():
    for seed in range(30):
        robot = random_robot(seed, symbolic=True)
        assert not robot.bind(dict.fromkeys(robot.symbols, 0.5)).symbols


REFUSED = {
    "sigma": ({"sigma": 99}, "sigma is 99.*revolute"),
    "a pitch": ({"pitch": 0.1}, "only helical joints"),
    "antecedent": ({"antecedent": 1}, "can only be attached to"),
    "negative antecedent": ({"antecedent": -1}, "can only be attached to"),
    "nan": ({"d": math.nan}, "finite"),
    "infinite": ({"alpha": math.inf}, "finite"),
    "no number": ({"d": None}, "d of joint"),
    "a boolean": ({"d": True}, "neither a number"),
    "bad text": ({"d": "2 +"}, "d of joint 'hinge'.*missing"),
    "a function's name": ({"d": symbol("sin")}, "cannot be a symbol's name"),
    "an odd symbol": ({"d": symbol("a b")}, "cannot be a symbol's name"),
    "variable in a parameter": ({"d": symbol("q1"), "variable": "q1"}, "also occurs in a parameter"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_refusals_name_place_and_fix(fault):
    changes, message = REFUSED[fault]
    with pytest.raises(tf.RobotError, match=message):
        tf.Robot(
            name="r", joints=(tf.Joint(**{"name": "hinge", "antecedent": 0, **changes}),), bodies=(tf.Body(name="b"),)
        )


def test_more_refusals():
    joint, body = tf.Joint(name="j", antecedent=0), tf.Body(name="b")
    with pytest.raises(tf.RobotError, match="at least one joint"):
        tf.Robot(name="r", joints=(), bodies=())
    with pytest.raises(tf.RobotError, match="2 joints but 1 links"):
        tf.Robot(name="r", joints=(joint, replace(joint, name="k")), bodies=(body,))
    with pytest.raises(tf.RobotError, match="two joints are called 'j'"):
        tf.Robot(name="r", joints=(joint, joint), bodies=(body, replace(body, name="c")))
    with pytest.raises(tf.RobotError, match="each needs its own"):
        tf.Robot(
            name="r",
            joints=(replace(joint, variable="q"), replace(joint, name="k", variable="q")),
            bodies=(body, replace(body, name="c")),
        )
    with pytest.raises(tf.RobotError, match="three"):
        tf.Robot(name="r", joints=(joint,), bodies=(body,), gravity=(0.0, 1.0))
    for gravity in (9.81, "down"):
        with pytest.raises(tf.RobotError, match="gravity"):
            tf.Robot(name="r", joints=(joint,), bodies=(body,), gravity=gravity)
    with pytest.raises(tf.RobotError, match="ten parameters"):
        tf.Body(name="b", inertia=(1.0,) * 9)
    with pytest.raises(tf.RobotError, match="must be an integer"):
        tf.Robot(name="r", joints=(replace(joint, antecedent="0"),), bodies=(body,))
    with pytest.raises(tf.RobotError, match="finite"):
        tf.Body(name="b", inertia=tf.Inertia(M=10**400))
    with pytest.raises(tf.RobotError, match="FX, FY"):
        tf.Body(name="b", wrench=(0.0,))


def test_negative_mass_is_a_warning():
    with pytest.warns(tf.RobotWarning, match="negative mass"):
        tf.Robot(
            name="r", joints=(tf.Joint(name="j", antecedent=0),), bodies=(tf.Body(name="b", inertia=tf.Inertia(M=-1)),)
        )


def test_bundled_robots_tell_their_source():
    for name in tf.robots.names():
        assert len(getattr(tf.robots, name).__doc__) > 60
        robot = tf.robots.bundled(name, symbolic=True)
        heavy = [j for j, body in enumerate(tf.robots.bundled(name).bodies, 1) if body.inertia != tf.Inertia()]
        assert {f"XX{j}" for j in heavy} <= set(robot.symbols)
        lengths = [x for joint in robot.joints for x in (joint.b, joint.d, joint.r) if isinstance(x, float)]
        assert name in ("gough_stewart", "delta", "planar_3rrr", "orthoglide") or not any(lengths)
        assert not any(getattr(robot.base, key) != (0.0, 0.0, 0.0) for key in BASE_MOTION)
    with pytest.raises(tf.RobotError, match="puma560"):
        tf.robots.bundled("pumma")
