"""Mechanisms in Pinocchio, from points in the world where all coordinates are zero."""

import ctypes
import subprocess

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

MODELS = {
    "R": pin.JointModelRevoluteUnaligned,
    "P": pin.JointModelPrismaticUnaligned,
    "S": lambda _: pin.JointModelSpherical(),
    "U": lambda _: pin.JointModelUniversal(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])),
}


def cylinder(mass, radius, length, axis):
    """Return the inertia matrix of a cylinder about its centre."""
    moments = np.full(3, mass * (3 * radius**2 + length**2) / 12)
    moments["xyz".index(axis)] = mass * radius**2 / 2
    return np.diag(moments)


def bar(mass, one, other):
    """Return a bar's mass, centre and inertia, the same about all axes."""
    square = float(np.sum(np.subtract(one, other) ** 2))
    return mass, 0.5 * np.add(one, other), mass * square / 12 * np.eye(3)


class Reference:
    """A tree in Pinocchio from rows (parent, kind, axis, point, mass, centre, inertia), the velocities of the tree's
    joints S x, and resistances along them: viscous friction and stiffness.
    """

    def __init__(self, rows, S, FV, k=0.0, floating=None):
        self.model, at = pin.Model(), [pin.SE3.Identity()]
        if floating is not None:
            self.model.addJoint(0, pin.JointModelFreeFlyer(), at[0], "base")
            self.model.appendBodyToJoint(1, floating, at[0])
            at.append(at[0])
        for i, (parent, kind, axis, point, mass, centre, inertia) in enumerate(rows):
            here = pin.SE3(np.eye(3), np.array(point, dtype=float))
            number = self.model.addJoint(parent, MODELS[kind](axis), at[parent].actInv(here), f"j{i}")
            at.append(here)
            body = pin.Inertia(mass, np.array(centre, dtype=float) - point, inertia)
            self.model.appendBodyToJoint(number, body, pin.SE3.Identity())
        self.data, self.at = self.model.createData(), at
        self.S, self.FV, self.k = np.array(S, dtype=float), FV, k

    def tree(self, q, v):
        """Return the inertia matrix and the bias of the tree, with all joints free."""
        still = pin.rnea(self.model, self.data, q, 0.0 * v, 0.0 * v).copy()
        unit = np.eye(len(v))  # Pinocchio's crba needs joints in the order of a walk along the branches
        M = np.array([pin.rnea(self.model, self.data, q, 0.0 * v, e) - still for e in unit]).T
        return M, pin.nonLinearEffects(self.model, self.data, q, v) + self.FV * v + self.sprung(q)

    def sprung(self, q):
        """Return the torques of the springs; only joints with one coordinate have some, and they come first."""
        return self.k * q[: self.model.nv] if np.any(self.k) else 0.0

    def reduced(self, x, xd):
        """Return the inertia matrix and the bias in the free coordinates."""
        M, h = self.tree(self.S @ x, self.S @ xd)
        return self.S.T @ M @ self.S, self.S.T @ h

    def rates(self, q, v):
        """Return how coordinates change: those of Pinocchio's joints, with quaternions (x, y, z, w)."""
        found = np.zeros(self.model.nq)
        for joint in list(self.model.joints)[1:]:
            x, w = q[joint.idx_q : joint.idx_q + joint.nq], v[joint.idx_v : joint.idx_v + joint.nv]
            if joint.nq == joint.nv:
                found[joint.idx_q : joint.idx_q + joint.nq] = w
                continue
            turn, spin = x[-4:], np.append(w[-3:], 0.0)
            own = (pin.Quaternion(turn) * pin.Quaternion(spin)).coeffs() * 0.5
            place = pin.Quaternion(turn / np.linalg.norm(turn)).matrix() @ w[:3] if joint.nq == 7 else []
            found[joint.idx_q : joint.idx_q + joint.nq] = [*place, *own]
        return found

    def normalised(self, q):
        """Return coordinates with quaternions of unit length."""
        return pin.normalize(self.model, q)


