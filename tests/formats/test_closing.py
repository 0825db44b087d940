"""The side file that closes a URDF: loops, motors, joint types, and what is refused."""

import numpy as np
import pytest

import tauforge as tf

LINK = """<link name="{0}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{4}"><parent link="{1}"/><child link="{2}"/><origin xyz="{3} 0 0"/>
<axis xyz="0 0 1"/>
<limit effort="1" velocity="1" lower="-3" upper="3"/></joint>"""
F1 = JOINT.format("f1", "coupler", "tip", 0.5, "fixed")
URDF = "\n".join(
    [
        '<robot name="fourbar"><link name="ground"/><link name="tip"/><link name="end"/>',
        *(LINK.format(name) for name in ("crank", "coupler", "rocker")),
        JOINT.format("j1", "ground", "crank", 0, "revolute"),
        JOINT.format("j2", "crank", "coupler", 0.2, "revolute"),
        JOINT.format("j3", "ground", "rocker", 0.5, "revolute"),
        F1,
        JOINT.format("f2", "rocker", "end", 0.4, "fixed"),
        "</robot>",
    ]
)


@pytest.fixture
def load(tmp_path):
    (tmp_path / "robot.urdf").write_text(URDF)

    def loaded(text):
        (tmp_path / "robot.yaml").write_text(text)
        return tf.load(tmp_path / "robot.urdf", loops=tmp_path / "robot.yaml")

    return loaded


def test_a_loop_and_its_motor(load):
    robot = load("closed_loop: [[tip, end]]\ntype: [3d]\nname_mot: [j1]\n")
    assert robot.independent == ("j1",)
    assert [joint.mu for joint in robot.joints] == [1, 0, 0]
    q = tf.close_loops(robot, [1.0], guess=[1.0, -0.5, 1.2])
    T = tf.transforms(robot.tree(), frames=["tip", "end"]).compile()(q)
    np.testing.assert_allclose(T[0, :3, 3], T[1, :3, 3], atol=1e-11)


def test_the_same_mechanism_in_python(load):
    robot = load("closed_loop: [[tip, end]]\ntype: [3d]\nname_mot: [j1]\n")
    tree = robot.tree()
    again = tree.with_loop("tip", "end", kind="spherical", name="loop1")
    state = (tf.close_loops(robot, [1.0], guess=[1.0, -0.5, 1.2]), [0.3], [0.4])
    torques = [tf.inverse_dynamics(each).compile()(*state) for each in (robot, again)]
    np.testing.assert_array_equal(*torques)


def test_joints_of_another_kind(load):
    robot = load("closed_loop: []\ntype: []\njoint_name: [j2]\njoint_type: [SPHERICAL]\n")
    assert [joint.kind.word for joint in robot.joints] == ["revolute", "spherical", "revolute"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("closed_loop: [[tip, nowhere]]\ntype: [6d]", "closed_loop 1: .*no link, frame or joint 'nowhere'"),
        ("closed_loop: [[tip]]\ntype: [6d]", "names of two frames"),
        ("closed_loop: [[tip, end]]\ntype: [5d]", "must be 6d or 3d"),
        ("closed_loop: [[tip, end]]\ntype: []", "closed_loop has 1 entries, type has 0"),
        (
            "closed_loop: [[tip, end]]\ntype: [6d]\nname_mot: [j9]",
            "robot.yaml:3: name_mot 1: .*robot.urdf has no joint 'j9' that moves",
        ),
        ("joint_name: [j1]\njoint_type: [rubber]", "must be one of revolute"),
        ("joint_name: [[j1]]\njoint_type: [SPHERICAL]", "no joint"),
        ("joint_name: [j1]\njoint_type: [universal]", "must be one of .*ujoint_xy"),
        (
            "joint_name: [f1]\njoint_type: [SPHERICAL]",
            "robot.yaml:1: joint_name 1: .*robot.urdf has no joint 'f1' that moves; choose among j1, j2, j3",
        ),
        ("joint_name: [j1]", "joint_name has 1 entries, joint_type has 0"),
        ("loops: []", "unknown key 'loops'"),
        ("closed_loop: tip", "must be a list"),
        ("[1, 2]", "must be a mapping"),
        ("closed_loop: [", "not valid YAML"),
        ("[" * 100_000, "nested too deeply"),
        ("name_mot: [&a [x, x], &b [*a, *a]]\nclosed_loop: [&c [*c, *c]]\ntype: [6d]", "names of two frames"),
        ("!!python/object/apply:os.system ['true']", "not valid YAML"),
    ],
)
def test_refusals(load, text, message):
    with pytest.raises(tf.RobotError, match=message):
        load(text)


