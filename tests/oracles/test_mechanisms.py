"""The mechanisms of the examples, against Pinocchio: built there by hand from points in the world, all joints free, and
reduced by the drives' equations as one writes them on paper.
"""

import contextlib
import ctypes
import io
import runpy
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import tauforge as tf

X, Y, Z = np.eye(3)
LEAD = 0.020 / (2 * np.pi)


@pytest.fixture(scope="module")
def built():
    """Return what the example has made."""
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(Path(__file__).parents[2] / "examples/mechanisms.py"))


def cylinder(mass, radius, length, axis):
    moments = np.full(3, mass * (3 * radius**2 + length**2) / 12)
    moments["xyz".index(axis)] = mass * radius**2 / 2
    return np.diag(moments)


class Reference:
    """A tree in Pinocchio from rows (parent, kind, axis, point, mass, centre, inertia), q_tree = S x, and resistances
    along the joints: viscous friction and stiffness.
    """

    def __init__(self, rows, S, FV, k=0.0, floating=None):
        self.model, at = pin.Model(), [pin.SE3.Identity()]
        if floating is not None:
            self.model.addJoint(0, pin.JointModelFreeFlyer(), at[0], "base")
            self.model.appendBodyToJoint(1, floating, at[0])
            at.append(at[0])
        for i, (parent, kind, axis, point, mass, centre, inertia) in enumerate(rows):
            made = (pin.JointModelRevoluteUnaligned if kind == "R" else pin.JointModelPrismaticUnaligned)(axis)
            here = pin.SE3(np.eye(3), np.array(point, dtype=float))
            number = self.model.addJoint(parent, made, at[parent].actInv(here), f"j{i}")
            at.append(here)
            body = pin.Inertia(mass, np.array(centre, dtype=float) - point, inertia)
            self.model.appendBodyToJoint(number, body, pin.SE3.Identity())
        self.data = self.model.createData()
        self.S, self.FV, self.k = np.array(S, dtype=float), FV, k

    def reduced(self, x, xd):
        """Return the inertia matrix and the bias in the free coordinates."""
        q, v = self.S @ x, self.S @ xd
        still = pin.rnea(self.model, self.data, q, 0.0 * v, 0.0 * v).copy()
        unit = np.eye(len(v))  # Pinocchio's crba needs joints in the order of a walk along the branches
        M = np.array([pin.rnea(self.model, self.data, q, 0.0 * v, e) - still for e in unit]).T
        h = pin.nonLinearEffects(self.model, self.data, q, v) + self.FV * v + self.k * q
        return self.S.T @ M @ self.S, self.S.T @ h


