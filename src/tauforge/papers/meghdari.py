"""Meghdari's review: eight formulations of manipulator dynamics, and what each costs for six joints."""

from __future__ import annotations

from collections.abc import Iterator

from ..bench.formulations import operations, published
from ..design.yang_tzeng import yang_tzeng
from ..formulations import FORMULATIONS, TABLES
from ..formulations.counting import count
from ..models.inverse_dynamics import inverse_dynamics
from ..robot.bundled import puma560, rx90, stanford
from .drawing import bars
from .entry import Paper, Part, beside, fewer, holds, shown
from .proof import proved, small

TABLE_1 = {
    "uicker-kahn": "Uicker/Kahn, Lagrange with 4x4 matrices",
    "waters": "Waters, backward recursion",
    "hollerbach-4x4": "Hollerbach, forward recursion, 4x4",
    "hollerbach-3x3": "Hollerbach, forward recursion, 3x3",
    "newton-euler-link": "Newton-Euler, recursive",
    "kane": "Kane/Levinson, the Stanford arm",
    TABLES: "Raibert/Horn, configuration space",
}
"""The rows of table 1 by our names; the eighth, Yang and Tzeng, is a design."""
YANG_TZENG = (72, 34)
JOINTS = 6
SAMPLE = ("waters", "hollerbach-3x3", "newton-euler-base", "kane", "luh-walker-paul")
"""Formulations that are proved equal here; the tests prove all."""


def parts() -> Iterator[Part]:
    """Yield table 1, and the same formulations as programs."""
    yield _table()
    yield _programs()
    yield _design()


def _table() -> Part:
    counts = {name: operations(count(name, JOINTS)) for name in TABLE_1}
    counts["kane"] = operations(inverse_dynamics(stanford(symbolic=True), formulation="kane").count())
    entries = []
    for name, title in TABLE_1.items():
        printed = published(name)
        assert printed is not None
        entries.append(beside(title, "table 1", printed, counts[name]))
    figure = bars(
        "Table 1: operations for six general revolute joints",
        "Multiplications and additions, on a logarithmic scale.",
        [
            title.split(",")[0] + (", " + title.split(", ")[-1] if "Hollerbach" in title else "")
            for title in TABLE_1.values()
        ],
        {
            "published": [sum(published(name) or ()) for name in TABLE_1],
            "ours, the formulation's own sequence": [sum(pair) for pair in counts.values()],
        },
        "multiplications and additions",
        log=True,
    )
    return Part(
        "Table 1: eight formulations",
        "Each formulation is one file whose sequence of operations is counted as it is written, for six general "
        "revolute joints. Authors count details in different ways (gravity, the last link, products by constants), so "
        "counts need not be equal; the ratio says how near they are. Kane and Levinson worked out one robot by hand, "
        "the Stanford arm; ours is the program of their formulation for that arm, with all parameters symbolic.",
        tuple(entries),
        (figure,),
    )


def _programs() -> Part:
    robot = rx90(symbolic=True)
    best = inverse_dynamics(robot, parameters="base")
    standard = inverse_dynamics(robot, parameters="standard")
    entries = [
        proved(
            f"{name} ({FORMULATIONS[name].paper})",
            "sections 2-6",
            "the same torques",
            inverse_dynamics(robot, parameters="standard", formulation=name),
            standard,
        )
        for name in SAMPLE
    ]
    cheapest = published("kane")
    assert cheapest is not None
    entries.append(
        fewer(
            "the generated program for the RX-90, against the cheapest general formulation",
            "table 1",
            cheapest,
            operations(best.count()),
        )
    )
    return Part(
        "The formulations as programs",
        "Here formulations become programs for the Stäubli RX-90 with symbolic parameters, each proved equal to "
        "the recursive Newton-Euler equations, not only compared in numbers.",
        tuple(entries),
    )


def _design() -> Part:
    robot = puma560()
    design = yang_tzeng(robot, remove=("gravity",))
    before, after = inverse_dynamics(robot).count().total, design.program.count().total
    printed = f"{YANG_TZENG[0]} mul, {YANG_TZENG[1]} add"
    entries = (
        shown("a six-joint arm of their own design", "table 1", printed, "the arm is not described"),
        holds(
            "a PUMA 560 balanced by counterweights",
            "section 8",
            "simpler equations",
            f"{after} operations instead of {before}",
            after < before,
        ),
        small("its simpler equations are exact", "section 8", "no approximation", design.difference(), 1e-9),
    )
    return Part(
        "Simple by design: Yang and Tzeng",
        "Yang and Tzeng shape the arm so that its equations become simple. The arm behind the published count is not "
        "described; the same idea applied to a PUMA 560 removes its gravity torques.",
        entries,
    )


PAPER = Paper(
    "meghdari",
    "A. Meghdari: Dynamics simulation algorithms of industrial robots, a review. Sharif University of Technology",
    "Eight classical formulations of manipulator dynamics, compared by their operations for six joints.",
    parts,
)
