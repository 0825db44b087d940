"""Time runs from the start: a simulation on another clock is the same simulation."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.functions import sin
from tauforge.graph.node import symbol
from tauforge.program.array import Array, Shape, outputs
from tauforge.program.program import Program
from tauforge.simulation.options import METHODS, SUNDIALS
from tauforge.simulation.tableaus import COMPILED

ARM = tf.robots.planar2r()
EPOCH = 2.0**30
"""In 2004, as Unix time. The clock resolves 2.4e-7 s there, and the times of the tests exactly."""
SECONDS = np.arange(33) / 64.0
START = {"q0": [0.3, 0.2], "qd0": [0.1, -0.2]}
TIGHT = {"rtol": 1e-9, "atol": 1e-9}


def skip_without_sundials(method):
    if method in SUNDIALS:
        pytest.importorskip("sksundae")


def same(found, exact, start=EPOCH):
    np.testing.assert_array_equal(found.t, start + exact.t)
    for name in ("q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(found, name), getattr(exact, name))
    assert found.steps == exact.steps


def close(found, exact, error):
    np.testing.assert_allclose(found.q, exact.q, atol=error)
    np.testing.assert_allclose(found.qd, exact.qd, atol=10 * error)


@pytest.mark.parametrize("method", METHODS)
def test_free_motion(method):
    skip_without_sundials(method)
    for start in (EPOCH, -EPOCH, 2.0**36):
        same(
            tf.simulate(ARM, start + SECONDS, **START, method=method),
            tf.simulate(ARM, SECONDS, **START, method=method),
            start,
        )


@pytest.mark.parametrize("method", METHODS)
def test_torques_and_controllers_that_are_sampled(method):
    skip_without_sundials(method)
    tau = np.random.default_rng(0).uniform(-1.0, 1.0, (33, 2))
    control = tf.pd_control(ARM, 20.0, 2.0, [0.5, 0.1])
    for given in ({"torque": tau}, {"controller": control, "rate": 64.0, "delay": 1}):
        exact, found = (tf.simulate(ARM, start + SECONDS, **START, **given, method=method) for start in (0.0, EPOCH))
        same(found, exact)


def motions(start):
    """Return references, and how much the clock may change what follows them."""
    ways = tf.motion([[0.3, 0.2], [0.5, 0.1], [0.1, -0.2]], start + np.array([0.0, 0.25, 0.4375]))
    series = tf.fourier_motion([[0.1, 0.2], [0.3, 0.0]], [[0.1, 0.0], [0.1, 0.1]], 1.0)
    fourier = tf.Motion(law=series.law.counted_from(-start), dof=2, start=start, end=start + 0.4375, kind="fourier")
    sines = tf.motion([f"sin(3*(t-{start!r}))", f"(t-{start!r})**2"], [start, start + 0.4375])
    return {
        "pieces": (ways, 0.0),
        "fourier": (fourier, 1e-6),
        "expressions": (sines, 1e-7),
        "stretched": (sines.stretched(0.375), 1e-7),
        "function": (lambda t: ([np.sin(t - start), 0.1], [np.cos(t - start), 0.0]), 1e-7),
    }


@pytest.mark.parametrize("kind", motions(0.0))
@pytest.mark.parametrize("method", ["DOP8", "Rodas5P", "DOP853", "BDF"])
def test_references(kind, method):
    """What is given as numbers follows the seconds exactly; a function of time can only be as fine as its clock."""
    if kind == "function" and method in COMPILED:
        pytest.skip("a compiled method cannot call Python")
    found, epoch = [], EPOCH if kind in ("pieces", "fourier") else 2.0**20
    for start in (0.0, epoch):
        follow, error = motions(start)[kind]
        law = tf.pd_control(ARM, 40.0, 4.0, follow)
        found.append(tf.simulate(ARM, start + SECONDS, controller=law, **START, method=method, rtol=1e-8, atol=1e-8))
    if error:
        close(found[1], found[0], error + (1e-6 if method == "BDF" else 0.0))
    else:
        same(found[1], found[0], epoch)


@pytest.mark.parametrize("method", ["DOP8", "Rodas4", "DOP853"])
def test_functions_and_programs_of_the_users_clock(method):
    """They are called with the user's time; what they make of it is as fine as their clock."""

    def law(start):
        t = symbol("t")
        tau = outputs([sin(2.0 * (t - start)), 0.1 * (t - start)], [2], [ARM.velocity_names], "")
        return tf.Controller(Program("law", {"t": Array(Shape([]), (t,))}, {"tau": tau}))

    exact, found = (
        tf.simulate(ARM, start + SECONDS, **START, controller=law(start), method=method, **TIGHT)
        for start in (0.0, EPOCH)
    )
    close(found, exact, 1e-6)
    close(exact, tf.simulate(ARM, SECONDS, lambda t: [np.sin(2.0 * t), 0.1 * t], **START, **TIGHT), 1e-7)


