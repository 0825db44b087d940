"""Robots with a singular inertia matrix: which joint is named, what cures it, and who is left alone."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.singular import weakest
from tauforge.robot.joint import Mimic

from ..random_robots import random_robot

NOTHING = tf.Inertia()
REFUSED = (tf.ProgramError, tf.RobotWarning)  # a RobotWarning is an error in the tests


def point(mass=1.0, x=0.5):
    """Return the inertia of a point mass on the x axis."""
    return tf.Inertia(YY=mass * x * x, ZZ=mass * x * x, MX=mass * x, M=mass)


def arm(*inertias, lengths=(0.0, 0.5, 0.5)):
    """Return a planar arm."""
    joints = tuple(tf.Joint(name=f"j{k}", antecedent=k - 1, d=d) for k, (_, d) in enumerate(zip(inertias, lengths), 1))  # noqa: B905
    bodies = tuple(tf.Body(name=f"l{k}", inertia=inertia) for k, inertia in enumerate(inertias, 1))
    return tf.Robot(name="arm", joints=joints, bodies=bodies)


COAXIAL = arm(NOTHING, point(), lengths=(0.0, 0.0))
TIP = arm(NOTHING, NOTHING, point())  # three joints for a point in a plane


def cured(robot, place, **rotor):
    """Return the robot with a joint's rotor inertia, or without that an inertia of its link."""
    joints, bodies = list(robot.joints), list(robot.bodies)
    if rotor:
        joints[place] = replace(joints[place], **rotor)
    else:
        bodies[place] = replace(bodies[place], inertia=tf.Inertia(ZZ=0.1))
    return replace(robot, joints=tuple(joints), bodies=tuple(bodies))


METHODS = ("auto", "articulated", "composite")
WAYS = {name: {"method": name} for name in METHODS} | {
    name: {"formulation": name} for name, each in tf.formulations().items() if "inertia" in each.offers
}


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_a_joint_without_inertia_is_named(options):
    """Each joint of a pair on one axis has an inertia, and both together have one only. Some ways see zero itself."""
    with pytest.raises(REFUSED, match=r"no inertia acts on joint 'j1' .*rotor inertia IA"):
        tf.direct_dynamics(COAXIAL, **options)
    for robot in (cured(COAXIAL, 0), cured(COAXIAL, 0, IA=0.1)):
        assert np.isfinite(tf.direct_dynamics(robot, **options).compile()(*np.ones((3, 2)))).all()


def test_other_models_name_it_too():
    with pytest.raises(REFUSED, match="no inertia acts on joint 'j1'"):
        tf.operational_space(COAXIAL, frame="l2", rows=["wz"])
    slider = tf.Joint(name="slider", antecedent=2, sigma=1)
    follower = tf.Joint(name="follower", antecedent=0, sigma=1, mimic=Mimic(joint=3))
    more = (tf.Body(name="a"), tf.Body(name="b", inertia=point()))
    both = replace(COAXIAL, joints=(*COAXIAL.joints, slider, follower), bodies=(*COAXIAL.bodies, *more))
    with pytest.raises(REFUSED, match="no inertia acts on joint 'j1'"):
        tf.hybrid_dynamics(both, accelerated=["slider"])
    tf.hybrid_dynamics(both, accelerated=["j1"])
    ball = tf.Joint(name="ball", antecedent=0, sigma=3)
    rod = tf.Robot(name="rod", joints=(ball,), bodies=(tf.Body(name="rod", inertia=point()),))
    for method in ("articulated", "composite"):
        with pytest.raises(tf.ProgramError, match=r"'ball\.wx'"):
            tf.direct_dynamics(rod, method=method)


def test_a_row_that_no_joint_moves_is_named():
    robot = tf.robots.planar2r()
    frame = robot.bodies[-1].name
    with pytest.raises(tf.ProgramError, match=f"no joint moves {frame} along vz .*damping"):
        tf.operational_space(robot, frame=frame, rows=["vx", "vz"])
    tf.operational_space(robot, frame=frame, rows=["vx", "vz"], damping=0.1)


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_noise_is_warned_of_once(options):
    with pytest.warns(tf.RobotWarning) as heard:
        program = tf.direct_dynamics(TIP, **options)
    assert len(heard) == 1
    assert heard[0].filename == __file__
    assert "arm: next to no inertia acts on joint 'j1'" in str(heard[0].message)
    program.compile()  # the leaner equal says nothing more


