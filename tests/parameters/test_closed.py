"""Base parameters of robots with closed loops, against ranks and torques at closed states in real numbers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.node import symbol
from tauforge.models.coordinates import Coordinates
from tauforge.models.loops.closure import rows
from tauforge.models.loops.search import mechanism_of
from tauforge.parameters.closed import dependencies, monomial, tidy
from tauforge.parameters.closed_states import Walk
from tauforge.robot.entries import by_joint
from tauforge.spatial.inertia import NAMES

from ..models.loops.test_closure import Mechanism, with_an_idle_rod
from ..random_robots import seeds

LOOPS = Path(__file__).parents[1] / "models/loops/data"
SR400 = Path(__file__).parents[1] / "formats/data/SR400.par"


def closed_states(robot, q, count, seed):
    """Return real closed states on a random walk."""
    loops, rng, found = mechanism_of(robot), np.random.default_rng(seed), []
    while len(found) < count:
        N = allowed(loops, q)
        for size in (0.7, 0.2, 0.05):
            ahead = loops.closed_from(loops.step(q[None], (N @ rng.normal(size=(N.shape[1], 1)) * size).T)[0])
            if ahead is not None:
                q = ahead
                found.append(q)
                break
    return found


def allowed(loops, q):
    """Return the motions that the loops allow."""
    _, s, V = np.linalg.svd(loops.equations(q))
    return V[(s > 1e-7 * s[0]).sum() :].T


def regressor_rows(robot, states, seed):
    """Return rows of the tree's regressor, projected on the motions that the loops allow, in real numbers."""
    loops, tree, rng = mechanism_of(robot), Coordinates.of_tree(robot), np.random.default_rng(seed)
    whole = tf.regressor(robot.derived(loops=()), actuators=("IA",)).compile()
    found = []
    for q in states:
        N = allowed(loops, q)
        for _ in range(4):
            v = N @ rng.normal(size=N.shape[1])
            J, rate = rows(robot, by_joint(robot, q.tolist()), tree.velocities(v.tolist()))
            b = [sum(x * v[k] for k, x in row.items()) for row in rate]
            J = np.array([[row.get(k, 0.0) for k in range(len(v))] for row in J])
            a = N @ rng.normal(size=N.shape[1]) - np.linalg.lstsq(J, b, rcond=1e-9)[0]
            found.append(N.T @ whole(q, v, a))
    return np.vstack(found)


@seeds(quick=2, all=100)
@pytest.mark.parametrize("planar", [True, False])
def test_as_many_as_the_rank_at_closed_states(seed, planar):
    """Real mechanisms move little, so independent columns come near to dependent ones, but none is lost."""
    found = Mechanism(seed, planar)
    robot = found.robot
    base = tf.base_parameters(robot, guess=found.q)  # as it is assembled; for all ways there can be more
    Y = regressor_rows(robot, closed_states(robot, found.q, 40, seed), seed)
    sizes = np.linalg.norm(Y, axis=0)
    some = sizes > 1e-9 * sizes.max()
    s = np.linalg.svd(Y[:, some] / sizes[some], compute_uv=False)
    assert (s > 1e-10).sum() <= len(base.forms)
    drops = s / np.maximum([*s[1:], 0.0], 1e-15)
    if drops.max() < 1e3:
        pytest.skip("this mechanism moves too little to tell ranks at real states")
    assert len(base.forms) == drops.argmax() + 1


@seeds(quick=2, all=100)
@pytest.mark.parametrize("planar", [True, False])
def test_torques_stay_the_same(seed, planar):
    """The relations hold for any parameters, and the regressor gives the torques from them."""
    found = Mechanism(seed, planar)
    rng = np.random.default_rng(seed)
    bodies = tuple(replace(body, inertia=tf.Inertia(*rng.uniform(0.1, 1.0, 10))) for body in found.robot.bodies)
    robot = replace(found.robot, bodies=bodies).neglect("FV")
    base = tf.base_parameters(robot)
    q, (qd, qdd) = found.q, rng.normal(size=(2, len(found.free)))
    torques = tf.inverse_dynamics(robot, parameters="standard").compile()(q, qd, qdd)
    scale = np.abs(torques).max() * found.condition**2
    for program in (tf.inverse_dynamics(base.robot), tf.inverse_dynamics(robot, parameters="base")):
        np.testing.assert_allclose(program.compile()(q, qd, qdd), torques, rtol=0, atol=1e-9 * scale)
    regressor = tf.regressor(robot, parameters="base")
    values = base.values()
    phi = [values[name] for name in regressor.outputs["Y"].labels[1]]
    np.testing.assert_allclose(regressor.compile()(q, qd, qdd) @ phi, torques, rtol=0, atol=1e-9 * scale)


def test_the_default_groups_by_the_trees_rules():
    robot = tf.load(LOOPS / "fivebar.xml")
    counts = [tf.inverse_dynamics(robot, parameters=x).count().total for x in ("standard", "auto", "base")]
    assert counts[0] > counts[1] > counts[2]


