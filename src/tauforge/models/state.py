"""The input of the models' recursions: coordinates, velocities, accelerations, torques and wrenches by joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.node import Scalar
from ..robot.robot import Robot
from ..spatial.vector import ZERO, Vector
from .coordinates import Coordinates

Values = Sequence[Scalar]
"""A joint's coordinates, velocities or accelerations; empty for a fixed joint."""

INPUTS = {
    "q": ("joint coordinates (rad, m)", ""),
    "qd": ("joint velocities", "QP"),
    "qdd": ("joint accelerations", "QDP"),
    "tau": ("joint torques (revolute) and forces (prismatic)", "GAM"),
}
"""The inputs of models: what each means, and the field of a joint that can prescribe it."""


@dataclass(frozen=True)
class State:
    """Coordinates, velocities and accelerations by joint, external wrenches by link; entry 0 is unused.

    ``tau`` holds torques by degree of freedom, and ``coordinates`` maps degrees of freedom to joints. Anything that a
    model does not take is zero.
    """

    coordinates: Coordinates
    q: Sequence[Values]
    qd: Sequence[Values]
    qdd: Sequence[Values]
    tau: Values
    f: Sequence[Vector]
    m: Sequence[Vector]

    @classmethod
    def zero(cls, robot: Robot, coordinates: Coordinates | None = None, **given: Sequence[Any]) -> State:
        """Return the state with the given entries; all others are zero."""
        still = at_rest(robot)
        known = coordinates or Coordinates.of(robot, given.get("q", still))
        none = [ZERO] * len(still)
        values: dict[str, Any] = {**dict.fromkeys(("q", "qd", "qdd"), still), "f": none, "m": none, **given}
        return cls(known, **{"tau": [0.0] * len(known.names), **values})


def at_rest(robot: Robot) -> list[Values]:
    """Return a zero for each axis of each joint, by joint number, for models that take no q."""
    return [(), *([0.0] * len(joint.axes) for joint in robot.joints)]
