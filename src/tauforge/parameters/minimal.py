"""The proof that a set of parameters is minimal, in exact arithmetic, and the grouping of those that are not.

The regressor's columns are evaluated at random states in the prime field, where rank does not depend on tolerances. If
a column depends on others, its parameter is grouped with theirs. The coefficients are then found as expressions: small
fractions are recognised; any others come from a linear system at random states that is solved on the graph, so they
keep the geometry's symbols.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from operator import itemgetter
from random import Random

from ..errors import ProgramError
from ..graph.exact import home
from ..graph.node import ZERO, Node, as_node, symbol
from ..graph.operations import CONST
from ..graph.points import Point, exact_points, vanish
from ..models.coordinates import Coordinates
from ..models.state import State
from ..robot.entries import by_joint
from ..robot.robot import Robot
from .linear import LinearForm
from .regressor import Regressor

Key = tuple[str, int]
"""A parameter's name and its link's number."""
Forms = dict[Key, LinearForm]
"""Kept parameters as forms in the standard ones."""
Column = dict[int, int]
"""The nonzero entries of a column in some states, by row."""
Efforts = dict[int, Node]
"""The torques in a column that are not zero everywhere, by index."""


def group_dependent(robot: Robot, forms: Forms) -> Forms:
    """Return the forms; each parameter whose column depends on others is grouped with those."""
    regressor = Regressor(robot, _state(robot, lambda name, place: symbol(f"{name}[{place}]")))
    forms = group_rotors(regressor, forms)
    keys = sorted(forms, key=lambda key: key[0] == "IA")  # a rotor is grouped with links, not a link with a rotor
    if independent_by_block(regressor, keys):
        return forms
    found = [
        (keys[k], tuple(keys[i] for i in residues), [small_fraction(x) for x in residues.values()])
        for k, residues in dependent_columns(robot, [regressor.column(*key) for key in keys])
    ]
    together: dict[tuple[Key, ...], list[Key]] = {}  # by support: the columns whose coefficients must be solved for
    for dependent, support, simple in found:
        if None in simple:
            together.setdefault(support, []).append(dependent)
    samples = _Samples(robot)
    coefficients_of = {
        dependent: coefficients
        for support, own in together.items()
        for dependent, coefficients in zip(own, _solve_on_graph(samples, own, support), strict=True)
    }
    for dependent, support, simple in found:
        lost = forms.pop(dependent)
        coefficients = coefficients_of.get(dependent) or [x for x in simple if x is not None]
        for key, coefficient in zip(support, coefficients, strict=True):
            forms[key] = forms[key] + lost * coefficient
    return forms


def group_rotors(regressor: Regressor, forms: Forms) -> Forms:
    """Group each rotor inertia that acts exactly like the inertia or the mass of its own link."""
    forms = dict(forms)
    for key in [key for key in forms if key[0] == "IA"]:
        own = regressor.column(*key)
        for other in (("ZZ", key[1]), ("M", key[1])):
            if other in forms:
                column = regressor.column(*other)
                differences = [own.get(k, ZERO) - column.get(k, ZERO) for k in {**own, **column}]
                if vanish(differences):
                    forms[other] = forms[other] + forms.pop(key)
                    break
    return forms


def blocks(regressor: Regressor) -> list[int]:
    """Return, for each torque, the first torque in the same block of the regressor.

    A joint's torque depends on its own link and on those beyond it, so the regressor is block triangular, with one
    block per joint. If a joint follows another, its link acts on the other joint's torque and on those of its own
    ancestors: all torques between the two then form one block.
    """
    robot, first = regressor.robot, regressor.first
    movers = regressor.state.coordinates.movers
    own = [[place for axis in range(first[j], first[j + 1]) for place in movers(axis)] for j in range(len(first) - 1)]
    last = [-1]  # for each link: the last torque that it acts on
    reach = list(range(robot.dof))  # for each torque: the last one that the links of its joints act on
    for joint, places in zip(robot.joints, own[1:], strict=True):
        last.append(max([last[joint.antecedent], *places]))
        for place in places:
            reach[place] = max(reach[place], last[-1])
    block: list[int] = []
    start, end = 0, -1
    for place in range(robot.dof):
        start = place if place > end else start
        end = max(end, reach[place])
        block.append(start)
    return block


def independent_by_block(regressor: Regressor, keys: Sequence[Key]) -> bool:
    """Tell whether each block on the regressor's diagonal has full rank, in which case the regressor has too.

    This test is quick, and nearly always true.
    """
    block = blocks(regressor)
    lowest: dict[int, int] = {}  # by a block's first torque: the lowest link with parameters there
    columns: list[Efforts] = []
    for name, link in sorted(keys, key=itemgetter(1)):
        if not regressor.robot.joints[link - 1].axes:
            return False
        first = block[min(regressor.state.coordinates.movers(regressor.first[link]))]
        efforts = regressor.column(name, link, lowest.setdefault(first, link))
        columns.append({place: x for place, x in efforts.items() if place >= first})
    return not dependent_columns(regressor.robot, columns)


def rank(robot: Robot, keys: Sequence[Key]) -> int:
    """Return the exact rank of the regressor's columns of these parameters."""
    regressor = Regressor(robot, _state(robot, lambda name, place: symbol(f"{name}[{place}]")))
    return len(keys) - len(dependent_columns(robot, [regressor.column(*key) for key in keys]))


