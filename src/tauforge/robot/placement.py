"""From a pose to the parameters of a joint there: γ, b, α, d, θ, r, and e if those are not enough."""

from __future__ import annotations

import math
from typing import Any

from ..spatial.pose import Pose
from ..spatial.rotation import about
from ..spatial.vector import Matrix, Vector

SKEW = 0.1
"""Sine of the smallest angle between two axes at which a frame can well be placed on their common normal."""
EXACT = 1e-12
"""Sine of the largest angle at which two axes are parallel."""
_QUARTER = math.pi / 2


def angles(R: Matrix) -> tuple[float, float, float]:
    """Return the angles γ, α, θ of a rotation Rz(γ) Rx(α) Rz(θ); γ is zero if z does not change."""
    sine = math.hypot(R[0][2], R[1][2])
    if sine < EXACT:
        forth = R[2][2] > 0
        return 0.0, 0.0 if forth else math.pi, neat(math.atan2(R[1][0] if forth else -R[1][0], R[0][0]))
    gamma, alpha = math.atan2(R[0][2], -R[1][2]), math.atan2(sine, R[2][2])
    if not -_QUARTER < neat(gamma) <= _QUARTER:  # the same rotation with a smaller γ
        gamma, alpha = math.remainder(gamma + math.pi, 2 * math.pi), -alpha
    gamma, alpha = neat(gamma), neat(alpha)
    c, s = math.cos(gamma), math.sin(gamma)
    x = [c * R[0][k] + s * R[1][k] for k in (0, 1)]  # the first row of Rz(-γ) R, which is cos θ, -sin θ
    return gamma, alpha, neat(math.atan2(-x[1], x[0]))


def neat(angle: float, tolerance: float = 4e-15) -> float:
    """Return an angle, as the multiple of a quarter turn if it is one within the tolerance."""
    whole = round(angle / _QUARTER) * _QUARTER
    return whole if abs(angle - whole) <= tolerance else angle


def is_odd(angle: float, tolerance: float = 1e-9) -> bool:
    """Tell whether an angle is not a multiple of a quarter turn."""
    return abs(math.remainder(angle, _QUARTER)) > tolerance


def placement(at: Pose) -> dict[str, Any]:
    """Return the fields of a joint that place a frame at a numeric pose relative to its antecedent.

    They are those of Khalil and Kleinfinger, unless the two z axes are nearly but not quite parallel: the common normal
    is then far away, and e takes its place.
    """
    gamma, alpha, theta = angles(at.R.rows)
    P = _without_dust(at.P)
    if alpha in (0.0, math.pi, -math.pi):
        d, b = math.hypot(P[0], P[1]), P[2]
        gamma = neat(math.atan2(P[1], P[0])) if d else 0.0
        if abs(gamma) > _QUARTER:
            gamma, d = neat(math.remainder(gamma + math.pi, 2 * math.pi)), -d
        theta = neat(math.remainder(theta - (gamma if alpha == 0.0 else -gamma), 2 * math.pi))
        return {"gamma": gamma, "b": 0.0, "alpha": alpha, "d": d, "theta": theta, "r": b if alpha == 0.0 else -b}
    d, e, b = _without_dust(about(2, gamma).back(P))
    given = {"gamma": gamma, "b": b, "alpha": alpha, "d": d, "theta": theta, "r": 0.0}
    if not e:
        return given
    sine = math.sin(alpha)
    if abs(sine) < SKEW:
        return {**given, "e": e}
    r = -e / sine
    return {**given, "b": b - r * math.cos(alpha) if abs(alpha) != _QUARTER else b, "r": r}


def _without_dust(P: Vector) -> Vector:
    """Return a vector with rounding errors replaced by zeros."""
    x, y, z = P
    least = 1e-14 * max(abs(x), abs(y), abs(z))
    return Vector(x if abs(x) > least else 0.0, y if abs(y) > least else 0.0, z if abs(z) > least else 0.0)
