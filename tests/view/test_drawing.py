"""Drawings: loops drawn closed where they are closed, and what cannot be drawn."""

import re
import xml.etree.ElementTree as xml
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app

LOOPED = [name for name in tf.robots.names() if tf.robots.bundled(name).loops]


def parts(drawing, word):
    """Return the numbers of all elements of a class."""
    root = xml.fromstring(drawing.svg)
    found = [part for part in root.iter() if word in (part.get("class") or "").split()]
    return [
        [[float(x) for x in point.split(",")] for point in part.get("points").split()]
        if part.get("points")
        else {key: float(x) for key, x in part.attrib.items() if key != "class"}
        for part in found
    ]


@pytest.mark.parametrize("name", LOOPED)
def test_loops_are_drawn_closed(name):
    robot = tf.robots.bundled(name)
    drawing = tf.draw(robot)
    cuts, links = parts(drawing, "cut"), parts(drawing, "link")
    assert len(cuts) == len(robot.loops)
    assert not parts(drawing, "open")
    own = [joint for joint in robot.joints if not joint.name.startswith("platform")]
    assert len(parts(drawing, "joint")) == len(own)
    assert len(parts(drawing, "driven")) == sum(joint.mu for joint in robot.joints)
    corners = [x if isinstance(x, list) else [[x["x1"], x["y1"]], [x["x2"], x["y2"]]] for x in links]
    for cut in cuts:
        at = np.array([cut["cx"], cut["cy"]])
        meeting = sum((np.abs(np.array(ends) - at).max(axis=1) <= 0.11).any() for ends in corners)
        assert meeting >= (1 if name == "slider_crank" else 2)


def test_an_open_loop_is_drawn_open():
    (gap,) = parts(tf.draw(tf.robots.fourbar(), [0.5, 0.2, 1.5]), "open")
    assert np.hypot(gap["x2"] - gap["x1"], gap["y2"] - gap["y1"]) > 10


def test_lengths_in_the_plane_are_true():
    """The bars of a flat linkage are drawn to scale, upright and not mirrored."""
    robot = tf.robots.fourbar()
    q = tf.close_loops(robot, [1.0], guess=[1.0, -0.3, 1.5])
    lines = sorted(parts(tf.draw(robot, q), "link"), key=lambda x: np.hypot(x["x2"] - x["x1"], x["y2"] - x["y1"]))
    lengths = [np.hypot(x["x2"] - x["x1"], x["y2"] - x["y1"]) for x in lines]
    assert lengths[-1] / lengths[0] == pytest.approx(0.5 / 0.2, rel=0.01)
    crank = lines[0]
    angle = np.arctan2(crank["y1"] - crank["y2"], crank["x2"] - crank["x1"])
    assert angle == pytest.approx(1.0, abs=0.01)


def test_a_platform_is_a_plate_on_pistons():
    """The plate has a corner at each joint of the platform, and the ground one at each joint of the base."""
    robot = tf.robots.gough_stewart()
    drawing = tf.draw(robot)
    (plate,), (ground,) = (sorted(p for p in parts(drawing, word) if isinstance(p, list)) for word in ("link", "base"))
    cuts = sorted([x["cx"], x["cy"]] for x in parts(drawing, "cut"))
    np.testing.assert_allclose(sorted(plate), cuts, atol=0.11)
    assert len(ground) == 6
    assert len(parts(drawing, "rod")) == 2 * len(robot.actuated)
    assert all(isinstance(x, list) for x in parts(drawing, "driven"))


def test_a_horizontal_linkage_is_seen_from_above():
    robot = tf.robots.planar_3rrr()
    (ground,) = parts(tf.draw(robot), "base")
    sides = [np.subtract(ground[k - 1], ground[k]) for k in range(3)]
    np.testing.assert_allclose([np.hypot(*side) for side in sides], np.hypot(*sides[0]), rtol=1e-3)


@pytest.mark.parametrize("name", ["sr400", "puma560", "scara", "gough_stewart"])
def test_names_fit_into_the_drawing(name):
    root = xml.fromstring(tf.draw(tf.robots.bundled(name)).svg)
    width = float(root.get("viewBox").split()[2])
    texts = [part for part in root.iter() if part.tag.endswith("text")]
    assert all(float(text.get("x")) + 6 * len(text.text) < width for text in texts)


def test_names_are_escaped_and_files_are_svg(tmp_path):
    robot = replace(tf.robots.fourbar(), name="<b>")
    drawing = tf.draw(robot)
    assert "&lt;b&gt;" in drawing.svg
    assert drawing._repr_svg_() == drawing.svg
    assert re.fullmatch(r"Drawing\(\d+ characters of SVG\)", repr(drawing))
    with pytest.raises(tf.ProgramError, match=r"written as \.svg"):
        drawing.save(tmp_path / "robot.png")


