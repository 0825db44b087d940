"""Bad input is refused, and what was computed before a failure is kept."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge import progress
from tauforge.robot.joint import Limits
from tauforge.simulation import options
from tauforge.simulation.system import System

ROBOT = tf.robots.planar2r()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"t": [0.0, 1.0, 1.0]}, r"not increasing: t\[2\] = 1 comes after t\[1\] = 1"),
        ({"t": [0.0]}, "at least the first and the last"),
        ({"t": -1.0}, "a duration is positive"),
        ({"t": [0.0, np.nan]}, "finite times"),
        ({"t": "soon"}, "array of times"),
        ({"q0": [0.0]}, r"q0 has shape \[1\]; its 2 entries are joint1, joint2"),
        ({"q0": [0.0, np.inf]}, "q0 has entries that are not finite"),
        ({"qd0": np.zeros((2, 2))}, "DOP853 takes one state, but q0, qd0 or torque has leading axes"),
        ({"qd0": ["a", "b"]}, "qd0 must be an array of numbers"),
        ({"torque": [1.0, 2.0, 3.0]}, r"torque has shape \[3\]; give 2 constant entries"),
        ({"torque": np.zeros((5, 2))}, r"or samples of shape \[3, 2\]"),
        ({"torque": [np.nan, 0.0]}, "torque has entries that are not finite"),
        ({"torque": lambda t, q: q}, "takes 2 arguments"),
        ({"torque": [0, 0], "controller": lambda t, q, qd: q}, "not both"),
        ({"controller": [1.0, 2.0]}, "must be a Controller"),
        ({"method": "Euler"}, "unknown method 'Euler'; choose among 'RK23'"),
        ({"rtol": 0.0}, "rtol is 0.0"),
        ({"atol": [1e-6]}, r"atol has shape \[1\]; give one number, or 4"),
        ({"atol": -1.0}, "atol must be positive"),
        ({"torque": [[1.0], [1.0, 2.0]]}, "torque must be an array of numbers"),
        ({"torque": [[["a", "b"]]]}, "torque must be an array of numbers"),
        ({"atol": 0.0}, "atol must be positive"),  # SciPy would never return
        ({"atol": None}, "atol must be positive"),
        ({"atol": "small"}, "atol must be a number"),
        ({"rtol": "small"}, "rtol is 'small'"),
        ({"max_step": "long"}, "max_step is 'long'"),
        ({"smoothing": None}, "smoothing is None"),
        ({"threads": 0}, "threads is 0"),
        ({"events": 3}, "an event is 'limits' or a function .* not 3"),
        ({"events": "limit"}, "an event is 'limits' or a function .* not 'limit'"),
        ({"events": lambda t, q: t}, "the event <lambda> must be a function of"),
        ({"rate": 0.0, "controller": lambda t, q, qd: q}, "positive number of samples"),
        ({"rate": 10.0, "torque": [0.0, 0.0]}, "rate is for"),
        ({"smoothing": -1.0}, "smoothing is -1.0"),
        ({"max_step": 0.0}, "max_step is 0.0"),
        ({"saturation": [1.0, 2.0, 3.0]}, r"saturation has shape \[3\]"),
        ({"wrenches": np.zeros((3, 6))}, r"one row per link \(link1, link2\); they have shape \[3, 6\]"),
        ({"events": "limits"}, "has no joint limits"),
        ({"events": [3]}, "an event is 'limits' or a function"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(tf.ProgramError, match=message) as error:
        tf.simulate(ROBOT, **{"t": [0.0, 0.5, 1.0], **given})
    assert not isinstance(error.value, tf.SimulationError)


def test_symbols_are_refused():
    with pytest.raises(tf.ProgramError, match="rrp has symbols"):
        tf.simulate(tf.robots.rrp(symbolic=True), 1.0)
    weld = tf.Joint(name="weld", antecedent=0, sigma=2)
    block = tf.Robot(name="block", joints=(weld,), bodies=(tf.Body(name="cube"),))
    with pytest.raises(tf.ProgramError, match="no joint that moves"):
        tf.simulate(block, 1.0)
    with pytest.raises(tf.ProgramError, match="a model takes a Robot"):
        tf.simulate("rrp", 1.0)


@pytest.mark.parametrize("method", options.SCIPY)
@pytest.mark.parametrize("rate", [None, 20.0])
def test_nan_from_a_controller(method, rate):
    t = np.linspace(0.0, 2.0, 41)
    with pytest.raises(tf.SimulationError, match=r"controller returned nan for joint2 at t = 1") as error:
        tf.simulate(
            ROBOT,
            t,
            controller=lambda t, q, qd: [0.0, np.nan if t > 1.01 else 0.1],
            method=method,
            rate=rate,
            rtol=1e-6,
        )
    kept = error.value.trajectory
    assert kept.status == "failed"
    assert 0.5 < kept.t[-1] <= 1.06
    exact = tf.simulate(ROBOT, kept.t, [0.0, 0.1], rtol=1e-10)
    np.testing.assert_allclose(kept.q, exact.q, atol=1e-3)


def test_other_mistakes_of_a_controller():
    with pytest.raises(tf.SimulationError, match=r"controller returned an array of shape \[3\] at t = 0"):
        tf.simulate(ROBOT, 1.0, controller=lambda t, q, qd: np.zeros(3))
    with pytest.raises(tf.SimulationError, match="ZeroDivisionError: division by zero") as error:
        tf.simulate(ROBOT, 1.0, torque=lambda t: [1 / 0, 0])
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    assert len(error.value.trajectory) == 1
    bad = tf.pd_control(ROBOT, 1.0, 1.0, lambda t: ([0.0, 0.0], [0.0, np.nan if t > 0.5 else 0.0]))
    with pytest.raises(tf.SimulationError, match="qd_ref that is not finite for joint2 at t = 0") as error:
        tf.simulate(ROBOT, 1.0, controller=bad)
    assert 0.0 < error.value.trajectory.t[-1] < 0.6


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (lambda t, q, qd: np.nan if t > 0.5 else 1.0, "returned nan at t = 0.5"),
        (lambda t, q, qd: q, r"returned an array of shape \[2\] at t = 0; return a number"),
        (lambda t, q, qd: 1 / 0, "failed at t = 0 with ZeroDivisionError"),
        (lambda t: "late", "returned str at t = 0"),
    ],
)
def test_mistakes_of_an_event(event, said):
    with pytest.raises(tf.SimulationError, match=f"the event <lambda> {said}") as error:
        tf.simulate(ROBOT, 1.0, events=event)
    assert error.value.trajectory.status == "failed"


@pytest.mark.parametrize("method", ["DOP853", "LSODA", "BDF", "CVODE"])
def test_functions_cannot_change_the_state(method):
    """What a function does to its arguments, or keeps of them, does not touch the integrator's memory."""
    if method == "CVODE":
        pytest.importorskip("sksundae")
    kept = []

    def careless(t, q, qd):
        kept.append((q, q.copy()))
        tau = [-q[0], 0.0]
        qd *= 0.0
        return tau

    def watched(t, q, qd):
        q += 5.0
        return t - 0.5

    found = tf.simulate(ROBOT, [0.0, 0.5, 1.0], careless, method=method, events=watched, rtol=1e-6)
    exact = tf.simulate(ROBOT, [0.0, 0.5, 1.0], lambda t, q, qd: [-q[0], 0.0], method=method, rtol=1e-6)
    np.testing.assert_array_equal(found.q, exact.q)
    assert all(np.array_equal(given, then) for given, then in kept)
    assert found.events[0].t == pytest.approx(0.5)


