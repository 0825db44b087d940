"""The proof that a set of parameters is minimal, in exact arithmetic, and the grouping of those that are not.

The regressor's columns are evaluated at random states in the prime field, where rank is no matter of tolerances. A
column that depends on others has its parameter grouped on theirs. The coefficients are then found as expressions: small
fractions are recognised; any others follow from a linear system at random states, solved on the graph, so that they
hold the geometry's symbols.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from operator import itemgetter
from random import Random

from ..errors import ProgramError
from ..graph.exact import home
from ..graph.node import ZERO, Node, as_node, symbol
from ..graph.points import Points, exact_points, vanish
from ..models.frame import State, Values, spread
from ..robot.robot import Robot
from .linear import LinearForm
from .regressor import Regressor

Key = tuple[str, int]
"""A parameter's name and its link's number."""
Forms = dict[Key, LinearForm]
"""Kept parameters as forms in the standard ones."""
Column = dict[int, int]
"""The entries of a column in some states that are not zero, by their rows."""
Efforts = dict[int, Node]
"""The efforts in a column that are not zero everywhere, by their places."""


def group_dependent(robot: Robot, forms: Forms) -> Forms:
    """Return the forms with each parameter whose column depends on others' grouped on those."""
    regressor = Regressor(robot, _state(robot, lambda name, place: symbol(f"{name}[{place}]")))
    forms = group_rotors(regressor, forms)
    keys = list(forms)
    if independent_by_block(regressor, keys):
        return forms
    for dependent, residues in dependent_columns(robot, [regressor.column(*key) for key in keys]):
        lost = forms.pop(keys[dependent])
        support = [keys[k] for k in residues]
        simple = [small_fraction(x) for x in residues.values()]
        coefficients = [x for x in simple if x is not None]
        if len(coefficients) < len(simple):
            coefficients = _solve_on_graph(robot, keys[dependent], support)
        for key, coefficient in zip(support, coefficients, strict=True):
            forms[key] = forms[key] + lost * coefficient
    return forms


def group_rotors(regressor: Regressor, forms: Forms) -> Forms:
    """Group each rotor inertia that acts just like the inertia or the mass of its own link."""
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
    """Return for each effort the first one that is in one block of the regressor with it.

    A joint's effort depends on its own link and those beyond it. So the regressor is block triangular, with a block for
    each joint. Where a joint follows another, its link acts on the other's effort and on those of its own antecedents:
    all from the one to the other are then one block.
    """
    robot, first = regressor.robot, regressor.first
    own = [[place for place, _ in regressor.degrees[first[j] : first[j + 1]]] for j in range(len(first) - 1)]
    last = [-1]  # of each link: the last effort that it acts on
    reach = list(range(robot.dof))  # of each effort: the last one that the links of its joints act on
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
    """Tell whether each block on the regressor's diagonal has full rank, so that it has full rank itself.

    This is quick, and nearly always so.
    """
    block = blocks(regressor)
    lowest: dict[int, int] = {}  # by a block's first effort, the lowest link with parameters there
    columns: list[Efforts] = []
    for name, link in sorted(keys, key=itemgetter(1)):
        if not regressor.robot.joints[link - 1].axes:
            return False
        first = block[regressor.degrees[regressor.first[link]][0]]
        efforts = regressor.column(name, link, lowest.setdefault(first, link))
        columns.append({place: x for place, x in efforts.items() if place >= first})
    return not dependent_columns(regressor.robot, columns)


def rank(robot: Robot, keys: Sequence[Key]) -> int:
    """Return the exact rank of the regressor's columns of these parameters."""
    regressor = Regressor(robot, _state(robot, lambda name, place: symbol(f"{name}[{place}]")))
    return len(keys) - len(dependent_columns(robot, [regressor.column(*key) for key in keys]))


def dependent_columns(robot: Robot, columns: Sequence[Efforts]) -> list[tuple[int, Column]]:
    """Return the columns that depend on independent ones before them, each with those columns' coefficients.

    They are looked at in random states of the field, the robot's symbols being the same in each; in as many as columns
    end at one effort. A dependency there that fails in one more state is none: twice as many states are then taken.
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


def _sampled(efforts: Efforts, states: Sequence[Points]) -> Column:
    """Return a column's entries at states of the field, effort after effort."""
    sampled = zip(*(state.residues(list(efforts.values())) for state in states), strict=True)
    count = len(states)
    rows = ((place * count + i, x) for place, xs in zip(efforts, sampled, strict=True) for i, x in enumerate(xs))
    return {row: x for row, x in rows if x}


def dependencies(columns: Sequence[Column]) -> list[tuple[int, Column]]:
    """Return the columns that depend on independent ones before them, each with those columns' coefficients.

    Each column is reduced at its last row alone, by the one that ends there. A link's own effort comes last in its
    columns, so that columns of different links seldom meet: the work grows with the number of links, not with its cube.
    """
    p = home().p
    ending: dict[int, tuple[Column, Column]] = {}  # by its last row: a column with 1 there, and what it is made of
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
    """Return a column less another one times a factor."""
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
    """Return the fraction of small numbers that a residue stands for, if there is one."""
    p = home().p
    for denominator in range(1, largest):
        numerator = residue * denominator % p
        numerator = numerator - p if numerator > p // 2 else numerator
        if abs(numerator) < largest:
            return as_node(float(numerator)) / float(denominator)
    return None


def _solve_on_graph(robot: Robot, dependent: Key, support: Sequence[Key]) -> list[Node]:
    """Return the coefficients of the support's columns that give the dependent one, as expressions of the geometry."""
    random = Random(0)
    reduced: list[list[Node]] = []
    for _ in range(8 * len(support)):
        regressor = Regressor(robot, _state(robot, lambda *_: as_node(round(random.uniform(-2, 2), 2))))
        columns = [regressor.column(*key) for key in (*support, dependent)]
        for place in range(robot.dof):
            row = [column.get(place, as_node(0.0)) for column in columns]
            for pivot, other in enumerate(reduced):
                row = [a - row[pivot] * b for a, b in zip(row, other, strict=True)]
            diagonal = row[len(reduced)]
            if not vanish([diagonal]):
                reduced.append([a / diagonal for a in row])
                if len(reduced) == len(support):
                    return _back_substituted(reduced)
    raise ProgramError(f"{robot.name}: {dependent[0]}{dependent[1]} cannot be grouped; this is a fault of Tauforge's")


def _back_substituted(reduced: list[list[Node]]) -> list[Node]:
    """Solve a system in triangular form with ones on its diagonal."""
    count = len(reduced)
    solution = [as_node(0.0)] * count
    for k in reversed(range(count)):
        solution[k] = reduced[k][count]
        for i in range(k + 1, count):
            solution[k] = solution[k] - reduced[k][i] * solution[i]
    return solution


def _state(robot: Robot, value: Callable[[str, int], Node]) -> State:
    """Return a state whose scalars a function gives by input and place."""

    def of(name: str) -> list[Values]:
        labels = robot.coordinate_names if name == "q" else robot.velocity_names
        return spread(robot, [value(name, place) for place in range(len(labels))], name == "q")

    return State.zero(robot, q=of("q"), qd=of("qd"), qdd=of("qdd"))
