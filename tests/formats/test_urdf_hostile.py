"""Hostile and broken XML: a clear refusal that names the line or the element, at once, and nothing read elsewhere."""

import os
import re
import sys

import pytest

from tauforge import RobotError, RobotWarning
from tauforge.formats import load
from tauforge.formats.xml import root_tag

HEAD = '<?xml version="1.0"?>\n'
LINKS = '<link name="a"/>\n<link name="b"/>\n'
JOINT = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>\n'
BODY = (
    '<link name="b"><inertial>{origin}<mass value="{mass}"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="{izz}"/></inertial></link>\n'
)
BOMB = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">\n' for i in range(1, 12))


def robot(inside: str) -> str:
    return f'{HEAD}<robot name="r">\n{inside}</robot>\n'


def body(mass: str = "1", izz: str = "1", origin: str = "") -> str:
    return robot('<link name="a"/>\n' + BODY.format(mass=mass, izz=izz, origin=origin) + JOINT)


def connected(*pairs: str) -> str:
    joints = (
        f'<joint name="j{n}" type="fixed"><parent link="{x}"/><child link="{y}"/></joint>\n'
        for n, (x, y) in enumerate(pairs)
    )
    names = sorted({name for pair in pairs for name in pair})
    return robot("".join(f'<link name="{name}"/>\n' for name in names) + "".join(joints))


