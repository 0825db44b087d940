"""Inverse geometry of parallel robots and other closed loops: closed states, all of them, or a clear refusal."""

from functools import cache

import numpy as np
import pytest

import tauforge as tf

ROBOTS = {
    "gough_stewart": ("platform", "pose", 4096),
    "delta": ("platform", "position", 64),
    "orthoglide": ("platform", "position", 64),
    "planar_3rrr": ("platform", "pose", 8),
    "fivebar": ("tool", "position", 4),
    "sr400": ("link6", "pose", 16),
}
LONG = ("gough_stewart", "orthoglide", "sr400", "delta")


@cache
def solver(name):
    frame, aim, _ = ROBOTS[name]
    return tf.inverse_geometry(tf.robots.bundled(name), frame=frame, aim=aim)


def neutral(robot):
    return np.array([x for joint in robot.joints if not joint.mimic for x in joint.kind.neutral])


def closed_states(robot, count, seed=0, size=0.3):
    random, found = np.random.default_rng(seed), []
    while len(found) < count:
        guess = neutral(robot) + random.uniform(-size, size, len(robot.coordinate_names))
        try:
            found.append(tf.close_loops(robot, None, guess=guess))
        except tf.ProgramError:
            continue
    return np.array(found)


def placed(robot, q, frame):
    return tf.transforms(robot, frames=frame).compile()(q)[..., 0, :, :]


def apart(robot, q, given):
    """Return the distance between states, angles by whole turns, quaternions of either sign."""
    off = q - given
    turning = np.array(
        [joint.sigma == 0 for joint in robot.joints if joint.axes and not joint.mimic for _ in joint.axes]
    )
    if len(turning) == off.shape[-1]:
        off = np.where(turning, off - 2 * np.pi * np.round(off / (2 * np.pi)), off)
    return np.abs(off).max(axis=-1)


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.slow] * (x in LONG)) for x in ROBOTS])
def test_states_are_found_again_and_all_are_closed(name):
    ik, (frame, _, most) = solver(name), ROBOTS[name]
    q = closed_states(ik.robot, 4)
    T = placed(ik.robot, q, frame)
    found = ik(T, near=q, limits=False)
    assert found.q.shape == (4, most, len(ik.robot.coordinate_names))
    assert (found.count == most).all()
    assert (apart(ik.robot, found.q[:, 0], q) < 1e-9).all()
    flat = found.q.reshape(-1, found.q.shape[-1])
    assert np.abs(tf.loop_closure(ik.robot).compile()(flat).error).max() < 1e-12
    reached = placed(ik.robot, flat, frame).reshape(*found.q.shape[:2], 4, 4)
    rows = slice(None) if ik.aim == "pose" else 3
    np.testing.assert_allclose(
        reached[:, :, :3, rows], np.broadcast_to(T[:, None], reached.shape)[:, :, :3, rows], atol=1e-10
    )
    independent = [ik.robot.coordinate_names.index(x) for x in ik.robot.independent]
    again = tf.close_loops(ik.robot, found.q[0, 0][independent], guess=found.q[0, 0])
    assert apart(ik.robot, again, found.q[0, 0]) < 1e-9


def test_solutions_are_different():
    ik = solver("planar_3rrr")
    q = closed_states(ik.robot, 1)[0]
    rows = ik(placed(ik.robot, q, "platform")).q
    assert len(np.unique(rows.round(6), axis=0)) == len(rows)


@pytest.mark.slow
def test_legs_of_the_gough_stewart_platform_have_the_distance_between_their_points():
    """The plain formula: the length of a leg is the distance from its universal joint to its ball joint."""
    robot, ik = tf.robots.gough_stewart(), solver("gough_stewart")
    q = closed_states(robot, 3, seed=3)
    T = placed(robot, q, "platform")
    found = ik(T, combine=False)
    assert (found.count == 1).all()
    for number, loop in enumerate(robot.loops, 1):
        base = np.array(robot.joints[3 * number - 3].pose().homogeneous, dtype=float).reshape(4, 4)[:3, 3]
        top = np.array(loop.frame.pose().homogeneous, dtype=float).reshape(4, 4)[:3, 3]
        home = placed(robot, neutral(robot), "platform")
        length, start = (np.linalg.norm(t[..., :3, :3] @ top + t[..., :3, 3] - base, axis=-1) for t in (T, home))
        place = robot.coordinate_names.index(f"leg{number}_P")
        np.testing.assert_allclose(found.q[:, 0, place], length - start, atol=1e-12)


