"""The joints that the user chose as independent, with errors if they do not determine all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from ...robot.robot import Robot
from ..coordinates import Coordinates

Floats = NDArray[np.float64]
LEAST = 1e-6
"""Singular value, as a part of the largest entry, below which the chosen joints leave a motion free."""


def chosen_axes(robot: Robot, tree: Coordinates, base: list[int], J: Floats, rank: int) -> list[int]:
    """Return the axes of the joints that were chosen as independent, if they determine all others."""
    axes = {name: [k] for k, name in enumerate(tree.names)}
    for j in tree.independent:
        joint = robot.joints[j - 1]
        axes[joint.name] = [k for part in joint.axes for k in axes[joint.name + part]]
    missing = [name for name in robot.chosen if name not in axes]
    if missing:
        raise ProgramError(
            f"{robot.name} has no joint {', '.join(missing)} that can be independent; it has "
            + ", ".join(robot.joints[j - 1].name for j in tree.independent if robot.joints[j - 1].axes)
        )
    mobility, names = len(tree.names) - rank, ", ".join(robot.chosen)
    wanted = list(dict.fromkeys(k for name in robot.chosen for k in axes[name]))
    if len(wanted) + len(base) == mobility:  # a floating base need not be named
        wanted = list(dict.fromkeys([*base, *wanted]))
    if len(wanted) != mobility:
        many = "few" if len(wanted) < mobility else "many"
        raise ProgramError(
            f"{robot.name} has mobility {mobility}; you chose {names}, with a total of {len(wanted)}: too {many} to be "
            "independent"
        )
    joint_of = [j for j in tree.independent for _ in range(tree.widths[j - 1])]
    order = list(dict.fromkeys(joint_of[k] for k in wanted))
    free = sorted(wanted, key=lambda k: (order.index(joint_of[k]), k))
    left = [k for k in range(len(tree.names)) if k not in set(free)]
    if rank and np.linalg.matrix_rank(J[:, left], LEAST * max(1.0, float(np.abs(J).max()))) < rank:
        raise ProgramError(
            f"{robot.name}: {names} cannot be independent: the loops allow motions in which they stand still; the "
            "robot finds independent joints by itself with with_independent()"
        )
    return free
