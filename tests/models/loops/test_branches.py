"""The branch of a closed form: signs that belong to the state, whatever the joints before it do."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.loops.closing import active_places, assembly
from tests.interpret import interpret
from tests.models.loops.test_closing import random_leg
from tests.planar_loops import planar_loop
from tests.random_robots import seeds

SOLID = tf.Inertia(1, 0, 0, 1, 0, 1, 0.1, 0.05, 0, 1)


def parallelogram(long=1.0, short=0.25):
    """Return a parallelogram that is a rectangle at zero: two cranks and a coupler."""
    joints = (
        tf.Joint(name="crank", antecedent=0, theta=np.pi / 2),
        tf.Joint(name="coupler", antecedent=1, mu=0, d=long, theta=-np.pi / 2),
        tf.Joint(name="rocker", antecedent=0, mu=0, d=short, theta=np.pi / 2),
    )
    frames = (
        tf.Joint(name="coupler_end", antecedent=2, sigma=2, mu=0, d=short),
        tf.Joint(name="rocker_end", antecedent=3, sigma=2, mu=0, d=long),
    )
    bodies = tuple(tf.Body(name=f"{joint.name}_link", inertia=SOLID) for joint in joints)
    tree = tf.Robot(name="parallelogram", joints=joints, bodies=bodies, frames=frames)
    return tree.with_loop("coupler_end", "rocker_end", kind="revolute", name="pin")


@pytest.mark.parametrize("angle", [-1.5, -0.5, -0.4, 0.3, 1.0, 1.5])
def test_a_parallelogram_stays_one_from_a_stale_guess(angle):
    q, closed = interpret(tf.closing(parallelogram()), [angle], [0.0, 0.0, 0.0])
    assert closed == 1.0
    np.testing.assert_allclose(q, [angle, -angle, angle], atol=1e-12)


def closed_form(seed):
    """Return a random planar loop or leg, and a state in which it is closed."""
    return planar_loop(seed) if seed % 2 else random_leg(seed)


@seeds(quick=10, all=1000)
def test_signs_do_not_change_in_random_walks(seed):
    """Along 1,000 steps, each from the last state, no joint jumps; and from the first state alone, far away, the closed
    form gives the same, but for full turns.
    """
    robot, start = closed_form(seed)
    places, rng = active_places(robot.expanded()), np.random.default_rng(seed)
    found, function = assembly(robot), tf.closing(robot).compile()
    if found is None:
        pytest.skip("it has no closed form")
    step = rng.normal(scale=2e-3, size=(1000, len(places)))
    way = start[places] + np.cumsum(step, axis=0)
    if len(places) == 7:
        way[:, 3:] /= np.linalg.norm(way[:, 3:], axis=1, keepdims=True)
    last, walked = start, []
    with np.errstate(all="ignore"):
        for active in way:
            last, closed = function(active, last)
            if closed != 1.0:
                break
            walked.append(last)
        walked = np.array(walked).reshape(-1, len(start))
        near = margins(found, way[: len(walked)], walked) < 0.02
        walked = walked[: np.argmax(near) if near.any() else len(walked)]
        if not len(walked):
            pytest.skip("the loop opens, or nearly branches, at once")
        far = function(way[: len(walked)], np.tile(start, (len(walked), 1))).q
    assert np.abs(np.diff(walked, axis=0)).max(initial=0.0) < 0.5
    turned = np.remainder(far - walked + np.pi, 2 * np.pi) - np.pi
    assert np.abs(turned).max() < 1e-7
    slides = [k for k, name in enumerate(robot.coordinate_names) if kinds(robot)[name.partition(".")[0]] == "prismatic"]
    np.testing.assert_allclose(far[:, slides], walked[:, slides], atol=1e-7)


def kinds(robot):
    return {joint.name: joint.kind.word for joint in robot.joints}


def margins(found, active, q):
    """Return the smallest margin of each closed state."""
    function, names = found.program.compile(), list(found.program.outputs)
    signs = [np.ones((len(q), found.signs))] * bool(found.signs)
    sides = function(active, q, *signs)[names.index("sides")]
    signs = [np.where(sides < 0.0, -1.0, 1.0)] * bool(found.signs)
    made = function(active, q, *signs)
    np.testing.assert_allclose(made[0], q, atol=1e-7)
    return made[names.index("margins")].min(axis=1, initial=1.0)
