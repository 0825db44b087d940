"""Entries whose truth is proved or checked: equal Programs, and models that undo each other."""

from __future__ import annotations

from ..errors import CertificationError
from ..program.program import Program
from .entry import Entry, holds


def proved(what: str, where: str, claim: str, ours: Program, other: Program) -> Entry:
    """Return an entry for two Programs that must be equal."""
    try:
        return holds(what, where, claim, str(ours.certify(other)), True)
    except CertificationError as error:
        return holds(what, where, claim, str(error), False)


def small(what: str, where: str, claim: str, error: float, limit: float) -> Entry:
    """Return an entry for an error that must be below a limit."""
    return holds(what, where, claim, f"error {error:.1e}, allowed {limit:g}", error <= limit)
