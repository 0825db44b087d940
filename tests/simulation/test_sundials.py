"""CVODE and IDA beside SciPy's methods."""

import sys

import numpy as np
import pytest

import tauforge as tf
from tauforge.papers.wolinski import forward as lwr
from tauforge.simulation.options import SUNDIALS

from ..random_robots import random_robot, random_state

ARM = tf.robots.planar2r()


@pytest.mark.parametrize("method", SUNDIALS)
def test_agreement(method):
    """A robot of several kinds of joints on a floating base, a closed loop, and an event."""
    robot = random_robot(3, smallest=2, largest=3, several=True, fixed=False, floating=True)
    q0, qd0, _ = random_state(robot, 3)
    t = np.linspace(0.0, 0.1, 6)
    exact = tf.simulate(robot, t, q0=q0, qd0=0.2 * np.array(qd0), rtol=1e-11)
    found = tf.simulate(robot, t, q0=q0, qd0=0.2 * np.array(qd0), method=method, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found.q, exact.q, atol=1e-6)
    np.testing.assert_allclose(found.qd, exact.qd, atol=1e-5 * np.abs(exact.qd).max())
    assert 0 < found.jacobians < found.evaluations
    loop = tf.robots.fourbar()
    t = np.linspace(0.0, 1.0, 11)
    found = tf.simulate(loop, t, q0=[1.0], method=method, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.q, tf.simulate(loop, t, q0=[1.0], rtol=1e-10).q, atol=1e-4)
    assert found.residual.max() < 1e-10


@pytest.mark.parametrize("method", SUNDIALS)
def test_samples_and_events(method):
    def falls(t, q, qd):
        return q[0] + 0.5

    falls.terminal = True
    t = np.linspace(0.0, 1.0, 21)
    exact = tf.simulate(ARM, t, rtol=1e-10, events=falls)
    found = tf.simulate(ARM, t, rtol=1e-8, method=method, events=falls)
    assert found.status == "event"
    assert found.events[0].t == pytest.approx(exact.events[0].t, abs=1e-6)
    tau = np.random.default_rng(0).uniform(-1.0, 1.0, (21, 2))
    exact = tf.simulate(ARM, t, tau, rtol=1e-10)
    np.testing.assert_allclose(tf.simulate(ARM, t, tau, rtol=1e-8, method=method).q, exact.q, atol=1e-4)


@pytest.mark.parametrize("method", SUNDIALS)
def test_the_lwr_needs_fewer_evaluations_than_published(method):
    found = lwr(1e-3, method)
    assert found.evaluations < 500


@pytest.mark.parametrize("method", SUNDIALS)
def test_what_fails(method, monkeypatch):
    with pytest.raises(tf.SimulationError, match="ZeroDivisionError"):
        tf.simulate(ARM, 1.0, torque=lambda t: [1 / 0, 0], method=method)
    with pytest.raises(tf.SimulationError, match="controller returned nan for joint2 at t = 0") as error:
        tf.simulate(ARM, [0.0, 0.25, 1.0], controller=lambda t, q, qd: [0.0, np.nan if t > 0.5 else 0.1], method=method)
    assert 0.25 < error.value.trajectory.t[-1] < 0.6
    with pytest.raises(tf.SimulationError, match=r"t = 0\.0153.*; the motion diverges") as error:
        tf.simulate(ARM, [0.0, 9.0], lambda t, q, qd: 50.0 * qd**3 + 1.0, method=method, rtol=1e-5)
    assert np.isfinite(error.value.trajectory.q).all()
    with pytest.raises(tf.SimulationError, match="it has taken max_steps steps"):
        tf.simulate(ARM, [0.0, 9.0], method=method, max_steps=5)
    for name in ("sksundae", "sksundae.cvode", "sksundae.ida"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(tf.ProgramError, match=r"pip install 'tauforge\[sundials\]'"):
        tf.simulate(ARM, [0.0, 1.0], method=method)
