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

    def __init__(self, rows, S, FV, k=0.0, rotors=0.0, floating=None):
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
        self.S, self.FV, self.k, self.rotors = np.array(S, dtype=float), FV, k, rotors

    def reduced(self, x, xd):
        """Return the inertia matrix and the bias in the free coordinates."""
        q, v = self.S @ x, self.S @ xd
        M = pin.crba(self.model, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T + np.diag(np.broadcast_to(self.rotors, len(q)))
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
