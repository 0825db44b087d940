"""The derivation of an arm's solutions, in the words and types of Khalil and Dombre, "Modeling, identification and
control of robots" (2002), chapter 4.

Paul's method moves known joints to the side of the goal, one equation after the other. Here each scalar equation
compares a measure between two links on both ways round the loop, which is an entry of Paul's matrices, or their
combination in which other unknowns vanish. Each form is solved as in the book's table of types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product as combinations
from typing import TYPE_CHECKING

from ...errors import ProgramError
from ...graph.evaluate import symbols
from ...graph.node import Node, symbol
from ...graph.operations import COS, NEG, SIN
from ...graph.rewrite import replaced
from ...robot.frames import frame_name
from ...robot.tables import Sheet, geometry
from ...targets.expression import Call, Element, Expression, Number, Sum, Variable
from .arm_angle import ARM_ANGLE
from .derivation import Derivation, Formula, Grid, Heading, Paragraph, Part, Transform
from .explain import facts
from .letters import Letters
from .step_text import StepText
from .trace import Traced, traced

if TYPE_CHECKING:
    from .arm import InverseGeometry

ROWS = 16
"""Branches that are listed with their signs."""


def derived(ik: InverseGeometry) -> Derivation:
    """Return how an arm is solved, to be followed on paper; refuse arms without an exact closed form."""
    arm = ik._arm
    if arm.plan is None or not arm.plan.is_exact:
        raise ProgramError(
            f"{ik.robot.name}: this arm ({ik.kind}) has no exact closed form to derive; explain() says how it is solved"
        )
    letters = Letters(ik.robot, arm.chain, ik.frame)
    steps = _simplified(letters, traced(letters, arm.plan.steps))
    made = [StepText(letters, steps, number) for number in range(len(steps))]
    parts: list[Part] = [*_opening(ik, letters, made)]
    for step in made:
        parts += step.parts()
    parts += [*_closing(ik, letters, made), *_names(letters, made)]
    columns = {
        name: f"{name.rstrip('xyz_')}_{{{row}}}" for c in letters.columns for name, row in zip(c, "xyz", strict=True)
    }
    program = letters.program({f"x{k}": x for step in steps for k, x in step.values.items()})
    return Derivation(f"{ik.robot.name}: inverse geometry of {ik.frame}", tuple(parts), program, columns)


def _simplified(letters: Letters, steps: list[Traced]) -> list[Traced]:
    """Return steps without names that are used nowhere, or only once and by themselves."""
    while True:
        used = dict[str, list[Node]]()
        users = [x for s in steps for x in (*s.values.values(), *(e for d in s.definitions for _, e in d.entries))]
        for x in users:
            for name in symbols([x]):
                used.setdefault(name, []).append(x)
        plain = dict[Node, Node]()
        dropped = set[str]()
        for d in (d for s in steps for d in s.definitions):
            for name, x in d.entries:
                own = used.get(name, [])
                if not own:
                    dropped.add(name)
                elif len(own) == 1 and _alone(own[0], name):
                    plain[symbol(name)] = x
        if not plain and not dropped:
            return steps
        gone = dropped | {str(x.value) for x in plain}
        for s in steps:
            if s.values:
                new = replaced([*s.values.values()], plain)
                s.values = {k: new[x] for k, x in s.values.items()}
            s.definitions = [
                type(d)(d.meaning, tuple((n, replaced([x], plain)[x]) for n, x in d.entries if n not in gone))
                for d in s.definitions
            ]
            s.definitions = [d for d in s.definitions if d.entries]


def _alone(x: Node, name: str) -> bool:
    return x is symbol(name) or (x.op is NEG and x.args[0] is symbol(name))


def _opening(ik: InverseGeometry, letters: Letters, made: Sequence[StepText]) -> Iterator[Part]:
    robot, chain = ik.robot, ik._arm.chain
    yield _table(ik)
    for frame in robot.frames:
        if frame.name == frame_name(robot, ik.frame):
            place = ", ".join(f"{key} = {getattr(frame, key)}" for key in ("gamma", "b", "alpha", "d", "theta", "r"))
            yield Paragraph((f"The frame E, {frame.name}, is constant in link {frame.antecedent}: {place}.",))
    yield Heading("The equation")
    whole = Transform("0", letters.end)
    yield Paragraph(
        (
            "The joints ",
            *_listed([s.q for s in sorted(made, key=lambda x: x.place)]),
            " are to satisfy ",
            (whole, "=", Transform()),
            ", with the pose",
        )
    )
    rows = [tuple(Variable(letters.columns[c][r]) for c in range(4)) for r in range(3)]
    yield Grid((Transform(),), (*rows, (Number(0.0), Number(0.0), Number(0.0), Number(1.0))))
    if ik.aim != "pose":
        what = {"position": "the position P alone matters", "axis": "the position P and the direction a matter"}[ik.aim]
        yield Paragraph((f"Of the pose, {what}.",))
    held = [chain.axes[k] for k in sorted(ik._arm.held)]
    if held:
        yield Paragraph(("Given: ", *_listed([Element("q", (x.place,), x.place) for x in held]), "."))
    if any(step.part for step in ik._arm.plan.steps):  # type: ignore[union-attr]
        yield from _arm_angle()
    yield Paragraph((f"The arm is {'; '.join([ik.kind.partition(',')[0], *facts(ik._arm)])}." + _pieper(ik, made),))
    order: list[str | Formula] = []
    for step in made:
        order += [", " if order else "", (step.q,), f" ({step.type})"]
    yield Paragraph(("The order of solving: ", *order, ". Types are those of Khalil and Dombre (2002)."))
    yield Paragraph((
        "A∩B is the point where the axes of A and B meet, z(A) the direction of A's axis, o(A) a point on it, and x(A) "
        "a direction across it. On both sides of an equation between poses these are the same points and directions.",
    ))  # fmt: skip


def _table(ik: InverseGeometry) -> Sheet:
    """Return the robot's geometry, with the coordinates that the equations have."""
    sheet = geometry(ik.robot)
    rows, names = [list(row) for row in sheet.rows], [joint.name for joint in ik.robot.joints]
    for axis in ik._arm.chain.axes[: len(ik._arm.chain.real)]:
        j = names.index(axis.name)  # joint_names has no fixed joints
        column = sheet.columns.index("r" if axis.slides else "theta")
        rows[j][column] = re.sub(rf"\b(th|r){j + 1}\b", f"q{axis.place + 1}", rows[j][column])
    return sheet._replace(rows=tuple(map(tuple, rows)))