def dependent_columns(robot: Robot, columns: Sequence[Efforts]) -> list[tuple[int, Column]]:
    """Return the columns that depend on independent ones before them, each with those columns' coefficients.

    They are evaluated in random states of the field, with the same values for the robot's symbols; as many states as
    columns end at one torque. If a dependency fails in one more state, it was a coincidence, and twice as many states
    are taken.
    """
    nodes = [node for column in columns for node in column.values()]
    count = max(Counter(max(column, default=-1) for column in columns).values(), default=1)
    while True:
        *states, another = exact_points(nodes, count + 1, steady=frozenset(robot.symbols))
        found = dependencies([_sampled(column, states) for column in columns])
        if not found:
            return found
        fresh = [_sampled(column, [another]) for column in columns]
        if all(fresh[k] == _combined(fresh, parts) for k, parts in found):
            return found
        count *= 2


def _sampled(efforts: Efforts, states: Sequence[Point]) -> Column:
    """Return a column's entries at states of the field, torque by torque."""
    sampled = zip(*(state.residues(list(efforts.values())) for state in states), strict=True)
    count = len(states)
    rows = ((place * count + i, x) for place, xs in zip(efforts, sampled, strict=True) for i, x in enumerate(xs))
    return {row: x for row, x in rows if x}


def dependencies(columns: Sequence[Column]) -> list[tuple[int, Column]]:
    """Return the columns that depend on independent ones before them, each with those columns' coefficients.

    Each column is reduced only at its last row, by the column that ends there. The torque of a link's own joint comes
    last in its columns, so columns of different links seldom meet: the work grows with the number of links, not with
    its cube.
    """
    p = home().p
    ending: dict[int, tuple[Column, Column]] = {}  # by its last row: a column with 1 there, and what it consists of
    found: list[tuple[int, Column]] = []
    for k, column in enumerate(columns):
        made_of: Column = {k: 1}
        while column and (last := max(column)) in ending:
            other, parts = ending[last]
            column, made_of = _less(column, column[last], other), _less(made_of, column[last], parts)
        if column:
            scale = pow(column[last], -1, p)
            ending[last] = _less({}, -scale, column), _less({}, -scale, made_of)
        else:
            found.append((k, {i: -x % p for i, x in made_of.items() if i != k}))
    return found


def _less(column: Column, factor: int, other: Column) -> Column:
    """Return a column minus a factor times another."""
    result, p = dict(column), home().p
    for row, x in other.items():
        if rest := (result.get(row, 0) - factor * x) % p:
            result[row] = rest
        else:
            result.pop(row, None)
    return result


def _combined(columns: Sequence[Column], coefficients: Column) -> Column:
    total: Column = {}
    for k, x in coefficients.items():
        total = _less(total, -x, columns[k])
    return total


def small_fraction(residue: int, largest: int = 1000) -> Node | None:
    """Return the fraction of small numbers that has a residue, if there is one."""
    p = home().p
    for denominator in range(1, largest):
        numerator = residue * denominator % p
        numerator = numerator - p if numerator > p // 2 else numerator
        if abs(numerator) < largest:
            return as_node(float(numerator)) / float(denominator)
    return None


