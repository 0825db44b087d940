"""Many states at once, each with its own steps; what is refused, what fails and what is kept then."""

import numpy as np
import pytest

import tauforge as tf
from tauforge import progress
from tauforge.simulation import compiled
from tauforge.simulation.tableaus import COMPILED

ARM = tf.robots.planar2r()
T = np.linspace(0.0, 0.5, 6)


def starts(*batch):
    rng = np.random.default_rng(3)
    return {"q0": rng.uniform(-2.0, 2.0, (*batch, 2)), "qd0": rng.uniform(-3.0, 3.0, (*batch, 2))}


@pytest.mark.parametrize("method", COMPILED)
def test_many_states_are_as_one_by_one(method):
    given = starts(3, 7)
    many = tf.simulate(ARM, T, [0.3, 0.1], **given, method=method, rtol=1e-7)
    assert many.shape == (3, 7)
    assert many.q.shape == (3, 7, 6, 2)
    assert many.kinetic.shape == (3, 7, 6)
    assert (many.states.status == "done").all()
    assert len({*many.states.steps.ravel()}) > 3  # each has its own
    assert many.evaluations == many.states.evaluations.sum()
    for place in ((0, 0), (1, 4), (2, 6)):
        one = tf.simulate(ARM, T, [0.3, 0.1], q0=given["q0"][place], qd0=given["qd0"][place], method=method, rtol=1e-7)
        own = many[place]
        assert own.states is None
        for name in ("t", "q", "qd", "qdd", "tau", "kinetic", "potential"):
            np.testing.assert_allclose(getattr(own, name), getattr(one, name), rtol=1e-9, atol=1e-10)
        assert own.steps == one.steps
        assert own.evaluations == one.evaluations
        assert own.jacobians == one.jacobians


def test_torques_of_each_state_and_broadcasting():
    tau = np.random.default_rng(0).uniform(-1.0, 1.0, (4, 1, 6, 2))
    many = tf.simulate(ARM, T, tau, q0=[[0.1, 0.2], [1.0, 0.0], [0.5, -0.5]], method="DOP8", rtol=1e-9)
    assert many.shape == (4, 3)
    one = tf.simulate(ARM, T, tau[2, 0], q0=[1.0, 0.0], rtol=1e-9)
    np.testing.assert_allclose(many[2, 1].q, one.q, atol=1e-8)
    np.testing.assert_allclose(many[2, 1].tau, one.tau)
    held = tf.simulate(ARM, T, tau[:, 0, :1], method="Tsit5", rtol=1e-8)
    assert held.shape == (4,)
    one = tf.simulate(ARM, T, tau[3, 0, 0], rtol=1e-9)
    np.testing.assert_allclose(held[3].q, one.q, atol=1e-7)


def test_floating_bases_loops_and_threads():
    free = ARM.with_base("floating", body=tf.Body(name="base", inertia=tf.Inertia(M=2.0, XX=0.1, YY=0.2, ZZ=0.15)))
    rng = np.random.default_rng(1)
    q0 = np.zeros((40, 9))
    q0[:, 3:7] = rng.normal(size=(40, 4))
    qd0 = rng.normal(size=(40, 8))
    many = tf.simulate(free, T, q0=q0, qd0=qd0, method="DOP8", rtol=1e-8)
    again = tf.simulate(free, T, q0=q0, qd0=qd0, method="DOP8", rtol=1e-8, threads=2)
    np.testing.assert_array_equal(many.q, again.q)
    np.testing.assert_allclose(np.linalg.norm(many.q[..., 3:7], axis=-1), 1.0, atol=1e-12)
    one = tf.simulate(free, T, q0=q0[17], qd0=qd0[17], rtol=1e-10)
    np.testing.assert_allclose(many[17].q, one.q, atol=1e-6)
    loop = tf.robots.fourbar()
    many = tf.simulate(loop, T, q0=[[1.0], [1.2], [0.8]], method="Rodas5P", rtol=1e-7)
    assert many.residual.max() < 1e-10
    one = tf.simulate(loop, T, q0=[1.2], rtol=1e-9)
    np.testing.assert_allclose(many[1].q, one.q, atol=1e-5)


def explosive():
    """Return a controller that drives the speed to infinity in finite time."""
    qd = tf.inverse_dynamics(ARM).arguments["qd"]
    from tauforge.program.array import outputs
    from tauforge.program.program import Program

    tau = [50.0 * v * v * v for v in qd.nodes]
    return Program("explosive", {"qd": qd}, {"tau": outputs(tau, [2], [ARM.velocity_names], "")})


@pytest.mark.parametrize("method", COMPILED)
def test_states_that_fail_leave_the_others_alone(method):
    q0 = np.array([[-np.pi / 2, 0.0], [0.3, 0.2], [-np.pi / 2, 0.0]])
    many = tf.simulate(ARM, T, controller=explosive(), q0=q0, method=method, rtol=1e-6, atol=1e-6)
    assert many.states.status.tolist() in (
        ["done", "step too small", "done"],
        ["done", "not finite", "done"],
    )
    assert many.status == "failed"
    assert np.isfinite(many.q[[0, 2]]).all()
    assert np.isnan(many.q[1, -1]).all()
    kept = many[1]
    assert kept.status == "failed"
    assert len(kept) < 6
    assert np.isfinite(kept.q).all()
    with pytest.raises(tf.SimulationError, match=r"planar2r: the integrator gave up at t = 0\.") as error:
        tf.simulate(ARM, T, controller=explosive(), q0=q0[1], method=method, rtol=1e-6, atol=1e-6)
    assert 0.0 < error.value.trajectory.t[-1] < 0.5
    assert error.value.trajectory.status == "failed"
    assert np.isfinite(error.value.trajectory.q).all()


