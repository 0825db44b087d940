"""Motors and joints: ratios of gears, and motors that several joints move.

The motors' coordinates are a constant matrix times the joints', x = R q, so by virtual work the joints' torques are
τ = Rᵀ τ_motor. Rotor inertia and friction of a motor act along its own coordinate. If only one joint moves it, they are
those of the joint; if several do, they are those of a tendon along the sum of the joints' coordinates.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import IdentificationError
from ..robot.robot import Robot
from ..robot.tendon import Tendon

Floats = NDArray[np.float64]


def matrix(ratios: ArrayLike, count: int | None = None) -> Floats:
    """Return the matrix from joint to motor coordinates, from itself or from one ratio per joint."""
    try:
        R = np.asarray(ratios, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise IdentificationError(f"the coupling is {ratios!r}; it must be numbers") from None
    R = np.diag(R) if R.ndim == 1 else R
    if R.ndim != 2 or R.shape[0] != R.shape[1] or not np.all(np.isfinite(R)):
        raise IdentificationError(
            f"the coupling has the shape {R.shape}; it must be one gear ratio per joint, or the square matrix R of "
            "motor = R joint"
        )
    if count is not None and len(R) != count:
        raise IdentificationError(f"the coupling is for {len(R)} joints; there are {count}")
    if np.linalg.matrix_rank(R) < len(R):
        raise IdentificationError("the coupling is singular: some joint would not move any motor; check its rows")
    return R


def with_motors(robot: Robot, coupling: ArrayLike) -> Robot:
    """Return the robot with a tendon for each motor that several joints move, unless it has one along the same sum, as
    ``Robot.with_coupling`` makes them.

    The tendon's length is the motor's coordinate in the units of the joint that it drives, the last one that moves it:
    q5 + q6 if motor 6 turns 32 times with joint 5 and 32 times with joint 6.
    """
    R = matrix(coupling, len(robot.joint_names))
    numbers = [j for j in robot.moving if not robot.joints[j - 1].mimic]
    taken = {tendon.name for tendon in robot.tendons}
    tendons = list(robot.tendons)
    for i, row in enumerate(R):
        moving = np.flatnonzero(row)
        if len(moving) < 2:
            continue
        own = i if row[i] else int(moving[-1])
        joints = tuple((numbers[k], float(row[k] / row[own])) for k in moving)
        if any(_is_along(tendon, joints) for tendon in robot.tendons):
            continue
        name = f"motor{numbers[own]}"
        if name not in taken:
            tendons.append(Tendon(name=name, joints=joints))
    return replace(robot, tendons=tuple(tendons))


def _is_along(tendon: Tendon, joints: tuple[tuple[int, float], ...]) -> bool:
    """Tell whether a tendon's length is a multiple of a sum of joint coordinates."""
    first, second = dict(tendon.joints), dict(joints)
    if first.keys() != second.keys():
        return False
    a, b = (np.array([float(own[j]) for j in sorted(own)]) for own in (first, second))
    return bool(np.allclose(a * np.linalg.norm(b), np.sign(a @ b) * b * np.linalg.norm(a), rtol=1e-12))
