"""A URDF here and in Pinocchio: the same states for both, joints matched by their names, and every model compared."""

import math
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin

import tauforge as tf
from tauforge.robot.kinds import FLOATING

from ..interpret import interpret_many

ROOT = "root_joint"
"""What Pinocchio calls the joint of a floating base here."""


def load(path: Path, base: str | None = None, **options: bool) -> tf.Robot:
    """Load a robot, whatever its inertias are like, without friction, which Pinocchio's dynamics leave out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tf.RobotWarning)
        return tf.load(path, base=base, **options).neglect("FV", "FS")


class Peer:
    """A robot in Pinocchio, there without mimic joints: its velocities are S times ours, and our efforts Sᵀ its own."""

    def __init__(self, path: Path, robot: tf.Robot):
        root = (pin.JointModelFreeFlyer(), ROOT) if robot.base.floating else ()
        self.model = pin.buildModelFromUrdf(str(path), *root)
        self.data = self.model.createData()
        self.robot = robot.expanded()
        joints = self.robot.joints
        names = [ROOT, *(x.name for x in joints[1:])] if root else [x.name for x in joints]
        self.own = [self.model.joints[self.model.getJointId(name)] for name in names]
        assert len(names) == self.model.njoints - 1
        rows = [own.idx_v + k for own, joint in zip(self.own, joints, strict=True) for k in range(len(joint.axes))]
        self.S = np.zeros((self.model.nv, self.robot.dof))
        for row, movers in zip(rows, self.robot.degrees, strict=True):
            self.S[row, list(movers)] = list(movers.values())

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """Return Pinocchio's coordinates: of a continuous and of a planar joint's angle, cosine and sine."""
        entries = iter(q)
        free = [[next(entries) for _ in x.kind.coordinates] if not x.mimic else None for x in self.robot.joints]
        found = np.zeros(self.model.nq)
        for own, values, joint in zip(self.own, free, self.robot.joints, strict=True):
            if joint.mimic:
                values = [free[joint.mimic.joint - 1][0] * joint.mimic.ratio + joint.mimic.offset]
            if own.nq > len(values):
                values = [*values[:-1], math.cos(values[-1]), math.sin(values[-1])]
            found[own.idx_q : own.idx_q + own.nq] = values
        return found

    def states(self, count: int, seed: int) -> list[np.ndarray]:
        """Return random coordinates, velocities and accelerations of ours."""
        rng = np.random.default_rng(seed)
        columns = []
        for joint in self.robot.joints:
            if not joint.mimic:
                own = rng.uniform(-2, 2, (count, len(joint.kind.coordinates)))
                if joint.sigma == FLOATING:
                    own[:, 3:] /= np.linalg.norm(own[:, 3:], axis=1, keepdims=True)
                columns.append(own)
        return [np.hstack(columns), *rng.uniform(-2, 2, (2, count, self.robot.dof))]

    def pose(self, name: str) -> np.ndarray:
        """Return where a link is, in the base frame or in the world; all frames have been updated."""
        return self.data.oMf[self.model.getFrameId(name, pin.BODY)].homogeneous


def _whole(matrix: np.ndarray) -> np.ndarray:
    """Return a symmetric matrix of which Pinocchio has filled the upper half only."""
    return np.triu(matrix) + np.triu(matrix, 1).T


def _columns(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix that Pinocchio gives as a vector where it has one column."""
    return matrix.reshape(len(matrix), -1)


