"""Simulations of random trees with joints of all kinds, beside SciPy's integrator with Pinocchio's dynamics."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import tauforge as tf

from ..random_robots import random_robot, random_state, seeds
from .with_pinocchio import Twin

T = np.linspace(0.0, 0.4, 5)
STEP = 1e-4
"""Of the differences that give the rates of Pinocchio's coordinates."""


def beside(robot, q, qd, tau):
    """Return coordinates, as Pinocchio has them, and velocities over time."""
    twin = Twin(robot)
    model, data, push, rub = twin.model, twin.data, twin.v(tau), np.zeros(twin.model.nv)
    rub[twin.places] = [float(joint.FV) for joint in twin.robot.joints for _ in joint.axes]

    def rates(t, y):
        q, v = pin.normalize(model, y[: model.nq]), y[model.nq :]
        ahead = [pin.integrate(model, q, k * STEP * v) - pin.integrate(model, q, -k * STEP * v) for k in (1, 2)]
        return np.concatenate([(8 * ahead[0] - ahead[1]) / (12 * STEP), pin.aba(model, data, q, v, push - rub * v)])

    start = np.concatenate([twin.q(q), twin.v(qd)])
    found = solve_ivp(rates, (T[0], T[-1]), start, "DOP853", T, rtol=1e-11, atol=1e-11)
    return twin, found.y[: model.nq].T, found.y[model.nq :].T


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("method", ["DOP853", "DOP8", "Rodas5P"])
@seeds(quick=1, all=25)
def test_simulations_agree_with_pinocchio(seed, method, floating):
    robot = random_robot(seed, several=True, floating=floating, fixed=False, smallest=2, largest=5, rotors=True)
    q, qd, tau = map(np.array, random_state(robot, seed))
    run = tf.simulate(robot, T, 0.3 * tau, q0=q, qd0=0.5 * qd, method=method, rtol=1e-10, atol=1e-10)
    twin, coordinates, velocities = beside(robot, q, 0.5 * qd, 0.3 * tau)
    size = 1.0 + np.abs(velocities).max()
    for k in range(len(T)):
        way = pin.difference(twin.model, twin.q(run.q[k]), pin.normalize(twin.model, coordinates[k]))
        assert np.abs(way).max() < 1e-7 * size
        assert np.abs(twin.v(run.qd[k]) - velocities[k]).max() < 1e-7 * size
