"""Impedance control: a frame that behaves like a spring and a damper between it and a reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..graph.functions import atan2
from ..graph.node import Node, Scalar, symbol
from ..models.bias import gravity
from ..models.coordinates import INDEPENDENT
from ..models.jacobian import jacobian
from ..models.loops.motors import MOTORS, check_efforts
from ..models.transforms import transforms
from ..program.array import Array, Shape, inputs
from ..program.fuse import fuse
from ..robot.robot import Robot
from ..spatial.quaternion import length
from ..spatial.vector import Vector, cross, dot
from .controllers import ControlLaw, Controller
from .motion.motion import Motion

Floats = NDArray[np.float64]
AXES = ("vx", "vy", "vz", "wx", "wy", "wz")
POSE = (("x", "y", "z", "1"), ("x", "y", "z", "origin"))


def impedance_control(
    robot: Robot,
    stiffness: ArrayLike,
    damping: ArrayLike,
    reference: Any,
    *,
    frame: str,
    joint_damping: ArrayLike = 0.0,
    saturation: ArrayLike | None = None,
    efforts: str = INDEPENDENT,
) -> Controller:
    """Return the controller tau = g(q) + Jᵀ (K e + D (V_ref - V)) - joint_damping qd.

    At rest, the frame then exerts the force K e on what keeps it from its reference. e holds the distance to the
    reference and the rotation vector to it, which must be less than half a turn, in the axes of the base. Joints
    without motors get no torque.

    Parameters
    ----------
    stiffness, damping
        K and D: 6 numbers, in N/m and N m/rad, or a matrix (6, 6); for the position alone 3 numbers or (3, 3). All in
        the axes of the base.
    reference
        A pose (4, 4); a function of time that returns pose and twist ``(T, V)``, relative to the base and in its axes;
        or a Motion of the joints, which the frame follows.
    frame
        Name of a link or of a constant frame.
    joint_damping
        Damps each joint, also in motions that do not move the frame.
    saturation
        The largest torque of each joint, or of all.
    efforts
        "motors" for the torques of ``robot.motors`` that act as these do, as in ``gravity_compensation``; then
        ``joint_damping`` is that of joints, and ``saturation`` that of motors.
    """
    check_efforts(efforts)
    law = ControlLaw(robot, held=efforts == MOTORS)
    K, D = _matrix("stiffness", stiffness), _matrix("damping", damping)
    J = jacobian(robot, frame=frame).results["J"].nodes
    T = transforms(robot, frames=frame).results["T"].nodes
    n, qd = len(law.names), law.qd.nodes
    T_ref = Array(
        Shape([4, 4], POSE), tuple(symbol(f"T_ref[{i}]") for i in range(16)), f"pose that {frame} should have"
    )
    V_ref = inputs("V_ref", AXES, f"twist that {frame} should have")
    law.arrays |= {"T_ref": T_ref, "V_ref": V_ref}
    V = [_sum(J[n * i : n * i + n], qd) for i in range(6)]
    lag = [a - b for a, b in zip(V_ref.nodes, V, strict=True)]
    e = _between(T, T_ref.nodes)
    wrench = [_sum(K[i], e) + _sum(D[i], lag) for i in range(6)]
    g, slow = gravity(robot).results["g"].nodes, law.gains("joint_damping", joint_damping)
    tau: list[Scalar] = [
        g[k] + _sum([J[n * i + k] for i in range(6)], wrench) - slow[k] * qd[k] if law.driven[k] else 0.0
        for k in range(n)
    ]
    law.act_on_motors(efforts)
    tau = [*law.torques(tau)]
    if isinstance(reference, Motion):
        reference = frame_of_motion(robot, reference, frame)
    return law.made("impedance", tau, saturation, reference)


def frame_of_motion(robot: Robot, motion: Motion, frame: str) -> Callable[[float], tuple[Floats, Floats]]:
    """Return pose and twist of a frame along a motion of the joints, as a function of time."""
    if robot.loops:
        raise ProgramError(f"{robot.name} has closed loops: give the pose and twist of {frame} as a function of time")
    where = fuse(transforms(robot, frames=frame), jacobian(robot, frame=frame)).compile()

    def at(t: float) -> tuple[Floats, Floats]:
        q, qd, _ = motion(t)
        T, J = where(q)
        return T[0], J @ qd

    return at


def _between(T: Sequence[Node], T_ref: Sequence[Node]) -> list[Scalar]:
    """Return the distance and the rotation vector from one pose to another."""
    rows, wanted = ([matrix[4 * i : 4 * i + 4] for i in range(3)] for matrix in (T, T_ref))
    pairs = [[Vector(*(row[k] for row in matrix)) for matrix in (rows, wanted)] for k in range(3)]
    # the columns a of R and b of R_ref: Σ a × b = 2 sin(θ) u, and Σ a · b = 1 + 2 cos(θ)
    sine = sum((cross(a, b) for a, b in pairs[1:]), start=cross(*pairs[0])) * 0.5
    cosine = (sum((dot(a, b) for a, b in pairs[1:]), start=dot(*pairs[0])) - 1.0) * 0.5
    size = length(sine)
    return [*(b[3] - a[3] for a, b in zip(rows, wanted, strict=True)), *(sine * (atan2(size, cosine) / size))]


def _matrix(what: str, given: ArrayLike) -> list[list[float]]:
    """Return a matrix (6, 6) from itself, its diagonal, or that of the position alone."""
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{what} must be an array of numbers") from None
    if found.shape not in ((3,), (6,), (3, 3), (6, 6)):
        raise ProgramError(f"{what} has shape {list(found.shape)}; give 6 numbers or (6, 6), or 3 for the position")
    if not np.isfinite(found).all():
        raise ProgramError(f"{what} has entries that are not finite")
    whole = np.zeros((6, 6))
    own = np.diag(found) if found.ndim == 1 else found
    whole[: len(own), : len(own)] = own
    return [[float(x) for x in row] for row in whole]


def _sum(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
