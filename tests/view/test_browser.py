"""Animations and live views in a real browser: what is drawn moves, and the links are where tf.transforms has them."""

import numpy as np
import pytest

import tauforge as tf
from tests.view.browser import browser, shown, wait

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def poses(robot, q):
    """Return the matrices of the links, by the public model."""
    names = [body.name for body in robot.expanded().bodies]
    return tf.transforms(robot, frames=names).compile()(q)


def test_an_animation_moves_and_its_links_are_where_the_model_has_them(tmp_path):
    t = np.linspace(0.0, 2.0, 21)
    q = np.outer(t, [0.4, -0.8])
    robot = tf.robots.planar2r()
    hostile = tf.Robot(name=HOSTILE, joints=robot.joints, bodies=robot.bodies, gravity=robot.gravity)
    path = tmp_path / "run.html"
    tf.animate(hostile, q, t, path, events=[(HOSTILE, 1.0)])
    with browser() as page:
        page.on("dialog", lambda dialog: page.errors.append("a dialog was opened"))
        page.goto(path.as_uri())
        pictures = []
        for k in (0, 15):
            shown(page)
            page.evaluate(f"tauforge.seek({t[k]})")
            found = np.array(shown(page))
            np.testing.assert_allclose(found[0], np.eye(4), atol=1e-7)
            np.testing.assert_allclose(found[1:], poses(robot, q[k]), atol=2e-6)
            pictures.append(page.screenshot())
        assert pictures[0] != pictures[1]
        page.evaluate("tauforge.seek(0.25)")  # between two states
        np.testing.assert_allclose(np.array(shown(page))[1:], poses(robot, q[2:4].mean(axis=0)), atol=1e-3)
        assert page.title() == page.inner_text("h1") == HOSTILE
        page.evaluate("tauforge.seek(0)")
        page.click("#play")
        wait(page, "tauforge.time > 0")
        assert page.errors == []
        assert page.asked == [path.as_uri()]


def test_a_live_view_closes_loops_when_a_slider_moves_and_shows_what_python_asks_for():
    robot = tf.robots.fourbar()
    with robot.view(browser=False) as view, browser(offline=False) as page:
        page.goto(view.url)
        first = np.array(shown(page))
        np.testing.assert_allclose(first[1:], poses(robot, view.q), atol=2e-6)
        before = page.screenshot()
        page.locator("#sliders input").first.evaluate(
            "(range) => { range.value = 1.2; range.dispatchEvent(new Event('input')); }"
        )
        wait(page, "tauforge.version > 1")
        assert view.q[0] == pytest.approx(1.2, abs=0.01)
        assert np.abs(tf.loop_closure(robot).compile()(view.q)[0]).max() < 1e-9
        np.testing.assert_allclose(np.array(shown(page))[1:], poses(robot, view.q), atol=2e-6)
        assert page.screenshot() != before
        view.show([0.9])
        wait(page, "tauforge.version > 2")
        np.testing.assert_allclose(np.array(shown(page))[1:], poses(robot, view.q), atol=2e-6)
        assert page.inner_text("#sliders output") == "0.900"
        for name in ("frames", "named"):
            page.check(f"#{name}")
        shown(page)
        assert page.inner_text("#names span:last-child") == robot.bodies[-1].name
        assert page.errors == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "scara", "sr400", "gough_stewart", "delta", "floating"])
def test_robots_of_all_kinds(name, tmp_path):
    robot = tf.robots.ur5().with_base("floating") if name == "floating" else tf.robots.bundled(name)
    path = tmp_path / "robot.html"
    scene = tf.animate(robot, None, None, path).scene
    with browser() as page:
        page.goto(path.as_uri())
        np.testing.assert_allclose(np.array(shown(page)), scene.T[0], atol=2e-6)
        assert page.errors == []
