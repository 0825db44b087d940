"""Several goals at once: parts of poses, weights, levels, preferences, restarts, and what is said where none is met."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tauforge as tf
from tauforge.geometry.reaching.errors import left_of
from tauforge.geometry.reaching.goal import NUMBERS
from tauforge.graph.node import symbol
from tauforge.models.configuration import integrate
from tauforge.program.array import Array, Shape, outputs
from tauforge.program.program import Program
from tauforge.robot.joint import Limits

ARM, LWR, HAND = tf.robots.puma560(), tf.robots.kuka_lwr(), "link7"
RNG = np.random.default_rng(5)
PLACES = tf.transforms(LWR, frames=[HAND, "link3", "link4"]).compile()
Q = RNG.uniform(-1.0, 1.0, (10, 7))


def poses(robot, q, frame):
    return tf.transforms(robot, frames=frame).compile()(q)[..., 0, :, :]


def limited(robot, lower, upper):
    return robot.derived(
        joints=tuple(replace(joint, limits=Limits(lower=lower, upper=upper)) for joint in robot.joints)
    )


@pytest.mark.parametrize(
    "aim", ["pose", "position", "orientation", "axis", "direction", ("x", "z"), ("rz",), ("x", "y", "z", "rx", "ry")]
)
def test_slopes_are_exact(aim):
    """The gradient of the squared error, and for single entries each slope, are those of differences."""
    kind = tf.Goal("link6", np.eye(4), aim).kind
    q = integrate(ARM).arguments["q"]
    goal = [symbol(f"goal[{k}]") for k in range(NUMBERS)]
    left = left_of(ARM, kind, q, goal)
    results = {
        "e": outputs(left.e, [len(left.e)], [], ""),
        "J": outputs([x for row in left.J for x in row], [len(left.e), 6], [], ""),
        "f": outputs([left.square], [], [], ""),
    }
    program = Program("left", {"q": q, "goal": Array(Shape([NUMBERS]), tuple(goal))}, results).compile()
    states, wanted = RNG.uniform(-1, 1, (2, 20, 6))
    T = poses(ARM, wanted, "link6")
    numbers = tf.Goal("link6", T, aim).numbers()
    e, J, f = program(states, numbers)
    h = 1e-6
    for k in range(6):
        ahead, behind = (program(states + s * h * np.eye(6)[k], numbers) for s in (1.0, -1.0))
        np.testing.assert_allclose((ahead[2] - behind[2]) / (2 * h), -2.0 * (e * J[:, :, k]).sum(1), atol=1e-7)
        if not isinstance(aim, str):
            np.testing.assert_allclose((ahead[0] - behind[0]) / (2 * h), -J[:, :, k], atol=1e-7)
    assert f.max() > 0.1


def test_some_axes():
    """The rest of the pose is free: here the spin about z, and where along the goal's y axis the origin is."""
    q = RNG.uniform(-1.0, 1.0, (20, 6))
    T = poses(ARM, q, "link6")
    spun = T.copy()
    spun[:, :3, :3] = T[:, :3, :3] @ Rotation.from_rotvec([0.0, 0.0, 2.0]).as_matrix()
    found = tf.reach(ARM, spun, frame="link6", aim=("x", "y", "z", "rx", "ry"))
    np.testing.assert_allclose(poses(ARM, found.q, "link6")[:, :3, 2:], T[:, :3, 2:], atol=1e-9)
    line = tf.reach(ARM, T, frame="link6", aim=("x", "z"))
    way = np.einsum("kji,kj->ki", T[:, :3, :3], poses(ARM, line.q, "link6")[:, :3, 3] - T[:, :3, 3])
    np.testing.assert_allclose(way[:, [0, 2]], 0.0, atol=1e-9)
    along = tf.reach(ARM, [0.0, 0.0, -2.0], frame="link6", aim="direction")
    np.testing.assert_allclose(poses(ARM, along.q, "link6")[:3, 2], [0.0, 0.0, -1.0], atol=1e-9)


