"""Singular poses: none is without a solution, and families are flagged."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

from .arms import TIP, apart, perturbed, poses, random_arm, states

ARMS = {
    "ur5": ("link6", None, 4, 2),
    "puma560": ("link6", None, 4, None),
    "rx90": ("link6", None, 4, 2),
    "stanford": ("link6", None, 4, None),
    "kuka_lwr": ("link7", {"joint3": 0.3}, 5, 3),
    "panda": ("link7", {"joint7": 0.3}, 5, None),
}


def solved(name, q, robot=None):
    frame, fixed, *_ = ARMS[name]
    robot = robot or tf.robots.bundled(name)
    T = poses(robot, q, frame)
    found = tf.inverse_geometry(robot, frame=frame, fixed=fixed)(T, limits=False)
    there = np.isfinite(found.q).all(axis=2)
    assert there.any(axis=1).all(), "a pose that can be reached has no solution"
    assert np.abs(poses(robot, np.nan_to_num(found.q), frame) - T[:, None])[there].max() < 1e-10
    return found, apart(robot, found.q, q)


def wrists(name, size, count):
    _, fixed, wrist, _ = ARMS[name]
    q = states(tf.robots.bundled(name), count, 11, fixed)
    q[:, wrist] = size
    return q


@pytest.mark.parametrize("name", ["ur5", "puma560"])
@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3])
def test_wrists(name, size):
    found, off = solved(name, wrists(name, size, 40))
    if size == 0.0:
        assert found.family.any(axis=1).all()
    else:
        assert ((off < 1e-3) | found.family.any(axis=1)).all()


def test_a_family_stays_near_the_given_state():
    robot, q = tf.robots.puma560(), wrists("puma560", 0.0, 10)
    found = tf.inverse_geometry(robot, frame="link6")(poses(robot, q, "link6"), near=q)
    np.testing.assert_allclose(found.q[:, 0], q, atol=1e-6)
    assert found.family[:, 0].all()


@pytest.mark.parametrize("name", ["ur5", "kuka_lwr"])
def test_straight_elbows(name):
    _, fixed, _, elbow = ARMS[name]
    q = states(tf.robots.bundled(name), 40, 12, fixed)
    q[:, elbow] = 0.0
    found, off = solved(name, q)
    assert (off < 1e-4).all()
    assert (found.count < 8).any()


@pytest.mark.parametrize("name", ["ur5", "kuka_lwr"])
def test_quarter_turns(name):
    _, fixed, *_ = ARMS[name]
    robot = tf.robots.bundled(name)
    q = np.random.default_rng(13).choice(np.pi / 2 * np.arange(-1, 3), (60, len(robot.coordinate_names)))
    for joint, value in (fixed or {}).items():
        q[:, robot.coordinate_names.index(joint)] = value
    found, off = solved(name, q)
    assert ((off < 1e-3) | found.family.any(axis=1)).all()


@pytest.mark.parametrize("size", [1e-9, 1e-7])
def test_elbows_almost_straight_with_wrists_almost_singular(size):
    q, random = states(tf.robots.ur5(), 60, 21), np.random.default_rng(21)
    q[:, [2, 4]] = size * random.uniform(-1.0, 1.0, (60, 2))
    found, off = solved("ur5", q)
    assert ((off < 1e-3) | found.family.any(axis=1)).all()


@pytest.mark.parametrize("size", [0.01, 10.0, 1000.0])
def test_the_size_of_an_arm_does_not_matter(size):
    arm = tf.robots.kuka_lwr()
    joints = (replace(joint, d=size * float(joint.d), r=size * float(joint.r)) for joint in arm.joints)
    q = np.random.default_rng(13).choice(np.pi / 2 * np.arange(-1, 3), (60, 7))
    q[:, 2] = 0.3
    counts = []
    for robot in (arm, replace(arm, joints=tuple(joints))):
        found = tf.inverse_geometry(robot, frame="link7", fixed={"joint3": 0.3})(poses(robot, q, "link7"), limits=False)
        assert ((apart(robot, found.q, q) < 1e-3) | found.family.any(axis=1)).all()
        counts.append(found.family.any(axis=1).sum())
    assert counts[0] == counts[1]


def test_large_arms_keep_their_solutions_near_singular_poses():
    q = states(tf.robots.panda(), 30, 12, {"joint7": 0.3})
    q[:, 3] = 1e-8 * np.random.default_rng(12).uniform(-1.0, 1.0, 30)
    joints = (replace(joint, d=1e3 * float(joint.d), r=1e3 * float(joint.r)) for joint in tf.robots.panda().joints)
    arm = replace(tf.robots.panda(), joints=tuple(joints))
    found = tf.inverse_geometry(arm, frame="link7", fixed={"joint7": 0.3})(poses(arm, q, "link7"), limits=False)
    assert ((apart(arm, found.q, q) < 1e-3) | found.family.any(axis=1)).all()


def test_the_shoulder_over_the_axis():
    robot = tf.robots.rx90()
    q = states(robot, 20, 14)
    for _ in range(60):  # bring the wrist onto the first axis
        x = poses(robot, q, "link4")[:, :3, 3]
        lean = q + np.array([0, 1e-7, 0, 0, 0, 0])
        slope = (np.hypot(*poses(robot, lean, "link4")[:, :2, 3].T) - np.hypot(*x[:, :2].T)) / 1e-7
        q[:, 1] -= np.clip(np.hypot(*x[:, :2].T) / np.where(slope == 0, 1, slope), -0.3, 0.3)
    on = np.hypot(*poses(robot, q, "link4")[:, :2, 3].T) < 1e-12
    assert on.sum() > 5
    found, _ = solved("rx90", q[on])
    assert found.family.any(axis=1).all()


def quarters(robot, count):
    """Return states with all angles at quarter turns."""
    q = np.random.default_rng(13).choice(np.pi / 2 * np.arange(-1, 3), (count, len(robot.joints)))
    q[:, [joint.sigma == 1 for joint in robot.joints]] *= 0.1
    return q


def test_singular_poses_have_the_same_solutions_alone_and_in_a_batch():
    robot = tf.robots.ur5()
    q = quarters(robot, 40) + 1e-8 * np.random.default_rng(4).uniform(-1.0, 1.0, (40, 6))
    T, near = poses(robot, q, "link6"), states(robot, 40, 4)
    ik = tf.inverse_geometry(robot, frame="link6")
    found = ik(T, near=near, limits=False)
    for k in range(40):
        alone = ik(T[k], near=near[k], limits=False)
        np.testing.assert_array_equal(alone.q, found.q[k, : found.count[k]])
        np.testing.assert_array_equal(alone.family, found.family[k, : found.count[k]])


SQUARE = {
    "a slide that its own step leaves undetermined": (
        "RPRRRR",
        [-np.pi / 2, None, None, -np.pi / 2, np.pi, 0.0],
        [0.2, 0.2, 0.0, None, 0.2, None],
        [0, 1, 2],
    ),
    "a step after one with two solutions that are one": (
        "RRRRRR",
        [None, np.pi, np.pi, -np.pi / 2, np.pi / 2, np.pi / 2],
        [0.0, 0.2, None, 0.0, 0.0, 0.0],
        [],
    ),
}


@pytest.mark.parametrize("name", SQUARE)
def test_square_arms_at_quarter_turns(name):
    kinds, alphas, lengths, flat = SQUARE[name]
    arm = random_arm(kinds, 0, alphas, lengths)
    joints = (replace(joint, theta=0.0, r=0.0 if k in flat else joint.r) for k, joint in enumerate(arm.joints))
    arm = replace(arm, joints=tuple(joints))
    q = quarters(arm, 30)
    T = poses(arm, q, TIP)
    found = tf.inverse_geometry(arm, frame=TIP)(T, near=q, limits=False)
    assert (found.count > 0).all()
    assert found.family.any()
    there = np.isfinite(found.q).all(axis=2)
    assert np.abs(poses(arm, np.nan_to_num(found.q), TIP) - T[:, None])[there].max() < 1e-10


def test_general_arms_at_quarter_turns():
    """There, several solutions have the same angle in the elimination, or there are infinitely many."""
    right = np.pi / 2
    arm = random_arm("RRRRRR", 1, [0.0, right, 0.0, right, -right, right], [0.0, 0.0, 0.4, 0.0, 0.0, 0.0])
    shifts = (0.0, 0.1, 0.0, 0.3, 0.1, 0.2)
    joints = (replace(joint, theta=0.0, r=r) for joint, r in zip(arm.joints, shifts, strict=True))
    arm = replace(arm, joints=tuple(joints))
    q = quarters(arm, 40)
    T = poses(arm, q, TIP)
    ik = tf.inverse_geometry(arm, frame=TIP)
    assert "general" in ik.kind
    found = ik(T, near=q, limits=False)
    regular = np.linalg.svd(tf.jacobian(arm, frame=TIP).compile()(q))[1][:, -1] > 1e-6
    assert regular.any()
    assert (apart(arm, found.q, q)[regular] < 1e-6).all()
    assert (found.count > 0).all()
    assert found.family.any()
    assert not found.family[regular, 0].any()
    there = np.isfinite(found.q).all(axis=2)
    assert np.abs(poses(arm, np.nan_to_num(found.q), TIP) - T[:, None])[there].max() < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-6, 1e-3])
def test_many_wrists(name, size):
    solved(name, wrists(name, size, 2000))


@pytest.mark.parametrize("name", ["puma560", pytest.param("ur5", marks=pytest.mark.slow)])
def test_wrists_of_arms_whose_axes_almost_meet(name):
    robot, q = perturbed(tf.robots.bundled(name), 1e-9), wrists(name, 0.0, 4)
    _, off = solved(name, q, robot)
    assert (off < 1e-3).all()


@pytest.mark.slow
def test_two_solutions_close_to_each_other_along_what_would_be_a_family():
    q = states(tf.robots.ur5(), 40, 31)[:1]
    q[:, 4] = 0.0
    found, off = solved("ur5", q, perturbed(tf.robots.ur5(), 1e-5, seed=9))
    assert off[0] < 1e-3
    assert found.count[0] == 8


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("bend", [0.0, 1e-9, 1e-6, 1e-3])
def test_many_wrists_of_arms_whose_axes_almost_meet(name, size, bend):
    robot, q = perturbed(tf.robots.bundled(name), size), wrists(name, bend, 50)
    found, off = solved(name, q, robot)
    lost = (off > 1e-3) & ~found.family.any(axis=1)
    assert lost.sum() <= 1  # near these poses, solutions are apart by less than rounding can tell


@pytest.mark.slow
def test_a_wrist_that_is_exact_in_an_arm_that_is_not_has_families():
    puma = tf.robots.puma560()
    joints = [replace(joint, d=float(joint.d) + 1e-6 * (k == 1)) for k, joint in enumerate(puma.joints)]
    joints[1] = replace(joints[1], alpha=float(joints[1].alpha) + 1e-6)
    joints[2] = replace(joints[2], alpha=float(joints[2].alpha) + 1e-6)
    found, _ = solved("puma560", wrists("puma560", 0.0, 5), replace(puma, joints=tuple(joints)))
    assert found.family.any(axis=1).all()
    assert (found.count <= 16).all()


SEVERAL = {
    "puma560": [-0.9219, 0.57551, -1.66315, 1.8988, 0.0, -2.33257],
    "rx90": np.pi * np.array([1.0, 1.0, 0.5, 0.5, 0.0, 0.0]),
    "stanford": [np.pi / 2, 0.0, 0.14763, -np.pi / 2, 0.0, np.pi],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("size", [1e-9, 1e-7, 1e-5, 1e-3])
def test_arms_whose_axes_almost_meet_in_poses_that_are_singular_in_several_ways(name, size):
    robot, frame = perturbed(tf.robots.bundled(name), size), ARMS[name][0]
    random = np.random.default_rng(13).choice(np.pi / 2 * np.arange(-1, 3), (12, 6))
    random[:, 2] = random[:, 2] if name != "stanford" else np.linspace(0.1, 0.4, 12)
    q = np.concatenate([[SEVERAL[name]], random])
    found, off = solved(name, q, robot)
    again = (off < 1e-3) | found.family.any(axis=1)
    assert again.sum() >= len(q) - (name == "stanford" and size == 1e-3)  # solved by elimination, like any other arm
    isolated = np.isfinite(found.q).all(axis=2) & ~found.family
    reached = poses(robot, np.nan_to_num(found.q), frame) - poses(robot, q, frame)[:, None]
    assert (np.abs(reached).max(axis=(2, 3))[isolated] < 1e-12).mean() > 0.8  # where joints are determined at all


def test_rounding_near_a_singular_pose_of_a_general_arm():
    """Axes that miss each other by a millimetre leave equations that almost depend on each other: what is rounding in
    their determinant is measured, since here it hides two zeros.
    """
    robot, frame = perturbed(tf.robots.stanford(), 1e-3), ARMS["stanford"][0]
    q = np.random.default_rng(78).choice(np.pi / 2 * np.arange(-1, 3), (60, 6))
    q[:, 2] = np.linspace(0.1, 0.4, 60)
    found = tf.inverse_geometry(robot, frame=frame)(poses(robot, q, frame), limits=False)
    assert (found.count > 0).all()
