"""Simulations of closed loops in the coordinates of the tree: where independent joints fail, and beside these."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.loops.closure import loop_closure
from tauforge.models.loops.domain import ClosedStates
from tauforge.models.loops.search import mechanism_of
from tauforge.papers.iftomm.bricard import bricard
from tauforge.robot.body import Body
from tauforge.robot.joint import Joint, constant_frame
from tauforge.simulation.constrained import projection
from tauforge.simulation.equations import equations
from tauforge.simulation.flow import flow
from tests.interpret import interpret
from tests.models.loops.test_constrained_dynamics import Dense

FIVEBAR = tf.robots.fivebar()
CROSSING = tf.close_loops(FIVEBAR, None, guess=[2.0, -1.2159, 1.1, 1.2382])
METHODS = ["Tsit5", "DOP8", "Rodas4", "Rodas5P", "RK45", "DOP853", "Radau", "BDF", "LSODA"]


def parallelogram():
    """Return two cranks of one metre and a coupler of two, which can come in line."""
    joints = (
        Joint(name="crank", antecedent=0, mu=1),
        Joint(name="coupler", antecedent=1, mu=0, d=1.0),
        Joint(name="rocker", antecedent=0, mu=0, d=2.0),
    )
    bodies = tuple(
        Body(name=name, inertia=tf.robots.fivebar().bodies[0].inertia) for name in ("crank", "coupler", "rocker")
    )
    frames = (constant_frame("end", 2, d=2.0), constant_frame("tip", 3, d=1.0))
    robot = tf.Robot(name="parallelogram", joints=joints, bodies=bodies, frames=frames)
    robot = replace(robot, gravity=tf.robots.fivebar().gravity)
    return robot.with_loop("end", "tip", kind="revolute", name="pin")


def drift(run):
    """Return by how much the energy changes, as a part of the kinetic energy."""
    return np.abs(run.total - run.total[0]).max() / run.kinetic.max()


@pytest.mark.parametrize("method", METHODS)
def test_a_five_bar_passes_the_singularity_of_its_motors(method):
    """MuJoCo's equality constraints and an independent BDF have arm1 at 0.918."""
    run = tf.simulate(FIVEBAR, np.linspace(0.0, 0.45, 46), q0=CROSSING, method=method, rtol=1e-9, atol=1e-11)
    assert run.q[-1, 0] == pytest.approx(0.918, abs=1e-3)
    assert drift(run) < 1e-6
    (change,) = run.coordinate_changes
    assert change[1:] == ("independent", "all")
    assert 0.2 < change.t < 0.247
    assert run.residual.max() < 1e-13
    assert run.residual_rate.max() < 1e-11 * np.abs(run.qd_all).max()
    whole = tf.simulate(FIVEBAR, run.t, q0=CROSSING, method=method, rtol=1e-9, atol=1e-11, coordinates="all")
    assert not whole.coordinate_changes
    assert np.abs(whole.q - run.q).max() < 1e-4
    independent = [whole.velocity_names_all.index(name) for name in whole.velocity_names]
    assert np.array_equal(whole.qd, whole.qd_all[:, independent])


DRIVES = {
    "held": {"torque": [0.4]},
    "samples": {"torque": np.linspace(-1.0, 1.0, 21)[:, None]},
    "function": {"torque": lambda t, q, qd: [np.sin(5.0 * t) - 0.1 * qd[0] + 0.1 * q[0]]},
    "saturation": {"torque": [5.0], "saturation": 0.5},
    "wrenches": {"wrenches": lambda t, q, qd: np.full((3, 6), np.cos(t) - 0.1 * qd[0])},
    "constant wrenches": {"wrenches": np.full((3, 6), 0.3)},
}


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("method", ["DOP853", "BDF", "DOP8", "Rodas5P"])
def test_drives(method, drive):
    if drive in ("function", "wrenches") and method in ("DOP8", "Rodas5P"):
        pytest.skip("functions in Python are not for compiled methods")
    same(tf.robots.fourbar(), method, **DRIVES[drive])


