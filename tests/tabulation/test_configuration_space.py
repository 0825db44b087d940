"""The configuration space method: tables that are as large as they must be, and an error of second order."""

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import tauforge as tf
from tauforge.formulations.counting import count

from ..random_robots import random_robot

RANGES = {f"joint{j}": (-0.4, 0.6) for j in range(1, 9)}


def orders(robot, resolutions=(12, 24, 48), **options):
    """Return the powers of the step with which each joint's error falls."""
    errors = [tf.configuration_space(robot, resolution=n, **options).error() for n in resolutions]
    exact = errors[0] < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        falls = [np.log2(before / after) for before, after in pairwise(errors)]
    return [x[~exact] for x in falls]


@pytest.mark.parametrize("robot", [tf.robots.planar2r(), tf.robots.scara()], ids=lambda r: r.name)
def test_the_error_falls_with_the_square_of_the_step(robot):
    for order in orders(robot):
        assert order == pytest.approx(np.full(order.shape, 2.0), abs=0.25)


@pytest.mark.parametrize("seed", [2, 5, 8, 11])
def test_random_robots_within_ranges(seed):
    robot = random_robot(seed, largest=3, rotors=True)
    coarse, fine = (tf.configuration_space(robot, resolution=n, ranges=RANGES).error() for n in (9, 17))
    assert (fine <= 0.4 * coarse + 1e-9).all()


def test_exact_on_the_grid_and_periodic():
    robot = tf.robots.planar2r()
    space = tf.configuration_space(robot, resolution=16)
    step = 2 * np.pi / 16
    q = np.array([[3, -5], [7, 8], [-8, 0]]) * step
    qd, qdd = np.random.default_rng(0).uniform(-1, 1, (2, 3, 2))
    exact = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    np.testing.assert_allclose(space(q, qd, qdd), exact, atol=1e-12)
    np.testing.assert_allclose(space(q + np.array([4 * np.pi, -2 * np.pi]), qd, qdd), exact, atol=1e-12)
    assert space(q[0], qd[0], qdd[0]).shape == (2,)
    assert space(q[:, None], qd, qdd).shape == (3, 3, 2)


def test_only_what_must_be_is_stored():
    """The PUMA's terms depend neither on the first joint nor, its hand being round, on the last."""
    space = tf.configuration_space(tf.robots.puma560(), resolution=4)
    assert max((table.coordinates for table in space.tables), key=len) == (1, 2, 3, 4)
    everything = 6 + 6 * 6 + 6 * 6 * 6
    assert sum(len(table.terms) for table in space.tables) < everything / 3
    room = [-(-len(table.terms) // 4) * 4 for table in space.tables]  # four terms are read at a time
    assert space.memory == 8 * sum(n * 4 ** len(t.coordinates) for n, t in zip(room, space.tables, strict=True))


def test_friction_springs_and_rotors():
    robot = tf.robots.planar2r()
    joints = tuple(replace(x, IA=0.4, FV=0.3, FS=0.2, eta=1, k=5.0, rest=0.1) for x in robot.joints)
    robot = replace(robot, joints=joints)
    assert tf.configuration_space(robot, resolution=256).error().max() < 5e-3
    space = tf.configuration_space(robot, resolution=8)
    q, qd, qdd = np.zeros((1, 2)), np.array([[0.5, -0.5]]), np.zeros((1, 2))
    np.testing.assert_allclose(space(q, qd, qdd), tf.inverse_dynamics(robot).compile()(q, qd, qdd), atol=1e-12)


def test_a_robot_without_tables():
    lift = tf.Robot(
        name="lift",
        joints=(tf.Joint(name="up", antecedent=0, sigma=1),),
        bodies=(tf.Body(name="cage", inertia=tf.Inertia(M=2.0)),),
    )
    space = tf.configuration_space(lift)
    assert space.memory == 0
    assert space([0.1], [0.2], [0.3]) == pytest.approx([2.0 * (0.3 + 9.81)])


def test_published_cost_and_the_argument_for_fewer_than_nine_joints():
    made = count("configuration-space")
    assert (made.mul, made.add) == (468, 264)
    cheaper = [n for n in range(2, 13) if count("configuration-space", n).mul < count("newton-euler-link", n).mul]
    assert cheaper == [2, 3, 4, 5, 6, 7, 8]


def test_it_can_be_pickled():
    space = tf.configuration_space(tf.robots.planar2r(), resolution=8)
    state = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    assert (pickle.loads(pickle.dumps(space))(*state) == space(*state)).all()


def test_interpolation_is_counted():
    space = tf.configuration_space(tf.robots.planar2r(), resolution=4)
    assert space.count().total > space.program.count().total


def test_clear_refusals():
    with pytest.raises(tf.ProgramError, match=r"MB.*times coarser"):
        tf.configuration_space(tf.robots.puma560(), resolution=200)
    with pytest.raises(tf.ProgramError, match="need numbers"):
        tf.configuration_space(tf.robots.rx90(symbolic=True))
    with pytest.raises(tf.ProgramError, match=r"tf\.configuration_space"):
        tf.inverse_dynamics(tf.robots.planar2r(), formulation="configuration-space")
    arm = tf.robots.planar2r()
    sliding = replace(arm, joints=(arm.joints[0], replace(arm.joints[1], sigma=1, alpha=1.5)))
    with pytest.raises(tf.ProgramError, match=r"prismatic.*ranges="):
        tf.configuration_space(sliding)
    with pytest.raises(tf.ProgramError, match="two or more"):
        tf.configuration_space(arm, resolution=1)
    with pytest.raises(tf.ProgramError, match="smaller"):
        tf.configuration_space(arm, ranges={"joint2": (1.0, -1.0)})
    with pytest.raises(tf.ProgramError, match="joint2 leaves the tables"):
        tf.configuration_space(arm, ranges={"joint2": (-1.0, 1.0)})([0.0, 1.5], [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(tf.ProgramError, match="floating"):
        tf.configuration_space(arm.with_base("floating"))
