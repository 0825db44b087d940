"""Yang and Tzeng (1986): dynamics simplified by design, section 8 of Meghdari. Not a formulation but a design method.

Kinetic and potential energy are linear in the links' inertial parameters. The conditions that gravity torques vanish
everywhere, or that an element of the inertia matrix is constant and so causes no Coriolis or centrifugal torque, are
therefore linear in these parameters. Counterweights, point masses within reach of a link's origin, change them linearly
too, so a linear program finds those of least total mass that satisfy the conditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..formulations.chain import check
from ..graph.derivative import jacobian
from ..graph.evaluate import evaluate
from ..graph.node import Node, is_zero, symbol
from ..models.bias import gravity
from ..models.inertia_matrix import inertia_matrix
from ..models.inverse_dynamics import inverse_dynamics
from ..models.joint_law import resistances
from ..models.prepare import prepare
from ..models.registry import check_robot
from ..models.results import program, vector
from ..models.state import INPUTS
from ..parameters.base import base_parameters
from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.inertia import NAMES, Inertia
from ..spatial.vector import ZERO, Vector
from .linear_program import minimum

Floats = NDArray[np.float64]
GOALS = ("gravity", "velocity")
PAPER = "Yang & Tzeng 1986"
_SAMPLES = 16  # configurations at which conditions are written: many more in all than there are independent functions
_TINY = 1e-9  # a term below this fraction of its former size has vanished

_BOX = sorted((p for p in product((-1.0, 0.0, 1.0), repeat=3) if any(p)), key=lambda p: sum(map(abs, p)))


class Counterweight(NamedTuple):
    """A point mass on a link, at a point in the link's frame."""

    link: str
    mass: float
    place: tuple[float, float, float]


@dataclass(frozen=True)
class Design:
    """A robot redesigned so that terms of its equations vanish.

    Attributes
    ----------
    before
        The robot as it was.
    robot
        The robot with its counterweights.
    counterweights
        The counterweights that were added.
    vanished
        Names of the terms that the design removed: "G2" is a joint's gravity torque, "M(1,2)" the variation of an
        element of the inertia matrix with the configuration, and hence all velocity terms that it causes.
    remaining
        Names of the terms of both kinds that are left.
    program
        The equations that remain, ``q, qd, qdd -> tau``, without what vanished.
    """

    before: Robot
    robot: Robot
    counterweights: tuple[Counterweight, ...]
    vanished: tuple[str, ...]
    remaining: tuple[str, ...]
    program: Program

    def __repr__(self) -> str:
        added = f"{len(self.counterweights)} counterweights of {self.added_mass:.4g} kg"
        return f"Design({self.before.name}: {added}, {len(self.vanished)} terms vanished, {len(self.remaining)} remain)"

    @property
    def added_mass(self) -> float:
        """Mass of all counterweights."""
        return sum(each.mass for each in self.counterweights)

    def difference(self, motions: int = 1000, seed: int = 0) -> float:
        """Return the largest difference over random motions between the remaining equations and the full dynamics of
        the redesigned robot, relative to the largest torque.
        """
        states = np.random.default_rng(seed).uniform(-3.0, 3.0, (3, motions, self.robot.dof))
        full = inverse_dynamics(self.robot).compile()(*states)
        return float(np.abs(self.program.compile()(*states) - full).max() / np.abs(full).max())

    def report(self) -> str:
        """Return what was added, what vanished, and what the equations cost before and after, as text."""
        old = inverse_dynamics(self.before, parameters="base").count()
        lines = [f"{self.before.name}: {len(self.counterweights)} counterweights, {self.added_mass:.4g} kg in all"]
        for link, mass, place in self.counterweights:
            lines.append(f"  {mass:10.4g} kg on {link} at ({', '.join(f'{x:g}' for x in place)}) m")
        lines.append(f"vanished: {', '.join(self.vanished) or 'nothing'}")
        lines.append(f"remaining: {', '.join(self.remaining) or 'nothing: the equations are linear'}")
        return "\n".join([*lines, f"before: {old}", f"after:  {self.program.count()}"])


