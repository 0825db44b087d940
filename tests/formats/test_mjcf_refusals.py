"""Hostile and broken MJCF files: refused whole and at once, with the file and the line or the element."""

import re
import sys
import time
import types

import pytest

import tauforge as tf

BODY = '<body name="b"><joint name="j"/><geom name="g" size="1"/></body>'


def model(body=BODY, before="", after=""):
    return f"<mujoco>\n{before}\n<worldbody>\n{body}\n</worldbody>\n{after}\n</mujoco>"


def refused(path, content=None):
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    start = time.process_time()
    with pytest.raises(tf.RobotError) as error:
        tf.load(path)
    assert time.process_time() - start < 1
    message = str(error.value)
    assert message.startswith(f"{path.parent}/")
    assert len(message) < 500
    assert "\n" not in message
    return message.removeprefix(f"{path.parent}/")


BOMB = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha"}">' for i in range(12))
SOLID = '<inertial pos="0 0 0" mass="{}" diaginertia="1 1 1"/>'
FILES = [
    (f"<!DOCTYPE x [{BOMB}]>" + model().replace('"b"', '"&e11;"'), r"m\.xml:1: a document type, which brings entities"),
    ('<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + model(), r":2: a document type"),
    (model().replace('"b"', '"&e;"'), r":4: this is not XML: undefined entity"),
    (model("<body>" * 10_000 + "</body>" * 10_000), r":4: elements are nested more than 490 deep"),
    (model() + "<mujoco/>", r":7: this is not XML: junk after document element"),
    (model("<body>"), r":5: this is not XML: mismatched tag"),
    (model() + "<", r":7: this is not XML"),
    ("hello", r":1: this is not XML"),
    ("", r": the file is empty"),
    ("<html/>", r":1: the root element is <html>; in MJCF it is <mujoco>"),
    (model("").encode("utf-16"), r": this is a binary file"),
    (model().replace('"b"', '"é"').encode("latin-1"), r": this is not text in utf-8"),
    (b" " * 100_000_000, r": more than 50,000,000 bytes"),
    (model(BODY + "\n" + BODY.replace('"j"', '"k"').replace('"g"', '"h"')), r":5: .*repeated name 'b' in body"),
    (model(BODY + "\n" + BODY.replace('"b"', '"c"').replace('"g"', '"h"')), r":5: .*repeated name 'j' in joint"),
    (model(BODY.replace("<joint", '<joint axis="0 0 0"')), r":4: axis too small"),
    (model(f'<body name="b"><joint/>{SOLID.format(-1)}</body>'), r":4: mass and inertia .*'b'"),
    (model(f'<body name="b"><joint/>{SOLID.format("nan")}</body>'), r":4: mass and inertia .*'b'"),
    (model(BODY.replace('"b"', '"b" pos="0 nan 0"')), r": pos of body 'b' is \[0.0, nan, 0.0\]; it must be finite"),
    (model(BODY.replace('"b"', '"b" pos="0 inf 0"')), r": pos of body 'b' is \[0.0, inf, 0.0\]"),
    (model(BODY.replace('"b"', '"b" pos="0 1e999 0"')), r":4: number is too large in attribute 'pos'"),
    (model(BODY.replace('"j"', '"j" armature="nan"')), r": IA of joint 'j': this is not a finite number"),
    (model(BODY.replace('"j"', '"j" ref="nan"')), r": theta of joint 'j': this is not a finite number"),
    (
        model(BODY.replace("</body>", '<site name="s" pos="nan 0 0"/></body>')),
        r": pos of site 's' is \[nan, 0.0, 0.0\]",
    ),
    (
        model(after='<equality><connect name="c" body1="b" anchor="nan 0 0"/></equality>'),
        r": data of equality 'c' is \[nan",
    ),
    (model(BODY.replace('"j"', '"j" pos="nan 0 0"')), r": pos of joint 'j' is \[nan, 0.0, 0.0\]"),
    (
        model(after='<tendon><fixed stiffness="1" springlength="0"><joint joint="j" coef="nan"/></fixed></tendon>'),
        r": a coefficient of tendon 'tendon0': this is not a finite number",
    ),
    (
        model(after='<tendon><fixed name="t" damping="nan"><joint joint="j" coef="1"/></fixed></tendon>'),
        r": damping of tendon 't' is .*nan",
    ),
    (model(before='<option gravity="0 0 inf"/>'), r": gravity: this is not a finite number"),
    (model(BODY.replace('"j"', '"j" foo="1"')), r":4: Schema violation: unrecognized attribute: 'foo'"),
    (model('<body name="b"><geom size="1"/></body>'), r": no body has a joint, so nothing moves"),
    (
        model(f'<replicate count="9999"><replicate count="9999">{BODY}</replicate></replicate>'),
        r":4: more than 300,000 elements",
    ),
    (model(before='<size nuser_body="999999999"/>'), r":2: more than 20,000,000 numbers"),
    (model(before='<asset><mesh name="m" file="absent.stl"/></asset>'), r":2: mesh: .*absent.stl'"),
    (model("<include file='absent.xml'/>"), r":4: include: there is no file 'absent.xml'"),
    (model("<include file='m.xml'/>"), r":4: include: 'm.xml' is included already"),
]


@pytest.mark.parametrize(("content", "message"), FILES, ids=range(len(FILES)))
def test_broken_files(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    assert re.search(message, refused(tmp_path / "m.xml", content))
    assert [path.name for path in tmp_path.iterdir()] == ["m.xml"]  # MuJoCo writes no log


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (model('<include file="../secret.xml"/>'), 4),
        (model('<include file="/etc/passwd"/>'), 4),
        (model('<include file="sub/../../secret.xml"/>'), 4),
        (model('<include file="..\\secret.xml"/>'), 4),
        (model('<include file="C:/secret.xml"/>'), 4),
        (model('<include file="link.xml"/>'), 4),
        (model('<include file="../absent.xml"/>'), 4),
        (model(before='<asset><mesh name="m" file="../secret.xml"/></asset>'), 2),
        (model(before='<compiler meshdir=".."/><asset><mesh name="m" file="secret.xml"/></asset>'), 2),
        (model(before='<compiler assetdir="/"/><asset><texture type="2d" name="m" file="etc/x.png"/></asset>'), 2),
        (model(before='<asset><texture type="cube" name="m" fileright="../secret.xml"/></asset>'), 2),
        (model(before='<asset><hfield name="m" size="1 1 1 1" file="../secret.xml"/></asset>'), 2),
        (model(before='<asset><model name="m" file="../secret.xml"/></asset>'), 2),
        (model(before='<asset><model name="m" file="sub/model.xml"/></asset>'), 1),
        (model(before='<include file="sub/inner.xml"/>'), 1),
        (model("<!-- -- --><include file='../secret.xml'/><!-- -- -->"), 4),
    ],
)
def test_nothing_is_read_outside_the_folder(tmp_path, monkeypatch, text, line):
    (tmp_path / "secret.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>")
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "model.xml").write_text(
        '<mujoco><asset><mesh name="m" file="../../secret.xml"/></asset></mujoco>'
    )
    (folder / "sub" / "inner.xml").write_text('<mujocoinclude><include file="../../secret.xml"/></mujocoinclude>')
    (folder / "link.xml").symlink_to(tmp_path / "secret.xml")
    monkeypatch.setattr("mujoco.MjModel.from_xml_path", None)
    message = refused(folder / "m.xml", text)
    assert f"xml:{line}: " in message
    assert "is outside the folder of the model, from which alone files are read" in message


