"""What is known about an arm before there is a pose: the joints that are solved for, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ProgramError, suggestion
from ...robot.robot import Robot
from .arm_angle import ARM_ANGLE
from .branches import promise
from .chain import Chain, Floats
from .plan import EXACT, Plan, plan, possible, rank

NEARLY = (1e-7, 1e-4, 5e-3)
"""By how much axes may miss each other, relative to the arm's size, if no exact geometry gives an order of solving."""


@final
@dataclass(frozen=True, eq=False)
class Arm:
    """What is known about an arm before there is a pose.

    Attributes
    ----------
    chain
        Its axes.
    held
        Numbers of the joints whose positions are given or sampled.
    plan
        The order of solving; None if the general method is needed.
    """

    robot: Robot
    chain: Chain
    held: frozenset[int]
    plan: Plan | None


def fixed_joints(chain: Chain, fixed: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    """Return the positions of what is not solved for, as arrays, by name."""
    names = [chain.axes[k].name for k in chain.real]
    return checked(dict.fromkeys([*names, ARM_ANGLE]), fixed)


def checked(known: Mapping[str, Any], fixed: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    """Return positions as arrays; refuse names that are not known, and what is not a number."""
    if not isinstance(fixed, Mapping):
        raise ProgramError(f"fixed={fixed!r}; give positions by joint, such as {{'joint3': 0.3}}")
    found = dict[str, Floats]()
    if fixed and not known:
        raise ProgramError("fixed: this arm is solved for all joints; name those to fix in tf.inverse_geometry(...)")
    for name, value in fixed.items():
        if name not in known:
            raise ProgramError(f"fixed: there is no joint {name!r} to fix; {suggestion(name, [*known])}")
        try:
            found[name] = np.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ProgramError(f"fixed: the position of {name} is not a number or an array of numbers") from None
        if not np.isfinite(found[name]).all():
            raise ProgramError(f"fixed: the position of {name} is not finite")
    return found


def arranged(robot: Robot, chain: Chain, fixed: Mapping[str, Any]) -> tuple[Arm, tuple[str, ...]]:
    """Return the arm with the order in which it is solved, and the joints that are sampled."""
    given = frozenset(k for k in chain.real if chain.axes[k].name in fixed)
    turns = [k for k in range(len(chain.axes)) if k not in chain.real]
    idle = {k for k in chain.real if rank(chain, [*turns, k]) == rank(chain, turns)}
    given |= idle  # what the aim does not notice stays where it is
    movable = [k for k in chain.real if k not in given]
    if not movable:
        raise ProgramError(f"{robot.name}: fixed leaves no joint to solve for")
    unknown = [k for k in range(len(chain.axes)) if k not in given]
    whole = rank(chain, unknown)
    choices = [
        sampled
        for sampled in combinations(movable, len(unknown) - whole)
        if rank(chain, [k for k in unknown if k not in sampled]) == whole
    ]
    for tolerance in (EXACT, *NEARLY):
        found, steps = list[tuple[int, tuple[int, ...], Plan]](), possible(chain, tolerance)
        for sampled in choices:
            own = plan(chain, given | set(sampled), tolerance, steps)
            if own is not None:
                found.append((own.branches, sampled, own))
        if found:
            _, sampled, best = min(found, key=lambda x: x[0])
            if sampled:
                _, sampled, best = max(found, key=lambda x: promise(robot, chain, x[2], given | set(x[1])))
            return Arm(robot, chain, given | set(sampled), best), tuple(chain.axes[k].name for k in sampled)
        if chain.is_symbolic:
            break
    sampled = choices[len(choices) // 2]
    return Arm(robot, chain, given | set(sampled), None), tuple(chain.axes[k].name for k in sampled)
