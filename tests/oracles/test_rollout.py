"""Rollouts against MuJoCo's: its Euler steps are semi-implicit too, and its fourth-order ones classical."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import tauforge as tf
from tauforge.bench.with_mujoco import mjcf
from tauforge.robot.kinds import PRISMATIC, REVOLUTE
from tests.random_robots import random_robot, random_state

from .agree import agree


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("method", "integrator"), [("semi-implicit", "mjINT_EULER"), ("rk4", "mjINT_RK4")])
def test_agrees_with_mujoco(seed, method, integrator):
    robot = random_robot(seed, smallest=4, largest=4, fixed=False, rotors=True)
    assert {joint.sigma for joint in robot.joints} <= {REVOLUTE, PRISMATIC}
    robot = replace(robot, gravity=(0.0, 1.0, -9.0))
    model = mujoco.MjModel.from_xml_string(mjcf(robot))
    model.opt.timestep, model.opt.integrator = 1e-3, getattr(mujoco.mjtIntegrator, integrator)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], _ = random_state(robot, seed)
    tau = np.random.default_rng(seed).normal(size=(60, 4))
    result = tf.rollout(robot, data.qpos, data.qvel, tau, 1e-3, method=method)
    for k in range(60):
        data.qfrc_applied[:] = tau[k]
        mujoco.mj_step(model, data)
        agree(result.q[k], data.qpos)
        agree(result.qd[k], data.qvel)
