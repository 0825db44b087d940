"""Inverse dynamics without the map G equals that with it, for cut joints of every kind and whichever is cheaper."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.inverse_dynamics import newton_euler
from tauforge.models.loops.search import mechanism_of
from tauforge.models.loops.through_loops import torques_through_loops
from tauforge.models.prepare import entries, prepare
from tauforge.models.results import program, vector
from tauforge.program.array import outputs
from tests.interpret import interpret
from tests.random_loops import random_mechanism
from tests.random_parallel import neutral, random_parallel
from tests.random_robots import seeds


def both_ways(robot):
    """Return the Program with both results, and whether there is a second one."""
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    qd, qdd = (entries(robot, state.coordinates, arrays[name], name) for name in ("qd", "qdd"))
    found = torques_through_loops(robot, state, qd, qdd)
    if found is None:
        return None
    names = state.coordinates.names
    results = {
        "mapped": vector(state.coordinates, newton_euler(robot, state), "by G"),
        "walked": outputs(found.tau, [len(names)], [names], "without G"),
    }
    return program("both", robot, arrays, results)


def check(robot, q, seed):
    made = both_ways(robot)
    if made is None:
        return False
    qd, qdd = np.random.default_rng(seed).normal(size=(2, len(robot.velocity_names)))
    mapped, walked = interpret(made, q, qd, qdd)
    J = mechanism_of(robot).equations(q)
    rest = [k for k, name in enumerate(robot.tree().velocity_names) if name not in robot.velocity_names]
    scale = max(1.0, np.abs(mapped).max()) * np.linalg.cond(J[:, rest]) ** 2
    np.testing.assert_allclose(walked, mapped, atol=1e-11 * scale)
    return True


@pytest.mark.parametrize(
    ("name", "independent"),
    [
        ("fourbar", ()),
        ("slider_crank", ()),
        ("fivebar", ()),
        ("planar_3rrr", ()),
        ("planar_3rrr", ("platform",)),
        ("delta", ()),
        ("orthoglide", ()),
    ],
)
def test_both_ways_are_certified(name, independent):
    """Legs of platforms on ball joints are left out: there, the ways are equal at closed states only."""
    made = both_ways(tf.robots.bundled(name).with_independent(*independent))
    mapped, walked = (replace(made, results={"tau": made.results[way]}) for way in ("mapped", "walked"))
    assert mapped.certify(walked).probability < 1e-30
    tau = made.results["walked"]
    wrong = replace(made, results={"tau": replace(tau, nodes=(tau.nodes[0] * 1.001, *tau.nodes[1:]))})
    with pytest.raises(tf.CertificationError, match="not equal"):
        mapped.certify(wrong)


@seeds(quick=3, all=200)
def test_random_loops(seed):
    robot, q = random_mechanism(seed)
    q = mechanism_of(robot).closed_from(q)
    assert check(robot, q, seed)


@seeds(quick=1, all=40)
@pytest.mark.parametrize("mobility", ["floating", "translation", "planar"])
def test_random_parallel_robots(seed, mobility):
    robot = random_parallel(seed, mobility)
    assert check(robot, neutral(robot), seed) or mobility == "translation"


@seeds(quick=1, all=40)
@pytest.mark.parametrize("where", ["near", "far", "on an arm"])
def test_platforms_with_ball_joints(seed, where):
    """Platforms are seen in the axes of what carries them, the legs' feet near its origin or far from it."""
    robot = random_parallel(seed, "floating")
    if where != "near":
        reach = 1.0 if where == "on an arm" else 300.0
        flange = tf.Joint(name="flange", antecedent=2, sigma=2, d=reach, e=0.5 * reach, alpha=0.3)
        arm = tf.robots.planar2r()
        arm = tf.Robot(name="arm", joints=arm.joints, bodies=arm.bodies, frames=(flange,))
        robot = arm.attach(robot, at="flange", name="upper")
    kept = [name for name in robot.joint_names if "leg" not in name]
    assert check(robot.with_independent(*kept), neutral(robot), seed)


def test_levers_do_not_depend_on_where_the_base_is():
    """With the feet far from the origin, results are as accurate as near it."""
    found = []
    for x in (0.0, 1e4):
        legs = []
        for k, angle in enumerate(np.repeat(np.arange(3) * 2 * np.pi / 3, 2)):
            foot, top = angle + 0.3 * (-1) ** k, angle + 0.75 * (-1) ** k
            start = (x + np.cos(foot), np.sin(foot), 0.0)
            legs.append(tf.leg("UPS", [start, (x + 0.5 * np.cos(top), 0.5 * np.sin(top), 1.0)]))
        plate = tf.Body(name="platform", inertia=tf.Inertia(XX=0.4, YY=0.4, ZZ=0.7, M=5.0))
        robot = tf.parallel_robot(plate, legs, home=(x, 0.0, 1.0)).with_independent("platform")
        model = tf.inverse_dynamics(robot, efforts="motors")
        found.append(interpret(model, neutral(robot), np.linspace(-1, 1, 6), np.linspace(2, -1, 6)))
    np.testing.assert_allclose(*found, rtol=1e-9)