def test_files_within_the_folder(tmp_path):
    """Includes, meshes and attached models below the folder are read, however they are found."""
    (tmp_path / "sub" / "assets").mkdir(parents=True)
    shape = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "sub" / "assets" / "a.obj").write_text(shape)
    (tmp_path / "sub" / "inner.xml").write_text('<mujocoinclude><include file="part.xml"/></mujocoinclude>')
    (tmp_path / "sub" / "part.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>")
    path = tmp_path / "m.xml"
    path.write_text(
        model(
            '<include file="sub/inner.xml"/><body pos="9 0 0"><joint/><geom type="mesh" mesh="a"/></body>',
            '<!-- a -- b --><compiler meshdir="sub/assets"/><asset><mesh name="a" file="../assets/a.obj"/></asset>'
            '<option><flag contact="disable"/></option>',
        )
    )
    robot = tf.load(path)
    assert robot.joint_names == ("j", "body2_joint")
    assert robot.bodies[1].inertia[9] == pytest.approx(1000 / 6)


@pytest.mark.parametrize("absolute", [False, True])
def test_folders_that_are_allowed(tmp_path, monkeypatch, absolute):
    """Files below them are read, includes and meshes that these name too; what is elsewhere stays refused."""
    for place in ("scene", "parts/inner", "meshes"):
        (tmp_path / place).mkdir(parents=True)
    way = tmp_path if absolute else ".."
    shape = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "meshes" / "a.obj").write_text(shape)
    (tmp_path / "parts" / "inner" / "part.xml").write_text(
        f"""<mujocoinclude><asset><mesh name="a" file="{way}/meshes/a.obj"/></asset>
        <worldbody><body><joint/><geom type="mesh" mesh="a"/></body></worldbody></mujocoinclude>"""
    )
    path = tmp_path / "scene" / "m.xml"
    flag = '<option><flag contact="disable"/></option>'
    path.write_text(model("", f'{flag}<include file="{way}/parts/inner/part.xml"/>'))
    assert re.match(r"m\.xml:2: include: .* or allow its folder: load\(…, folders=\[…\]\), --folder", refused(path))
    monkeypatch.chdir(path.parent)
    with pytest.raises(tf.RobotError, match=r"part\.xml:1: mesh: .* is outside the folder of the model"):
        tf.load(path, folders=["../parts"])
    both = tf.load(path, folders=["../parts", tmp_path / "meshes"])
    assert both == tf.load(path, folders=["/"])
    assert pytest.approx(1000 / 6) == both.bodies[0].inertia.M
    with pytest.raises(tf.RobotError, match=r"folders is for MJCF \(\.xml, \.mjcf\), which reads other files"):
        tf.load("arm.toml", folders=["/"])


