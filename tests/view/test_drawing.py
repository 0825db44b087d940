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
