"""Reading and writing Tauforge's own format."""

import math

import pytest

from tauforge import Base, Body, Inertia, Joint, Loop, Robot, RobotError, symbol
from tauforge.formats import load, save
from tauforge.robot.body import Visual
from tauforge.robot.joint import Limits, Mimic
from tauforge.spatial.vector import Vector

ARM = """format = 1
name = "arm"
gravity = [0, 0, -9.81]
[[link]]
name = "upper"
joint = "shoulder"
type = "revolute"
on = "base"
[[link]]
name = "hand"
joint = "quill"
type = "prismatic"
on = "upper"
alpha = "pi/2"
M = 2
"""


def read(tmp_path, *changes, text=ARM):
    """Read the arm after changes of its text."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "file.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def test_what_is_left_out_is_zero(tmp_path):
    robot = read(tmp_path)
    joints = (
        Joint(name="shoulder", antecedent=0, variable="th1"),
        Joint(name="quill", antecedent=1, sigma=1, alpha=math.pi / 2, variable="r2"),
    )
    assert robot == Robot(
        name="arm", joints=joints, bodies=(Body(name="upper"), Body(name="hand", inertia=Inertia(M=2.0)))
    )


def test_numbers_and_expressions(tmp_path):
    joint = read(
        tmp_path, ("M = 2", 'd = "2*L1"\nr = 3\nb = 1e-3\nk = "K"\nelastic = true\nactuated = false\nQP = 0')
    ).joints[1]
    assert str(joint.d) == "2*L1"
    assert (joint.r, joint.b, joint.k, joint.eta, joint.mu, joint.QP) == (3, 1e-3, symbol("K"), 1, 0, 0)


def test_every_table(tmp_path):
    extra = """
[base]
floating = true
V0 = ["vx", 0, 0]
pose = [[1, 0, 0, "x0"], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
[base.link]
name = "torso"
M = "M0"
wrench = [0, 0, 0, 0, 0, "CZ0"]
[[loop]]
[loop.joint]
name = "hinge"
type = "revolute"
on = "hand"
FV = 0.1
[loop.frame]
name = "anchor"
on = "torso"
d = 0.3
"""
    robot = read(tmp_path, text=ARM + extra)
    pose = tuple(symbol("x0") if i == 3 else float(i % 5 == 0) for i in range(16))
    body = Body(name="torso", inertia=Inertia(M=symbol("M0")), wrench=(0.0, 0.0, 0.0, 0.0, 0.0, symbol("CZ0")))
    assert robot.base == Base(floating=True, V0=Vector(symbol("vx"), 0.0, 0.0), pose=pose, body=body)
    hinge = Joint(name="hinge", antecedent=2, mu=0, FV=0.1, variable="th3")
    assert robot.loops == (Loop(joint=hinge, frame=Joint(name="anchor", antecedent=0, sigma=2, mu=0, d=0.3)),)


def test_what_does_not_stand_in_every_file(tmp_path):
    """Limits, a joint that follows another one, constant frames, and looks."""
    extra = """e = 0.1
mimic = { joint = "shoulder", ratio = "-1/2" }
limits = { lower = "-pi/2", upper = inf, effort = 30 }
[[link.visual]]
shape = "mesh"
file = "package://arm/hand.stl"
[[link.visual]]
shape = "cylinder"
size = [0.1, 0.5]
pose = [[0, -1, 0, 0.2], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
[[frame]]
name = "tool"
on = "hand"
r = "L"
[[frame]]
name = "hand"
on = "hand"
gamma = "pi/2"
"""
    robot = read(tmp_path, text=ARM + extra)
    shoulder, quill = robot.joints
    assert (quill.e, quill.mimic, shoulder.mimic) == (0.1, Mimic(joint=1, ratio=-0.5, offset=0.0), None)
    assert (quill.limits, shoulder.limits) == (Limits(lower=-math.pi / 2, effort=30.0), Limits())
    turned = (0.0, -1.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0, *Base().pose[8:])
    mesh = Visual(shape="mesh", file="package://arm/hand.stl")
    assert robot.bodies[1].visuals == (mesh, Visual(shape="cylinder", size=(0.1, 0.5), pose=turned))
    tool = Joint(name="tool", antecedent=2, sigma=2, mu=0, r=symbol("L"))
    assert robot.frames == (tool, Joint(name="hand", antecedent=2, sigma=2, mu=0, gamma=math.pi / 2))


def test_a_link_called_base(tmp_path):
    robot = read(tmp_path, ("upper", "base"), ('on = "base"\n[[', "on = 0\n[["), ('on = "base"', "on = 1"))
    assert [joint.antecedent for joint in robot.joints] == [0, 1]
    save(robot, tmp_path / "again.toml")
    assert load(tmp_path / "again.toml") == robot


def test_written_form(tmp_path):
    save(read(tmp_path), tmp_path / "again.toml")
    text = (tmp_path / "again.toml").read_text()
    assert text.replace("\n\n", "\n") == ARM


def test_a_variable_in_the_offset_is_refused(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(
        'format = 1\nname = "arm"\ngravity = [0, 0, 0]\n[[link]]\nname = "l"\njoint = "j"\ntype = "revolute"\n'
        'on = "base"\ntheta = "th1 + pi/2"\n'
    )
    with pytest.raises(RobotError, match=r"arm\.toml:9: theta is only the offset"):
        load(path)