class _Samples:
    """The regressor's columns in random states, as numbers; each is computed when first needed."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._random = Random(0)
        self._regressors: list[Regressor] = []
        self._columns: dict[tuple[int, Key], Efforts] = {}

    def rows(self, state: int, keys: Sequence[Key]) -> list[list[Node]]:
        """Return the rows of the regressor in a state that have a nonzero entry in one of these columns."""
        while len(self._regressors) <= state:
            values = _state(self.robot, lambda *_: as_node(round(self._random.uniform(-2, 2), 2)))
            self._regressors.append(Regressor(self.robot, values))
        for key in keys:
            if (state, key) not in self._columns:
                self._columns[state, key] = self._regressors[state].column(*key)
        columns = [self._columns[state, key] for key in keys]
        rows = ([column.get(place, ZERO) for column in columns] for place in range(self.robot.dof))
        return [row for row in rows if any(x is not ZERO for x in row)]


def _solve_on_graph(samples: _Samples, dependents: Sequence[Key], support: Sequence[Key]) -> list[list[Node]]:
    """Return, for each dependent column, its coefficients over the support's columns, as expressions in the geometry.

    The field decides which rows of the regressor, in some random states, form a regular system.
    """
    rows: list[list[Node]] = []
    for state in range(8 * len(support)):
        rows += samples.rows(state, (*support, *dependents))
        regular = regular_rows(rows, len(support)) if len(rows) >= len(support) else []
        if len(regular) == len(support):
            return solved(regular)
    names = ", ".join(f"{name}{link}" for name, link in dependents)
    raise ProgramError(f"{samples.robot.name}: {names} cannot be grouped; this is a bug in Tauforge")


def regular_rows(rows: Sequence[Sequence[Node]], count: int) -> list[Sequence[Node]]:
    """Return as many rows as unknowns, in an order without zero pivots; fewer if there are not enough.

    The field tells pivots from zero. If everything is a number, the largest pivots are taken, so the solution keeps its
    digits.
    """
    (point,) = exact_points([x for row in rows for x in row[:count]], 1, seed=1)
    numeric = all(x.op is CONST for row in rows for x in row[:count])
    exact = [point.residues(row[:count]) for row in rows]
    rounded = [[float(x) if numeric else 0.0 for x in row[:count]] for row in rows]
    left, chosen, p = [*range(len(rows))], list[int](), home().p
    for k in range(count):
        pivots = [r for r in left if exact[r][k]]
        if not pivots:
            break
        best = max(pivots, key=lambda r: abs(rounded[r][k]))
        left.remove(best)
        chosen.append(best)
        inverse, size = pow(exact[best][k], -1, p), rounded[best][k]
        for r in left:
            if exact[r][k]:
                factor = exact[r][k] * inverse % p
                exact[r] = [(a - factor * b) % p for a, b in zip(exact[r], exact[best], strict=True)]
                share = rounded[r][k] / size if size else 0.0
                rounded[r] = [a - share * b for a, b in zip(rounded[r], rounded[best], strict=True)]
    return [rows[r] for r in chosen]


def solved(rows: Sequence[Sequence[Node]]) -> list[list[Node]]:
    """Solve a regular system without zero pivots, for each of the columns to the right of its square part."""
    count = len(rows)
    reduced: list[Sequence[Node]] = []  # rows from their diagonal on, which is 1
    for given in rows:
        row = given
        for other in reduced:
            factor = -row[0]
            row = [a + factor * b for a, b in zip(row[1:], other[1:], strict=True)]
        reduced.append([a / row[0] for a in row])
    solutions = []
    for column in range(count, len(rows[0])):
        solution = [ZERO] * count
        for k in reversed(range(count)):
            solution[k] = reduced[k][column - k]
            for i in range(k + 1, count):
                solution[k] = solution[k] - reduced[k][i - k] * solution[i]
        solutions.append(solution)
    return solutions


def _state(robot: Robot, value: Callable[[str, int], Node]) -> State:
    """Return a state whose scalars come from a function of the input and the index."""

    def of(name: str, labels: Sequence[str]) -> Sequence[Node]:
        return [value(name, place) for place in range(len(labels))]

    q = by_joint(robot, of("q", robot.coordinate_names))
    coordinates = Coordinates.of(robot, q)
    qd = coordinates.velocities(of("qd", coordinates.names))
    qdd = coordinates.accelerations(of("qdd", coordinates.names), qd)
    return State.zero(robot, coordinates, q=q, qd=qd, qdd=qdd)
