"""The same robot in MuJoCo."""

import xml.etree.ElementTree as xml

import mujoco
import numpy as np

from tauforge.robot.entries import axis_names
from tauforge.robot.kinds import FIXED, FLOATING, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, UNIVERSAL

from .with_pinocchio import constant_pose, inertia, pin

KINDS = {REVOLUTE: "hinge", PRISMATIC: "slide", SPHERICAL: "ball", FLOATING: "free", UNIVERSAL: "hinge"}


LEAST = 1e-12
"""Mass of links that have none, and what is added to all moments of inertia."""


def text(*numbers):
    return " ".join(repr(float(x)) for x in numbers)


def to_mujoco(robot):
    """Return the robot as MuJoCo's model."""
    root = xml.Element("mujoco")
    xml.SubElement(root, "compiler", angle="radian")
    xml.SubElement(root, "option", gravity=text(*robot.gravity))
    at = [xml.SubElement(root, "worldbody")]
    for j, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
        pose, own = constant_pose(joint), inertia(body.inertia)
        x, y, z, w = pin.Quaternion(pose.rotation).coeffs()
        place = {"pos": text(*pose.translation), "quat": text(w, x, y, z)}
        link = xml.SubElement(at[joint.antecedent], "body", name=f"link {j}", **place)
        matrix = own.inertia + LEAST * np.eye(3)  # MuJoCo refuses links without inertia
        about = text(*matrix[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)])
        xml.SubElement(link, "inertial", pos=text(*own.lever), mass=text(own.mass or LEAST), fullinertia=about)
        if joint.sigma == PLANAR:
            for part, kind, axis in (("", "slide", "1 0 0"), (".y", "slide", "0 1 0"), (".z", "hinge", "0 0 1")):
                xml.SubElement(link, "joint", name=joint.name + part, type=kind, axis=axis)
        elif joint.sigma != FIXED:
            given = {"armature": joint.IA, "damping": joint.FV}
            given |= {"stiffness": joint.k, "springref": joint.rest} if joint.eta else {}
            values = {key: text(x) for key, x in given.items()}
            xml.SubElement(link, "joint", name=joint.name, type=KINDS[joint.sigma], **values)
            if joint.sigma == UNIVERSAL:  # two hinges, the second on the first
                xml.SubElement(link, "joint", name=f"{joint.name}.second", type="hinge", axis="1 0 0", **values)
        at.append(link)
    return mujoco.MjModel.from_xml_string(xml.tostring(root, encoding="unicode"))


class Twin:
    """A robot in MuJoCo, at a state.

    Its velocities are v = B q̇: those of a free joint are MuJoCo's once their linear part is turned to the world's axes.
    """

    def __init__(self, robot, q, qd):
        self.model = to_mujoco(robot)
        self.data = mujoco.MjData(self.model)
        self.B, rate = np.zeros((2, len(axis_names(robot)), len(axis_names(robot))))
        given, row = iter(q), 0
        for joint in (joint for joint in robot.joints if joint.sigma != FIXED):
            own = self.model.joint(joint.name)
            coordinates = np.array([next(given) for _ in joint.kind.coordinates])
            if joint.sigma == FLOATING:  # MuJoCo has its pose in the world, whatever its constant frame
                pose = constant_pose(joint) * pin.XYZQUATToSE3(coordinates)
                coordinates = pin.SE3ToXYZQUAT(pose)
            if joint.sigma in (SPHERICAL, FLOATING):
                coordinates[-4:] = np.roll(coordinates[-4:], 1)  # MuJoCo has w first
            first = own.qposadr[0]
            self.data.qpos[first : first + len(coordinates)] = coordinates
            places = own.dofadr[0] + np.arange(len(joint.axes))
            columns = row + np.arange(len(joint.axes))
            self.B[places, columns] = 1.0
            if joint.sigma == FLOATING:
                w, x, y, z = coordinates[-4:]
                R = pin.Quaternion(w, x, y, z).matrix()
                self.B[np.ix_(places[:3], columns[:3])] = R
                rate[np.ix_(places[:3], columns[:3])] = R @ pin.skew(qd[columns[3:]])
            if joint.sigma == PLANAR:
                c, s, turning = np.cos(coordinates[2]), np.sin(coordinates[2]), qd[columns[2]]
                self.B[np.ix_(places[:2], columns[:2])] = [[c, -s], [s, c]]
                rate[np.ix_(places[:2], columns[:2])] = turning * np.array([[-s, -c], [c, -s]])
            row += len(joint.axes)
        self.bias = rate @ qd
        self.data.qvel[:] = self.B @ qd

    def inverse(self, qdd):
        self.data.qacc[:] = self.B @ qdd + self.bias
        mujoco.mj_inverse(self.model, self.data)
        return self.B.T @ self.data.qfrc_inverse

    def direct(self, tau):
        self.data.qfrc_applied[:] = np.linalg.solve(self.B.T, tau)
        mujoco.mj_forward(self.model, self.data)
        return np.linalg.solve(self.B, self.data.qacc - self.bias)

    def inertia_matrix(self):
        mujoco.mj_forward(self.model, self.data)
        rows = np.zeros_like(self.B)
        for row, unit in zip(rows, np.eye(len(rows)), strict=True):
            mujoco.mj_mulM(self.model, self.data, row, unit)
        return self.B.T @ rows @ self.B
