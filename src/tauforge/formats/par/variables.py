"""Which symbol is a joint's variable: it is in theta (revolute) or in r (prismatic), possibly with an offset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ...errors import ExpressionError
from ...graph.evaluate import symbols
from ...graph.node import ZERO, Node, Scalar, symbol
from ...graph.normal import literal
from ...graph.points import vanish
from ...graph.rewrite import substitute
from ...robot.kinds import FIXED, REVOLUTE
from .syntax import Document

_CONVENTIONAL = ("th", "t", "q", "theta", "r")


def split_variables(
    document: Document, sigma: Sequence[int], columns: dict[str, list[Scalar]], given: Sequence[str]
) -> list[dict[str, str | Scalar]]:
    """Return, for each joint, its variable and what is added to it in theta or r; nothing for a fixed joint.

    ``given`` holds the variables' names if the file gives them, and is empty if they must be found.
    """
    uses = Counter(name for values in columns.values() for x in values for name in _symbols(x))
    found: list[dict[str, str | Scalar]] = []
    owners: dict[str, int] = {}
    for number, kind in enumerate(sigma, 1):
        if kind == FIXED:
            found.append({})
            continue
        key = "theta" if kind == REVOLUTE else "r"
        value = columns[key][number - 1]
        name = given[number - 1] or _choose(document, key, number, value, uses)
        offset = _offset(value, name)
        if offset is None:
            raise document.entry_fault(
                key, number, f"{value} must be the variable {name} itself, or {name} plus an offset without it"
            )
        if name in owners:
            raise document.entry_fault(
                key, number, f"{name} is the variable of joint {owners[name]} already; each joint needs its own"
            )
        if uses[name] > 1:
            other = _elsewhere(columns, name, key, number)
            raise document.entry_fault(
                key, number, f"{name} is the variable of joint {number} and also occurs in {other}; rename one"
            )
        owners[name] = number
        found.append({"variable": name, key: offset})
    return found


def _symbols(x: Scalar) -> list[str]:
    return symbols([x]) if isinstance(x, Node) else []


def _choose(document: Document, key: str, number: int, value: Scalar, uses: Counter[str]) -> str:
    """Return the symbol that can be the variable: one with a usual name, or one that occurs nowhere else."""
    names = _symbols(value)
    usual = [name for name in names if name.lower() in {f"{letters}{number}" for letters in _CONVENTIONAL}]
    for candidates in (names, usual, _alone(usual, uses), _alone(names, uses)):
        if len(candidates) == 1:
            return candidates[0]
    kind, example = ("revolute", f"th{number}") if key == "theta" else ("prismatic", f"r{number}")
    if names:
        raise document.entry_fault(
            key, number, f"which of {', '.join(names)} is the variable of joint {number}? Call it {example}"
        )
    raise document.entry_fault(
        key,
        number,
        f"{value} holds no variable, but joint {number} is {kind}; "
        f"write {example} (or {example} plus the offset), or sigma 2 if the joint is fixed",
    )


def _alone(names: Iterable[str], uses: Counter[str]) -> list[str]:
    return [name for name in names if uses[name] == 1]


def _offset(value: Scalar, name: str) -> Scalar | None:
    """Return what is added to the variable; None if its factor is not 1, or if the rest contains it."""
    if not isinstance(value, Node) or name not in symbols([value]):
        return None
    try:
        (rest,) = substitute([value], {name: ZERO})
        return literal(rest) if vanish([value - (rest + symbol(name))]) else None
    except (ExpressionError, ArithmeticError):  # the rest has no value if the variable is zero
        return None


def _elsewhere(columns: dict[str, list[Scalar]], name: str, key: str, number: int) -> str:
    """Return another place where a symbol occurs."""
    places = [(k, n) for k, values in columns.items() for n, x in enumerate(values, 1) if name in _symbols(x)]
    other = next(place for place in places if place != (key, number))
    return f"{other[0]}, entry {other[1]}"
