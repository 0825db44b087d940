"""How much better exciting trajectories are than random ones, for a PUMA 560 and a Panda, and how long they take.

Condition numbers are those of the base regressor in SI units, without friction and rotors. Random motions have the same
harmonics, base frequency, rest at both ends, and limits. The coefficients of their velocities are drawn from one normal
distribution, and the motions are made as large as the limits allow: by one factor for the whole motion about the middle
of its range, or by one for each joint about a centre anywhere in its range. The best of each kind counts. Harmonics are
those that ``exciting_trajectory`` takes by default, up to 2 Hz; with ``--harmonics 5``, up to 0.5 Hz, random motions
differ less from the best. ``python -m benchmarks.excite`` prints the table.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import tauforge as tf
from tauforge.identification.excitation.excite import one_thread_each
from tauforge.identification.excitation.information import Information, columns_to_excite, condition
from tauforge.identification.excitation.limits import limits_of
from tauforge.identification.excitation.problem import Grid, Problem
from tauforge.identification.excitation.search import PER_HARMONIC, kept, random_motion
from tauforge.identification.excitation.series import Series

from .table import Table

DEGREES = math.pi / 180.0
PUMA = {
    "position": (
        np.array([-160.0, -225.0, -45.0, -110.0, -100.0, -266.0]) * DEGREES,
        np.array([160.0, 45.0, 225.0, 170.0, 100.0, 266.0]) * DEGREES,
    ),
    "velocity": [1.9, 1.5, 2.6, 4.2, 3.7, 4.6],
    "acceleration": [9.0, 6.0, 15.0, 40.0, 30.0, 40.0],
    "torque": [97.6, 186.4, 89.4, 24.2, 20.1, 21.3],
}
PANDA = {
    "position": (
        [-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973],
        [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973],
    ),
    "velocity": [2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61],
    "acceleration": [15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0],
}
"""Limits as their makers publish them; the PUMA's torques are those of its motors at the joints."""
ROBOTS = {"puma560": PUMA, "panda": PANDA}


def whole(problem: Problem, series: Series, grid: Grid, rng: np.random.Generator) -> Any:
    """Return a random motion about the middle of the range, made as large by one factor as the limits allow."""
    coefficients = series.coefficients(rng.normal(size=series.size))
    coefficients[:, 0] = 0.0
    q, qd, qdd = grid.states(series.free(coefficients))
    limits = problem.limits
    half = 0.5 * (limits.upper - limits.lower)
    largest = max(
        float((np.abs(x) / bound).max()) for x, bound in ((q, half), (qd, limits.velocity), (qdd, limits.acceleration))
    )
    coefficients /= largest
    coefficients[:, 0] = limits.middle
    return series.free(coefficients)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="*", default=[*ROBOTS])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--starts", type=int, default=6)
    parser.add_argument("--duration", type=float, default=10.0)
    parser.add_argument("--harmonics", type=int, default=20)
    given = parser.parse_args(arguments)
    table = Table()
    for name in given.robots:
        robot, limits = tf.robots.bundled(name), ROBOTS[name]
        table.title(
            f"{name}: condition number of the base regressor, {given.duration:g} s, {given.harmonics} harmonics"
        )
        begin, spent = time.perf_counter(), time.process_time()
        found = tf.exciting_trajectory(
            robot, given.duration, limits, harmonics=given.harmonics, starts=given.starts, friction=(), rotors=False
        )
        spent, passed = time.process_time() - spent, time.perf_counter() - begin
        table.row("optimised", found.condition, "", "", f"determinant {found.determinant:.3g}")
        table.row("time, processor", spent, "s", "< 60", f"{passed:.0f} s on the clock")
        for told, best, most in random_ones(robot, limits, given):
            table.row(f"best of {given.count} random, {told}", best, "", "", f"determinant {most:.3g}")
            table.row("  ratio", best / found.condition, "x", "> 10")


def random_ones(robot: tf.Robot, limits: dict[str, Any], given: argparse.Namespace) -> list[tuple[str, float, float]]:
    """Return for each kind of random motion the smallest condition number and the largest determinant."""
    own, cols = limits_of(robot, limits), columns_to_excite(robot, (), False)
    width = 1e-3
    problem = Problem(robot, Information(cols, np.ones(robot.dof), width), own, [], np.ones(len(cols.names)), width)
    series = Series(given.duration, given.harmonics, own.speeds(2.0 * math.pi / given.duration))
    grid = Grid(series, PER_HARMONIC * given.harmonics)
    found = []
    with one_thread_each():
        for told, each in (("one factor", False), ("one factor per joint", True)):
            rng, best, most = np.random.default_rng(1), math.inf, -math.inf
            for _ in range(given.count):
                x = random_motion(series, own, grid, rng) if each else whole(problem, series, grid, rng)
                matrix = problem.matrix(grid, kept(problem, series, x))
                best, most = min(best, condition(matrix)), max(most, float(np.linalg.slogdet(matrix)[1]) / len(matrix))
            found.append((told, best, most))
    return found


if __name__ == "__main__":
    main()