def references():
    """Return each mechanism's reference, and the matrix from its motors' torques to forces along its coordinates."""
    wrist = Reference(
        [
            (0, "R", Y, (0, 0.04, 0), 0.2, (0, 0.04, 0), cylinder(0.2, 0.03, 0.02, "y")),
            (0, "R", Y, (0, -0.04, 0), 0.2, (0, -0.04, 0), cylinder(0.2, 0.03, 0.02, "y")),
            (0, "R", Y, (0, 0, 0), 0.3, (0.02, 0, 0), cylinder(0.3, 0.02, 0.06, "y")),
            (3, "R", X, (0.05, 0, 0), 0.6, (0.15, 0.01, 0.03), cylinder(0.6, 0.03, 0.2, "x")),
        ],
        [[1, 0], [0, 1], [0.5, 0.5], [0.5, -0.5]],
        np.array([0.01, 0.01, 0, 0]),
    )
    pulleys = np.array([[0.010, 0.007, 0.004], [-0.008, -0.005, 0.0]])
    finger = Reference(
        [
            (0, "R", -Y, (0, 0, 0), 0.03, (0.0225, 0, 0), cylinder(0.03, 0.008, 0.045, "x")),
            (1, "R", -Y, (0.045, 0, 0), 0.02, (0.0575, 0, 0), cylinder(0.02, 0.007, 0.025, "x")),
            (2, "R", -Y, (0.07, 0, 0), 0.01, (0.08, 0, 0), cylinder(0.01, 0.006, 0.02, "x")),
        ],
        np.eye(3),
        0.002,
        k=0.05,
    )
    finger.rubbing = pulleys.T @ pulleys  # both tendons have a viscous friction of 1
    spline = Reference(
        [
            (0, "R", Z, (0, 0, 0), 0.4, (0, 0, 0), cylinder(0.4, 0.03, 0.04, "z")),
            (0, "R", Z, (0, 0, 0.1), 0.4, (0, 0, 0.1), cylinder(0.4, 0.03, 0.04, "z")),
            (0, "P", Z, (0, 0, 0), 0.1, (0, 0, 0), cylinder(0.1, 0.01, 0.05, "z")),
            (3, "R", Z, (0, 0, 0), 1.2, (0.03, 0.01, -0.2), cylinder(1.2, 0.01, 0.5, "z")),
        ],
        [[1, 0], [0, 1], [LEAD, -LEAD], [0, 1]],
        np.array([0.002, 0.002, 0, 0]),
    )
    belts = Reference(
        [
            (0, "R", -Y, (0, 0, 0), 1.5, (0.15, 0, 0), cylinder(1.5, 0.02, 0.3, "x")),
            (1, "R", -Y, (0.3, 0, 0), 1.0, (0.42, 0, 0), cylinder(1.0, 0.02, 0.25, "x")),
        ],
        np.eye(2),
        0.0,
    )
    # motor 1 turns 10 times the shoulder; motor 2 turns 8 times the forearm's absolute angle
    gears = np.array([[10.0, 0.0], [8.0, 8.0]])
    belts.rubbing = 1e-3 * gears.T @ gears
    belts.inertia = gears.T @ np.diag([2e-4, 1e-4]) @ gears
    return {
        "wrist": (wrist, np.eye(2)),
        "finger": (finger, pulleys.T),
        "spline": (spline, np.eye(2)),
        "belts": (belts, gears.T),
    }


def equations(name):
    """Return the reduced M and h of a reference with what its tendons and motors add, and the map of its motors."""
    own, B = references()[name]

    def reduced(x, xd):
        M, h = own.reduced(x, xd)
        return M + getattr(own, "inertia", 0.0), h + getattr(own, "rubbing", np.zeros((len(x), len(x)))) @ xd

    return reduced, B


@pytest.mark.parametrize("name", ["wrist", "finger", "spline", "belts"])
def test_inverse_and_direct_dynamics(built, name):
    robot = built["runs"][name][0]
    reduced, B = equations(name)
    rng = np.random.default_rng(0)
    inverse, direct = tf.inverse_dynamics(robot).compile(), tf.direct_dynamics(robot, efforts="motors").compile()
    for _ in range(20):
        x, xd, xdd = rng.uniform(-1, 1, (3, robot.dof))
        M, h = reduced(x, xd)
        tau = M @ xdd + h
        np.testing.assert_allclose(inverse(x, xd, xdd), tau, rtol=1e-9, atol=1e-12)
        motors = rng.uniform(-1, 1, B.shape[1])
        np.testing.assert_allclose(direct(x, xd, motors), np.linalg.solve(M, B @ motors - h), rtol=1e-7, atol=1e-8)
        if B.shape[0] == B.shape[1]:
            found = tf.inverse_dynamics(robot, efforts="motors").compile()(x, xd, xdd)
            np.testing.assert_allclose(found, np.linalg.solve(B, tau), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["wrist", "finger", "spline", "belts"])
