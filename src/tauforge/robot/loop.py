"""Loop: where a chain of links closes."""

from __future__ import annotations

from dataclasses import dataclass

from .joint import Joint


@dataclass(frozen=True, kw_only=True)
class Loop:
    """A closed loop, cut at one passive joint: frame k stands on one link, the constant frame k+B on the other."""

    joint: Joint
    frame: Joint
