"""Closing loops as a Program: in closed form where loops are triangles and legs, by repeated steps otherwise."""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.loops.closing import active_places
from tauforge.models.loops.closure import loop_closure
from tauforge.robot.kinds import FLOATING, KINDS, PRISMATIC, REVOLUTE, UNIVERSAL
from tauforge.robot.loop import Loop
from tests.interpret import interpret
from tests.planar_loops import planar_loop
from tests.random_loops import placed, random_mechanism
from tests.random_parallel import neutral
from tests.random_robots import seeds

DATA = Path(__file__).parent / "data"
FIVEBAR = tf.load(DATA / "fivebar.xml")
GUESS = np.array([2.26, -1.38, 1.3, 1.16])


def error(robot, q):
    return np.abs(interpret(loop_closure(robot), q)[0]).max()


def active(robot, q):
    names = robot.coordinate_names
    return np.array([q[names.index(name)] for name in tf.closing(robot).inputs["q_active"].labels[0]])


@seeds(quick=4, all=300)
def test_planar_loops_have_a_closed_form(seed):
    robot, q = planar_loop(seed)
    program, own = tf.closing(robot), active(robot, q)
    rng = np.random.default_rng(seed)
    same, closed = interpret(program, own, q)
    assert closed == 1.0
    np.testing.assert_allclose(same, q, atol=1e-7)
    reached, closed = interpret(program, own + rng.uniform(-0.03, 0.03, own.shape), q)
    if closed:
        assert error(robot, reached) < 1e-10


@seeds(quick=2, all=100)
def test_the_closed_form_is_what_newton_finds(seed):
    robot, q = planar_loop(seed)
    expected = tf.close_loops(robot, guess=q + 1e-3 * np.random.default_rng(seed).uniform(-1, 1, q.shape))
    found, closed = interpret(tf.closing(robot), active(robot, expected), q)
    assert closed == 1.0
    np.testing.assert_allclose(found, expected, atol=1e-6)


