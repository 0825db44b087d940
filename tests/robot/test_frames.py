"""Frames by name: fixed joints' names mean the frames that they hold, in every place that takes one."""

import numpy as np
import pytest

import tauforge as tf

URDF = """<robot name="arm"><link name="ground"/><link name="upper"/><link name="lower"/><link name="tool"/>
<link name="shared"/>
<joint name="j1" type="revolute"><parent link="ground"/><child link="upper"/><axis xyz="0 0 1"/>
<limit effort="1" velocity="1" lower="-3" upper="3"/></joint>
<joint name="j2" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0" rpy="0.1 0.2 0.3"/>
<axis xyz="0 1 0"/><limit effort="1" velocity="1" lower="-3" upper="3"/></joint>
<joint name="mount" type="fixed"><parent link="lower"/><child link="tool"/>
<origin xyz="0.4 0.1 0" rpy="0.3 0 1"/></joint>
<joint name="tool" type="fixed"><parent link="upper"/><child link="shared"/><origin xyz="0 0.2 0"/></joint></robot>"""
q = np.array([0.3, -0.4])


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    with pytest.warns(tf.RobotWarning, match="no inertia"):
        return tf.load(path)


def pose(robot, name):
    return tf.transforms(robot, frames=[name]).compile()(q)[0]


def test_a_fixed_joint_is_its_frame(arm):
    np.testing.assert_array_equal(pose(arm, "mount"), pose(arm, "tool"))
    assert np.abs(pose(arm, "mount") - pose(arm, "lower")).max() > 0.1
    assert "mount" not in arm.frame_names  # no default output grows


def test_a_name_shared_with_a_link_means_the_link(arm):
    assert np.abs(pose(arm, "tool") - pose(arm, "shared")).max() > 0.1


def test_a_moving_joint_is_the_frame_of_its_link_in_the_file(arm):
    np.testing.assert_array_equal(pose(arm, "j2"), pose(arm, "lower"))


@pytest.mark.parametrize(
    "use",
    [
        lambda arm, name: tf.jacobian(arm, frame=name).compile()(q),
        lambda arm, name: tf.jacobian(arm, frame="lower", axes=name).compile()(q),
        lambda arm, name: tf.transforms(arm, frames="upper", relative_to=name).compile()(q),
        lambda arm, name: tf.inverse_geometry(arm, frame=name)(pose(arm, "tool")).q,
        lambda arm, name: tf.reach(arm, tf.Goal(name, pose(arm, "tool"))).q,
        lambda arm, name: tf.inverse_dynamics(arm.payload(2.0, [0.1, 0, 0], at=name)).compile()(q, q, q),
        lambda arm, name: tf.inverse_dynamics(arm.attach(tf.robots.planar2r(), at=name)).compile()(*np.ones((3, 4))),
    ],
)
def test_wherever_a_frame_is_named(arm, use):
    np.testing.assert_array_equal(use(arm, "mount"), use(arm, "tool"))


@pytest.mark.parametrize("ending", ["toml", "urdf"])
def test_files_keep_the_name(arm, tmp_path, ending):
    path = tmp_path / f"again.{ending}"
    arm.save(path)
    if ending == "urdf":
        assert '<joint name="mount" type="fixed">' in path.read_text()
        with pytest.warns(tf.RobotWarning, match="no inertia"):
            again = tf.load(path)
    else:
        again = tf.load(path)
    np.testing.assert_allclose(pose(again, "mount"), pose(arm, "tool"), atol=1e-15)


def test_locked_and_merged_robots_keep_the_name(arm):
    locked = arm.lock({"j2": -0.4})
    T = tf.transforms(locked, frames=["mount", "j2"]).compile()([0.3])
    np.testing.assert_allclose(T, [pose(arm, "tool"), pose(arm, "lower")], atol=1e-15)


def test_attached_arms_keep_both_names_apart(arm):
    pair = arm.attach(arm, at="mount", name="second")
    T = tf.transforms(pair, frames=["mount", "second_mount", "second_tool"]).compile()(np.tile(q, 2))
    np.testing.assert_array_equal(T[1], T[2])
    np.testing.assert_allclose(T[1], T[0] @ pose(arm, "tool"), atol=1e-15)


def test_an_unknown_name_is_answered_with_a_near_one(arm):
    with pytest.raises(tf.ProgramError, match="did you mean mount"):
        tf.transforms(arm, frames=["mont"])


def test_only_constant_frames_have_an_alias():
    with pytest.raises(tf.RobotError, match="only constant frames"):
        tf.Robot(name="r", joints=[tf.Joint(name="a", antecedent=0, alias="b")], bodies=[tf.Body(name="c")])
