"""Bad closed loops, each with its clear error: in files, on the command line and in Python."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tauforge as tf
from tauforge.cli.info import mobility
from tauforge.cli.main import main
from tauforge.robot.joint import Mimic
from tests.formats.test_closing import URDF
from tests.models.loops.test_search import SOLID, linkage

SR400 = (Path(__file__).parents[1] / "formats/data/SR400.par").read_text()
FOUR_BAR = linkage(0.4, 0.9, 0.7)
MJCF = """<mujoco><worldbody>
<body name="a"><joint name="j1" axis="0 0 1"/><geom size=".1" mass="1"/>
<body name="b" pos="1 0 0"><joint name="j2" axis="0 0 1"/><geom size=".1" mass="1"/></body></body>
</worldbody><equality>{0}</equality><actuator>{1}</actuator></mujoco>"""


@pytest.fixture
def said(monkeypatch, capsys):
    """Run a command in this process, and return what it prints and its exit code."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["tauforge", *map(str, arguments)])
        monkeypatch.setattr("warnings.showwarning", None)  # which main sets
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return " ".join((printed.out + printed.err).split()), ended.value.code

    return run


def toml(tmp_path):
    FOUR_BAR.save(tmp_path / "saved.toml")
    return (tmp_path / "saved.toml").read_text()


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("par", "1,7,8,3}", "1,7,8,33}", "ant, entry 10: there is no link 33; give a number from 0 to 8"),
        ("par", "1,7,8,3}", "1,7,18,3}", "ant, entry 9: there is no link 18"),
        ("par", "1,7,8,3}", "1,7,8,8}", "two frames of the loop 'joint9' are 10 m or rad apart"),
        ("par", "mu = {1,1,0,1,1,1,1,0,0,0}", "mu = {1,1,0,1,1,1,1,0,1,0}", "'joint9' is cut at a joint with a motor"),
        ("par", "QP2,QP3", "QP2,1.5", "joint 'joint3' has QP = 1.5, but the loops determine its motion; give QP to"),
        ("par", "QDP8,QDP9", "QDP8,2", "'joint9' is cut at a joint with QDP = 2"),
        ("par", "GAM8,GAM9", "GAM8,3.5", "'joint9' is cut at a joint with GAM = 3.5"),
        ("par", "QDP =", "K = {0,0,0,0,0,0,0,0,5}\nQDP =", r"cut at a joint with k, .*neglect\(\"k\"\)"),
        ("par", "d = {0,4", "d = {0,nan", "nan"),
        (
            "toml",
            'type = "revolute"\non = "link2"',
            'type = "revolute"\non = "nowhere"',
            "on is 'nowhere'; choose among",
        ),
        ("toml", 'name = "pin_frame"\non = "base"', 'name = "pin_frame"\non = "mars"', "on is 'mars'; choose among"),
        ("toml", "[loop.frame]", "[loop.fram]", "fram"),
        (
            "toml",
            'type = "revolute"\non = "link2"',
            'type = "helical"\npitch = 0.1\non = "link2"',
            "cut at a helical joint",
        ),
        ("toml", 'name = "pin"\n', 'name = "pin"\nFV = 0.2\n', "the loop 'pin' is cut at a joint with FV"),
        ("toml", 'name = "pin"\n', 'name = "pin"\nIA = 0.2\n', "the loop 'pin' is cut at a joint with IA"),
    ],
)
def test_files(tmp_path, said, name, old, new, message):
    text = {"par": SR400, "toml": toml(tmp_path)}[name]
    assert old in text
    path = tmp_path / f"robot.{name}"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(tf.TauforgeError, match=message):
        tf.inverse_dynamics(tf.load(path))
    printed, code = said("generate", "inverse-dynamics", path)
    assert code == 2
    assert re.search(f"error: .*{message}", printed)


def test_friction_of_a_cut_joint_can_be_left_out():
    loop = FOUR_BAR.loops[0]
    robot = replace(FOUR_BAR, loops=(replace(loop, joint=replace(loop.joint, FV=0.3, k=2.0, eta=1)),))
    with pytest.raises(tf.ProgramError, match="with FV"):
        tf.gravity(robot)
    assert tf.gravity(robot.neglect("FV", "k")).outputs == tf.gravity(FOUR_BAR).outputs


@pytest.mark.parametrize(
    ("equality", "motor", "message"),
    [
        ('<connect body1="b" body2="zz" anchor="0 0 0"/>', "", "unknown element 'zz'"),
        ("", '<motor joint="jx"/>', "unknown transmission target 'jx'"),
        ('<connect body1="b" body2="b" anchor="0 0 0"/>', "", "repeated"),
    ],
)
def test_mjcf(tmp_path, said, equality, motor, message):
    path = tmp_path / "robot.xml"
    path.write_text(MJCF.format(equality, motor))
    with pytest.raises(tf.RobotError, match=message):
        tf.load(path)
    printed, code = said("info", path)
    assert (code, message in printed) == (2, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("closed_loop: [[tip, nowhere]]\ntype: [6d]", "robot.urdf: fourbar has no link, frame or joint 'nowhere'"),
        ("closed_loop: [[tip, end]]\ntype: [6d]\nname_mot: [j9]", "robot.urdf has no joint 'j9' that moves"),
        ("type: [3d]\nclosed_loop: [[tip, end]]\ntype: [3d]", "the file has 'type' twice; keep one"),
        ("closed_loop: [[tip, end]]\ntype: [3d]\nname_mot: [j1, j1]", "name_mot has 'j1' twice"),
        ("joint_name: [j2, j2]\njoint_type: [FIXED, FIXED]", "joint_name has 'j2' twice"),
        ("joint_name: [j2]\njoint_type: [helical]", "must be one of revolute"),
        ("closed_loop: [[tip, end]]\ntype:\n  - 3d\n - 6d", "robot.yaml:4: not valid YAML"),
        ("closed_loop:\ntype:\n", "closed_loop must be a list"),
        ("closed_loop: [[tip, end]]\ntype: [.nan]", "type 1 is nan; it must be 6d or 3d"),
        ("closed_loop: [[tip, tip]]\ntype: [3d]", "are on the same link"),
        ("name_mot: [1]", "no joint 1"),
        ("a: 1\n---\nb: 2", "not valid YAML"),
        ("", "the file is empty"),
    ],
)
def test_yaml(tmp_path, said, text, message):
    (tmp_path / "robot.urdf").write_text(URDF)
    (tmp_path / "robot.yaml").write_text(text)
    with pytest.raises(tf.RobotError, match=message):
        tf.load(tmp_path / "robot.urdf", loops=tmp_path / "robot.yaml")
    printed, code = said("info", tmp_path / "robot.urdf", "--loops", tmp_path / "robot.yaml")
    assert (code, message in printed) == (2, True)


