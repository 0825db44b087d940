"""Exciting trajectories: exact gradients, limits kept, better than random ones; bad input refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import tauforge as tf
from tauforge.identification.excitation.capsule import nearest
from tauforge.identification.excitation.clearance import clearances
from tauforge.identification.excitation.information import (
    Information,
    by_condition,
    by_determinant,
    columns_to_excite,
    condition,
)
from tauforge.identification.excitation.limits import limits_of
from tauforge.identification.excitation.problem import Grid, Problem
from tauforge.identification.excitation.search import random_motion
from tauforge.identification.excitation.series import Series
from tests.random_robots import random_robot

SCARA = {"position": (-2.0, 2.0), "velocity": 2.0, "acceleration": 10.0, "torque": 200.0}


def problem_of(robot, *, friction=("FV", "FS", "FO"), apart=(), start=None, torque=50.0, scale=None):
    limits = limits_of(robot, {"position": (-1.5, 2.0), "velocity": 2.0, "acceleration": 8.0, "torque": torque})
    information = Information(columns_to_excite(robot, friction, True), np.linspace(1.0, 2.0, robot.dof), 0.1)
    factors = np.ones(information.count) if scale is None else 1.0 / information.sizes(limits)
    made = Problem(robot, information, limits, clearances(robot, apart), factors, 0.1)
    return made, Series(6.0, 4, limits.speeds(1.0), start)


def slope(function, x, direction, h=1e-5):
    return (function(x + h * direction) - function(x - h * direction)) / (2.0 * h)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_of_the_information_are_exact(seed):
    robot = random_robot(seed, smallest=3, largest=5, fixed=False, rotors=True)
    problem, series = problem_of(robot, scale="limits", start=np.full(robot.dof, 0.3) if seed else None)
    rng = np.random.default_rng(seed)
    grid, x = Grid(series, 60), rng.normal(size=series.size)
    for measure in (by_determinant, by_condition(1.0, 0.1), by_condition(8.0, 1.0)):
        direction = rng.normal(size=series.size)
        _, slopes, _ = problem.objective(measure, grid, x)
        found = slope(lambda y, m=measure: problem.objective(m, grid, y)[0], x, direction)
        assert slopes @ direction == pytest.approx(found, rel=2e-6, abs=1e-7)


def test_gradients_of_all_limits_are_exact():
    robot = tf.robots.puma560()
    hand = tf.Capsule(robot.bodies[-1].name, 0.05, (0.0, 0.0, 0.1), (0.1, 0.0, 0.3))
    arm = tf.Capsule(robot.bodies[1].name, 0.1, (0.0, 0.0, 0.0), (0.4, 0.0, 0.0))
    ground = replace(tf.transforms(robot, frames=robot.bodies[-1].name), name="ground")
    apart = [(hand, arm), (hand, tf.Capsule("base", 0.2)), ground, lambda q: np.cos(q[:, 0] - q[:, 1])]
    problem, series = problem_of(robot, apart=apart)
    rng = np.random.default_rng(0)
    grid, x = Grid(series, 40), rng.normal(size=series.size)
    excesses = problem.excesses(grid.states(x))
    assert len(excesses) == 7  # position, velocity, acceleration, torque, Program, function, capsules
    for k, excess in enumerate(excesses):
        weights, direction = rng.normal(size=excess.values.shape), rng.normal(size=series.size)
        found = slope(lambda y, k=k, w=weights: problem.excesses(grid.states(y))[k].values @ w, x, direction, 1e-6)
        assert grid.slopes(excess.slopes(weights)) @ direction == pytest.approx(found, rel=1e-5)


def test_the_information_matrix_is_that_of_the_regressor():
    robot = tf.robots.puma560()
    problem, series = problem_of(robot, friction=())
    x = np.random.default_rng(3).normal(size=series.size)
    t = series.grid(50)
    motion = series.motion(x)
    Y = tf.regressor(robot, parameters="base", actuators=("IA",)).compile()(*motion(t))
    W = (Y / np.linspace(1.0, 2.0, 6)[:, None]).reshape(-1, Y.shape[-1])
    assert np.allclose(problem.matrix(Grid(series, 50), x), W.T @ W / 50, rtol=1e-9, atol=1e-9)
    assert condition(W.T @ W / 50) == pytest.approx(np.linalg.cond(W), rel=1e-6)


def test_nearest_points_of_segments():
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 30, 2, 3))
    one[0, 1] = one[0, 0]  # points
    two[:2, 1] = two[:2, 0]
    two[2] = one[2] + [0.0, 0.0, 1.0]  # parallel
    s, u = nearest(one, two)

    def gap(k, s, u):
        return np.linalg.norm(one[k, 0] + s * (one[k, 1] - one[k, 0]) - two[k, 0] - u * (two[k, 1] - two[k, 0]))

    for k in range(30):
        best = min(
            minimize(lambda z, k=k: gap(k, *z) ** 2, z, bounds=[(0, 1)] * 2).fun for z in ([0.1, 0.9], [0.9, 0.2])
        )
        assert gap(k, s[k], u[k]) ** 2 == pytest.approx(best, abs=1e-7)


@pytest.fixture(scope="module")
def excited():
    return tf.exciting_trajectory(tf.robots.scara(), 5.0, SCARA, harmonics=3, friction=("FV",), rotors=True, starts=2)


def test_it_rests_at_both_ends(excited):
    q, qd, qdd = excited.motion([0.0, 5.0])
    assert np.allclose(q[0], q[1])
    assert np.abs(qd).max() < 1e-12
    assert np.abs(qdd).max() < 1e-11


def test_it_keeps_and_uses_its_limits(excited):
    t = np.linspace(0.0, 5.0, 20_001)
    q, qd, qdd = excited.motion(t)
    assert np.abs(q).max() <= 2.0
    assert np.abs(qd).max() <= 2.0
    assert np.abs(qdd).max() <= 10.0
    torques = tf.required_torques(tf.robots.scara(), excited.motion)
    assert torques.peak.max() <= 200.0
    most = np.max(list(excited.used.values()), axis=0)
    assert (most > 0.9).all()
    assert (most <= 1.0).all()


@pytest.mark.parametrize("criterion", ["condition", "determinant"])
def test_it_beats_random_motions(criterion, excited):
    robot = tf.robots.scara()
    found = excited
    if criterion == "determinant":
        found = tf.exciting_trajectory(
            robot, 5.0, SCARA, harmonics=3, friction=("FV",), rotors=True, starts=2, criterion=criterion
        )
    limits = limits_of(robot, SCARA)
    information = Information(columns_to_excite(robot, ("FV",), True), np.ones(4), 0.1)
    problem = Problem(robot, information, limits, [], np.ones(information.count), 0.1)
    series = Series(5.0, 3, limits.speeds(1.0))
    grid, rng = Grid(series, 60), np.random.default_rng(1)
    matrices = [problem.matrix(grid, random_motion(series, limits, grid, rng)) for _ in range(200)]
    if criterion == "condition":
        assert found.condition < 0.9 * min(map(condition, matrices))
    else:
        assert found.determinant > max(np.linalg.slogdet(x)[1] / len(x) for x in matrices)


def test_it_is_reproducible(excited):
    again = tf.exciting_trajectory(
        tf.robots.scara(), 5.0, SCARA, harmonics=3, friction=("FV",), rotors=True, starts=2, jobs=1
    )
    assert np.array_equal(again.q(1.0), excited.q(1.0))
    assert again.condition == excited.condition
    assert list(again.conditions) == sorted(again.conditions)


def test_links_stay_apart():
    robot = tf.robots.planar2r()
    first, second = (body.name for body in robot.bodies)
    limits = {"position": (-3.0, 3.0), "velocity": 3.0, "acceleration": 20.0, "torque": np.inf}
    near = tf.exciting_trajectory(robot, 4.0, limits, harmonics=3, starts=1)
    t = np.linspace(0.0, 4.0, 4001)
    tip, shoulder = tf.Capsule(second, 0.0, (1.0, 0.0, 0.0)), tf.Capsule(first, 0.0)
    apart = clearances(robot, [(tip, shoulder)])[0].values(near.q(t))[:, 0]
    touching, start = float(np.quantile(apart, 0.3)), near.q(t[apart.argmax()])
    pairs = [(replace(tip, radius=0.1), replace(shoulder, radius=touching - 0.1))]
    kept = tf.exciting_trajectory(robot, 4.0, limits, harmonics=3, starts=1, apart=pairs, start=start)
    assert clearances(robot, pairs)[0].values(kept.q(t)).min() >= 0.0
    assert np.allclose(kept.q(0.0), start)


def test_parameters_that_no_motion_tells_apart_are_left_out():
    robot = random_robot(0, smallest=3, largest=5, fixed=False, rotors=True)  # gravity on a slide, and its FO
    problem, series = problem_of(robot)
    matrix = problem.matrix(Grid(series, 60), np.random.default_rng(0).normal(size=series.size))
    assert len(matrix) == problem.information.count - 1
    assert condition(matrix) < 1e4


def test_files_and_figures(excited, tmp_path):
    path = excited.save(tmp_path / "excite.csv", dt=0.01)
    lines = path.read_text().splitlines()
    assert lines[0].split(",")[:2] == ["t", f"q {excited.robot.velocity_names[0]}"]
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert np.allclose(table[:, 1:5], excited.q(table[:, 0]))
    assert excited.plot(tmp_path / "excite.svg")
    assert (tmp_path / "excite.svg").stat().st_size > 1000
    with pytest.raises(tf.TauforgeError, match="csv"):
        excited.save(tmp_path / "excite.xlsx")


WRONG = {
    "nothing limits": lambda r: tf.exciting_trajectory(r, 5.0),
    "unknown speed": lambda r: tf.exciting_trajectory(r, 5.0, {"speed": 1.0}),
    "duration": lambda r: tf.exciting_trajectory(r, -5.0, SCARA),
    "position": lambda r: tf.exciting_trajectory(r, 5.0, SCARA | {"position": (1.0, -1.0)}),
    "not an array": lambda r: tf.exciting_trajectory(r, 5.0, SCARA | {"velocity": "fast"}),
    "harmonics is 2": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, harmonics=2),
    "starts is 0": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, starts=0),
    "criterion is": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, criterion="trace"),
    "'FB' cannot": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, friction=("FB",)),
    "not inside its range": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, start=[0.0, 0.0, 3.0, 0.0]),
    "has 4 joints": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, start=[0.0]),
    "scale is": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, scale="columns"),
    "no frame 'hand'": lambda r: tf.exciting_trajectory(
        r, 5.0, SCARA, apart=[(tf.Capsule("hand", 0.1), tf.Capsule("base", 0.1))]
    ),
    "nor a pair": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, apart=[("link1", "link2")]),
    "cannot be negative": lambda r: tf.Capsule("base", -0.1),
    "floating base": lambda r: tf.exciting_trajectory(r.with_base("floating"), 5.0, SCARA),
    "closed loops": lambda r: tf.exciting_trajectory(tf.robots.fourbar(), 5.0, SCARA),
    "no motion was found": lambda r: tf.exciting_trajectory(r, 5.0, SCARA | {"torque": 1e-6}, harmonics=3, starts=1),
    "the function maps": lambda r: tf.exciting_trajectory(r, 5.0, SCARA, starts=1, apart=lambda q: np.zeros(3)),
}


@pytest.mark.parametrize("told", WRONG)
def test_bad_input_is_refused(told):
    with pytest.raises(tf.TauforgeError, match=told):
        WRONG[told](tf.robots.scara())


def test_symbolic_inertias_are_enough_without_torques():
    robot = tf.robots.scara(symbolic=True)
    robot = robot.bind({name: 0.4 for name in robot.symbols if name[0] in "DRB"})
    with pytest.raises(tf.TauforgeError, match="limits of torques need values"):
        tf.exciting_trajectory(robot, 5.0, SCARA)
    found = tf.exciting_trajectory(robot, 5.0, SCARA | {"torque": np.inf}, harmonics=3, starts=1)
    assert np.isfinite(found.condition)
    with pytest.raises(tf.TauforgeError, match="symbols"):
        found.tau(0.0)
