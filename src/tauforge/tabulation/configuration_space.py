"""Raibert and Horn (1978): the configuration space method, section 7 of Meghdari.

    τ_i = G_i(q) + Σ_j D_ij(q) q̈_j + Σ_j Σ_k C_ijk(q) q̇_j q̇_k                                   (16)

The coefficients depend only on the configuration: they are computed once, on a grid of configurations, then looked up
and interpolated. Reading a table is not an operation on scalars, so this is not a Program but an object that you call
like a compiled function; (16) itself, from coefficients to torques, is a Program.

Terms that are zero, or equal to another term or its negative (D_ij = D_ji, C_ijk = C_ikj and the other symmetries of
the arm), are not stored, and each term has only the dimensions of the coordinates on which it depends. Exact arithmetic
decides both. The dimension of a revolute joint is periodic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..formulations import CONFIGURATION_SPACE, TABLES
from ..formulations.chain import check
from ..graph.derivative import jacobian
from ..graph.evaluate import evaluate, symbols
from ..graph.exact import home
from ..graph.node import Node, as_node, is_zero
from ..graph.points import exact_points
from ..models.bias import gravity
from ..models.inertia_matrix import inertia_matrix
from ..models.inverse_dynamics import inverse_dynamics
from ..models.joint_law import resistances
from ..models.prepare import prepare
from ..models.registry import check_robot
from ..models.results import program, vector
from ..models.state import INPUTS
from ..program.array import Array, inputs, outputs
from ..program.count import Operations
from ..program.program import Program
from ..robot.robot import Robot
from .lookup import Lookup

Floats = NDArray[np.float64]
_CHUNK = 50_000  # configurations computed at a time
_WIDTH = 4  # terms looked up at a time


class Axis(NamedTuple):
    """A dimension of a table: its coordinate, the start of its grid, the step, the number of points, and whether it
    closes.
    """

    coordinate: int
    start: float
    step: float
    points: int
    periodic: bool

    @property
    def end(self) -> float:
        """Where the grid ends, or closes."""
        return self.start + self.step * (self.points if self.periodic else self.points - 1)


@dataclass(frozen=True, eq=False)
class Table:
    """Terms of (16) that depend on the same coordinates: values on a grid, with the terms along the last axis."""

    axes: tuple[Axis, ...]
    terms: tuple[int, ...]
    values: Floats

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Indices in q of the coordinates that the terms depend on."""
        return tuple(axis.coordinate for axis in self.axes)

    @cached_property
    def _lookup(self) -> Callable[[Floats], Floats]:
        return Lookup(self.axes, self.values)

    def look_up(self, q: Floats, names: Sequence[str]) -> Floats:
        """Return the terms at some configurations (m, n), interpolated linearly along each dimension."""
        for axis in self.axes:
            x, slack = q[:, axis.coordinate], 1e-9 * axis.step
            if not axis.periodic and x.size and (x.min() < axis.start - slack or x.max() > axis.end + slack):
                raise ProgramError(
                    f"{names[axis.coordinate]} leaves the tables, which reach from {axis.start:g} to {axis.end:g}; its "
                    "range is an option of configuration_space"
                )
        return self._lookup(q)[:, : len(self.terms)]