def same(robot, method, duration=0.5, **given):
    """Check that both kinds of coordinates give the same motion."""
    t = np.linspace(0.0, duration, 21)
    given = {"method": method, "rtol": 1e-8, "atol": 1e-10, **given}
    one, other = (tf.simulate(robot, t, coordinates=name, **given) for name in ("independent", "all"))
    assert np.abs(one.q - other.q).max() < 3e-6
    assert np.abs(one.qd_all - other.qd_all).max() < 1e-4 * max(1.0, np.abs(one.qd_all).max())
    assert np.abs(one.tau - other.tau).max() < 1e-4
    assert np.abs(one.qdd - other.qdd).max() < 1e-3 * max(1.0, np.abs(one.qdd).max())
    assert len(one.events) == len(other.events)
    return one, other


@pytest.mark.parametrize("method", ["DOP853", "DOP8", "Rodas4"])
def test_controllers_friction_springs_and_stops(method):
    bars = tf.robots.fourbar()
    control = tf.pd_control(bars, 30.0, 2.0, [0.3])
    same(bars, method, controller=control)
    same(bars, method, controller=control, rate=100.0, delay=1)
    rubbing = replace(bars, joints=tuple(replace(joint, FV=0.05, FS=0.1, k=0.5) for joint in bars.joints))
    same(rubbing, method, smoothing=0.05)
    same(rubbing, method, stiction=1.3, torque=[0.3])
    limits = tf.robots.fourbar().joints[0].limits
    ended = replace(
        bars, joints=(replace(bars.joints[0], limits=replace(limits, lower=-0.4, upper=0.4)), *bars.joints[1:])
    )
    same(ended, method, stops=50.0)


def test_events_are_functions_of_independent_velocities():
    def turns(t, q, qd):
        assert qd.shape == (1,)
        return qd[0]

    one, other = same(tf.robots.fourbar(), "DOP853", duration=1.5, events=turns)
    assert one.events
    for a, b in zip(one.events, other.events, strict=True):
        assert a.t == pytest.approx(b.t, abs=1e-5)


@pytest.mark.parametrize("method", ["DOP853", "DOP8"])
def test_a_mechanism_on_a_floating_base(method):
    robot = tf.robots.fourbar().with_base("floating")
    q0 = tf.close_loops(robot)
    qd0 = np.zeros(robot.dof)
    qd0[4] = 0.5
    one, other = same(robot, method, q0=q0, qd0=qd0, duration=0.3)
    assert np.abs(np.linalg.norm(other.q[:, 3:7], axis=1) - 1.0).max() < 1e-14
    assert one.velocity_names == other.velocity_names


def test_velocities_of_all_joints_at_the_start():
    run = tf.simulate(FIVEBAR, 0.45, q0=CROSSING, coordinates="all")
    k = int(np.argmin(np.abs(run.t - 0.26)))
    onward = tf.simulate(FIVEBAR, [0.0, 0.45 - run.t[k]], q0=run.q[k], qd0=run.qd_all[k])
    assert np.abs(onward.q[-1] - run.q[-1]).max() < 1e-5
    wrong = run.qd_all[k] + np.array([0.0, 0.5, 0.0, 0.0])
    with pytest.raises(
        tf.ProgramError, match=r"qd0 opens the loops of fivebar: the nearest velocities .* differ by up"
    ):
        tf.simulate(FIVEBAR, 0.1, q0=run.q[k], qd0=wrong)
    with pytest.raises(tf.ProgramError, match="coordinates='some'; choose among 'auto', 'independent', 'all'"):
        tf.simulate(FIVEBAR, 0.1, q0=CROSSING, coordinates="some")
    with pytest.raises(tf.ProgramError, match="through='luck'"):
        tf.simulate(FIVEBAR, 0.1, q0=CROSSING, through="luck")


def test_many_states_each_in_its_own_coordinates():
    q0 = np.stack([CROSSING, tf.close_loops(FIVEBAR, [1.5, 1.5], guess=CROSSING)])
    t = np.linspace(0.0, 0.36, 10)
    for method in ("DOP8", "Rodas5P"):
        many = tf.simulate(FIVEBAR, t, q0=q0, method=method)
        assert many.states.status.tolist() == ["done", "done"]
        assert len(many.coordinate_changes) == 1
        for k in range(2):
            one = tf.simulate(FIVEBAR, t, q0=q0[k], method=method)
            assert np.abs(one.q - many.q[k]).max() < 1e-9
            assert np.abs(one.qd_all - many.qd_all[k]).max() < 1e-7
            assert drift(many[k]) < 1e-6


