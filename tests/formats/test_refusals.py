"""What is wrong in a file is refused whole and at once, with the file, the line and what to do."""

import re
import time

import pytest

from tauforge import RobotError, RobotWarning, TauforgeError
from tauforge.formats import load, save

from .test_par import ARM, LOOPS, read
from .test_toml import ARM as TOML
from .test_toml import read as read_toml

PAR = [  # what is changed, what it becomes, what the message says
    ("theta = {th1,0}", "theta = {th1}", r":9: theta has 1 entry, sigma \(line 3\) has 2; write 2"),
    ("MZ = {0,0}", "MZ = {0,0,0}", r":18: MZ has 3 entries, XX \(line 10\) has 2"),
    ("G = {0,0,-9.81}", "G = {0,-9.81}", r":20: G has 2 entries, a vector has 3"),
    ("(* Robotname = 'arm' *)", "NF = 3", r":3: sigma has 2 entries, but NF \(line 1\) is 3"),
    ("(* Robotname = 'arm' *)", "NL = 1", r":10: XX has 2 entries, but NL \(line 1\) is 1"),
    ("(* Robotname = 'arm' *)", "NJ = 3", r":1: 2 links, 3 joints and 2 frames do not fit"),
    ("(* Robotname = 'arm' *)", "NJ = x", ":1: NJ: x is not a whole number"),
    ("(* Robotname = 'arm' *)", "Type = 2", r":1: Type: this is Type 2, .* describe Type 0, a serial chain; write 0"),
    ("ant = {0,1}", "ant = {0,0}\nType = 0", r":3: Type: this is Type 0, .* describe Type 1, a tree; write 1"),
    ("ant = {0,1}", "(* Link0 = {1,2} *)\nant = {0,1}", ":2: Link0 has 2 entries"),
    ("(* Robotname = 'arm' *)", "is_mobile = maybe", ":1: is_mobile: 'maybe' is neither True nor False"),
    ("(* Robotname = 'arm' *)", "NL = {2}", ":1: NL takes a single value without braces"),
    ("(* Robotname = 'arm' *)", "Z = 1", ":1: Z takes a list in braces"),
    ("(* Robotname = 'arm' *)", "thta = {0,0}", r":1: unknown key thta; did you mean theta\?"),
    ("(* Robotname = 'arm' *)", "FOO = 1", ":1: unknown key FOO; choose among NL, NJ"),
    ("(* Robotname = 'arm' *)", "Sigma = {0,0}", ":3: sigma is given again; it is on line 1 already"),
    ("(* Robotname = 'arm' *)", "hello world", ":1: stray text 'hello world'; write KEY = value"),
    ("d = {0,0}", "d = {0,0} x", r":5: stray text 'x'"),
    ("(* Robotname = 'arm' *)", "(* Robotname = 'arm'", ":1: the comment that opens here is not closed"),
    ("b = {0,0}\n", "b = {0,0} (* rest\nd = {0,0} (* d *)\n", ":4: the comment .* before the next one opens on line 5"),
    ("b = {0,0}", "b = {0,0", ":4: the brace that opens the list b is not closed"),
    ("G = {0,0,-9.81}", "G = {0,0,-9.81", ":20: the brace that opens the list G is not closed"),
    ("{0,0,-9.81}", "{0,(0,-9.81}", r":20: G: round brackets do not pair"),
    ("d = {0,0}\n", "", ": the list d must be given"),
    ("ZZ = {ZZ1,0}\nMX = {0,0}\n", "", ": the lists ZZ, MX must be given"),
    ("G = {0,0,-9.81}\n", "", ": the list G must be given"),
    ("ant = {0,1}", "ant = {0,3}", ":2: ant, entry 2: there is no link 3; give a number from 0 to 2"),
    ("ant = {0,1}", "ant = {2,0}", ":2: ant, entry 1: the parent of link 1 is the later link 2"),
    ("ant = {0,1}", "ant = {2,1}", ":2: ant, entry 1: a cycle of parents: link 1 -> 2 -> 1"),
    ("ant = {0,1}", "ant = {0,2}", ":2: ant, entry 2: a cycle of parents: link 2 -> 2"),
    ("ant = {0,1}", "ant = {0,-1}", ":2: ant, entry 2: there is no link -1"),
    ("ant = {0,1}", "ant = {0,L}", ":2: ant, entry 2: L is not a whole number"),
    ("sigma = {0,1}", "sigma = {\n0,\n7}", r":5: sigma, entry 2: 7 is not allowed; .* 0 \(revolute\), 1"),
    ("sigma = {0,1}", "sigma = {0,1}\nmu = {0.5,1}", ":4: mu, entry 1: 0.5 is not a whole number"),
    ("sigma = {0,1}", "sigma = {0,1}\nmu = {2,1}", ":4: mu, entry 1: 2 is not allowed"),
    ("sigma = {0,1}", "sigma = {0,1}\neta = {0,3}", ":4: eta, entry 2: 3 is not allowed"),
    ("sigma = {0,1}", "sigma = {0,1}\nQP = {0}", ":4: QP has 1 entry, the number of joints is 2"),
    ("theta = {th1,0}", "theta = {0,0}", ":9: theta, entry 1: 0.* holds no variable, .* write th1 .* or sigma 2"),
    ("r = {0,r2}", "r = {0,0.5}", ":6: r, entry 2: 0.5 holds no variable, but joint 2 is prismatic; write r2"),
    ("{th1,0}", "{2*th1,0}", ":9: theta, entry 1: 2.th1 must be the variable th1 itself, or th1 plus an offset"),
    ("{th1,0}", "{-th1,0}", ":9: theta, entry 1: -th1 must be the variable"),
    ("{th1,0}", "{th1**2 + th1,0}", ":9: theta, entry 1"),
    ("{th1,0}", "{L/th1,0}", ":9: theta, entry 1"),
    ("{th1,0}", "{phi + psi,0}", r":9: theta, entry 1: which of phi, psi is the variable of joint 1\? Call it th1"),
    ("{th1,0}", "{r2,0}", ":6: r, entry 2: r2 is the variable of joint 1 already|:9: theta, entry 1: r2 .* r, entry 2"),
    (
        "{th1,0}",
        "{M2,0}",
        ":9: theta, entry 1: M2 is the variable of joint 1 and also occurs in M, entry 2; rename one",
    ),
    ("{M1,M2}", "{M1,__import__('os')}", ':19: M, entry 2: unexpected character "\'"'),
    ("{M1,M2}", "{M1,open(M2)}", ":19: M, entry 2: unknown function 'open'"),
    ("{M1,M2}", "{M1,}", ":19: M, entry 2: a value is missing"),
    ("{M1,M2}", "{\nM1,\n\n1/0}", ":22: M, entry 2: division of 1 by zero"),
    ("{M1,M2}", "{M1,1e200*1e200}", ":19: M, entry 2"),
    ("{M1,M2}", "{M1,nan}", ":19: M, entry 2: nan is not a finite number"),
    ("{M1,M2}", "{M1,-inf}", ":19: M, entry 2: inf is not a finite number"),
    ("{M1,M2}", "{M1,1e999}", ":19: M, entry 2: 1e999 is not a finite number"),
    ("{M1,M2}", "{M1,2 3}", ":19: M, entry 2: unexpected '3'"),
    (
        "{M1,M2}",
        "{" + "(" * 100_000 + "M1" + ")" * 100_000 + ",M2}",
        ":19: M, entry 1: an expression of 200002 characters",
    ),
    ("{M1,M2}", "{" + "(" * 100 + "M1" + ")" * 100 + ",M2}", ":19: M, entry 1: more than 64 levels"),
    ("{M1,M2}", "{" + "(" * 100_000 + "M1,M2}", ":19: M: round brackets do not pair"),
]


