"""Relations between inertial parameters that hold only where the loops of a robot are closed.

Closed states are algebraic, seldom rational, so rank is found in floats, at random closed states. With the motions N
that the loops allow there, Nᵀ Y_tree has the rank of the robot's regressor, whatever its independent joints are. The
relations that are found must hold at other closed states too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..graph.arrays import Arrays
from ..graph.evaluate import evaluate, symbols
from ..graph.node import Node, as_node, is_zero, symbol
from ..models.coordinates import Coordinates
from ..models.loops.freedom import DRAWS, freedom
from ..models.state import State
from ..robot.body import WRENCH
from ..robot.entries import by_joint
from ..robot.joint import FREE
from ..robot.robot import Robot
from ..robot.scalars import expressions, mapped
from ..robot.tendon import LAW
from ..spatial.inertia import NAMES
from .closed_states import Walk, state_names
from .minimal import Forms, Key
from .regressor import Regressor

Floats = NDArray[np.float64]
DEPENDENT = 1e-10
"""What is left of a column of unit length that depends on others, at most, relative to their coefficients."""
HOLDS = 1e-8
"""What is left of a relation in states from which it was not found, at most, relative to its largest term."""
MOTIONS = 4
"""Velocities and accelerations that are drawn for each closed state."""
SYMBOLS = 6
"""Symbols of the geometry beyond which coefficients are recognised only if they are numbers."""
LARGEST = 100_000
"""Largest denominator of a ratio that is recognised: fewer than one in a million floats are one by chance."""
_IDLE = frozenset((*NAMES, *WRENCH, *LAW, *FREE))


def group_closed(robot: Robot, forms: Forms, guess: Sequence[float] | None = None) -> Forms:
    """Return forms that are minimal for the tree, grouped further by the relations of closed states.

    Where the geometry has symbols, a parameter is grouped only if the coefficients are seen to be numbers times powers
    of these; others stay, although they may not be independent.
    """
    keys = tuple(sorted(forms, key=lambda key: key[0] == "IA"))  # a rotor is grouped with links, not with a rotor
    grouped = dict(forms)
    for dependent, coefficients in coefficients_of(robot, keys, tuple(guess) if guess is not None else None).items():
        lost = grouped.pop(dependent)
        for key, x in coefficients.items():
            grouped[key] = grouped[key] + lost * x
    return grouped


@lru_cache(maxsize=32)
def coefficients_of(robot: Robot, keys: tuple[Key, ...], guess: tuple[float, ...] | None) -> dict[Key, dict[Key, Node]]:
    """Return the parameters that can be grouped with others before them, with coefficients in the robot's symbols."""
    names, random = geometry_symbols(robot), Random(0)
    given = _closable(robot)
    more = len(names) + 1 if 0 < len(names) <= SYMBOLS else min(len(names), 1)
    drawn = [{name: given[name] * random.uniform(0.9, 1.1) for name in names} for _ in range(more)]
    trials = [given, *({**given, **values} for values in drawn)]
    results = [relations(_bound(robot, values), keys, guess) for values in trials]
    found = dict[Key, dict[Key, Node]]()
    for dependent, first in results[0].items():
        if all(first.keys() == other.get(dependent, {}).keys() and dependent in other for other in results):
            recognised = {k: monomial([x[dependent][k] for x in results], trials, names) for k in first}
            if None not in recognised.values():
                found[dependent] = {k: x for k, x in recognised.items() if x is not None}
    return found


def closable(robot: Robot) -> Robot:
    """Return the robot with numbers for its symbols with which its loops can be closed."""
    return _bound(robot, _closable(robot))


def _closable(robot: Robot) -> dict[str, float]:
    """Return numbers for a robot's symbols with which its loops can be closed."""
    for draw in range(1, DRAWS):
        random = Random(draw)
        given = {name: random.uniform(0.5, 1.5) for name in robot.symbols}
        try:
            freedom(_bound(robot, given))
        except ProgramError:
            if not robot.symbols:
                raise
        else:
            return given
    return given


def _bound(robot: Robot, values: Mapping[str, float]) -> Robot:
    """Return the robot with numbers for its symbols."""
    return mapped(robot, lambda x: evaluate([as_node(x)], values)[0])


