"""The same robot in Pinocchio."""

import numpy as np
import pinocchio as pin

from tauforge import Inertia, Robot
from tauforge.robot.joint import Joint
from tauforge.robot.kinds import FIXED, FLOATING, HELICAL, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, UNIVERSAL

KINDS = {
    REVOLUTE: lambda joint: pin.JointModelRZ(),
    PRISMATIC: lambda joint: pin.JointModelPZ(),
    SPHERICAL: lambda joint: pin.JointModelSpherical(),
    FLOATING: lambda joint: pin.JointModelFreeFlyer(),
    PLANAR: lambda joint: pin.JointModelPlanar(),
    HELICAL: lambda joint: pin.JointModelHZ(float(joint.pitch)),
    UNIVERSAL: lambda joint: pin.JointModelUniversal(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])),
}
POSE = ("gamma", "b", "e", "alpha", "d", "theta", "r")


class Twin:
    """A numeric tree robot in Pinocchio, built joint by joint and branch by branch: its matrices are right in that
    order only (stack-of-tasks/pinocchio, issue 1897). States go in by ``q`` and ``v``; results come back in the robot's
    order through ``rows``, ``columns`` and ``square``. ``hinges`` makes two revolute joints of each universal one, as
    Pinocchio's derivatives take the axes of a joint to be constant in its link.

    Attributes
    ----------
    carrier, pose
        For each link the Pinocchio joint that carries it, 0 if none does, and its pose on that.
    frames
        Pinocchio's number of each link's frame.
    """

    def __init__(self, robot: Robot, hinges: bool = False) -> None:
        self.robot, self.hinges = robot.expanded(), hinges
        robot = self.robot
        self.model = pin.Model()
        self.model.gravity.linear = np.array([float(x) for x in robot.gravity])
        placed = {0: (0, pin.SE3.Identity())}
        for j in depth_first(robot):
            placed[j] = self._add(j, *placed[robot.joints[j - 1].antecedent])
        self.carrier = [placed[j][0] for j in range(1, len(placed))]
        self.pose = [placed[j][1] for j in range(1, len(placed))]
        self.frames = [self._frame(f"{body.name} frame", j, np.zeros(3)) for j, body in enumerate(robot.bodies)]
        self.data = self.model.createData()
        moving = [own for joint in robot.joints if joint.sigma != FIXED for own in self._own(joint)]
        self.places = [i for joint in moving for i in range(joint.idx_v, joint.idx_v + joint.nv)]

    def _add(self, j: int, parent: int, on: pin.SE3) -> tuple[int, pin.SE3]:
        """Add a link; return the joint that carries it and its pose on that."""
        joint, body = self.robot.joints[j - 1], self.robot.bodies[j - 1]
        pose = on * constant_pose(joint)
        if joint.sigma != FIXED:
            kinds = [KINDS[joint.sigma](joint)]
            if self.hinges and joint.sigma == UNIVERSAL:
                kinds = [pin.JointModelRZ(), pin.JointModelRX()]
            for name, kind in zip((joint.name, f"{joint.name}.second"), kinds, strict=False):
                parent = self.model.addJoint(parent, kind, pose, name)
                pose = pin.SE3.Identity()
                first = self.model.joints[parent].idx_v
                self.model.armature[first : first + self.model.joints[parent].nv] = float(joint.IA)
        if parent:
            self.model.appendBodyToJoint(parent, inertia(body.inertia), pose)
        return parent, pose

    def _own(self, joint: Joint) -> list[pin.JointModel]:
        """Return the joints that stand for one of the robot's."""
        names = (joint.name, f"{joint.name}.second")
        return [self.model.joints[self.model.getJointId(name)] for name in names if self.model.existJointName(name)]

    def _frame(self, name: str, link: int, point: np.ndarray) -> int:
        pose = self.pose[link] * pin.SE3(np.eye(3), point)
        return self.model.addFrame(pin.Frame(name, self.carrier[link], 0, pose, pin.OP_FRAME))

    def frame(self, link: int, point: np.ndarray) -> int:
        """Return the number of a frame at a point of a link."""
        number = self._frame(f"frame {len(self.model.frames)}", link, point)
        self.data = self.model.createData()
        return number

    def q(self, q: np.ndarray) -> np.ndarray:
        """Return coordinates as Pinocchio's, which has cosine and sine of a planar joint's angle."""
        found, values = np.zeros(self.model.nq), iter(q)
        for joint in self.robot.joints:
            if joint.sigma != FIXED:
                own = self._own(joint)
                coordinates = [next(values) for _ in joint.kind.coordinates]
                if joint.sigma == PLANAR:
                    x, y, angle = coordinates
                    coordinates = [x, y, np.cos(angle), np.sin(angle)]
                places = [i for part in own for i in range(part.idx_q, part.idx_q + part.nq)]
                found[places] = coordinates
        return found

    def v(self, v: np.ndarray) -> np.ndarray:
        """Return velocities, accelerations or efforts in Pinocchio's order."""
        found = np.zeros(self.model.nv)
        found[self.places] = v
        return found

    def rows(self, x: np.ndarray) -> np.ndarray:
        """Return a vector or the rows of a matrix in the robot's order."""
        return x[self.places]

    def columns(self, x: np.ndarray) -> np.ndarray:
        """Return a matrix of six rows with its columns in the robot's order; a single one comes as a vector."""
        return x.reshape(6, self.model.nv)[:, self.places]

    def square(self, x: np.ndarray) -> np.ndarray:
        """Return a matrix with rows and columns in the robot's order."""
        return x[np.ix_(self.places, self.places)]

    def symmetric(self, x: np.ndarray) -> np.ndarray:
        """Return a symmetric matrix, of which Pinocchio has filled the upper half only."""
        return self.square(np.triu(x) + np.triu(x, 1).T)

    def forces(self, wrenches: np.ndarray) -> pin.StdVec_Force:
        """Return the wrenches that the links exert on their surroundings as those that act on Pinocchio's joints."""
        total = [pin.Force.Zero() for _ in self.model.joints]
        for carrier, pose, wrench in zip(self.carrier, self.pose, wrenches, strict=True):
            total[carrier] -= pose.act(pin.Force(wrench))
        forces = pin.StdVec_Force()
        forces.extend(total)
        return forces

    def standing(self) -> tuple[float, np.ndarray]:
        """Return mass and first moments of what is fixed to the world, which Pinocchio leaves out."""
        mass, moments = 0.0, np.zeros(3)
        for carrier, pose, body in zip(self.carrier, self.pose, self.robot.bodies, strict=True):
            if not carrier:
                own = inertia(body.inertia)
                mass, moments = mass + own.mass, moments + own.mass * pose.act(own.lever)
        return mass, moments