def yang_tzeng(
    robot: Robot,
    *,
    remove: Sequence[str] = GOALS,
    reach: float | Mapping[str, float] = 0.5,
    mass: float | Mapping[str, float] = 1000.0,
    strict: bool = True,
) -> Design:
    """Find counterweights that remove gravity and velocity terms from a robot's equations.

    Parameters
    ----------
    remove
        "gravity" and "velocity", or one of them.
    reach
        How far from its origin a link's counterweights can be along each axis of its frame, for all links or by link.
    mass
        How much mass can be added to each link, for all links or by link; a link that the mapping leaves out gets none.
    strict
        Whether to raise an error if some terms cannot be removed; otherwise these remain, preferably terms near the
        base.
    """
    check_robot(robot)
    unknown = [goal for goal in remove if goal not in GOALS]
    if unknown or not remove:
        raise ProgramError(f"remove is {remove!r}; it can contain {' and '.join(map(repr, GOALS))}")
    if robot.symbols:
        raise ProgramError(f"{robot.name}: a design needs numbers; bind {', '.join(robot.symbols[:6])} … first")
    links = [body.name for body in robot.bodies]
    for option, given in (("reach", reach), ("mass", mass)):
        if isinstance(given, Mapping) and (wrong := [name for name in given if name not in links]):
            raise ProgramError(f"{option}: {robot.name} has no link {wrong[0]!r}; its links are {', '.join(links)}")
    terms = conditions(robot)
    chosen = {name: rows for name, rows in terms.items() if ("gravity" if name[0] == "G" else "velocity") in remove}
    places = _places(robot, reach, mass)
    masses = _lightest(robot, chosen, places, mass, strict)
    added = tuple(
        Counterweight(links[j], float(m), (p[0], p[1], p[2])) for m, (j, p) in zip(masses, places, strict=True) if m
    )
    redesigned = with_counterweights(robot, added)
    old, new = (_sizes(terms, parameters(each)) for each in (robot, redesigned))
    scale = {kind: max((x for name, x in old.items() if name[0] == kind), default=0.0) for kind in "GM"}
    left = tuple(name for name, x in new.items() if x > _TINY * scale[name[0]])
    gone = tuple(name for name, x in old.items() if x > _TINY * scale[name[0]] and name not in left)
    return Design(robot, redesigned, added, gone, left, remaining_equations(redesigned, left))


def conditions(robot: Robot) -> dict[str, Floats]:
    """Return, for each term, the rows that give it from the parameters: it vanishes if they all give zero.

    G_i is joint i's gravity torque, M_ij an element of the inertia matrix minus its value at another configuration.
    """
    check(robot.expanded(), "yang-tzeng", PAPER, followers=False)
    given = [[symbol(f"of_link_{j}_{name}") for name in NAMES] for j in range(len(robot.bodies))]
    bodies = tuple(replace(body, inertia=Inertia(*own)) for body, own in zip(robot.bodies, given, strict=True))
    general = replace(robot.neglect("IA"), bodies=bodies)
    flat = [x for own in given for x in own]
    n = robot.dof
    M, G = inertia_matrix(general).results["M"].nodes, gravity(general).results["g"].nodes
    nodes: dict[str, Node] = {f"G{i + 1}": G[i] for i in range(n)}
    nodes |= {f"M({i + 1},{j + 1})": M[n * i + j] for i in range(n) for j in range(i, n)}
    slopes = jacobian(list(nodes.values()), flat)
    random = np.random.default_rng(0)
    samples = []
    for _ in range(_SAMPLES):
        q = {f"q[{k}]": x for k, x in enumerate(random.uniform(-3.0, 3.0, n))}
        samples.append(evaluate([x for row in slopes for x in row], q))
    table = np.array(samples).reshape(_SAMPLES, len(nodes), len(flat))
    return {name: table[:, k] if name[0] == "G" else table[1:, k] - table[0, k] for k, name in enumerate(nodes)}


def parameters(robot: Robot) -> Floats:
    """Return all links' standard parameters, one after the other."""
    return np.array([float(x) for body in robot.bodies for x in body.inertia])


def with_counterweights(robot: Robot, added: Sequence[Counterweight]) -> Robot:
    """Return the robot with point masses on its links."""
    bodies = []
    for body in robot.bodies:
        total = body.inertia
        for each in added:
            if each.link == body.name:
                total = total.plus(Inertia(M=each.mass).shifted(Vector(*each.place)))
        bodies.append(replace(body, inertia=Inertia(*map(float, total))))
    return replace(robot, bodies=tuple(bodies))