@pytest.mark.parametrize("method", ["DOP853", "DOP8"])
def test_steps_that_are_allowed(method):
    with pytest.raises(tf.SimulationError, match="max_steps steps") as error:
        tf.simulate(ROBOT, 9.0, max_steps=5, method=method)
    assert error.value.trajectory.steps == 5


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF"])
def test_an_integrator_that_gives_up(method):
    """A torque that grows with the cube of the speed drives it to infinity in finite time."""
    with pytest.raises(tf.SimulationError, match="planar2r: the integrator gave up at t = 0") as error:
        tf.simulate(ROBOT, np.linspace(0.0, 9.0, 901), lambda t, q, qd: 50.0 * qd**3 + 1.0, method=method, rtol=1e-5)
    kept = error.value.trajectory
    assert 0.0 < kept.t[-1] < 9.0
    assert np.isfinite(kept.q).all()
    assert repr(kept).startswith("Trajectory(planar2r: 0 to ")
    assert ", failed;" in repr(kept)


@pytest.mark.parametrize("method", options.SCIPY)
def test_a_state_beyond_which_loops_cannot_be_closed(method, monkeypatch):
    def settled(self, q):
        if q[0] < -0.5:
            raise tf.ProgramError("the loop 'pivot' stays open by 0.1 m")
        return q

    monkeypatch.setattr(System, "settled", settled)
    with pytest.raises(tf.SimulationError, match=r"gave up .* the loop 'pivot' stays open by 0\.1 m") as error:
        tf.simulate(ROBOT, np.linspace(0.0, 2.0, 201), method=method, rtol=1e-6)
    kept = error.value.trajectory
    assert kept.q[-1, 0] == pytest.approx(-0.5, abs=0.1)
    assert len(kept) > 10
    assert np.isfinite(kept.q).all()


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
def test_a_singular_state_of_a_loop(method):
    """Two elbows that meet: the forearms are then free to turn about them."""
    robot = tf.robots.fivebar()
    with pytest.raises(
        tf.SimulationError,
        match=r"joints arm1, arm2 no longer describe the mechanism: forearm1 .*; coordinates='all' goes on there",
    ) as error:
        tf.simulate(
            robot,
            np.linspace(0.0, 1.0, 101),
            [6.0, -6.0],
            q0=tf.close_loops(robot, [0.9, 2.0]),
            rtol=1e-6,
            method=method,
            coordinates="independent",
        )
    kept = error.value.trajectory
    np.testing.assert_allclose(kept.q[-1, [0, 2]], [np.pi / 3, np.pi * 2 / 3], atol=1e-3)
    assert kept.residual.max() < 1e-8


