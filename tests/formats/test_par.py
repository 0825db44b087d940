"""Reading .par files: the three dialects, joint variables, free velocities, loops, moving bases."""

import math
from pathlib import Path

import pytest

from tauforge import Inertia, RobotError, symbol
from tauforge.formats import load, save
from tauforge.spatial.vector import ZERO

DATA = Path(__file__).parent / "data"

ARM = """(* Robotname = 'arm' *)
ant = {0,1}
sigma = {0,1}
b = {0,0}
d = {0,0}
r = {0,r2}
gamma = {0,0}
alpha = {0,pi/2}
theta = {th1,0}
XX = {0,0}
XY = {0,0}
XZ = {0,0}
YY = {0,0}
YZ = {0,0}
ZZ = {ZZ1,0}
MX = {0,0}
MY = {0,0}
MZ = {0,0}
M = {M1,M2}
G = {0,0,-9.81}
"""


def read(tmp_path, *changes, text=ARM):
    """Read the arm after changes of its text; a change with None in place of the old text adds lines."""
    for old, new in changes:
        assert old is None or old in text
        text = text + new if old is None else text.replace(old, new)
    path = tmp_path / "file.par"
    path.write_text(text, encoding="utf-8")
    return load(path)


def test_symoro_plus():
    assert b"No\xeb" in (DATA / "AKR3000.par").read_bytes()  # Latin-1, which is no UTF-8
    robot = load(DATA / "AKR3000.par")
    assert robot.name == "AKR3000"
    assert [joint.sigma for joint in robot.joints] == [0, 0, 0, 0, 1, 1, 0, 0, 0, 0]
    assert [joint.antecedent for joint in robot.joints] == [0, 1, 1, 1, 3, 4, 2, 7, 8, 9]
    assert [joint.variable for joint in robot.joints] == ["t1", "t2", "t3", "t4", "r5", "r6", "t7", "t8", "t9", "t10"]
    assert robot.joints[7].r is symbol("RL8")
    assert robot.joints[7].alpha == -math.pi / 2
    assert robot.bodies[9].wrench[5] is symbol("CZ10")
    first, second = robot.loops
    assert (first.joint.name, first.joint.antecedent, first.joint.variable, first.joint.mu) == ("joint11", 5, "t11", 0)
    assert (first.frame.name, first.frame.antecedent, first.frame.sigma) == ("frame13", 7, 2)
    assert (second.joint.antecedent, second.frame.antecedent) == (6, 2)
    assert second.frame.gamma is symbol("gam14")
    assert all(joint.QP is joint.QDP is joint.GAM is None for joint in robot.joints)


def test_opensymoro():
    robot = load(DATA / "SR400.par")
    assert (robot.dof, len(robot.joints), len(robot.loops)) == (6, 8, 1)
    assert [joint.mu for joint in robot.joints] == [1, 1, 0, 1, 1, 1, 1, 0]
    (loop,) = robot.loops
    assert (loop.joint.antecedent, loop.joint.d, loop.frame.antecedent, loop.frame.d) == (8, 8, 3, -10)
    assert loop.frame.gamma == math.pi / 2  # which the file gives as 1.57079632679
    assert load(DATA / "SR400.par", snap=0).loops[0].frame.gamma == 1.57079632679
    assert robot.gravity[2] is symbol("G3")
    rx90 = load(DATA / "RX90.par")
    assert rx90.is_serial
    assert set(rx90.symbols) >= {"D3", "RL4", "XX1", "FS6", "CZ6", "G3"}
    assert not {"th1", "QP1", "QDP1", "GAM1"} & set(rx90.symbols)


def test_form_without_header():
    robot = load(DATA / "RRP.par")
    assert robot.name == "RRP"
    assert [joint.variable for joint in robot.joints] == ["q1", "q2", "q3"]
    assert [joint.sigma for joint in robot.joints] == [0, 0, 1]
    assert [joint.mu for joint in robot.joints] == [1, 1, 1]
    assert robot.joints[0].alpha is symbol("a1")
    assert robot.joints[0].r is symbol("r1")
    base = load(DATA / "RRPbase.par")
    assert base.bodies[1].inertia.XX is symbol("XX2R")
    assert base.bodies[1].inertia.YY == 0


