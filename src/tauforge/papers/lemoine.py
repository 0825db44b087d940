"""Lemoine and Khalil (2022): a three-joint robot from its description to base parameters and a program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..bench.formulations import operations
from ..formulations.counting import count
from ..graph.node import Node, symbol
from ..graph.parse import expression
from ..graph.rewrite import replaced
from ..models.inverse_dynamics import inverse_dynamics
from ..parameters.base import base_parameters
from ..program.array import outputs
from ..program.program import Program
from ..robot import bundled
from ..robot.bundled import rrp
from ..robot.published import BASE, STANDARD
from .drawing import bars
from .entry import Entry, Paper, Part, beside, fewer, holds, same
from .lemoine_program import FIGURE_6
from .proof import proved

FIGURE_4 = {
    "ZZ1R": "YY2 + ZZ1 + ZZ3",
    "MY1R": "MY1 - MZ2",
    "XX2R": "XX2 + XX3 - YY2 - ZZ3",
    "XY2R": "XY2 - XZ3",
    "XZ2R": "XY3 + XZ2",
    "YZ2R": "YZ2 - YZ3",
    "ZZ2R": "YY3 + ZZ2",
}
"""The regrouping relations of the RRP robot."""
PARAMETERS = "ZZ1R MX1 MY1R XX2R XY2R XZ2R YZ2R ZZ2R MX2 MY2 MX3 MY3 MZ3 M3"
LUH = (389, 292)
"""Multiplications and additions of Luh, Walker and Paul's algorithm for three joints, 137n - 22 and 101n - 11."""
LUH_SIX = (800, 595)
STANDARD_COST, BASE_COST = (95, 92), (77, 66)
"""Section 3.8: multiplications and additions with standard and with base parameters."""
ROBOTS = ("rrp", "scara", "stanford", "rx90", "puma560", "ur5", "kuka_lwr", "panda")


def parts() -> Iterator[Part]:
    """Yield base parameters, the program, and costs of other robots."""
    yield _base()
    yield _program()
    yield _robots()


def _base() -> Part:
    found = base_parameters(rrp(symbolic=True))
    entries = [
        same("base inertial parameters", "figure 4", PARAMETERS, " ".join(found.names)),
        *(_relation(name, text, found.relations) for name, text in FIGURE_4.items()),
        same("number of regrouping relations", "figure 4", len(FIGURE_4), len(found.relations)),
    ]
    return Part(
        "Figure 4: base inertial parameters",
        "The three-joint robot of figure 2, entirely symbolic. Our relations are found by proof, not by rules; "
        "they are compared as expressions, whatever their order.",
        tuple(entries),
    )


def _relation(name: str, text: str, ours: Mapping[str, Node]) -> Entry:
    own = ours.get(name)
    equal = own is not None and own is expression(text)
    return holds(f"{name}", "figure 4", text, str(own), equal)


def _program() -> Part:
    robot = rrp(symbolic=True)
    standard, base = (inverse_dynamics(robot, parameters=p) for p in ("standard", "base"))
    printed = program_of(FIGURE_6)
    entries = (
        beside("operators that the printed program writes", "figure 6", BASE_COST, operators(FIGURE_6)),
        proved("the printed program and ours", "figure 6", "the same torques", base, printed),
        fewer("with base parameters", "figure 6", BASE_COST, operations(base.count())),
        fewer("with standard parameters", "section 3.8", STANDARD_COST, operations(standard.count())),
        beside(
            "Luh, Walker and Paul, numerical, three joints", "section 3.8", LUH, operations(count("luh-walker-paul", 3))
        ),
        beside(
            "Luh, Walker and Paul, numerical, six joints",
            "section 2.2",
            LUH_SIX,
            operations(count("luh-walker-paul", 6)),
        ),
    )
    code = base.code("matlab", name="RRPbase_dyn")
    body = code[code.index("function") :]
    return Part(
        "Figure 6: the inverse dynamic model as a program",
        "The program of figure 6 is read line by line and proved equal to ours, which needs fewer operations. Counts "
        "include differences of constants, as in the paper.",
        entries,
        (),
        body,
    )


def _robots() -> Part:
    entries, totals = [], dict[str, int]()
    for name in ROBOTS:
        robot = bundled.bundled(name, symbolic=True)
        for kind, known in (("standard", STANDARD), ("base", BASE)):
            own = operations(inverse_dynamics(robot, parameters=kind).count())
            entries.append(fewer(f"{name}, {kind} parameters", "SYMORO+'s scheme", known[name], own))
            totals[f"{name} {kind}"] = sum(own)
    figure = bars(
        "Operations of customised inverse dynamics, base parameters",
        "Multiplications and additions with set-up; the RRP's are printed, the others follow from SYMORO+'s scheme.",
        list(ROBOTS),
        {"SYMORO+": [sum(BASE[name]) for name in ROBOTS], "Tauforge": [totals[f"{name} base"] for name in ROBOTS]},
        "multiplications and additions",
    )
    return Part(
        "Customised models of other robots",
        "The same comparison for the bundled robots, with all inertial parameters and lengths as symbols, gravity "
        "along z and no external wrench. Only the RRP's counts are printed; the others follow from the same scheme, "
        "which reproduces the printed ones.",
        tuple(entries),
        (figure,),
    )


def program_of(text: str) -> Program:
    """Return the assignments of a program in MATLAB as a Program ``q, qd, qdd, parameters -> tau``."""
    known = {
        symbol(f"{a}{j}"): symbol(f"{b}[{j - 1}]")
        for a, b in (("q", "q"), ("QP", "qd"), ("QDP", "qdd"))
        for j in (1, 2, 3)
    }
    for name, formula in assignments(text):
        node = expression(formula.replace(".*", "*").replace(".^", "^"))
        known[symbol(name)] = replaced([node], known)[node]
    tau = [known[symbol(f"GAM{j}")] for j in (1, 2, 3)]
    ours = inverse_dynamics(rrp(symbolic=True), parameters="base")
    given = {name: array for name, array in ours.arguments.items() if name != "parameters"}
    return Program("figure6", given, {"tau": outputs(tau, [3], ours.results["tau"].shape.labels, "")})


def assignments(text: str) -> list[tuple[str, str]]:
    """Return names and formulas of a program, one for each statement."""
    joined = re.sub(r"\s+", " ", text)
    return [(a.strip(), b.strip()) for a, _, b in (line.partition("=") for line in joined.split(";") if "=" in line)]


def operators(text: str) -> tuple[int, int]:
    """Return the multiplications and additions that a program writes; a sign in front of a term is not counted."""
    mul = add = 0
    for _, formula in assignments(text):
        mul += formula.count(".*") + formula.count(".^")
        add += len(re.findall(r"(?<=[\w)])\s*[-+]", formula))
    return mul, add


PAPER = Paper(
    "lemoine",
    "Ph. Lemoine, W. Khalil (2022): Symbolic dynamics. Encyclopedia of Robotics, Springer",
    "How symbolic models of robots are made and customised, with a three-joint robot as the example.",
    parts,
)
