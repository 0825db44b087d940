"""The same robot in Pinocchio."""

import numpy as np
import pinocchio as pin

from tauforge import Robot
from tauforge.robot.joint import FIXED, FLOATING, PRISMATIC, REVOLUTE, SPHERICAL

KINDS = {
    REVOLUTE: pin.JointModelRZ,
    PRISMATIC: pin.JointModelPZ,
    SPHERICAL: pin.JointModelSpherical,
    FLOATING: pin.JointModelFreeFlyer,
}


def rotation(axis: str, angle: float) -> pin.SE3:
    return pin.SE3(pin.utils.rotate(axis, angle), np.zeros(3))


def translation(axis: str, length: float) -> pin.SE3:
    return pin.SE3(np.eye(3), length * np.eye(3)["xyz".index(axis)])


def to_pinocchio(robot: Robot) -> pin.Model:
    """Build a numeric tree robot joint by joint, its frames by Khalil and Kleinfinger's six parameters."""
    model = pin.Model()
    model.gravity.linear = np.array([float(x) for x in robot.gravity])
    placed = [(0, pin.SE3.Identity())]  # for each link: the Pinocchio joint that carries it, and its pose on that
    for joint, body in zip(robot.joints, robot.bodies, strict=True):
        parent, on = placed[joint.antecedent]
        pose = on * rotation("z", float(joint.gamma)) * translation("z", float(joint.b))
        pose = pose * rotation("x", float(joint.alpha)) * translation("x", float(joint.d))
        pose = pose * rotation("z", float(joint.theta)) * translation("z", float(joint.r))
        if joint.sigma == FIXED:
            placed.append((parent, pose))
        else:
            parent = model.addJoint(parent, KINDS[joint.sigma](), pose, joint.name)
            placed.append((parent, pin.SE3.Identity()))
            first = model.joints[parent].idx_v
            model.armature[first : first + len(joint.axes)] = float(joint.IA)
        if placed[-1][0]:
            model.appendBodyToJoint(placed[-1][0], inertia(body.inertia), placed[-1][1])
    return model


def inertia(body: object) -> pin.Inertia:
    XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = map(float, body)  # type: ignore[call-overload]
    first = np.array([MX, MY, MZ])
    com = first / M if M else np.zeros(3)
    about_origin = np.array([[XX, XY, XZ], [XY, YY, YZ], [XZ, YZ, ZZ]])
    about_com = about_origin - M * (com @ com * np.eye(3) - np.outer(com, com))
    return pin.Inertia(M, com, about_com)


def inverse_dynamics(model: pin.Model, q: list[float], qd: list[float], qdd: list[float]) -> np.ndarray:
    return pin.rnea(model, model.createData(), np.array(q), np.array(qd), np.array(qdd))


def inverse_dynamics_derivatives(model: pin.Model, *state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the derivatives of the efforts with respect to coordinates, velocities and accelerations."""
    data = model.createData()  # kept while its matrices are read: Pinocchio returns views of them
    pin.computeRNEADerivatives(model, data, *state)
    return data.dtau_dq.copy(), data.dtau_dv.copy(), whole(data.M)


def direct_dynamics_derivatives(model: pin.Model, *state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the derivatives of the accelerations with respect to coordinates, velocities and efforts."""
    data = model.createData()
    pin.computeABADerivatives(model, data, *state)
    return data.ddq_dq.copy(), data.ddq_dv.copy(), whole(data.Minv)


def whole(matrix: np.ndarray) -> np.ndarray:
    """Return a symmetric matrix of which Pinocchio has filled the upper half only."""
    return np.triu(matrix) + np.triu(matrix, 1).T
