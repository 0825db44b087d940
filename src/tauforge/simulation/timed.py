"""Controllers for methods that are compiled with the model: the reference becomes a part of the graph.

A motion made of polynomials is an input, its coefficients, that changes from piece to piece. Expressions of time and
Fourier series are parts of the graph, and an input says whether the motion is under way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..graph.functions import cos, sin
from ..graph.node import ZERO, Node, as_node, symbol
from ..graph.rewrite import replaced
from ..program.array import Array, Shape, inputs
from ..program.program import Program
from .clock import counted_from
from .controllers import REFERENCES, Controller, Rest
from .drive import Drive, Table
from .motion.laws import Compiled, Fourier, Law, Pieces, Stretched
from .motion.motion import Motion

Floats = NDArray[np.float64]
TIME = "t"
COEFFICIENTS, SINCE, MOVING, REST, START = "coefficients", "since", "moving", "rest", "start"
"""Inputs that take the place of a reference: polynomials and when their time starts; or whether it moves, since when,
and the time on the user's clock at which it then begins or rests. The last is when the simulation starts, for a
Program that reads the time."""


@final
class Timed(Drive):
    """A controller in the equations, whose other inputs are known in advance."""

    def __init__(self, law: Program, table: Table) -> None:
        self.law, self._table, self._row = law, table, 0
        self.breaks = [float(x) for x in table.starts]

    def start(self, t: float, q: Floats, qd: Floats) -> None:
        self._row = int(self._rows(np.array([t]))[0])

    def _rows(self, t: Floats) -> NDArray[np.int64]:
        return np.maximum(np.searchsorted(self._table.starts, t, side="right") - 1, 0)

    def inputs(self, t: float, q: Floats, qd: Floats) -> dict[str, Floats]:
        return {TIME: np.array(t), **{name: rows[self._row] for name, rows in self._table.rows.items()}}

    def along(self, t: Floats, q: Floats, qd: Floats) -> dict[str, Floats]:
        return {TIME: t, **{name: rows[self._rows(t)] for name, rows in self._table.rows.items()}}

    def table(self, start: float) -> Table:
        return self._table


def timed(controller: Controller, start: float) -> Timed:
    """Return a controller with its reference in the graph, or say why it cannot be there.

    Parameters
    ----------
    start
        When the simulation starts: the Program's time is that since then.
    """
    return Timed(*_made(controller, start))


@lru_cache(maxsize=32)
def _made(controller: Controller, start: float) -> tuple[Program, Table]:
    program, table = _referred(controller, start)
    if start == 0.0 or TIME not in controller.program.inputs:
        return program, table
    return program, Table(table.starts, {**table.rows, START: np.full(len(table.starts), start)})


@lru_cache(maxsize=32)
def _on_the_clock(program: Program, starts_late: bool) -> Program:
    """Return a controller whose own time is that since the start."""
    if not starts_late or TIME not in program.arguments:
        return program
    by = {symbol(TIME): as_node(symbol(START) + symbol(TIME))}
    results = {}
    for name, array in program.results.items():
        new = replaced(array.nodes, by)
        results[name] = replace(array, nodes=tuple(new[node] for node in array.nodes))
    return replace(program, arguments={**program.arguments, START: Array(Shape([]), (symbol(START),))}, results=results)


def _referred(controller: Controller, start: float) -> tuple[Program, Table]:
    """Return a controller with its reference in the graph."""
    program, motion = _on_the_clock(controller.program, start != 0.0), controller.reference
    posed = "T_ref" in program.inputs
    names = REFERENCES[posed]
    needed = [name for name in names if name in program.inputs]
    none = np.array([-np.inf])
    if not needed:
        return program, Table(none, {})
    if isinstance(motion, Rest):
        return program, Table(none, {name: motion.values[names.index(name)][None] for name in needed})
    if isinstance(motion, Motion) and isinstance(motion.law, Pieces) and not posed:
        return _in_pieces(program, counted_from(motion, start), motion.law.counted_from(start))
    nodes = _nodes(motion.law) if isinstance(motion, Motion) and not posed else None
    if nodes is None:
        raise ProgramError(
            f"{program.name} follows a function in Python, which a method that is compiled with the model cannot call; "
            "give a tf.motion of points, expressions or a Fourier series as its reference, or choose one of SciPy's "
            "methods"
        )
    return _in_graph(program, motion, nodes, start)


def _in_pieces(program: Program, motion: Motion, law: Pieces) -> tuple[Program, Table]:
    """Return a controller that follows polynomials; before the first and after the last, the motion rests."""
    powers = len(law.coefficients)
    ends = [np.zeros((powers, motion.dof)) for _ in range(2)]
    for row, t in zip(ends, (motion.start, motion.end), strict=True):
        row[0] = motion(t).q
    rows = np.concatenate([ends[:1], law.coefficients.swapaxes(0, 1), ends[1:]])
    starts = np.array([-np.inf, *law.knots[:-1], _after(motion)])
    since = np.concatenate([[0.0], law.knots])
    return _with_pieces(program, powers, motion.dof), Table(starts, {COEFFICIENTS: rows, SINCE: since})


def _after(motion: Motion) -> float:
    """Return the first time of rest: at its end, a motion has still the acceleration with which it gets there."""
    return float(np.nextafter(motion.end, np.inf))


@lru_cache(maxsize=32)
def _with_pieces(program: Program, powers: int, count: int) -> Program:
    names = [f"{k}" for k in range(powers * count)]
    flat = inputs(COEFFICIENTS, names, "coefficients of the reference, lowest power first").nodes
    u, orders = symbol(TIME) - symbol(SINCE), list[list[Node]]()
    rows = [list(flat[k * count : (k + 1) * count]) for k in range(powers)]
    for _ in REFERENCES[0]:
        total = [ZERO] * count
        for row in reversed(rows):
            total = [as_node(x * u + y) for x, y in zip(total, row, strict=True)]
        orders.append(total)
        rows = [[as_node(float(k) * x) for x in row] for k, row in enumerate(rows)][1:]
    more = {COEFFICIENTS: Array(Shape([powers, count]), flat), SINCE: Array(Shape([]), (symbol(SINCE),))}
    return _following(program, orders, more)


def _in_graph(program: Program, motion: Motion, nodes: Sequence[Sequence[Node]], start: float) -> tuple[Program, Table]:
    """Return a controller that follows expressions of the time on the user's clock."""
    begin, end = motion.start - start, motion.end - start
    starts = np.array([-np.inf, begin, np.nextafter(end, np.inf)])
    rows = {
        MOVING: np.array([0.0, 1.0, 0.0]),
        SINCE: np.array([begin, begin, end]),
        REST: np.array([motion.start, motion.start, motion.end]),
    }
    return _with_nodes(program, tuple(tuple(row) for row in nodes)), Table(starts, rows)


