"""What the caller chooses: limits, turns, order; reasons; and errors."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.geometry.inverse.result import compacted
from tauforge.robot.joint import Limits

from .arms import apart, perturbed, poses, states

PUMA = tf.robots.puma560()
IK = tf.inverse_geometry(PUMA, frame="link6")
Q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
T = poses(PUMA, Q, "link6")


def limited(lower, upper):
    joints = tuple(replace(joint, limits=Limits(lower=lower, upper=upper)) for joint in PUMA.joints)
    return tf.inverse_geometry(replace(PUMA, joints=joints), frame="link6")


def test_solutions_are_sorted_by_nearness():
    found = IK(T, near=Q + 0.01)
    np.testing.assert_allclose(found.q[0], Q, atol=1e-9)
    far = np.linalg.norm(found.q - Q - 0.01, axis=1)
    assert (np.diff(far) >= 0).all()
    assert len(far) == 8
    turned = IK(T, near=Q + 2 * np.pi)
    np.testing.assert_allclose(turned.q[0], Q + 2 * np.pi, atol=1e-9)


def test_the_frame_is_the_tip_by_default():
    assert tf.inverse_geometry(PUMA).frame == "link6"
    tool = tf.Joint(name="tool", antecedent=6, sigma=2, mu=0, r=0.1)
    robot = replace(PUMA, frames=(tool,))
    assert tf.inverse_geometry(robot).frame == "tool"
    assert tf.jacobian(robot).certify(tf.jacobian(robot, frame="tool"))


def test_shapes():
    grid = poses(PUMA, states(PUMA, 6).reshape(2, 3, 6), "link6")
    found = IK(grid)
    assert found.q.shape == (2, 3, 8, 6)
    assert found.count.shape == found.exact.shape == found.reason.shape == (2, 3)
    assert IK(np.empty((0, 4, 4))).q.shape[0] == 0
    np.testing.assert_allclose(IK(grid[0, 0].tolist()).q, found.q[0, 0], atol=1e-12)
    assert "48 of 6 poses" in repr(found)


def test_limits_leave_out_and_turn():
    found = limited(-1.0, 1.0)(T)
    np.testing.assert_allclose(found.q, [Q], atol=1e-9)
    turned = limited(2 * np.pi - 1.0, 2 * np.pi + 1.0)(T)
    np.testing.assert_allclose(turned.q, [Q + 2 * np.pi], atol=1e-9)
    many = limited(-2.0 * np.pi, 2.0 * np.pi)(T, turns=True)
    assert many.count == 8 * 2**6
    assert len(np.unique(many.q.round(6), axis=0)) == many.count
    none = limited(2.0, 2.1)(T)
    assert none.count == 0
    assert str(none.reason).startswith("beyond the limits of")


def test_turns_with_one_limit_far_away():
    """The joint with that limit has one turn; the others keep theirs."""
    limits = [Limits(lower=9.0, upper=np.inf), Limits(lower=-np.inf, upper=-9.0), *[Limits(lower=-7.0, upper=7.0)] * 4]
    joints = (replace(joint, limits=own) for joint, own in zip(PUMA.joints, limits, strict=True))
    arm = replace(PUMA, joints=tuple(joints))
    found = tf.inverse_geometry(arm, frame="link6")(T, turns=True)
    assert found.count > 8 * 2**4 - 1
    assert (found.q[:, 0] >= 9.0).all()
    assert (found.q[:, 1] <= -9.0).all()
    assert len(np.unique(found.q.round(6), axis=0)) == found.count


def test_solutions_of_one_pose_can_be_many():
    """As with turns within wide limits; a table of 300,000 by 300,000 entries would not fit the memory."""
    q = np.arange(300_000.0)[None, :, None]
    found, count, _ = compacted(q.copy(), q[..., 0] % 3 == 0, np.zeros(q.shape[:2], dtype=bool), None)
    assert count == 100_000
    np.testing.assert_array_equal(found[0, :, 0], q[0, ::3, 0])


def test_an_empty_result_has_a_reason():
    far = T.copy()
    far[:3, 3] = [5.0, 0.0, 0.0]
    found = IK(far)
    assert found.count == 0
    assert found.q.shape == (0, 6)
    assert "out of reach: the nearest state is 4." in str(found.reason)
    assert str(IK(T).reason) == ""
    nearest = IK(far, nearest=True)
    assert nearest.count == 1
    assert not nearest.exact


def test_a_rotation_that_is_rounded_is_made_one():
    found = IK(T.round(8))
    assert found.count == 8
    np.testing.assert_allclose(IK(T.round(8), near=Q).q[0], Q, atol=1e-6)


WRONG = {
    "give poses": (np.eye(3), {}),
    "not finite": (np.full((4, 4), np.nan), {}),
    "not a pose": (np.diag([1.0, 1.0, -1.0, 1.0]), {}),
    "not an array of numbers": ("pose", {}),
    "near has the shape": (T, {"near": [0.0]}),
    "must go together": (np.stack([T, T]), {"near": np.zeros((3, 6))}),
    "near: this is not": (T, {"near": "here"}),
    "solved for all joints": (T, {"fixed": {"joint3": 1.0}}),
    "fixed=": (T, {"fixed": ["joint3"]}),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_calls(message):
    pose, options = WRONG[message]
    with pytest.raises(tf.ProgramError, match=message):
        IK(pose, **options)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_origins_that_are_not_finite_are_refused(number):
    wrong = T.copy()
    wrong[1, 3] = number
    for pose in (wrong, np.stack([T, wrong]), wrong.tolist()):
        with pytest.raises(tf.ProgramError, match="not finite"):
            IK(pose)


def test_the_nearest_state_has_fixed_joints_where_they_are():
    q = states(PUMA, 4, 6)
    T, at = poses(PUMA, q, "link6"), q[:, 1]
    ik = tf.inverse_geometry(PUMA, frame="link6", fixed={"joint2": 0.0})
    assert ik(T, fixed={"joint2": at}).exact.all()
    found = ik(T, fixed={"joint2": at + 0.1})  # five joints, so the nearest state is given
    assert not found.exact.any()
    np.testing.assert_allclose(found.q[:, 0, 1], at + 0.1)
    assert all("out of reach" in text and "0 m and" not in text for text in found.reason)


@pytest.mark.parametrize("size", [0.0, pytest.param(1e-6, marks=pytest.mark.slow)])
def test_other_joints_with_more_coordinates_than_velocities(size):
    arm, ball = perturbed(PUMA, size), tf.Joint(name="ball", antecedent=0, sigma="spherical")
    joints = (replace(joint, antecedent=joint.antecedent and joint.antecedent + 1) for joint in arm.joints)
    robot = tf.Robot(name="tree", joints=(ball, *joints), bodies=(tf.Body(name="ball"), *arm.bodies))
    q = np.append([0.0, 0.0, 0.0, 1.0], np.where(np.arange(6) == 4, 0.0, Q))  # singular
    T = poses(robot, q, "link6")
    far = T + np.where(np.arange(16).reshape(4, 4) == 3, 5.0, 0.0)
    ik = tf.inverse_geometry(robot, frame="link6")
    for found in (ik(T), ik(poses(robot, q + 0.5 * (np.arange(10) == 8), "link6")), ik(far, nearest=True)):
        assert found.count >= 1
        np.testing.assert_allclose(found.q[:, :4], np.tile(q[:4], (len(found.q), 1)))
    assert ik(T).family.any() or apart(arm, ik(T).q[None, :, 4:], q[None, 4:]) < 1e-3


def test_a_reason_tells_of_the_solution_nearest_to_the_limits():
    reason = str(limited(-0.1, 0.1)(poses(PUMA, np.full(6, 0.35), "link6")).reason)
    assert reason.count("by 0.25 rad") == 6


FRAMES = {
    name: tf.Joint(name=name, antecedent=link, sigma=2, mu=0, d=0.1)
    for name, link in (("camera", 3), ("left", 6), ("right", 6))
}


@pytest.mark.parametrize(("frames", "end"), [(("camera",), "link6"), (("camera", "left"), "left")])
def test_the_end_of_an_arm_is_on_its_last_link(frames, end):
    arm = replace(PUMA, frames=tuple(FRAMES[x] for x in frames))
    assert tf.inverse_geometry(arm).frame == end


ARMS = {
    "no frame 'hand'": (PUMA, {"frame": "hand"}),
    "ends in 'link6', 'left', 'right': say": (
        replace(PUMA, frames=tuple(FRAMES[x] for x in ("camera", "left", "right"))),
        {},
    ),
    "aim='speed'": (PUMA, {"frame": "link6", "aim": "speed"}),
    "frame=6": (PUMA, {"frame": 6}),
    "no joint 'elbow'": (PUMA, {"frame": "link6", "fixed": {"elbow": 0.0}}),
    "is not a number": (PUMA, {"frame": "link6", "fixed": {"joint1": "left"}}),
    "leaves no joint": (PUMA, {"frame": "link1", "fixed": {"joint1": 0.0}}),
    "no joint that moves": (PUMA, {"frame": "base"}),
    "samples=0": (PUMA, {"frame": "link6", "samples": 0}),
    "takes a Robot": ("puma560", {"frame": "link6"}),
    "is floating": (PUMA.with_base("floating"), {"frame": "link6"}),
}


@pytest.mark.parametrize("message", ARMS)
def test_wrong_arms(message):
    robot, options = ARMS[message]
    with pytest.raises(tf.ProgramError, match=message):
        tf.inverse_geometry(robot, **options)


def test_one_pose_and_a_batch_have_the_same_solutions():
    far = T.copy()
    far[0, 3] += 2.0
    every = np.concatenate([poses(PUMA, states(PUMA, 4, 5), "link6"), [far]])
    for own in (IK, limited(-1.5, 4.0), limited(0.5, 1.0)):
        for pose in every:
            for limits in (True, False):
                one, many = own(pose, limits=limits), own(pose[None], limits=limits)
                assert one.count == len(one.q) == many.count[0]
                np.testing.assert_allclose(one.q, many.q[0], atol=1e-11)
                assert one.reason.shape == one.exact.shape == ()
                assert str(one.reason) == many.reason[0]
                assert one.family.tolist() == many.family[0].tolist()


def test_one_pose_of_an_arm_with_a_given_joint():
    robot = tf.robots.panda()
    ik, q = tf.inverse_geometry(robot, frame="link7", fixed={"joint7": 0.3}), states(robot, 10, 3, {"joint7": 0.3})
    for pose in poses(robot, q, "link7"):
        np.testing.assert_allclose(ik(pose, limits=False).q, ik(pose[None], limits=False).q[0], atol=1e-9)


@pytest.mark.parametrize("name", ["puma560", "planar2r", "stanford", "gough_stewart"])
def test_poses_of_any_size_are_refused_in_words(name):
    """Squares of their lengths are beyond floats; the arm of a calibrated robot is solved in other ways."""
    robot = getattr(tf.robots, name)()
    robots = [robot] if robot.loops else [robot, perturbed(robot, 1e-6)]
    for own in robots:
        ik, T = tf.inverse_geometry(own, frame="platform" if robot.loops else own.bodies[-1].name), np.eye(4)
        for x in (1.1e9, 1e155, 1e308, -1.7e308):
            T[:2, 3] = x, 0.5 * x
            with pytest.raises(tf.ProgramError, match="T has entries beyond 1e"):
                ik(T[None])
            with pytest.raises(tf.ProgramError, match="T has entries beyond 1e"):
                ik(T)
    with pytest.raises(tf.ProgramError, match="complex"):
        ik(np.eye(4) + 0j)


def test_angles_that_are_too_coarse_are_refused():
    """Near 1e17 rad, there are no two angles within a turn: what was said to be solutions had other poses."""
    found = IK(T, near=np.full(6, 9e4))
    assert np.abs(poses(PUMA, found.q, "link6") - T).max() < 1e-10
    for x in (2e5, 1e17, 1e300):
        with pytest.raises(tf.ProgramError, match="too coarse to be exact"):
            IK(T, near=np.full(6, x))


@pytest.mark.parametrize("limit", [1e6, 1e300])
def test_too_many_turns_are_refused(limit):
    """Billions of combinations took for ever; beyond whole numbers, their count was rubbish."""
    with pytest.raises(tf.ProgramError, match="turns of a joint, and more than 1,000,000 combinations"):
        limited(-limit, limit)(T, turns=True)
    assert limited(-limit, limit)(T).count == 8