def test_one_combination_is_the_nearest_one():
    ik = solver("planar_3rrr")
    q = closed_states(ik.robot, 5, seed=1)
    found = ik(placed(ik.robot, q, "platform"), near=q, combine=False)
    assert found.q.shape[1] == 1
    assert (apart(ik.robot, found.q[:, 0], q) < 1e-9).all()


def test_what_cannot_be_reached_says_which_leg():
    ik = solver("planar_3rrr")
    T = placed(ik.robot, neutral(ik.robot), "platform")
    T[0, 3] += 5.0
    found = ik(T)
    assert found.count == 0
    assert found.q.shape == (0, 9)
    assert str(found.reason).startswith("leg1_R3: out of reach")
    tilted = placed(ik.robot, neutral(ik.robot), "platform")
    tilted[:3, :3] = tilted[:3, :3] @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    assert ik(tilted).count == 0
    assert ik(tilted).reason


def test_points_and_batches():
    ik = solver("fivebar")
    q = closed_states(ik.robot, 6)
    points = placed(ik.robot, q, "tool")[:, :3, 3].reshape(2, 3, 3)
    found = ik(points)
    assert found.q.shape == (2, 3, 4, 4)
    assert ik(points[:0]).q.shape == (0, 3, 0, 4)
    assert "arm1" in ik.explain()
    assert "pivot" in repr(ik)


def hexapod(word):
    """Return a platform on three legs that are written as a word, with a rotation axis along the tangent."""
    legs, axes = [], {"PUS": [(0, 0, 1), None, None], "RUS": None}
    for angle in (0.0, 2.0944, 4.1888):
        out, side = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
        points = {
            "RUS": [out, out * 1.4 + [0, 0, 0.4], out * 0.6 + [0, 0, 1.0]],
            "PUS": [out, out * 0.5 + [0, 0, 1.0]],
        }[word]
        points = [p + 0.1 * side * k for k, p in enumerate(points)]
        legs.append(tf.leg(word, points, axes=axes[word] or [side, None, None]))
    return tf.parallel_robot(tf.Body(name="platform"), legs * 2, home=(0, 0, 1.0), name=word)


@pytest.mark.slow
@pytest.mark.parametrize("word", ["RUS", "PUS"])
def test_legs_with_other_joints(word):
    robot = hexapod(word)
    ik = tf.inverse_geometry(robot, frame="platform")
    T = placed(robot, neutral(robot), "platform")
    T[:3, 3] += 0.02, -0.03, 0.04
    found = ik(T, combine=False)
    assert found.count == 1
    assert np.abs(tf.loop_closure(robot).compile()(found.q[0]).error).max() < 1e-12


def test_what_is_not_closed_is_refused():
    stewart = tf.robots.gough_stewart()
    with pytest.raises(tf.ProgramError, match=r"leaves both sides .* tf.reach"):
        tf.inverse_geometry(tf.robots.delta(), frame=tf.robots.delta().bodies[0].name, aim="position")
    with pytest.raises(tf.ProgramError, match="aim='pose'"):
        tf.inverse_geometry(stewart, frame="platform", aim="position")
    with pytest.raises(tf.ProgramError, match="no joint of it can be fixed"):
        tf.inverse_geometry(stewart, frame="platform", fixed={"leg1_P": 0.1})
    with pytest.raises(tf.ProgramError, match="symbols"):
        tf.inverse_geometry(tf.robots.fivebar(symbolic=True), frame="tool", aim="position")
    universal = tf.robots.fivebar().derived(loops=()).with_loop("tool", "forearm2_end", kind="universal")
    with pytest.raises(tf.ProgramError, match="cut at a universal joint"):
        tf.inverse_geometry(universal, frame="tool", aim="position")
    with pytest.raises(tf.ProgramError, match="no frame"):
        tf.inverse_geometry(stewart, frame="nowhere")
    with pytest.raises(tf.ProgramError, match=r"ik.legs\['pivot'\].program"):
        assert solver("fivebar").program
    with pytest.raises(tf.ProgramError, match="its own derivation"):
        solver("fivebar").equations()


