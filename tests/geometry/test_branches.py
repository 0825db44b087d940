"""Branches: which state is reached without a guess and with one, assembly modes, and motions that keep their branch."""

import pickle
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import root

import tauforge as tf
from tauforge.geometry.close_loops import closed_along
from tauforge.geometry.continuation import ROWS, Ways, follow_form
from tauforge.models.loops.closing import active_places
from tauforge.models.loops.closure import loop_closure
from tests.models.loops.test_branches import SOLID, parallelogram
from tests.planar_loops import planar_loop
from tests.random_loops import random_mechanism
from tests.random_robots import seeds


def error(robot, q):
    return np.abs(loop_closure(robot).compile()(q)[0]).max()


def palletiser():
    """Return an arm on a column whose tool stays level by two parallelograms, one along each link.

    The upper arm and the forearm are the long sides; the short ones are on the column, on a triangle at the elbow, and
    on the tool's carrier. Both parallelograms are rectangles at zero.
    """
    up, out, short = 0.6, 0.5, 0.15
    joints = [
        tf.Joint(name="column", antecedent=0),
        tf.Joint(name="shoulder", antecedent=1, alpha=np.pi / 2, theta=np.pi / 2),
        tf.Joint(name="elbow", antecedent=2, d=up, theta=-np.pi / 2),
        tf.Joint(name="rod", antecedent=1, gamma=0.0, d=-short, alpha=np.pi / 2, theta=np.pi / 2, mu=0),
        tf.Joint(name="triangle", antecedent=2, d=up, theta=-np.pi / 2, mu=0),
        tf.Joint(name="carrier", antecedent=3, d=out, mu=0),
        tf.Joint(name="link", antecedent=5, gamma=np.pi / 2, d=short, theta=-np.pi / 2, mu=0),
    ]
    bodies = tuple(tf.Body(name=f"{joint.name}_link", inertia=SOLID) for joint in joints)
    frames = (
        tf.Joint(name="rod_end", antecedent=4, sigma=2, mu=0, d=up),
        tf.Joint(name="triangle_back", antecedent=5, sigma=2, mu=0, d=-short),
        tf.Joint(name="link_end", antecedent=7, sigma=2, mu=0, d=out),
        tf.Joint(name="carrier_top", antecedent=6, sigma=2, mu=0, gamma=np.pi / 2, d=short),
    )
    robot = tf.Robot(name="palletiser", joints=tuple(joints), bodies=bodies, frames=frames)
    robot = robot.with_loop("rod_end", "triangle_back", kind="revolute", name="first")
    return robot.with_loop("link_end", "carrier_top", kind="revolute", name="second")


def test_the_tool_of_a_palletiser_stays_level():
    """The carrier keeps its direction in the world in 10,000 random poses, one call or many."""
    robot = palletiser()
    assert robot.independent == ("column", "shoulder", "elbow")
    active = np.random.default_rng(0).uniform([-3.0, -1.3, -1.3], [3.0, 1.3, 1.3], (10_000, 3))
    active[:, 2] -= active[:, 1]  # the forearm's angle in the world
    q = tf.close_loops(robot, active)
    assert error(robot, q) < 1e-12
    level = tf.transforms(robot.derived(loops=()), frames="carrier").compile()(q).reshape(-1, 4, 4)
    np.testing.assert_allclose(level[:, 2, :3], np.tile(level[0, 2, :3].round(), (len(q), 1)), atol=1e-9)
    np.testing.assert_allclose(tf.close_loops(robot, active[17]), q[17], atol=0)
    one = [tf.close_loops(robot, x, guess=q[0]) for x in active[:50]]
    np.testing.assert_allclose(one, q[:50], atol=1e-12)


def test_a_parallelogram_is_never_crossed():
    robot = parallelogram()
    angle = np.linspace(-1.55, 1.55, 101)[:, None]
    expected = angle * [1.0, -1.0, 1.0]
    np.testing.assert_allclose(tf.close_loops(robot, angle), expected, atol=1e-9)
    np.testing.assert_allclose(closed_along(robot, angle), expected, atol=1e-9)
    np.testing.assert_allclose(tf.close_loops(robot, angle, guess=np.zeros(3)), expected, atol=1e-9)
    floating = robot.with_base("floating")
    base = np.tile([1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8], (101, 1))
    np.testing.assert_allclose(tf.close_loops(floating, np.hstack([base, angle]))[:, 7:], expected, atol=1e-9)