def refused(action) -> str:
    start = time.process_time()
    with pytest.raises(RobotError) as error:
        action()
    assert time.process_time() - start < 1
    return str(error.value)


@pytest.mark.parametrize(("old", "new", "message"), PAR, ids=range(len(PAR)))
def test_par(tmp_path, old, new, message):
    found = refused(lambda: read(tmp_path, (old, new)))
    assert re.match(rf"{re.escape(str(tmp_path))}/file\.par(?:{message})", found), found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mu = {1,0,0,0,0,0}\n", "", ":2: sigma has 6 entries and XX has 2, so there are loops; mu must say"),
        ("Type = 2", "Type = 1", ":4: Type: this is Type 1, a tree, but the lists describe Type 2, closed loops"),
        ("sigma = {0,0,0,0,2,2}", "sigma = {0,0,0,0,2,0}", ":6: sigma, entry 6: frame 6 closes a loop and is constant"),
        ("ant = {0,1,2,2,0,5}", "ant = {0,1,2,2,0,6}", ":5: ant, entry 6: there is no link 6"),
        ("ant = {0,1,2,2,0,5}", "ant = {0,1,2,3,0,5}", ":5: ant, entry 4: there is no link 3"),
        ("NF = 6", "NF = 5", r":6: sigma has 6 entries, but NF \(line 3\) is 5"),
    ],
)
def test_par_loops(tmp_path, old, new, message):
    assert re.search(message, refused(lambda: read(tmp_path, (old, new), text=LOOPS)))


