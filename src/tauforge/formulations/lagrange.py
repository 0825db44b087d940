"""Lagrange's equations themselves: the energies, differentiated on the graph. All other formulations are checked with
it.

With L = T - V and p = ∂L/∂q̇, τ = d/dt p - ∂L/∂q, (2) of Meghdari, and d/dt p = (∂p/∂q) q̇ + (∂p/∂q̇) q̈.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import ProgramError
from ..graph.derivative import jacobian
from ..graph.node import Node, as_node, symbol
from ..graph.rewrite import substitute
from ..models.energy import kinetic, potential
from ..spatial.vector import Entry
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
    n, q, v = len(energies.q), energies.q, energies.v
    (p,) = jacobian([energies.T], v)
    slope = jacobian([x for row in jacobian(p, v) for x in row], q)

    def element(i: int, k: int) -> Entry:
        return inner([slope[n * i + k][m] + slope[n * i + m][k] - slope[n * k + m][i] for m in range(n)], v) * 0.5

    return [energies.at([element(i, k) for k in range(n)]) for i in range(n)]


class _Energies:
    """The links' kinetic and potential energy as functions of symbols q and v, one of each for every moving joint."""

    def __init__(self, chain: Chain) -> None:
        if chain.source is None:
            raise ProgramError("Lagrange's equations are differentiated on the graph: they need a robot, not numbers")
        robot, state = chain.source
        robot = robot.neglect("IA", "k", "lift")  # the joints' law is added in one place for all formulations
        q, v = ([[symbol(f"{what} of {j.name}") for _ in j.axes] for j in robot.joints] for what in ("place", "rate"))
        own = replace(state, q=[(), *q], qd=[(), *v])
        self.q: list[Node] = [x for values in q for x in values]
        self.v: list[Node] = [x for values in v for x in values]
        self.T, self.V = as_node(kinetic(robot, own)), as_node(potential(robot, own))
        given = [x for values in (*state.q[1:], *state.qd[1:]) for x in values]
        names = [str(x.value) for x in (*self.q, *self.v)]
        self._given = {name: as_node(x) for name, x in zip(names, given, strict=True)}

    def at(self, values: Sequence[Entry]) -> list[Entry]:
        """Return expressions with the state's own coordinates and rates."""
        return list(substitute([*map(as_node, values)], self._given))
