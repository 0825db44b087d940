"""Simulations of random trees with joints of all kinds, beside SciPy's integrator with Pinocchio's dynamics."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import tauforge as tf
from tauforge.robot.body import NO_LIFT

from ..random_robots import random_robot, random_state, seeds
from .with_pinocchio import Twin

T = np.linspace(0.0, 0.4, 5)
WIDTH = 0.1
"""Of the velocities at which Coulomb friction changes its sign."""
STEP = 1e-4
"""Of the differences that give the rates of Pinocchio's coordinates."""


def beside(robot, q, qd, tau):
    """Return coordinates, as Pinocchio has them, and velocities over time."""
    twin = Twin(robot)
    model, data, push = twin.model, twin.data, twin.v(tau)
    own = [joint for joint in twin.robot.joints for _ in joint.axes]
    viscous, dry = (twin.v([float(getattr(joint, name)) for joint in own]) for name in ("FV", "FS"))
    single = [joint for joint in twin.robot.joints if len(joint.axes) == 1 and joint.eta]
    springs = [(model.joints[model.getJointId(joint.name)], float(joint.k), float(joint.rest)) for joint in single]

    def passive(q, v):
        found = -viscous * v - dry * v / np.sqrt(v * v + WIDTH**2)
        for joint, stiffness, rest in springs:
            found[joint.idx_v] -= stiffness * (q[joint.idx_q] - rest)
        return found

    def rates(t, y):
        q, v = pin.normalize(model, y[: model.nq]), y[model.nq :]
        ahead = [pin.integrate(model, q, k * STEP * v) - pin.integrate(model, q, -k * STEP * v) for k in (1, 2)]
        return np.concatenate(
            [(8 * ahead[0] - ahead[1]) / (12 * STEP), pin.aba(model, data, q, v, push + passive(q, v))]
        )

    start = np.concatenate([twin.q(q), twin.v(qd)])
    found = solve_ivp(rates, (T[0], T[-1]), start, "DOP853", T, rtol=1e-11, atol=1e-11)
    return twin, found.y[: model.nq].T, found.y[model.nq :].T


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("method", ["DOP853", "DOP8", "Rodas5P"])
@seeds(quick=1, all=25)
def test_simulations_agree_with_pinocchio(seed, method, floating):
    robot = random_robot(seed, several=True, floating=floating, fixed=False, smallest=2, largest=5, equipped=True)
    robot = robot.derived(bodies=tuple(replace(body, lift=NO_LIFT) for body in robot.bodies))
    q, qd, tau = map(np.array, random_state(robot, seed))
    run = tf.simulate(robot, T, 0.3 * tau, q0=q, qd0=0.5 * qd, method=method, rtol=1e-10, atol=1e-10, smoothing=WIDTH)
    twin, coordinates, velocities = beside(robot, q, 0.5 * qd, 0.3 * tau)
    size = 1.0 + np.abs(velocities).max()
    for k in range(len(T)):
        way = pin.difference(twin.model, twin.q(run.q[k]), pin.normalize(twin.model, coordinates[k]))
        assert np.abs(way).max() < 1e-7 * size
        assert np.abs(twin.v(run.qd[k]) - velocities[k]).max() < 1e-7 * size