def test_one_second(built, name):
    """The simulation is SciPy's integration of the reference."""
    robot, inputs = built["runs"][name]
    reduced, B = equations(name)
    n = robot.dof

    def rate(t, y):
        M, h = reduced(y[:n], y[n:])
        return np.concatenate([y[n:], np.linalg.solve(M, B @ inputs["torque"] - h)])

    expected = solve_ivp(rate, (0, 1), np.zeros(2 * n), method="LSODA", rtol=1e-9, atol=1e-11).y[:n, -1]
    found = tf.simulate(robot, [0.0, 1.0], method="DOP8", **inputs).q[-1]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_quadrotor(built):
    """Accelerations under thrusts on the base and torques on the arm are Pinocchio's."""
    robot, thrust = built["quadrotor"], built["thrust"]
    reference = Reference(
        [
            (1, "R", Y, (0, 0, -0.05), 0.15, (0, 0, -0.125), cylinder(0.15, 0.01, 0.15, "z")),
            (2, "R", Y, (0, 0, -0.2), 0.10, (0, 0, -0.275), cylinder(0.10, 0.01, 0.15, "z")),
        ],
        np.eye(8),
        np.array([0, 0, 0, 0, 0, 0, 0.01, 0.01]),
        floating=pin.Inertia(1.0, np.zeros(3), np.diag([0.02, 0.02, 0.035])),
    )
    rng = np.random.default_rng(0)
    direct = tf.direct_dynamics(robot, external_wrenches=True).compile()
    for _ in range(10):
        q, v, forces, torques = rng.normal(size=9), rng.normal(size=8), rng.uniform(1, 5, 4), rng.normal(size=2)
        q[3:7] /= np.linalg.norm(q[3:7])
        M = pin.crba(reference.model, reference.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(reference.model, reference.data, q, v) + reference.FV * v
        arms = np.array([(0.2, 0, 0), (0, 0.2, 0), (-0.2, 0, 0), (0, -0.2, 0)])
        push = sum(
            (np.concatenate([f * Z, np.cross(r, f * Z)]) for r, f in zip(arms, forces, strict=True)), np.zeros(6)
        )
        push[5] += 0.02 * (forces[0] - forces[1] + forces[2] - forces[3])
        qdd = np.linalg.solve(M, np.concatenate([push, torques]) - h)
        found = direct(q, v, np.concatenate([np.zeros(6), torques]), thrust(forces))
        np.testing.assert_allclose(found, qdd, rtol=1e-8, atol=1e-8)


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_c(built, tmp_path):
    """The motors' torques of the wrist and the belts in C are those of the compiled function."""
    for name in ("wrist", "belts"):
        robot = built["runs"][name][0]
        program = tf.inverse_dynamics(robot, efforts="motors")
        source, library = tmp_path / f"{name}.c", tmp_path / f"{name}.so"
        program.write(source, name="law")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        states, tau = np.random.default_rng(1).uniform(-1, 1, (3, 2)), np.zeros(2)
        pointer = ctypes.POINTER(ctypes.c_double)
        law = ctypes.CDLL(str(library)).law
        law(*(x.ctypes.data_as(pointer) for x in (*map(np.ascontiguousarray, states), tau)))
        np.testing.assert_allclose(tau, program.compile()(*states), rtol=1e-12)


PINS = {
    "foot": (0.0, 0, 0.0), "elbow": (4.5, 0, 2.0), "wrist": (6.5, 0, 0.2), "ear": (6.8, 0, 0.5),
    "boom_low": (0.5, 0, -0.4), "boom_high": (2.2, 0, 1.6), "stick_low": (2.4, 0, 2.2), "stick_high": (4.3, 0, 2.7),
    "bucket_low": (4.7, 0, 2.4), "rocker_low": (6.1, 0, 0.6), "rocker_high": (6.5, 0, 0.9),
}  # fmt: skip
PINS = {name: np.array(point, dtype=float) for name, point in PINS.items()}


def bar(mass, one, other):
    length = np.linalg.norm(PINS[one] - PINS[other])
    return mass, 0.5 * (PINS[one] + PINS[other]), mass * length**2 / 12 * np.eye(3)


class Excavator(Reference):
    """The tree with its four loops as equations in Pinocchio: points of two links stay together in the plane."""

    RODS = (4, 6, 8)

    def __init__(self):
        turn = [
            (0, "foot", (1500, "foot", "elbow")),
            (1, "elbow", (700, "elbow", "wrist")),
            (2, "wrist", (500, "wrist", "ear")),
        ]
        rows = [(on, "R", -Y, PINS[at], *bar(*mass)) for on, at, mass in turn]
        for on, low, high in (
            (0, "boom_low", "boom_high"),
            (1, "stick_low", "stick_high"),
            (2, "bucket_low", "rocker_high"),
        ):
            along = (PINS[high] - PINS[low]) / np.linalg.norm(PINS[high] - PINS[low])
            rows.append((on, "R", -Y, PINS[low], *bar(80, low, high)))
            rows.append((len(rows), "P", along, PINS[low], *bar(60, low, high)))
        rows.append((2, "R", -Y, PINS["rocker_low"], *bar(40, "rocker_low", "rocker_high")))
        rows.append((10, "R", -Y, PINS["rocker_high"], *bar(50, "rocker_high", "ear")))
        FV = np.zeros(11)
        FV[list(self.RODS)] = 4e4
        super().__init__(rows, np.eye(11), FV)
        self.where = [row[3] for row in rows]
        ends = (5, 1, "boom_high"), (7, 2, "stick_high"), (9, 10, "rocker_high"), (11, 3, "ear")
        self.ends = [[(link, self._frame(link, at)) for link in (one, other)] for one, other, at in ends]

    def _frame(self, link, point):
        at = pin.SE3(np.eye(3), PINS[point] - self.where[link - 1])
        return self.model.addFrame(pin.Frame(f"{point} on {link}", link, at, pin.FrameType.OP_FRAME))

    def constraints(self, q, v):
        """Return what the loops leave open, J, and J̇ v: along x and z of the world."""
        self.data = self.model.createData()
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(11))
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        gap, J, rate = [], [], []
        for one, other in self.ends:
            found = []
            for _, frame in (one, other):
                jacobian = pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)[:3]
                a = pin.getFrameClassicalAcceleration(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED).linear
                found.append((self.data.oMf[frame].translation, jacobian, a))
            for rows, (x, y) in zip((gap, J, rate), zip(*found, strict=True), strict=True):
                rows.append((x - y)[[0, 2]])
        return np.concatenate(gap), np.vstack(J), np.concatenate(rate)