def test_the_side_file_on_the_command_line(tmp_path, said):
    (tmp_path / "robot.urdf").write_text(URDF)
    (tmp_path / "robot.yaml").write_text("closed_loop: [[tip, end]]\ntype: [3d]\nname_mot: [j1]")
    shown, _ = said("info", tmp_path / "robot.urdf", "--loops", tmp_path / "robot.yaml")
    assert "fourbar: 3 joints, 1 degree of freedom" in shown
    assert "mobility: 1, determined by j1" in shown
    code, _ = said("generate", "gravity", tmp_path / "robot.urdf", "--loops", tmp_path / "robot.yaml", "-t", "c")
    assert "void" in code
    assert "are for files" in said("info", "puma560", "--loops", "robot.yaml")[0]


def lines(robot):
    return "\n".join(mobility(robot))


def actuated(robot, *names):
    return replace(robot, joints=tuple(replace(joint, mu=int(joint.name in names)) for joint in robot.joints))


def test_info_of_motors():
    assert "warning" not in lines(FOUR_BAR)
    none = lines(actuated(FOUR_BAR))
    assert "actuated joints: none" in none
    assert "warning: no motor moves this mechanism; mark the joints" in none
    assert "follow the independent ones: 1, 2" in lines(actuated(FOUR_BAR, "0", "1", "2"))
    assert "free without a motor: 3" in lines(linkage(0.4, 0.5, 0.6, 0.7, actuated=1))


def test_info_of_what_cannot_move():
    rigid = lines(linkage(0.4, 0.9))
    assert "mobility: 0, the loops keep all joints from moving" in rigid
    assert "warning: the loops keep these motors from moving: 0" in rigid
    assert tf.close_loops(linkage(0.4, 0.9)).shape == (2,)
    held = lines(linkage(0.4, 0.0, 0.7))  # a coupler without length spins about a triangle's corner
    assert "warning: the loops keep these motors from moving: 0" in held


def test_lengths_of_zero():
    assert linkage(0.0, 0.9, 0.7).dof == 1  # a crank without length turns, and its coupler back
    assert linkage(0.0, 0.0, 0.0, ground=0.0).dof == 3
    with pytest.raises(tf.ProgramError, match="even by itself, the loop 'pin' stays open by"):
        _ = linkage(0.0, 0.0, 0.7).dof


def following(*mimics):
    joints = list(FOUR_BAR.joints)
    for k, mimic in mimics:
        joints[k] = replace(joints[k], mimic=mimic)
    return replace(FOUR_BAR, joints=tuple(joints))


def test_contradictory_couplings():
    with pytest.raises(tf.RobotError, match="joint '1' follows itself; let it follow another"):
        following((1, Mimic(joint=2)))
    with pytest.raises(
        tf.RobotError, match="joints follow each other: '0' follows '1' follows '0'; let one of them lead"
    ):
        following((0, Mimic(joint=2)), (1, Mimic(joint=1)))
    with pytest.raises(tf.ProgramError, match="the loop 'pin' stays open"):
        _ = following((1, Mimic(joint=1, ratio=2.0)), (2, Mimic(joint=1, ratio=-3.0, offset=0.3))).dof
    assert "mobility: 0" in lines(following((1, Mimic(joint=1, ratio=2.0))))


def between_fixed_joints(gap):
    joints = (tf.Joint(name="a", antecedent=0), tf.Joint(name="f", antecedent=1, sigma=2, mu=0, d=1.0))
    frame = tf.Joint(name="p", antecedent=1, sigma=2, mu=0, d=1.0 + gap)
    bodies = tuple(tf.Body(name=name, inertia=SOLID) for name in "xy")
    robot = tf.Robot(name="fixed", joints=joints, bodies=bodies, frames=(frame,))
    return robot.with_loop("p", "y", name="weld")


def test_loops_of_fixed_joints():
    found = between_fixed_joints(0.0)
    assert (found.dof, tf.close_loops(found, [0.3]).tolist()) == (1, [0.3])
    assert "redundant constraints: 6" in lines(found)
    with pytest.raises(
        tf.ProgramError, match=r"frames of the loop 'weld' are 0\.1 m or rad apart, and no joint between"
    ):
        _ = between_fixed_joints(0.1).dof


def test_numbers_that_are_none():
    with pytest.raises(tf.RobotError, match="not a finite number"):
        linkage(0.4, np.nan, 0.7)
