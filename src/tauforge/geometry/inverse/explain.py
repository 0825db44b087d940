"""What kind of arm it is, and the steps of its solution, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...program.program import Program
from ...robot.robot import Robot
from ...robot.tables import geometry, in_text
from ...spatial.vector import cross, dot
from .arm_angle import ARM_ANGLE
from .chain import Axis, meeting
from .loop import ANGLE, DISTANCE, meets
from .plan import EXACT, Carry, Slide, Step

if TYPE_CHECKING:
    from .arm import InverseGeometry
    from .arrange import Arm


LOOSELY = 1e-9
"""How exactly axes must meet, or be parallel, to be said to."""
MEANING = (
    "T: the pose, a rotation and an origin above the row 0 0 0 1. near: positions of joints that are given, and where "
    "to leave joints that can be anywhere; zeros will do if none is given. blur: 1e-40.",
    "Each row of q is one branch. It is a solution if its entry of valid is 1; entries of other rows are not "
    "solutions, and can be NaN.",
    "doubt: how many branches are near a singular pose. If it is not 0, two rows can be one solution, a row can "
    "represent infinitely many (free is not 0: joint k of the chain can be anywhere if bit k-1 of free is set, and was "
    "left at near), and solutions can be missing. Newton steps from rows with a small error then find exact ones.",
    "error: squared error of a branch; margin: negative if a step is out of reach; skew: not 0 if T is not a pose.",
)
"""What the head of generated code says about its inputs and flags."""


def kind_of(arm: Arm, sampled: tuple[str, ...]) -> str:
    """Return the kind of arm in a few words."""
    letters = "".join("P" if arm.chain.axes[k].slides else "R" for k in arm.chain.real)
    parts = [letters, *facts(arm)]
    if arm.held:
        held = [arm.chain.axes[k].name for k in sorted(arm.held)]
        parts.append(", ".join(f"{name} {'sampled' if name in sampled else 'given'}" for name in held))
    if arm.plan and any(step.part for step in arm.plan.steps):
        parts.append(f"{ARM_ANGLE} given")
    if arm.plan is None:
        parts.append("general, by elimination")
    elif not arm.plan.is_exact:
        parts.append("nearly; solved as such and refined")
    return ", ".join(parts)


def facts(arm: Arm) -> list[str]:
    """Return which consecutive axes meet in one point, or are parallel."""
    chain = arm.chain.numbers()
    tolerance = max(arm.plan.tolerance if arm.plan else EXACT, LOOSELY)

    def meet(run: list[int]) -> bool:
        return meets(chain.axes, run[-2], run[-1], tolerance) and _in_one_point([chain.axes[k] for k in run], tolerance)

    def parallel(run: list[int]) -> bool:
        return bool(abs(abs(dot(chain.axes[run[0]].h, chain.axes[run[-1]].h)) - 1.0) < LOOSELY)

    turning = [k for k in chain.real if k not in arm.held and not chain.axes[k].slides]
    names = [axis.name for axis in chain.axes]
    met = [f"{'spherical: ' * (len(run) > 2)}{' '.join(names[k] for k in run)} meet" for run in _runs(turning, meet)]
    return met + [f"{' '.join(names[k] for k in run)} are parallel" for run in _runs(turning, parallel)]


def _runs(joints: list[int], related: Callable[[list[int]], bool]) -> list[list[int]]:
    """Return runs of two and more consecutive joints that are related, each as long as possible."""
    found = list[list[int]]()
    for first in joints:
        run = [first]
        while run[-1] + 1 in joints and related([*run, run[-1] + 1]):
            run.append(run[-1] + 1)
        if len(run) > 1 and not (found and run[-1] <= found[-1][-1]):
            found.append(run)
    return found


def _in_one_point(axes: list[Axis], tolerance: float) -> bool:
    point = meeting(axes[0], axes[1])
    off = (cross(axis.h, point - axis.o) for axis in axes)
    return all(dot(x, x) <= tolerance**2 for x in off)


def explained(ik: InverseGeometry) -> str:
    """Return the kind of arm and its steps, one per line."""
    arm = ik._arm
    lines = [f"{ik.robot.name}, {ik.frame}: {ik.kind}"]
    if arm.plan is None:
        return "\n".join([*lines, *ik._general.explain()])
    for number, step in enumerate(arm.plan.steps, 1):
        lines.append(f"{number}. {arm.chain.axes[step.joint].name}: {_told(arm, step)}")
    count = arm.plan.branches
    lines.append(f"{count} branch{'es' * (count > 1)} at the most; each is checked against the pose.")
    if not arm.plan.is_exact:
        lines.append(f"Axes miss each other by up to {arm.plan.tolerance:g} of the arm's size: Newton steps follow.")
    return "\n".join(lines)


def _form(axis: Axis, equation: object) -> str:
    return f"{equation}: {'one solution' if isinstance(equation, Carry) else 'two solutions'}"


def _told(arm: Arm, step: Step) -> str:
    axis, equation = arm.chain.axes[step.joint], step.equation
    if step.part:
        return f"from the orientation of the upper arm, which the arm angle gives; {_form(axis, equation)}"
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


def headed(program: Program, robot: Robot) -> Program:
    """Return a Program of branches with a heading."""
    return replace(program, heading=partial(_lines, robot))


def _lines(robot: Robot) -> tuple[str, ...]:
    return (f"Robot: {robot.name}", "", *in_text(geometry(robot)), "", *MEANING, "")