@pytest.mark.parametrize("bad", [np.full((4, 4), np.nan), 2.0 * np.eye(4), np.eye(3), "pose"])
def test_poses_that_are_none_are_refused(bad):
    with pytest.raises(tf.ProgramError, match="T"):
        solver("planar_3rrr")(bad)


def test_a_near_of_the_wrong_size_is_refused():
    ik = solver("planar_3rrr")
    with pytest.raises(tf.ProgramError, match="near"):
        ik(placed(ik.robot, neutral(ik.robot), "platform"), near=[0.0])


def hexapod_of_mujoco():
    """Return the MJCF of six legs that MuJoCo's equality constraints connect to a free platform."""
    legs, ends = "", ""
    for k in range(6):
        a, b = (2.0 * np.pi * (k // 2) / 3.0 + turn * (-1.0) ** k for turn in (0.2, 0.8))
        foot, top = np.array([np.cos(a), np.sin(a), 0.0]), np.array([0.5 * np.cos(b), 0.5 * np.sin(b), 1.0])
        z = (top - foot) / np.linalg.norm(top - foot)
        y = np.cross(z, [1.0, 0.0, 0.0]) / np.linalg.norm(np.cross(z, [1.0, 0.0, 0.0]))
        pos, axes = (" ".join(map(str, x)) for x in (foot, [*np.cross(y, z), *y]))
        mass = '<inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/>'
        legs += f'<body pos="{pos}" xyaxes="{axes}">{mass}<joint name="a{k}" axis="1 0 0"/><body>{mass}'
        legs += f'<joint name="b{k}" axis="0 1 0"/><body name="rod{k}">{mass}'
        legs += f'<joint name="p{k}" type="slide" axis="0 0 1"/></body></body></body>'
        ends += f'<connect body1="rod{k}" body2="platform" anchor="0 0 {np.linalg.norm(top - foot)}"/>'
    free = f'<body name="platform" pos="0 0 1"><freejoint name="free"/>{mass}</body>'
    return (
        f'<mujoco model="hexapod"><compiler angle="radian"/><worldbody>{legs}{free}</worldbody>'
        f"<equality>{ends}</equality></mujoco>"
    )


@pytest.mark.slow
def test_states_satisfy_the_constraints_of_mujoco(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "hexapod.xml").write_text(hexapod_of_mujoco())
    robot, model = tf.load(tmp_path / "hexapod.xml"), mujoco.MjModel.from_xml_path(str(tmp_path / "hexapod.xml"))
    data = mujoco.MjData(model)
    T = np.eye(4)
    T[:2, :2], T[:3, 3] = [[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]], (0.05, -0.03, 1.08)
    found = tf.inverse_geometry(robot, frame="platform")(T)
    assert found.count == 4**6
    for q in (*found.q[::97], tf.reach(robot, T, frame="platform").q):
        named = dict(zip(robot.coordinate_names, q, strict=True))
        for k in range(model.njnt):
            name, at = model.joint(k).name, model.jnt_qposadr[k]
            parts = ("px", "py", "pz", "w", "x", "y", "z")
            values = [named[f"free.{x}"] for x in parts] if name == "free" else [named[name]]
            data.qpos[at : at + len(values)] = values
        mujoco.mj_forward(model, data)
        assert data.ne == 18
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-12