def geometry_symbols(robot: Robot) -> list[str]:
    """Return the symbols on which relations could depend: all but those of inertia, friction, springs and forces."""
    idle = _IDLE | ({"gravity"} if robot.base.is_still and sum(map(is_zero, robot.gravity)) == 2 else set())
    return list(dict.fromkeys(x for key, node in expressions(robot) if key not in idle for x in symbols([node])))


def monomial(values: Sequence[float], trials: Sequence[Mapping[str, float]], names: Sequence[str]) -> Node | None:
    """Return the number times powers of symbols that has these values; None if there is none, with small powers."""
    if not names:
        return _ratio(values[0])
    if len(names) > SYMBOLS:
        return _ratio(tidy(values[0])) if np.ptp(values) <= HOLDS * abs(values[0]) else None
    logs = np.array([[1.0, *(math.log(trial[name]) for name in names)] for trial in trials])
    _, *powers = np.linalg.lstsq(logs, np.log(np.abs(values)), rcond=None)[0].round().astype(int).tolist()
    plain = [math.prod(trial[name] ** e for name, e in zip(names, powers, strict=True)) for trial in trials]
    numbers = np.array(values) / plain
    if max(map(abs, powers)) > 4 or np.ptp(numbers) > HOLDS * abs(numbers[0]):
        return None
    found = _ratio(tidy(float(numbers[0])))
    for name, e in zip(names, powers, strict=True):
        for _ in range(abs(e)):
            found = found * symbol(name) if e > 0 else found / symbol(name)
    return found


def relations(robot: Robot, keys: Sequence[Key], guess: Sequence[float] | None = None) -> dict[Key, dict[Key, float]]:
    """Return the parameters whose columns depend on those of others before them, with the coefficients."""
    sampled = Sampled(robot, keys, guess)
    if not sampled.walk.mobility:
        return {key: {} for key in keys}
    Y = sampled.rows()
    for _ in range(3):
        found = dependencies(Y)
        fresh = sampled.rows()
        if all(holds(fresh, k, own) for k, own in found.items()):
            return {keys[k]: {keys[i]: x for i, x in own.items()} for k, own in found.items()}
        Y = np.vstack([Y, fresh])
    raise ProgramError(
        f"{robot.name}: which inertial parameters its closed loops group cannot be told in floats; "
        "parameters='standard' does not need to know"
    )


def dependencies(Y: Floats) -> dict[int, dict[int, float]]:
    """Return the columns that depend on independent ones before them, with the coefficients of these.

    Columns of unit length are known to the precision of floats. What is left of a sum of them is judged beside its
    coefficients, which are large where columns that are kept hardly differ.
    """
    # fewer rows, in which the columns keep their lengths and angles
    R: Floats = np.asarray(np.linalg.qr(Y, mode="r"))
    sizes = np.linalg.norm(R, axis=0)
    sizes = np.where(sizes > DEPENDENT * sizes.max(initial=0.0), sizes, 0.0)
    basis, kept, dependent = np.zeros((len(R), 0)), list[int](), list[int]()
    triangle = np.zeros((0, 0))  # the kept columns, of unit length, are basis @ triangle
    for k, size in enumerate(sizes):
        rest, along = R[:, k] / (size or 1.0), np.zeros(len(kept))
        for _ in range(2):  # the second time removes what rounding left
            more = basis.T @ rest
            rest, along = rest - basis @ more, along + more
        left = float(np.linalg.norm(rest))
        terms = float(np.linalg.norm(np.linalg.solve(triangle, along))) if kept else 0.0
        if not size or left < DEPENDENT * max(1.0, terms):
            dependent.append(k)
        else:
            kept.append(k)
            basis = np.column_stack([basis, rest / left])
            triangle = np.block([[triangle, along[:, None]], [np.zeros((1, len(along))), np.array([[left]])]])
    return {k: _coefficients(R, sizes, [i for i in kept if i < k], k) for k in dependent}