def test_a_joint_that_follows_another_has_no_other_type_and_no_motor(tmp_path):
    joint = JOINT.format("j2", "crank", "coupler", 0.2, "revolute")
    following = joint.replace("<limit", '<mimic joint="j1"/><limit')
    (tmp_path / "robot.urdf").write_text(URDF.replace(joint, following))
    (tmp_path / "robot.yaml").write_text("joint_name: [j2]\njoint_type: [SPHERICAL]")
    with pytest.raises(
        tf.RobotError, match=r"robot.yaml: joint_type of 'j2' is spherical, but in .*robot.urdf the joint fol"
    ):
        tf.load(tmp_path / "robot.urdf", loops=tmp_path / "robot.yaml")


def test_fixed_joints_are_frames_of_a_side_file(load):
    """Pinocchio has a frame for each fixed joint, and side files name these."""
    by_link = load("closed_loop: [[tip, end]]\ntype: [3d]\nname_mot: [j1]\n")
    by_joint = load("closed_loop: [[f1, f2]]\ntype: [3d]\nname_mot: [j1]\n")
    guess = [1.0, -0.5, 1.2]
    np.testing.assert_array_equal(*(tf.close_loops(robot, [1.0], guess=guess) for robot in (by_link, by_joint)))


def test_a_loop_that_no_state_closes_names_both_files(tmp_path):
    (tmp_path / "robot.urdf").write_text(URDF.replace(F1, F1.replace('xyz="0.5 0 0"', 'xyz="0.5 0 0.03"')))
    (tmp_path / "robot.yaml").write_text("type: [3d]\nclosed_loop:\n  - [tip, f2]\n")
    with pytest.raises(tf.RobotError) as caught:
        tf.load(tmp_path / "robot.urdf", loops=tmp_path / "robot.yaml")
    for part in ("robot.yaml:3: closed_loop 1 contradicts", "robot.urdf", "'tip' (line 1)", "'f2' (line ", "0.03 m"):
        assert part in str(caught.value)


def test_loops_that_close_alone_but_not_together_say_by_how_much(tmp_path):
    bar = "\n".join(
        [
            '<robot name="bar"><link name="ground"/><link name="a"/><link name="b"/>',
            LINK.format("crank"),
            JOINT.format("j1", "ground", "crank", 0, "revolute"),
            JOINT.format("f1", "crank", "end", 0.5, "fixed"),
            '<link name="end"/>',
            JOINT.format("f2", "ground", "a", 0.5, "fixed"),
            JOINT.format("f3", "ground", "b", -0.5, "fixed"),
            "</robot>",
        ]
    )
    (tmp_path / "robot.urdf").write_text(bar)
    (tmp_path / "robot.yaml").write_text("type: [3d, 3d]\nclosed_loop: [[f1, f2], [f1, b]]\n")
    with pytest.raises(tf.RobotError, match=r"robot.yaml: its closed_loop contradicts .*robot.urdf: .* open by 0\.5"):
        tf.load(tmp_path / "robot.urdf", loops=tmp_path / "robot.yaml")


def test_only_urdf_takes_a_side_file(tmp_path):
    tf.robots.puma560().save(tmp_path / "arm.toml")
    with pytest.raises(tf.RobotError, match="is for URDF"):
        tf.load(tmp_path / "arm.toml", loops="arm.yaml")