@pytest.mark.parametrize("method", ["DOP853", "Tsit5", "DOP8", "Radau"])
def test_a_parallelogram_stops_in_line_and_goes_on_by_inertia(method):
    """Along the parallelograms, the mechanism has one equation, which all coordinates must follow through the line."""
    robot = parallelogram()
    angle = -0.5
    q0 = np.array([angle, -angle, angle])
    with pytest.raises(tf.SimulationError, match="the equations of 'pin' depend on one another") as error:
        tf.simulate(robot, 1.0, q0=q0, qd0=[6.0], method=method)
    assert "through='inertia'" in str(error.value)
    stopped = error.value.trajectory
    assert np.abs(np.sin(stopped.q[-1, 0])) < (1e-3 if method == "Radau" else 1e-6)
    t = np.linspace(0.0, 1.0, 21)
    if method == "Radau":
        with pytest.raises(tf.SimulationError, match="its steps shrink next to a singular state"):
            tf.simulate(robot, t, q0=q0, qd0=[6.0], method=method, through="inertia")
        return
    run = tf.simulate(robot, t, q0=q0, qd0=[6.0], method=method, through="inertia")
    assert drift(run) < 1e-6
    assert np.abs(run.q[:, 0] - run.q[:, 2]).max() < 1e-8
    assert np.ptp(run.q[:, 0]) > 2.0


