"""MuJoCo's answers in the coordinates used here."""

from dataclasses import dataclass

import mujoco
import numpy as np

FREE, BALL = 0, 1


def turned(quaternion):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)


@dataclass
class State:
    """A random state of a model, in MuJoCo's coordinates and in ours.

    Quaternions are (w, x, y, z) there and (x, y, z, w) here. The linear velocity of a free joint is in the world's axes
    there and in the body's here: ours are T times theirs, and ours change with time by ``drift`` more than T times
    their accelerations.
    """

    qpos: np.ndarray
    qvel: np.ndarray
    q: np.ndarray
    T: np.ndarray
    drift: np.ndarray

    @property
    def qd(self):
        return self.T @ self.qvel


def random_state(model, seed):
    random = np.random.default_rng(seed)
    qpos, qvel = random.uniform(-1.5, 1.5, model.nq), random.uniform(-2, 2, model.nv)
    T, drift = np.eye(model.nv), np.zeros(model.nv)
    for joint in range(model.njnt):
        if model.jnt_type[joint] in (FREE, BALL):
            start = model.jnt_qposadr[joint] + (3 if model.jnt_type[joint] == FREE else 0)
            qpos[start : start + 4] /= np.linalg.norm(qpos[start : start + 4])
    q = qpos.copy()
    for joint in range(model.njnt):
        kind, at, v = model.jnt_type[joint], model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        if kind in (FREE, BALL):
            start = at + (3 if kind == FREE else 0)
            q[start : start + 4] = np.roll(qpos[start : start + 4], -1)
        if kind == FREE:
            R = turned(qpos[at + 3 : at + 7])
            T[v : v + 3, v : v + 3] = R.T
            drift[v : v + 3] = -np.cross(qvel[v + 3 : v + 6], R.T @ qvel[v : v + 3])
    return State(qpos, qvel, q, T, drift)


def forward(model, state):
    """Return MuJoCo's data at a state, constraints left out but for friction."""
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_EQUALITY | off.mjDSBL_LIMIT | off.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    mujoco.mj_forward(model, data)
    return data


def inertia_matrix(model, data, state):
    M = np.zeros((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[k], unit)
    return state.T @ M @ state.T.T


def energies(model, data):
    """Return kinetic and potential energy, that of springs included. MuJoCo's has the weight of bodies that stand
    still, and of what carries others against gravity nothing.
    """
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    potential, kinetic = data.energy
    share = np.where(model.body_weldid == 0, 1.0, model.body_gravcomp if model.ngravcomp else 0.0)
    return kinetic, potential + share * model.body_mass @ (data.xipos @ model.opt.gravity)


def inverse(model, data, state, qdd):
    """Return the efforts for accelerations: M qacc + qfrc_bias - qfrc_passive, and the constraints of friction.

    These are soft, but as good as rigid where velocities are not small.
    """
    data.qacc[:] = state.T.T @ (qdd - state.drift)
    mujoco.mj_inverse(model, data)
    return state.T @ data.qfrc_inverse
