"""Goals: what frames are asked to do, with weights and levels of priority."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ProgramError
from ..task import SKEW, finite

Floats = NDArray[np.float64]
LINEAR, ANGULAR = ("x", "y", "z"), ("rx", "ry", "rz")
"""The axes of the goal along which, and about which, a frame can be asked to be there."""
AIMS = {
    "pose": (*LINEAR, *ANGULAR),
    "position": LINEAR,
    "orientation": ANGULAR,
    "axis": (*LINEAR, "direction"),
    "direction": ("direction",),
}
"""What a goal prescribes, by name; the direction is that of the frame's z axis."""
WEIGHTS = (1e-6, 1e6)
"""Weights of goals: beyond these, the squares of errors lose the smaller ones."""
NUMBERS = 12
"""Numbers of a goal: a rotation, row by row, and an origin."""


class Aim(NamedTuple):
    """A goal without its numbers: the frame, what is prescribed of it, and how much it matters."""

    frame: str
    parts: tuple[str, ...]
    weight: float
    level: int


@final
@dataclass(frozen=True, eq=False)
class Goal:
    """What one frame is asked to do.

    Parameters
    ----------
    frame
        Name of a link or of a constant frame.
    T
        Poses relative to the base, (..., 4, 4); points (..., 3) where only the position counts, and directions of the
        z axis (..., 3) where only the direction does.
    aim
        "pose"; "position"; "orientation"; "axis", the position and the direction of the frame's z axis; "direction",
        that direction alone; or some of x, y, z, rx, ry, rz: displacements along the goal's axes and turns about them.
    weight
        How much the errors of this goal count beside others of its level.
    level
        Goals of level 0 are met first; those of higher levels as well as the lower ones allow.
    """

    frame: str
    T: ArrayLike
    aim: str | Sequence[str] = "pose"
    weight: float = 1.0
    level: int = 0

    @property
    def kind(self) -> Aim:
        """The goal without its numbers, checked."""
        if not isinstance(self.frame, str):
            raise ProgramError(f"frame={self.frame!r}; give the name of a link or of a constant frame")
        low, high = WEIGHTS
        if isinstance(self.weight, bool) or not isinstance(self.weight, Real) or not low <= self.weight <= high:
            raise ProgramError(
                f"the goal of {self.frame} has the weight {self.weight!r}; it must be above 0, from {low:g} to {high:g}"
            )
        if isinstance(self.level, bool) or not isinstance(self.level, Integral) or self.level < 0:
            raise ProgramError(f"the goal of {self.frame} has the level {self.level!r}; levels are 0, 1, 2, …")
        return Aim(self.frame, parts_of(self.aim), float(self.weight), int(self.level))

    def numbers(self) -> Floats:
        """Return the goals, one or many, as numbers (..., 12), checked."""
        return goal_numbers(self.T, self.kind.parts)


def parts_of(aim: str | Sequence[str]) -> tuple[str, ...]:
    """Return what an aim prescribes."""
    if isinstance(aim, str) and aim in AIMS:
        return AIMS[aim]
    own = (*LINEAR, *ANGULAR)
    given = [aim] if isinstance(aim, str) else list(aim) if isinstance(aim, (tuple, list)) else []
    if not given or any(part not in own for part in given) or len({*given}) < len(given):
        raise ProgramError(
            f"aim={aim!r}; choose among {', '.join(map(repr, AIMS))}, or some of {', '.join(own)}, each at most once"
        )
    return tuple(part for part in own if part in given)


def goal_numbers(given: ArrayLike, parts: Sequence[str], what: str = "T") -> Floats:
    """Return goals (..., 12) from poses (..., 4, 4), or from points or directions (..., 3) where these are enough."""
    found = finite(given, what)
    short = tuple(parts) in (LINEAR, ("direction",))
    if short and found.shape[-1:] == (3,):
        return _from_three(found, tuple(parts) == LINEAR, what)
    if found.shape[-2:] != (4, 4):
        three = ", or points (..., 3)" if tuple(parts) == LINEAR else ", or directions (..., 3)" if short else ""
        raise ProgramError(f"{what} has the shape {found.shape}; give poses (..., 4, 4){three}")
    R = found[..., :3, :3]
    wrong = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if wrong > SKEW or (np.linalg.det(R) < 0.0).any() or not (found[..., 3, :] == [0.0, 0.0, 0.0, 1.0]).all():
        raise ProgramError(f"{what} is not a pose: a rotation matrix and an origin above the row 0 0 0 1")
    return np.concatenate([R.reshape(*R.shape[:-2], 9), found[..., :3, 3]], axis=-1)


def _from_three(given: Floats, point: bool, what: str) -> Floats:
    """Return goals of which only the origin, or only the z axis, counts."""
    found = np.zeros((*given.shape[:-1], NUMBERS))
    if point:
        found[..., [0, 4, 8]], found[..., 9:] = 1.0, given
        return found
    length = np.linalg.norm(given, axis=-1, keepdims=True)
    if (length == 0.0).any():
        raise ProgramError(f"{what} has a direction of length zero")
    found[..., [2, 5, 8]] = given / length
    return found