def _coefficients(R: Floats, sizes: Floats, support: list[int], k: int) -> dict[int, float]:
    """Return the coefficients of a column over independent ones; those that rounding makes are left out."""
    while sizes[k] and support:
        parts = np.linalg.lstsq(R[:, support] / sizes[support], R[:, k] / sizes[k], rcond=None)[0]
        small = np.abs(parts) < HOLDS
        if not small.any():
            found = _tidied(R[:, support], R[:, k], parts * sizes[k] / sizes[support])
            return {i: float(x) for i, x in zip(support, found, strict=True)}
        support = [i for i, no in zip(support, small, strict=True) if not no]
    return {}


def holds(Y: Floats, k: int, coefficients: dict[int, float]) -> bool:
    """Tell whether a column is what coefficients make of others."""
    terms = [Y[:, k], *(-Y[:, i] * x for i, x in coefficients.items())]
    largest = max(float(np.linalg.norm(x)) for x in terms)
    noise = DEPENDENT * float(np.linalg.norm(Y, axis=0).max())
    return bool(np.linalg.norm(np.sum(terms, axis=0)) <= max(HOLDS * largest, noise))


def _tidied(A: Floats, b: Floats, x: Floats) -> Floats:
    """Return the solution x of A x = b with tidy numbers and the others fitted to them; x itself if these do not fit.

    Large coefficients can cancel, so that what a single one loses by rounding is much of the sum.
    """
    tidied = [_short(float(each)) for each in x]
    exact = np.array([each is not None for each in tidied])
    found = np.array([each or 0.0 for each in tidied])
    sizes = np.linalg.norm(A, axis=0)
    rest = np.linalg.lstsq(A[:, ~exact] / sizes[~exact], b - A @ found, rcond=None)[0]
    found[~exact] = rest / sizes[~exact]
    left, worse = (float(np.linalg.norm(A @ each - b)) for each in (x, found))
    return found if worse <= max(10.0 * left, 1e-15 * float(sizes @ np.abs(x))) else x


def tidy(x: float) -> float:
    """Return the number with few digits, or the ratio, that a number is but for rounding; otherwise the number."""
    short = _short(x)
    return x if short is None else short


def _ratio(x: float) -> Node:
    """Return a number as the ratio of which it is the nearest float, so that proofs know it; otherwise as it is."""
    ratio = Fraction(x).limit_denominator(LARGEST)
    return as_node(float(ratio.numerator)) / float(ratio.denominator) if float(ratio) == x else as_node(x)


def _short(x: float) -> float | None:
    digits = 7 - len(str(int(abs(x))))  # after the point; with more, any large number would be a short one
    for denominator in (1, 3, 7, 9):
        short = round(x * denominator, digits) / denominator
        if abs(short - x) <= 1e-11 * abs(x):
            return short
    return None


class Sampled:
    """Rows of the regressor at random closed states."""

    def __init__(self, robot: Robot, keys: Sequence[Key], guess: Sequence[float] | None = None) -> None:
        opened, tree = robot.derived(loops=()).map(as_node), Coordinates.of_tree(robot)
        q, v, a = ([symbol(name) for name in own] for own in state_names(robot))
        qd = tree.velocities(v)
        state = State.zero(opened, tree, q=by_joint(opened, q), qd=qd, qdd=tree.velocities(a))
        regressor = Regressor(opened, state)
        columns = [regressor.column(*key) for key in keys]
        self.shape = len(tree.names), len(keys)
        self.places = [(place, k) for k, column in enumerate(columns) for place in column]
        self.arrays = Arrays([x for column in columns for x in column.values()])
        self.walk = Walk(robot, 6 + len(keys) // 8, guess)

    def rows(self) -> Floats:
        """Return rows of unit length; the real and imaginary parts of complex ones are rows of their own."""
        found = self.walk.motions(MOTIONS)
        pairs = zip(self.walk.names, (found.q, found.v, found.a), strict=True)
        entries = self.arrays({name: x[:, k] for own, x in pairs for k, name in enumerate(own)}, len(found.q))
        Y = np.zeros((len(found.q), *self.shape), complex)
        for i, (place, k) in enumerate(self.places):
            Y[:, place, k] = entries[:, i]
        whole = (np.swapaxes(found.N, 1, 2) @ Y).reshape(-1, self.shape[1])
        rows = np.vstack([whole.real, whole.imag])
        sizes = np.linalg.norm(rows, axis=1)
        some = sizes > DEPENDENT * sizes.max(initial=0.0)
        return np.asarray(rows[some] / sizes[some, None])
