"""Animations without a browser: pages, GIFs and pictures in files, and what is refused."""

import base64
import io
import re
import zlib
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app
from tauforge.view.page import keys, poses
from tauforge.view.raster import rasterise

T = np.linspace(0.0, 1.0, 11)
Q = np.outer(T, [0.6, -0.9])


def test_a_page_needs_nothing_else_and_escapes_names(tmp_path):
    name = "</script><script>alert(1)</script>"
    robot = tf.robots.planar2r()
    hostile = tf.Robot(name=name, joints=robot.joints, bodies=robot.bodies)
    path = tmp_path / "run.html"
    found = tf.animate(hostile, Q, T, path, events=[(name, 0.5)])
    text = path.read_text(encoding="utf-8")
    assert text == found.html
    assert name not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text
    assert not re.search(r"""(?:src|href)\s*=|https?://|import\s*\(""", text)
    assert "default-src 'none'; script-src 'sha256-" in text
    assert "connect-src 'none'" in text
    assert name not in found._repr_html_()
    assert len(text) < 150_000


def test_the_page_holds_all_poses():
    robot = tf.robots.planar2r()
    text = tf.animate(robot, Q, T).html
    data = zlib.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', text)[1]))
    wanted = poses(tf.animate(robot, Q, T).scene.T).astype("<f4").ravel()
    np.testing.assert_array_equal(np.frombuffer(data[-4 * len(wanted) :], "<f4"), wanted)


def test_a_long_motion_is_thinned_to_what_can_be_seen():
    t = np.sort(np.r_[np.random.default_rng(0).uniform(0, 10, 50_000), 0.0, 10.0])
    kept = keys(t)
    assert len(kept) <= 601
    assert kept[0] == 0
    assert kept[-1] == len(t) - 1
    assert np.diff(t[kept]).max() < 0.04
    assert len(keys(np.linspace(0, 1, 20))) == 20


def test_a_gif_moves_at_the_right_pace(tmp_path):
    path = tmp_path / "run.gif"
    tf.animate(tf.robots.planar2r(), Q, T).save(path, size=(96, 72), rate=10)
    with Image.open(path) as image:
        assert image.n_frames == 11
        assert image.size == (96, 72)
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0
        frames = []
        for k in range(image.n_frames):
            image.seek(k)
            frames.append(np.asarray(image.convert("RGB")).astype(int))
    assert all(np.abs(a - b).max() > 50 for a, b in pairwise(frames))


def test_a_picture_shows_the_link_where_it_is():
    """The second link of a planar arm is on the left or on the right as its angle says."""
    robot = tf.robots.planar2r()
    pictures = [robot.plot([0.4, angle], size=(160, 120)).pixels.astype(int) for angle in (1.2, -1.2)]
    assert np.abs(pictures[0] - pictures[1]).max() > 100
    assert Image.open(io.BytesIO(robot.plot(size=(64, 48))._repr_png_())).size == (64, 48)


def test_triangles_are_drawn_as_one_by_one():
    rng = np.random.default_rng(2)
    xy, depth = rng.uniform(-10, 50, (90, 2)), rng.uniform(0, 1, 90)
    faces = np.arange(90).reshape(30, 3)
    found = rasterise(xy, depth, faces, 40, 30)
    for y in range(30):
        for x in range(40):
            best, at = np.inf, -1
            for k, (a, b, c) in enumerate(faces):
                M = np.array([xy[b] - xy[a], xy[c] - xy[a]]).T
                u, v = np.linalg.solve(M, np.array([x + 0.5, y + 0.5]) - xy[a])
                z = depth[a] + u * (depth[b] - depth[a]) + v * (depth[c] - depth[a])
                if min(u, v, 1 - u - v) >= 0 and z < best:
                    best, at = z, k
            assert found.face[y, x] == at
            assert at < 0 or found.depth[y, x] == pytest.approx(best)


def test_closed_loops_take_independent_joints_or_all():
    robot = tf.robots.fourbar()
    crank, q = np.linspace(0.5, 1.5, 21)[:, None], tf.close_loops(robot, [0.5])
    whole = [q := tf.close_loops(robot, x, guess=q) for x in crank]
    assert np.abs(np.diff(whole, axis=0)).max() < 0.3  # one way to assemble it throughout
    np.testing.assert_allclose(tf.animate(robot, crank).scene.T, tf.animate(robot, whole).scene.T, atol=1e-8)


def test_trajectories_and_motions_open_it(tmp_path):
    robot = tf.robots.planar2r()
    run = tf.simulate(robot, T, q0=[0.3, 0.1])
    found = run.animate(tmp_path / "run.html")
    np.testing.assert_allclose(found.scene.T[:, 1:], tf.transforms(robot).compile()(run.q)[:, :2], atol=1e-12)
    run.save(tmp_path / "run.npz")
    again = tf.Trajectory.load(tmp_path / "run.npz")
    assert again.animate(robot=robot).html == found.html
    with pytest.raises(tf.ProgramError, match="does not hold planar2r: give animate"):
        again.animate()
    many = tf.simulate(robot, T, q0=[[0.3, 0.1], [0.5, 0.2]], method="Tsit5")
    assert len(many[1].animate().scene.t) == len(T)
    with pytest.raises(tf.ProgramError, match="choose one"):
        many.animate()
    move = tf.motion([[0.0, 0.0], [1.0, -1.0]], [0.0, 1.0])
    assert len(move.animate(robot, rate=10).scene.t) == 11
    result = CliRunner().invoke(
        app, ["view", "planar2r", "--motion", str(tmp_path / "run.npz"), "-o", str(tmp_path / "b.html")]
    )
    assert result.exit_code == 0, result.output
    assert (tmp_path / "b.html").read_text() == found.html


def test_a_robot_that_moves_away_is_followed():
    robot = tf.robots.planar2r().with_base("floating")
    q = np.zeros((3, 9))
    q[:, 6], q[:, 0] = 1.0, [0.0, 10.0, 20.0]
    assert '"follow": 1' in tf.animate(robot, q).html
    assert '"follow": -1' in tf.animate(robot, q[:1]).html


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"q": [1.0, 2.0, 3.0]}, r"q has the shape \(3,\); it must be \(times, 2\)"),
        ({"q": [[0.0, np.nan]]}, "not finite"),
        ({"q": "here"}, "must be an array of numbers"),
        ({"q": Q, "t": T[:4]}, r"there are 11 states, so it must be \(11,\)"),
        ({"q": Q, "t": T[::-1]}, "increase from state to state"),
        ({"q": Q, "t": T, "path": "a.mp4"}, r"ends with \.html, \.gif, \.png"),
    ],
)
def test_wrong_arguments_are_refused(given, why):
    with pytest.raises(tf.ProgramError, match=why):
        tf.animate(tf.robots.planar2r(), **given)


def test_symbols_sizes_and_places_are_refused(tmp_path):
    with pytest.raises(tf.ProgramError, match="symbols in its geometry"):
        tf.animate(tf.robots.puma560(symbolic=True))
    robot = tf.robots.planar2r()
    with pytest.raises(tf.ProgramError, match="from 16 to"):
        robot.plot(size=(1, 10_000))
    with pytest.raises(tf.ProgramError, match="plot shows one"):
        robot.plot(Q)
    with pytest.raises(tf.ProgramError, match="speed is 0"):
        tf.animate(robot, Q, T).save(tmp_path / "a.gif", speed=0)
    with pytest.raises(tf.TauforgeError, match="cannot be written"):
        tf.animate(robot, Q, T, tmp_path / "no" / "a.html")
    assert not list(tmp_path.iterdir())