@pytest.mark.parametrize("method", ["DOP8", "DOP853", "BDF"])
def test_events_wrenches_and_torques_as_functions(method):
    def run(start):
        asked = []

        def late(t, q, qd):
            asked.append(t)
            return t - start - 0.3

        late.terminal = True
        more = {}
        if method not in COMPILED:
            more = {"wrenches": lambda t: np.full((2, 6), t - start), "torque": lambda t: [t - start, 0.0]}
        found = tf.simulate(ARM, start + SECONDS, **START, events=late, method=method, **TIGHT, **more)
        assert start <= min(asked) <= max(asked) <= start + SECONDS[-1]
        return found

    exact, found = run(0.0), run(EPOCH)
    assert found.status == "event"
    assert found.events[0].t - EPOCH == pytest.approx(0.3, abs=1e-6)
    assert found.t[-1] == found.events[0].t
    close(found, exact, 1e-5)


def test_many_states():
    q0 = np.random.default_rng(1).normal(size=(5, 2))
    exact, found = (tf.simulate(ARM, start + SECONDS, q0=q0, method="Tsit5") for start in (0.0, EPOCH))
    same(found, exact)
    np.testing.assert_array_equal(found.states.t, EPOCH + exact.states.t)


@pytest.mark.parametrize("start", [0.1, 1e6 + 0.1, 1.7e9 + 0.3])
def test_results_have_the_times_that_were_asked_for(start):
    t = start + np.cumsum(np.random.default_rng(2).uniform(0.01, 0.1, 40))
    for method in ("DOP8", "DOP853"):
        np.testing.assert_array_equal(tf.simulate(ARM, t, method=method).t, t)


def test_a_message_shows_the_time():
    with pytest.raises(tf.SimulationError, match=r"nan for joint1 at t = 1700000000\.25") as error:
        tf.simulate(
            ARM, 1.7e9 + SECONDS, controller=lambda t, q, qd: [np.nan if t >= 1.7e9 + 0.25 else 0.0, 0.0], rate=64.0
        )
    assert error.value.trajectory.t[-1] == 1.7e9 + 0.25


@pytest.mark.parametrize("method", COMPILED)
def test_a_step_ends_at_a_number(method):
    """Late in a long run, the times are rounded, and what is integrated is the rounded step."""
    tau = tf.gravity(ARM).compile()(np.zeros(2))
    late = 2.0**26
    rows = tau + np.array([[0.0, 0.0], [1.0, -0.5], [1.0, -0.5], [1.0, -0.5]])
    found = tf.simulate(ARM, [0.0, late, late + 0.5, late + 1.0], rows, method=method, **TIGHT)
    exact = tf.simulate(ARM, [0.0, 0.5, 1.0], rows[1:], **TIGHT)
    np.testing.assert_allclose(found.q[1:], exact.q, atol=2e-9)