def compare(path: Path, base: str | None, count: int = 20, tolerance: float = 1e-9, **options: bool) -> None:
    """Compare all tree models on random states, or raise an AssertionError that says what differs."""
    robot = load(path, base, **options)
    peer = Peer(path, robot)
    whole_robot, model, data, S = peer.robot, peer.model, peer.data, peer.S
    names = whole_robot.frame_names
    if not whole_robot.dof:  # no joint, and the base stands still
        pin.framesForwardKinematics(model, data, pin.neutral(model))
        where = interpret_many(tf.transforms(robot), np.zeros((1, 0)))[0][0]
        for name, T in zip(names, where, strict=True):
            np.testing.assert_allclose(T, peer.pose(name), atol=tolerance)
        assert tf.direct_dynamics(robot).outputs["qdd"] == (0,)
        return
    points = list(dict.fromkeys(names[k] for k in (-1, len(names) // 2, 0)))
    q, qd, qdd = peer.states(count, len(names))
    tau = interpret_many(tf.inverse_dynamics(robot), q, qd, qdd)[0]
    ours = {
        "inverse dynamics": tau,
        "inertia matrix": interpret_many(tf.inertia_matrix(robot), q)[0],
        "Coriolis": np.einsum("sij,sj->si", interpret_many(tf.coriolis_matrix(robot), q, qd)[0], qd),
        "bias": interpret_many(tf.bias(robot), q, qd)[0],
        "gravity": interpret_many(tf.gravity(robot), q)[0],
        "centroidal matrix": interpret_many(tf.centroidal_matrix(robot), q)[0],
        "centroidal momentum": interpret_many(tf.centroidal_momentum(robot), q, qd)[0],
        "centre of mass": interpret_many(tf.centre_of_mass(robot), q)[0],
        "its Jacobian": interpret_many(tf.centre_of_mass_jacobian(robot), q)[0],
    }
    ours["kinetic energy"], ours["potential energy"] = interpret_many(tf.energy(robot), q, qd)
    ours |= {
        f"transform {n}": T
        for n, T in zip(names, np.moveaxis(interpret_many(tf.transforms(robot), q)[0], 1, 0), strict=True)
    }
    for point in points:
        ours[f"Jacobian {point}"] = interpret_many(tf.jacobian(robot, frame=point), q)[0]
        ours[f"local Jacobian {point}"] = interpret_many(tf.jacobian(robot, frame=point, axes="frame"), q)[0]
    direct = _direct(robot, q, qd, tau)
    for s in range(count):
        Q, Qd, Qdd = peer.coordinates(q[s]), S @ qd[s], S @ qdd[s]
        gravity = pin.computeGeneralizedGravity(model, data, Q).copy()
        nle = pin.nle(model, data, Q, Qd).copy()
        theirs = {
            "inverse dynamics": S.T @ pin.rnea(model, data, Q, Qd, Qdd),
            "inertia matrix": S.T @ _whole(pin.crba(model, data, Q)) @ S,
            "Coriolis": S.T @ (nle - gravity),
            "bias": S.T @ nle,
            "gravity": S.T @ gravity,
            "kinetic energy": pin.computeKineticEnergy(model, data, Q, Qd),
            "potential energy": pin.computePotentialEnergy(model, data, Q),
            "its Jacobian": _columns(pin.jacobianCenterOfMass(model, data, Q)) @ S,
            "centre of mass": pin.centerOfMass(model, data, Q),
        }
        pin.ccrba(model, data, Q, Qd)
        theirs |= {"centroidal matrix": _columns(data.Ag) @ S, "centroidal momentum": data.hg.vector}
        pin.framesForwardKinematics(model, data, Q)
        pin.computeJointJacobians(model, data, Q)
        pin.updateFramePlacements(model, data)
        theirs |= {f"transform {name}": peer.pose(name) for name in names}
        for point in points:
            frame = model.getFrameId(point, pin.BODY)
            theirs[f"Jacobian {point}"] = (
                _columns(pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)) @ S
            )
            theirs[f"local Jacobian {point}"] = _columns(pin.getFrameJacobian(model, data, frame, pin.LOCAL)) @ S
        assert theirs.keys() == ours.keys()
        for what, value in theirs.items():
            off = np.abs(ours[what][s] - value).max(initial=0.0)
            scale = max(1.0, np.abs(value).max(initial=0.0))
            assert off <= tolerance * scale, f"{path.name}, base {base}: {what} differs by {off:.1e} of {scale:.1e}"
        blur = 1e-14 * np.linalg.cond(theirs["inertia matrix"])  # an ill-conditioned matrix blurs any solution
        if direct is None or blur > 1e-3:
            assert blur > 1e-3, f"{path.name}, base {base}: direct dynamics is refused"
            continue
        off = np.abs(direct[s] - qdd[s]).max() / max(1.0, np.abs(qdd[s]).max())
        assert off <= tolerance + blur, f"{path.name}, base {base}: direct dynamics differs by {off:.1e}"


def _direct(robot: tf.Robot, *state: np.ndarray) -> np.ndarray | None:
    """Return the accelerations; None where a joint moves no mass, which is refused."""
    try:
        return interpret_many(tf.direct_dynamics(robot), *state)[0]
    except (tf.ProgramError, tf.RobotWarning) as error:
        assert "no inertia acts on joint" in str(error)  # noqa: PT017
        return None
