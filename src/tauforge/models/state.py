"""What the models' recursions take: coordinates, velocities, accelerations, efforts and wrenches by joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.node import Scalar
from ..robot.robot import Robot
from ..spatial.vector import ZERO, Vector

Values = Sequence[Scalar]
"""A joint's coordinates, velocities or accelerations; none of a fixed joint."""

INPUTS = {
    "q": ("joint coordinates (rad, m)", ""),
    "qd": ("joint velocities", "QP"),
    "qdd": ("joint accelerations", "QDP"),
    "tau": ("joint torques (revolute) and forces (prismatic)", "GAM"),
}
"""What models take: each input's meaning, and the field of a joint that may fix it."""


@dataclass(frozen=True)
class State:
    """Coordinates, velocities, accelerations, efforts and external wrenches by joint and link; entry 0 is unused.

    What a model does not take is zero.
    """

    q: Sequence[Values]
    qd: Sequence[Values]
    qdd: Sequence[Values]
    tau: Sequence[Values]
    f: Sequence[Vector]
    m: Sequence[Vector]

    @classmethod
    def zero(cls, robot: Robot, **given: Sequence[Any]) -> State:
        """Return the state that is zero but for what is given."""
        still = [(), *([0.0] * len(joint.axes) for joint in robot.joints)]  # a model that takes no q needs none
        none = [ZERO] * (len(robot.joints) + 1)
        values: dict[str, Any] = {**dict.fromkeys(INPUTS, still), "f": none, "m": none, **given}
        return cls(**values)