TOML_CASES = [
    ("format = 1", "format = 2", ":1: version 2 of the format is unknown"),
    ("format = 1\n", "", ": format is missing; write format = "),
    ('name = "arm"', "name = 3", ":2: name is 3; it must be a text"),
    ('name = "arm"', 'nam = "arm"', r":2: unknown field 'nam'; did you mean name\?"),
    ("gravity = [0, 0, -9.81]\n", "", ": gravity is missing"),
    ("gravity = [0, 0, -9.81]", "gravity = [0, -9.81]", ":3: gravity has 2 entries; it must be a list of 3"),
    ("gravity = [0, 0, -9.81]", "gravity = 9.81", ":3: gravity is 9.81; it must be a list of 3"),
    ("gravity = [0, 0, -9.81]", "gravity = [0, 0, nan]", ":3: gravity, entry 3 is nan; give a finite number"),
    ("M = 2", "M = inf", ":15: M is inf; give a finite number"),
    ("M = 2", "M = -1e999", ":15: M is -inf; give a finite number"),
    ("M = 2", f"M = {10**400}", ":15: M is 10{59}…; give a finite number"),
    ("M = 2", 'M = "nan"', ":15: M: nan is not a finite number"),
    ("M = 2", "M = true", ":15: M is True; it must be a number or an expression"),
    ("M = 2", "M = 2020-01-01", ":15: M is .*; it must be a number or an expression"),
    ("M = 2", "M = [1]", ":15: M is .1.; it must be a number or an expression"),
    ("M = 2", "M = \"__import__('os')\"", ":15: M: unexpected character"),
    ("M = 2", 'M = "' + "(" * 100_000 + '"', ":15: M: an expression of 100000 characters"),
    ("M = 2", "M = " + "[" * 100_000, ": brackets are nested too deeply"),
    ("M = 2", "M = 2\nM = 3", ":16: this is not TOML: Cannot overwrite a value"),
    ("M = 2", "M =", ":15: this is not TOML: Invalid value"),
    ("M = 2", "Mass = 2", ":15: unknown field 'Mass' in link 2"),
    ("alpha = ", "aplha = ", r":14: unknown field 'aplha' in link 2; did you mean alpha\?"),
    ('type = "prismatic"', 'type = "sliding"', ":12: type is 'sliding'; choose among revolute, prismatic, fixed"),
    ('type = "prismatic"', 'type = "prismatc"', r":12: type is 'prismatc'; did you mean prismatic\?"),
    ('type = "prismatic"\n', "", ":9: type is missing in link 2"),
    ('on = "upper"', 'on = "uper"', r":13: on is 'uper'; did you mean upper\?"),
    ('on = "upper"', 'on = "hand"', ":13: a cycle of parents: hand -> hand; attach one of them to the base"),
    ('on = "upper"', "on = 5", ":13: a link.s parent must come before it; list the links outward"),
    ('on = "base"', 'on = "hand"', ":8: a cycle of parents: upper -> hand -> upper"),
    ('on = "base"', "on = 2.0", ":8: on is 2.0; it must be a text"),
    ("M = 2", "M = 2\nactuated = 1", ":16: actuated is 1; it must be true or false"),
    ("M = 2", "M = 2\nwrench = [1, 2, 3]", ":16: wrench has 3 entries; it must be a list of 6"),
    ("M = 2", "M = 2\n[base]\nfloating = true", ": arm: a base that moves needs its inertia"),
    ("M = 2", "M = 2\n[base]\npose = [[1], [2], [3], [4]]", ":17: pose has 1 entries; it must be a list of 4"),
    ("M = 2", "M = 2\n[base]\nfloatin = true", r":17: unknown field 'floatin' in base; did you mean floating\?"),
    ("M = 2", "M = 2\n[[loop]]\n[loop.joint]\nname = 'x'", ":16: frame is missing in loop 1"),
    ("M = 2", 'M = 2\n[loop]\na = "x"', ":16: loop must be an array of tables; write"),
    ("M = 2", 'mimic = { joint = "sholder" }', r":15: joint is 'sholder'; did you mean shoulder\?"),
    ("M = 2", 'mimic = { joint = "shoulder", factor = 2 }', ":15: unknown field 'factor' in link 2 mimic"),
    ("M = 2", 'mimic = { joint = "shoulder", ratio = "k" }', ":15: ratio: k is not a number; symbols are not allowed"),
    ("M = 2", 'mimic = { joint = "shoulder", ratio = inf }', ":15: ratio is inf; give a finite number"),
    ("M = 2", 'mimic = "shoulder"', ":15: mimic must be a table"),
    ("M = 2", "mimic = { ratio = 2 }", ":15: joint is missing in link 2 mimic"),
    ("M = 2", 'mimic = { joint = "quill" }', ": arm: joint 'quill' follows itself; let it follow another"),
    ("M = 2", "mimic = { of = { sholder = 1 } }", r":15: unknown field 'sholder' in link 2 mimic of; did you mean sho"),
    ("M = 2", "mimic = { of = {} }", ":15: of is empty; name the joints that it follows with their ratios"),
    ("M = 2", "mimic = { of = 2 }", ":15: of must be a table"),
    ("M = 2", 'mimic = { of = { shoulder = "k" } }', ":15: shoulder: k is not a number; symbols are not allowed"),
    ("M = 2", 'mimic = { of = { shoulder = 1 }, joint = "a" }', ":15: unknown field 'joint' in link 2 mimic"),
    (
        "M = 2",
        "M = 2\n[[tendon]]\nname = 'x'\njoints = { shoulder = 1 }\ndriven = 1",
        ":19: driven is 1; it must be true",
    ),
    ("M = 2", "limits = { max = 2 }", ":15: unknown field 'max' in link 2 limits; choose among lower, upper"),
    ("M = 2", "limits = { lower = nan }", ":15: lower is nan; give a finite number"),
    ("M = 2", 'limits = { lower = "L" }', ":15: lower: L is not a number"),
    ("M = 2", 'M = 2\n[[link.visual]]\nshape = "cube"', ":17: shape is 'cube'; .* mesh, box, cylinder"),
    ("M = 2", 'M = 2\n[[link.visual]]\nshape = "box"\nsize = [1]', ":18: size has 1 entries; it must be a list of 3"),
    ("M = 2", 'M = 2\n[[link.visual]]\nshape = "box"\nmesh = "a"', ":18: unknown field 'mesh' in link 2 visual 1"),
    ('on = "base"', 'on = "base"\n[[link.visual]]\n[[link.visual]]', ":9: shape is missing in link 1 visual 1"),
    ("M = 2", "M = 2\n[[frame]]\nname = 'x'", ":16: on is missing in frame 1"),
    ("M = 2", "M = 2\n[[frame]]\nname = 'x'\non = 'uper'", r":18: on is 'uper'; did you mean upper\?"),
    ("M = 2", "M = 2\n[[frame]]\nname = 'x'\non = 5", ": arm: frame 'x' is attached to link 5; there are links 0 to 2"),
    ("M = 2", "M = 2\n[[frame]]\nname = 'x'\non = 0\nFV = 1", ":19: unknown field 'FV' in frame 1"),
    ("M = 2", "M = 2\nlift = [1]", ":16: lift has 1 entries; it must be a list of 4"),
    ("M = 2", "M = 2\n[[tendon]]\nname = 'x'", ":16: joints is missing in tendon 1"),
    ("M = 2", "M = 2\n[[tendon]]\nname = 'x'\njoints = 1", ":18: joints must be a table"),
    ("M = 2", "M = 2\n[[tendon]]\nname = 'x'\njoints = { sholder = 1 }", r":18: unknown .*'sholder'.* mean shoulder\?"),
    ("M = 2", "M = 2\n[[tendon]]\nname = 'x'\njoints = {}", ": arm: tendon 'x': its length is a sum over joints"),
    ("M = 2", "M = 2\n[[tendon]]\nname = 'x'\nFO = 1", ":18: unknown field 'FO' in tendon 1"),
    ('name = "hand"', 'name = "upper"', ":10: two links are called 'upper'; give each its own name"),
]


