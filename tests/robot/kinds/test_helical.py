"""Helical joints: what they equal, and where they can be written."""

from dataclasses import replace

import pytest

import tauforge as tf
from tauforge.robot.joint import Mimic
from tauforge.robot.kinds import HELICAL, PRISMATIC, REVOLUTE
from tauforge.robot.robot import DOWN

from ...interpret import interpret
from ...random_robots import random_robot

MODELS = (tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix, tf.coriolis_matrix, tf.energy, tf.regressor)


def with_screw(robot, pitch, **changes):
    """Return the robot with its second joint helical."""
    first, second, *rest = robot.joints
    return replace(robot, joints=(first, replace(second, sigma=HELICAL, pitch=pitch, **changes), *rest))


def arm(seed, **options):
    return random_robot(seed, smallest=3, largest=3, symbolic=True, fixed=False, **options)


@pytest.mark.parametrize("model", MODELS)
def test_without_pitch_it_is_revolute(model):
    robot = arm(1)
    revolute = replace(robot, joints=tuple(replace(joint, sigma=REVOLUTE) for joint in robot.joints))
    assert model(with_screw(revolute, 0.0)).certify(model(revolute))


def test_without_pitch_it_costs_no_more():
    robot = random_robot(2, smallest=3, largest=3, fixed=False)
    revolute = replace(robot, joints=tuple(replace(joint, sigma=REVOLUTE) for joint in robot.joints))
    ours, theirs = (tf.inverse_dynamics(x).count() for x in (with_screw(revolute, 0.0), revolute))
    assert ours == theirs


@pytest.mark.parametrize("model", MODELS[:-1])
def test_it_is_a_slide_that_follows_a_hinge(model):
    robot = arm(2)
    first, second, third = robot.joints
    hinge = replace(second, sigma=REVOLUTE)
    slide = tf.Joint(name="slide", antecedent=2, sigma=PRISMATIC, mimic=Mimic(joint=2, ratio=0.25))
    bodies = (robot.bodies[0], tf.Body(name="nothing"), *robot.bodies[1:])
    pair = replace(robot, joints=(first, hinge, slide, replace(third, antecedent=3)), bodies=bodies)
    assert model(with_screw(robot, 0.25)).certify(model(pair))


def test_the_pitch_may_be_a_symbol():
    robot = with_screw(arm(3), "p")
    assert "p" in robot.symbols
    bound = tf.inverse_dynamics(robot.bind(p=0.1))
    assert tf.inverse_dynamics(robot).bind(p=0.1).certify(bound)


def test_it_may_follow_another_and_be_locked():
    robot = with_screw(arm(4), 0.1, mimic=Mimic(joint=1, ratio=2.0, offset=0.5))
    assert robot.dof == 2
    free = with_screw(random_robot(4, smallest=3, largest=3, fixed=False), 0.1)
    held = free.lock({"joint2": 0.5})
    whole, q = interpret(tf.transforms(free, frames="link3"), [0.1, 0.5, 0.2]), [0.1, 0.2]
    assert interpret(tf.transforms(held, frames="link3"), q) == pytest.approx(whole)


def test_the_table_and_the_formats_say_the_pitch(tmp_path):
    robot = with_screw(random_robot(5, smallest=2, largest=2, fixed=False), 0.25, r=0.5, variable="")
    robot = replace(robot, gravity=DOWN)
    assert "0.25*th2 + 0.5" in tf.inverse_dynamics(robot).code("c")
    robot.save(tmp_path / "screw.toml")
    assert 'type = "helical"' in (tmp_path / "screw.toml").read_text()
    assert tf.load(tmp_path / "screw.toml") == robot
    for ending in (".par", ".urdf"):
        with pytest.raises(tf.RobotError, match=r"helical.*toml"):
            robot.save(tmp_path / f"screw{ending}")


def test_its_base_parameters_are_as_many_as_the_rank():
    """Without gravity, mass and inertia about the axis of a screw on the ground cannot be told apart."""
    body = tf.Body(name="nut", inertia=tf.Inertia(M=1.0, ZZ=0.1))
    screw = tf.Joint(name="screw", antecedent=0, sigma=HELICAL, pitch=0.5)
    nut = tf.Robot(name="nut", joints=(screw,), bodies=(body,), gravity=(0.0, 0.0, 0.0))
    base = tf.base_parameters(nut)
    assert base.names == ("ZZ1R",)
    assert str(base.relations["ZZ1R"]) == "0.25*M1 + ZZ1"
    assert tf.inverse_dynamics(nut).certify(tf.inverse_dynamics(nut, parameters="base"))
