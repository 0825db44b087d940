"""One pose at a time: a Program for one branch, run for all branches at once, the way of which signs choose.

The processor's lanes hold branches instead of poses. Each branch says itself whether it is a solution within the
limits; a pose at which any of them is in doubt, or that is not one, is left to others.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import final

import numpy as np

from ...graph.functions import absolute, atan2
from ...graph.node import Scalar
from ...models.loops.closed_form.turning import positive
from ...program.array import inputs, outputs
from ...program.program import Program
from ...runtime.function import Function
from ...spatial.pose import Pose
from .arrange import Arm
from .branches import MISSED, SURE, WEAK, Told, doubted, goal, skew
from .chain import NOWHERE, Chain, Floats, Motion
from .choose import ROUNDING, TURN, Range
from .loop import Loop
from .plan import Plan
from .solve import BOTH, solutions

ROTATION = 1e-26
"""Sum of squares by which a rotation may not be one before it is replaced by the nearest."""
LEFT, MISS = 2.0, 0.5
"""What a branch says that needs a closer look, and one that hardly misses the pose; 1 is a solution, 0 is none."""


@final
class Quick:
    """The solutions of one pose.

    Parameters
    ----------
    fixed
        Positions of joints that are not solved for, by name.
    own
        The joints' limits, if solutions are to be within them.
    """

    __slots__ = ("_all", "_count", "_function", "_signs")

    def __init__(self, arm: Arm, plan: Plan, fixed: Mapping[str, float], own: Range | None) -> None:
        several = [step.branches > 1 for step in plan.steps]
        self._signs = np.array([*product(*(BOTH if some else (1.0,) for some in several))])
        self._count = len(self._signs)
        self._function = Function(_branch(arm, plan, fixed, own), warn=False)
        self._all = np.ones(self._count).tobytes()

    def __call__(self, T: Floats) -> Floats | None:
        """Return the solutions (K, n) of a pose (4, 4); None if it needs a closer look."""
        q, flags = self._function(T, self._signs)
        if flags.tobytes() == self._all:
            return q  # type: ignore[no-any-return]
        told = flags.ravel().tolist()
        if LEFT in told or (MISS in told and 1.0 not in told):
            return None
        return q[[k for k, flag in enumerate(told) if flag == 1.0]]  # type: ignore[no-any-return]


def fits(own: Range) -> bool:
    """Tell whether one turn is enough to bring every angle within the limits that can be."""
    return bool((own.lower[own.turning] <= np.pi).all() and (own.upper[own.turning] >= -np.pi).all())


def _branch(arm: Arm, plan: Plan, fixed: Mapping[str, float], own: Range | None) -> Program:
    """Return the Program ``T, signs -> q, flag`` for one branch."""
    chain, names = arm.chain, arm.robot.coordinate_names
    T, signs = goal("frame"), inputs("signs", [f"step{k + 1}" for k in range(len(plan.steps))], "which solution")
    at = {k: _placed(chain, k, fixed) for k in range(len(chain.axes))}
    loop = Loop(chain, Pose.of(T.nodes), {k: at[k] for k in arm.held})
    told = Told(1.0, 0.0, 0.0)
    for step, sign in zip(plan.steps, signs.nodes, strict=True):
        found = solutions(loop, step, at[step.joint], WEAK, (sign,))[0]
        loop = Loop(chain, loop.goal, {**loop.known, step.joint: found.motion})
        told = told.after(found, 1.0)
    q: list[Scalar] = [fixed.get(name, 0.0) for name in names]
    for k in chain.real:
        axis, motion = chain.axes[k], loop.known[k]
        if k not in arm.held:
            q[axis.place] = motion.d if axis.slides else atan2(motion.s, motion.c)
    error = loop.error()
    valid = positive(SURE - error)
    doubt = positive(doubted(error, told, valid) + 1.0 - positive(ROTATION - skew(T.nodes)))
    inside = _inside(q, own) if own else 1.0
    hardly = positive(MISSED - error) * (1.0 - valid) * MISS
    flag = (1.0 - doubt) * (valid * inside + hardly) + doubt * LEFT
    results = {
        "q": outputs(q, [len(names)], [names], "joint coordinates"),
        "flag": outputs([flag], [1], [("flag",)], "1 for a solution, 0 or 0.5 for none, 2 for one in doubt"),
    }
    return Program(f"{arm.robot.name}_branch", {"T": T, "signs": signs}, results)


def _placed(chain: Chain, k: int, fixed: Mapping[str, float]) -> Motion:
    axis = chain.axes[k]
    value = fixed.get(axis.name, 0.0) if axis.place != NOWHERE else 0.0
    return Motion(d=value) if axis.slides else Motion(float(np.cos(value)), float(np.sin(value)))


def _inside(q: list[Scalar], own: Range) -> Scalar:
    """Turn angles by a whole turn where this brings them within limits; return whether all are, 1 or 0."""
    every: Scalar = 1.0
    for place, turns, lower, upper in zip(own.places, own.turning, own.lower, own.upper, strict=True):
        edge = np.pi if turns else np.inf
        for limit, sign in ((float(lower), 1.0), (float(upper), -1.0)):
            if sign * limit <= -edge:
                continue  # no position is beyond it
            over = sign * (limit - q[place])
            if turns:
                beyond = positive(over - ROUNDING)
                q[place] = q[place] + sign * TURN * beyond
        for limit, sign in ((float(lower), 1.0), (float(upper), -1.0)):
            if np.isfinite(limit):
                over = sign * (limit - q[place])
                every = every * positive(ROUNDING - over)
                q[place] = q[place] + sign * 0.5 * (over + absolute(over))
    return every
