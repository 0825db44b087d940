"""End stops at joint limits: one-sided springs with damping that grows with the deflection.

A joint that is beyond its limit by δ is pushed back with k δ (1 + c δ̇), and never pulled (Hunt and Crossley,
Coefficient of restitution interpreted as damping in vibroimpact, 1975). The torque does not jump at the contact, as it
would with a damper beside the spring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ..errors import ProgramError
from ..geometry.joint_limits import LimitedJoint, limited_joints
from ..graph.functions import absolute
from ..graph.node import Node, Scalar, as_node
from ..models.prepare import prepare
from ..robot.robot import Robot


@final
@dataclass(frozen=True)
class Stops:
    """End stops of joints at their limits.

    Attributes
    ----------
    stiffness
        In N m/rad or N/m: one number for all joints that have limits, or a mapping from the names of those that have
        stops.
    damping
        c in k δ (1 + c δ̇), in s/rad or s/m. A joint that hits the stop with the velocity v comes back with about
        (1 - 2/3 c v) of it while c v is small; more exactly, with w in c v - ln(1 + c v) = -c w - ln(1 - c w).
    """

    stiffness: float | Mapping[str, float] = 1e4
    damping: float = 1.0

    def __post_init__(self) -> None:
        several = isinstance(self.stiffness, Mapping)
        values = self.stiffness.values() if isinstance(self.stiffness, Mapping) else [self.stiffness]
        if not all(isinstance(x, int | float) and 0.0 < x < np.inf for x in values):
            raise ProgramError(f"stops: a stiffness is a positive number, not {self.stiffness!r}")
        if not isinstance(self.damping, int | float) or not 0.0 <= self.damping < np.inf:
            raise ProgramError(f"stops: damping is {self.damping!r}; it must be zero or a positive number")
        if several:
            object.__setattr__(self, "stiffness", dict(self.stiffness))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        k = self.stiffness
        return hash((tuple(k.items()) if isinstance(k, Mapping) else k, self.damping))


def joints_with_ends(robot: Robot) -> dict[str, LimitedJoint]:
    """Return the joints with one coordinate that has a limit, those that others move too, by their names."""
    return {joint.name: joint for joint in limited_joints(robot) if joint.is_bounded}


def stops_of(robot: Robot, given: Any) -> Stops | None:
    """Return the stops of a robot, from Stops, or from a stiffness; refuse those of joints without limits."""
    if given is None or given is False:
        return None
    stops = given if isinstance(given, Stops) else Stops() if given is True else Stops(given)
    limited = joints_with_ends(robot)
    if not limited:
        raise ProgramError(f"{robot.name} has no joint limits; give its joints some, or leave out stops")
    if isinstance(stops.stiffness, Mapping) and (other := [name for name in stops.stiffness if name not in limited]):
        raise ProgramError(f"stops: {other[0]!r} is not a joint of {robot.name} with limits; {', '.join(limited)} are")
    return stops


def stop_torques(robot: Robot, stops: Stops) -> list[Node]:
    """Return the torques of the stops, by degree of freedom."""
    ended = joints_with_ends(robot)
    robot, _, state = prepare(robot, ("q", "qd"))
    axes = list[Scalar]()
    for j, joint in enumerate(robot.joints, 1):
        k = stops.stiffness.get(joint.name) if isinstance(stops.stiffness, Mapping) else stops.stiffness
        if joint.name in ended and k is not None:
            lower, upper = joint.limits.lower, joint.limits.upper
            q, v = state.q[j][0], state.qd[j][0]
            axes.append(_push(k, stops.damping, -q, -v, -lower) - _push(k, stops.damping, q, v, upper))
        else:
            axes += [0.0] * len(joint.axes)
    return [as_node(x) for x in state.coordinates.gathered(axes)]


def _push(k: float, c: float, q: Scalar, v: Scalar, limit: float) -> Scalar:
    """Return how strongly a stop holds a joint back that moves with the velocity v towards an upper limit."""
    return k * _positive(q - limit) * _positive(1.0 + c * v) if np.isfinite(limit) else 0.0


def _positive(x: Scalar) -> Scalar:
    return (x + absolute(x)) * 0.5