def test_urdf_in_an_xml_file(tmp_path, monkeypatch):
    asked, robot = [], tf.robots.planar2r()
    urdf = types.ModuleType("urdf")
    urdf.read = lambda *given: asked.append(given) or robot
    monkeypatch.setitem(sys.modules, "tauforge.formats.urdf", urdf)
    path = tmp_path / "arm.xml"
    path.write_text('<robot name="arm"/>')
    assert tf.load(path, snap=1e-4) == tf.load(path, lenient=True) == robot
    assert asked == [(path, 1e-4, False), (path, 1e-9, True)]


def test_without_mujoco(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert 'pip install "tauforge[mjcf]"' in refused(tmp_path / "m.xml", model())


def test_mjcf_is_not_written(tmp_path):
    with pytest.raises(tf.RobotError, match=r"MJCF can only be read; save the robot as \.toml"):
        tf.robots.planar2r().save(tmp_path / "arm.xml")
    assert not list(tmp_path.iterdir())


PAIR = """<body name="a"><joint name="x"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<body name="b"><joint name="y"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<body name="c"><joint name="z"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></body>"""


def coupled(*pairs):
    """Return a model in which joints follow others: (follower, leader, offset, ratio)."""
    lines = [f'<joint joint1="{y}" joint2="{x}" polycoef="{c} {m} 0 0 0"/>' for y, x, c, m in pairs]
    return model(PAIR, after=f"<equality>{''.join(lines)}</equality>")


@pytest.mark.parametrize(
    "pairs",
    [
        [("y", "x", 0, 2), ("y", "x", 0, 3)],
        [("y", "x", 0, 2), ("x", "y", 0, 2)],
        [("y", "x", 0, 2), ("y", "x", 0.1, 2)],
        [("y", "x", 0, 2), ("z", "y", 0, 3), ("z", "x", 0, 5)],
    ],
)
def test_contradictory_equalities(tmp_path, pairs):
    assert "contradicts those before it; remove one" in refused(tmp_path / "a.xml", coupled(*pairs))


@pytest.mark.parametrize(
    "pairs",
    [
        [("y", "x", 0.1, 2), ("y", "x", 0.1, 2), ("z", "y", 0.3, 3)],
        [("y", "x", 0.1, 2), ("x", "y", -0.05, 0.5), ("z", "x", 0.6, 6)],
        [("z", "x", 0.6, 6), ("z", "y", 0.3, 3)],
        [("z", "y", 0.3, 3), ("z", "x", 0.6, 6)],
    ],
)
def test_equalities_in_any_order(tmp_path, pairs):
    """Equalities that say the same twice, or of a joint that follows another already: y = 2 x + 0.1, z = 3 y + 0.3."""
    path = tmp_path / "a.xml"
    path.write_text(coupled(*pairs))
    robot = tf.load(path)
    (independent,) = robot.independent
    speed = tf.joint_motion(robot).compile()([0.2], [1.0], [0.0])[0]
    assert speed / speed[0] == pytest.approx([1, 2, 6])
    place = {joint.name: joint.mimic for joint in robot.joints}
    x = {"x": 0.2, "y": 0.5, "z": 1.8}[independent]
    assert {name: m.ratio * x + m.offset for name, m in place.items() if m} == pytest.approx(
        {name: value for name, value in {"x": 0.2, "y": 0.5, "z": 1.8}.items() if name != independent}
    )