def test_what_cannot_be_drawn():
    with pytest.raises(tf.ProgramError, match="symbols in its geometry"):
        tf.draw(tf.robots.rx90(symbolic=True))
    with pytest.raises(tf.ProgramError, match="q is 'abc'; it must be an array of numbers"):
        tf.draw(tf.robots.fourbar(), "abc")
    with pytest.raises(tf.ProgramError, match="q has entries that are not finite"):
        tf.draw(tf.robots.fourbar(), [0.0, np.nan, 0.0])
    with pytest.raises(tf.ProgramError, match="fourbar has 3 coordinates"):
        tf.draw(tf.robots.fourbar(), [0.0])
    with pytest.raises(tf.ProgramError, match=r"tf\.load"):
        tf.draw("fourbar")


@pytest.mark.parametrize("name", ["puma560", "sr400"])
def test_robots_on_floating_bases_and_the_command(name, tmp_path):
    file = tmp_path / "robot.svg"
    result = CliRunner().invoke(app, ["draw", name, "--base", "floating", "-o", str(file)])
    assert result.exit_code == 0, result.output
    assert file.read_text() == tf.draw(tf.robots.bundled(name).with_base("floating")).svg
    printed = CliRunner().invoke(app, ["draw", name])
    assert printed.stdout == tf.draw(tf.robots.bundled(name)).svg


ENDS = """<robot name="arm"><link name="base"/><link name="one"><inertial>
<origin xyz="{centre} 0 0"/><mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="{size} 1 1"/></geometry></visual></link><link name="two"/>
<joint name="a" type="continuous"><parent link="base"/><child link="one"/><origin xyz="{xyz}"/></joint>
<joint name="b" type="prismatic"><parent link="one"/><child link="two"/><origin xyz="0 0.1 0"/><axis xyz="1 0 0"/>
<limit lower="-{limit}" upper="{limit}" effort="1" velocity="1"/></joint></robot>"""
NORMAL = {"centre": "0", "mass": "1", "size": "1", "xyz": "0 0 0.1", "limit": "1"}


@pytest.mark.filterwarnings("error::RuntimeWarning", "ignore::tauforge.RobotWarning")
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"xyz": "0 1e308 0.18"}, "a has a length of 1e\\+308 m"),
        ({"xyz": "1e308 1e308 1e308"}, "a has a length of"),
        ({"xyz": "1e-320 0 0"}, None),
        ({"centre": "1e140"}, None),
        ({"mass": "1e-300", "size": "1e200"}, None),
        ({"mass": "1e-320"}, None),
        ({"mass": "1e308"}, None),
        ({"size": "1e308"}, None),
        ({"limit": "1e308"}, None),
    ],
)
def test_numbers_of_any_size_are_drawn_or_refused(tmp_path, changed, said):
    path = tmp_path / "arm.urdf"
    path.write_text(ENDS.format(**{**NORMAL, **changed}))
    robot = tf.load(path)
    shown = CliRunner().invoke(app, ["info", str(path)])
    assert shown.exit_code == 0
    assert "nan" not in shown.output
    for draw in (lambda: tf.draw(robot).svg, lambda: repr(robot.plot(size=(64, 48))), lambda: served(robot)):
        if said:
            with pytest.raises(tf.ProgramError, match=said):
                draw()
        else:
            assert not re.search(r"\b(nan|inf|NaN|Infinity)\b", draw())


def served(robot):
    """Return what the page of a live view knows, without its scripts."""
    with robot.view(browser=False) as view:
        return re.search(r'id="scene">(.*?)<', view._page(), re.DOTALL)[1]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("gravity", [(0, 0, -1e-320), (0, 0, -1e308), (0, 0, -1e-170)])
def test_gravity_of_any_size_points_down(gravity):
    robot = tf.robots.puma560()
    assert tf.draw(robot.derived(gravity=gravity)).svg == tf.draw(robot.derived(gravity=(0, 0, -9.81))).svg
    slanted = [tf.draw(robot.derived(gravity=tuple(g * x for x in (1, 2, -3)))).svg for g in (1.0, 1e-300, 1e307)]
    assert slanted[0] == slanted[1] == slanted[2]


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_floating_body_without_joints_is_drawn(tmp_path):
    path = tmp_path / "block.urdf"
    path.write_text(
        '<robot name="block"><link name="block"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    drawing = tf.draw(tf.load(path, base="floating"))
    assert len(parts(drawing, "joint")) == 1
    assert "block" in drawing.svg
    assert CliRunner().invoke(app, ["draw", str(path), "--base", "floating"]).exit_code == 0
