"""Hollerbach (1980) with 3x3 rotations and position vectors, equations (10)-(13) of Meghdari.

    F_i = tr[ ∂T_i/∂q_i D_i ] - gᵀ ∂T_i/∂q_i d_i                    (11)
    D_i = J_i T̈_iᵀ + n_i p̈_iᵀ + Σ ( A_j D_j + P_j e_j )             (12)
    e_i = m_i p̈_iᵀ + n_iᵀ T̈_iᵀ + Σ e_j                              (13)
    d_i = n_i + Σ ( A_j d_j + P_j μ_j ),  μ_i = m_i + Σ μ_j

where j runs over the children of link i, n are the first moments, and P_j is the origin of frame j seen from that of i.
A prismatic joint takes the force on everything it carries along its axis: F_i = ( e_i - μ_i gᵀ ) T_i z.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..spatial.vector import ZERO, Entry, Vector, dot, times
from .accelerations import Motion, accelerations
from .chain import Chain, Link
from .matrices import NULL, UNIT, Rows, applied, inner, outer, plus, product, trace, transposed


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques of equation (11)."""
    at = accelerations(chain, 3)
    p = [ZERO]
    for link in chain.links:
        p.append(origin(p[link.antecedent], at[link.antecedent], link))
    D: list[Rows] = [NULL]
    e, d = [ZERO], [ZERO]
    mass: list[Entry] = [0.0]
    for j, link in enumerate(chain.links, 1):
        K = [row[:3] for row in link.K[:3]]
        D.append(plus(product(K, transposed(at[j].Tdd)), outer(link.S, p[j])))
        e.append(p[j] * link.m + turned(at[j].Tdd, link.S))
        d.append(link.S)
        mass.append(link.m)
    found: list[Entry] = []
    for j in reversed(chain.numbers):
        link, i = chain[j], chain[j].antecedent
        if i:
            D[i] = plus(D[i], plus(product(link.R, D[j]), outer(link.P, e[j])))  # (12)
            e[i] = e[i] + e[j]  # (13)
            d[i] = d[i] + (times(link.R, d[j]) + link.P * mass[j])  # (9)
            mass[i] = mass[i] + mass[j]
        if link.revolute:  # (11)
            found.insert(0, trace(product(at[j].own, D[j])) - inner(chain.gravity, applied(at[j].own, d[j])))
        elif link.prismatic:
            found.insert(0, dot(e[j] - chain.gravity * mass[j], turned(at[j].T, link.z)))
    return found


def origin(before: Vector, i: Motion, link: Link) -> Vector:
    """Return p̈_j = p̈_i + T̈_i P_j; a prismatic joint moves P_j along its axis."""
    p = before + turned(i.Tdd, link.P)
    if link.prismatic:
        p = p + turned(i.Td, link.axis) * (2.0 * link.qd) + turned(i.T, link.axis) * link.qdd
    return p


def turned(T: Rows, v: Vector) -> Vector:
    """Return T v."""
    if T is UNIT or T is NULL:
        return v if T is UNIT else ZERO
    rows: Sequence[Vector] = [Vector(*row) for row in T]
    return times(rows, v)
