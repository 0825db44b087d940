"""The error and the warning for an inertia matrix that is singular, exactly or up to rounding."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from random import Random

from ..errors import ProgramError, RobotWarning
from ..graph.node import Scalar, is_zero
from ..program.program import Program
from ..robot.entries import by_joint
from ..robot.robot import Robot
from ..robot.scalars import randomised
from ..spatial.solve import Check, solve
from .coordinates import Coordinates
from .inertia_matrix import Rows, composite_bodies
from .registry import Watch

WEAK = 1e-13
"""If the joints beyond a joint leave less than this part of its inertia, the rest is rounding (with a factor of some
hundred)."""
_STATES = 2
_LARGEST = 64  # degrees of freedom, beyond which finding out takes too large a part of the time
_TURNED = {".x": 0.1, ".y": 0.5, ".z": 0.5, ".w": 0.7}  # a unit quaternion
_CURE = "give its link an inertia (a moment about its axis; a mass if it slides), or the joint a rotor inertia IA"


class _Weak(Exception):
    """Raised with the row at which a numeric matrix is singular up to rounding."""


def inertia_of(names: Sequence[str]) -> Check:
    """Return the check for an inertia matrix with these degrees of freedom."""
    return lambda k, inertia: check_inertia(names[k], inertia)


def check_inertia(name: str, inertia: Scalar) -> None:
    """Refuse a joint without inertia, whose acceleration would be undetermined."""
    if is_zero(inertia):
        raise ProgramError(
            f"no inertia acts on joint {name!r} when the joints beyond it are free, so the inertia matrix is "
            f"singular and accelerations are not determined; {_CURE}"
        )


def warn_if_singular(output: str | None) -> Watch:
    """Return the warning about a robot whose inertia matrix is singular up to rounding in every state.

    ``output`` names the degrees of freedom that the model solves for, if the model has that output; None means all.
    """

    def watch(robot: Robot, made: Program) -> None:
        if output is not None and output not in made.outputs:
            return
        weak = weakest(robot, made.outputs[output].labels[0] if output else None)
        if weak:
            warnings.warn(
                f"{robot.name}: next to no inertia acts on joint {weak!r} when the joints beyond it are free: "
                f"the inertia matrix is singular to working precision, and accelerations are noise; {_CURE}",
                RobotWarning,
                stacklevel=3,  # past this function and the decorator of models
            )

    return watch


def weakest(robot: Robot, degrees: Sequence[str] | None = None) -> str | None:
    """Return a degree of freedom that is left without inertia when some or all are free, in random states and for
    random values of symbols; None if each has some inertia, or if that cannot be computed.
    """
    if robot.loops or len(degrees or robot.velocity_names) > _LARGEST:
        return None
    random, found = Random(0), None
    try:
        whole = randomised(robot, random).expanded()
    except (ValueError, ArithmeticError):  # a root of a negative number, for example
        return None
    for _ in range(_STATES):
        parts = [(name, name[name.rfind(".") :]) for name in robot.coordinate_names]
        q = [_TURNED.get(part, random.uniform(-2.0, 2.0)) for _, part in parts]
        joints = by_joint(whole, q)
        coordinates = Coordinates.of(whole, joints)
        M = coordinates.symmetric(composite_bodies(whole, joints))
        chosen = [k for k, name in enumerate(coordinates.names) if degrees is None or name in degrees]
        inertia = [[M[i][k] for k in chosen] for i in chosen]

        def check(k: int, left: Scalar, inertia: Rows = inertia) -> None:
            if abs(float(left)) <= WEAK * abs(float(inertia[k][k])):
                raise _Weak(k)

        try:
            solve(inertia, [0.0] * len(chosen), check)
        except _Weak as weak:
            found = coordinates.names[chosen[weak.args[0]]]
        else:
            return None
    return found
