"""Bundled robots with closed loops: their geometry in closed form, and in files."""

from pathlib import Path

import numpy as np
import pytest

import tauforge as tf

SR400 = Path(__file__).parents[1] / "formats/data/SR400.par"
NAMES = [name for name in tf.robots.names() if tf.robots.bundled(name).loops]


def test_the_parallelogram_of_the_sr400():
    robot = tf.robots.sr400()
    guess = np.random.default_rng(0).uniform(-0.4, 0.4, (50, 8))
    guess[:, 6] += np.pi / 2  # its bars are in line where joints 2 and 7 are equal
    turned = guess[:, 1] - guess[:, 6]
    guess[:, 2] += np.pi / 2 - turned
    guess[:, 7] += turned
    q = tf.close_loops(robot, guess[:, [0, 1, 3, 4, 5, 6]], guess=guess)
    turned = q[:, 1] - q[:, 6]
    np.testing.assert_allclose(q[:, 2], np.pi / 2 - turned, atol=1e-9)
    np.testing.assert_allclose(q[:, 7], turned, atol=1e-9)


def test_the_sr400_has_the_frames_of_its_file():
    robot, file = tf.robots.sr400(), tf.load(SR400)
    pairs = zip(robot.joints, file.joints, strict=True)
    cuts = zip(robot.loops, file.loops, strict=True)
    pairs = [*pairs, *(pair for a, b in cuts for pair in ((a.joint, b.joint), (a.frame, b.frame)))]
    assert len(pairs) == 10
    for own, other in pairs:
        assert (own.antecedent, own.sigma, own.mu) == (other.antecedent, other.sigma, other.mu)
        for key, unit in (("gamma", 1.0), ("alpha", 1.0), ("b", 0.1), ("d", 0.1), ("r", 0.1)):
            assert getattr(own, key) == pytest.approx(unit * getattr(other, key), abs=1e-9)


def test_the_slider_crank_in_closed_form():
    robot, angle = tf.robots.slider_crank(), np.linspace(-3.0, 3.0, 40)
    q = tf.close_loops(robot, angle[:, None], guess=np.stack([angle, -angle, 0.0 * angle + 0.3], axis=1))
    np.testing.assert_allclose(q[:, 2], 0.1 * np.cos(angle) + np.sqrt(0.09 - 0.01 * np.sin(angle) ** 2), atol=1e-11)


def test_the_crank_of_the_fourbar_turns_fully():
    robot = tf.robots.fourbar()
    q = tf.close_loops(robot, [0.0])
    for angle in np.linspace(0.0, 2 * np.pi, 60):
        q = tf.close_loops(robot, [angle], guess=q)
    np.testing.assert_allclose(q[1:], tf.close_loops(robot, [0.0])[1:] - [2 * np.pi, 0.0], atol=1e-9)


def test_where_the_forearms_of_the_fivebar_meet():
    robot = tf.robots.fivebar()
    q = tf.close_loops(robot, [2.0, 1.0], guess=[2.0, -1.0, 1.0, 1.0])
    T = tf.transforms(robot, frames=["tool", "forearm2_end"]).compile()(q)
    np.testing.assert_allclose(T[0, :3, 3], T[1, :3, 3], atol=1e-11)
    elbows = np.array([[0.3 * np.cos(2.0), 0.3 * np.sin(2.0), 0.0], [0.3 + 0.3 * np.cos(1.0), 0.3 * np.sin(1.0), 0.0]])
    np.testing.assert_allclose(np.linalg.norm(T[0, :3, 3] - elbows, axis=1), 0.4, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_for_the_symbols_give_the_robot_again(name):
    robot, symbolic = tf.robots.bundled(name), tf.robots.bundled(name, symbolic=True)
    cuts = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    values = {
        f"{letters}{j}": getattr(joint, key)
        for j, joint in enumerate([*robot.joints, *cuts], 1)
        for key, letters in (("b", "B"), ("d", "D"), ("r", "RL"))
    }
    values |= {
        f"{key}{j}": x
        for j, body in enumerate(robot.bodies, 1)
        for key, x in zip(tf.Inertia._fields, body.inertia, strict=True)
    }
    assert symbolic.bind({key: values[key] for key in symbolic.symbols}) == robot.neglect("IA", "FV", "FS")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_keeps_the_loops(name, tmp_path):
    robot = tf.robots.bundled(name)
    robot.save(tmp_path / "again.toml")
    assert tf.load(tmp_path / "again.toml") == robot


def test_the_example_builds_the_bundled_sr400():
    scope = {}
    example = Path(__file__).parents[2] / "examples/closed_loops_from_nothing.py"
    exec(example.read_text(), scope)
    robot, bundled = scope["robot"], tf.robots.sr400()
    q, state = scope["q"], np.random.default_rng(0).normal(size=(2, 6))
    found = (tf.inverse_dynamics(x).compile()(q, *state) for x in (robot, bundled))
    np.testing.assert_allclose(*found, rtol=1e-12)