def test_several_frames_of_a_tree():
    """Two hands of one trunk, on a floating base and a fixed one."""
    trunk = tf.Joint(name="trunk", antecedent=0)
    arms = [
        tf.Joint(
            name=f"{side}{k}",
            antecedent=1 if k == 0 else len("lr"[:i]) * 4 + k + 1,
            alpha=1.2 * (-1) ** k,
            d=0.4,
            r=0.2 * (-1) ** i,
        )
        for i, side in enumerate("lr")
        for k in range(4)
    ]
    robot = tf.Robot(
        name="two arms",
        joints=(trunk, *arms),
        bodies=tuple(tf.Body(name=joint.name) for joint in (trunk, *arms)),
    )
    for own in (robot, robot.with_base("floating")):
        start = np.array(tf.integrate(own).compile()(neutral(own), RNG.uniform(-1, 1, (8, own.dof))))
        left, right = (poses(own, start, name)[:, :3, 3] for name in ("l3", "r3"))
        found = tf.reach(own, [tf.Goal("l3", left, "position"), tf.Goal("r3", right, "position")])
        np.testing.assert_allclose(poses(own, found.q, "l3")[:, :3, 3], left, atol=1e-9)
        np.testing.assert_allclose(poses(own, found.q, "r3")[:, :3, 3], right, atol=1e-9)
        assert found.distances.shape == (8, 2)


def neutral(robot):
    return np.array([x for joint in robot.expanded().joints for x in joint.kind.neutral], dtype=float)


def test_levels():
    """The first level is met exactly; the second where that leaves room, and as well as possible elsewhere."""
    T = PLACES(Q)
    both = [tf.Goal(HAND, T[:, 0]), tf.Goal("link4", T[:, 2, :3, 3], "position", level=1)]
    found = tf.reach(LWR, both)
    np.testing.assert_allclose(PLACES(found.q)[:, 0], T[:, 0], atol=1e-9)
    assert (found.distances[:, 1] < 1e-6).mean() > 0.5  # others are caught on the other side of the elbow
    up = tf.reach(LWR, [tf.Goal(HAND, T[:, 0]), tf.Goal("link4", [0.0, 0.0, 3.0], "position", level=1)])
    np.testing.assert_allclose(PLACES(up.q)[:, 0], T[:, 0], atol=1e-9)
    J = tf.jacobian(LWR, frame=HAND).compile()(up.q)
    null = np.linalg.svd(J)[2][:, -1]
    way = [0.0, 0.0, 3.0] - PLACES(up.q)[:, 2, :3, 3]
    slope = np.einsum("ki,kij,kj->k", way, tf.jacobian(LWR, frame="link4").compile()(up.q)[:, :3], null)
    assert np.abs(slope).max() < 1e-4  # along the freedom of the first level, the second cannot be met any better


def test_weights():
    """Goals of one level that contradict each other are met by least squares, with weights."""
    T = poses(ARM, np.full(6, 0.4), "link6")
    ahead = T[:3, 3] + [0.1, 0.0, 0.0]
    goals = [tf.Goal("link6", T, weight=3.0), tf.Goal("link6", ahead, "position")]
    found = tf.reach(ARM, goals, q0=np.full(6, 0.4), strict=False)
    np.testing.assert_allclose(found.distances, [0.01, 0.09], atol=1e-6)  # 9 : 1
    assert not found.reached


def test_preferences():
    T, start = PLACES(Q)[:, 0], Q + RNG.normal(scale=0.05, size=Q.shape)
    w = tf.manipulability(LWR, frame=HAND)
    near = tf.reach(LWR, T, frame=HAND, q0=start)
    far = tf.reach(LWR, T, frame=HAND, q0=start, prefer="manipulability")
    assert (w.compile()(far.q) >= w.compile()(near.q)).all()
    slope = w.derivative("w", "q").compile()(far.q)
    null = np.linalg.svd(tf.jacobian(LWR, frame=HAND).compile()(far.q))[2][:, -1]
    assert np.median(np.abs((slope * null).sum(axis=1))) < 1e-4
    tight = limited(LWR, -2.0, 1.0)
    middle = tf.reach(tight, T, frame=HAND, q0=np.clip(start, -1.9, 0.9), prefer="middle", strict=False)
    posture = tf.reach(tight, T, frame=HAND, prefer=np.full(7, -0.5), q0=np.clip(start, -1.9, 0.9), strict=False)
    np.testing.assert_allclose(middle.q, posture.q, atol=1e-12)


