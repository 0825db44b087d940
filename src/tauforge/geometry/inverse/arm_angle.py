"""Arms with a shoulder and a wrist of three axes each and an elbow between them: redundancy as the arm angle.

Shoulder S, elbow E and wrist W span the arm's plane. The arm angle ψ is the angle about the line from S to W between
two half planes: the one with the direction of the first axis, and the one with the elbow. The elbow's joint follows
from the distance between S and W. Then ψ gives the orientation of the upper arm, R₁ R₂ R₃, and the wrist turns the
rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...errors import ProgramError
from ...graph.functions import sqrt
from ...graph.node import Scalar
from ...models.loops.closed_form.turning import positive
from ...spatial.pose import Pose
from ...spatial.rotation import Rotation
from ...spatial.vector import UNITS, ZERO, Vector, cross, dot
from .chain import Chain, Motion, meeting
from .loop import DISTANCE, Equation, Loop, meets, ways
from .plan import EXACT, Plan, plan, possible

ARM_ANGLE = "arm angle"
"""Its name in ``fixed``."""
ELBOW = 3
"""The elbow's number in the chain."""
SMALL = 1e-20
"""The square of a length that is rounding."""


@dataclass(frozen=True)
class Shoulder:
    """The first three joints, and the points that determine them."""

    chain: Chain
    S: Vector
    E: Vector
    W: Vector

    def loop(self, whole: Loop, angle: Motion) -> Loop:
        """Return the loop of the shoulder alone, with the orientation that the arm angle gives."""
        n, elbow = len(whole.chain.axes), whole.chain.axes[ELBOW]
        upper = self.E - self.S
        forearm = elbow.moved(whole.known[ELBOW], self.W) - self.S
        goal = whole.carried(ways(n, 0, n)[1], self.W, True) - self.S
        first = self.chain.axes[0].h
        line = _unit(goal, UNITS[0])
        up = _unit(_across(first, line), _across(cross(first, Vector(0.6, 0.48, 0.64)), line))
        side = cross(line, up)
        to = (line, up * angle.c + side * angle.s)
        own = _unit(forearm, UNITS[0])
        out = (own, _unit(_across(upper, own), _across(elbow.h, own)))
        R = _between((*out, cross(*out)), (*to, cross(*to)))
        return Loop(self.chain, Pose(R, self.S - R.forth(self.S)), {k: x for k, x in whole.known.items() if k < ELBOW})


def _across(v: Vector, line: Vector) -> Vector:
    found: Vector = v - line * dot(v, line)
    return found


def _unit(v: Vector, other: Vector) -> Vector:
    """Return a vector of length one; that of another if it is rounding."""
    some = positive(dot(v, v) - SMALL)
    chosen = v * some + other * (1.0 - some)
    scale = 1.0 / sqrt(dot(chosen, chosen))
    return Vector(*(x * scale for x in chosen))


def _between(old: tuple[Vector, ...], new: tuple[Vector, ...]) -> Rotation:
    """Return the rotation that turns three axes into three others."""

    def entry(i: int, j: int) -> Scalar:
        found: Scalar = sum(b[i] * a[j] for a, b in zip(old, new, strict=True))
        return found

    x, y, z = (Vector(*(entry(i, j) for j in range(3))) for i in range(3))
    return Rotation.of((x, y, z))


def with_arm_angle(name: str, chain: Chain) -> Plan:
    """Return the order of solving with the arm angle given; refuse arms that have none."""
    numbers = chain.numbers()
    turning = len(chain.axes) == 7 and len(chain.real) == 7 and not any(axis.slides for axis in chain.axes)
    if not turning or not (_meet_in_one(numbers, 0) and _meet_in_one(numbers, 4)):
        raise ProgramError(
            f"{name} has no arm angle: it takes seven joints that turn, with the first three axes meeting in one point "
            "and the last three in another; fix a joint instead"
        )
    S, W = (meeting(chain.axes[k + 1], chain.axes[k]) for k in (0, 4))
    shoulder = Shoulder(Chain(chain.axes[:ELBOW], Pose(Rotation(), ZERO)), S, chain.axes[ELBOW].o, W)
    bend = next(
        step
        for step in possible(chain, EXACT)
        if step.joint == ELBOW
        and not step.needs
        and isinstance(step.equation, Equation)
        and step.equation.kind == DISTANCE
    )
    first, last = plan(shoulder.chain, frozenset()), plan(chain, frozenset(range(ELBOW + 1)))
    if first is None or last is None:
        raise ProgramError(f"{name} has no arm angle: its shoulder or its wrist does not turn in all directions")
    upper = tuple(replace(step, part=shoulder, needs=step.needs | {ELBOW}) for step in first.steps)
    return Plan((bend, *upper, *last.steps), EXACT)


def _meet_in_one(chain: Chain, k: int) -> bool:
    a, b, c = chain.axes[k : k + 3]
    if not (meets(chain.axes, k, k + 1, 1e-9) and meets(chain.axes, k + 1, k + 2, 1e-9)):
        return False
    gap = meeting(a, b) - meeting(c, b)
    return bool(dot(gap, gap) < 1e-18)