@pytest.fixture(scope="module")
def sr400():
    robot = tf.load(SR400)
    geometry = {"G3": 9.81}
    return robot.bind({name: geometry.get(name, 0.1 + k % 7) for k, name in enumerate(robot.symbols)})


def parallel(a, b):
    """Return coordinates of the SR400 with its bars parallel."""
    return [0.4, a, np.pi / 2 - a + b, 0.1, 0.2, 0.3, b, a - b]


def test_a_parallelogram_groups_as_in_closed_form(sr400):
    """Links 2 and 8 turn alike, and so do 3 and 7 but for a quarter turn: Khalil and Bennis (1995)."""
    guess = parallel(0.3, 0.1)
    base = tf.base_parameters(sr400, guess=guess)
    assert [name for name in base.names if name[-1] in "78" or name[-2:] in ("7R", "8R")] == ["MX7R", "MY7", "MY8"]
    assert base.count == 39
    for name in ("XX2R", "XY2R", "XZ2R", "YZ2R", "ZZ2R"):
        assert f"{name[:2]}8" in str(base.relations[name])
    assert "XY3 - XY7" in str(base.relations["XY3R"])


def test_a_guess_chooses_the_way_of_assembly(sr400):
    """Without one, parameters are right for parallel and for crossed bars; with one, there are fewer."""
    one, both = tf.base_parameters(sr400, guess=parallel(0.3, 0.1)), tf.base_parameters(sr400)
    assert one.count < both.count
    straight = tf.close_loops(sr400, guess=parallel(0.7, -0.2))
    crossed = tf.close_loops(sr400)
    assert abs(crossed[1] - crossed[6] - crossed[7]) > 0.1
    qd, qdd = np.random.default_rng(0).normal(size=(2, 6))
    model = tf.inverse_dynamics(sr400).compile()
    for base, states in ((both, (straight, crossed)), (one, (straight,))):
        other = tf.inverse_dynamics(base.robot).compile()
        for q in states:
            np.testing.assert_allclose(other(q, qd, qdd), model(q, qd, qdd), rtol=1e-9, atol=1e-6)
    wrong = tf.inverse_dynamics(one.robot).compile()(crossed, qd, qdd)
    assert np.abs(wrong - model(crossed, qd, qdd)).max() > 1.0
    assert tf.regressor(sr400, parameters="base", actuators=(), guess=parallel(0.3, 0.1)).outputs["Y"].shape == (6, 39)


def test_guesses_are_checked(sr400):
    with pytest.raises(tf.RobotError, match="the guess has 2 coordinates; SR400 has 8"):
        tf.base_parameters(sr400, guess=[0.0, 1.0])
    with pytest.raises(tf.RobotError, match="no closed loops"):
        tf.base_parameters(tf.robots.puma560(), guess=[0.0] * 6)


def four_bars(L, W):
    """Return a parallelogram of bars of lengths L and W, with inertial parameters that are symbols."""
    joints = (
        tf.Joint(name="crank", antecedent=0),
        tf.Joint(name="coupler", antecedent=1, mu=0, d=L),
        tf.Joint(name="rocker", antecedent=0, mu=0, d=W),
    )
    bodies = tuple(
        tf.Body(name=f"bar{k}", inertia=tf.Inertia(*(symbol(f"{name}{k}") for name in NAMES))) for k in (1, 2, 3)
    )
    frames = (tf.Joint(name="end", antecedent=2, sigma=2, d=W), tf.Joint(name="tip", antecedent=3, sigma=2, d=L))
    robot = tf.Robot(name="bars", joints=joints, bodies=bodies, frames=frames, gravity=(0.0, -9.81, 0.0))
    return robot.with_loop("end", "tip", kind="revolute")


def test_lengths_that_are_symbols_stay_in_the_relations():
    base = tf.base_parameters(four_bars(symbol("L"), symbol("W")), guess=[0.7, -0.7, 0.7])
    assert {name: str(x) for name, x in base.relations.items()} == {
        "ZZ1R": "L**2*M2 + ZZ1 + ZZ3",
        "MX1R": "L*M2 + MX1 + MX3",
        "MY1R": "MY1 + MY3",
    }


def test_a_mechanism_that_cannot_move_has_no_base_parameters():
    robot = tf.load(LOOPS / "fourbar.xml").lock({"crank": 0.3})
    assert tf.base_parameters(robot).count == 0


def test_a_rod_that_spins_keeps_its_torques():
    """Spherical joints have quaternions, which stay unit ones."""
    robot = with_an_idle_rod()
    base, q = tf.base_parameters(robot), tf.close_loops(robot)
    qd, qdd = np.random.default_rng(1).normal(size=(2, 2))
    torques = tf.inverse_dynamics(robot, parameters="standard").compile()(q, qd, qdd)
    np.testing.assert_allclose(tf.inverse_dynamics(base.robot).compile()(q, qd, qdd), torques, rtol=1e-9, atol=1e-9)