def test_each_cure_works_and_less_is_too_little():
    for robot in (cured(TIP, 0), cured(TIP, 0, IA=1e-3), cured(TIP, 1, IA=1e-3)):
        tf.direct_dynamics(robot)  # where a RobotWarning is an error
    for tiny in (1e-15, 1e-18):
        with pytest.warns(tf.RobotWarning, match="'j1'"):
            tf.direct_dynamics(cured(TIP, 0, IA=tiny))


def test_only_what_is_solved_for_matters():
    for joint in TIP.joint_names:
        tf.hybrid_dynamics(TIP, accelerated=[joint])
    tf.inverse_dynamics(TIP).compile()
    with pytest.warns(tf.RobotWarning, match="'j1'"):
        tf.hybrid_dynamics(TIP, accelerated=[])
    with pytest.warns(tf.RobotWarning, match="'j1'"):
        tf.operational_space(TIP, frame="l3", rows=["vx"])


def test_a_free_base_that_nothing_resists_is_warned_of():
    """A point mass, and two on one line, leave a base free to turn, whatever the joints do."""
    for robot in (TIP, arm(point(), point())):
        floating = robot.with_base("floating")
        tf.inverse_dynamics(floating)  # where a RobotWarning is an error
        with pytest.raises(REFUSED, match=r"no inertia acts on joint 'base\."):
            tf.inverse_dynamics(floating, free_base=True)
    sound = arm(tf.Inertia(1.0, 0.0, 0.0, 1.0, 0.0, 1.0, M=1.0), point()).with_base("floating")
    tf.inverse_dynamics(sound, free_base=True)


def test_scale_is_no_matter():
    """A light finger on a heavy gantry, and a speck alone, have accelerations to the last digit."""
    gantry = tf.Robot(
        name="gantry",
        joints=(tf.Joint(name="x", antecedent=0, sigma=1), tf.Joint(name="finger", antecedent=1, sigma=1, alpha=1.5)),
        bodies=(tf.Body(name="a", inertia=tf.Inertia(M=1e6)), tf.Body(name="b", inertia=tf.Inertia(M=1e-12))),
    )
    for robot in (gantry, arm(tf.Inertia(ZZ=1e-20))):
        tf.direct_dynamics(robot)


def test_symbols_do_not_hide_it():
    """Whatever the values, which are random; where these have no meaning, nothing is said."""
    mass, length = tf.symbol("m"), tf.symbol("L")
    tip = arm(NOTHING, NOTHING, point(mass, length), lengths=(0.0, length, length))
    with pytest.warns(tf.RobotWarning, match="'j1'"):
        tf.direct_dynamics(tip)
    tf.direct_dynamics(arm(NOTHING, point(mass, length), lengths=(0.0, length)))
    tf.direct_dynamics(tip.bind(m="sqrt(-L)"))


def test_symbols_that_cure_and_singular_states_are_left_alone():
    tf.direct_dynamics(cured(TIP, 0, IA="I"))
    elbow = arm(NOTHING, point())  # singular where the arm is stretched, which is one state of many
    tf.direct_dynamics(elbow)


@pytest.mark.parametrize("seed", range(12))
def test_the_matrix_of_numbers_agrees(seed):
    """A massless joint on top of any joint's axis is found, and sound robots are not."""
    robot = random_robot(seed, smallest=3, largest=6, several=seed % 2 == 0, floating=seed % 3 == 0, fixed=False)
    assert weakest(robot, robot.velocity_names) is None
    last = len(robot.joints)
    doubled = tuple(tf.Joint(name=f"again{k}", antecedent=last + k, theta=0.3) for k in range(2))
    bodies = (*robot.bodies, tf.Body(name="massless"), tf.Body(name="tool", inertia=robot.bodies[0].inertia))
    weak = replace(robot, joints=(*robot.joints, *doubled), bodies=bodies)
    assert weakest(weak, weak.velocity_names) == "again0"
    with pytest.raises(REFUSED, match="'again0'"):
        tf.direct_dynamics(weak)
