"""Khalil (2010): recursive Newton-Euler models of trees, closed loops, parallel robots, elastic joints, moving bases.

The paper prints equations and no numbers. Each model is made for a robot, its operations are counted, and an identity
that it must satisfy is checked: the direct model undoes the inverse one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..geometry.close_loops import close_loops
from ..graph.node import symbol
from ..models.direct_dynamics import direct_dynamics
from ..models.hybrid_dynamics import hybrid_dynamics
from ..models.inverse_dynamics import inverse_dynamics
from ..program.program import Program
from ..robot.body import Body
from ..robot.bundled import gough_stewart, puma560, rx90, sr400
from ..robot.joint import Joint
from ..robot.parameters import symbols
from ..robot.robot import Robot
from ..spatial.inertia import Inertia
from ..view.drawing import draw
from .entry import Entry, Figure, Paper, Part, holds, shown
from .proof import proved, small

LIMIT = 1e-9
"""Largest relative error of an identity."""
LENGTHS = (4, 8, 12, 16)
"""Numbers of joints at which the cost of inverse dynamics is counted."""


def parts() -> Iterator[Part]:
    """Yield the models, section by section."""
    yield _trees()
    yield _loops()
    yield _parallel()
    yield _elastic()
    yield _moving()


def _undone(robot: Robot, q: Any, **options: Any) -> float:
    """Return how far the direct model is from undoing the inverse one, relative to the largest acceleration."""
    qd, qdd = np.random.default_rng(0).uniform(-1.0, 1.0, (2, robot.dof))
    inverse, direct = (model(robot, **options).compile() for model in (inverse_dynamics, direct_dynamics))
    return float(np.abs(direct(q, qd, inverse(q, qd, qdd)) - qdd).max() / np.abs(qdd).max())


def _cost(what: str, where: str, program: Program) -> Entry:
    made = program.count()
    return shown(
        what, where, "equations", f"{made.mul} mul, {made.add} add" + (f", {made.div} div" if made.div else "")
    )


def _trees() -> Part:
    arm, general = puma560(), rx90(symbolic=True)
    q = np.random.default_rng(1).uniform(-1.0, 1.0, 6)
    costs = [inverse_dynamics(_chain(n), parameters="standard").count().total for n in LENGTHS]
    growth = np.diff(costs)
    entries = (
        small(
            "the direct model undoes the inverse one, PUMA 560",
            "eq. (12)-(54)",
            "inverse to each other",
            _undone(arm, q),
            LIMIT,
        ),
        proved(
            "articulated and composite bodies, RX-90",
            "sections 3.3.1 and 3.3.2",
            "the same accelerations",
            direct_dynamics(general, method="articulated"),
            direct_dynamics(general, method="composite"),
        ),
        holds(
            "cost of the inverse model",
            "section 3.2",
            "linear in the joints",
            f"{_listed(costs)} operations for {_listed(LENGTHS)} joints",
            bool(np.ptp(growth) == 0),
        ),
        _cost(
            "inverse dynamics of the RX-90, base parameters",
            "eq. (12)-(31)",
            inverse_dynamics(general, parameters="base"),
        ),
        _cost("direct dynamics of the RX-90", "eq. (32)-(54)", direct_dynamics(general)),
    )
    return Part(
        "Section 3: trees of rigid links",
        "Inverse dynamics by two recursions; direct dynamics through the inertia matrix, or by three recursions.",
        entries,
    )


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))


def _chain(n: int) -> Robot:
    """Return a general chain of revolute joints, with symbolic lengths and inertial parameters."""
    joints = tuple(
        Joint(name=f"joint{j}", antecedent=j - 1, alpha=0.0 if j == 1 else 1.0, d=symbol("L"), r=symbol("H"))
        for j in range(1, n + 1)
    )
    return Robot(
        name="chain", joints=joints, bodies=tuple(Body(name=f"link{j}", inertia=symbols(j)) for j in range(1, n + 1))
    )


def _loops() -> Part:
    robot = sr400()
    motors = [0.0, -1.2, 0.0, 0.4, 0.0, -2.9]
    q = close_loops(robot, motors, guess=[0.0, -1.2, 0.0, 0.0, 0.4, 0.0, -2.9, 1.6])
    parallel = abs(q[2] - (np.pi / 2 - q[1] + q[6]))
    entries = (
        small(
            "the direct model undoes the inverse one, SR400",
            "eq. (55)-(58)",
            "inverse to each other",
            _undone(robot, q),
            LIMIT,
        ),
        small(
            "opposite bars of its parallelogram stay parallel",
            "section 2.2",
            "θ3 = π/2 - θ2 + θ7",
            float(parallel),
            1e-10,
        ),
        _cost("inverse dynamics with the loop closed", "eq. (55)-(58)", inverse_dynamics(robot)),
    )
    return Part(
        "Section 4: closed loops",
        "The loop is cut at one joint, and the tree's torques are projected on the independent joints. The example is "
        "the SR400, a six-axis robot with a parallelogram.",
        entries,
        (_drawn("The SR400, with the cut of its loop", robot, q),),
    )


def _parallel() -> Part:
    robot = gough_stewart()
    strokes = [0.10, 0.12, 0.05, 0.0, 0.02, 0.08]
    q = close_loops(robot, strokes)
    moving = robot.with_independent("platform")
    legs = inverse_dynamics(moving, efforts="motors")
    entries = (
        small(
            "the direct model undoes the inverse one, motors as coordinates",
            "eq. (59)-(66)",
            "inverse to each other",
            _undone(robot, q),
            LIMIT,
        ),
        small(
            "and with the platform's motion as coordinates",
            "eq. (59)-(66)",
            "inverse to each other",
            _undone(moving, q, efforts="motors"),
            LIMIT,
        ),
        _cost("forces of the legs from the platform's motion", "eq. (59)-(66)", legs),
    )
    return Part(
        "Section 5: parallel robots",
        "The platform and each leg are modelled apart and joined by Jacobians. The example is a Gough-Stewart platform "
        "with six legs.",
        entries,
        (_drawn("The Gough-Stewart platform", robot, q),),
    )


def _elastic() -> Part:
    robot = puma560()
    stiff = [100.0 if j in (2, 3) else 0.0 for j in range(1, 7)]
    joints = tuple(replace(joint, eta=int(k > 0), k=k) for joint, k in zip(robot.joints, stiff, strict=True))
    elastic = replace(robot, joints=joints)
    hybrid = hybrid_dynamics(elastic, accelerated="rigid")
    entries = (
        small(
            "accelerations of elastic joints and torques of rigid ones",
            "eq. (67)-(82)",
            "satisfy the equations of motion",
            _hybrid_error(elastic, hybrid),
            LIMIT,
        ),
        _cost("hybrid model of a PUMA 560 with elastic joints 2 and 3", "eq. (72)-(82)", hybrid),
    )
    return Part(
        "Section 6: elastic joints",
        "Rigid joints have known accelerations, elastic ones known torques: the model gives what is unknown of each.",
        entries,
    )


def _hybrid_error(robot: Robot, hybrid: Program) -> float:
    """Return the relative difference between the torques of the hybrid model and of inverse dynamics."""
    rng = np.random.default_rng(2)
    known = {name: rng.uniform(-1.0, 1.0, shape.shape) for name, shape in hybrid.inputs.items()}
    found = dict(zip(hybrid.outputs, hybrid.compile()(*known.values()), strict=True))
    names, qdd, tau = robot.velocity_names, np.zeros(robot.dof), np.zeros(robot.dof)
    for whole, given, unknown in ((qdd, "qdd", "accelerations"), (tau, "tau", "efforts")):
        for values, shape in ((known[given], hybrid.inputs[given]), (found[unknown], hybrid.outputs[unknown])):
            whole[[names.index(label) for label in shape.labels[0]]] = values
    expected = inverse_dynamics(robot).compile()(known["q"], known["qd"], qdd)
    return float(np.abs(expected - tau).max() / np.abs(expected).max())


def _moving() -> Part:
    base = Body(name="platform", inertia=Inertia(XX=4.0, YY=5.0, ZZ=6.0, MX=0.5, M=60.0))
    robot = puma560().with_base("floating", base)
    rng = np.random.default_rng(3)
    turn = rng.normal(size=4)
    q = np.concatenate([rng.uniform(-1, 1, 3), turn / np.linalg.norm(turn), rng.uniform(-1, 1, 6)])
    qd, qdd = rng.uniform(-1.0, 1.0, 12), rng.uniform(-1.0, 1.0, 6)
    free = inverse_dynamics(robot, free_base=True)
    found = dict(zip(free.outputs, free.compile()(q, qd, qdd), strict=True))
    whole = np.concatenate([found["base_acceleration"], qdd])
    efforts = inverse_dynamics(robot).compile()(q, qd, whole)
    wrench = float(np.abs(efforts[:6]).max() / np.abs(efforts).max())
    entries = (
        small(
            "the direct model undoes the inverse one, on a floating base",
            "eq. (83)-(112)",
            "inverse to each other",
            _undone(robot, q),
            LIMIT,
        ),
        small("the base's acceleration leaves no wrench on it", "eq. (89)-(100)", "a free base", wrench, LIMIT),
        _cost("torques and the base's acceleration, PUMA 560 on a floating base", "eq. (89)-(100)", free),
    )
    return Part(
        "Section 7: robots with a moving base",
        "The base is free, and its acceleration follows from the joints' motion.",
        entries,
    )


def _drawn(title: str, robot: Robot, q: Any) -> Figure:
    return Figure(title, "Drawn from the same description that the models are made of.", draw(robot, q).svg)


PAPER = Paper(
    "khalil",
    "W. Khalil (2010): Dynamic modeling of robots using recursive Newton-Euler techniques. ICINCO 2010",
    "Inverse and direct dynamic models of trees, closed loops, parallel robots, elastic joints and moving bases.",
    parts,
)