@lru_cache(maxsize=32)
def _with_nodes(program: Program, nodes: tuple[tuple[Node, ...], ...]) -> Program:
    moving, t = symbol(MOVING), symbol(TIME)
    by = {t: as_node(symbol(REST) + moving * (t - symbol(SINCE)))}
    orders = []
    for k, row in enumerate(nodes):
        new = replaced(row, by)
        orders.append([as_node(new[x] * moving) if k else new[x] for x in row])
    more = {name: Array(Shape([]), (symbol(name),)) for name in (MOVING, SINCE, REST)}
    return _following(program, orders, more)


def _following(program: Program, orders: Sequence[Sequence[Node]], more: dict[str, Array]) -> Program:
    """Return a controller with its reference replaced by nodes of the time and of other inputs."""
    by, arguments = dict[Node, Node](), dict(program.arguments)
    for name, nodes in zip(REFERENCES[0], orders, strict=True):
        if name in arguments:
            by |= dict(zip(arguments.pop(name).nodes, nodes, strict=True))
    results = {}
    for name, array in program.results.items():
        new = replaced(array.nodes, by)
        results[name] = replace(array, nodes=tuple(new[node] for node in array.nodes))
    arguments = {**arguments, TIME: Array(Shape([]), (symbol(TIME),)), **more}
    return Program(program.name, arguments, results)


def _nodes(law: Law) -> list[list[Node]] | None:
    """Return coordinates, velocities and accelerations as nodes of the time; None if there are none."""
    if isinstance(law, Compiled):
        program = getattr(law.function, "program", None)
        return [list(program.results[name].nodes) for name in ("q", "qd", "qdd")] if program else None
    if isinstance(law, Stretched):
        inner = _nodes(law.law)
        return inner and [_stretched(row, law, k) for k, row in enumerate(inner)]
    if isinstance(law, Fourier):
        return _series(law)
    return None


def _stretched(row: Sequence[Node], law: Stretched, order: int) -> list[Node]:
    new = replaced(row, {symbol(TIME): as_node(law.start + law.speed * (symbol(TIME) - law.start))})
    return [as_node(new[x] * law.speed**order) for x in row]


def _series(law: Fourier) -> list[list[Node]]:
    found = [[as_node(float(x)) for x in law.centre], [ZERO] * len(law.centre), [ZERO] * len(law.centre)]
    for k in range(law.a.shape[1]):
        w = law.frequency * (k + 1.0)
        s, c = sin(w * symbol(TIME)), cos(w * symbol(TIME))
        for j, (a, b) in enumerate(zip(law.a[:, k].tolist(), law.b[:, k].tolist(), strict=True)):
            found[0][j] = as_node(found[0][j] + a / w * s - b / w * c)
            found[1][j] = as_node(found[1][j] + a * c + b * s)
            found[2][j] = as_node(found[2][j] + b * w * c - a * w * s)
    return found