def test_an_interrupt_keeps_what_is_done():
    def torque(t):
        if t > 0.5:
            raise KeyboardInterrupt
        return [0.0, 0.0]

    with pytest.raises(KeyboardInterrupt) as interrupt:
        tf.simulate(ROBOT, np.linspace(0.0, 1.0, 101), torque)
    kept = interrupt.value.trajectory
    assert kept.status == "interrupted"
    assert 0.2 < kept.t[-1] <= 0.5
    np.testing.assert_allclose(kept.q[-1], tf.simulate(ROBOT, [0.0, kept.t[-1]]).q[-1], atol=1e-7)


def limited(lower=-np.inf, upper=np.inf):
    first, second = ROBOT.joints
    return replace(ROBOT, joints=(replace(first, limits=Limits(lower=lower, upper=upper)), second))


def test_limits_stop_the_simulation():
    robot = limited(lower=-0.7)
    t = np.linspace(0.0, 2.0, 21)
    found = tf.simulate(robot, t, events="limits", rtol=1e-10)
    assert found.status == "event"
    assert found.q[-1, 0] == pytest.approx(-0.7, abs=1e-9)
    (event,) = found.events
    assert event.name == "lower limit of joint1"
    assert event.t == found.t[-1] < 2.0
    np.testing.assert_allclose(found.q[-1], tf.simulate(robot, [0.0, event.t], rtol=1e-10).q[-1], atol=1e-8)
    again = tf.simulate(limited(upper=0.0), t, qd0=[1.0, 0.0], events="limits")
    assert len(again) == 1 or again.t[-1] == 0.0
    back = tf.simulate(limited(upper=0.0), [0.0, 0.2], events="limits")
    assert back.status == "done"
    with pytest.raises(tf.SimulationError, match=r"q0 is beyond the upper limit of joint1 by 0\.5"):
        tf.simulate(limited(upper=0.5), t, q0=[1.0, 0.0], events="limits")


def test_events_of_ones_own():
    def straight(t, q, qd):
        return q[1]

    def fast(t, q, qd):
        return abs(qd[0]) - 4.0

    fast.terminal = True
    fast.direction = 1.0
    found = tf.simulate(ROBOT, np.linspace(0.0, 5.0, 51), q0=[0.0, 1.0], events=[straight, fast])
    assert [event.name for event in found.events][-1] == "fast"
    assert {event.name for event in found.events[:-1]} <= {"straight"}
    assert abs(found.qd[-1, 0]) == pytest.approx(4.0, abs=1e-9)
    for event in found.events[:-1]:
        assert event.q[1] == pytest.approx(0.0, abs=1e-9)
    assert len(found.events) > 1


class Terminal:
    """A stream that says it is a terminal, and keeps what is written."""

    def __init__(self, tty):
        self.tty, self.text = tty, ""

    def isatty(self):
        return self.tty

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.mark.parametrize("tty", [True, False])
def test_progress_is_shown_only_at_a_terminal(tty, monkeypatch):
    stream = Terminal(tty)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(progress, "SHOWN_EVERY", 0.0)
    tf.simulate(ROBOT, [0.0, 1.0])
    assert ("simulating [" in stream.text) == tty
    assert stream.text.endswith(" \r") == tty