def test_only_what_a_robot_needs_has_to_be_there(tmp_path):
    robot = read(tmp_path)
    assert robot.joints[0].FV == robot.joints[0].k == robot.bodies[0].wrench[0] == 0
    assert robot.base.W0 == ZERO
    assert robot.base.body is None
    assert robot.joints[1].alpha == math.pi / 2


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (("(* Robotname = 'arm' *)", "(* Robotname = 'Two words' *)"), "Two words"),
        (("(* Robotname = 'arm' *)", "(* Name of file : other.par *)"), "other"),
        (("(* Robotname = 'arm' *)", ""), "file"),
        (("(* Robotname = 'arm' *)", "(* Robotname = '' *)"), "file"),
    ],
)
def test_name(tmp_path, change, name):
    assert read(tmp_path, change).name == name


def test_comments_and_lists_may_stand_anywhere(tmp_path):
    text = ARM.replace(
        "sigma = {0,1}", "sigma (* kinds *) = (* R, P *) {0, (* joint 1 *)\n\n   1 (* quill *)} (* done *)"
    )
    text = (
        text.replace("alpha = {0,pi/2}", "Alpha\n=\n{0,\tPi/2\n}").replace("d = {0,0}", "D={0,0}").replace("\n", "\r\n")
    )
    assert read(tmp_path, text=text) == read(tmp_path)


@pytest.mark.parametrize(
    ("entry", "variable", "offset"),
    [
        ("q1 - Pi/2", "q1", "-pi/2"),
        ("pi + TH1", "TH1", "pi"),
        ("L1 + th1", "th1", "L1"),
        ("phi", "phi", "0"),
        ("M2 + phi", "phi", "M2"),  # M2 stands elsewhere, so phi it is
        ("th1*2 - th1 + 1", "th1", "1"),
        ("th1*L*M2/(L*M2)", "th1", "0"),
        ("atan2(L, M2) + t1", "t1", "atan2(L, M2)"),
    ],
)
def test_variable_and_offset(tmp_path, entry, variable, offset):
    joint = read(tmp_path, ("{th1,0}", f"{{{entry},0}}")).joints[0]
    assert joint.variable == variable
    assert joint.theta == read(tmp_path, ("b = {0,0}", f"b = {{{offset},0}}")).joints[0].b


def test_offset_of_a_prismatic_joint(tmp_path):
    joint = read(tmp_path, ("r = {0,r2}", "r = {0,L1 + r2}")).joints[1]
    assert (joint.variable, joint.r, joint.theta) == ("r2", symbol("L1"), 0)


def test_free_velocities(tmp_path):
    joints = read(tmp_path, (None, "QP = {w, 0}\nQDP = {QDP1, 2*M1}\nGAM = {GAM1, GAM2}\n")).joints
    assert joints[0].QP is symbol("w")
    assert joints[0].QDP is joints[0].GAM is joints[1].GAM is None
    assert joints[1].QP == 0
    assert str(joints[1].QDP) == "2*M1"


def test_a_plain_velocity_is_no_parameter(tmp_path):
    robot = read(tmp_path, (None, "QP = {w, 2*rate}\n"))
    assert "w" not in robot.symbols
    assert "rate" in robot.symbols
    with pytest.raises(RobotError, match="w is QP of joint 'joint1' and also occurs in a parameter"):
        read(tmp_path, (None, "QP = {w, 2*w}\n"))


