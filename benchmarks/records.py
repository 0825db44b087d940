"""Operation counts of all models of the bundled robots, before and after ``Program.optimise``.

``python -m benchmarks.records [--effort EFFORT] [--seed N] [NAME ...]`` prints a table; names choose robots and models.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import tauforge as tf

ARMS = ("planar2r", "scara", "rrp", "stanford", "rx90", "puma560", "ur5", "kuka_lwr", "panda")
"""With symbols for parameters, grouped as base parameters."""
CLOSED = ("sr400", "gough_stewart")
"""With numbers."""


def rows() -> Iterator[tuple[str, str, Callable[[], tf.Program]]]:
    """Yield robot, model, and what makes the Program."""
    for name in ARMS:
        robot = tf.robots.bundled(name, symbolic=True)
        for model in (tf.inverse_dynamics, tf.inertia_matrix, tf.coriolis_matrix, tf.gravity, tf.direct_dynamics):
            yield name, model.__name__, lambda model=model, robot=robot: model(robot, parameters="base")
        yield name, "regressor", lambda robot=robot: tf.regressor(robot, parameters="base")
        for variable in ("q", "qd"):
            yield (
                name,
                f"dtau_d{variable}",
                lambda robot=robot, x=variable: tf.inverse_dynamics(robot, parameters="base").derivative("tau", x),
            )
            yield (
                name,
                f"dtau_d{variable}_in_numbers",
                lambda name=name, x=variable: tf.inverse_dynamics(tf.robots.bundled(name)).derivative("tau", x),
            )
    for name in CLOSED:
        for model in (tf.inverse_dynamics, tf.direct_dynamics):
            yield name, model.__name__, lambda model=model, name=name: model(tf.robots.bundled(name))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="robots and models; by default all")
    parser.add_argument("--effort", default="default")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        effort: str | float = float(given.effort)
    except ValueError:
        effort = given.effort
    print("| robot | model | before | after | saved | s |\n|---|---|---|---|---|---|")
    known = [(robot, model, make) for robot, model, make in rows()]
    robots, models = ({row[k] for row in known} & {*given.names} for k in (0, 1))
    for robot, model, make in known:
        if (robots and robot not in robots) or (models and model not in models):
            continue
        program = make()
        start = time.process_time()
        best = program.optimise(effort, seed=given.seed)
        spent = time.process_time() - start
        before, after = program.count().total, best.count().total
        print(
            f"| {robot} | {model} | {before} | {after} | {100 * (1 - after / before):.1f} % | {spent:.1f} |", flush=True
        )


if __name__ == "__main__":
    main()
