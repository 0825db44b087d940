"""A real robot with four legs on a floating base keeps its energy and momentum for a hundred seconds."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

from .test_urdf import DATA

SOLO = "solo_description/robots/solo12.urdf"


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)])
def test_energy_and_momentum_of_solo(gravity):
    robot = replace(tf.load(DATA / SOLO, base="floating"), gravity=gravity).neglect("FV").neglect("FS")
    rng = np.random.default_rng(1)
    q0 = np.concatenate([[0.0, 0.0, 0.0, 0.1, -0.2, 0.3, 0.9], rng.uniform(-1.0, 1.0, 12)])
    qd0, t = rng.uniform(-1.0, 1.0, robot.dof), np.linspace(0.0, 100.0, 201)
    found = tf.simulate(robot, t, q0=q0, qd0=qd0, method="DOP8", rtol=1e-10, atol=1e-10)
    assert np.ptp(found.total) < 1e-7 * found.kinetic.max()
    if not any(gravity):
        momentum = tf.centroidal_momentum(robot).compile()(found.q, found.qd)
        assert np.abs(momentum - momentum[0]).max() < 1e-8 * np.abs(momentum[0]).max()
        assert np.ptp(found.kinetic) < 1e-7 * found.kinetic.max()
        assert np.abs(found.qd - found.qd[0]).max() > 0.5