def test_excavator(built):
    """With its loops as equations, all accelerations and the cylinders' forces agree in closed states in motion."""
    robot, reference = built["excavator"], Excavator()
    rods, rng = list(Excavator.RODS), np.random.default_rng(0)
    motion, direct = tf.joint_motion(robot).compile(), tf.direct_dynamics(robot).compile()
    inverse = tf.inverse_dynamics(robot).compile()
    q = tf.close_loops(robot)
    np.testing.assert_allclose(q, 0.0, atol=1e-12)
    for _ in range(6):
        q = tf.close_loops(robot, q[rods] + rng.uniform(-0.02, 0.02, 3), guess=q)
        qd, forces = rng.uniform(-0.3, 0.3, 3), rng.uniform(-1e5, 1e5, 3)
        v = motion(q, qd, np.zeros(3)).velocities
        gap, J, rate = reference.constraints(q, v)
        np.testing.assert_allclose(gap, 0.0, atol=1e-9)
        np.testing.assert_allclose(J @ v, 0.0, atol=1e-9)
        M, h = reference.reduced(q, v)
        tau = np.zeros(11)
        tau[rods] = forces
        whole = np.block([[M, J.T], [J, np.zeros((8, 8))]])
        a = np.linalg.solve(whole, np.concatenate([tau - h, -rate]))[:11]
        qdd = direct(q, qd, forces)
        np.testing.assert_allclose(qdd, a[rods], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(motion(q, qd, qdd).accelerations, a, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(inverse(q, qd, qdd), forces, rtol=1e-6, atol=1e-3)


def test_excavator_falls(built):
    """One second of simulation keeps the loops closed, and friction takes what the forces put in and gravity loses."""
    robot, inputs = built["runs"]["excavator"]
    run = tf.simulate(robot, np.linspace(0.0, 1.0, 2001), method="DOP8", **inputs)
    power = (run.qd * (inputs["torque"] - 4e4 * run.qd)).sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(run.t))])
    np.testing.assert_allclose(run.total - run.total[0], work, atol=1e-3 * np.abs(work).max())
    assert run.residual.max() < 1e-10