def depth_first(robot: Robot) -> list[int]:
    """Return the links' numbers, each branch to its tip before the next."""
    order, stack = [], robot.children(0)[::-1]
    while stack:
        order.append(stack.pop())
        stack += robot.children(order[-1])[::-1]
    return order


def constant_pose(joint: Joint) -> pin.SE3:
    """Return the pose at q = 0 by Khalil and Kleinfinger's six parameters, and e."""
    gamma, b, e, alpha, d, theta, r = (float(getattr(joint, key)) for key in POSE)
    twist = pin.SE3(pin.utils.rotate("z", gamma), np.array([0.0, 0.0, b])) * pin.SE3(np.eye(3), np.array([0.0, e, 0.0]))
    turn = pin.SE3(pin.utils.rotate("x", alpha), np.array([d, 0.0, 0.0]))
    return twist * turn * pin.SE3(pin.utils.rotate("z", theta), np.array([0.0, 0.0, r]))


def inertia(body: Inertia) -> pin.Inertia:
    """Return a body's inertia, which Pinocchio has about the centre of mass."""
    XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = map(float, body)
    com = np.array([MX, MY, MZ]) / M if M else np.zeros(3)
    about_origin = np.array([[XX, XY, XZ], [XY, YY, YZ], [XZ, YZ, ZZ]])
    about_com = about_origin - M * (com @ com * np.eye(3) - np.outer(com, com))
    return pin.Inertia(M, com, about_com)
