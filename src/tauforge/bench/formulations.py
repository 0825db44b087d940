"""The classical formulations side by side on one robot: counted, timed, and proved equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..errors import ProgramError, Undecided
from ..formulations import CONFIGURATION_SPACE, FORMULATIONS, TABLES
from ..formulations.counting import count, counted, degree, order
from ..models.classical import DEFAULT
from ..models.inverse_dynamics import inverse_dynamics
from ..program.count import Operations
from ..program.program import Program
from ..robot.robot import Robot
from ..tabulation.configuration_space import ConfigurationSpace, configuration_space
from .timing import best_times

REFEREE = "lagrange"
STATES = 1000
"""How many states are computed at once for timing."""
_MEMORY = 2**26  # of tables
_RESOLUTIONS = (64, 32, 16, 8, 4)
Pair = tuple[int, int]
"""Multiplications and additions."""


@dataclass(frozen=True)
class Costs:
    """The cost of a formulation on any robot, as multiplications and additions; None if it is not known.

    Attributes
    ----------
    published
        For six joints, as printed.
    general
        For some number of joints, by the formulation's own sequence of operations.
    order
        The power of the number of joints with which that grows.
    """

    published: Pair | None
    general: Pair | None
    order: int | None


@dataclass(frozen=True)
class Row:
    """The figures of one formulation on one robot; None if they do not apply.

    Attributes
    ----------
    costs
        Its cost on any robot with as many joints.
    customised
        Multiplications and additions of the Program with standard parameters.
    optimised
        The same with base parameters.
    nanoseconds
        Time per evaluation of the latter, compiled, with many states at once.
    proved
        Whether it was proved to equal Lagrange's equations; False if this is undecided.
    error
        Largest difference from Lagrange's equations, relative to the largest torque.
    points
        Points of a table's grid along each coordinate.
    memory
        Bytes that the tables take.
    reason
        Why there are no figures.
    """

    name: str
    costs: Costs
    customised: Pair | None = None
    optimised: Pair | None = None
    nanoseconds: float | None = None
    proved: bool | None = None
    error: float | None = None
    points: int | None = None
    memory: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Growth:
    """How the operations of a formulation's own sequence grow: totals for some numbers of joints, and their order."""

    name: str
    joints: Sequence[int]
    totals: tuple[int, ...]
    order: int
    published: Pair | None


def rows(robot: Robot, *, seconds: float = 0.3) -> Iterator[Row]:
    """Yield a row for each formulation, the default first; each is timed for the given number of seconds."""
    referee = inverse_dynamics(robot, parameters="base", formulation=REFEREE)
    samples = np.random.default_rng(0).uniform(-1.0, 1.0, (3, STATES, robot.dof))
    expected = _call(referee, samples)()
    for name in (DEFAULT, *FORMULATIONS):
        plain, base = (inverse_dynamics(robot, parameters=p, formulation=name) for p in ("standard", "base"))
        run = _call(base, samples)
        yield Row(
            name,
            costs(name, robot.dof),
            operations(plain.count()),
            operations(base.count()),
            _nanoseconds(run, seconds),
            _is_proved(base, referee),
            _difference(run(), expected),
        )
    yield _tables_row(robot, samples, expected, seconds)


def _tables_row(robot: Robot, samples: Any, expected: Any, seconds: float) -> Row:
    """Return the row of the configuration space method, on the finest grid that fits."""
    known = costs(TABLES, robot.dof)
    if robot.symbols:
        return Row(TABLES, known, reason="needs numbers")
    found = _finest(robot)
    if not found:
        return Row(TABLES, known, reason=f"more than {_MEMORY // 2**20} MB")
    points, space = found
    run = partial(space, *samples)
    return Row(
        TABLES,
        known,
        operations(space.count()),
        nanoseconds=_nanoseconds(run, seconds),
        error=_difference(run(), expected),
        points=points,
        memory=space.memory,
    )


def _finest(robot: Robot) -> tuple[int, ConfigurationSpace] | None:
    ranges = {joint.name: (-1.0, 1.0) for joint in robot.joints if joint.kind.units[0] == "m"}
    for points in _RESOLUTIONS:
        try:
            return points, configuration_space(robot, resolution=points, ranges=ranges, memory=_MEMORY)
        except ProgramError:
            continue
    return None


def costs(name: str, joints: int) -> Costs:
    """Return the cost of a formulation on any robot with the given number of joints."""
    if name not in counted():
        return Costs(published(name), None, None)
    return Costs(published(name), operations(count(name, joints)), order(name, range(2, 9)))


def growth(joints: Sequence[int] = range(2, 13)) -> Iterator[Growth]:
    """Yield how the cost of each formulation that has its own sequence of operations grows with the joints."""
    for name in counted():
        totals = tuple(count(name, n).total for n in joints)
        yield Growth(name, joints, totals, degree(totals), published(name))


def published(name: str) -> Pair | None:
    """Return a formulation's multiplications and additions for six joints as Meghdari prints them."""
    each = CONFIGURATION_SPACE if name == TABLES else FORMULATIONS.get(name)
    return each.published if each else None


def operations(made: Operations) -> Pair:
    """Return multiplications and additions, set-up included, as published figures count."""
    return made.mul + made.div + made.sqrt + made.setup_mul, made.add + made.setup_add


def _is_proved(program: Program, referee: Program) -> bool:
    try:
        program.certify(referee)
    except Undecided:
        return False
    return True


def _call(program: Program, samples: Any) -> Callable[[], Any]:
    """Return a call of the compiled Program on all states; the random values of symbols depend on their names."""
    values = [np.random.default_rng([*name.encode()]).uniform(0.1, 1.0) for name in program.parameters]
    return partial(program.compile(), *samples, *([np.array(values)] if values else []))


def _nanoseconds(run: Callable[[], Any], seconds: float) -> float:
    """Return the time per state of a run."""
    return 1e9 * best_times({"": run}, seconds)[""] / STATES


def _difference(found: Any, expected: Any) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())
