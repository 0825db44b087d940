"""Published simulations: the KUKA LWR of Woliński and Malczyk (2015), and Andrews' mechanism."""

import numpy as np
import pytest

import tauforge as tf

from ..models.loops.test_andrews import BODIES, ORDER, TORQUE, mechanism, spring

K = [10.0, 1000.0, 200.0, 100.0, 10.0, 10.0, 10.0]
C = [1000.0, 10000.0, 1000.0, 1000.0, 10.0, 10.0, 10.0]
PAPER = {1e-6: 1924, 1e-3: 993}
"""Evaluations of the right-hand side by Scilab's BDF, table 1, for each tolerance."""


def reference(t):
    """Return equations (28) and (29)."""
    w = np.pi / 7.0
    return np.full(7, np.pi / 2.0 * np.cos(w * t)), np.full(7, -np.pi / 2.0 * w * np.sin(w * t))


def lwr(tolerance, method="BDF"):
    """Return the motion under (32)-(34) from (30) and (31), 14 s."""
    robot = tf.robots.kuka_lwr()
    control = tf.pd_control(robot, K, C, reference)
    t = np.linspace(0.0, 14.0, 141)
    return tf.simulate(
        robot, t, controller=control, q0=np.full(7, np.pi / 2.0), method=method, rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize("tolerance", PAPER)
def test_the_lwr_needs_fewer_evaluations_than_published(tolerance):
    found = lwr(tolerance)
    assert found.evaluations < 0.4 * PAPER[tolerance]
    assert found.jacobians > 10
    wanted = np.array([reference(t)[0] for t in found.t])
    assert np.abs(found.q - wanted)[:, 0].max() < 0.1  # joint 1 follows


@pytest.mark.slow
def test_the_lwr_against_a_tight_tolerance():
    exact = lwr(1e-11, "Radau")
    assert np.abs(lwr(1e-6).q - exact.q).max() < 5e-6
    assert np.abs(lwr(1e-10, "LSODA").q - exact.q).max() < 1e-7


def start():
    q = [-0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256,
         -0.22266839016588588, 1.2305474445498212]  # fmt: skip
    return in_order(q)


def in_order(values):
    return np.array([dict(zip(ORDER, values, strict=True))[name] for name, *_ in BODIES])


def test_andrews_mechanism_at_the_published_time():
    found = tf.simulate(
        mechanism(), [0.0, 0.015, 0.03], [TORQUE], q0=start(), wrenches=lambda t, q, qd: spring(q[2]), rtol=1e-10
    )
    q = in_order([15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805303,
                  0.5347301163226948, 1.048080741042263])  # fmt: skip
    np.testing.assert_allclose(found.q[-1], q, rtol=1e-6)
    np.testing.assert_allclose(found.qd[-1], 1139.920302151208, rtol=1e-6)
    np.testing.assert_allclose(found.qdd[-1], -24631.76316945196, rtol=1e-5)
    assert found.residual.max() < 1e-12