@pytest.mark.parametrize(("old", "new", "message"), TOML_CASES, ids=range(len(TOML_CASES)))
def test_toml(tmp_path, old, new, message):
    found = refused(lambda: read_toml(tmp_path, (old, new)))
    assert re.match(rf"{re.escape(str(tmp_path))}/file\.toml(?:{message})", found), found


def test_variable_of_two_joints_in_toml(tmp_path):
    text = TOML.replace("M = 2", 'M = 2\nvariable = "x"').replace('on = "base"', 'on = "base"\nvariable = "x"')
    found = refused(lambda: read_toml(tmp_path, text=text))
    assert "file.toml:17: x is the variable of shoulder already; each joint needs its own" in found


@pytest.mark.parametrize("ending", [".par", ".toml"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (bytes(range(256)), "this is a binary file; a robot's file is text"),
        (b"a" * 50_000_001, "more than 50,000,000 bytes"),
        (b"\x93\xfa\xfe", "stray text|this is not text"),
        (b"(* only a comment *)", "must be given|this is not TOML"),
        (b" " * 2_000_000 + b"x", "stray text|this is not TOML"),
        (b"x" * 2_000_000, "stray text|a word of more than 4000 letters"),
        (b"(*" * 200_000, "not closed|this is not TOML"),
        (b"x = {" * 200_000, "not closed|nested too deeply"),
    ],
    ids=range(10),
)
def test_files_that_are_no_robots(tmp_path, ending, content, message):
    path = tmp_path / f"robot{ending}"
    path.write_bytes(content)
    found = refused(lambda: load(path))
    assert found.startswith(str(path))
    assert re.search(message, found)
    assert len(found) < 500


