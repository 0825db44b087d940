"""Parallel robots from platforms and legs: where they are assembled, their mobility, stacks, and what is refused."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.loops.freedom import freedom
from tests.random_parallel import neutral, platform_of, random_parallel
from tests.random_robots import seeds

PLATE = tf.Body(name="platform", inertia=tf.Inertia(1.0, 0, 0, 1.0, 0, 2.0, 0, 0, 0, 10.0))
MOBILITY = {"gough_stewart": 6, "delta": 3, "planar_3rrr": 3, "orthoglide": 3}


def gap(robot, q):
    return np.abs(tf.loop_closure(robot).compile()(q)[0]).max()


@pytest.mark.parametrize("name", MOBILITY)
def test_bundled_robots_are_assembled_at_zero(name):
    robot = tf.robots.bundled(name)
    assert gap(robot, neutral(robot)) < 1e-14
    assert freedom(robot).mobility == len(robot.velocity_names) == MOBILITY[name]
    assert robot.independent == robot.actuated
    assert not set(tf.robots.bundled(name, symbolic=True).symbols) & {"D1", "B1", "RL1"}


@seeds(quick=3, all=100)
def test_random_robots_are_assembled_at_zero(seed):
    robot = random_parallel(seed)
    assert gap(robot, neutral(robot)) < 1e-12
    assert len(robot.with_independent(*platform_of(robot)).velocity_names) == len(robot.actuated)


def test_forward_geometry_from_leg_lengths():
    robot = tf.robots.gough_stewart()
    q = tf.close_loops(robot, [0.1, 0.05, -0.05, 0.0, 0.1, -0.1])
    T = tf.transforms(robot, frames=["platform"]).compile()(q).reshape(4, 4)
    base = [(-2.12, 1.374, 0), (-2.38, 1.224, 0), (-2.38, -1.224, 0), (-2.12, -1.374, 0), (0, -0.15, 0), (0, 0.15, 0)]
    top = np.array([(0.17, 0.595), (-0.6, 0.15), (-0.6, -0.15), (0.17, -0.595), (0.43, -0.445), (0.43, 0.445)])
    points = np.column_stack([top, np.full(6, -0.4)])
    longer = [0.1, 0.05, -0.05, 0.0, 0.1, -0.1]
    home = np.linalg.norm(points - np.array([1.5, 0.0, -1.0]) - base, axis=1)
    np.testing.assert_allclose(np.linalg.norm(points @ T[:3, :3].T + T[:3, 3] - base, axis=1), home + longer, atol=1e-9)


def test_the_platform_of_the_delta_only_translates():
    """With a floating platform, the same legs allow the same motions."""
    robot = tf.robots.delta()
    q = tf.close_loops(robot, [0.3, -0.1, 0.2])
    R = tf.transforms(robot, frames=["platform"]).compile()(q).reshape(4, 4)[:3, :3]
    np.testing.assert_allclose(R, np.eye(3), atol=1e-12)


def test_the_orthoglide_is_isotropic_at_zero():
    robot = tf.robots.orthoglide()
    J = tf.jacobian(robot, frame="platform").compile()(np.zeros(12))
    np.testing.assert_allclose(J[:3], np.eye(3), atol=1e-12)


def test_a_chain_as_a_leg():
    """A leg can be any robot, assembled at any coordinates."""
    arm = tf.robots.planar2r()
    tip = tf.Joint(name="tip", antecedent=2, sigma=2, d=1.0)
    chain = tf.Robot(name="arm", joints=arm.joints, bodies=arm.bodies, frames=(tip,))
    home = (0.3, 1.2)
    legs = [tf.Leg(chain=chain, joint="revolute", end="tip", home=home)]
    legs += [tf.leg("RRR", [(x, 2.0, 0), (x, 1.0, 0), (0.5 + 0.3 * x, 1.2, 0)], axes=[(0, 0, 1)]) for x in (0.5, 1.5)]
    robot = tf.parallel_robot(PLATE, legs, joint="planar", home=(0.6, 1.0, 0.0))
    q = neutral(robot)
    q[:2] = home
    assert gap(robot, q) < 1e-12
    assert freedom(robot).mobility == 3


def test_idle_legs_spin():
    points = [[np.cos(a), np.sin(a), 0.0] for a in np.arange(6) * np.pi / 3]
    tops = [[0.5 * np.cos(a), 0.5 * np.sin(a), 1.0] for a in np.arange(6) * np.pi / 3 + 0.4]
    legs = [tf.leg("SPS", [a, b]) for a, b in zip(points, tops, strict=True)]
    assert freedom(tf.parallel_robot(PLATE, legs, home=(0, 0, 1))).mobility == 12


def test_modules_in_series_and_an_arm_on_the_platform():
    lower = tf.robots.planar_3rrr()
    stack = lower.attach(lower, at="platform", name="upper").attach(tf.robots.planar2r(), at="upper_platform")
    assert len(stack.loops) == 6
    assert stack.independent == (*lower.actuated, *(f"upper_{name}" for name in lower.actuated), "joint1", "joint2")
    q = tf.close_loops(stack, [0.1, 0.0, -0.1, 0.05, 0.1, 0.0, 0.4, 0.5])
    assert gap(stack, q) < 1e-10
    qd, qdd = np.random.default_rng(0).normal(size=(2, 8))
    tau = tf.inverse_dynamics(stack).compile()(q, qd, qdd)
    np.testing.assert_allclose(tf.direct_dynamics(stack).compile()(q, qd, tau), qdd, atol=1e-8)


def test_a_choice_survives_attachment():
    lower = tf.robots.planar_3rrr().with_independent("platform")
    stack = lower.attach(lower, at="platform", name="upper").attach(tf.robots.planar2r(), at="upper_platform")
    assert stack.independent == ("platform", "upper_platform", "joint1", "joint2")
    assert len(stack.velocity_names) == 8


@pytest.mark.parametrize(
    ("word", "points", "more", "message"),
    [
        ("XYZ", [], {}, "'XYZ' is not a leg; write two or more of R, P, U, S and Pa"),
        ("UPPa", [], {}, "the last joint of the leg 'UPPa' must be a passive R, P, U or S"),
        ("UPS", [(0, 0, 0)], {}, "the leg UPS has 1 points; it needs 2"),
        ("RRS", [(0, 0, 0)] * 3, {}, "the axis of R1 in the leg RRS is missing"),
        ("UPS", [(0, 0, 0), (0, 0, 0)], {}, "has no direction; give another axis or other points"),
        ("UPS", [(0, 0, 0), (0, 0, 1)], {"links": [None]}, "the leg UPS has 1 links; it needs 2"),
        ("UPS", [(0, 0, 0), (0, 0, "x")], {}, "it must be three numbers"),
        ("UPS", [(0, 0, 0), (0, 0, np.inf)], {}, "its numbers must be finite"),
        (6, [], {}, "6 is not a leg"),
        ("UPS", None, {}, "the points of the leg UPS are None; give 2 of them in a list"),
        ("UPS", [(0, 0, 0), (0, 0, 1)], {"links": [1.0, 2.0]}, "the link of U in the leg UPS is 1.0; it must be an In"),
        ("UPS", [(0, 0, 0), (0, 0, 1)], {"links": tf.Inertia()}, "give a list with an Inertia for each"),
        ("UPS", [(0, 0, 0), (0, 0, 1)], {"axes": [(0, 0, 1)]}, "the second axis of U in the leg UPS has no direction"),
        ("UPS", [(0, 0, 0), (0, 0, 1)], {"axes": 1}, "the axes of the leg UPS are 1; give a list"),
        ("RPaR", [(0, 0, 0), (1, 0, 0), (1, 0, 0)], {"axes": [(0, 1, 0)]}, "the bars of Pa in the leg RPaR have no le"),
        ("RPaR", [(0, 0, 0), (1, 0, 0), (1, 0, 1)], {"axes": [(0, 1, 0), (0, 0, 1)]}, "give an axis across them"),
        ("RPaR", [(0, 0, 0), (1, 0, 0), (1, 0, 1)], {"axes": [(0, 1, 0)], "width": -1}, "it must be a length, or zero"),
        (
            "RPaR",
            [(0, 0, 0), (1, 0, 0), (1, 0, 1)],
            {"axes": [(0, 1, 0)], "width": "w"},
            "it must be a length, or zero",
        ),
    ],
)
def test_legs_that_are_refused(word, points, more, message):
    with pytest.raises(tf.RobotError, match=message):
        tf.leg(word, points, **more)


def test_robots_that_are_refused():
    leg = tf.leg("UPS", [(0, 0, 0), (0, 0, 1)])
    with pytest.raises(tf.RobotError, match="a parallel robot needs legs"):
        tf.parallel_robot(PLATE, [])
    with pytest.raises(tf.RobotError, match=r"leg 1 is 'UPS'; make it with tf\.leg"):
        tf.parallel_robot(PLATE, ["UPS"])
    with pytest.raises(tf.RobotError, match="the platform's joint is 'flying'; it must be 'translation'"):
        tf.parallel_robot(PLATE, [leg], joint="flying")
    with pytest.raises(tf.RobotError, match="it must be a point or a 4x4 matrix"):
        tf.parallel_robot(PLATE, [leg], home=(1.0, 2.0))
    with pytest.raises(tf.RobotError, match="leg 1: home has 1 coordinates; its chain has 2"):
        tf.parallel_robot(PLATE, [tf.Leg(chain=tf.robots.planar2r(), end="link2", home=(0.0,))])
    with pytest.raises(tf.RobotError, match=r"leg 1: home is \('a', 'b'\); it must be numbers"):
        tf.parallel_robot(PLATE, [tf.Leg(chain=tf.robots.planar2r(), end="link2", home=("a", "b"))])
    with pytest.raises(tf.RobotError, match="leg 1: its chain is 'planar2r'; it must be a Robot"):
        tf.parallel_robot(PLATE, [tf.Leg(chain="planar2r")])
    with pytest.raises(tf.RobotError, match=r"it must be a tf\.Body"):
        tf.parallel_robot(PLATE.inertia, [leg])
    with pytest.raises(tf.RobotError, match="give a list of them"):
        tf.parallel_robot(PLATE, leg)
    with pytest.raises(tf.RobotError, match=r"gravity of parallel_robot is 9\.81; it must be three numbers"):
        tf.parallel_robot(PLATE, [leg], gravity=9.81)


@pytest.mark.parametrize(
    "home", ["abc", 1.2, (0, 0, np.nan), 2 * np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0]), [[1, 2], 3]]
)
def test_places_of_platforms_that_are_refused(home):
    with pytest.raises(tf.RobotError, match="home is"):
        tf.parallel_robot(PLATE, [tf.leg("UPS", [(0, 0, 0), (0, 0, 1)])], home=home)


def test_places_and_gravity_can_be_arrays():
    leg, T = tf.leg("UPS", [(0, 0, 0), (0, 0, 1)]), np.eye(4)
    T[:3, 3] = 0.1, 0.2, 1.0
    wanted = tf.parallel_robot(PLATE, [leg], home=(0.1, 0.2, 1.0))
    for home in (T[:3, 3], T, T.tolist()):
        assert tf.parallel_robot(PLATE, [leg], home=home, gravity=np.array(wanted.gravity)) == wanted
