"""Coulomb friction that an integrator can bear: smoothed, or sticking on bristles.

Smoothed, the sign of the velocity becomes a steep but continuous function of it, and a joint that should stick creeps.
With bristles it really sticks. The surfaces of a joint touch in many small springs; ζ is their mean force as a part of
Coulomb friction. They deflect with the joint until they slip (Canudas de Wit, Olsson, Åström and Lischinsky, A new
model for control of systems with friction, 1995):

    ζ̇ = (v - |v| ζ / γ) / deflection,    γ = 1 + (static - 1) / (1 + (v / velocity)²)

and sign(v) becomes ζ + deflection ζ̇ / (velocity (1 + (v / velocity)²)): the second part damps the bristles while the
joint sticks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, final

from ..errors import ProgramError
from ..graph.evaluate import symbols
from ..graph.functions import absolute, sqrt
from ..graph.node import ZERO, Node, as_node, symbol
from ..graph.operations import SIGN
from ..graph.rewrite import built_anew, rewrite
from ..models.bias import friction
from ..robot.robot import Robot

INFINITE = float("inf")
SMOOTHING = 1e-3
"""Velocity below which Coulomb friction fades, by default, in rad/s or m/s."""
RESOLVED = 0.25
"""Part of that velocity which a method that linearises friction resolves: its slope is the same there within 10 %."""


@final
@dataclass(frozen=True)
class Stiction:
    """Coulomb friction that sticks: a joint at rest stays there until the load exceeds its static friction.

    Attributes
    ----------
    static
        Largest friction at rest, as a multiple of Coulomb friction (FS).
    velocity
        Velocity at which half of the excess over Coulomb friction is left, in rad/s or m/s.
    deflection
        How far the bristles bend under a load equal to Coulomb friction, in rad or m: a joint at rest yields like a
        spring of stiffness FS / deflection to small loads, and more near static friction.
    """

    static: float = 1.0
    velocity: float = 1e-2
    deflection: float = 1e-4

    def __post_init__(self) -> None:
        for name, least in (("static", 1.0), ("velocity", 0.0), ("deflection", 0.0)):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not least <= value < INFINITE or value == 0.0:
                wanted = "at least 1" if least else "positive"
                raise ProgramError(f"stiction: {name} is {value!r}; it must be a number, {wanted}")


class Bristles(NamedTuple):
    """Torques of friction, the deflections that they depend on, and the rates of these."""

    torques: list[Node]
    states: tuple[Node, ...]
    rates: tuple[Node, ...]


def slides(robot: Robot) -> bool:
    """Tell whether there is Coulomb friction."""
    amounts = [*(x for joint in robot.joints for x in (joint.FS, joint.FB)), *(tendon.FS for tendon in robot.tendons)]
    return any(as_node(x) is not ZERO for x in amounts)


def smooth_friction(robot: Robot, width: float) -> Bristles:
    """Return the torques of Coulomb friction with sign(v) replaced by v / √(v² + width²)."""
    return Bristles(_torques(robot, lambda v: as_node(v / sqrt(v * v + width * width))), (), ())


def sticking_friction(robot: Robot, how: Stiction) -> Bristles:
    """Return the torques of Coulomb friction that sticks."""
    states, rates = list[Node](), list[Node]()

    def stuck(v: Node) -> Node:
        z = symbol(f"bristle[{len(states)}]")
        fading = 1.0 / (1.0 + v * v * (1.0 / how.velocity**2))
        slip = v - absolute(v) * z / (1.0 + (how.static - 1.0) * fading)
        states.append(z)
        rates.append(as_node(slip * (1.0 / how.deflection)))
        return as_node(z + slip * fading * (1.0 / how.velocity))

    torques = _torques(robot, stuck)
    return Bristles(torques, tuple(states), tuple(rates))


@lru_cache(maxsize=32)
def rubbing(robot: Robot) -> tuple[int, ...]:
    """Return the places in qd of the velocities on which Coulomb friction depends."""
    made = friction(robot.neglect("FV", "FO", "FA"))
    read = set(symbols(node.args[0] for node in made.order if node.op is SIGN))
    return tuple(k for k, node in enumerate(made.arguments["qd"].nodes) if not read.isdisjoint(symbols([node])))


def _torques(robot: Robot, instead: Callable[[Node], Node]) -> list[Node]:
    """Return the torques of Coulomb friction with the sign of each velocity replaced."""
    made = friction(robot.neglect("FV", "FO", "FA"))

    def replaced(node: Node, new: Mapping[Node, Node]) -> Node:
        return instead(new[node.args[0]]) if node.op is SIGN else built_anew(node, new)

    new = rewrite(made.order, replaced)
    return [new[node] for node in made.results["f"].nodes]
