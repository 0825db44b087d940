"""The columns that an identification can have, and the compiled Programs that compute them.

A torque is a sum of columns times parameters: base inertial parameters of the links, rotor inertias, friction of joints
and of coupled motors, springs. Each row of the regressor, one per torque, has only the columns that act on it: a link
does not act on the joints beyond it, so about half of the entries would be zeros.

Coulomb friction depends on the sign of a velocity, which measurements do not tell near rest. That sign is therefore an
input, ``slip``: for a state it is the velocity's sign, and for a recording it follows from the motion (``slip.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError
from ..graph.functions import absolute
from ..graph.node import Node, Scalar, as_node, symbol
from ..models.joint_law import along
from ..models.prepare import prepare
from ..models.results import program
from ..models.state import State
from ..parameters.base import BaseParameters, grouped
from ..parameters.regressor import ACTUATOR, Regressor, chosen
from ..program.array import Array, Shape, inputs, outputs
from ..program.program import Program
from ..robot.robot import Robot
from ..runtime.function import Function

Floats = NDArray[np.float64]
Key = tuple[str, int]

FRICTION = {
    "FV": "viscous, FV q̇",
    "FS": "Coulomb, FS sign(q̇)",
    "FO": "offset, FO",
    "FA": "asymmetric viscous, FA |q̇|",
    "FB": "breakaway (Stribeck), FB sign(q̇) / (1 + (q̇/VB)²)",
    "FL": "load-dependent, FL |load| sign(q̇)",
}
"""The terms that friction can have, each with its law."""
SPRING = "K"
OWN = ("FS", "FA", "FB", "FL", SPRING)
"""Terms whose columns differ from those of a Robot's regressor, or that it does not have."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of an identification.

    Attributes
    ----------
    robot
        The robot, with a tendon for each coupled motor.
    base
        Its base parameters, with rotors if they have columns.
    keys
        Each column's parameter and link; links are numbered with a floating base as the first, tendons after joints.
    names
        Their names.
    program
        Computes the entries that can differ from zero, those of each torque after another.
    rates
        Computes the velocities along which friction acts: of joints with one axis, then of tendons.
    rubbing
        The numbers of these joints and tendons.
    rows
        For each torque, the columns of its entries.
    """

    robot: Robot
    base: BaseParameters
    keys: tuple[Key, ...]
    names: tuple[str, ...]
    program: Program
    rates: Program
    rubbing: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]

    @cached_property
    def function(self) -> Function:
        """The compiled columns."""
        return self.program.compile()

    @cached_property
    def runs(self) -> list[list[tuple[slice, slice]]]:
        """For each torque, runs of neighbouring columns among all, each with its place among the torque's own."""
        found = []
        for own in self.rows:
            starts = [k for k in range(len(own)) if not k or own[k] != own[k - 1] + 1]
            pairs = zip(starts, [*starts[1:], len(own)], strict=True)
            found.append([(slice(own[a], own[a] + b - a), slice(a, b)) for a, b in pairs])
        return found

    @cached_property
    def _rates(self) -> Function:
        return self.rates.compile()

    @property
    def torques(self) -> tuple[str, ...]:
        """Names of the torques."""
        return self.robot.velocity_names

    @cached_property
    def inertial(self) -> NDArray[np.bool_]:
        """Which columns belong to the rigid robot: its links and the rotors of joints."""
        return np.array([key in self.base.forms for key in self.keys])

    @property
    def loaded(self) -> bool:
        """Whether friction depends on the load."""
        return "load" in self.program.inputs

    @cached_property
    def torque_of(self) -> dict[int, int]:
        """The torque of each rubbing joint, by its place among them; tendons and followers have none of their own."""
        whole = self.robot.expanded()
        names = {whole.joints[j - 1].name: k for k, j in enumerate(self.rubbing) if j <= len(whole.joints)}
        return {names[name]: row for row, name in enumerate(self.torques) if name in names}

    def velocities(self, q: Floats, qd: Floats) -> Floats:
        """Return the velocities along which friction acts (samples, rubbing)."""
        found: Floats = self._rates(q, qd, threads=1)
        return found

    def by_torque(self, q: Floats, qd: Floats, qdd: Floats, slip: Floats | None = None, **more: Floats) -> list[Floats]:
        """Return for each torque an array (samples, own columns); see ``entries``."""
        return self.split(self.entries(q, qd, qdd, slip, **more))

    def split(self, entries: Floats) -> list[Floats]:
        """Return for each torque its part of the entries, (samples, own columns)."""
        ends = np.cumsum([len(own) for own in self.rows])[:-1]
        return np.split(entries, ends, axis=1)

    def entries(
        self,
        q: Floats,
        qd: Floats,
        qdd: Floats,
        slip: Floats | None = None,
        out: Floats | None = None,
        **more: Floats,
    ) -> Floats:
        """Return the entries of all torques (samples, entries), in ``out`` if that is given.

        ``slip`` is by default the sign of each velocity; ``speeds`` are those of breakaway friction, and ``load`` the
        amounts of the torques that load-dependent friction follows.
        """
        wanted = self.program.inputs
        given: dict[str, Any] = {"q": q, "qd": qd, "qdd": qdd}
        if "slip" in wanted:
            given["slip"] = np.sign(self.velocities(q, qd)) if slip is None else slip
        given |= {key: x for key, x in more.items() if key in wanted}
        found: Floats = self.function(**given, out=out, threads=1)
        return found

    def torque(self, values: Floats, parts: list[Floats]) -> Floats:
        """Return the torques (samples, torques) from each torque's columns."""
        found = np.empty((len(parts[0]), len(parts)))
        for k, (own, Y) in enumerate(zip(self.rows, parts, strict=True)):
            np.matmul(Y, values[list(own)], out=found[:, k])
        return found

    def dense(self, parts: list[Floats]) -> Floats:
        """Return the whole regressor (samples, torques, columns) from each torque's columns."""
        whole = np.zeros((len(parts[0]), len(self.rows), len(self.names)))
        for row, (own, entries) in enumerate(zip(self.rows, parts, strict=True)):
            whole[:, row, list(own)] = entries
        return whole

    def only(self, keep: NDArray[np.bool_]) -> Columns:
        """Return some of the columns."""
        places = np.flatnonzero(keep)
        return columns_of(self.robot, {self.keys[k]: self.names[k] for k in places}, self.base)


