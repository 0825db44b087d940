"""What is said of a robot is true of it."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Mimic
from tauforge.view.description import BaseCount, count_base_parameters, describe

from ..interpret import interpret
from ..random_robots import random_robot


@pytest.mark.parametrize("seed", range(6))
def test_mass_and_centre_at_zero(seed):
    robot = random_robot(seed, largest=6)
    joints = list(robot.joints)
    if len(robot.moving) > 1:
        first, second, *_ = robot.moving
        joints[second - 1] = replace(joints[second - 1], mimic=Mimic(joint=first, ratio=2.0, offset=0.3))
    robot = replace(robot, joints=tuple(joints))
    com = interpret(tf.centre_of_mass(robot), [0.0] * robot.dof)
    np.testing.assert_allclose(describe(robot).centre, com, atol=1e-12)
    floating = robot.with_base("floating", tf.Body(name="trunk", inertia=robot.bodies[0].inertia))
    com = interpret(tf.centre_of_mass(floating), [*[0.0] * 6, 1.0, *[0.0] * robot.dof])
    found = describe(floating)
    np.testing.assert_allclose(found.centre, com, atol=1e-12)
    masses = [float(body.inertia.M) for body in (*robot.bodies, robot.bodies[0])]
    assert found.mass == pytest.approx(sum(masses))


def test_what_is_not_a_number_is_not_said():
    assert (describe(tf.robots.rrp(symbolic=True)).mass, describe(tf.robots.rrp(symbolic=True)).centre) == (None, None)
    bare = tf.Robot(name="bare", joints=(tf.Joint(name="a", antecedent=0),), bodies=(tf.Body(name="b"),))
    assert (describe(bare).mass, describe(bare).centre) == (0.0, None)


def test_links_say_what_they_are_attached_to():
    robot = random_robot(3, largest=9)
    base, *links = describe(robot).links
    assert (base.name, base.kind, base.parent) == ("base", "fixed", None)
    assert [link.parent for link in links] == [joint.antecedent for joint in robot.joints]
    assert [link.name for link in links] == [body.name for body in robot.bodies]


def test_base_parameters_are_counted():
    puma = tf.robots.puma560()
    assert count_base_parameters(puma) == BaseCount(tf.base_parameters(puma).count, 60, 4)