def random_leg(seed):
    """Return a platform that is driven and one leg to it, which a ball joint closes, and a closed state."""
    random, rng = Random(seed), np.random.default_rng(seed)
    kinds = random.choice([(UNIVERSAL, PRISMATIC), (PRISMATIC, UNIVERSAL), (REVOLUTE, UNIVERSAL)])
    hanging = random.random() < 0.5

    def place():
        T = np.eye(4)
        T[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        T[:3, :3] *= np.sign(np.linalg.det(T[:3, :3]))
        T[:3, 3] = rng.uniform(-0.5, 0.5, 3)
        return T

    parents = [1 if hanging else 0, 2]
    joints = [tf.Joint(name="platform", antecedent=0, sigma=FLOATING, mu=1)]
    joints += [replace(placed(f"j{k}", parents[k], place()), sigma=kind) for k, kind in enumerate(kinds)]
    bodies = tuple(tf.Body(name=f"l{k}", inertia=tf.Inertia(1, 0, 0, 1, 0, 1, 0.1, 0, 0, 1)) for k in range(3))
    tree = tf.Robot(name=f"leg{seed}", joints=tuple(joints), bodies=bodies)
    q = rng.uniform(-1.0, 1.0, len(tree.coordinate_names))
    q[3:7] /= np.linalg.norm(q[3:7])
    poses = [np.eye(4), *interpret(tf.transforms(tree), q).reshape(-1, 4, 4)]
    tip, other = place(), 0 if hanging else 1
    end = np.linalg.inv(poses[other]) @ poses[3] @ tip
    end[:3, :3] = place()[:3, :3]
    sides = [placed("cut", other, end), placed("cut_frame", 3, tip)]
    if random.random() < 0.5:
        sides = [replace(sides[1], name="cut"), replace(sides[0], name="cut_frame")]
    ball = next(kind for kind in KINDS if kind.word == "spherical")
    return replace(tree, loops=(Loop(joint=sides[0].as_kind(ball), frame=sides[1]),)), q


@seeds(quick=3, all=200)
def test_legs_that_end_in_a_ball_have_a_closed_form(seed):
    robot, q = random_leg(seed)
    assert robot.independent == ("platform",)
    program = tf.closing(robot)
    same, closed = interpret(program, q[:7], q)
    assert closed == 1.0
    np.testing.assert_allclose(same, q, atol=1e-7)
    own = q[:7] + np.random.default_rng(seed).uniform(-0.02, 0.02, 7)
    reached, closed = interpret(program, own, q)
    if closed:
        assert error(robot, reached) < 1e-10


def test_the_guess_decides_between_ways_and_turns():
    program = tf.closing(FIVEBAR).compile()
    ways = [program([2.26, 1.3], GUESS * [1, sign, 1, sign]).q for sign in (1, -1)]
    assert np.abs(ways[0] - ways[1]).max() > 0.5
    far = program([2.26, 1.3], GUESS + 2 * np.pi * np.array([0, 3, 0, -2])).q
    np.testing.assert_allclose(far - ways[0], 2 * np.pi * np.array([0, 3, 0, -2]), atol=1e-12)
    assert max(error(FIVEBAR, q) for q in ways) < 1e-12


def test_out_of_reach_there_is_no_number():
    with np.errstate(all="ignore"):
        q, closed = tf.closing(FIVEBAR).compile()([[3.14, 0.0], [2.26, 1.3]], GUESS)
    np.testing.assert_array_equal(closed, [0.0, 1.0])
    np.testing.assert_array_equal(np.isnan(q), [[False, True, False, True], [False] * 4])


@pytest.mark.parametrize("name", ["fourbar", "slider_crank", "fivebar", "planar_3rrr", "delta"])
def test_the_flag_is_one_or_zero_without_a_sign(name):
    robot = tf.robots.bundled(name)
    program, q = tf.closing(robot), tf.close_loops(robot)
    own = np.tile(q[active_places(robot)], (3, 1))
    own[1:, 0] = [np.nan, np.inf]
    with np.errstate(all="ignore"):
        closed = program.compile()(own, q).closed
    np.testing.assert_array_equal(closed, [1.0, 0.0, 0.0])
    assert not np.signbit(closed).any()


def test_single_precision():
    with np.errstate(all="ignore"):
        q, closed = tf.closing(FIVEBAR).compile(dtype="float32")(
            np.float32([[2.26, 1.3], [3.14, 0.0]]), np.float32(GUESS)
        )
    np.testing.assert_array_equal(closed, [1.0, 0.0])
    assert np.isnan(q[1, [1, 3]]).all()
    assert error(FIVEBAR, q[0]) < 1e-5


def test_the_slope_is_that_of_the_loops():
    program = tf.closing(FIVEBAR)
    own, q = np.array([2.3, 1.2]), tf.close_loops(FIVEBAR, [2.3, 1.2], guess=GUESS)
    slope = program.derivative("q", "q_active").compile()(own, q)
    J = loop_closure(FIVEBAR).compile()(q)[2]
    np.testing.assert_allclose(slope[[0, 2]], np.eye(2), atol=0)
    np.testing.assert_allclose(J @ slope, 0.0, atol=1e-12)
    np.testing.assert_allclose(program.derivative("q", "guess").compile()(own, q), 0.0, atol=1e-12)


def test_lengths_can_be_symbols():
    robot = tf.load(Path(__file__).parents[2] / "formats/data/SR400.par")
    program = tf.closing(robot)
    assert program.count().sqrt == 1
    bound = robot.bind(dict.fromkeys(robot.symbols, 0.5))
    q = np.zeros(len(bound.coordinate_names))
    state = tf.close_loops(bound, guess=q)
    found, closed = interpret(tf.closing(bound), active(bound, state), state)
    assert closed == 1.0
    np.testing.assert_allclose(found, state, atol=1e-9)


def test_a_tree_has_nothing_to_close():
    program = tf.closing(tf.robots.planar2r())
    assert program.count().total == 0
    q, closed = interpret(program, [0.3, 0.4], [0.0, 0.0])
    np.testing.assert_array_equal(q, [0.3, 0.4])
    assert closed == 1.0


@pytest.mark.parametrize("count", [2, 4])
def test_loops_are_solved_one_after_another(count):
    """Each loop's output crank carries the next one."""
    joints, bodies, frames = [], [], []
    light = tf.Inertia(0.1, 0, 0, 0.1, 0, 0.1, 0.1, 0, 0, 1)
    ground = 0
    for k in range(count):
        n = len(joints)
        joints += [
            tf.Joint(name=f"crank{k}", antecedent=ground, d=0.2 * bool(k)),
            tf.Joint(name=f"rod{k}", antecedent=n + 1, d=0.4, mu=0),
            tf.Joint(name=f"rocker{k}", antecedent=ground, d=1.0 + 0.2 * bool(k), mu=0),
        ]
        bodies += [tf.Body(name=f"{part}{k}", inertia=light) for part in ("c", "b", "o")]
        frames += [
            tf.Joint(name=f"end{k}", antecedent=n + 2, sigma=2, d=1.1, mu=0),
            tf.Joint(name=f"top{k}", antecedent=n + 3, sigma=2, d=0.7, mu=0),
        ]
        ground = n + 3
    robot = tf.Robot(name="row", joints=tuple(joints), bodies=tuple(bodies), frames=tuple(frames))
    for k in range(count):
        robot = robot.with_loop(f"top{k}", f"end{k}", kind="revolute", name=f"loop{k}")
    program = tf.closing(robot)
    assert program.count().sqrt == count
    state = tf.close_loops(robot, guess=np.tile([0.5, 0.5, 1.0], count))
    found, closed = interpret(program, active(robot, state) + 0.05, state)
    assert closed == 1.0
    assert error(robot, found) < 1e-12


def repeated(program, *given):
    """Return the outputs of a repeated Program, step by step."""
    for _ in range(program.repeat.bound):
        q, closed, *more = interpret(program, *given)
        if closed:
            return [q, closed, *more]
        given = [given[0], q]
    raise AssertionError("not closed")


@seeds(quick=3, all=200)
def test_other_loops_are_closed_by_steps(seed):
    robot, q = random_mechanism(seed)
    program = tf.closing(robot)
    if not program.repeat:
        pytest.skip("it has a closed form")
    own = active(robot, q)
    guess = q + np.random.default_rng(seed).uniform(-1e-3, 1e-3, q.shape)
    found, _ = repeated(program, own, guess)
    assert error(robot, found) < 1e-11
    np.testing.assert_array_equal(active(robot, found), own)
    np.testing.assert_allclose(found, q, atol=0.1)


def slopes(robot, q):
    """Return G from the loops' equations: the velocities of all axes by those of the independent joints."""
    names, J = robot.tree().velocity_names, interpret(loop_closure(robot), q)[2]
    free = [names.index(name) for name in robot.velocity_names]
    rest = [k for k in range(len(names)) if k not in free]
    G = np.zeros((len(names), len(free)))
    G[free] = np.eye(len(free))
    G[rest] = -np.linalg.pinv(J[:, rest]) @ J[:, free]
    return G


@seeds(quick=2, all=60)
def test_the_slope_of_what_is_closed_by_steps_is_that_of_the_loops(seed):
    """By the implicit function theorem, the derivative of the last step is that of the solution."""
    robot, q = random_mechanism(seed)
    program = tf.closing(robot)
    J = interpret(loop_closure(robot), q)[2]
    if not program.repeat or np.linalg.cond(J) > 50:
        pytest.skip("it has a closed form, or is nearly singular")
    slope = repeated(program.derivative("q", "q_active"), active(robot, q), q)[2]
    np.testing.assert_allclose(slope, slopes(robot, q), rtol=1e-6, atol=1e-6)


def test_a_platform_is_closed_from_its_legs():
    robot = tf.robots.gough_stewart()
    program, q = tf.closing(robot), neutral(robot)
    own = active(robot, q) + np.random.default_rng(0).uniform(-0.05, 0.05, (100, 6))
    found, closed = program.compile()(own, q)
    assert closed.all()
    assert np.abs(loop_closure(robot).compile()(found)[0]).max() < 1e-13
    back, closed = tf.closing(robot.with_independent("platform")).compile()(found[:, -7:], q)
    assert closed.all()
    np.testing.assert_allclose(back, found, atol=1e-10)
    np.testing.assert_allclose(tf.close_loops(robot, own, guess=q), found, atol=1e-12)


def test_what_is_made_of_repeated_programs_is_repeated_too():
    robot, _ = random_mechanism(0)
    program = tf.closing(robot)
    assert program.repeat
    assert program.optimise("quick").repeat == program.derivative("q", "q_active").repeat == program.repeat
    assert program._repr_latex_() is None


def test_half_a_turn_apart_is_not_closed():
    robot, q = random_mechanism(next(s for s in range(50) if _holds_turns(random_mechanism(s)[0])))
    program = tf.closing(robot)
    turned = replace(robot.loops[0].frame, theta=robot.loops[0].frame.theta + np.pi)
    flipped = tf.closing(replace(robot, loops=(replace(robot.loops[0], frame=turned),)))
    assert interpret(program, active(robot, q), q)[1] == 1.0
    assert interpret(flipped, active(robot, q), q)[1] == 0.0


def _holds_turns(robot):
    return robot.loops[0].joint.kind.word in ("fixed", "prismatic")
