"""The mechanisms with loops of the examples, against Pinocchio: trees built there by hand from points in the world, and
loops as equations that hold these points together.
"""

import contextlib
import io
import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest

import tauforge as tf

from .drawn import Looped, bar, in_c, motion

X, Y, Z = np.eye(3)
PLANE, SPACE = np.array([X, Z]), np.eye(3)
NAMES = ("excavator", "palletiser", "sixbar", "wishbone", "lift")
START = {"wishbone": [0, 0, 0, 0, 1.0, 0, 0, 0, 0, 0]}


@pytest.fixture(scope="module")
def built():
    """Return what the example has made."""
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(Path(__file__).parents[2] / "examples/mechanisms_with_loops.py"))


def cylinder_rod(number, low, high, mass):
    along = np.subtract(high, low) / np.linalg.norm(np.subtract(high, low))
    return (number, "P", along, low, *bar(mass, low, high))


def excavator():
    foot, elbow, wrist, ear = (0, 0, 0), (4.5, 0, 2), (6.5, 0, 0.2), (6.8, 0, 0.5)
    rocker, top = (6.1, 0, 0.6), (6.5, 0, 0.9)
    rows = [
        (0, "R", -Y, foot, *bar(1500, foot, elbow)),
        (1, "R", -Y, elbow, *bar(700, elbow, wrist)),
        (2, "R", -Y, wrist, *bar(500, wrist, ear)),
    ]
    ends = [(0, (0.5, 0, -0.4), (2.2, 0, 1.6)), (1, (2.4, 0, 2.2), (4.3, 0, 2.7)), (2, (4.7, 0, 2.4), top)]
    for on, low, high in ends:
        rows.append((on, "R", -Y, low, *bar(80, low, high)))
        rows.append(cylinder_rod(len(rows), low, high, 60))
    rows.append((2, "R", -Y, rocker, *bar(40, rocker, top)))
    rows.append((10, "R", -Y, top, *bar(50, top, ear)))
    pins = [(5, 1, ends[0][2], PLANE), (7, 2, ends[1][2], PLANE), (9, 10, top, PLANE), (11, 3, ear, PLANE)]
    return Looped(rows, pins, (4, 6, 8), np.array([0, 0, 0, 0, 4e4, 0, 4e4, 0, 4e4, 0, 0]))


def palletiser():
    shoulder, elbow, wrist, tool = (0.3, 0, 0.8), (0.3, 0, 1.9), (1.4, 0, 1.9), (1.5, 0, 1.75)
    low, back, top, front = (0.05, 0, 0.9), (0.05, 0, 2), (0.4, 0, 2.15), (1.5, 0, 2.15)
    rows = [
        (0, "R", Z, (0, 0, 0), *bar(200, (0, 0, 0), shoulder)),
        (1, "R", -Y, shoulder, *bar(60, shoulder, elbow)),
        (2, "R", -Y, elbow, *bar(50, elbow, wrist)),
        (2, "R", -Y, elbow, *bar(8, back, top)),
        (1, "R", -Y, low, *bar(6, low, back)),
        (3, "R", -Y, wrist, *bar(10, wrist, front)),
        (4, "R", -Y, top, *bar(5, top, front)),
        (6, "R", -Z, tool, *bar(30, tool, (1.6, 0.1, 1.4))),
    ]
    pins = [(5, 4, back, SPACE), (7, 6, front, SPACE)]
    return Looped(rows, pins, (0, 1, 2, 7), np.array([5, 20, 20, 0, 0, 0, 0, 0.5]))


def sixbar():
    crank, coupler, rocker, joint = (0, 0, 0), (0, 0, 0.08), (0.25, 0, -0.05), (0.22, 0, 0.15)
    point, arm, end = (0.12, 0, 0.22), (0.45, 0, 0.1), (0.4, 0, 0.28)
    rows = [
        (0, "R", -Y, crank, *bar(0.4, crank, coupler)),
        (1, "R", -Y, coupler, *bar(0.8, coupler, point)),
        (0, "R", -Y, rocker, *bar(0.5, rocker, joint)),
        (2, "R", -Y, point, *bar(0.4, point, end)),
        (0, "R", -Y, arm, *bar(0.6, arm, end)),
    ]
    return Looped(rows, [(2, 3, joint, PLANE), (4, 5, end, PLANE)], (0,), np.array([0.05, 0, 0, 0, 0]))


