"""Workspaces: sections are those of geometry, maps are as good as known maxima, and pictures are drawn."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Limits

ARM, SCARA = tf.robots.puma560(), tf.robots.scara()


@pytest.fixture(scope="module")
def scara():
    return tf.workspace(SCARA, frame="link4", samples=3000)


def test_direct_geometry():
    q = np.random.default_rng(0).uniform(-1, 1, (2, 3, 6))
    T = tf.direct_geometry(ARM, q, frame="link6")
    np.testing.assert_array_equal(T, tf.transforms(ARM, frames="link6").compile()(q)[..., 0, :, :])
    back = tf.direct_geometry(ARM, q, frame="base", relative_to="link6")
    np.testing.assert_allclose(T @ back, np.broadcast_to(np.eye(4), T.shape), atol=1e-12)
    with pytest.raises(tf.ProgramError, match="no frame 'nose'"):
        tf.direct_geometry(ARM, q, frame="nose")


def test_a_ring(scara):
    """Two links of 0.4 and 0.3 m reach from 0.1 to 0.7 m."""
    section = scara.section("xy", cells=60)
    radius = np.hypot(*np.meshgrid(section.right, section.up))
    np.testing.assert_array_equal(section.reachable, (radius <= 0.7) & (radius >= 0.1))
    near = np.abs(np.maximum(radius - 0.7, 0.1 - radius)) < 0.5 * (section.right[1] - section.right[0])
    exact = np.maximum(radius - 0.7, 0.1 - radius)
    outside = near & (exact > 0.0)
    np.testing.assert_allclose(section.height[outside], exact[outside], atol=1e-6)
    assert section.area == pytest.approx(np.pi * (0.49 - 0.01), rel=0.03)
    assert scara.reach >= 0.7


def test_states_are_in_their_cells(scara):
    section = scara.section("xy", 0.05, cells=40)
    points = tf.direct_geometry(SCARA, section.q, frame="link4")[:, :3, 3]
    np.testing.assert_allclose(points[:, 2], 0.05, atol=1e-8)
    side = section.right[1] - section.right[0]
    assert np.abs(points[:, 0] - section.right[section.cell[:, 1]]).max() <= 0.5 * side + 1e-9
    assert np.abs(points[:, 1] - section.up[section.cell[:, 0]]).max() <= 0.5 * side + 1e-9


def test_manipulability_of_two_links(scara):
    """Det J = l1 l2 sin q2, and the law of cosines gives q2 from the radius."""
    section = scara.section("xy", cells=30)
    found = section.map()
    radius = np.hypot(*np.meshgrid(section.right, section.up))
    cosine = (radius**2 - 0.25) / 0.24
    inside = section.reachable
    np.testing.assert_allclose(found[inside], 0.12 * np.sqrt(1.0 - cosine[inside] ** 2), atol=1e-6)
    assert np.isnan(found[~inside]).all()
    assert (section.map("condition")[inside] >= 1.0).all()


def test_a_dexterous_wrist():
    """Whatever the wrist does, the largest manipulability is where it is at right angles: |det J| with s5 = 1."""
    section = tf.workspace(ARM, frame="link6", samples=2000).section("xz", cells=16)
    found = section.map()
    best = section.q[np.argmax(section._measured("manipulability", section.q))]
    assert np.nanmax(found) >= section._measured("manipulability", best[None])[0]
    assert np.nanmax(found) == pytest.approx(0.125, abs=0.003)


def test_limits_are_kept():
    bounded = SCARA.derived(joints=tuple(replace(joint, limits=Limits(lower=0.0, upper=0.5)) for joint in SCARA.joints))
    section = tf.workspace(bounded, frame="link4", samples=2000).section("xy", cells=40)
    assert ((section.q >= 0.0) & (section.q <= 0.5)).all()
    right, up = np.meshgrid(section.right, section.up)
    turned = np.arctan2(up, right)[section.reachable]
    assert (turned >= -1e-9).all()
    assert (turned <= 1.0).all()
    free = tf.workspace(bounded, frame="link4", samples=2000, limits=False).section("xy", cells=40)
    assert free.area > 3.0 * section.area


def test_closed_loops():
    robot = tf.robots.fivebar()
    space = tf.workspace(robot, frame="tool", samples=500)
    assert np.abs(tf.loop_closure(robot).compile()(space.q)[0]).max() < 1e-9
    section = space.section("xy", cells=12)
    assert section.reachable.any()
    assert np.abs(tf.loop_closure(robot).compile()(section.q)[0]).max() < 1e-8


def test_limited_legs_in_all_assembly_modes():
    """The window holds all that can be reached, also below the base, and most of it is found."""
    robot = tf.robots.gough_stewart()
    legs = tuple(replace(j, limits=Limits(lower=-0.1, upper=0.1)) if j.mu else j for j in robot.joints)
    robot = robot.derived(joints=legs)
    section = tf.workspace(robot, frame="platform", samples=500).section("xz", cells=16)
    assert section.bounded
    assert section.up[0] < -0.3
    assert not section.reachable[[0, -1]].any()
    assert not section.reachable[:, [0, -1]].any()
    points = np.stack(np.broadcast_arrays(section.right, 0.0, section.up[:, None]), axis=-1)
    reached = tf.reach(robot, points, frame="platform", aim="position", starts=200, strict=False).reached
    assert section.reachable[reached].mean() > 0.9
    low = np.abs(section.up[:, None] + 0.0757) < 0.1
    assert (section.reachable & low).any()


def test_a_window_grows_where_few_samples_do_not_tell_its_size():
    """Three states say little about where two links reach; the section is whole nevertheless."""
    section = tf.workspace(SCARA, frame="link4", samples=3).section("xy", cells=24)
    radius = np.hypot(*np.meshgrid(section.right, section.up))
    np.testing.assert_array_equal(section.reachable, (radius <= 0.7) & (radius >= 0.1))
    assert np.abs([section.right[[0, -1]], section.up[[0, -1]]]).min() > 0.7
    assert section.bounded


def test_slides_without_limits_have_no_area():
    section = tf.workspace(SCARA, frame="link4", samples=300).section("xz", cells=24)
    assert not section.bounded
    assert section.area == np.inf
    assert "beyond them it goes on without bound" in repr(section)
    slides = tuple(replace(j, limits=Limits(lower=-0.2, upper=0.2)) if j.sigma == 1 else j for j in SCARA.joints)
    section = tf.workspace(SCARA.derived(joints=slides), frame="link4", samples=300).section("xz", cells=24)
    assert section.bounded
    assert section.area == pytest.approx(2 * 0.6 * 0.4, rel=0.2)
    open_ended = tf.workspace(SCARA.derived(joints=slides), frame="link4", samples=300, limits=False)
    assert open_ended.section("xz", cells=24).area == np.inf


@pytest.mark.parametrize("measure", [None, "manipulability", "condition"])
def test_pictures(scara, measure, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "reach.svg"
    figure = scara.section("xy", cells=16).plot(path, measure=measure)
    text = path.read_text()
    assert "x (m)" in text
    assert "section at z = 0 m" in text
    assert (measure or "reach") in text
    assert figure.axes[0].get_aspect() == 1.0


def test_an_ending_that_is_not_one(scara):
    with pytest.raises(tf.TauforgeError, match=r"a figure's file ends in"):
        scara.plot("reach.foo")


def test_a_cloud(scara, tmp_path):
    pytest.importorskip("matplotlib")
    scara.plot(tmp_path / "cloud.png")
    assert (tmp_path / "cloud.png").stat().st_size > 10_000
    assert "x -0.7" in repr(scara)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda space: space.section("zz"), "plane='zz'; choose among"),
        (lambda space: space.section(cells=1), "from 4 to 2000"),
        (lambda space: space.section(at=np.nan), "must be a number"),
        (lambda space: space.section("xy", cells=8).map("beauty"), "measure='beauty'; choose among"),
        (lambda space: tf.workspace(SCARA, frame="link4", samples=0), "samples=0"),
        (lambda space: tf.workspace(SCARA, frame="nose"), "no frame 'nose'"),
        (lambda space: tf.workspace(SCARA, frame="link1", samples=9).section("xy"), "choose another frame"),
        (lambda space: tf.workspace(tf.robots.puma560(symbolic=True), frame="link6"), "symbols in its geometry"),
    ],
)
def test_bad_input(scara, call, said):
    with pytest.raises(tf.ProgramError, match=said):
        call(scara)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("length", [1e10, 1e200, 1e308])
def test_a_robot_too_large_has_no_workspace(length):
    """States are not sought so far away; the section was empty."""
    first, *rest = SCARA.joints
    robot = SCARA.derived(joints=(first, *(replace(joint, d=length) for joint in rest)))
    with pytest.raises(tf.ProgramError, match=r"link4 is beyond 1e\+09 m|too large for a float"):
        tf.workspace(robot, frame="link4", samples=10)


def test_a_plane_that_is_not_reached(scara):
    section = scara.section("xz", 5.0, cells=10)
    assert not section.reachable.any()
    assert section.area == 0.0
    section.plot()


def test_odd_names_files_and_numbers(tmp_path):
    joint = tf.Joint(name="slide", antecedent=0, sigma=1)
    robot = tf.Robot(name=r"a$b_{\frac", joints=(joint,), bodies=(tf.Body(name="tip$"),))
    space = tf.workspace(robot, frame="tip$", samples=10)
    space.plot(tmp_path / "line.svg")
    assert r"a$b_{\frac: reach of tip$" in (tmp_path / "line.svg").read_text()
    with pytest.raises(tf.TauforgeError, match="cannot be written"):
        space.plot(tmp_path / "nowhere" / "line.svg")
    with pytest.raises(tf.TauforgeError, match="ends in"):
        space.plot(tmp_path / "line.xyz")
    with pytest.raises(tf.ProgramError, match="seed"):
        tf.workspace(robot, frame="tip$", seed=-1)
    with pytest.raises(tf.ProgramError, match="plane"):
        space.section(["xz"])
    assert not space.section("xz", at=np.float32(1.0), cells=4).reachable.any()


def test_long_chains_have_too_many_minors():
    joints = tuple(tf.Joint(name=f"j{k}", antecedent=k, d=0.1, alpha=k % 2 * np.pi / 2) for k in range(20))
    robot = tf.Robot(name="long", joints=joints, bodies=tuple(tf.Body(name=f"l{k}") for k in range(20)))
    with pytest.raises(tf.ProgramError, match="38760 largest minors"):
        tf.singularities(robot, frame="l19")
