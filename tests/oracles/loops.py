"""Closed loops in other engines: their own Jacobians of the two sides of each cut, projected in NumPy.

An engine gives, for the tree at a state, the inertia matrix, the efforts of the bias, and pose, velocity, Jacobian and
acceleration of frames on its links. What a cut joint holds follows from those of its two sides.
"""

from dataclasses import dataclass, replace

import mujoco
import numpy as np
import pinocchio as pin

import tauforge as tf
from tauforge.models.inertia_matrix import first_degrees
from tauforge.models.loops.search import mechanism_of
from tauforge.robot.entries import axis_names, by_joint

from .with_mujoco import Twin as MujocoTwin
from .with_pinocchio import Twin as PinocchioTwin
from .with_pinocchio import constant_pose

HELD = {
    "revolute": (0, 1, 2, 3, 4),
    "prismatic": (0, 1, 3, 4, 5),
    "spherical": (0, 1, 2),
    "universal": (0, 1, 2),
    "fixed": (0, 1, 2, 3, 4, 5),
    "planar": (2, 3, 4),
}


@dataclass
class Side:
    """One side of a cut: pose, Jacobian, velocity, and the acceleration where no joint accelerates, in world axes."""

    R: np.ndarray
    p: np.ndarray
    J: np.ndarray
    V: np.ndarray
    A: np.ndarray


def held(word, a, b):
    """Return K and k of K q̈ + k = 0 for the tree: what a cut joint of that kind does not allow, in the axes of A."""
    R, d = a.R.T, b.p - a.p
    wa = a.V[3:]
    linear = R @ (b.J[:3] - a.J[:3] + pin.skew(d) @ a.J[3:])
    angular = R @ (b.J[3:] - a.J[3:])
    v = b.V[:3] - a.V[:3] - np.cross(wa, d)
    w = b.V[3:] - a.V[3:]
    gone = b.A[:3] - a.A[:3] - np.cross(a.A[3:], d) - np.cross(wa, np.cross(wa, d)) - 2 * np.cross(wa, v)
    turned = b.A[3:] - a.A[3:] - np.cross(wa, w)
    K, k = np.vstack([linear, angular]), np.concatenate([R @ gone, R @ turned])
    rows = list(HELD[word])
    found = [K[rows]], [k[rows]]
    if word == "universal":  # z of A and x of B stay perpendicular
        z, x, w = np.array([0.0, 0.0, 1.0]), R @ b.R[:, 0], R @ w
        normal = np.cross(x, z)
        found[0].append((normal @ angular)[None])
        found[1].append([normal @ (R @ turned) + w @ np.cross(np.cross(w, x), z)])
    return np.vstack(found[0]), np.concatenate(found[1])


def without_mimics(robot):
    """Return the robot with all joints free, and the equations by which some follow others."""
    free = robot.derived(joints=tuple(replace(joint, mimic=None) for joint in robot.joints))
    places = first_degrees(robot)
    rows = []
    for j, joint in enumerate(robot.joints, 1):
        if joint.mimic:
            row = np.zeros(places[-1])
            row[places[j]] = 1.0
            for k, ratio in joint.mimic.of:
                row[places[k]] = -ratio
            rows.append(row)
    return free, np.array(rows).reshape(len(rows), places[-1])


