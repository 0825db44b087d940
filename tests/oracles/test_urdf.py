"""Every robot of example-robot-data, fixed and floating, against Pinocchio; mimic and planar joints."""

import re
import sys
import warnings
from itertools import cycle
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import tauforge as tf

from ..interpret import interpret
from .urdf_with_pinocchio import compare, load

DATA = next(
    folder
    for folder in (Path(place) / "cmeel.prefix/share/example-robot-data/robots" for place in sys.path)
    if folder.is_dir()
)
ROBOTS = sorted(str(path.relative_to(DATA)) for path in DATA.glob("**/*.urdf"))
NOT_URDF = "ur_description/urdf/ur3.urdf"
"""Only a list of xacro's includes, which Pinocchio does not load either."""
QUICK = (
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "baxter_description/urdf/baxter.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "hector_description/robots/quadrotor_base.urdf",
    "kinova_description/robots/kinova.urdf",
    "panda_description/urdf/panda.urdf",
    "so_arm_description/urdf/so101.urdf",
    "solo_description/robots/solo12.urdf",
    "ur_description/urdf/ur5_robot.urdf",
)
"""Few joints, and what is special in some: mimic and continuous joints, axes of all kinds, rounded angles, no joint."""


def test_there_are_robots():
    assert len(ROBOTS) > 25
    assert NOT_URDF in ROBOTS
    assert set(QUICK) < set(ROBOTS)


@pytest.mark.parametrize(("name", "base"), [*zip(QUICK, cycle([None, "floating"]), strict=False)])
def test_agrees_with_pinocchio(name, base):
    compare(DATA / name, base, count=4)


@pytest.mark.slow
@pytest.mark.parametrize("base", [None, "floating"])
@pytest.mark.parametrize("name", [name for name in ROBOTS if name != NOT_URDF])
def test_every_robot_agrees_with_pinocchio(name, base):
    compare(DATA / name, base, count=20)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ROBOTS if name != NOT_URDF])
def test_every_robot_is_written_and_read_back(name, tmp_path):
    robot = load(DATA / name, "floating")
    robot.with_base("fixed").save(tmp_path / "again.urdf")
    again = load(tmp_path / "again.urdf", "floating")
    rng = np.random.default_rng(1)
    whole = robot.expanded()
    state = rng.uniform(-1, 1, len(whole.coordinate_names)), *rng.uniform(-1, 1, (2, whole.dof))
    tau = interpret(tf.inverse_dynamics(robot), *state)
    np.testing.assert_allclose(
        interpret(tf.inverse_dynamics(again), *state), tau, rtol=1e-9, atol=1e-9 * abs(tau).max()
    )
    assert set(again.frame_names) == set(robot.frame_names)


@pytest.mark.parametrize("axis", ["0 0 1", "0 0 -1", "1 0 0", "-1 0 0", "0 1 0", "0 -1 0", "1 2 3", "-1 0.5 -2"])
def test_planar_joints(axis, tmp_path):
    """The plane is the one across the axis, with x and y as MuJoCo has them; Pinocchio takes the axis as z."""
    path = tmp_path / "a.urdf"
    body = '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1" {}/></inertial>'
    body = body.format('ixy="0" ixz="0" iyz="0"')
    path.write_text(
        f'<robot name="r"><link name="a"/><link name="b">{body}</link><joint name="j" type="planar"><parent link="a"/>'
        f'<child link="b"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="{axis}"/></joint></robot>'
    )
    if axis == "0 0 1":
        compare(path, None)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[:] = q = [0.3, 0.4, 0.5]
    mujoco.mj_kinematics(model, data)
    T = interpret(tf.transforms(load(path), frames="b"), q)[0]
    np.testing.assert_allclose(T[:3, 3], data.body("b").xpos, atol=1e-12)
    np.testing.assert_allclose(T[:3, :3].ravel(), data.body("b").xmat, atol=1e-12)


WHOLE = '<mass value="3"/><inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="1.2"/>'


@pytest.mark.parametrize("base", [None, "floating"])
@pytest.mark.parametrize(
    ("old", "new", "warned"),
    [
        ('<mass value="3"/>', "", r":2: <inertial> of <link name=\"c\">: <mass> is missing: the link has no inertia"),
        (' value="3"', "", r":2: <mass> of .*: value is missing: the link has no inertia"),
        (WHOLE[17:], "", r":2: <inertial> of <link name=\"c\">: <inertia> is missing: the link is a point mass"),
        (' ixy="0.1"', "", r":2: <inertia> of .*: ixy is missing: the link is a point mass, all .* moments are zero"),
        (' ixy="0.1" ixz="0.2"', "", r":2: <inertia> of .*: ixy, ixz is missing: the link is a point mass"),
    ],
)
def test_lenient_readings_are_pinocchios(tmp_path, base, old, new, warned):
    path = tmp_path / "a.urdf"
    links = "".join(
        f'<link name="{name}">\n<inertial><origin xyz="0.1 0.2 0.3" rpy="1 2 3"/>{WHOLE}</inertial></link>'
        for name in "cb"
    )
    joints = "".join(
        f'<joint name="{pair}" type="continuous"><parent link="{pair[0]}"/><child link="{pair[1]}"/>'
        '<origin xyz="0 1 0"/><axis xyz="0 0 1"/></joint>'
        for pair in ("ab", "bc")
    )
    path.write_text(f'<robot name="r"><link name="a"/>{links.replace(old, new, 1)}{joints}</robot>')
    with pytest.raises(tf.RobotError, match=r"is missing; .*lenient=True \(--lenient\)"):
        tf.load(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tf.load(path, lenient=True)
    assert re.match(re.escape(str(path)) + warned, str(caught[0].message))
    assert caught[0].filename == __file__
    compare(path, base, count=4, lenient=True)


def test_an_undeclared_world_is_a_declared_one(tmp_path):
    """Drake knows it; Pinocchio and the strict reading here need it declared."""
    path = tmp_path / "a.urdf"
    body = f'<link name="b"><inertial>{WHOLE}</inertial></link>'
    text = f"""<robot name="r">{body}
      <joint name="j" type="continuous"><parent link="world"/><child link="b"/></joint></robot>"""
    path.write_text(text)
    with pytest.raises(tf.RobotError, match=r":2: <parent> of <joint name=\"j\">: there is no link 'world'; .*lenient"):
        tf.load(path)
    with pytest.warns(tf.RobotWarning, match=r":2: <parent> of <joint name=\"j\">: there is no link 'world': the base"):
        robot = tf.load(path, lenient=True)
    path.write_text(text.replace(body, f'<link name="world"/>{body}'))
    assert tf.load(path) == robot
    compare(path, None, count=4)


def test_mimic_joints(tmp_path):
    """Pinocchio's own mimic joints, which its articulated-body algorithm does not know."""
    path = DATA / "panda_description/urdf/panda.urdf"
    model = pin.buildModelFromUrdf(str(path), mimic=True)
    robot = load(path)
    assert (model.nq, model.nv) == (robot.dof, robot.dof) == (8, 8)
    data = model.createData()
    places = [model.joints[model.getJointId(name)].idx_v for name in robot.joint_names]
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1, 1, (3, 8))
        state = np.zeros((3, 8))
        state[:, places] = q, qd, qdd
        tau = pin.rnea(model, data, *state)[places]
        np.testing.assert_allclose(interpret(tf.inverse_dynamics(robot), q, qd, qdd), tau, rtol=1e-9, atol=1e-9)