def test_where_branches_meet_the_error_says_where():
    robot = parallelogram()
    with pytest.raises(tf.ProgramError, match=r"not reached: .* from home, .* ends at 78.5 % \(crank = 1.571\).*'pin'"):
        tf.close_loops(robot, [2.0])
    with pytest.raises(tf.ProgramError, match=r"in state 1, .* 78.5 %"):
        tf.close_loops(robot, [[0.3], [2.0], [0.1]])
    with pytest.raises(tf.ProgramError, match=r"from the state before in state 2, its branch ends at 57.1 %"):
        closed_along(robot, [[0.3], [0.7], [1.3], [1.7746]])
    flat = robot.with_home([np.pi / 2, -np.pi / 2, np.pi / 2])
    with pytest.raises(tf.ProgramError, match=r"'pin' starts where branches meet.*with_home"):
        tf.close_loops(flat, [1.0])
    np.testing.assert_allclose(tf.close_loops(robot, [np.pi / 2]), [np.pi / 2, -np.pi / 2, np.pi / 2], atol=1e-6)


def test_what_opens_on_the_way():
    """Both ends of a way can be closed in the same branch, but not what is between: a rocker that cannot turn fully."""
    robot = tf.robots.fourbar().with_independent("rocker")
    reached = tf.close_loops(robot, [-1.5])
    assert error(robot, reached) < 1e-12
    with pytest.raises(tf.ProgramError, match="its branch ends at"):
        tf.close_loops(robot, [-1.5 + 2 * np.pi])
    with pytest.raises(tf.ProgramError, match=r"loop 'pivot' stays open by .*, its branch ends at"):
        tf.close_loops(robot, [-0.5])


@pytest.mark.parametrize("turns", [1, 5])
def test_angles_are_those_of_the_way(turns):
    """A crank that turns fully takes the coupler with it."""
    robot = tf.robots.fourbar()
    q = tf.close_loops(robot, [2 * np.pi * turns])
    np.testing.assert_allclose(q - tf.close_loops(robot), [2 * np.pi * turns, -2 * np.pi * turns, 0.0], atol=1e-9)


def test_home_of_the_four_bar_decides():
    robot = tf.robots.fourbar()
    q = tf.close_loops(robot, [1.0])
    np.testing.assert_allclose(fine(robot, tf.close_loops(robot), [1.0])[-1], q, atol=1e-9)
    other = robot.with_home(tf.close_loops(robot, [0.0], guess=[0.0, 0.9, 1.4]))
    assert np.abs(tf.close_loops(other, [1.0]) - q).max() > 1.0


@pytest.mark.parametrize("name", ["fourbar", "slider_crank", "fivebar", "sr400"])
def test_bundled_mechanisms_store_home(name):
    robot = tf.robots.bundled(name)
    assert robot.home
    q = tf.close_loops(robot)
    assert error(robot, q) < 1e-12
    assert tf.singularity(robot, q, frame=robot.bodies[-1].name).kind in ("regular", "serial")
    np.testing.assert_allclose(tf.close_loops(robot, q[active_places(robot)]), q, atol=1e-12)


def fine(robot, q, goal, steps=1000):
    """Return the states of tiny steps along a straight way, each closed by SciPy from the one before."""
    closure, names = loop_closure(robot).compile(), robot.coordinate_names
    own = [names.index(name) for name in robot.independent]
    rest = [k for k in range(len(names)) if k not in own]
    first, found = q[own], []
    for part in np.linspace(0.0, 1.0, steps + 1)[1:]:
        q = q.copy()
        q[own] = first + part * (np.asarray(goal) - first)

        def left(x, q=q):
            q[rest] = x
            e, _, J = closure(q)
            return e, J[:, rest]

        x = root(left, q[rest], jac=True, method="lm", tol=1e-13).x
        if np.abs(left(x)[0]).max() > 1e-8:
            return None
        found.append(q)
    return np.array(found)


@seeds(quick=2, all=300)
@pytest.mark.parametrize("form", [True, False])
def test_states_are_those_of_a_fine_continuation(seed, form):
    """Along a random way, from home: where tiny steps of SciPy get, the same state is reached; no jump."""
    robot, start = planar_loop(seed) if form else random_mechanism(seed)
    robot = robot.with_home(tf.close_loops(robot, guess=start))
    home = tf.close_loops(robot)
    np.testing.assert_allclose(home, start, atol=1e-6)
    places = active_places(robot)
    goal = home[places] + np.random.default_rng(seed).uniform(-0.6, 0.6, len(places))
    states = fine(robot, home, goal)
    closest = None if states is None else max(np.abs(np.diff(states, axis=0)).max(), 0.0)
    if closest is None or closest > 0.01:  # tiny steps stop, or are near a singular state
        with suppress(tf.ProgramError):
            assert error(robot, tf.close_loops(robot, goal)) < 1e-9
        return
    q = tf.close_loops(robot, goal)
    assert error(robot, q) < 1e-9
    np.testing.assert_allclose(q, states[-1], atol=1e-6)
    way = home[places] + np.linspace(0.0, 1.0, 40)[:, None] * (goal - home[places])
    np.testing.assert_allclose(closed_along(robot, way)[-1], q, atol=1e-9)