def test_reproducible_by_seed():
    T = PLACES(Q)[:, 0]
    one, same, other = (
        tf.reach(LWR, T, frame=HAND, seed=seed, threads=threads).q for seed, threads in ((1, 1), (1, 2), (2, 1))
    )
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0.1


def test_limits_of_many():
    tight = limited(LWR, -1.2, 1.2)
    T = PLACES(RNG.uniform(-1.2, 1.2, (200, 7)))[:, 0]
    found = tf.reach(tight, T, frame=HAND, strict=False)
    assert (np.abs(found.q) <= 1.2).all()
    assert found.reached.mean() > 0.99
    np.testing.assert_allclose(PLACES(found.q)[found.reached, 0], T[found.reached], atol=1e-9)


def test_reasons():
    T = poses(ARM, np.full(6, 0.4), "link6")
    away = T.copy()
    away[:3, 3] *= 10.0
    found = tf.reach(limited(ARM, -0.1, 0.1), [T, away], frame="link6", strict=False)
    assert "beyond the limits of" in found.reason[0]
    assert "out of reach: the nearest state from 500 random starts" in found.reason[1]
    assert tf.reach(ARM, T, frame="link6").reason == ""


def test_loops_that_are_open_at_the_start():
    robot = tf.robots.fivebar()
    closed = tf.close_loops(robot)
    frame = robot.bodies[-1].name
    away = tf.integrate(robot).compile()(closed, RNG.uniform(-0.1, 0.1, (5, robot.dof)))
    T = poses(robot, away, frame)
    found = tf.reach(robot, T, frame=frame, q0=away + RNG.normal(scale=0.1, size=away.shape))
    np.testing.assert_allclose(poses(robot, found.q, frame), T, atol=1e-9)
    assert np.abs(tf.loop_closure(robot).compile()(found.q)[0]).max() < 1e-9


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda T: tf.reach(ARM, [tf.Goal("link6", T), T]), "goals alone"),
        (lambda T: tf.reach(ARM, tf.Goal("link6", T), frame="link6"), "leave out frame="),
        (lambda T: tf.reach(ARM, tf.Goal("link6", T, weight=0.0)), "must be above 0"),
        (lambda T: tf.reach(ARM, tf.Goal("link6", T, level=-1)), "levels are 0, 1, 2"),
        (lambda T: tf.reach(ARM, T, frame="link6", aim=("x", "x")), "each at most once"),
        (lambda T: tf.reach(ARM, [0, 0, 0], frame="link6", aim="direction"), "length zero"),
        (lambda T: tf.reach(ARM, 1e12 * T, frame="link6"), "lengths are in metres"),
        (lambda T: tf.reach(ARM, T, frame="link6", prefer="luck"), "prefer='luck'; choose among"),
        (lambda T: tf.reach(ARM, T, frame="link6", prefer="start"), "needs q0"),
        (lambda T: tf.reach(ARM, [T, T], frame="link6", prefer=np.zeros((3, 6))), "must go with the goals"),
        (lambda T: tf.reach(ARM, T, frame="link6", starts=0), "starts=0"),
        (lambda T: tf.reach(ARM, T, frame="link6", starts=10**9), "from 1 to 1,000,000"),
        (lambda T: tf.workspace(ARM, frame="link6", samples=10**12), "from 1 to 10,000,000"),
        (lambda T: tf.inverse_geometry(tf.robots.panda(), samples=10**7), "make more than 1,000,000 states"),
        (lambda T: tf.reach(ARM, T, frame="link6", seed=-1), "seed=-1"),
        (lambda T: tf.reach(ARM, T, frame="link6", tolerance=0), "tolerance=0"),
        (lambda T: tf.reach(limited(ARM, 1.0, -1.0), T, frame="link6"), "lower limit 1 above the upper one, -1"),
        (lambda T: tf.reach(tf.robots.fivebar(), T, frame="link1", prefer="manipulability"), "is for trees"),
        (
            lambda T: tf.reach(ARM, [tf.Goal("link6", [T, T]), tf.Goal("link5", np.zeros((3, 3)), "position")]),
            "must go together",
        ),
    ],
)  # fmt: skip
def test_bad_input(call, said):
    with pytest.raises(tf.ProgramError, match=said):
        call(np.eye(4))