def _listed(several: Sequence[Expression]) -> list[str | Formula]:
    found: list[str | Formula] = []
    for x in several:
        found += [", " if found else "", (x,)]
    return found


def _pieper(ik: InverseGeometry, made: Sequence[StepText]) -> str:
    """Say what a spherical wrist does for the order of solving."""
    groups = [x.removeprefix("spherical: ").removesuffix(" meet") for x in facts(ik._arm) if x.startswith("spherical")]
    last = {step.axis.name for step in made[-3:]}
    wrist = [x for x in groups if {*x.split(" ")} == last]
    if not wrist:
        return ""
    names = wrist[0].replace(" ", ", ")
    return (
        f" The axes of {names} meet in one point, which these joints do not move (Pieper): its position gives the "
        "other joints, then the orientation gives these."
    )


def _arm_angle() -> Iterator[Part]:
    yield Paragraph((
        f"The {ARM_ANGLE} is given. With the shoulder S, where the first three axes meet, the elbow E, a point of the "
        "fourth axis, and the wrist W, where the last three meet: the elbow's joint makes the distance from S to W "
        "right. K is the rotation that turns the line from S to W, as it is with the first three joints at zero, to "
        "its place at the goal, and the half plane of the elbow to the one at the arm angle from the half plane of "
        "the first axis.",
    ))  # fmt: skip


def _closing(ik: InverseGeometry, letters: Letters, made: Sequence[StepText]) -> Iterator[Part]:
    signs = [(step.epsilon, step.first) for step in made if step.epsilon]
    yield Heading("The solutions")
    whole = Transform("0", letters.end)
    if not signs:
        yield Paragraph(("There is one branch. It is a solution if ", (whole, "=", Transform()), " holds for it."))
        return
    rows = [*combinations(*([first, -first] for _, first in signs))]
    yield Paragraph((
        f"The signs make {len(rows)} branches. Each is a solution if no step excludes it and ",
        (whole, "=", Transform()),
        " holds for it. They are the rows of q in ik.program" + (":" if len(rows) <= ROWS else "."),
    ))  # fmt: skip
    if len(rows) > ROWS:
        return
    for number, row in enumerate(rows, 1):
        listed: list[str | Formula] = []
        for (e, _), sign in zip(signs, row, strict=True):
            value = Number(1.0) if sign > 0 else Sum(((True, Number(1.0)),))
            listed += [", " if listed else "", (e, "=", value)]
        yield Paragraph((f"row {number}: ", *listed), item=True)


def _names(letters: Letters, made: Sequence[StepText]) -> Iterator[Part]:
    """Yield what sines and cosines are called."""
    waves = {name: call for step in made for name, call in step.closed.waves.items()}
    for step in made:
        if not step.axis.slides:
            waves |= {step.C.name: Call(COS, (step.q,)), step.S.name: Call(SIN, (step.q,))}
    listed: list[str | Formula] = []
    for name in sorted(waves, key=lambda x: (len(x), x[1:], x)):
        listed += [", " if listed else "", (Variable(name), "=", waves[name])]
    if listed:
        yield Heading("Sines and cosines")
        yield Paragraph((*listed, "."))
