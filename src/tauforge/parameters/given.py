"""Values that are given by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import RobotError, suggestion
from ..graph.node import Scalar
from ..graph.parse import parse


def numbers_of(robot: str, given: Mapping[str, Scalar | str], allowed: Iterable[str]) -> dict[str, float]:
    """Return values as numbers; names that mean nothing for a robot are refused."""
    known = list(dict.fromkeys(allowed))
    if unknown := [name for name in given if name not in known]:
        others = suggestion(unknown[0], known) if known else "it has none"
        raise RobotError(f"{robot}: {unknown[0]!r} is not the name of a value that can be given here; {others}")
    return {name: _number(robot, name, x) for name, x in given.items()}


def _number(robot: str, name: str, x: Scalar | str) -> float:
    try:
        return float(parse(x) if isinstance(x, str) else x)
    except (TypeError, ValueError, OverflowError):
        raise RobotError(f"{robot}: {name} is {x!r}; it must be a number") from None
