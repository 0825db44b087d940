"""The columns that an identification can have, and the compiled Program that computes them.

A torque is a sum of columns times parameters: base inertial parameters of the links, rotor inertias, friction of joints
and of coupled motors, springs. Each row of the regressor, one per torque, has only the columns that act on it: a link
does not act on the joints beyond it, so about half of the entries would be zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError
from ..graph.functions import absolute, sign
from ..graph.node import Node, Scalar, as_node, symbol
from ..models.prepare import prepare
from ..models.results import program
from ..parameters.base import BaseParameters, grouped
from ..parameters.regressor import ACTUATOR, Regressor, chosen
from ..program.program import Program, outputs
from ..robot.robot import Robot
from ..runtime.function import Function

Floats = NDArray[np.float64]
Key = tuple[str, int]

FRICTION = {
    "FV": "viscous: FV q̇",
    "FS": "Coulomb: FS sign(q̇)",
    "FO": "offset: FO",
    "FA": "asymmetric viscous: FA |q̇|",
    "FT": "Stribeck: FT sign(q̇) / (1 + (q̇/speed)²)",
    "FL": "load-dependent: FL |load| sign(q̇)",
}
"""The terms that friction can have, each with its law."""
SPRING = "K"
MORE = ("FA", "FT", SPRING)
"""Terms that the regressor of a Robot does not have; the load-dependent one needs an estimate first."""
SPEED = "stribeck_speed"


class _Terms(Regressor):
    """The regressor with more terms of friction, and springs."""

    def _by_axis(self, parameter: str, link: int, lowest: int) -> dict[int, Node]:
        if parameter not in MORE:
            return super()._by_axis(parameter, link, lowest)
        axes = zip(self.state.q[link], self.state.qd[link], strict=True)
        return {place: as_node(_term(parameter, link, *x)) for place, x in enumerate(axes, self.first[link])}


def _term(parameter: str, link: int, q: Scalar, qd: Scalar) -> Scalar:
    if parameter == "FA":
        return absolute(qd)
    if parameter == SPRING:
        return q
    ratio = qd / symbol(f"{SPEED}{link}")
    return sign(qd) / (1.0 + ratio * ratio)


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
        Computes the entries that can differ from zero: one output for each torque.
    rows
        For each torque, the columns of its output.
    """

    robot: Robot
    base: BaseParameters
    keys: tuple[Key, ...]
    names: tuple[str, ...]
    program: Program
    rows: tuple[tuple[int, ...], ...]

    @cached_property
    def function(self) -> Function:
        """The compiled Program."""
        return self.program.compile()

    @property
    def torques(self) -> tuple[str, ...]:
        """Names of the torques."""
        return self.robot.velocity_names

    @cached_property
    def inertial(self) -> tuple[str, ...]:
        """Names of the columns that belong to the rigid robot: links and rotors of joints."""
        return tuple(name for key, name in zip(self.keys, self.names, strict=True) if key in self.base.forms)

    def by_torque(self, q: Floats, qd: Floats, qdd: Floats) -> list[Floats]:
        """Return for each torque an array (samples, own columns)."""
        found = self.function(q, qd, qdd, threads=1)
        return list(found) if len(self.rows) > 1 else [found]

    def matrix(self, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """Return the whole regressor (samples, torques, columns)."""
        whole = np.zeros((len(q), len(self.rows), len(self.names)))
        for row, (own, entries) in enumerate(zip(self.rows, self.by_torque(q, qd, qdd), strict=True)):
            whole[:, row, list(own)] = entries
        return whole

    def torque(self, values: Floats, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """Return the torques (samples, torques) of values of the parameters."""
        parts = self.by_torque(q, qd, qdd)
        return np.stack([Y @ values[list(own)] for own, Y in zip(self.rows, parts, strict=True)], axis=-1)


@lru_cache(maxsize=16)
def columns(robot: Robot, friction: tuple[str, ...], rotors: bool, springs: bool = False) -> Columns:
    """Return the columns of a robot whose geometry has numbers."""
    for name in friction:
        if name not in FRICTION:
            laws = "; ".join(f"{key} ({law})" for key, law in FRICTION.items())
            raise IdentificationError(f"{name!r} is not a term of friction; choose among {laws}")
    asked = (*["IA"] * rotors, *(key for key in ACTUATOR if key in friction))
    keys = dict(chosen(robot, "base", asked))
    base = grouped(robot, None, rotors)
    whole, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    shift = len(whole.joints) - len(robot.joints)
    axial = [j for j in whole.moving if whole.joints[j - 1].kind.is_axial and not whole.joints[j - 1].mimic]
    keys = {key: name for key, name in keys.items() if key[0] not in ACTUATOR or key[1] not in whole.moving or key[1] in axial}
    more = (*(key for key in friction if key in MORE), *[SPRING] * springs)
    keys |= {(key, j): f"{key}{j - shift}" for key in more for j in axial}
    found = _Terms(whole, state)
    efforts = [found.column(*key) for key in keys]
    names = state.coordinates.names
    rows = [[k for k, column in enumerate(efforts) if place in column] for place in range(len(names))]
    labels = list(keys.values())
    results = {
        f"Y{place}": outputs([efforts[k][place] for k in own], [len(own)], [[labels[k] for k in own]], f"row of {name}")
        for place, (name, own) in enumerate(zip(names, rows, strict=True))
    }
    made = program("identification", whole, arrays, results)
    return Columns(robot, base, tuple(keys), tuple(labels), made, tuple(map(tuple, rows)))
