"""Values that are given by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from ..errors import RobotError
from ..graph.node import Scalar
from ..graph.parse import parse


def numbers_of(robot: str, given: Mapping[str, Scalar | str], allowed: Iterable[str]) -> dict[str, float]:
    """Return values as numbers; names that mean nothing for a robot are refused."""
    known = list(dict.fromkeys(allowed))
    if unknown := [name for name in given if name not in known]:
        near = get_close_matches(unknown[0], known, 3) or known[:6]
        raise RobotError(
            f"{robot}: {unknown[0]!r} is not the name of a value that can be given here"
            + (f"; there are {', '.join(near)}" + ", …" * (len(known) > len(near)) if near else "; it has none")
        )
    return {name: float(parse(x)) if isinstance(x, str) else float(x) for name, x in given.items()}
