"""The records: operation counts after ``Program.optimise``, next to published ones or to those of the plain recursions.

``python -m benchmarks.records [--effort EFFORT] [--seed N] [-o FILE] [NAME ...]`` prints a table, and puts
it in the place of the one in a page of the documentation; names choose robots and models. It exits with 1 if a figure
misses its goal.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import tauforge as tf

INVERSE = "inverse dynamics"
TO_BEAT = {
    "rrp": 139,
    "rx90": 482,
    "puma560": 506,
    "puma560, d2 kept": 532,
    "puma560, measured zeros": 326,
    "stanford": 457,
    "ur5": 503,
    "kuka_lwr": 580,
    "panda": 613,
    "scara": 71,
    "sr400's tree": 735,
    "general 6R": 794,
}
"""Published totals with base parameters: SYMORO+'s scheme, OpenSYMORO for the SR400, 92n - 127 and 81n - 117 for six
general joints (Khalil and Kleinfinger)."""
PLAIN = {
    "inertia matrix": {"rx90": 256, "puma560": 290, "stanford": 219, "kuka_lwr": 316, "panda": 368},
    "direct dynamics": {"rx90": 872, "puma560": 927, "stanford": 786, "kuka_lwr": 1099, "panda": 1184},
    "Coriolis matrix": {"rx90": 1299, "puma560": 1408, "stanford": 1172, "kuka_lwr": 2176, "panda": 2418},
    "∂τ/∂q": {"puma560": 1616, "panda": 2753},
    "∂τ/∂q̇": {"puma560": 1406, "panda": 2506},
}
"""Totals of the plain recursions with base parameters, as they were before ``Program.optimise``."""
REGRESSORS = {"rx90": 887, "puma560": 1195}
"""Totals of SymPyBotics."""
LOOPS = {"sr400": 465, "gough_stewart": 2973}
"""Totals of the bundled robots in numbers, before ``Program.optimise``."""
TEXTBOOK = {INVERSE: 28, "inertia matrix": 5, "Coriolis matrix": 5, "gravity": 6}
"""Two links in a vertical plane with MY = 0, as a textbook writes them, counted by hand in ``docs/records.md``."""
MODELS: dict[str, Callable[..., tf.Program]] = {
    INVERSE: tf.inverse_dynamics,
    "inertia matrix": tf.inertia_matrix,
    "direct dynamics": tf.direct_dynamics,
    "Coriolis matrix": tf.coriolis_matrix,
    "gravity": tf.gravity,
    "regressor": tf.regressor,
}


@dataclass(frozen=True)
class Record:
    """One row: what is counted, the figure to beat, the largest count that reaches the goal, and the Program."""

    robot: str
    model: str
    parameters: str
    figure: int
    goal: int
    make: Callable[[], tf.Program]


def robot(name: str) -> tf.Robot:
    """Return a robot of the tables, with symbols for its parameters."""
    if name == "general 6R":
        return general(6)
    if name == "puma560, d2 kept":
        return tf.robots.puma560(symbolic=True, d2="kept")
    if name == "puma560, measured zeros":
        return measured(tf.robots.puma560(), tf.robots.puma560(symbolic=True))
    if name == "planar2r":
        return tf.robots.planar2r(symbolic=True).bind(MY1=0.0, MY2=0.0)
    if name == "sr400's tree":
        return tf.robots.sr400(symbolic=True).tree()
    return tf.robots.bundled(name, symbolic=True)


def general(count: int) -> tf.Robot:
    """Return a chain of revolute joints, all of whose parameters are symbols."""
    numbers = range(1, count + 1)
    joints = (
        {"alpha": tf.symbol(f"AL{j}"), "d": tf.symbol(f"D{j}"), "r": tf.symbol(f"RL{j}"), "antecedent": j - 1}
        for j in numbers
    )
    return tf.Robot(
        name=f"general{count}r",
        joints=tuple(tf.Joint(name=f"j{j}", **given) for j, given in enumerate(joints, 1)),
        bodies=tuple(
            tf.Body(name=f"l{j}", inertia=tf.Inertia(*(tf.symbol(f"{name}{j}") for name in tf.Inertia._fields)))
            for j in numbers
        ),
    )


def measured(numeric: tf.Robot, symbolic: tf.Robot) -> tf.Robot:
    """Return a symbolic robot with the zeros and the equal moments of inertia of a numeric one."""
    bodies = []
    for known, body in zip(numeric.bodies, symbolic.bodies, strict=True):
        same: dict[float, object] = {}
        entries = [
            0.0 if abs(float(x)) < 1e-12 else same.setdefault(round(float(x), 12), name)
            for x, name in zip(known.inertia, body.inertia, strict=True)
        ]
        bodies.append(replace(body, inertia=tf.Inertia(*entries)))
    return replace(symbolic, bodies=tuple(bodies))


def records() -> Iterator[Record]:
    """Yield all rows."""
    limits = {"general 6R": 695, "rrp": 120, "scara": 66}
    for name, figure in TO_BEAT.items():
        goal = min(int(0.93 * figure), limits.get(name, figure))
        yield Record(name, INVERSE, "least", figure, goal, partial(modelled, INVERSE, name, "least"))
    for model, figure in TEXTBOOK.items():
        yield Record("planar2r", model, "base", figure, figure, partial(modelled, model, "planar2r", "base"))
    for model in ("inertia matrix", "direct dynamics", "Coriolis matrix"):
        for name, figure in PLAIN[model].items():
            yield Record(name, model, "least", figure, int(0.94 * figure), partial(modelled, model, name, "least"))
    for name, figure in REGRESSORS.items():
        goal = {"rx90": 710, "puma560": 950}[name]
        yield Record(name, "regressor", "base", figure, goal, partial(modelled, "regressor", name, "base"))
    for variable, model in (("q", "∂τ/∂q"), ("qd", "∂τ/∂q̇")):
        for name, figure in PLAIN[model].items():
            yield Record(name, model, "least", figure, int(0.85 * figure), partial(slopes, name, variable))
    for name, figure in LOOPS.items():
        yield Record(name, INVERSE, "in numbers", figure, int(0.9 * figure), partial(closed, name))


def modelled(model: str, name: str, parameters: str) -> tf.Program:
    """Return a model of a robot of the tables."""
    return MODELS[model](robot(name), parameters=parameters)


def slopes(name: str, variable: str) -> tf.Program:
    """Return the derivative of the torques."""
    return modelled(INVERSE, name, "least").derivative("tau", variable)


def closed(name: str) -> tf.Program:
    """Return the inverse dynamics of a bundled robot with closed loops, in numbers."""
    return tf.inverse_dynamics(tf.robots.bundled(name))


def row(record: Record, effort: str | float, seed: int) -> tuple[str, bool]:
    """Return a line of the table, and whether the goal is reached."""
    program = record.make()
    start = time.process_time()
    best = program.optimise(effort, seed=seed)
    spent = time.process_time() - start
    made = best.count().total
    reached = made <= record.goal
    below = f"{100 * (1 - made / record.figure):.1f} %"
    cells = (record.robot, record.model, record.parameters, record.figure, program.count().total, made, below)
    return f"| {' | '.join(map(str, cells))} | {spent:.0f} |" + (
        "" if reached else " goal: " + str(record.goal)
    ), reached


HEAD = """| robot | model | parameters | to beat | as made | optimised | below | s |
|---|---|---|--:|--:|--:|--:|--:|"""


def rewritten(page: str, table: str) -> str:
    """Return a page with its table replaced."""
    start = page.index(HEAD.splitlines()[0])
    end = page.index("\n\n", start)
    return page[:start] + table + page[end:]


def main() -> None:
    """Print the table or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="robots and models; by default all")
    parser.add_argument("--effort", default="default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    try:
        effort: str | float = float(given.effort)
    except ValueError:
        effort = given.effort
    page = given.output.read_text(encoding="utf-8") if given.output else ""  # before minutes of work
    os.environ["TAUFORGE_CACHE"] = "off"  # what was found before would take no time
    wanted, lines, all_reached = {*given.names}, [HEAD], True
    print(HEAD, flush=True)
    for record in records():
        if not wanted or wanted & {record.robot, record.model}:
            line, reached = row(record, effort, given.seed)
            print(line, flush=True)
            lines.append(line)
            all_reached &= reached
    if given.output:
        given.output.write_text(rewritten(page, "\n".join(lines)), encoding="utf-8")
    sys.exit(not all_reached)


if __name__ == "__main__":
    main()