@seeds(quick=3, all=300)
def test_assembly_modes(seed):
    """All modes are closed, and different; each is reached from itself, and the first is that of home."""
    robot, start = planar_loop(seed)
    home = tf.close_loops(robot, guess=start)
    robot = robot.with_home(home)
    active = home[active_places(robot)]
    found = tf.close_loops(robot, active, modes=True)
    assert found.complete
    assert len(found) == len(found.signs) == len(np.unique(found.q.round(6), axis=0))
    np.testing.assert_allclose(found.q[0], home, atol=1e-9)
    assert error(robot, found.q) < 1e-9
    rng, tried = np.random.default_rng(seed), 0
    for q in found.q:
        np.testing.assert_allclose(tf.close_loops(robot, active, guess=q), q, atol=1e-9)
    for _ in range(40):  # no other is found
        guess = home + rng.uniform(-3, 3, len(home))
        guess[active_places(robot)] = active
        try:
            q = tf.close_loops(robot, active, guess=guess)
        except tf.ProgramError:
            continue
        tried += 1
        assert min(np.abs(np.remainder(q - x + np.pi, 2 * np.pi) - np.pi).max() for x in found.q) < 1e-6
    assert tried


def test_modes_of_legs_and_of_platforms():
    robot = tf.robots.gough_stewart()
    legs = robot.with_independent("platform")
    active = tf.close_loops(legs)[active_places(legs)]
    found = tf.close_loops(legs, active, modes=True)
    assert len(found) == 4**6
    assert error(legs, found.q) < 1e-9
    found = tf.close_loops(robot, np.full(6, 0.01), modes=True)
    assert not found.complete
    assert len(found) > 1
    np.testing.assert_allclose(found.q[0], tf.close_loops(robot, np.full(6, 0.01)), atol=1e-9)
    assert error(robot, found.q) < 1e-9
    with pytest.raises(tf.ProgramError, match="modes=True is for one"):
        tf.close_loops(robot, np.zeros((2, 6)), modes=True)


def test_an_open_guess_gives_the_nearest_state():
    robot = tf.robots.fourbar()
    modes = tf.close_loops(robot, [1.0], modes=True).q
    for q in modes:
        rng = np.random.default_rng(0)
        guess = q + rng.uniform(-0.3, 0.3, 3)
        np.testing.assert_allclose(tf.close_loops(robot, [1.0], guess=guess), q, atol=1e-9)


def test_home_is_checked_and_kept():
    robot = tf.robots.fivebar()
    with pytest.raises(tf.RobotError, match=r"home leaves the loop 'pivot' open by 0\.\d+ m"):
        replace(robot, home={"arm1": 0.5})
    with pytest.raises(tf.RobotError, match="home has 'arm3'; the joints with coordinates are arm1, forearm1"):
        robot.with_home({"arm3": 0.5})
    with pytest.raises(tf.RobotError, match="home of joint 'arm1' is 'x'; it must be a number"):
        robot.with_home({"arm1": "x"})
    with pytest.raises(tf.RobotError, match="home has 3 coordinates; there are arm1"):
        robot.with_home([0.0, 1.0, 2.0])
    with pytest.raises(tf.RobotError, match="by name"):
        replace(robot, home=3.0)
    home = dict(robot.home)
    assert dict(robot.with_base("floating").home) == home
    assert dict(robot.expanded().home) == dict(robot.payload(1.0, at="tool").home) == home
    assert pickle.loads(pickle.dumps(robot)) == robot
    assert dict(pickle.loads(pickle.dumps(robot)).home) == home
    with pytest.raises(TypeError):
        robot.home["arm1"] = 1.0
    assert robot.with_home() != robot
    both = robot.attach(tf.robots.slider_crank(), at="base", name="second")
    assert dict(both.home)["slider"] == pytest.approx(0.4)
    symbolic = tf.robots.fivebar(symbolic=True)
    assert dict(symbolic.home) == home
    wider = symbolic.bind(dict.fromkeys(symbolic.symbols, 0.5))
    assert error(wider, tf.close_loops(wider)) < 1e-9
    locked = robot.lock({"arm1": 0.3})
    assert error(locked, tf.close_loops(locked)) < 1e-9
    assert "arm1" not in locked.home