class Looped(Reference):
    """A tree whose loops are equations: points of two links, each drawn at one place, stay together along some axes.

    Parameters
    ----------
    pins
        Rows (link, other link, point, axes), links as numbers of rows, from one.
    free
        Numbers of the velocities to which models' torques belong.
    """

    def __init__(self, rows, pins, free, FV, k=0.0):
        count = sum({"S": 3, "U": 2}.get(row[1], 1) for row in rows)
        super().__init__(rows, np.eye(count), FV, k)
        self.free = list(free)
        self.pins = [
            ([self._frame(link, np.array(point, dtype=float)) for link in (one, other)], np.array(axes))
            for one, other, point, axes in pins
        ]
        self.data = self.model.createData()

    def _frame(self, link, point):
        at = pin.SE3(np.eye(3), self.at[link].actInv(point))
        return self.model.addFrame(pin.Frame(f"{point} on {link}", link, at, pin.FrameType.OP_FRAME))

    def loops(self, q, v):
        """Return what the loops leave open, J, and J̇ v."""
        pin.forwardKinematics(self.model, self.data, q, v, 0.0 * v)
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        gap, J, rate = [], [], []
        for ends, axes in self.pins:
            there, jacobians, drifts = zip(*(self._point(frame) for frame in ends), strict=True)
            gap.append(axes @ (there[0] - there[1]))
            J.append(axes @ (jacobians[0] - jacobians[1]))
            rate.append(axes @ (drifts[0] - drifts[1]))
        return np.concatenate(gap), np.vstack(J), np.concatenate(rate)

    def _point(self, frame):
        world = pin.LOCAL_WORLD_ALIGNED
        jacobian = pin.getFrameJacobian(self.model, self.data, frame, world)[:3].copy()
        drift = pin.getFrameClassicalAcceleration(self.model, self.data, frame, world).linear.copy()
        return self.data.oMf[frame].translation.copy(), jacobian, drift

    def map(self, q, v):
        """Return G and what q̈ has besides G times that of the free ones: v = G v[free]. Equations can be redundant."""
        _, J, rate = self.loops(q, v)
        _, size, turned = np.linalg.svd(J)
        rank = int(np.sum(size > 1e-9 * size[0]))
        assert len(v) - rank == len(self.free), "as many free velocities as the loops leave"
        N = turned[rank:].T
        G = N @ np.linalg.inv(N[self.free])
        own = -np.linalg.lstsq(J, rate, rcond=1e-9)[0]
        return G, own - G @ own[self.free]

    def dynamics(self, q, xd):
        """Return M and h along the free velocities, and the map to all."""
        G, _ = self.map(q, np.zeros(self.model.nv))
        v = G @ xd
        G, drift = self.map(q, v)
        M, h = self.tree(q, v)
        return G.T @ M @ G, G.T @ (M @ drift + h), G, drift


def motion(reference, accelerations, q, v, duration=1.0):
    """Return coordinates and velocities after some time, by SciPy."""
    count = reference.model.nq

    def rate(t, y):
        now = reference.normalised(y[:count])
        return np.concatenate([reference.rates(now, y[count:]), accelerations(t, now, y[count:])])

    found = solve_ivp(rate, (0, duration), np.concatenate([q, v]), method="DOP853", rtol=1e-9, atol=1e-11)
    assert found.success
    return reference.normalised(found.y[:count, -1]), found.y[count:, -1]


def in_c(program, folder, *arguments):
    """Return the first output of a Program as C code computes it, written, compiled and run."""
    source, library = folder / f"{program.name}.c", folder / f"{program.name}.so"
    program.write(source, name="law")
    subprocess.run(["cc", "-O0", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    outputs = [np.zeros(shape.shape) for shape in program.outputs.values()]
    inputs = [np.ascontiguousarray(x, dtype=float) for x in arguments]
    pointer = ctypes.POINTER(ctypes.c_double)
    ctypes.CDLL(str(library)).law(*(x.ctypes.data_as(pointer) for x in (*inputs, *outputs)))
    return outputs[0]
