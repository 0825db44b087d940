"""The check of energy: the power is what changes the energy, sound runs pass, and planted faults do not."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.geometry.close_loops import on_manifold
from tauforge.robot.joint import Limits
from tauforge.simulation import compiled, flow, tableaus
from tauforge.simulation.balance import conserved
from tauforge.simulation.equations import equations
from tauforge.simulation.friction import Stiction
from tauforge.simulation.system import System
from tests.random_loops import random_mechanism
from tests.random_robots import random_robot, with_tendons

ARM = tf.robots.planar2r()
ADAPTIVE = ("Tsit5", "DOP8", "Rodas4", "Rodas5P", "RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")


def any_robot(seed):
    """Return a robot with friction, springs, rotors, tendons, a floating base or one that accelerates, and a state."""
    random, rng = Random(seed), np.random.default_rng(seed)
    if seed % 5 == 4:
        return random_mechanism(seed, planar=seed % 2 == 0)
    robot = random_robot(seed, rotors=True, several=True, floating=seed % 3 == 0, equipped=seed % 2 == 0, largest=5)
    single = any(len(joint.axes) == 1 for joint in robot.joints)
    robot = with_tendons(robot, seed) if single and seed % 3 == 1 else robot
    if seed % 4 == 1 and not robot.base.floating:
        W0, WP0, V0, VP0 = rng.normal(size=(4, 3)).tolist()
        robot = replace(robot, base=tf.Base(W0=tuple(W0), WP0=tuple(WP0), V0=tuple(V0), VP0=tuple(VP0)))
    joints = (replace(x, IA=random.uniform(0.05, 0.5)) if len(x.axes) == 1 else x for x in robot.joints)
    robot = replace(robot, joints=tuple(joints))
    return robot, on_manifold(robot, rng.normal(size=(1, len(robot.coordinate_names))))[0]


@pytest.mark.parametrize("seed", range(30))
def test_power_is_what_changes_the_energy(seed):
    """Along the equations of motion, with smoothed and sticking friction, saturation, wrenches and moving bases."""
    robot, q = any_robot(seed)
    if not robot.dof:
        return
    rng = np.random.default_rng(seed)
    options = {
        "wrenches": bool(seed % 2),
        "smoothing": 0.1 * (seed % 2),
        "stiction": Stiction(1.5) if seed % 3 == 1 else None,
        "saturation": tuple(rng.uniform(1.0, 3.0, robot.dof)) if seed % 4 == 2 else None,
    }
    motion, slopes = equations(robot, **options), conserved(robot).derivative("energy", ["q", "qd"]).compile()
    state = {name: 3.0 * rng.normal(size=shape.shape) for name, shape in motion.inputs.items()} | {"q": np.array(q)}
    found = dict(zip(motion.outputs, motion.compile()(*(state[name] for name in motion.inputs)), strict=True))
    by_q, by_qd = slopes(state["q"], state["qd"])
    parts = np.concatenate([by_q * state["qd"], by_qd * found["qdd"]])
    assert found["power"] == pytest.approx(parts.sum(), abs=1e-10 * np.abs(parts).sum() + 1e-300)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_the_work_of_a_torque_and_of_friction(method):
    """On a slide alone: work is force times way less what friction took, and the energy is what they make of it."""
    joint = tf.Joint(name="slide", antecedent=0, sigma=1, FV=0.7)
    robot = tf.Robot(
        name="cart", joints=(joint,), bodies=(tf.Body(name="cart", inertia=tf.Inertia(M=2.0)),), gravity=(0, 0, 0)
    )
    run = tf.simulate(robot, np.linspace(0.0, 2.0, 41), [3.0], method=method, rtol=1e-6, atol=1e-8)
    v = 3.0 / 0.7 * (1.0 - np.exp(-0.35 * run.t))
    np.testing.assert_allclose(run.work, v * v, atol=1e-4)
    assert run.energy_error < 1e-4
    assert run.energy_error == np.abs(run.total - run.total[0] - run.work).max()


def test_many_states_have_their_own_errors():
    run = tf.simulate(ARM, [0.0, 0.5, 1.0], q0=np.array([[0.1, 0.2], [1.0, -2.0], [0.0, 0.0]]), method="DOP8")
    assert run.work.shape == (3, 3)
    assert run.energy_error.shape == (3,)
    assert run.energy_error.max() < 1e-6
    assert run[1].energy_error == run.energy_error[1]


@pytest.mark.parametrize("ending", [".npz", ".csv", ".parquet"])
def test_files_hold_the_work(tmp_path, ending):
    run = tf.simulate(ARM, [0.0, 0.1, 0.2], [1.0, 0.5], method="DOP8")
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    again = tf.Trajectory.load(run.save(tmp_path / f"run{ending}"))
    np.testing.assert_array_equal(again.work, run.work)
    assert again.energy_error == run.energy_error


def test_files_of_older_versions_have_no_work(tmp_path):
    path = tf.simulate(ARM, [0.0, 0.1], method="DOP8").save(tmp_path / "run.npz")
    with np.load(path) as file:
        older = {name: file[name] for name in file.files if name not in ("work", "qd_all")}
    np.savez(path, **older)
    again = tf.Trajectory.load(path)
    assert np.isnan(again.energy_error)
    assert np.isnan(again.qd_all).all()


SOUND = {
    "stiff": {"controller": tf.pd_control(ARM, 1e5, 600.0, [0.3, -0.5]), "method": "Rodas4", "rtol": 1e-5},
    "sampled": {"controller": tf.pd_control(ARM, 100.0, 20.0, [0.3, -0.5]), "rate": 500.0, "method": "DOP8"},
    "delayed": {"controller": tf.pd_control(ARM, 50.0, 10.0, [0.3, -0.5]), "rate": 200.0, "delay": 2, "method": "RK45"},
    "python": {"torque": lambda t, q, qd: [np.sin(9.0 * t) - qd[0], -qd[1]], "method": "LSODA"},
    "event": {"events": lambda t, q, qd: q[0] + 1.0, "method": "Tsit5"},
    "loose": {"rtol": 1e-3, "atol": 1e-3, "method": "DOP853"},
    "tight": {"rtol": 1e-12, "atol": 1e-13, "method": "DOP8"},
    "fast": {"qd0": [300.0, -500.0], "method": "DOP8"},
    "late": {"t": np.linspace(1.7e9, 1.7e9 + 1.0, 5), "method": "Radau", "rtol": 1e-6},
    "at rest": {"q0": [-np.pi / 2, 0.0], "method": "BDF"},
    "wrenches": {"wrenches": np.ones((2, 6)), "method": "Rodas5P"},
    "saturated": {"torque": [30.0, -20.0], "saturation": 2.0, "method": "Tsit5"},
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_runs(name):
    run = tf.simulate(ARM, **{"t": np.linspace(0.0, 1.0, 5), "q0": [0.3, 0.4], **SOUND[name]})
    assert run.status == "done"
    assert np.isfinite(run.energy_error)


def with_ends(robot):
    joints = (replace(joint, limits=Limits(lower=-0.5, upper=0.5), FS=0.3) for joint in robot.joints)
    return replace(robot, joints=tuple(joints))


@pytest.mark.parametrize("method", ["Tsit5", "DOP8", "Rodas4", "DOP853", "Radau", "BDF"])
def test_stops_and_sticking_friction(method):
    given = {"q0": [0.2, 0.3], "stops": 1e4, "rtol": 1e-6, "atol": 1e-8, "method": method}
    stiff = {"stiction": 1.3} if method in ("Rodas4", "Radau", "BDF") else {}
    assert tf.simulate(with_ends(ARM), [0.0, 0.3, 0.6], **given, **stiff).status == "done"


def fails(robot, match, **given):
    """Simulate with a fault; return the error."""
    with pytest.raises(tf.SimulationError, match=match) as error:
        tf.simulate(robot, **{"t": np.linspace(0.0, 1.0, 11), "method": "DOP8", **given})
    kept = error.value.trajectory
    assert kept.status == "failed"
    assert np.isfinite(kept.q).all()
    return error.value


ENERGY = r"the energy at t = .* differs by .* J from what the work"


def changed(fault):
    """Return ``equations`` with accelerations that a fault has changed."""

    def faulty(robot, *given, **options):
        program = equations(robot, *given, **options)
        qdd = program.results["qdd"]
        q, qd = (program.arguments[name].nodes for name in ("q", "qd"))
        return replace(program, results={**program.results, "qdd": replace(qdd, nodes=tuple(fault(qdd.nodes, q, qd)))})

    return faulty


FAULTS = {
    "a Coriolis term with a wrong sign": lambda qdd, q, qd: [qdd[0] - 2e-3 * qd[0] * qd[1], qdd[1]],
    "a relative error of 1e-4": lambda qdd, q, qd: [qdd[0] * 1.0001, qdd[1]],
    "gravity of another place": lambda qdd, q, qd: [qdd[0] + 1e-3, qdd[1]],
    "friction that was forgotten": lambda qdd, q, qd: [qdd[0], qdd[1] - 1e-3 * qd[1]],
    "a velocity that is driven": lambda qdd, q, qd: [qdd[0] + 1e-4 * qd[0], qdd[1]],
    "a spring that nobody knows": lambda qdd, q, qd: [qdd[0] - 1e-3 * q[0], qdd[1]],
}


@pytest.mark.parametrize("method", ["Tsit5", "DOP8", "Rodas4", "DOP853", "LSODA"])
@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_equations(fault, method, monkeypatch):
    monkeypatch.setattr("tauforge.simulation.simulate.equations", changed(FAULTS[fault]))
    fails(ARM, ENERGY, q0=[0.3, 0.5], method=method)


def test_a_body_whose_inertia_is_wrong(monkeypatch):
    """The equations are those of another robot than the energy."""
    heavier = replace(
        ARM, bodies=(replace(ARM.bodies[0], inertia=ARM.bodies[0].inertia._replace(ZZ=1.0)), ARM.bodies[1])
    )
    monkeypatch.setattr(
        "tauforge.simulation.simulate.equations", lambda robot, *given, **options: equations(heavier, *given, **options)
    )
    fails(ARM, ENERGY, q0=[0.3, 0.5])


@pytest.mark.parametrize("method", ["Tsit5", "DOP8", "Rodas4"])
def test_a_method_with_a_wrong_coefficient(method, monkeypatch):
    """A weight of the new state that the estimated errors do not know."""
    rule = tableaus.tableau(method)
    wrong = rule._replace(m=rule.m * (1.0 + 1e-3 * np.arange(len(rule.m))))
    monkeypatch.setattr(compiled, "tableau", lambda name: wrong)
    compiled.march_of.cache_clear()
    try:
        fails(ARM, ENERGY, q0=[0.3, 0.5], method=method)
    finally:
        compiled.march_of.cache_clear()


def test_velocities_that_are_moved_on_the_way_back_to_the_manifold(monkeypatch):
    robot = tf.robots.fourbar()
    flow_of = flow.flow

    def moving(*given):
        found = flow_of(*given)
        settled = found.settle.results["settled"]
        nodes = list(settled.nodes)
        nodes[-2] = nodes[-2] * (1.0 + 1e-5)
        return found._replace(settle=replace(found.settle, results={"settled": replace(settled, nodes=tuple(nodes))}))

    monkeypatch.setattr(compiled, "flow", moving)
    compiled.march_of.cache_clear()
    try:
        fails(robot, ENERGY, q0=tf.close_loops(robot, [0.5]))
    finally:
        compiled.march_of.cache_clear()


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF", "CVODE"])
def test_a_state_that_jumps_between_steps(method, monkeypatch):
    """As at a break: the state after each sample is not that before it."""
    if method == "CVODE":
        pytest.importorskip("sksundae")
    monkeypatch.setattr(System, "settled_state", lambda self, y: y * np.array([1.0, 1.0, 1.0, 1.001]))
    fails(ARM, ENERGY, q0=[0.3, 0.5], torque=np.zeros((11, 2)), method=method)


@pytest.mark.parametrize("method", ["Tsit5", "DOP8", "Rodas4", "Rodas5P", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_a_five_bar_that_leaves_its_branch(method):
    """Where both forearms are in line, no acceleration of the arms describes the motion."""
    robot = tf.robots.fivebar()
    said = "independent joints arm1, arm2 no longer describe the mechanism: forearm"
    error = fails(robot, said, t=0.45, q0=[2.0, -1.2159, 1.1, 1.2382], method=method, coordinates="independent")
    assert error.trajectory.t[-1] == pytest.approx(0.2472, abs=5e-4)
    kept = error.trajectory
    assert np.ptp(kept.total[kept.t < 0.24]) < 1e-5


def test_many_states_of_which_some_leave_their_branch():
    robot = tf.robots.fivebar()
    q0 = tf.close_loops(robot, np.array([[2.0, 1.1], [1.5, 1.5]]), guess=[2.0, -1.2, 1.1, 1.2])
    run = tf.simulate(robot, np.linspace(0.0, 0.3, 10), q0=q0, method="DOP8", coordinates="independent")
    assert run.states.status.tolist() == ["singular", "done"]
    assert run.status == "failed"
    assert run.states.t[0] == pytest.approx(0.2472, abs=5e-4)


def test_a_crank_that_has_turned_often_is_not_singular():
    """Its angle is known only to the tolerance, which changes the energy as near a singular state."""
    robot = tf.robots.fourbar()
    q0 = tf.close_loops(robot, [0.5]) + np.array([2e5 * np.pi, 0.0, 0.0])
    run = tf.simulate(robot, np.linspace(0.0, 0.3, 4), q0=q0, qd0=[20.0], rtol=1e-6, method="Tsit5")
    assert run.status == "done"


PARALLEL = {"delta": 0.8, "orthoglide": 0.25, "gough_stewart": 0.15}


@pytest.mark.slow
@pytest.mark.parametrize("name", PARALLEL)
def test_parallel_robots_that_fall(name):
    """Released in random states: a run that ends has kept its energy, all others say why not."""
    robot = getattr(tf.robots, name)()
    home, rng = tf.close_loops(robot), np.random.default_rng(1)
    places = [robot.coordinate_names.index(joint) for joint in robot.velocity_names]
    said = 0
    for _ in range(16):
        try:
            q0 = tf.close_loops(robot, home[places] + PARALLEL[name] * rng.uniform(-1.0, 1.0, len(places)))
        except tf.TauforgeError:
            continue
        run = tf.simulate(robot, [0.0, 1.0], q0=q0[None], method="DOP8", coordinates="independent")[0]
        said += run.status == "failed"
        if run.status == "done":
            assert run.energy_error < 1e-5 * run.kinetic.max()
    assert said


COARSE = "differs by .* J from what the work .* a large part of all energy and work; make rtol and atol smaller"


def test_tolerances_that_excuse_everything():
    """Loose ones explain the loss of most of the energy, step by step; the whole says that the run tells nothing."""
    crank, times = tf.robots.slider_crank(), np.linspace(0.0, 1.9, 50)
    given = {"torque": [1.157], "method": "Tsit5"}
    error = fails(crank, COARSE, t=times, rtol=1e-3, **given)
    assert error.trajectory.energy_error > 100.0
    assert tf.simulate(crank, times, rtol=1e-6, **given).energy_error < 0.01
    q0 = np.stack([tf.close_loops(crank)] * 2)
    many = tf.simulate(crank, times, q0=q0, rtol=1e-3, **given)
    assert many.status == "failed"
    assert many.states.status.tolist() == ["energy error"] * 2


def test_a_multistep_method_on_friction_that_it_does_not_resolve():
    rubbing = replace(ARM, joints=tuple(replace(joint, FS=2.0, FV=0.1) for joint in ARM.joints))
    given = {"t": 5.0, "q0": [-1.5, 0.3], "qd0": [0.5, -0.5], "method": "BDF", "smoothing": 1e-6}
    fails(rubbing, COARSE, rtol=1e-2, atol=1e-3, **given)
    assert tf.simulate(rubbing, **given, rtol=1e-3, atol=1e-6).energy_error < 0.01


def test_motion_that_is_lost_in_the_absolute_tolerance_is_no_loss():
    """A controller's work of 1e-6 J, half of which is lost: states are as exact as an atol of 1e-3 asks for."""
    still = replace(ARM, gravity=(0.0, 0.0, 0.0))
    spring = tf.pd_control(still, 100.0, 0.0, [0.3, 0.5])
    given = {"controller": spring, "q0": [0.3001, 0.5], "method": "DOP8"}
    run = tf.simulate(still, 2.0, rtol=1e-2, atol=1e-3, **given)
    assert run.energy_error > 0.2 * np.abs(run.work).max()
    assert run.status == "done"
