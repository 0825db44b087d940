"""The map G of a robot with closed loops, from its independent joints to all others: Khalil 2010, (51)-(56).

With the joints in two parts, independent (a) and dependent (p), and the loops' equations J q̇_tree = 0:

    q̇_p = G_p q̇_a,  J_p G_p = -J_a,    and    J_p (Ġ_p q̇_a) = -J̇ q̇_tree
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from ...errors import ProgramError
from ...graph.node import Scalar, is_zero
from ...robot.robot import Robot
from ...spatial.least_squares import Equations
from ..coordinates import Coordinates, Row
from ..state import Values
from .closure import rows


def closed(robot: Robot, q: Sequence[Values], tree: Coordinates) -> Coordinates:
    """Return the map of a robot with closed loops from that of its tree, whose degrees of freedom are the axes."""
    free = [tree.names.index(name) for name in robot.velocity_names]
    dependent = [place for place in range(len(tree.names)) if place not in set(free)]
    J = [tree.gathered_some(row) for row in rows(robot, q)[0]]
    loops = Equations(J, dependent, partial(check_loops, robot))
    columns: dict[int, dict[int, Scalar]] = {place: {} for place in free}
    for i, row in enumerate(J):
        for place, x in row.items():
            if place in columns:
                columns[place][i] = -x
    found: dict[int, dict[int, Scalar]] = {place: {} for place in range(len(tree.names))}
    for k, place in enumerate(free):
        found[place][k] = 1.0
        for name, x in loops.solved(columns[place]).items():
            found[name][k] = x
    G = _by_axis(tree, found)

    def rate(joints: Sequence[Values]) -> list[Row]:
        changing = [tree.gathered_some(row) for row in rows(robot, q, joints)[1]]
        made: dict[int, dict[int, Scalar]] = {place: {} for place in range(len(tree.names))}
        for k, b in _by_column(changing, found).items():
            for name, x in loops.solved(b).items():
                made[name][k] = -x
        return list(_by_axis(tree, made))

    def drift(joints: Sequence[Values]) -> Values:
        axes = dict(enumerate(x for own in joints for x in own))
        b = {i: -_product(row, axes) for i, row in enumerate(rows(robot, q, joints)[1])}
        made = loops.solved(b)
        return [_product(row, made) for row in _rows_of(tree)]

    owned = _owned(robot, tree, free)
    return Coordinates(robot.velocity_names, tree.widths, owned[0], G, rate, drift, owned[1])


def _by_axis(tree: Coordinates, by_degree: Mapping[int, Mapping[int, Scalar]]) -> tuple[Row, ...]:
    """Return rows by the tree's degrees of freedom as rows by axis: those of joints that follow others too."""
    if tree.G is None:
        return tuple(dict(by_degree[axis]) for axis in range(len(tree.names)))
    return tuple(
        {k: x * factor for place, factor in row.items() for k, x in by_degree[place].items()} for row in tree.G
    )


def _by_column(rows: Sequence[Row], by_degree: Mapping[int, Mapping[int, Scalar]]) -> dict[int, dict[int, Scalar]]:
    """Return the product of rows by the tree's degrees of freedom with G, column after column."""
    found: dict[int, dict[int, Scalar]] = {}
    for i, row in enumerate(rows):
        for place, x in row.items():
            for k, factor in by_degree[place].items():
                own = found.setdefault(k, {})
                own[i] = own.get(i, 0.0) + x * factor
    return dict(sorted(found.items()))


def _rows_of(tree: Coordinates) -> Sequence[Row]:
    return tree.G if tree.G is not None else [{place: 1.0} for place in range(len(tree.names))]


def _owned(robot: Robot, tree: Coordinates, free: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the joints that have degrees of freedom, in the order of these, and how many each joint has."""
    joint_of = [j for j in tree.independent for _ in range(tree.widths[j - 1])]
    order = tuple(dict.fromkeys(joint_of[place] for place in free))
    counts = Counter(joint_of[place] for place in free)
    return order, tuple(counts[j] for j in range(1, len(robot.joints) + 1))


def check_loops(robot: Robot, divisor: Scalar) -> None:
    """Refuse a divisor that is zero wherever the loops are closed."""
    if is_zero(divisor):
        raise ProgramError(
            f"{robot.name}: the independent joints {', '.join(robot.independent)} do not determine the others: "
            "the loops are singular wherever they are closed"
        )


def _product(row: Row, values: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0.0
    for place, x in row.items():
        if place in values and not is_zero(values[place]):
            total = total + x * values[place]
    return total