def test_moving_base(tmp_path):
    text = ARM.replace("{0,0}", "{0,0,0}").replace("{ZZ1,0}", "{ZZ0,ZZ1,0}").replace("{M1,M2}", "{M0,M1,M2}")
    for key in ("b", "d", "gamma"):
        text = text.replace(f"\n{key} = {{0,0,0}}", f"\n{key} = {{0,0}}")
    text += "is_floating = True\nis_mobile = 0\nW0 = {0,0,w}\nIA = {IA0,1,2}\nFX = {FX0,0,0}\neta = {1,0}\nk = {K1,0}\n"
    robot = read(tmp_path, text=text)
    assert robot.base.floating
    assert not robot.base.mobile
    assert robot.base.W0[2] is symbol("w")
    assert robot.base.body.name == "link0"
    assert robot.base.body.inertia.M is symbol("M0")
    assert robot.base.body.wrench[0] is symbol("FX0")
    assert robot.bodies[0].inertia.ZZ is symbol("ZZ1")
    assert [joint.IA for joint in robot.joints] == [1, 2]
    assert (robot.joints[0].eta, robot.joints[0].k) == (1, symbol("K1"))
    with pytest.raises(RobotError, match=r"file\.par:\d+: IA, entry 1: link 0 is carried by no joint"):
        read(tmp_path, ("IA0", "0.1"), text=text)
    with pytest.raises(RobotError, match=r"file\.par:\d+: the base moves, .* remove this Link0"):
        read(tmp_path, (None, "(* Link0 = {0} *)"), text=text)


LOOPS = (
    """NL = 2
NJ = 4
NF = 6
Type = 2
ant = {0,1,2,2,0,5}
sigma = {0,0,0,0,2,2}
b = {0,0,0,0,0,B6}
d = {0,L,L,L,D5,0}
r = {0,0,0,0,R5,0}
gamma = {0,0,0,0,0,G6}
alpha = {0,0,0,0,pi/2,0}
mu = {1,0,0,0,0,0}
theta = {th1,th2,th3,th4,T5,pi}
"""
    + "".join(f"{key} = {{0,0}}\n" for key in Inertia._fields)
    + "G = {0,0,0}\n"
)


def test_frame_on_a_frame(tmp_path):
    """A constant frame may stand on another: OpenSYMORO's TwoLoops is written so."""
    first, second = read(tmp_path, text=LOOPS).loops
    assert (second.frame.antecedent, second.frame.alpha, second.frame.d) == (0, math.pi / 2, symbol("D5"))
    assert str(second.frame.theta) == "G6 + T5 + pi"
    assert str(second.frame.r) == "B6 + R5"
    assert (first.frame.antecedent, first.frame.theta) == (0, symbol("T5"))
    with pytest.raises(RobotError, match=r"file\.par:5: ant, entry 6: frame 6 is attached to frame 5; .* link 0"):
        read(tmp_path, ("D5,0}", "D5,1}"), text=LOOPS)


def test_names_are_kept_in_comments(tmp_path):
    comments = "(* Jointnames = 'shoulder', 'quill' *)\n(* Linknames = 'arm','it\\u0027s' *)\n"
    robot = read(tmp_path, (None, comments))
    assert robot.joint_names == ("shoulder", "quill")
    assert [body.name for body in robot.bodies] == ["arm", "it's"]
    for wrong in ("'a'", "'a','b','c'", "a, b"):
        with pytest.raises(RobotError, match=r"file\.par:21: Jointnames"):
            read(tmp_path, (None, f"(* Jointnames = {wrong} *)"))


def test_written_form(tmp_path):
    save(load(DATA / "RX90.par"), tmp_path / "rx90.par")
    lines = (tmp_path / "rx90.par").read_text().splitlines()
    assert lines[:5] == ["(* Robotname = 'RX90' *)", "NL = 6", "NJ = 6", "NF = 6", "Type = 0"]
    assert lines[5:7] == ["is_floating = False", "is_mobile = False"]
    assert "alpha = {0,pi/2,0,-pi/2,pi/2,-pi/2}" in lines
    assert "theta = {th1,th2,th3,th4,th5,th6}" in lines
    assert "QDP = {QDP1,QDP2,QDP3,QDP4,QDP5,QDP6}" in lines
    assert not any("names" in line or "Variables" in line for line in lines)