def test_a_trajectory_keeps_its_changes(tmp_path):
    run = tf.simulate(FIVEBAR, np.linspace(0.0, 0.3, 7), q0=CROSSING)
    assert run.coordinate_changes
    for ending in (".npz", ".csv"):
        again = tf.Trajectory.load(run.save(tmp_path / f"run{ending}"))
        assert again.coordinate_changes == run.coordinate_changes
        assert again.velocity_names_all == run.velocity_names_all
        assert np.array_equal(again.qd_all, run.qd_all)


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("semi-implicit", 1)])
def test_rollouts_keep_their_order_through_the_singularity(method, order):
    exact = tf.simulate(FIVEBAR, [0.0, 0.45], q0=CROSSING, method="DOP8", rtol=1e-12, atol=1e-13).q[-1]
    errors = []
    for steps in (200, 400):
        run = tf.rollout(FIVEBAR, CROSSING, [0.0, 0.0], None, 0.45 / steps, steps=steps, method=method)
        errors.append(np.abs(run.q[-1] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.3)


def test_rollouts_of_several_states():
    q0 = np.stack([CROSSING, tf.close_loops(FIVEBAR, [1.5, 1.5], guess=CROSSING)])
    run = tf.rollout(FIVEBAR, q0, [0.0, 0.0], None, 1e-3, steps=360, method="rk4")
    assert run.energy_error.max() < 1e-4
    for k in range(2):
        one = tf.rollout(FIVEBAR, q0[k], [0.0, 0.0], None, 1e-3, steps=360, method="rk4")
        assert np.abs(one.q - run.q[k]).max() < 1e-10
    plain = tf.rollout(FIVEBAR, q0[1], [0.0, 0.0], None, 1e-3, steps=360, method="rk4", coordinates="independent")
    whole = tf.rollout(FIVEBAR, q0[1], [0.0, 0.0], None, 1e-3, steps=360, method="rk4", coordinates="all")
    assert np.abs(plain.q - run.q[1]).max() < 1e-12
    assert np.abs(whole.q - run.q[1]).max() < 1e-6
    control = tf.pd_control(FIVEBAR, 5.0, 1.0, [1.5, 1.5]).program
    given = {"q_ref": [1.5, 1.5], "qd_ref": [0.0, 0.0]}
    inputs = {name: given[name] for name in given if name in control.inputs}
    one, other = (
        tf.rollout(FIVEBAR, q0[1], [0, 0], control, 1e-3, steps=50, method="rk4", inputs=inputs, coordinates=name)
        for name in ("independent", "all")
    )
    assert np.abs(one.q - other.q).max() < 1e-9


@pytest.mark.parametrize("name", ["fivebar", "sr400"])
def test_the_linear_equations_of_stiff_methods(name):
    """Against differences of the rates; SR-400 has joints that move no mass."""
    robot, random = getattr(tf.robots, name)(), np.random.default_rng(0)
    made = flow(robot, equations(robot, whole=True, smoothing=1e-3), True, True)
    rates, factor, solve = (program.compile() for program in (made.rates, made.factor, made.solve))
    home = tf.close_loops(robot)
    q = tf.close_loops(robot, None, guess=home + random.uniform(-0.5, 0.5, len(home)))
    project = projection(robot).compile()
    qd = project(q, random.normal(size=project.inputs["qd"].size)).qd_closed
    y = np.concatenate([q, qd, [0.0]])
    tau = [random.normal(size=made.rates.inputs[name].size) for name in made.given]

    def f(y):
        return np.asarray(rates(y, 0.0, *tau))

    J = np.array([(f(y + 1e-6 * one) - f(y - 1e-6 * one)) / 2e-6 for one in np.eye(len(y))]).T
    b = random.normal(size=len(y))
    found = np.asarray(solve(np.asarray(factor(y, 0.0, *tau, 0.01)[0]), b))
    assert np.abs(found - np.linalg.solve(np.eye(len(y)) - 0.01 * J, b)).max() < 1e-7


def test_margins_vanish_where_a_parallelogram_is_in_line():
    robot = parallelogram()
    project, closure = projection(robot).compile(), loop_closure(robot).compile()
    for angle in (0.3, 0.03, 0.003):
        q = np.array([angle, -angle, angle])
        least = np.linalg.svd(closure(q).J[:2])[1][-1]
        assert project(q, np.zeros(3)).margin == pytest.approx(least, rel=2.0)


@pytest.mark.parametrize("method", ["DOP8", "DOP853", "Rodas5P", "BDF"])
@pytest.mark.parametrize("drive", [{}, {"torque": [0.3, -2.0, 1.5, 0.2, -0.1, 0.3]}])
def test_a_stopped_run_keeps_its_energy_to_its_last_state(method, drive):
    """It ends in the singular state, within a step and where the nearest state on the loops is not unique."""
    robot = tf.robots.sr400()
    home = tf.close_loops(robot)
    start = np.random.default_rng(103).uniform(-1.0, 1.0, len(home))
    q0 = tf.close_loops(robot, None, guess=home + start)
    with pytest.raises(tf.SimulationError, match="the equations of 'joint9' depend on one another") as error:
        tf.simulate(robot, np.linspace(0.0, 2.0, 101), q0=q0, method=method, **drive)
    run = error.value.trajectory
    balance = run.total - run.total[0] - run.work
    assert np.abs(balance).max() < 1e-4 * run.kinetic.max()
    assert run.residual.max() < 1e-6


@pytest.mark.parametrize("method", ["DOP8", "Rodas5P", "Rodas4"])
def test_a_sampled_run_says_that_the_mechanism_is_singular(method):
    """A method that returns after each step can fail before it has passed the singular state."""
    robot = tf.robots.sr400()
    home = tf.close_loops(robot)
    q0 = tf.close_loops(robot, None, guess=home + np.random.default_rng(100).uniform(-1.0, 1.0, len(home)))
    drive = {"torque": lambda t, q, qd: -0.5 * qd, "rate": 200}
    with pytest.raises(tf.SimulationError, match="the equations of 'joint9' depend on one another") as error:
        tf.simulate(robot, np.linspace(0.0, 1.0, 51), q0=q0, method=method, **drive)
    assert error.value.trajectory.t[-1] == pytest.approx(0.4293, abs=1e-3)


@pytest.mark.parametrize("robot", [FIVEBAR, tf.robots.delta(), bricard()], ids=lambda robot: robot.name)
def test_the_way_back_to_the_loops(robot):
    """Velocities are the nearest ones that keep the loops closed, as the inertia measures them."""
    program, mechanism = projection(robot), mechanism_of(robot)
    q = ClosedStates(robot).coordinates[2]
    dense = Dense(robot, q)
    qd = dense.rng.normal(size=len(q))
    J, inverse = dense.J, np.linalg.inv(dense.M)
    nearest = qd - inverse @ J.T @ np.linalg.pinv(J @ inverse @ J.T, rcond=1e-10) @ J @ qd
    closed, speeds, _ = interpret(program, q, qd)
    np.testing.assert_allclose(closed, q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(speeds, nearest, rtol=0, atol=1e-10)
    near = q + 1e-3 * dense.rng.normal(size=len(q))
    errors = []
    for _ in range(2):
        near = interpret(program, near, qd)[0]
        errors.append(np.abs(mechanism.error(near)).max())
    assert errors[0] < 1e-8
    assert errors[1] < 1e-14
