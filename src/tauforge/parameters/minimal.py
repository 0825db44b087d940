"""The proof that a set of parameters is minimal, in exact arithmetic, and the grouping of those that are not.

The regressor's columns are evaluated at random states in the prime field, where rank is no matter of tolerances. A
column that depends on others has its parameter grouped on theirs. The coefficients are then found as expressions: small
fractions are recognised; any others follow from a linear system at random states, solved on the graph, so that they
hold the geometry's symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from ..errors import ProgramError
from ..graph.evaluate import exact_points
from ..graph.exact import P
from ..graph.node import ZERO, Node, as_node, symbol
from ..models.frame import State, Values, spread
from ..robot.robot import Robot
from .linear import LinearForm
from .regressor import Regressor

Key = tuple[str, int]
"""A parameter's name and its link's number."""
Forms = dict[Key, LinearForm]
"""Kept parameters as forms in the standard ones."""

POINTS = 10
"""Random states for the rank: a joint's own effort alone has at most seven independent parameters of its link."""


def group_dependent(robot: Robot, forms: Forms) -> Forms:
    """Return the forms with each parameter whose column depends on others' grouped on those."""
    regressor = Regressor(robot, _state(robot, lambda name, place: symbol(f"{name}[{place}]")))
    forms = group_rotors(regressor, forms)
    if not any(joint.mimic for joint in robot.joints) and independent_by_link(regressor, list(forms)):
        return forms
    keys = list(forms)
    for dependent, residues in dependencies(exact_columns(regressor, keys)):
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
                if not any(any(p.residues(differences)) for p in exact_points(differences, 2)):
                    forms[other] = forms[other] + forms.pop(key)
                    break
    return forms


def independent_by_link(regressor: Regressor, keys: Sequence[Key]) -> bool:
    """Tell whether each link's own parameters are independent already in the efforts of its own joint.

    A joint's effort depends on its own link and those beyond it. So the regressor is block triangular, and where the
    blocks on the diagonal have full rank it has full rank itself. This is quick, and nearly always enough.
    """
    own = {key: regressor.own_efforts(*key) for key in keys}
    nodes = [node for efforts in own.values() for node in efforts]
    states = exact_points(nodes, POINTS, steady=frozenset(regressor.robot.symbols))
    for link in {link for _, link in keys}:
        columns = [[x for state in states for x in state.residues(own[key])] for key in keys if key[1] == link]
        if dependencies(columns):
            return False
    return True


def rank(robot: Robot, keys: Sequence[Key]) -> int:
    """Return the exact rank of the regressor's columns of these parameters."""
    regressor = Regressor(robot, _state(robot, lambda name, place: symbol(f"{name}[{place}]")))
    return len(keys) - len(dependencies(exact_columns(regressor, keys)))


def exact_columns(regressor: Regressor, keys: Sequence[Key]) -> list[list[int]]:
    """Return the columns at random states of the field, the robot's symbols being the same at each."""
    robot = regressor.robot
    columns = [regressor.column(*key) for key in keys]
    nodes = [node for column in columns for node in column.values()]
    matrix: list[list[int]] = [[] for _ in keys]
    points = len(keys) if any(joint.mimic for joint in robot.joints) else POINTS  # one effort may depend on all
    for state in exact_points(nodes, points, steady=frozenset(robot.symbols)):
        for column, full in zip(columns, matrix, strict=True):
            efforts = dict(zip(column, state.residues(list(column.values())), strict=True))
            full += [efforts.get(place, 0) for place in range(robot.dof)]
    return matrix


def dependencies(columns: list[list[int]]) -> list[tuple[int, dict[int, int]]]:
    """Return the columns that depend on independent ones before them, each with those columns' coefficients."""
    reduced: list[tuple[int, list[int], dict[int, int]]] = []  # pivot's row, column, and what it is made of
    found: list[tuple[int, dict[int, int]]] = []
    for k, column in enumerate(columns):
        made_of = {k: 1}
        for pivot, other, parts in reduced:
            if factor := column[pivot]:
                column = [(a - factor * b) % P for a, b in zip(column, other, strict=True)]
                for i, x in parts.items():
                    made_of[i] = (made_of.get(i, 0) - factor * x) % P
        first = next((row for row, x in enumerate(column) if x), None)
        if first is None:
            found.append((k, {i: -x % P for i, x in made_of.items() if i != k and x}))
        else:
            scale = pow(column[first], -1, P)
            reduced.append((first, [x * scale % P for x in column], {i: x * scale % P for i, x in made_of.items()}))
    return found


def small_fraction(residue: int, largest: int = 1000) -> Node | None:
    """Return the fraction of small numbers that a residue stands for, if there is one."""
    for denominator in range(1, largest):
        numerator = residue * denominator % P
        numerator = numerator - P if numerator > P // 2 else numerator
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
            if any(exact_points([diagonal], 1, seed=1)[0].residues([diagonal])):
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
