"""Arms with a closed form: every state is found again, and every solution has the pose."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

from .arms import TIP, apart, check, poses, random_arm, states

UR5, PUMA, LWR, PANDA = tf.robots.ur5(), tf.robots.puma560(), tf.robots.kuka_lwr(), tf.robots.panda()
QUARTER = np.pi / 2
FIVE = PUMA.lock({"joint4": 0.4})
ARMS = {
    "ur5": (UR5, "link6", None, {2, 4, 6, 8}),
    "puma560": (PUMA, "link6", None, {8}),
    "stanford": (tf.robots.stanford(), "link6", None, {8}),
    "rx90": (tf.robots.rx90(), "link6", None, {8}),
    "lwr": (LWR, "link7", {"joint3": 0.3}, {8}),
    "panda": (PANDA, "link7", {"joint7": 0.3}, {4, 6, 8}),
    "scara": (tf.robots.scara(), "link4", None, {2}),
    "five joints": (FIVE, "link6", None, {1, 2}),
    "two": (tf.robots.planar2r(), "link2", None, {1}),
    "cartesian": (random_arm("PPP", 1), TIP, None, {1}),
    "slides": (random_arm("PRPRPR", 2), TIP, None, {1, 2}),  # one may be a hundred kilometres away
    "slides first": (random_arm("PPPRRR", 3), TIP, None, {2}),
    "wrist first": (
        random_arm("RRRRRR", 4, [None, 1.0, -1.2, None, 0.0, 0.0], [0, 0, 0, None, None, None]),
        TIP,
        None,
        None,
    ),
    "wrist and slide": (
        random_arm("RPRRRR", 5, [None, 0.7, 1.1, None, 1.0, 1.2], [None, None, None, None, 0, 0]),
        TIP,
        None,
        None,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_ten_thousand_states_are_found_again(name):
    robot, frame, fixed, counts = ARMS[name]
    ik, found = check(robot, frame, states(robot, 10_000, 1, fixed), fixed=fixed)
    assert "general" not in ik.kind or name.startswith("wrist")
    assert counts is None or {*np.unique(found.count).tolist()} <= counts


@pytest.mark.parametrize("name", ["ur5", "stanford", "panda", "scara", "five joints"])
def test_states_are_found_again(name):
    robot, frame, fixed, counts = ARMS[name]
    ik, found = check(robot, frame, states(robot, 200, 2, fixed), fixed=fixed)
    assert ik.program.outputs["q"][1] == len(robot.coordinate_names)
    assert counts is None or {*np.unique(found.count).tolist()} <= counts


def test_the_kind_is_found_by_itself():
    ik = tf.inverse_geometry(UR5, frame="link6")
    assert "joint2 joint3 joint4 are parallel" in ik.kind
    assert "joint5 joint6 meet" in ik.kind
    assert repr(ik) == f"InverseGeometry('ur5', frame='link6': {ik.kind})"
    lines = tf.inverse_geometry(PUMA, frame="link6").explain().splitlines()
    assert "spherical: joint4 joint5 joint6 meet" in lines[0]
    assert [line.split(".")[0] for line in lines[1:-1]] == list("123456")
    assert lines[-1].startswith("8 branches")


def test_neither_a_base_nor_a_tool_that_is_far_away_matters():
    first, *rest = UR5.joints
    tool = tf.Joint(name="tool", antecedent=6, sigma=2, mu=0, d=20.0)
    mounted = replace(UR5, joints=(replace(first, r=100.0, b=100.0), *rest), frames=(tool,))
    q = states(UR5, 14, 7)
    q[:4, 4] = 0.0
    (_, own), (ik, found) = check(UR5, "link6", q[4:]), check(mounted, "tool", q[4:])
    assert found.count.tolist() == own.count.tolist()
    singular = ik(poses(mounted, q[:4], "tool"), limits=False)
    assert (singular.family.any(axis=1) | (apart(mounted, singular.q, q[:4]) < 1e-3)).all()


def test_a_tool_that_can_spin_and_a_point():
    q = states(FIVE, 60, 3)
    ik = tf.inverse_geometry(FIVE, frame="link5", aim="axis")
    T = poses(FIVE, q, "link5")
    turned = T.copy()
    turned[:, :3, :3] = T[:, :3, :3] @ [[0, -1, 0], [1, 0, 0], [0, 0, 1]]  # about the frame's z axis
    found = ik(turned, near=q, limits=False)
    assert found.exact.all()
    assert (apart(FIVE, found.q, q) < 1e-6).all()
    arm = random_arm("RRR", 6, [None, QUARTER, 0.0])
    q = states(arm, 60, 4)
    found = tf.inverse_geometry(arm, frame=TIP, aim="position")(poses(arm, q, TIP)[:, :3, 3])
    assert (apart(arm, found.q, q) < 1e-6).all()
    assert set(np.unique(found.count)) <= {2, 4}


def test_a_pose_that_few_joints_cannot_meet_gets_the_nearest_state():
    T = poses(FIVE, states(FIVE, 5, 5), "link6")
    T[:, :3, :3] = T[:, :3, :3] @ np.array([[np.cos(0.1), 0, np.sin(0.1)], [0, 1, 0], [-np.sin(0.1), 0, np.cos(0.1)]])
    found = tf.inverse_geometry(FIVE, frame="link6")(T)
    assert not found.exact.any()
    assert (found.count == 1).all()
    near = tf.reach(FIVE, T, frame="link6", q0=found.q[:, 0], strict=False)
    np.testing.assert_allclose(near.q, found.q[:, 0], atol=1e-4)  # no step leads nearer
    assert all("out of reach" in text for text in found.reason)


@pytest.mark.parametrize(("arm", "frame"), [(FIVE, "link6"), (random_arm("RRRRR", 5), TIP)])
def test_a_pose_that_few_joints_meet_but_for_its_rounding_gets_the_state_beside_it(arm, frame):
    q = states(arm, 60, 3)
    found = tf.inverse_geometry(arm, frame=frame)(poses(arm, q, frame).round(8))
    assert not found.exact.any()
    assert (apart(arm, found.q, q) < 1e-3).all()


def test_redundant_joints_are_given_or_sampled():
    q = states(LWR, 20, 6)
    T = poses(LWR, q, "link7")
    ik = tf.inverse_geometry(LWR, frame="link7", fixed={"joint3": 0.0})
    found = ik(T, fixed={"joint3": q[:, 2]}, limits=False)
    assert (apart(LWR, found.q, q) < 1e-6).all()
    sampled = tf.inverse_geometry(LWR, frame="link7", samples=6)
    assert "sampled" in sampled.kind
    found = sampled(T, limits=False)
    assert (found.count > 8).all()
    there = np.isfinite(found.q).all(axis=2)
    assert np.abs(poses(LWR, np.nan_to_num(found.q), "link7") - T[:, None])[there].max() < 1e-10


def arm_angles(q):
    """Return the arm angles of a KUKA LWR: shoulder, elbow and wrist are the origins of links 2, 4 and 6."""
    S, E, W = (poses(LWR, q, link)[:, :3, 3] for link in ("link2", "link4", "link6"))
    line = (W - S) / np.linalg.norm(W - S, axis=1)[:, None]
    up, out = (v - line * (v * line).sum(axis=1)[:, None] for v in (np.array([[0.0, 0.0, 1.0]]), E - S))
    return np.arctan2((np.cross(up, out) * line).sum(axis=1), (up * out).sum(axis=1))


@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_arm_angle_is_given(count):
    q = states(LWR, count, 8)
    ik = tf.inverse_geometry(LWR, frame="link7", fixed={"arm angle": 0.0})
    assert ik.kind.endswith("arm angle given")
    assert "arm angle" in ik.explain()
    T = poses(LWR, q, "link7")
    found = ik(T, fixed={"arm angle": arm_angles(q)}, limits=False)
    assert (found.count == 8).all()
    assert (apart(LWR, found.q, q) < 1e-5).all()
    reached = ik(T, fixed={"arm angle": 0.7}, limits=False).q
    np.testing.assert_allclose(poses(LWR, reached, "link7"), np.repeat(T[:, None], 8, axis=1), atol=1e-10)
    np.testing.assert_allclose(arm_angles(reached.reshape(-1, 7)), 0.7, atol=1e-6)
    with pytest.raises(tf.ProgramError, match="has no arm angle"):
        tf.inverse_geometry(PANDA, frame="link7", fixed={"arm angle": 0.0})


def test_symbolic_arms_have_a_program():
    robot = tf.robots.puma560(symbolic=True)
    ik = tf.inverse_geometry(robot, frame="link6")
    assert ik.program.parameters
    with pytest.raises(tf.ProgramError, match="symbols in its geometry"):
        ik(np.eye(4))
    values = {name: 0.3 + 0.1 * k for k, name in enumerate(ik.program.parameters)}
    bound = robot.bind({name: values.get(name, 0.0) for name in robot.symbols})
    T = poses(bound, states(bound, 20, 7), "link6")
    with np.errstate(all="ignore"):
        q = ik.program.bind(values).compile()(T, np.zeros(6), 1e-40).q
    assert (apart(bound, q, states(bound, 20, 7)) < 1e-6).all()
