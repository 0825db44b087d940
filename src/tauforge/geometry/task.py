"""Tasks of a frame: what of its pose a goal prescribes, as errors and exact slopes for many states at once.

The slopes are M in M q̇ = rate of what the task prescribes; their own rate Ṁ gives the accelerations, M q̈ + Ṁ q̇.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..models.jacobian import jacobian, jacobian_rate
from ..models.transforms import transforms
from ..program.fuse import fuse
from ..robot.robot import Robot
from ..runtime.function import Function
from .close_loops import refuse_symbols

Floats = NDArray[np.float64]
AIMS = ("pose", "position", "axis")
"""What a goal prescribes: all of a pose, its origin, or its origin and the direction of its z axis."""
SKEW = 1e-6
"""Error of a rotation matrix that counts as rounding."""
FARTHEST = 1e9
"""The largest length in a goal, in metres."""


class Apart(NamedTuple):
    """How far frames are from their goals: errors (k, rows), slopes (k, rows, n), and both as sizes (k)."""

    error: Floats
    slopes: Floats
    distance: Floats
    angle: Floats


@final
class Task:
    """A frame of a robot and what is prescribed of it.

    Parameters
    ----------
    aim
        One of AIMS.
    """

    def __init__(self, robot: Robot, frame: str, aim: str) -> None:
        check_aim(frame, aim)
        self.robot, self.frame, self.aim = robot, frame, aim
        self._where, self._moving = _compiled(robot, frame)

    def apart(self, q: Floats, goal: Floats) -> Apart:
        """Return the errors of states (k, coordinates) from goals (k, 4, 4); slopes times a step make up for them."""
        T, J = self._where(q)
        T = T[:, 0]
        way = goal[:, :3, 3] - T[:, :3, 3]
        if self.aim == "position":
            return Apart(way, J[:, :3], np.linalg.norm(way, axis=1), np.zeros(len(q)))
        if self.aim == "pose":
            turn = rotation_vectors(goal[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2))
        else:
            turn = _turn(T[:, :3, 2], goal[:, :3, 2])
            J = J.copy()
            J[:, 3:] -= T[:, :3, 2, None] * np.einsum("ki,kij->kj", T[:, :3, 2], J[:, 3:])[:, None]
        sizes = np.linalg.norm(way, axis=1), np.linalg.norm(turn, axis=1)
        return Apart(np.concatenate([way, turn], axis=1), J, *sizes)

    def moving(self, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
        """Return the slopes M and their rates Ṁ, (k, rows, n) each."""
        T, J, Jd = self._moving(q, qd)
        if self.aim == "position":
            return J[:, :3], Jd[:, :3]
        if self.aim == "pose":
            return J, Jd
        z, w = T[:, 0, :3, 2], np.einsum("kij,kj->ki", J[:, 3:], qd)
        M, Md = J.copy(), Jd.copy()
        M[:, 3:] = _crossed(J[:, 3:], z)  # ż = ω × z
        Md[:, 3:] = _crossed(Jd[:, 3:], z) + _crossed(J[:, 3:], np.cross(w, z))
        return M, Md

    def wanted(self, T: Floats, V: Floats, A: Floats) -> tuple[Floats, Floats]:
        """Return the rates of what is prescribed, and their rates, from poses, twists and their rates."""
        if self.aim == "position":
            return V[:, :3], A[:, :3]
        if self.aim == "pose":
            return V, A
        z, w = T[:, :3, 2], V[:, 3:]
        turning = np.cross(w, z)
        return (
            np.concatenate([V[:, :3], turning], axis=1),
            np.concatenate([A[:, :3], np.cross(A[:, 3:], z) + np.cross(w, turning)], axis=1),
        )

    def goals(self, given: ArrayLike, what: str = "T") -> Floats:
        """Return goals as poses (..., 4, 4), from these or, for positions alone, from points (..., 3)."""
        found = finite(given, what)
        if self.aim == "position" and found.shape[-1:] == (3,):
            poses = np.broadcast_to(np.eye(4), (*found.shape[:-1], 4, 4)).copy()
            poses[..., :3, 3] = found
            return poses
        if found.shape[-2:] != (4, 4):
            points = ", or points (..., 3)" if self.aim == "position" else ""
            raise ProgramError(f"{what} has the shape {found.shape}; give poses (..., 4, 4){points}")
        R = found[..., :3, :3]
        wrong = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
        if wrong > SKEW or (np.linalg.det(R) < 0.0).any() or not (found[..., 3, :] == [0.0, 0.0, 0.0, 1.0]).all():
            raise ProgramError(f"{what} is not a pose: a rotation matrix and an origin above the row 0 0 0 1")
        return found


def check_aim(frame: object, aim: str) -> None:
    """Refuse unknown aims, and frames that are not given by name."""
    if aim not in AIMS:
        raise ProgramError(f"aim={aim!r}; choose among {', '.join(map(repr, AIMS))}")
    if not isinstance(frame, str):
        raise ProgramError(f"frame={frame!r}; give the name of a link or of a constant frame")


def rotation_vectors(R: Floats) -> Floats:
    """Return the rotation vectors of matrices (k, 3, 3); NaN stays NaN."""
    sine = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    size, cosine = np.linalg.norm(sine, axis=1), 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0)
    angle = np.arctan2(size, cosine)
    found = sine * np.where(size > 1e-12, angle / np.maximum(size, 1e-300), 1.0)[:, None]
    for k in np.flatnonzero((size < 1e-5) & (cosine < 0.0)):  # near half a turn, R + 1 is twice the axis squared
        square = 0.5 * (R[k] + R[k].T) + np.eye(3)
        column = square[:, int(np.argmax(np.diag(square)))]
        axis = column / np.linalg.norm(column)
        found[k] = axis * np.copysign(angle[k], axis @ sine[k])
    return found


def _turn(z: Floats, wanted: Floats) -> Floats:
    """Return the rotation vectors from one direction to another; half a turn is about any axis across."""
    across, along = np.cross(z, wanted), (z * wanted).sum(axis=1)
    size = np.linalg.norm(across, axis=1)
    other = np.cross(z, np.where(np.abs(z[:, :1]) < 0.7, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    unclear = (size < 1e-9) & (along < 0.0)
    axis = np.where(unclear[:, None], other, across)
    length = np.maximum(np.linalg.norm(axis, axis=1), 1e-300)
    return np.asarray(axis * (np.arctan2(size, along) / length)[:, None])


def _crossed(J: Floats, z: Floats) -> Floats:
    """Return the columns of matrices (k, 3, n), each times a vector (k, 3)."""
    return np.swapaxes(np.cross(np.swapaxes(J, 1, 2), z[:, None]), 1, 2)


@lru_cache(maxsize=32)
def _compiled(robot: Robot, frame: str) -> tuple[Function, Function]:
    """Return pose and Jacobian of a frame, and these with the Jacobian's rate, compiled once."""
    where, J, rate = transforms(robot, frames=frame), jacobian(robot, frame=frame), jacobian_rate(robot, frame=frame)
    refuse_symbols(robot, where)
    return fuse(where, J).compile(), fuse(where, J, rate).compile()


def finite(given: ArrayLike, what: str) -> Floats:
    """Return an array of real numbers that are finite and not beyond FARTHEST, as a copy."""
    if isinstance(given, np.ndarray) and np.iscomplexobj(given):  # which NumPy would make real with a warning
        raise ProgramError(f"{what} has complex numbers")
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{what}: this is not an array of numbers") from None
    if not np.isfinite(found).all():
        raise ProgramError(f"{what} has entries that are not finite")
    if np.abs(found).max(initial=0.0) > FARTHEST:
        raise ProgramError(f"{what} has entries beyond {FARTHEST:g}; lengths are in metres")
    return found
