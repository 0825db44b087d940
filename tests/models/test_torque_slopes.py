"""The derivatives of torques by composite bodies: proved equal to the differentiated recursion; where they apply."""

from dataclasses import replace

import pytest

import tauforge as tf
from tauforge.program import derivative as derivatives
from tauforge.robot.body import NO_LIFT
from tauforge.robot.kinds import HELICAL
from tauforge.spatial.vector import Vector

from ..random_robots import random_robot

INPUTS = ["q", "qd"]


@pytest.fixture
def always(monkeypatch):
    """Take the derivatives by composite bodies even if others cost less."""
    monkeypatch.setattr(derivatives, "LARGE", 0)


def proved(program):
    assert program.results["tau"].slopes
    ours, differentiated = (program.derivative("tau", INPUTS, mode=mode) for mode in ("auto", "forward"))
    assert ours.outputs == differentiated.outputs
    ours.certify(differentiated)


@pytest.mark.parametrize("seed", range(25))
def test_random_robots(seed, always):
    options = {"symbolic": seed % 2 == 0, "rotors": True, "equipped": seed % 3 == 0, "floating": seed % 4 == 0}
    robot = random_robot(seed, largest=6, **options)
    proved(tf.inverse_dynamics(replace(robot, bodies=tuple(replace(body, lift=NO_LIFT) for body in robot.bodies))))


@pytest.mark.parametrize("parameters", ["standard", "base", "least"])
def test_all_parameters(parameters, always):
    proved(tf.inverse_dynamics(tf.robots.stanford(symbolic=True), parameters=parameters))


def test_helical_joints_and_a_moving_base(always):
    robot = random_robot(5, smallest=4, largest=4)
    joints = [replace(joint, sigma=HELICAL, pitch=0.3) for joint in robot.joints[:1]]
    base = replace(robot.base, W0=Vector(0.1, 0.2, 0.3), VP0=Vector(1.0, 2.0, 3.0))
    proved(tf.inverse_dynamics(replace(robot, joints=(*joints, *robot.joints[1:]), base=base)))


def test_other_robots_are_differentiated(always):
    several = random_robot(3, smallest=3, largest=3, several=True)
    lifted = random_robot(3, largest=6, equipped=True)
    for program in (
        tf.inverse_dynamics(several),
        tf.inverse_dynamics(lifted),
        tf.inverse_dynamics(tf.robots.puma560(), external_wrenches=True),
        tf.inverse_dynamics(tf.robots.sr400()),
    ):
        program.derivative("tau", INPUTS).certify(program.derivative("tau", INPUTS, mode="forward"))


def test_parameters_without_effect_are_not_needed(always):
    program = tf.inverse_dynamics(random_robot(10, largest=6, symbolic=True, rotors=True))
    assert "XX5" not in program.parameters
    assert program.derivative("tau", INPUTS).parameters == program.derivative("tau", INPUTS, mode="forward").parameters


def test_new_nodes_are_differentiated_themselves():
    program = tf.inverse_dynamics(tf.robots.planar2r(symbolic=True))
    bound = program.bind(dict.fromkeys(program.parameters, 0.5))
    assert program.results["tau"].slopes
    assert bound.results["tau"].slopes is None


def test_the_cheaper_way_is_taken():
    puma, panda = (tf.inverse_dynamics(robot) for robot in (tf.robots.puma560(), tf.robots.panda(symbolic=True)))
    assert puma.derivative("tau", "q").count().total < 900  # 1336 by composite bodies
    assert (
        panda.derivative("tau", "qd").count().total < 0.6 * panda.derivative("tau", "qd", mode="forward").count().total
    )


def test_a_larger_robot_costs_much_less():
    robot = random_robot(1, smallest=12, largest=12, floating=True)
    program = tf.inverse_dynamics(robot)
    ours = program.derivative("tau", INPUTS).count().total
    assert ours < 0.7 * program.derivative("tau", INPUTS, mode="forward").count().total