@pytest.mark.parametrize("ending", [".par", ".toml"])
def test_paths_that_are_no_files(tmp_path, ending):
    assert "no such file" in refused(lambda: load(tmp_path / f"absent{ending}"))
    folder = tmp_path / f"folder{ending}"
    folder.mkdir()
    assert "this is a directory" in refused(lambda: load(folder))
    assert "this is a directory" in refused(lambda: load(tmp_path))


def test_endings(tmp_path):
    (tmp_path / "ARM.PAR").write_text(ARM)
    assert load(tmp_path / "ARM.PAR").name == "arm"
    assert load(str(tmp_path / "ARM.PAR")).name == "arm"
    assert "the ending '.docx' matches no format; known endings are .par, .toml" in refused(lambda: load("arm.docx"))
    assert "a name without ending matches no format" in refused(lambda: load(tmp_path / "arm"))
    assert "panda: not a file's name; for the bundled robot call tf.robots.panda()" in refused(lambda: load("panda"))
    assert ".par, .toml" in refused(lambda: save(load(tmp_path / "ARM.PAR"), tmp_path / "arm.step"))
    assert [path.name for path in tmp_path.iterdir()] == ["ARM.PAR"]


def test_saving_where_nothing_can_be_written(tmp_path):
    robot = read(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(TauforgeError, match="cannot be written"):
        robot.save(tmp_path / "absent" / "arm.toml")
    (tmp_path / "blocked.par").mkdir()
    with pytest.raises(TauforgeError, match="directory"):
        robot.save(tmp_path / "blocked.par")
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "blocked.par"])


def test_negative_mass_is_a_warning(tmp_path):
    with pytest.warns(RobotWarning, match=r"arm: link 'link2' has the negative mass -2"):
        read(tmp_path, ("{M1,M2}", "{M1,-2}"))
    with pytest.warns(RobotWarning, match=r"arm: link 'hand' has the negative mass -2"):
        read_toml(tmp_path, ("M = 2", "M = -2"))