def wishbone():
    lower, upper, low, high = (0, 0.3, 0), (0, 0.35, 0.25), (0, 0.68, -0.03), (-0.02, 0.64, 0.24)
    rack, tie, hub = (-0.12, 0.32, 0.05), (-0.12, 0.66, 0.06), (0, 0.75, 0.1)
    slanted = np.array([1, 0, 0.05]) / np.hypot(1, 0.05)
    rows = [
        (0, "R", X, lower, *bar(6, lower, low)),
        (1, "S", X, low, *bar(8, low, high)),
        (0, "R", slanted, upper, *bar(4, upper, high)),
        (0, "P", Y, rack, *bar(3, rack, (-0.12, 0, 0.05))),
        (4, "U", X, rack, *bar(1, rack, tie)),
        (2, "R", Y, hub, 18, hub, np.diag([0.5, 0.9, 0.5])),
    ]
    FV, k = np.array([300, 0, 0, 0, 0, 50, 0, 0, 0.1]), np.array([8000, 0, 0, 0, 0, 0, 0, 0, 0])
    return Looped(rows, [(2, 3, high, SPACE), (2, 5, tie, SPACE)], (5, 8, 0), FV, k)


def lift():
    low_a, knee_a, high_a = (0.4, 0, 0), (0.7, 0, 0.4), (0.4, 0, 0.8)
    low_b, knee_b, high_b = (0, 0.4, 0), (0, 0.7, 0.4), (0, 0.4, 0.8)
    foot, eye = (0.15, 0, 0), (0.6, 0, 0.27)
    rows = [
        (0, "R", -Y, low_a, *bar(5, low_a, knee_a)),
        (1, "R", -Y, knee_a, *bar(5, knee_a, high_a)),
        (2, "R", -Y, high_a, 40, (0.1, 0.1, 0.85), np.diag([2, 2, 3.5])),
        (0, "R", X, low_b, *bar(5, low_b, knee_b)),
        (4, "R", X, knee_b, *bar(5, knee_b, high_b)),
        (0, "R", -Y, foot, *bar(2, foot, eye)),
        cylinder_rod(6, foot, eye, 1),
    ]
    pins = [(5, 3, high_b, SPACE), (5, 3, np.add(high_b, X), SPACE), (7, 1, eye, SPACE)]  # two points on the hinge
    return Looped(rows, pins, (6,), np.array([0, 0, 0, 0, 0, 0, 2e4]))


REFERENCES = {"excavator": excavator, "palletiser": palletiser, "sixbar": sixbar, "wishbone": wishbone, "lift": lift}
SPREAD = {
    "excavator": (0.1, 0.1, 0.1),
    "palletiser": (3.0, 0.6, 0.6, 3.0),
    "sixbar": (3.0,),
    "wishbone": (0.03, 3.0, 0.2),
    "lift": (0.1,),
}


def states(robot, name, reference, count):
    """Yield closed states in motion, and accelerations: q, qd, qdd."""
    rng, spread = np.random.default_rng(3), np.array(SPREAD[name])
    for active in rng.uniform(-spread, spread, (count, len(spread))):
        q = tf.close_loops(robot, active)
        gap, _, _ = reference.loops(q, np.zeros(reference.model.nv))
        np.testing.assert_allclose(gap, 0.0, atol=1e-12)
        yield q, rng.uniform(-1, 1, robot.dof), rng.uniform(-1, 1, robot.dof)


