"""Lagrange's equations as they stand: the energies, differentiated on the graph. The referee of all others.

With L = T - V and p = ∂L/∂q̇, τ = d/dt p - ∂L/∂q, (2) of Meghdari, and d/dt p = (∂p/∂q) q̇ + (∂p/∂q̇) q̈.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import ProgramError
from ...graph.derivative import jacobian
from ...graph.evaluate import substitute
from ...graph.node import Node, as_node, symbol
from ...spatial.vector import Entry
from ..energy import kinetic, potential
from .chain import Chain
from .matrices import inner


def efforts(chain: Chain) -> list[Entry]:
    """Return τ = (∂p/∂q) q̇ + (∂p/∂q̇) q̈ - ∂L/∂q."""
    energies = _Energies(chain)
    q, v, T, V = energies.q, energies.v, energies.T, energies.V
    (p,), (pull,) = jacobian([T], v), jacobian([T - V], q)
    qdd = [chain[j].qdd for j in chain.moving]
    rows = zip(jacobian(p, q), jacobian(p, v), pull, strict=True)
    return energies.at([inner(a, v) + inner(b, qdd) - c for a, b, c in rows])


def inertia(chain: Chain) -> list[list[Entry]]:
    """Return M = ∂²T/∂q̇²."""
    energies = _Energies(chain)
    (p,) = jacobian([energies.T], energies.v)
    return [energies.at(row) for row in jacobian(p, energies.v)]


def coriolis(chain: Chain) -> list[list[Entry]]:
    """Return C by Christoffel's symbols: C_ik = ½ Σ_m (∂M_ik/∂q_m + ∂M_im/∂q_k - ∂M_km/∂q_i) q̇_m."""
    energies = _Energies(chain)
    n, qd = len(energies.q), energies.rates
    M = [as_node(x) for row in inertia(chain) for x in row]
    slope = jacobian(M, energies.q)
    return [
        [
            inner([slope[n * i + k][m] + slope[n * i + m][k] - slope[n * k + m][i] for m in range(n)], qd) * 0.5
            for k in range(n)
        ]
        for i in range(n)
    ]


class _Energies:
    """The links' kinetic and potential energy as functions of symbols q and v, and the rates to put for v."""

    def __init__(self, chain: Chain) -> None:
        if chain.source is None:
            raise ProgramError("Lagrange's equations are differentiated on the graph: they need a robot, not numbers")
        robot, state = chain.source
        robot = robot.neglect("IA", "k")  # joints have their law in one place, for all formulations
        own = [[symbol(f"rate of {joint.name}") for _ in joint.axes] for joint in robot.joints]
        state = replace(state, qd=[(), *own])
        self.q: list[Node] = [as_node(x) for values in state.q[1:] for x in values]
        self.v: list[Node] = [x for values in own for x in values]
        self.rates = [chain[j].qd for j in chain.moving]
        self.T, self.V = as_node(kinetic(robot, state)), as_node(potential(robot, state))

    def at(self, values: Sequence[Entry]) -> list[Entry]:
        """Return expressions with the rates put for v."""
        given = {str(v.value): as_node(x) for v, x in zip(self.v, self.rates, strict=True)}
        return list(substitute([*map(as_node, values)], given))
