"""The classical formulations side by side on one robot: counted, timed, and proved equal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.text import Text

import tauforge as tf

from ..models.formulations import CONFIGURATION_SPACE, DEFAULT, TABLES
from ..models.formulations.configuration_space import configuration_space
from ..models.formulations.counting import count, counted, degree, order
from . import show

COLUMNS = ("formulation", "published", "general", "order", "customised", "optimised", "ns", "ratio", "agreement")
REFEREE = "lagrange"
_STATES = 1000
_SECONDS = 0.3  # to time each
_MEMORY = 2**26  # of tables
_GROWTH = range(2, 13)


@dataclass(frozen=True)
class Row:
    """What is known of one formulation on one robot; None where it does not apply.

    Attributes
    ----------
    published
        Multiplications and additions for six joints as printed.
    general
        The same for this number of joints, by the formulation's own sequence of operations.
    customised
        The Program's operations with standard parameters.
    optimised
        The Program's operations with base parameters.
    """

    name: str
    published: tuple[int, int] | None
    general: tuple[int, int] | None
    order: int | None
    customised: tuple[int, int] | None = None
    optimised: tuple[int, int] | None = None
    nanoseconds: float | None = None
    agreement: str = ""


def rows(robot: tf.Robot) -> Iterator[Row]:
    """Yield a row for each formulation, the default first."""
    referee, samples = tf.inverse_dynamics(robot, parameters="base", formulation=REFEREE), states(robot)
    expected = call(referee, samples)()
    for name in (DEFAULT, *tf.formulations()):
        plain, base = (tf.inverse_dynamics(robot, parameters=p, formulation=name) for p in ("standard", "base"))
        run = call(base, samples)
        difference = np.abs(run() - expected).max() / np.abs(expected).max()
        try:
            base.certify(referee)
            outcome = "proved"
        except tf.Undecided:
            outcome = "undecided"
        yield Row(
            *costs(name, robot.dof),
            operations(plain.count()),
            operations(base.count()),
            timed(run) / _STATES,
            f"{outcome}, {difference:.0e}",
        )
    yield from tables(robot, samples, expected)


def tables(robot: tf.Robot, samples: Sequence[Any], expected: Any) -> Iterator[Row]:
    """Yield the row of the configuration space method, on the finest grid that fits."""
    known = costs(TABLES, robot.dof)
    if robot.symbols:
        yield Row(*known, agreement="needs numbers")
        return
    ranges = {joint.name: (-1.0, 1.0) for joint in robot.joints if joint.kind.units[0] == "m"}
    for points in (64, 32, 16, 8, 4):
        try:
            space = configuration_space(robot, resolution=points, ranges=ranges, memory=_MEMORY)
        except tf.ProgramError:
            continue
        run = partial(space, *samples)
        difference = np.abs(run() - expected).max() / np.abs(expected).max()
        cost, taken = operations(space.count()), timed(run) / _STATES
        yield Row(*known, cost, None, taken, f"{difference:.0e} on {points} points, {space.memory / 2**20:.1f} MB")
        return
    yield Row(*known, agreement=f"more than {_MEMORY // 2**20} MB")


def costs(name: str, joints: int) -> tuple[str, tuple[int, int] | None, tuple[int, int] | None, int | None]:
    """Return a formulation's name, published cost, general cost and order of growth."""
    has = name in counted()
    return (
        name,
        published(name),
        operations(count(name, joints)) if has else None,
        order(name, range(2, 9)) if has else None,
    )


def published(name: str) -> tuple[int, int] | None:
    """Return a formulation's multiplications and additions for six joints as Meghdari prints them."""
    each = CONFIGURATION_SPACE if name == TABLES else tf.formulations().get(name)
    return each.published if each else None


def operations(made: tf.Operations) -> tuple[int, int]:
    """Return multiplications and additions, set-up included, as published figures count."""
    return made.mul + made.div + made.sqrt + made.setup_mul, made.add + made.setup_add


def states(robot: tf.Robot) -> tuple[Any, ...]:
    """Return coordinates, velocities and accelerations of random states."""
    return tuple(np.random.default_rng(0).uniform(-1.0, 1.0, (3, _STATES, robot.dof)))


def call(program: tf.Program, samples: Sequence[Any]) -> Callable[[], Any]:
    """Return a call of the compiled Program on all states; symbols have random values by their names."""
    values = [np.random.default_rng([*name.encode()]).uniform(0.1, 1.0) for name in program.parameters]
    return partial(program.compile(), *samples, *([np.array(values)] if values else []))


def timed(run: Callable[[], Any]) -> float:
    """Return the nanoseconds of a run: the least of many."""
    best, end = float("inf"), time.perf_counter() + _SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        run()
        best = min(best, time.perf_counter_ns() - start)
    return best


def table(robot: tf.Robot, found: Sequence[Row]) -> Group:
    """Return the rows as a table, with what its columns mean."""
    made = show.table(COLUMNS, right=COLUMNS[1:-1])
    best = min(row.nanoseconds for row in found if row.nanoseconds)
    for row in found:
        made.add_row(
            f"[green]{row.name}[/green]",
            *(_pair(x) for x in (row.published, row.general)),
            f"n^{row.order}" if row.order else "",
            *(_pair(x) for x in (row.customised, row.optimised)),
            f"{row.nanoseconds:.0f}" if row.nanoseconds else "",
            f"{row.nanoseconds / best:.1f}" if row.nanoseconds else "",
            row.agreement,
        )
    notes = (
        "Multiplications/additions. published: for six general revolute joints (kane: the Stanford arm).",
        f"general: the formulation's own sequence for {robot.dof} general revolute joints; order: how that grows.",
        "customised, optimised: the generated program on this robot, with standard and with base parameters;",
        f"ns: one evaluation of the latter, compiled, of {_STATES} at once. agreement: with Lagrange's equations.",
    )
    return Group(show.titled(f"Formulations of the inverse dynamics of {robot.name}", made), Text("\n".join(notes)))


def _pair(x: tuple[int, int] | None) -> str:
    return f"{x[0]}/{x[1]}" if x else ""


def plot(path: Path) -> None:
    """Draw how the formulations' costs grow with the number of joints."""
    pyplot = show.pyplot()
    drawing, axes = pyplot.subplots(figsize=(9, 6), layout="constrained")
    axes.set_prop_cycle(color=[*map(pyplot.get_cmap("tab10"), range(10)), "black"])
    for name in counted():
        totals = [count(name, n).total for n in _GROWTH]
        (line,) = axes.loglog(_GROWTH, totals, label=f"{name}: $n^{{{degree(totals)}}}$")
        if (figure := published(name)) and name != "kane":
            axes.plot([6], [sum(figure)], "o", color=line.get_color())
    axes.set_xlabel("number of joints")
    axes.set_ylabel("multiplications and additions")
    axes.set_xticks(list(_GROWTH), [str(n) for n in _GROWTH])
    axes.set_xticks([], minor=True)
    drawing.legend(title="circles: published", fontsize="small", loc="outside right upper")
    try:
        drawing.savefig(path)
    except (OSError, ValueError) as error:
        raise tf.TauforgeError(f"{path} cannot be written: {error}") from None
    pyplot.close(drawing)