def close(found, expected, tolerance=1e-9):
    """Compare relative to the largest entry."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("name", NAMES)
def test_dynamics(built, name):
    """Torques and accelerations agree in closed states in motion, in the independent coordinates and in all."""
    robot, reference = built["runs"][name][0], REFERENCES[name]()
    assert robot.velocity_names == tuple(robot.derived(loops=()).velocity_names[k] for k in reference.free)
    motors = [robot.independent.index(motor) for motor in robot.motors]
    inverse, direct = tf.inverse_dynamics(robot).compile(), tf.direct_dynamics(robot).compile()
    in_all = tf.direct_dynamics(robot, coordinates="all").compile()
    of_all = tf.inverse_dynamics(robot, coordinates="all").compile()
    moving = tf.joint_motion(robot).compile()
    for q, qd, qdd in states(robot, name, reference, 6):
        M, h, G, drift = reference.dynamics(q, qd)
        v, tau = G @ qd, M @ qdd + h
        close(moving(q, qd, qdd).velocities, v)
        close(moving(q, qd, qdd).accelerations, G @ qdd + drift)
        close(inverse(q, qd, qdd), tau)
        given = np.zeros(robot.dof)
        given[motors] = tau[motors] * [0.5, 1.2, 0.8, 1.0][: len(motors)]
        expected = np.linalg.solve(M, given - h)
        close(direct(q, qd, given), expected)
        all_of_them = in_all(q, v, given[motors])
        close(all_of_them, G @ expected + drift)
        found, unbalanced = of_all(q, v, all_of_them)
        close(found, given[motors], 1e-7)
        np.testing.assert_allclose(unbalanced, 0.0, atol=1e-7 * np.abs(given).max())


@pytest.mark.parametrize("name", NAMES)
def test_one_second(built, name):
    """The simulation is SciPy's integration of all coordinates of the reference."""
    robot, torque = built["runs"][name]
    reference = REFERENCES[name]()

    def accelerations(t, q, v):
        M, h, G, drift = reference.dynamics(q, v[reference.free])
        return G @ np.linalg.solve(M, np.asarray(torque(t) if callable(torque) else torque) - h) + drift

    q = np.array(START.get(name, np.zeros(reference.model.nq)), dtype=float)
    q, v = motion(reference, accelerations, q, np.zeros(reference.model.nv))
    run = tf.simulate(robot, [0.0, 1.0], torque=torque)
    np.testing.assert_allclose(run.q[-1], q, atol=1e-6)
    np.testing.assert_allclose(run.qd[-1], v[reference.free], atol=1e-5 * max(1.0, np.abs(v).max()))
    assert run.residual.max() < 1e-10


def test_excavator_falls(built):
    """Friction takes what the forces put in and gravity loses."""
    robot, torque = built["runs"]["excavator"]
    run = tf.simulate(robot, np.linspace(0.0, 1.0, 2001), torque=torque, method="DOP8")
    power = (run.qd * (torque - 4e4 * run.qd)).sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(run.t))])
    np.testing.assert_allclose(run.total - run.total[0], work, atol=1e-3 * np.abs(work).max())


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
@pytest.mark.parametrize("name", NAMES)
def test_c(built, name, tmp_path):
    """Torques and accelerations in C are those of the reference."""
    robot, reference = built["runs"][name][0], REFERENCES[name]()
    (q, qd, qdd), *_ = states(robot, name, reference, 1)
    M, h, _, _ = reference.dynamics(q, qd)
    tau = M @ qdd + h
    close(in_c(tf.inverse_dynamics(robot), tmp_path, q, qd, qdd), tau)
    close(in_c(tf.direct_dynamics(robot), tmp_path, q, qd, tau), qdd)


def test_the_tool_stays_level(built):
    """Plate and hand of the palletiser only shift, wherever its motors are: in 10,000 poses as from pose to pose."""
    robot, rng = built["palletiser"], np.random.default_rng(5)
    turn, arm, forearm, tool = rng.uniform([-3.1, -1.9, -1.9, -3.1], [3.1, 1.1, 1.1, 3.1], (10_000, 4)).T
    active = np.stack([turn, arm, forearm - arm, tool], axis=1)
    frames = tf.transforms(robot, frames=["tool"]).compile()
    q = tf.close_loops(robot, active)
    np.testing.assert_allclose(q[:, [0, 1, 2, 7]], active, atol=1e-15)
    for closed in (q, tf.close_loops(robot, active, guess=np.roll(q, 1, axis=0))):
        T = frames(closed)[:, 0]
        np.testing.assert_allclose(T[:, :3, 2], np.tile(-Z, (10_000, 1)), atol=1e-12)
        reach = 0.3 + 1.1 * (np.cos(np.pi / 2 + arm) + np.cos(forearm)) + 0.1
        np.testing.assert_allclose(T[:, :2, 3], reach[:, None] * np.stack([np.cos(turn), np.sin(turn)], 1), atol=1e-12)