def test_dependencies_of_columns_in_floats():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(20, 5))
    Y[:, 3] = 0.25 * Y[:, 0] - Y[:, 2]
    Y[:, 4] = 0.0
    assert dependencies(Y) == {3: {0: 0.25, 2: -1.0}, 4: {}}


@pytest.mark.slow
def test_base_parameters_of_a_platform_lose_no_digits():
    robot = tf.robots.gough_stewart()
    space, rng = robot.with_independent("platform"), np.random.default_rng(2)
    motion = rng.normal(size=(2, 10, 6))
    q = np.array([tf.close_loops(space, [*x, *u, 1.0]) for x, u in rng.uniform(-0.1, 0.1, (10, 2, 3))])
    torques = tf.inverse_dynamics(space, parameters="standard").compile()(q, *motion)
    grouped = tf.inverse_dynamics(space, parameters="base").compile()(q, *motion)
    np.testing.assert_allclose(grouped, torques, rtol=0, atol=1e-10 * np.abs(torques).max())


def test_numbers_and_powers_are_recognised():
    assert tidy(0.25 + 1e-14) == 0.25
    assert tidy(1 / 3 + 1e-14) == 1 / 3
    assert tidy(0.123456789012) == 0.123456789012
    assert tidy(1174.94961785532) == 1174.94961785532
    assert tidy(-1867.125 + 1e-9) == -1867.125
    trials = [{"L": 1.1, "W": 0.7}, {"L": 0.9, "W": 0.8}, {"L": 1.3, "W": 1.2}, {"L": 0.6, "W": 1.0}]
    assert str(monomial([-2.0 * x["L"] ** 2 / x["W"] for x in trials], trials, ["L", "W"])) in (
        "-2*L*L/W",
        "-(2*L*L/W)",
    )
    assert monomial([x["L"] + x["W"] for x in trials], trials, ["L", "W"]) is None


@pytest.mark.parametrize("name", ["fourbar", "fivebar"])
def test_columns_of_friction_are_independent(name):
    robot = tf.load(LOOPS / f"{name}.xml")
    labels = tf.regressor(robot, parameters="base", actuators=("FV", "FS")).outputs["Y"].labels[1]
    assert [x for x in labels if x[0] == "F"] == [f"{x}{j + 1}" for x in ("FV", "FS") for j in range(len(robot.joints))]


def test_friction_of_joints_that_turn_alike_is_added_up(sr400):
    """In a parallelogram, joint 8 turns as joint 3; offsets of friction depend on one another wherever angles do."""
    program = tf.regressor(sr400, parameters="base", actuators=("FV", "FS", "FO"), guess=parallel(0.3, 0.1))
    labels = [x for x in program.outputs["Y"].labels[1] if x[0] == "F"]
    assert " ".join(labels) == ("FV1 FV2 FV3R FV4 FV5 FV6 FV7 FS1 FS2 FS3R FS4 FS5 FS6 FS7 FO1 FO2R FO3R FO4 FO5 FO6")
    rng = np.random.default_rng(0)
    q = np.array([parallel(*x) for x in rng.uniform(-0.6, 0.6, (60, 2))])
    q[:, [0, 3, 4, 5]] = rng.uniform(-1.0, 1.0, (60, 4))
    Y = np.vstack(program.compile()(q, *rng.normal(size=(2, 60, 6))))
    assert np.linalg.svd(Y / np.linalg.norm(Y, axis=0), compute_uv=False)[-1] > 1e-3


def test_a_guess_does_not_change_the_rank():
    """Two columns of a platform's last leg differ by 4e-4 of their length; others are sums of these."""
    robot = tf.robots.gough_stewart()
    anywhere, at_home = (tf.base_parameters(robot, guess=guess) for guess in (None, tf.close_loops(robot, None)))
    assert len(at_home.forms) == len(anywhere.forms) == 84


def test_sums_of_columns_that_hardly_differ_are_dependent():
    random = np.random.default_rng(0)
    a, b, c = random.normal(size=(3, 200))
    near = a + 3e-4 * b
    Y = np.column_stack([a, c, near, 5.0 * (near - a) / 3e-4 + c])
    found = dependencies(Y * (1.0 + 3e-13 * random.normal(size=Y.shape)))
    assert list(found) == [3]
    assert found[3] == pytest.approx({0: -5.0 / 3e-4, 1: 1.0, 2: 5.0 / 3e-4}, rel=1e-6)


def test_a_singular_guess_leaves_the_motions_that_loops_allow():
    flat = [0.0, 0.0, 0.0]
    robot = four_bars(1.0, 0.5)  # a parallelogram, folded
    assert Walk(robot, 4, flat).mobility == Walk(robot, 4, [0.7, -0.7, 0.7]).mobility == 1
