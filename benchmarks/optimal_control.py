"""An optimal swing-up of a Panda in CasADi: seconds in function evaluation, with our code and with CasADi's own.

The same problem, 50 knots of inverse dynamics, is solved by IPOPT with exact Hessians for each form of the model:

- the recursion of Newton and Euler written in CasADi's SX with matrices, as people write it, in CasADi's virtual
  machine;
- our Program as SX, ``program.to_casadi()``, in the same virtual machine;
- our compiled code, ``program.to_casadi(compiled=True)``.

Run it with ``python -m benchmarks.optimal_control``. It needs casadi, and cc for compiled code.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import casadi as ca
import numpy as np

import tauforge as tf

KNOTS, STEP, LIMIT = 50, 0.03, 87.0
WANTED = 3.0


def recursion(robot: tf.Robot) -> Any:
    """Return inverse dynamics in SX, written with matrices for modified Denavit-Hartenberg frames."""
    n = robot.dof
    q, qd, qdd = (ca.SX.sym(name, n) for name in ("q", "qd", "qdd"))
    z = ca.DM([0, 0, 1])
    w, wd, vd = ca.SX.zeros(3), ca.SX.zeros(3), -ca.SX(ca.DM([float(x) for x in robot.gravity]))
    frames, forces = [], []
    for j, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True)):
        a, d, r = float(joint.alpha), float(joint.d), float(joint.r)
        c, s = ca.cos(q[j]), ca.sin(q[j])
        A = ca.DM(
            [
                [1, 0, 0],
                [0, round(np.cos(a), 12), -round(np.sin(a), 12)],
                [0, round(np.sin(a), 12), round(np.cos(a), 12)],
            ]
        )
        Z = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
        R, p = A @ Z, ca.DM([d, 0, 0]) + A @ ca.DM([0, 0, r])
        vd = R.T @ (vd + ca.cross(wd, p) + ca.cross(w, ca.cross(w, p)))
        turned = R.T @ w
        wd = R.T @ wd + ca.cross(turned, z * qd[j]) + z * qdd[j]
        w = turned + z * qd[j]
        x = {key: float(value) for key, value in body.inertia._asdict().items()}
        J = ca.DM([[x["XX"], x["XY"], x["XZ"]], [x["XY"], x["YY"], x["YZ"]], [x["XZ"], x["YZ"], x["ZZ"]]])
        h = ca.DM([x["MX"], x["MY"], x["MZ"]])
        force = x["M"] * vd + ca.cross(wd, h) + ca.cross(w, ca.cross(w, h))
        moment = J @ wd + ca.cross(w, J @ w) + ca.cross(h, vd)
        frames.append((R, p))
        forces.append((force, moment))
    tau = ca.SX.zeros(n)
    f, m = ca.SX.zeros(3), ca.SX.zeros(3)
    for j in reversed(range(n)):
        f, m = forces[j][0] + f, forces[j][1] + m
        tau[j] = m[2] + float(robot.joints[j].IA) * qdd[j]
        R, p = frames[j]
        f, m = R @ f, R @ m + ca.cross(p, R @ f)
    return ca.Function("recursion", [q, qd, qdd], [tau], ["q", "qd", "qdd"], ["tau"])


def problem(dynamics: Any, n: int) -> dict[str, Any]:
    """Return the swing-up as a nonlinear program: knots of angles, velocities and torques."""
    q, v = ca.MX.sym("q", n, KNOTS + 1), ca.MX.sym("v", n, KNOTS + 1)
    tau = ca.MX.sym("tau", n, KNOTS)
    gaps = []
    for k in range(KNOTS):
        gaps += [
            tau[:, k] - dynamics(q[:, k], v[:, k], (v[:, k + 1] - v[:, k]) / STEP),
            q[:, k + 1] - q[:, k] - STEP * v[:, k + 1],
        ]
    return {"x": ca.veccat(q, v, tau), "f": STEP * ca.sumsqr(tau) / 1e3, "g": ca.vertcat(*gaps)}


def solve(dynamics: Any, n: int, iterations: int) -> tuple[dict[str, Any], float, np.ndarray[Any, Any]]:
    """Return what IPOPT reports, the seconds in function evaluation, and the solution."""
    options = {"print_level": 0, "max_iter": iterations, "tol": 1e-6, "sb": "yes"}
    solver = ca.nlpsol("solver", "ipopt", problem(dynamics, n), {"ipopt": options, "print_time": False})
    hanging, upright = np.array([0, 3.0, 0, -0.1, 0, 1.6, 0]), np.array([0, 0, 0, -0.1, 0, 1.6, 0.0])
    share = np.linspace(0, 1, KNOTS + 1)[:, None]
    low, high = np.full((KNOTS + 1, n), -4.0), np.full((KNOTS + 1, n), 4.0)
    fast = np.full((KNOTS + 1, n), 8.0)
    low[0] = high[0] = hanging
    low[-1] = high[-1] = upright
    fast[[0, -1]] = 0.0
    strong = np.full((KNOTS, n), LIMIT)
    start = np.concatenate([(hanging + share * (upright - hanging)).ravel(), np.zeros(fast.size + strong.size)])
    found = solver(
        x0=start,
        lbx=np.concatenate([low.ravel(), -fast.ravel(), -strong.ravel()]),
        ubx=np.concatenate([high.ravel(), fast.ravel(), strong.ravel()]),
        lbg=0,
        ubg=0,
    )
    stats = solver.stats()
    seconds = sum(value for key, value in stats.items() if key.startswith("t_proc_nlp_"))
    return stats, seconds, found["x"].full().ravel()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=300)
    options = parser.parse_args(arguments)
    robot = tf.robots.panda()
    program = tf.inverse_dynamics(robot)
    start = time.perf_counter()
    compiled = program.to_casadi(compiled=True)
    print(f"compiled in {time.perf_counter() - start:.1f} s")
    forms = {"CasADi's SX, matrices": recursion(robot), "our SX": program.to_casadi(), "our compiled code": compiled}
    state = np.random.default_rng(0).uniform(-1, 1, (3, robot.dof))
    expected = program.compile()(*state)
    times, solutions = {}, {}
    for name, dynamics in forms.items():
        assert np.allclose(np.asarray(dynamics(*state)).ravel(), expected, rtol=1e-9, atol=1e-9), name
        stats, times[name], solutions[name] = solve(dynamics, robot.dof, options.iterations)
        print(f"{name}: {stats['return_status']}, {stats['iter_count']} iterations, {times[name]:.2f} s in functions")
    first, last = times["CasADi's SX, matrices"], times["our compiled code"]
    gap = max(np.abs(x - solutions["our compiled code"]).max() for x in solutions.values())
    print(f"largest difference between the solutions: {gap:.1e}")
    print(f"{first / last:.1f} times fewer seconds than CasADi's SX ({times['our SX'] / last:.1f} than our SX)")
    print("reached" if first / last >= WANTED else f"wanted {WANTED}")


if __name__ == "__main__":
    main()