class _Terms(Regressor):
    """The regressor with more terms of friction, and springs, and the sign of velocities as an input."""

    def __init__(self, robot: Robot, state: State, slip: Mapping[int, Node], speed: Mapping[int, Node]) -> None:
        super().__init__(robot, state)
        self.slip, self.speed = slip, speed
        self.load = {j: symbol(f"load[{k}]") for k, j in enumerate(slip)}

    def _by_axis(self, parameter: str, link: int, lowest: int) -> dict[int, Node]:
        if parameter not in OWN:
            return super()._by_axis(parameter, link, lowest)
        if link > len(self.robot.joints):
            tendon = self.robot.tendons[link - len(self.robot.joints) - 1]
            own = self._term(parameter, link, along(tendon, self.state.q), along(tendon, self.state.qd))
            return {self.first[j]: as_node(own * x) for j, x in tendon.joints}
        return {self.first[link]: as_node(self._term(parameter, link, self.state.q[link][0], self.state.qd[link][0]))}

    def _term(self, parameter: str, link: int, q: Scalar, qd: Scalar) -> Scalar:
        if parameter == "FS":
            return self.slip[link]
        if parameter == "FA":
            return absolute(qd)
        if parameter == "FL":
            return self.slip[link] * self.load[link]
        if parameter == SPRING:
            return q
        ratio = qd / self.speed[link]
        return self.slip[link] / (1.0 + ratio * ratio)


@lru_cache(maxsize=16)
def columns(robot: Robot, friction: tuple[str, ...], rotors: bool, springs: bool = False) -> Columns:
    """Return the columns of a robot whose geometry has numbers."""
    for name in friction:
        if name not in FRICTION:
            laws = "; ".join(f"{key} ({law})" for key, law in FRICTION.items())
            raise IdentificationError(f"{name!r} is not a term of friction; choose among {laws}")
    whole = robot.expanded()
    shift = len(whole.joints) - len(robot.joints)
    base = grouped(robot, None, rotors)
    found = chosen(robot, "base", (*["IA"] * rotors, *(key for key in ACTUATOR if key in friction)))
    axial = [j for j in whole.moving if whole.joints[j - 1].kind.is_axial]
    keys = {
        key: name
        for key, name in found.items()
        if key[0] not in ACTUATOR or key[1] in axial or key[1] > len(whole.joints)
    }
    more = (*(key for key in friction if key not in ACTUATOR), *[SPRING] * springs)
    free = [j for j in axial if not whole.joints[j - 1].mimic]
    keys |= {(key, j): f"{key}{j - shift}" for key in more for j in free}
    return columns_of(robot, keys, base)


def columns_of(robot: Robot, keys: Mapping[Key, str], base: BaseParameters) -> Columns:
    """Return the columns of chosen parameters."""
    whole, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    count = len(whole.joints)
    rubbing = [j for j in whole.moving if whole.joints[j - 1].kind.is_axial]
    rubbing += range(count + 1, count + 1 + len(whole.tendons))
    labels = [whole.joints[j - 1].name if j <= count else whole.tendons[j - count - 1].name for j in rubbing]
    more = {name: inputs(name, labels, meaning) for name, meaning in _MEANINGS.items()}
    slip, speed = (dict(zip(rubbing, more[name].nodes, strict=True)) for name in ("slip", "speeds"))
    terms = _Terms(whole, state, slip, speed)
    efforts = [terms.column(*key) for key in keys]
    names = state.coordinates.names
    rows = [[k for k, column in enumerate(efforts) if place in column] for place in range(len(names))]
    places = [(k, place) for place, own in enumerate(rows) for k in own]
    told = [f"{list(keys.values())[k]} of {names[place]}" for k, place in places]
    results = {"Y": outputs([efforts[k][place] for k, place in places], [len(places)], [told], "regressor by torques")}
    used = {key for key, _ in keys}
    more = {name: more[name] for name, terms_ in _USES.items() if used & terms_}
    made = program("identification", whole, {**arrays, **more}, results)
    if made.parameters:
        some = ", ".join(made.parameters[:6])
        raise IdentificationError(f"{robot.name}: its geometry has symbols, {some}; give them values with bind")
    moving = [_rate(whole, state, j) for j in rubbing]
    speeds = Array(Shape([len(moving)], [labels]), tuple(moving), "velocities")
    rates = program("rates", whole, {key: arrays[key] for key in ("q", "qd")}, {"v": speeds})
    return Columns(robot, base, tuple(keys), tuple(keys.values()), made, rates, tuple(rubbing), tuple(map(tuple, rows)))


_MEANINGS = {
    "slip": "signs of the velocities along which friction acts",
    "speeds": "speeds of breakaway friction",
    "load": "amounts of the torques that friction depends on",
}
_USES = {"slip": {"FS", "FB", "FL"}, "speeds": {"FB"}, "load": {"FL"}}


def _rate(robot: Robot, state: State, j: int) -> Node:
    """Return the velocity of a joint, or of a tendon's length."""
    if j <= len(robot.joints):
        return as_node(state.qd[j][0])
    return as_node(along(robot.tendons[j - len(robot.joints) - 1], state.qd))