def remaining_equations(robot: Robot, left: Sequence[str]) -> Program:
    """Return the cheapest equations, with only the terms that remain.

    If no gravity terms remain, gravity itself is left out; base parameters that have become zero are exactly zero. If
    no velocity terms remain either, τ = M q̈ with a constant M.
    """
    if not any(name[0] == "M" for name in left):
        return _constant_inertia(robot, any(name[0] == "G" for name in left))
    still = robot if any(name[0] == "G" for name in left) else replace(robot, gravity=ZERO)
    base = base_parameters(still).robot
    largest = [max(abs(float(getattr(body.inertia, name))) for body in robot.bodies) for name in NAMES]
    bodies = tuple(
        replace(body, inertia=Inertia(*(_snapped(x, size) for x, size in zip(body.inertia, largest, strict=True))))
        for body in base.bodies
    )
    return inverse_dynamics(replace(base, bodies=bodies, name=robot.name), parameters="standard")


def _snapped(x: object, size: float) -> float:
    value = float(x)  # type: ignore[arg-type]
    return 0.0 if abs(value) <= _TINY * size else value


def _constant_inertia(robot: Robot, weighs: bool) -> Program:
    """Return τ = M q̈, with gravity torques if there are any, and what the joints themselves add."""
    prepared, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    n = robot.dof
    values = np.array(evaluate(inertia_matrix(robot).results["M"].nodes, {f"q[{k}]": 0.5 for k in range(n)}))
    M = np.where(np.abs(values) > _TINY * np.abs(values).max(), values, 0.0).reshape(n, n)
    qdd = arrays["qdd"].nodes
    own = [x for joint in resistances(prepared, state) for x in joint]
    weights = gravity(robot).results["g"].nodes if weighs else [0.0] * n
    tau = [
        sum((float(M[i, k]) * qdd[k] for k in range(n) if not is_zero(M[i, k])), start=own[i] + weights[i])
        for i in range(n)
    ]
    return program("inverse_dynamics", prepared, arrays, {"tau": vector(state.coordinates, tau, INPUTS["tau"][0])})


def _sizes(terms: Mapping[str, Floats], of: Floats) -> dict[str, float]:
    return {name: float(np.abs(rows @ of).max()) for name, rows in terms.items()}


def _places(
    robot: Robot, reach: float | Mapping[str, float], mass: float | Mapping[str, float]
) -> list[tuple[int, tuple[float, float, float]]]:
    """Return where counterweights can be: on the corners, edges and faces of a box around each link's origin."""
    found = []
    for j, body in enumerate(robot.bodies):
        far = reach.get(body.name, 0.5) if isinstance(reach, Mapping) else reach
        if not isinstance(mass, Mapping) or body.name in mass:
            found += [(j, (far * x, far * y, far * z)) for x, y, z in _BOX]
    return found


def _lightest(
    robot: Robot,
    terms: Mapping[str, Floats],
    places: Sequence[tuple[int, tuple[float, float, float]]],
    mass: float | Mapping[str, float],
    strict: bool,
) -> Floats:
    """Return the masses, of least sum, that make all terms vanish, or as many of them as can."""
    own = parameters(robot)
    unit = np.zeros((own.size, len(places)))
    for k, (j, place) in enumerate(places):
        unit[10 * j : 10 * j + 10, k] = [float(x) for x in Inertia(M=1.0).shifted(Vector(*place))]
    limits = np.zeros((len(robot.bodies), len(places)))
    for k, (j, _) in enumerate(places):
        limits[j, k] = 1.0
    most = np.array([mass.get(b.name, 0.0) if isinstance(mass, Mapping) else mass for b in robot.bodies], dtype=float)

    def solved(rows: Sequence[Floats]) -> Floats | None:
        basis = independent(np.vstack(rows)) if rows else np.zeros((0, own.size))
        return minimum(basis @ unit, -basis @ own, limits, most)

    if (found := solved(list(terms.values()))) is not None:
        return found
    if strict:
        never = [name for name, rows in terms.items() if solved([rows]) is None]
        which = (
            f"no counterweights within reach and mass remove {', '.join(never or terms)}{'' if never else ' together'}"
        )
        raise ProgramError(
            f"{robot.name}: {which}; allow more, remove less, or pass strict=False to leave what must stay"
        )
    kept: list[Floats] = []
    for name in reversed(list(terms)):  # from the tip to the base, whose elements depend on the most parameters
        if solved([*kept, terms[name]]) is not None:
            kept.append(terms[name])
    final = solved(kept)
    assert final is not None  # each step was feasible
    return final


def independent(rows: Floats) -> Floats:
    """Return rows of full rank that express the same conditions."""
    _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
    rank = int((sizes > 1e-9 * max(sizes.max(initial=0.0), 1e-300)).sum())
    kept: Floats = basis[:rank]
    return kept