@dataclass(frozen=True, eq=False)
class ConfigurationSpace:
    """A robot's inverse dynamics from tables: call it with q, qd, qdd, for one state or for many along leading axes.

    Attributes
    ----------
    robot
        The robot.
    tables
        The coefficients of (16), in one table for each set of coordinates that some depend on.
    program
        (16) as a Program, ``coefficients, q, qd, qdd -> tau``.
    function
        The Program, compiled.
    """

    robot: Robot
    tables: tuple[Table, ...]
    program: Program
    function: Callable[..., Any]

    @property
    def memory(self) -> int:
        """Bytes that the tables take."""
        return sum(table.values.nbytes for table in self.tables)

    def coefficients(self, q: ArrayLike) -> Floats:
        """Return the terms of (16) that depend on the configuration, interpolated."""
        q = np.asarray(q, dtype=np.float64)
        flat = q.reshape(-1, self.robot.dof)
        found = np.empty((len(flat), sum(len(table.terms) for table in self.tables)))
        for table in self.tables:
            found[:, table.terms] = table.look_up(flat, self.robot.joint_names)
        return found.reshape(*q.shape[:-1], found.shape[-1])

    def __call__(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Floats:
        """Return the torques of (16)."""
        found: Floats = self.function(self.coefficients(q), q, qd, qdd)
        return found

    def count(self) -> Operations:
        """Count the operations of an evaluation: interpolation, with its weights, and (16)."""
        mul = add = 0
        for table in self.tables:
            corners = 2 ** len(table.axes)
            mul += corners * len(table.terms) + 2 * corners - 4 + 2 * len(table.axes)
            add += (corners - 1) * len(table.terms) + 3 * len(table.axes)
        own = self.program.count()
        return Operations(mul=mul + own.mul, add=add + own.add)

    def error(self, states: int = 1000, seed: int = 0) -> Floats:
        """Return each joint's largest torque error over random states, with rates between -1 and 1."""
        random = np.random.default_rng(seed)
        q, qd, qdd = random.uniform(-1.0, 1.0, (3, states, self.robot.dof))
        for axis in {axis for table in self.tables for axis in table.axes}:
            q[:, axis.coordinate] = random.uniform(axis.start, axis.end, states)
        exact = inverse_dynamics(self.robot).compile()(q, qd, qdd)
        largest: Floats = np.abs(self(q, qd, qdd) - exact).max(axis=0)
        return largest


def configuration_space(
    robot: Robot,
    *,
    resolution: int | Mapping[str, int] = 16,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    memory: int = 2**28,
) -> ConfigurationSpace:
    """Tabulate a robot's dynamics over its configurations.

    Parameters
    ----------
    resolution
        Grid points along a coordinate, for all joints or by joint.
    ranges
        Smallest and largest coordinate by joint; a revolute joint without a range can turn all the way round.
    memory
        The largest number of bytes that the tables may take.
    """
    check_robot(robot)
    if robot.symbols:
        raise ProgramError(f"{robot.name}: tables need numbers; bind {', '.join(robot.symbols[:6])} … to values first")
    terms, law = distinct_terms(robot)
    coordinates = [dependence(node, robot.dof) for node in terms]
    groups: dict[tuple[int, ...], list[int]] = {}
    for k, needed in enumerate(coordinates):
        groups.setdefault(needed, []).append(k)
    used = sorted({k for needed in groups for k in needed})
    axes = {k: _axis(robot, k, resolution, ranges or {}) for k in used}
    _check_memory(robot, groups, axes, memory)
    q = inputs("q", robot.coordinate_names, INPUTS["q"][0])
    values = Program(f"{robot.name}_terms", {"q": q}, {"terms": outputs(terms, [len(terms)], [], "")}).compile()
    tables = tuple(_table(values, robot.dof, [axes[k] for k in needed], own) for needed, own in groups.items())
    return ConfigurationSpace(robot, tables, law, law.compile())


def distinct_terms(robot: Robot) -> tuple[list[Node], Program]:
    """Return the terms of (16) that differ, as functions of q, and the Program of (16) in them."""
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    check(robot, TABLES, CONFIGURATION_SPACE.paper, followers=False)
    n, q = robot.dof, arrays["q"].nodes
    M = inertia_matrix(robot).results["M"].nodes
    slope = jacobian(M, q)
    G = gravity(robot).results["g"].nodes

    def christoffel(i: int, j: int, k: int) -> Node:
        twice = slope[n * i + j][k] + slope[n * i + k][j] - slope[n * j + k][i]
        return twice if j < k else twice * 0.5  # the pair of j and k once

    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    C = {(i, j, k): christoffel(i, j, k) for i in range(n) for j, k in pairs}
    read, terms = _shared([*G, *M, *C.values()])
    coefficients = inputs("coefficients", [f"K{i}" for i in range(1, len(terms) + 1)], "terms of (16), looked up")
    entries = iter(_read(read, coefficients))
    own = [next(entries) for _ in G]
    rows = [[next(entries) for _ in range(n)] for _ in range(n)]
    lines = {key: next(entries) for key in C}
    qd, qdd = ([as_node(x) for own in rates[1:] for x in own] for rates in (state.qd, state.qdd))
    products = {(j, k): qd[j] * qd[k] for j, k in pairs}
    against = [x for joint in resistances(robot, state) for x in joint]
    tau = []
    for i in range(n):
        total = own[i] + against[i]
        for j in range(n):
            total = total + rows[i][j] * qdd[j]
        for j, k in pairs:
            total = total + lines[i, j, k] * products[j, k]
        tau.append(total)
    arguments = {"coefficients": coefficients, **arrays}
    result = {"tau": vector(state.coordinates, tau, INPUTS["tau"][0])}
    return terms, program("configuration_space", robot, arguments, result)


def _shared(nodes: Sequence[Node]) -> tuple[list[tuple[int | None, float, Node]], list[Node]]:
    """Return where each node is read from (a term, with a sign; or none if it is constant), and the distinct terms."""
    points, p = exact_points(nodes, 2), home().p
    values = list(zip(*(point.residues(nodes) for point in points), strict=True))
    places: dict[tuple[int, ...], int] = {}
    terms: list[Node] = []
    read: list[tuple[int | None, float, Node]] = []
    for node, value in zip(nodes, values, strict=True):
        opposite = tuple(-x % p for x in value)
        if len(set(value)) == 1:  # the same at both points: it depends on nothing
            read.append((None, 1.0, as_node(_constant(node))))
        elif opposite in places:
            read.append((places[opposite], -1.0, node))
        else:
            if value not in places:
                places[value] = len(terms)
                terms.append(node)
            read.append((places[value], 1.0, node))
    return read, terms


def _constant(node: Node) -> float:
    """Return the value of an expression that is constant, even if coordinates occur in it."""
    value = evaluate([node], dict.fromkeys(symbols([node]), 0.5))[0]
    return 0.0 if abs(value) < 1e-12 else value


def _read(read: Iterable[tuple[int | None, float, Node]], coefficients: Array) -> list[Node]:
    return [node if k is None else coefficients.nodes[k] * sign for k, sign, node in read]


def dependence(node: Node, dof: int) -> tuple[int, ...]:
    """Return the coordinates on which a term depends, decided in exact arithmetic."""
    every = {f"q[{k}]" for k in range(dof)}

    def moves(k: int) -> bool:
        first, second = exact_points([node], 2, steady=every - {f"q[{k}]"})
        return first.residues([node]) != second.residues([node])

    return tuple(k for k in range(dof) if moves(k))


def _axis(robot: Robot, k: int, resolution: int | Mapping[str, int], ranges: Mapping[str, tuple[float, float]]) -> Axis:
    joint = robot.joints[robot.moving[k] - 1]
    points = resolution if isinstance(resolution, int) else resolution.get(joint.name, 16)
    if points < 2:
        raise ProgramError(f"a resolution of {points} points for {joint.name!r}: interpolation needs two or more")
    if joint.name in ranges:
        low, high = ranges[joint.name]
        if not low < high:
            raise ProgramError(f"the range of {joint.name!r} is {low!r} to {high!r}; the first must be the smaller one")
        return Axis(k, low, (high - low) / (points - 1), points, False)
    if is_zero(joint.kind.turn):
        raise ProgramError(
            f"{robot.name}: joint {joint.name!r} is prismatic, and the dynamics depends on it: say how far it goes, as "
            f"in ranges={{{joint.name!r}: (0.0, 0.5)}}"
        )
    return Axis(k, -math.pi, 2 * math.pi / points, points, True)


def _check_memory(robot: Robot, groups: Mapping[tuple[int, ...], list[int]], axes: dict[int, Axis], limit: int) -> None:
    needed = sum(8 * _room(terms) * math.prod(axes[k].points for k in key) for key, terms in groups.items())
    if needed > limit:
        largest = max(map(len, groups))
        fits = (limit / needed) ** (1 / largest)
        raise ProgramError(
            f"{robot.name}: tables over up to {largest} coordinates would take {needed / 2**20:,.0f} MB, more than "
            f"memory = {limit / 2**20:,.0f} MB; take a resolution {1 / fits:.1f} times coarser, or allow more"
        )


def _table(function: Any, dof: int, axes: Sequence[Axis], terms: list[int]) -> Table:
    """Compute the terms on the grid, some configurations at a time; each point has space for a multiple of four."""
    shape = tuple(axis.points for axis in axes)
    values = np.zeros((math.prod(shape), _room(terms)))
    for first in range(0, len(values), _CHUNK):
        places = np.unravel_index(np.arange(first, min(first + _CHUNK, len(values))), shape)
        q = np.zeros((len(places[0]), dof))
        for axis, place in zip(axes, places, strict=True):
            q[:, axis.coordinate] = axis.start + axis.step * place
        values[first : first + len(q), : len(terms)] = function(q)[:, terms]
    return Table(tuple(axes), tuple(terms), values.reshape(*shape, -1))


def _room(terms: Sequence[int]) -> int:
    return -(-len(terms) // _WIDTH) * _WIDTH
