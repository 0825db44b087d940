"""What kind of arm it is, and the steps of its solution, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chain import NOWHERE, Axis
from .loop import ANGLE, DISTANCE
from .plan import EXACT, Carry, Slide, Step

if TYPE_CHECKING:
    from .arm import Arm, InverseGeometry


def kind_of(arm: Arm, sampled: tuple[str, ...]) -> str:
    """Return the kind of arm in a few words."""
    own = [(k, axis) for k, axis in enumerate(arm.chain.axes) if axis.place != NOWHERE]
    letters = "".join("P" if axis.slides else "R" for _, axis in own)
    facts = _facts(arm)
    parts = [letters, *facts]
    if arm.held:
        held = [arm.chain.axes[k].name for k in sorted(arm.held)]
        parts.append(", ".join(f"{name} {'sampled' if name in sampled else 'given'}" for name in held))
    if arm.plan is None:
        parts.append("general, by eigenvalues")
    elif not arm.plan.is_exact:
        parts.append("nearly; solved as such and refined")
    return ", ".join(parts)


def _facts(arm: Arm) -> list[str]:
    """Return which consecutive axes meet in one point, or are parallel."""
    from .loop import _meets

    chain = arm.chain.numbers()
    tolerance = arm.plan.tolerance if arm.plan else EXACT
    axes = [(k, axis) for k, axis in enumerate(chain.axes) if k not in arm.held]
    found = list[str]()
    turning = [(k, axis) for k, axis in axes if not axis.slides and axis.place != NOWHERE]
    for word, related in (("meet", None), ("are parallel", _parallel)):
        run = list[tuple[int, Axis]]()
        for k, axis in [*turning, (-9, None)]:
            last = run[-1] if run else None
            joined = axis is not None and last is not None and last[0] + 1 == k
            if joined and axis is not None and last is not None:
                near = _meets(chain.axes, last[0], k, max(tolerance, 1e-9)) if related is None else _parallel(last[1], axis)
                if near and related is None and len(run) > 1:
                    near = _in_one_point([a for _, a in run], axis, tolerance)
                if near:
                    run.append((k, axis))
                    continue
            if len(run) > 1:
                names = " ".join(a.name for _, a in run)
                what = "spherical: " if related is None and len(run) > 2 else ""
                found.append(f"{what}{names} {word}")
            pair = joined and len(run) > 1 and related is None and _meets(chain.axes, k - 1, k, max(tolerance, 1e-9))
            run = ([run[-1]] if pair else []) + ([(k, axis)] if axis is not None else [])
    return found


def _parallel(a: Axis, b: Axis) -> bool:
    return abs(abs(sum(float(x) * float(y) for x, y in zip(a.h, b.h, strict=True))) - 1.0) < 1e-9


def _in_one_point(run: list[Axis], axis: Axis, tolerance: float) -> bool:
    import numpy as np

    from .chain import meeting

    point = np.array(meeting(run[0], run[1]), dtype=float)
    off = np.cross(np.array(axis.h, dtype=float), point - np.array(axis.o, dtype=float))
    return float(np.linalg.norm(off)) <= max(tolerance, 1e-9)


def explained(ik: InverseGeometry) -> str:
    """Return the kind of arm and its steps, one per line."""
    arm = ik._arm
    lines = [f"{ik.robot.name}, {ik.frame}: {ik.kind}"]
    if arm.plan is None:
        return "\n".join([*lines, *ik._general.explain()])
    for number, step in enumerate(arm.plan.steps, 1):
        lines.append(f"{number}. {arm.chain.axes[step.joint].name}: {_told(arm, step)}")
    lines.append(f"{arm.plan.branches} branches at the most; each is checked against the pose.")
    if not arm.plan.is_exact:
        lines.append(
            f"Axes miss each other by up to {arm.plan.tolerance:g} of the arm's size: Newton steps make the branches exact."
        )
    return "\n".join(lines)


def _told(arm: Arm, step: Step) -> str:
    axis, equation = arm.chain.axes[step.joint], step.equation
    after = ", with " + ", ".join(arm.chain.axes[k].name for k in sorted(step.needs)) + " known" if step.needs else ""
    if isinstance(equation, Carry):
        form = "r = h·(w - v)" if axis.slides else "tan q = h·(v × w) / (v·w - (h·v)(h·w))"
        return f"{equation}{after}; {form}: one solution"
    if isinstance(equation, Slide):
        return f"{equation}{after}; linear, one solution"
    if axis.slides:
        form = "linear, one solution" if step.branches == 1 else "r² + 2 B r = C, two solutions"
        return f"{equation}{after}; {form}"
    what = {ANGLE: "cosine", DISTANCE: "squared distance"}.get(equation.kind, "height")
    return f"{equation}{after}; its {what} is A cos q + B sin q + D: two solutions"
