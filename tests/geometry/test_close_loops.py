"""Closing loops: residuals, ways to assemble, batches, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import root

import tauforge as tf
from tauforge.models.loops.closure import loop_closure
from tests.random_loops import random_mechanism
from tests.random_robots import seeds

FIVEBAR = tf.load(Path(__file__).parents[1] / "models/loops/data/fivebar.xml")
GUESS = [2.26, -1.38, 1.3, 1.16]


def error(robot, q):
    return np.abs(loop_closure(robot).compile()(q)[0]).max()


def test_independent_joints_are_kept_and_loops_closed():
    q = tf.close_loops(FIVEBAR, [2.3, 1.2], guess=GUESS)
    np.testing.assert_array_equal(q[[0, 2]], [2.3, 1.2])
    assert error(FIVEBAR, q) < 1e-11


def test_the_guess_decides_how_it_is_assembled():
    ways = [tf.close_loops(FIVEBAR, [2.26, 1.3], guess=[2.26, sign * -1.38, 1.3, sign * 1.16]) for sign in (1, -1)]
    assert np.abs(ways[0] - ways[1]).max() > 0.5


def test_many_states_at_once():
    active = np.random.default_rng(0).uniform([2.06, 1.1], [2.46, 1.5], (5, 40, 2))
    q = tf.close_loops(FIVEBAR, active, guess=GUESS)
    assert q.shape == (5, 40, 4)
    assert error(FIVEBAR, q) < 1e-11
    np.testing.assert_allclose(q[3, 7], tf.close_loops(FIVEBAR, active[3, 7], guess=GUESS), atol=1e-9)


def test_the_nearest_closed_state():
    q = tf.close_loops(FIVEBAR, guess=GUESS)
    assert error(FIVEBAR, q) < 1e-11
    assert np.abs(q - GUESS).max() < 0.05


@seeds(quick=5, all=100)
@pytest.mark.parametrize("planar", [False, True])
def test_random_loops(seed, planar):
    robot, q = random_mechanism(seed, planar)
    rng = np.random.default_rng(seed)
    near = tf.close_loops(robot, guess=q + rng.uniform(-0.02, 0.02, q.shape))
    assert error(robot, near) < 1e-9


def test_refusals():
    with pytest.raises(tf.ProgramError, match=r"loop 'c0' stays open by .*another guess"):
        tf.close_loops(tf.load(Path(__file__).parents[1] / "models/loops/data/fivebar.xml"), [3.14, 0.0])
    with pytest.raises(tf.ProgramError, match="needs 2, those of the independent joints of fivebar: arm1, arm2"):
        tf.close_loops(FIVEBAR, [1.0])
    with pytest.raises(tf.ProgramError, match="fivebar has 4: arm1, fore1"):
        tf.close_loops(FIVEBAR, [1.0, 1.0], guess=[0.0])
    with pytest.raises(tf.ProgramError, match="no loops"):
        tf.close_loops(tf.robots.puma560(), [0.0] * 6)
    with pytest.raises(tf.RobotError, match="no link, frame or joint 'nowhere'"):
        tf.robots.puma560().with_loop("link6", "nowhere")


@pytest.mark.parametrize("kind", ["fixed", "prismatic"])
def test_frames_half_a_turn_apart_are_not_closed(kind):
    joints = (
        tf.Joint(name="a", antecedent=0),
        *(tf.Joint(name=x, antecedent=k, d=1.0, mu=0) for k, x in ((1, "b"), (2, "c"))),
    )
    bodies = tuple(tf.Body(name=f"link{k}", inertia=tf.Inertia(1, 0, 0, 1, 0, 1, 0.1, 0, 0, 1)) for k in range(3))
    ground = tf.Joint(name="ground", antecedent=0, sigma=2, d=2.0, theta=np.pi)
    robot = tf.Robot(name="bars", joints=joints, bodies=bodies, frames=(ground,)).with_loop(
        "ground", "link2", kind=kind
    )
    q = tf.close_loops(robot, guess=[0.0, 0.0, 0.0])
    assert error(robot, q) < 1e-9
    np.testing.assert_allclose(np.cos(q.sum()), -1.0, atol=1e-9)
    q = tf.close_loops(robot, guess=[[0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [0.2, -0.1, 0.1]])
    np.testing.assert_allclose(np.cos(q.sum(axis=1)), -1.0, atol=1e-9)


@pytest.mark.parametrize("wrong", [[np.nan, 0.0], [np.inf, 0.0], ["x", "y"]])
def test_what_is_not_a_number_is_refused(wrong):
    with pytest.raises(
        tf.ProgramError, match=r"^q_active (has entries that are not finite|must be an array of numbers)$"
    ):
        tf.close_loops(FIVEBAR, wrong)
    with pytest.raises(tf.ProgramError, match=r"^the guess "):
        tf.close_loops(FIVEBAR, guess=[*wrong, 0.0, 0.0])


def with_a_ball():
    joints = (
        tf.Joint(name="crank", antecedent=0, alpha=0.3),
        tf.Joint(name="ball", antecedent=1, sigma=3, mu=0, d=0.4),
        tf.Joint(name="rocker", antecedent=0, mu=0, alpha=-0.2, d=1.0),
    )
    bodies = tuple(tf.Body(name=f"link{k}", inertia=tf.Inertia(1, 0, 0, 1, 0, 1, 0.1, 0, 0, 1)) for k in range(3))
    frames = (tf.Joint(name="rod", antecedent=2, sigma=2, d=0.8), tf.Joint(name="end", antecedent=3, sigma=2, d=0.5))
    return tf.Robot(name="rssr", joints=joints, bodies=bodies, frames=frames).with_loop("rod", "end", kind="spherical")


def test_quaternions_of_guesses():
    robot = with_a_ball()
    with pytest.raises(tf.ProgramError, match="quaternion of joint 'ball' is zero, which is not a rotation"):
        tf.close_loops(robot, guess=np.zeros(6))
    closed = tf.close_loops(robot)
    longer = closed.copy()
    longer[1:5] *= 3.0
    q = tf.close_loops(robot, guess=[longer, closed])
    np.testing.assert_allclose(np.linalg.norm(q[:, 1:5], axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(q[0], q[1], atol=1e-9)
    with pytest.raises(tf.ProgramError, match="quaternion of joint 'base' is zero"):
        tf.close_loops(robot.with_base("floating"), guess=np.zeros(13))


@seeds(quick=5, all=50)
def test_quaternions_stay_of_length_one(seed):
    robot = with_a_ball().with_base("floating")
    rng = np.random.default_rng(seed)
    q = tf.close_loops(robot, guess=rng.normal(size=(4, 13)))
    assert error(robot, q) < 1e-9
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(q[:, 8:12], axis=1), 1.0, atol=1e-12)


def test_far_from_home():
    """Independent joints that Newton steps do not reach at once are reached continuously."""
    robot, _ = random_mechanism(11)
    active = [[-1.546, -1.333], [1.614, 0.439]]
    q = tf.close_loops(robot, active)
    assert error(robot, q) < 1e-9
    np.testing.assert_array_equal(q[:, :2], active)
    np.testing.assert_allclose(tf.close_loops(robot, active, guess=tf.close_loops(robot)), q, atol=1e-9)
    for goal, reached in zip(active, q, strict=True):
        np.testing.assert_allclose(fine(robot, tf.close_loops(robot), goal), reached, atol=1e-7)


def fine(robot, q, goal, steps=2000):
    """Return the state that tiny steps along a straight way lead to, each closed by SciPy."""
    closure, names = loop_closure(robot).compile(), robot.coordinate_names
    own = [names.index(name) for name in robot.independent]
    rest = [k for k in range(len(names)) if k not in own]
    first = q[own]

    def left(x):
        state[rest] = x
        e, _, J = closure(state)
        return e, J[:, rest]

    for part in np.linspace(0.0, 1.0, steps + 1)[1:]:
        state = q.copy()
        state[own] = first + part * (np.array(goal) - first)
        found = root(left, q[rest], jac=True, method="lm", tol=1e-13)
        assert np.abs(left(found.x)[0]).max() < 1e-9
        assert np.abs(found.x - q[rest]).max() < 0.1
        q = state
    return q


def test_a_branch_that_ends_is_not_left():
    """The search finds a state nearly at the end of its branch: no other branch is taken instead."""
    robot, _ = random_mechanism(9)
    with pytest.raises(tf.ProgramError, match=r"in its branch; on the straight way from home, its branch ends at 0\.5"):
        tf.close_loops(robot, [0.75, 0.196])
    modes = tf.close_loops(robot, [0.75, 0.196], modes=True)
    assert not modes.complete
    assert len(modes) > 1
    assert error(robot, modes.q) < 1e-9
    np.testing.assert_array_equal(modes.q[:, :2], np.tile([0.75, 0.196], (len(modes), 1)))


def test_a_turned_base_is_kept():
    floating = FIVEBAR.with_base("floating")
    turned = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]  # the same rotation as the neutral one
    q = tf.close_loops(floating, [[*turned, 0.5, 2.6], [*turned, 2.26, 1.3]])
    assert error(floating, q) < 1e-9
    np.testing.assert_array_equal(q[:, :7], [turned, turned])


@pytest.mark.parametrize("name", ["gough_stewart", "delta", "planar_3rrr", "orthoglide"])
def test_symbols_of_masses_do_not_matter(name):
    """Loops are closed, and states judged, by lengths and angles alone."""
    robot, numbers = tf.robots.bundled(name, symbolic=True), tf.robots.bundled(name)
    active = np.random.default_rng(0).uniform(-0.02, 0.02, len(robot.independent))
    q = tf.close_loops(robot, active)
    np.testing.assert_allclose(q, tf.close_loops(numbers, active), atol=1e-12)
    found, wanted = (tf.singularity(x, q, frame="platform") for x in (robot, numbers))
    assert found.kind == wanted.kind == "regular"
    np.testing.assert_allclose(found.condition, wanted.condition)


def test_a_par_file_without_masses_is_closed():
    robot = tf.load(Path(__file__).parents[1] / "formats/data/SR400.par")
    assert robot.symbols
    q = tf.close_loops(robot, [0.0, -1.2, 0.0, 0.4, 0.0, -2.9])
    assert error(robot, q) < 1e-11
    np.testing.assert_allclose(q[[0, 1, 3, 4, 5, 6]], [0.0, -1.2, 0.0, 0.4, 0.0, -2.9])


def test_symbols_of_lengths_are_named():
    robot = tf.robots.fourbar(symbolic=True)
    names = tf.loop_closure(robot).inputs["parameters"].labels[0]
    assert names
    assert not {"M1", "ZZ1"} & set(names)
    for wrong in (tf.close_loops, lambda robot: tf.singularity(robot, np.zeros(3))):
        with pytest.raises(
            tf.ProgramError, match=f"fourbar has symbols in its geometry, {', '.join(names)}; give them"
        ):
            wrong(robot)


def test_no_states_at_all():
    assert tf.close_loops(FIVEBAR, np.zeros((0, 2))).shape == (0, 4)
    assert tf.close_loops(FIVEBAR, np.zeros((2, 0, 2))).shape == (2, 0, 4)
    assert tf.close_loops(FIVEBAR, guess=np.zeros((0, 4))).shape == (0, 4)
    assert tf.close_loops(FIVEBAR, [0.0, 0.0], guess=np.zeros((0, 4))).shape == (0, 4)


def test_shapes_that_do_not_go_together():
    with pytest.raises(tf.ProgramError, match=r"q_active has the shape \(3, 2\) and the guess \(4, 4\)"):
        tf.close_loops(FIVEBAR, np.zeros((3, 2)), guess=np.zeros((4, 4)))
    with pytest.raises(tf.ProgramError, match=r"q_active has the shape \(\); it needs 2"):
        tf.close_loops(FIVEBAR, 1.0)
    with pytest.raises(tf.ProgramError, match=r"it needs 7, .*: platform\.px, platform\.py"):
        tf.close_loops(tf.robots.gough_stewart().with_independent("platform"), [0.0, 0.0, 0.1])
    with pytest.raises(tf.ProgramError, match="q is 'abc'; it must be an array of numbers"):
        tf.singularity(FIVEBAR, "abc")