REFUSED = {
    "entity bomb in a text": (
        f'<!DOCTYPE r [<!ENTITY e0 "x">\n{BOMB}]><robot>&e11;</robot>',
        r":1: it has a <!DOCTYPE>",
    ),
    "entity bomb in an attribute": (
        f'<!DOCTYPE r [<!ENTITY e0 "x">\n{BOMB}]><robot name="&e11;"/>',
        r":1: it has a <!DOCTYPE>",
    ),
    "a DTD without harm": (
        '<!DOCTYPE robot SYSTEM "robot.dtd"><robot name="r"><link name="a"/></robot>',
        r":1: it has a <!DOCTYPE>",
    ),
    "nested elements": ("<robot>" + "<link>" * 10_000, r":1: .*depth"),
    "nested and closed": ("<robot>\n" + "<link>" * 10_000 + "</link>" * 10_000 + "</robot>", r":2: .*depth"),
    "no XML": ("hello world", r":1: this is not XML"),
    "not closed": (HEAD + "<robot>\n<link>\n", r":\d: this is not XML"),
    "two documents": (HEAD + "<robot/>\n<robot/>", r":3: this is not XML"),
    "another root": (HEAD + "<sdf/>", r":2: <sdf>: the outermost element of a URDF is <robot>"),
    "no links": (robot(""), r":2: <robot name=\"r\">: a robot needs links"),
    "two roots": (robot(LINKS), r":4: <link name=\"b\">: no joint carries it, nor 'a'"),
    "a loop": (
        connected("ab", "ba"),
        r":5: <joint name=\"j0\">: a cycle of parents: link 'b' -> 'a' -> 'b'",
    ),
    "a loop beside a tree": (connected("ax", "bc", "cb"), r":8: .*a cycle of parents: link 'c' -> 'b' -> 'c'"),
    "a link on itself": (connected("ax", "bb"), r":7: .*a cycle of parents: link 'b' -> 'b'"),
    "two parents": (connected("ab", "cb", "ac"), r":7: <joint name=\"j1\">: its child 'b' is carried by joint 'j0'"),
    "a missing link": (robot('<link name="a"/>\n' + JOINT), r":4: <child> of <joint name=\"j\">: there is no link 'b'"),
    "no world": (
        robot('<link name="b"/>\n' + JOINT.replace('"a"', '"world"')),
        r":4: <parent> of <joint name=\"j\">: there is no link 'world'; write <link name=\"world\"/>, .*lenient=True",
    ),
    "no child": (robot('<link name="a"/>\n<joint name="j" type="fixed"/>'), r":4: <joint name=\"j\">: <parent link="),
    "two links of a name": (robot(LINKS + LINKS), r":5: <link name=\"a\">: another link has this name \(line 3\)"),
    "two joints of a name": (robot(LINKS + JOINT + JOINT), r":6: <joint name=\"j\">: another joint .*\(line 5\)"),
    "a link without name": (robot("<link/>"), r":3: <link> of <robot name=\"r\">: name is missing"),
    "an empty name": (robot('<link name=" "/>'), r":3: .*name is missing"),
    "a name with a line break": (robot('<link name="a&#10;b"/>'), r"cannot be the name of a link"),
    "an unknown type": (robot(LINKS + JOINT.replace("revolute", "revolve")), r":5: .*did you mean revolute\?"),
    "no type": (robot(LINKS + JOINT.replace(' type="revolute"', "")), r":5: .*type is missing"),
    "a zero axis": (
        robot(LINKS + JOINT.replace("0 0 1", "0 0 0")),
        r":5: <axis> of <joint name=\"j\">: the axis is zero",
    ),
    "an axis of two": (robot(LINKS + JOINT.replace("0 0 1", "0 1")), r":5: <axis> .*must be 3 numbers"),
    "an infinite axis": (robot(LINKS + JOINT.replace("0 0 1", "0 inf 1")), r":5: <axis> .*finite number"),
    "a mass that is no number": (body(mass="nan"), r":4: <mass> of <inertial> of <link name=\"b\">: value is \"nan\""),
    "an infinite mass": (body(mass="1e999"), r":4: <mass> .*finite number"),
    "a word for a mass": (body(mass="heavy"), r":4: <mass> .*value is \"heavy\""),
    "a mass with underscores": (body(mass="1_0"), r":4: <mass> .*value is \"1_0\""),
    "a macro": (body(mass="${m}"), r":4: .*\.xacro"),
    "no mass": (body(mass=""), r":4: <mass> .*value is \"\""),
    "negative mass": (body(mass="-1"), r":4: <mass> of <inertial> of <link name=\"b\">: the mass is -1; .*negative"),
    "an infinite inertia": (body(izz="-inf"), r":4: <inertia> .*izz is \"-inf\""),
    "an origin that is no number": (body(origin='<origin rpy="0 nan 0"/>'), r":4: <origin> .*rpy is \"nan\""),
    "an inertial without mass": (
        robot('<link name="a"><inertial/></link>'),
        r":3: <inertial> .*<mass> is missing; .*lenient=True",
    ),
    "half an inertia": (body().replace(' iyz="0"', ""), r":4: <inertia> .*iyz is missing; .*lenient=True"),
    "following in a circle": (
        robot(
            LINKS.replace("/>\n<link", '/><link name="c"/>\n<link')
            + JOINT.replace("</joint>", '<mimic joint="k"/></joint>')
            + JOINT.replace('"j"', '"k"')
            .replace('child link="b"', 'child link="c"')
            .replace("</joint>", '<mimic joint="j"/></joint>')
        ),
        r"<mimic> .*joints follow each other: 'j' follows 'k' follows 'j'",
    ),
    "empty": ("", "empty"),
    "blank": (" \n ", "empty"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    text, message = REFUSED[name]
    path = tmp_path / "arm.urdf"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RobotError, match=rf"arm\.urdf.*?({message})"):
        load(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('<?xml version="1.0" encoding="utf-8"?>\n<robot name="é"/>'.encode("latin-1"), r":2: .*encoding"),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', r":1: .*encoding"),
        ('<?xml version="1.0"?><robot/>'.encode("utf-16"), "binary"),
        (b"\x7fELF\0\0", "binary"),
    ],
)
def test_wrong_encoding(data, message, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(data)
    with pytest.raises(RobotError, match=message):
        load(path)


def test_declared_encodings_are_read(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(
        '<?xml version="1.0" encoding="iso-8859-1"?><robot name="été"><link name="a"/></robot>'.encode("latin-1")
    )
    assert load(path).name == "été"


@pytest.mark.parametrize("target", ["file", "pipe", "http://127.0.0.1:9/x"])
@pytest.mark.parametrize("where", ["general", "parameter", "dtd"])
def test_nothing_is_read_outside(where, target, tmp_path):
    secret = tmp_path / "secret"
    if target == "pipe":
        os.mkfifo(secret)  # who opens it waits for ever
    else:
        secret.write_text('<link name="stolen"/>')
    address = target if ":" in target else secret.as_uri()
    declared = {
        "general": f'<!DOCTYPE robot [<!ENTITY x SYSTEM "{address}">]><robot name="r">&x;</robot>',
        "parameter": f'<!DOCTYPE robot [<!ENTITY % x SYSTEM "{address}"> %x;]><robot name="r"/>',
        "dtd": f'<!DOCTYPE robot SYSTEM "{address}"><robot name="r"/>',
    }
    path = tmp_path / "arm.urdf"
    path.write_text(declared[where])
    with pytest.raises(RobotError, match="DOCTYPE") as refusal:
        load(path)
    assert "stolen" not in str(refusal.value)


def test_includes_are_not_followed(tmp_path):
    (tmp_path / "secret").write_text('<link name="stolen"/>')
    path = tmp_path / "arm.urdf"
    path.write_text(
        robot('<link name="a"/><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="secret" parse="xml"/>')
    )
    assert load(path).base.body.name == "a"


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "arm.urdf"
    with path.open("wb") as file:
        file.write(b"<robot>")
        file.seek(100 * 2**20)
        file.write(b"</robot>")
    with pytest.raises(RobotError, match=r"arm\.urdf: more than 50,000,000 bytes"):
        load(path)


def test_a_directory_and_nothing(tmp_path):
    (tmp_path / "arm.urdf").mkdir()
    with pytest.raises(RobotError, match="directory"):
        load(tmp_path / "arm.urdf")
    with pytest.raises(RobotError, match="no such file"):
        load(tmp_path / "leg.urdf")


def test_long_names_do_not_flood_a_message(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(robot(f'<link name="{"x" * 100_000}"/>' * 2))
    with pytest.raises(RobotError, match="another link") as refusal:
        load(path)
    assert len(str(refusal.value)) < 1000


def test_ten_thousand_links_in_a_chain(tmp_path):
    """A long chain is legal: no recursion runs out."""
    path = tmp_path / "arm.urdf"
    links = "".join(f'<link name="l{i}"/>' for i in range(10_001))
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in reversed(range(10_000))
    )
    path.write_text(robot(links + joints))
    assert len(load(path).frames) == 10_000


def test_without_lxml(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml", None)
    path = tmp_path / "arm.urdf"
    path.write_text(robot('<link name="a"/>'))
    with pytest.raises(RobotError, match=re.escape('pip install "tauforge[urdf]"')):
        load(path)


def test_root_tags(tmp_path):
    path = tmp_path / "a.xml"
    for text, tag in (
        ("<!-- a --><mujoco/>", "mujoco"),
        (HEAD + '<r:robot xmlns:r="x"/>', "robot"),
        (f'<!DOCTYPE r [<!ENTITY e0 "x">\n{BOMB}]><robot>&e11;</robot>', "robot"),
        ("<robot><", "robot"),
    ):
        path.write_text(text)
        assert root_tag(path) == tag
    for text in ("hello", "<!-- a -->", '<?xml version="1.0" encoding="klingon"?><a/>'):
        path.write_text(text)
        with pytest.raises(RobotError, match=r"a\.xml(:1)?: this is not XML"):
            root_tag(path)


def test_what_xacro_prints_is_a_warning(tmp_path, capsys):
    """Its own warnings, which may hold anything that a file computes, reach no terminal as they are."""
    path = tmp_path / "arm.xacro"
    warned = "<xacro:if value=\"${xacro.warning('a\\x1b[31m') is None}\"/>"
    text = robot(warned + LINKS + JOINT.replace("revolute", "fixed"))
    path.write_text(text.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'))
    with pytest.warns(RobotWarning, match=r"xacro says: .*a\\x1b\[31m"):
        load(path)
    assert capsys.readouterr() == ("", "")