def test_home_in_files(tmp_path):
    robot = tf.robots.sr400()
    robot.save(tmp_path / "a.toml")
    assert tf.load(tmp_path / "a.toml") == robot
    text = (tmp_path / "a.toml").read_text()
    (tmp_path / "b.toml").write_text(text.replace('"joint8" = "pi/2"', '"joint8" = 1.47'))
    with pytest.raises(tf.RobotError, match=r"b\.toml: sr400: home leaves the loop 'joint9' open by"):
        tf.load(tmp_path / "b.toml")
    (tmp_path / "c.toml").write_text(text.replace('"joint8" = "pi/2"', '"joint80" = 1.57'))
    with pytest.raises(tf.RobotError, match=r"c\.toml:\d+: .*joint80"):
        tf.load(tmp_path / "c.toml")
    with pytest.warns(tf.RobotWarning, match="no place for home"):
        robot.save(tmp_path / "a.par")


def test_the_keyframe_home_of_mjcf(tmp_path):
    """It is the reference state if it closes the loops; where joints have a ref, qpos0 is."""
    path = Path(__file__).parents[1] / "models/loops/data/fivebar.xml"
    closed = tf.close_loops(tf.load(path), guess=[2.26, -1.38, 1.3, 1.16])
    row = " ".join(map(repr, closed.tolist()))
    for name, qpos, loads in (("home", row, True), ("other", row, False), ("home", "0.1 0.2 0.3 0.4", False)):
        key = f'<keyframe><key name="{name}" qpos="{qpos}"/></keyframe></mujoco>'
        (tmp_path / "a.xml").write_text(path.read_text().replace("</mujoco>", key))
        warned = pytest.warns(tf.RobotWarning, match="'home' as home: .* open by") if "0.1" in qpos else nullcontext()
        with warned:
            robot = tf.load(tmp_path / "a.xml")
        assert bool(robot.home) == loads
        if loads:
            np.testing.assert_allclose(tf.close_loops(robot), closed, atol=1e-12)
    text = (
        '<mujoco><worldbody><body name="a"><joint name="x" axis="0 0 1" ref="20"/><geom size="0.1"/>'
        '<body name="b" pos="1 0 0"><joint name="y" axis="0 0 1"/><geom size="0.1"/></body></body>'
        '<body name="c" pos="0 1 0"><joint name="z" axis="0 0 1"/><geom size="0.1"/></body></worldbody>'
        '<equality><connect body1="b" body2="c" anchor="0 1 0"/></equality></mujoco>'
    )
    (tmp_path / "b.xml").write_text(text)
    with pytest.warns(tf.RobotWarning):
        robot = tf.load(tmp_path / "b.xml")
    assert robot.home["x"] == pytest.approx(np.deg2rad(20))
    assert error(robot, tf.close_loops(robot)) < 1e-9


def test_legs_that_are_assembled_elsewhere():
    """A leg's own home is where the whole robot is closed."""
    chain = tf.robots.planar2r()
    legs = [
        tf.Leg(chain=chain, joint="revolute", end=chain.bodies[-1].name, home=(0.3 + k, 0.8 - 2 * k)) for k in range(2)
    ]
    robot = tf.parallel_robot(tf.Body(name="top", inertia=tf.Inertia(M=1.0)), legs, joint="floating")
    assert robot.home[f"leg2_{chain.joint_names[1]}"] == -1.2
    assert error(robot, tf.close_loops(robot)) < 1e-9
    np.testing.assert_allclose(tf.close_loops(robot)[:4], [0.3, 0.8, 1.3, -1.2], atol=1e-9)


def test_callers_keep_the_branch():
    """Torques, pictures and simulations of motions through states where a nearer one would be another branch."""
    robot = parallelogram()
    t = np.linspace(0.0, 1.0, 3)
    motion = tf.motion([[0.0], [-1.5]], 1.0, kind="quintic")
    result = tf.required_torques(robot, motion)
    assert np.abs(result.q @ [[1.0], [1.0], [0.0]]).max() < 1e-9
    from tauforge.view.states import states

    np.testing.assert_allclose(states(robot, [[0.0], [-1.5], [1.5]]), np.outer([0.0, -1.5, 1.5], [1, -1, 1]), atol=1e-9)
    run = tf.simulate(robot, t, q0=[-1.4])
    np.testing.assert_allclose(run.q[0], [-1.4, 1.4, -1.4], atol=1e-9)


def test_what_lies_behind_the_end_of_a_branch_is_not_looked_at():
    """However far a way goes on, where it ends is found in the time that its pieces take once, and little more."""
    rows = 0

    def form(which, active):
        nonlocal rows
        rows += len(which)
        return active, np.cos(active) + 0.9

    found = follow_form(form, Ways(np.zeros((1, 1)), np.full((1, 1), 1e9), []), np.zeros((1, 1)), [0])
    assert 0.0 <= found.lost[0] * 1e9 < 1e4
    assert rows < 5 * ROWS