class Engine:
    """A robot with loops in another engine, at a state: M, h of the tree, and K, k of all its loops.

    ``h`` includes gravity, friction, springs, and wrenches that the links exert.
    """

    def __init__(self, robot, q, qd, wrenches=None):
        self.robot, self.mimics = without_mimics(robot.expanded())
        q = np.array([x for own in by_joint(robot.expanded(), list(q)) for x in own])
        names = axis_names(self.robot)
        self.free = [names.index(name) for name in robot.velocity_names]
        self.tree(q, np.zeros(len(names)))
        S = np.eye(len(names))[self.free]
        K = self.loops()[0]
        self.G = np.linalg.lstsq(np.vstack([K, S]), np.vstack([np.zeros((len(K), len(S))), np.eye(len(S))]))[0]
        self.v = self.G @ qd
        self.tree(q, self.v)
        self.M, self.h = self.mass(), self.bias(q, wrenches)
        self.K, self.k = self.loops()
        dependent = [i for i in range(len(names)) if i not in self.free]
        self.condition = np.linalg.cond(self.K[:, dependent]) if len(dependent) else 1.0

    def loops(self):
        """Return K and k of all loops."""
        cuts = [held(x.joint.kind.word, self.side(x.joint), self.side(x.frame)) for x in self.robot.loops]
        cuts.append((self.mimics, np.zeros(len(self.mimics))))
        return np.vstack([K for K, _ in cuts]), np.concatenate([k for _, k in cuts])

    def accelerations(self, qdd):
        """Return the accelerations of all joints from those of the independent ones."""
        S = np.eye(len(self.M))[self.free]
        return np.linalg.lstsq(np.vstack([self.K, S]), np.concatenate([-self.k, qdd]))[0]

    def inverse(self, qdd):
        """Return the efforts of the independent joints."""
        return self.G.T @ (self.M @ self.accelerations(qdd) + self.h)

    def direct(self, tau):
        """Return the accelerations of all joints, and the forces that the loops need."""
        m, n = self.K.shape
        effort = np.zeros(n)
        effort[self.free] = tau
        A = np.block([[self.M, self.K.T], [self.K, np.zeros((m, m))]])
        found = np.linalg.lstsq(A, np.concatenate([effort - self.h, -self.k]))[0]
        return found[:n], -found[n:]

    def cut_wrenches(self, forces):
        """Return the wrench that each cut transmits to its second side, in the frame of the first, from the forces of
        all equations.
        """
        found, at = [], 0
        for loop in self.robot.loops:
            a, b = self.side(loop.joint), self.side(loop.frame)
            wrench, word = np.zeros(6), loop.joint.kind.word
            for k in HELD[word]:
                wrench[k], at = forces[at], at + 1
            if word == "universal":
                normal = np.cross(a.R.T @ b.R[:, 0], [0.0, 0.0, 1.0])
                wrench[3:], at = wrench[3:] + normal * forces[at], at + 1
            wrench[3:] += np.cross(a.R.T @ (b.p - a.p), wrench[:3])
            found.append(wrench)
        return np.array(found)

    def resistance(self, q, names):
        """Return the efforts of friction and springs of joints with one axis, those of the parameters named."""
        found, places = [], iter(q)
        velocity = iter(self.v)
        for joint in self.robot.joints:
            own = [next(places) for _ in joint.kind.coordinates]
            for _ in joint.axes:
                x = next(velocity)
                total = float(joint.FV) * x * ("FV" in names) + float(joint.FS) * np.sign(x) * ("FS" in names)
                if joint.eta and "k" in names:
                    total += float(joint.k) * (own[0] - float(joint.rest))
                found.append(total)
        return np.array(found)


class InPinocchio(Engine):
    """A robot with loops in Pinocchio."""

    def tree(self, q, v):
        self.twin = twin = PinocchioTwin(self.robot)
        self.state = twin.q(q), twin.v(v)
        cuts = [joint for loop in self.robot.loops for joint in (loop.joint, loop.frame)]
        self.frames = {joint.name: self._frame(joint) for joint in cuts}
        twin.data = twin.model.createData()
        pin.forwardKinematics(twin.model, twin.data, *self.state, np.zeros(twin.model.nv))
        pin.computeJointJacobians(twin.model, twin.data, self.state[0])
        pin.updateFramePlacements(twin.model, twin.data)

    def placed(self, joint):
        """Return the Pinocchio joint that carries a frame, and its pose on that."""
        link = joint.antecedent
        on = (self.twin.carrier[link - 1], self.twin.pose[link - 1]) if link else (0, pin.SE3.Identity())
        return on[0], on[1] * constant_pose(joint)

    def _frame(self, joint):
        carrier, pose = self.placed(joint)
        return self.twin.model.addFrame(pin.Frame(f"{joint.name} side", carrier, 0, pose, pin.OP_FRAME))

    def side(self, joint):
        model, data, frame = self.twin.model, self.twin.data, self.frames[joint.name]
        world = pin.LOCAL_WORLD_ALIGNED
        pose = data.oMf[frame]
        J = self.twin.columns(pin.getFrameJacobian(model, data, frame, world))
        V = pin.getFrameVelocity(model, data, frame, world).vector
        A = pin.getFrameClassicalAcceleration(model, data, frame, world).vector
        return Side(pose.rotation.copy(), pose.translation.copy(), J, V, A)

    def mass(self):
        twin = self.twin
        return twin.symmetric(pin.crba(twin.model, twin.model.createData(), self.state[0]))

    def bias(self, q, wrenches):
        twin = self.twin
        forces = [] if wrenches is None else [twin.forces(wrenches)]
        h = pin.rnea(twin.model, twin.model.createData(), *self.state, np.zeros(twin.model.nv), *forces)
        return twin.rows(h) + self.resistance(q, ("FV", "FS", "k"))

    def joint_wrenches(self, accelerations, cuts, wrenches):
        """Return the wrench that each joint transmits to its link, from the accelerations of all joints and the
        wrenches of the cuts. Pinocchio has it for each of its joints, in its frame.
        """
        twin = self.twin
        total = twin.forces(np.zeros((len(self.robot.bodies), 6)) if wrenches is None else wrenches)
        for loop, cut in zip(self.robot.loops, cuts, strict=True):
            (a, on_a), (b, _) = self.placed(loop.joint), self.placed(loop.frame)
            data, force = twin.data, on_a.act(pin.Force(cut))
            total[a] -= force
            total[b] += data.oMi[b].actInv(data.oMi[a].act(force))
        data = twin.model.createData()
        pin.rnea(twin.model, data, *self.state, twin.v(accelerations), total)
        return np.array([data.f[carrier].vector for carrier in twin.carrier])

    def constraint_dynamics(self, q, tau, wrenches=None):
        """Return the accelerations of all joints by ``pin.constraintDynamics``; None if it lacks a kind of joint,
        or cannot let a joint follow another.

        A revolute joint is two points on its axis.
        """
        if len(self.mimics):
            return None
        model, names = self.twin.model, pin.ContactType
        contacts = pin.StdVec_RigidConstraintModel()
        for loop in self.robot.loops:
            word = loop.joint.kind.word
            if word not in ("fixed", "spherical", "revolute"):
                return None
            kind = names.CONTACT_6D if word == "fixed" else names.CONTACT_3D
            for z in (0.0, 0.5) if word == "revolute" else (0.0,):
                up = pin.SE3(np.eye(3), np.array([0.0, 0.0, z]))
                (a, on_a), (b, on_b) = self.placed(loop.joint), self.placed(loop.frame)
                contacts.append(pin.RigidConstraintModel(kind, model, a, on_a * up, b, on_b * up, pin.LOCAL))
        settings = pin.ProximalSettings(1e-13, 1e-13, 1e-8, 200)
        datas, data = pin.StdVec_RigidConstraintData(), model.createData()
        datas.extend([contact.createData() for contact in contacts])
        try:
            pin.initConstraintDynamics(model, data, contacts, datas)
        except TypeError:  # before Pinocchio 4
            pin.initConstraintDynamics(model, data, contacts)
        effort = np.zeros(len(self.M))
        effort[self.free] = tau
        loads = np.zeros(len(self.M)) if wrenches is None else self._loads(wrenches)
        effort = self.twin.v(effort - self.resistance(q, ("FV", "FS", "k")) - loads)
        return self.twin.rows(pin.constraintDynamics(model, data, *self.state, effort, contacts, datas, settings))

    def _loads(self, wrenches):
        """Return the efforts that wrenches of the links add, as ``constraintDynamics`` takes none."""
        twin = self.twin
        with_, without = (
            pin.rnea(twin.model, twin.model.createData(), *self.state, np.zeros(twin.model.nv), *forces)
            for forces in ([twin.forces(wrenches)], [])
        )
        return twin.rows(with_ - without)


