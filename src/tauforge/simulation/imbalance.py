"""What an error about energy says: since when, by how much, and which joints no longer describe a mechanism."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..errors import SimulationError
from ..llvm.march.tables import SINGULAR
from ..models.joint_motion import joint_motion
from ..models.loops.search import mechanism_of
from ..robot.kinds.on_axes import OnAxes
from ..robot.robot import Robot
from ..runtime.function import Function
from .balance import OutOfBalance
from .clock import Clock

Floats = NDArray[np.float64]
FASTER = 30.0
"""How many times faster than the independent joints another one moves near a singular state, and no less."""


def is_singular(robot: Robot, q: Floats) -> bool:
    """Return whether the independent joints of a mechanism hardly describe it."""
    return _fastest(robot, q)[1] > FASTER


def out_of_balance(robot: Robot, clock: Clock, error: OutOfBalance) -> SimulationError:
    """Return the error that tells users that the energy of a run is out of balance."""
    when = clock.said(error.t)
    name, ratio = _fastest(robot, error.y[: len(robot.coordinate_names)]) if robot.loops else ("", 0.0)
    if error.status == SINGULAR or ratio > FASTER:
        return SimulationError(
            f"{robot.name}: near t = {when} s the independent joints {', '.join(robot.velocity_names)} no longer "
            f"describe the mechanism: {name} moves {ratio:.2g} times as fast as they do, and the smallest error "
            "changes the energy; coordinates='all' goes on there, or choose other joints by with_independent(…)"
        )
    return SimulationError(
        f"{robot.name}: the energy at t = {when} s differs by {error.drift:.3g} J from what the work of torques, "
        "friction and wrenches has made of it, which the errors of the steps do not explain"
        + (error.diverged or "; make max_step, rtol or atol smaller, or check what drives the robot")
    )


def _fastest(robot: Robot, q: Floats) -> tuple[str, float]:
    """Return the joint that moves fastest with the independent ones, and how many times as fast."""
    G = _velocities(robot)
    none = np.zeros(len(robot.velocity_names))
    known = {"q": q, "qd": none, "qdd": none}
    with np.errstate(all="ignore"):
        found = np.abs(np.asarray(G(*(known[name] for name in G.inputs))))
    own, independent = _scales(robot)
    found = np.nan_to_num(found * independent / own[:, None], nan=np.inf).max(axis=1)
    j = int(np.argmax(found))
    return G.outputs["dvelocities_dqd"].labels[0][j], float(found[j])


@lru_cache(maxsize=32)
def _velocities(robot: Robot) -> Function:
    """Return how the velocities of all joints follow from the independent ones, compiled once."""
    return joint_motion(robot).derivative("velocities", "qd").compile()


@lru_cache(maxsize=32)
def _scales(robot: Robot) -> tuple[Floats, Floats]:
    """Return the unit of velocity of each joint and each independent one: slides are compared by the longest length."""
    length, found = mechanism_of(robot).length, dict[str, float]()
    for joint in robot.expanded().joints:
        kind = joint.kind
        for k, axis in enumerate(kind.velocities):
            slides = kind.axes[k] < 3 if isinstance(kind, OnAxes) else kind.units[0] == "m"
            found[joint.name + axis] = length if slides else 1.0
    return np.array(list(found.values())), np.array([found[name] for name in robot.velocity_names])
