"""Loop: where a chain of links closes."""

from __future__ import annotations

from dataclasses import dataclass

from .joint import Joint


@dataclass(frozen=True, kw_only=True)
class Loop:
    """A closed loop, cut at one passive joint: frame k is attached to one link, the constant frame k+B to the other."""

    joint: Joint
    frame: Joint