class InMujoco(Engine):
    """A robot with loops in MuJoCo."""

    def tree(self, q, v):
        self.twin = MujocoTwin(self.robot, q, v)
        mujoco.mj_fwdPosition(self.twin.model, self.twin.data)
        mujoco.mj_fwdVelocity(self.twin.model, self.twin.data)

    def _body(self, link):
        return self.twin.model.body(f"link {link}").id if link else 0

    def side(self, joint):
        model, data, body = self.twin.model, self.twin.data, self._body(joint.antecedent)
        pose = constant_pose(joint)
        on = data.xmat[body].reshape(3, 3)
        R, p = on @ pose.rotation, data.xpos[body] + on @ pose.translation
        J, rate = np.zeros((2, 6, model.nv))
        mujoco.mj_jac(model, data, J[:3], J[3:], p, body)
        mujoco.mj_jacDot(model, data, rate[:3], rate[3:], p, body)
        A = rate @ data.qvel + J @ self.twin.bias
        return Side(R, p, J @ self.twin.B, J @ data.qvel, A)

    def mass(self):
        return self.twin.inertia_matrix()

    def bias(self, q, wrenches):
        model, data = self.twin.model, self.twin.data
        h = self.twin.inverse(np.zeros(len(self.v))) + self.resistance(q, ("FS",))
        loads = np.zeros(model.nv)
        for link, wrench in enumerate([] if wrenches is None else wrenches, 1):
            body = self._body(link)
            R = data.xmat[body].reshape(3, 3)
            mujoco.mj_applyFT(model, data, R @ wrench[:3], R @ wrench[3:], data.xpos[body].copy(), body, loads)
        return h + self.twin.B.T @ loads


ENGINES = (InMujoco, InPinocchio)


def closed_states(robot, count, seed, worst=100.0, spread=1.5):
    """Return closed states of a robot from random guesses, well away from singular ones."""
    rng, whole = np.random.default_rng(seed), robot.expanded()
    start, names = tf.close_loops(robot), axis_names(whole)
    free = [k for k, name in enumerate(robot.coordinate_names) if _is_kept(robot, whole, name)]
    found = []
    for _ in range(60 * count):
        if len(found) == count:
            break
        guess = mechanism_of(whole).step(start[None], rng.uniform(-spread, spread, (1, len(names))))[0]
        try:
            q = tf.close_loops(robot, guess[free], guess=guess)
        except tf.ProgramError:  # these positions of the independent joints cannot be reached
            continue
        if InPinocchio(robot, q, np.zeros(len(robot.velocity_names))).condition < worst:
            found.append(q)
    assert len(found) == count
    return np.array(found)


def _is_kept(robot, whole, name):
    """Tell whether a coordinate is one of a joint with all its axes independent."""
    joint = next(x for x in whole.joints if name in [x.name + part for part in x.kind.coordinates])
    return all(joint.name + part in robot.velocity_names for part in joint.axes)
