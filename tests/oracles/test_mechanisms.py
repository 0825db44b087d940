"""The mechanisms of the examples, against Pinocchio: built there by hand from points in the world, all joints free, and
reduced by the drives' equations as one writes them on paper.
"""

import contextlib
import io
import runpy
import shutil
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import tauforge as tf

from .drawn import Reference, cylinder, in_c, motion

X, Y, Z = np.eye(3)
LEAD = 0.020 / (2 * np.pi)


@pytest.fixture(scope="module")
def built():
    """Return what the example has made."""
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(Path(__file__).parents[2] / "examples/mechanisms.py"))


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


ARM = [
    (1, "R", Y, (0, 0, -0.05), 0.15, (0, 0, -0.125), cylinder(0.15, 0.01, 0.15, "z")),
    (2, "R", Y, (0, 0, -0.2), 0.10, (0, 0, -0.275), cylinder(0.10, 0.01, 0.15, "z")),
]


def quadrotor():
    """Return the reference, and the efforts of thrusts and of the arm's motors along its velocities."""
    own = np.array([0, 0, 0, 0, 0, 0, 0.01, 0.01])
    base = pin.Inertia(1.0, np.zeros(3), np.diag([0.02, 0.02, 0.035]))
    arms = np.array([(0.2, 0, 0), (0, 0.2, 0), (-0.2, 0, 0), (0, -0.2, 0)])

    def efforts(forces, torques):
        push = sum(
            (np.concatenate([f * Z, np.cross(r, f * Z)]) for r, f in zip(arms, forces, strict=True)), np.zeros(6)
        )
        push[5] += 0.02 * (forces[0] - forces[1] + forces[2] - forces[3])
        return np.concatenate([push, torques])

    return Reference(ARM, np.eye(8), own, floating=base), efforts


def test_quadrotor(built):
    """Accelerations under thrusts on the base and torques on the arm are Pinocchio's, and so are the efforts."""
    robot, thrust = built["quadrotor"], built["thrust"]
    reference, efforts = quadrotor()
    rng = np.random.default_rng(0)
    direct = tf.direct_dynamics(robot, external_wrenches=True).compile()
    inverse = tf.inverse_dynamics(robot, external_wrenches=True).compile()
    for _ in range(10):
        q, v, forces, torques = rng.normal(size=9), rng.normal(size=8), rng.uniform(1, 5, 4), rng.normal(size=2)
        q[3:7] /= np.linalg.norm(q[3:7])
        M, h = reference.tree(q, v)
        qdd = np.linalg.solve(M, efforts(forces, torques) - h)
        found = direct(q, v, np.concatenate([np.zeros(6), torques]), thrust(forces))
        np.testing.assert_allclose(found, qdd, rtol=1e-9, atol=1e-9)
        wanted = rng.normal(size=8)
        tau = M @ wanted + h - efforts(forces, np.zeros(2))
        np.testing.assert_allclose(inverse(q, v, wanted, thrust(forces)), tau, rtol=1e-9, atol=1e-11)


def test_quadrotor_flies(built):
    """One second of flight is SciPy's integration of the reference."""
    robot, inputs = built["runs"]["quadrotor"]
    reference, efforts = quadrotor()
    push = efforts(built["hover"], inputs["torque"](0.0)[6:])

    def accelerations(t, q, v):
        M, h = reference.tree(q, v)
        return np.linalg.solve(M, push - h)

    q, v = motion(reference, accelerations, np.array([0, 0, 0, 0, 0, 0, 1.0, 0, 0]), np.zeros(8))
    run = tf.simulate(robot, [0.0, 1.0], method="DOP853", **inputs)
    np.testing.assert_allclose(run.q[-1], q, atol=1e-7)
    np.testing.assert_allclose(run.qd[-1], v, atol=1e-7)


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
@pytest.mark.parametrize("name", ["wrist", "finger", "spline", "belts", "quadrotor"])
def test_c(built, name, tmp_path):
    """Torques and accelerations in C are those of the references."""
    robot, rng = built["runs"][name][0], np.random.default_rng(1)
    if name == "quadrotor":
        reference, efforts = quadrotor()
        q, v, qdd, forces = rng.normal(size=9), rng.normal(size=8), rng.normal(size=8), rng.uniform(1, 5, 4)
        q[3:7] /= np.linalg.norm(q[3:7])
        (M, h), state, more = reference.tree(q, v), (q, v), (built["thrust"](forces),)
        push, B, motors, options = efforts(forces, np.zeros(2)), np.eye(8), rng.normal(size=8), {}
    else:
        reduced, B = equations(name)
        state, qdd, more = tuple(rng.uniform(-1, 1, (2, robot.dof))), rng.normal(size=robot.dof), ()
        (M, h), push, motors, options = reduced(*state), 0.0, rng.normal(size=B.shape[1]), {"efforts": "motors"}
    options["external_wrenches"] = bool(more)
    found = in_c(tf.direct_dynamics(robot, **options), tmp_path, *state, motors, *more)
    np.testing.assert_allclose(found, np.linalg.solve(M, B @ motors + push - h), rtol=1e-8, atol=1e-8)
    tau = M @ qdd + h - push
    if B.shape[0] != B.shape[1]:
        options, B = {}, np.eye(len(tau))
    found = in_c(tf.inverse_dynamics(robot, **options), tmp_path, *state, qdd, *more)
    np.testing.assert_allclose(found, np.linalg.solve(B, tau), rtol=1e-9, atol=1e-11)
