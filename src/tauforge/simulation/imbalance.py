"""What an error about energy says: by how much it is wrong, since when, and which joints no longer describe a mechanism."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..errors import SimulationError
from ..llvm.march.tables import SINGULAR
from ..models.joint_motion import joint_motion
from ..robot.robot import Robot
from ..runtime.function import Function
from .balance import OutOfBalance
from .system import System
from .trajectory import Trajectory

Floats = NDArray[np.float64]
FASTER = 30.0
"""How many times faster than at the start a joint moves with the independent ones where these hardly describe it."""


def out_of_balance(system: System, error: OutOfBalance, trajectory: Trajectory) -> SimulationError:
    """Return the error of a run whose energy is out of balance."""
    robot, when = system.robot, system.clock.said(error.t)
    fastest = _fastest(robot, trajectory) if robot.loops and len(trajectory) else None
    if not system.whole and (error.status == SINGULAR or (fastest and fastest[1] > FASTER)):
        said = (
            f"near t = {when} s the independent joints {', '.join(robot.velocity_names)} no longer determine the motion of "
            f"the mechanism: an error within the tolerances could change its energy by any amount"
        )
        if fastest and fastest[1] > FASTER:
            said += f"; {fastest[0]} moves {fastest[1]:.2g} times as fast with them as at the start"
        said += "; take other joints with with_independent(…), or stop before"
    else:
        said = (
            f"at t = {when} s its energy has changed by {_change(trajectory):.3g} J more than the work explains, and than "
            "the errors of the steps can; reduce rtol and atol or max_step, and check the model"
        )
    raised = SimulationError(f"{robot.name}: {said}")
    raised.trajectory = trajectory
    return raised


def _change(trajectory: Trajectory) -> float:
    """Return by how much the energy has changed in the end without work."""
    return float((trajectory.total - trajectory.total[0] - trajectory.work)[-1])


def _fastest(robot: Robot, trajectory: Trajectory) -> tuple[str, float]:
    """Return the joint whose velocity with the independent ones has grown most, and how many times."""
    G = _velocities(robot)
    none = np.zeros((1, len(robot.velocity_names)))
    known = {"q": trajectory.q[[0, -1]], "qd": none, "qdd": none}
    first, last = np.abs(np.asarray(G(*(known[name] for name in G.inputs)))).max(axis=2)
    growth = last / np.maximum(first, 1e-3)
    j = int(np.argmax(growth))
    return G.outputs["dvelocities_dqd"].labels[0][j], float(growth[j])


@lru_cache(maxsize=32)
def _velocities(robot: Robot) -> Function:
    """Return how the velocities of all joints follow from the independent ones, compiled once."""
    return joint_motion(robot).derivative("velocities", "qd").compile()
