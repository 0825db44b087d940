"""Motors that move several joints: the coupling matrix R of motors = R joints, as driven tendons.

The motors' coordinates are x = R q. By virtual work their torques act on the joints as τ = Rᵀ τ_motor: each motor is a
tendon along its row of R, with its rotor's inertia and friction along x. If joints = G motors is known instead, R = G⁻¹
and τ_motor = Gᵀ τ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import RobotError
from .joint import given
from .tendon import Tendon
from .variables import unused

if TYPE_CHECKING:
    from ..graph.node import Scalar
    from .robot import Robot

Floats = NDArray[np.float64]
MOTOR_LAW = ("IA", "FV", "FS")
"""What a motor has along its own coordinate."""


def coupling_matrix(robot: Robot) -> Floats:
    """Return the matrix R of motors = R joints: a row per motor, a column per joint that follows no other."""
    columns = {name: k for k, name in enumerate(robot.joint_names)}
    driven = {tendon.name: tendon for tendon in robot.tendons if tendon.driven}
    R = np.zeros((len(robot.motors), len(columns)))
    for row, name in zip(R, robot.motors, strict=True):
        terms = [(robot.joints[j - 1], x) for j, x in driven[name].joints] if name in driven else []
        if not terms:
            row[columns[name]] = 1.0
        for joint, x in terms:
            for leader, ratio in joint.mimic.of if joint.mimic else ((robot.joints.index(joint) + 1, 1.0),):
                row[columns[robot.joints[leader - 1].name]] += float(x) * ratio
    return R


def pulled_joints(robot: Robot) -> set[str]:
    """Return the joints that driven tendons move, as the motors of a coupling do."""
    acted = {j for tendon in robot.tendons if tendon.driven for j, _ in tendon.joints}
    leaders = {k for j in acted if (mimic := robot.joints[j - 1].mimic) for k, _ in mimic.of}
    return {robot.joints[j - 1].name for j in acted | leaders}


def coupled(
    robot: Robot,
    R: ArrayLike,
    joints: Sequence[str] | None,
    names: Sequence[str] | None,
    law: dict[str, object],
) -> Robot:
    """Return the robot with a driven tendon for each row of R; its joints have no motors of their own."""
    numbers = _numbers(robot, joints)
    matrix = checked_matrix(R)
    if matrix.shape[1] != len(numbers):
        called = ", ".join(robot.joints[j - 1].name for j in numbers)
        raise RobotError(
            f"{robot.name}: the coupling has {matrix.shape[1]} columns; it needs one for each joint: {called}; "
            "joints=… names others"
        )
    count = len(matrix)
    taken = {*(x.name for x in robot.tendons), *(x.name for x in robot.joints)}
    if names is None:
        names = [unused(f"motor{i}", taken) for i in range(1, count + 1)]
    texts = isinstance(names, Sequence) and not isinstance(names, str) and all(isinstance(x, str) for x in names)
    if not texts or len(names) != count:
        raise RobotError(f"{robot.name}: the coupling has {count} rows; give as many names of motors, not {names!r}")
    laws = {key: _each(robot, key, x, count) for key, x in law.items()}
    motors = tuple(
        Tendon(
            name=name,
            joints=tuple((j, float(x)) for j, x in zip(numbers, row, strict=True) if x),
            driven=True,
            **{key: values[i] for key, values in laws.items()},
        )
        for i, (name, row) in enumerate(zip(names, matrix, strict=True))
    )
    passive = set(numbers)
    new = (replace(joint, mu=0) if j in passive else joint for j, joint in enumerate(robot.joints, 1))
    return replace(robot, joints=tuple(new), tendons=(*robot.tendons, *motors))


def checked_matrix(R: ArrayLike) -> Floats:
    """Return the matrix of motors = R joints from itself or from one gear ratio per joint."""
    try:
        matrix = np.asarray(R, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise RobotError(f"the coupling is {R!r}; it must be numbers") from None
    matrix = np.diag(matrix) if matrix.ndim == 1 else matrix
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise RobotError(
            f"the coupling has the shape {matrix.shape}; it must be one gear ratio per joint, or the matrix R of "
            "motors = R joints, of finite numbers"
        )
    still = np.flatnonzero(~matrix.any(axis=1))
    if still.size:
        raise RobotError(f"row {still[0] + 1} of the coupling is zero: no joint moves that motor; check it")
    return matrix


def _numbers(robot: Robot, joints: Sequence[str] | None) -> list[int]:
    """Return the numbers of the joints that the columns belong to; all that follow no other by default."""
    numbers = {joint.name: j for j, joint in enumerate(robot.joints, 1) if joint.axes and not joint.mimic}
    if joints is None:
        return list(numbers.values())
    if isinstance(joints, str) or not isinstance(joints, Sequence) or not all(name in [*numbers] for name in joints):
        raise RobotError(
            f"{robot.name}: joints is {joints!r}; it must be names of joints that follow no other: {', '.join(numbers)}"
        )
    return [numbers[name] for name in joints]


def _each(robot: Robot, key: str, values: object, count: int) -> list[Scalar]:
    """Return one value for each motor, from a list or one for all."""
    several = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
    found = list(values) if several else [values] * count  # type: ignore[call-overload]
    if len(found) != count:
        raise RobotError(f"{robot.name}: {key} has {len(found)} entries; give one, or one for each of {count} motors")
    return [given(x, f"{key} of a motor") for x in found]