def test_too_many_steps():
    with pytest.raises(tf.SimulationError, match="it has tried max_steps steps") as error:
        tf.simulate(ARM, [0.0, 50.0], method="Tsit5", max_steps=100)
    assert error.value.trajectory.steps <= 100
    assert 0.0 < error.value.trajectory.t[-1] < 50.0
    with pytest.raises(tf.SimulationError, match="it has taken max_steps steps"):
        tf.simulate(ARM, [0.0, 50.0], method="RK45", max_steps=100)
    many = tf.simulate(ARM, [0.0, 50.0], **starts(3), method="Tsit5", max_steps=100)
    assert (many.states.status == "too many steps").all()
    assert ((many.states.steps + many.states.rejected) == 100).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q0": np.zeros((3, 5))}, r"q0 has shape \[3, 5\]; its 2 entries are joint1, joint2"),
        ({"q0": np.zeros((3, 2)), "qd0": np.zeros((2, 2))}, r"do not broadcast together: q0 \(3,\), qd0 \(2,\)"),
        ({"q0": [[0.0, np.nan]]}, "q0 has entries that are not finite"),
        ({"q0": np.zeros((3, 2)), "t": 1.0}, "t is a duration; the results of many states need common times"),
        ({"q0": np.zeros((3, 2)), "events": lambda t, q, qd: q[0]}, "are for one state"),
        ({"torque": np.zeros((3, 4, 2))}, r"torque has shape \[3, 4, 2\]; for many states give \(..., 3, 2\)"),
        ({"torque": lambda t: [0.0, 0.0]}, "but the torque or controller is a function in Python"),
        ({"wrenches": lambda t: np.zeros((2, 6))}, "but wrenches is a function in Python"),
        ({"controller": lambda t, q, qd: q}, "give a Program, numbers or a rate"),
        ({"controller": tf.pd_control(ARM, 1.0, 1.0, lambda t: (t, t))}, "follows a function in Python"),
        ({"t": [0.0, 1.0, 0.5]}, "not increasing"),
        ({"max_steps": 0}, "max_steps is 0"),
        ({"threads": 0}, "threads is 0"),
    ],
)  # fmt: skip
def test_what_is_refused(given, message):
    with pytest.raises(tf.ProgramError, match=message) as error:
        tf.simulate(ARM, **{"t": [0.0, 0.5, 1.0], "method": "Tsit5", **given})
    assert not isinstance(error.value, tf.SimulationError)


def test_a_trajectory_of_many_states_is_chosen_from():
    many = tf.simulate(ARM, T, **starts(2), method="Tsit5")
    with pytest.raises(tf.ProgramError, match=r"has 2 states; choose one: trajectory\[0\]"):
        many.save("many.npz")
    with pytest.raises(tf.ProgramError, match="one state"):
        many[0][0]
    assert repr(many).startswith("Trajectory(planar2r: 2 states, 0 to 0.5 s")


def test_nan_from_a_sampled_controller():
    def control(t, q, qd):
        return [0.0, np.nan if t > 0.3 else 0.1]

    with pytest.raises(tf.SimulationError, match="controller returned nan for joint2 at t = 0") as error:
        tf.simulate(ARM, T, controller=control, rate=20.0, method="Tsit5")
    assert 0.2 < error.value.trajectory.t[-1] <= 0.35


@pytest.mark.parametrize("many", [False, True])
def test_an_interrupt_keeps_what_is_done(many, monkeypatch):
    """Slices of one step; the interrupt comes after the hundredth."""
    monkeypatch.setattr(compiled, "SLICE", 1.0)
    count = [0]

    def show(self, part, remark):
        count[0] += 1
        if count[0] == 100:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.Progress, "show", show)
    q0 = [[0.3, 0.2], [0.1, 0.0]] if many else [0.3, 0.2]
    with pytest.raises(KeyboardInterrupt) as error:
        tf.simulate(ARM, np.linspace(0.0, 100.0, 1001), q0=q0, method="Tsit5")
    kept = error.value.trajectory[1] if many else error.value.trajectory
    assert kept.status == "interrupted"
    assert 0.0 < kept.t[-1] < 100.0
    exact = tf.simulate(ARM, kept.t, q0=q0[1] if many else q0)
    np.testing.assert_allclose(kept.q, exact.q, atol=1e-6)


@pytest.mark.parametrize("robot", [ARM, tf.robots.fivebar()], ids=lambda robot: robot.name)
def test_no_states_at_all(robot):
    run = tf.simulate(robot, T, q0=np.zeros((0, 2)), method="Tsit5")
    assert run.q.shape == (0, len(T), len(robot.coordinate_names))
    assert run.qd_all.shape == (0, len(T), len(run.velocity_names_all))
