"""Uicker (1965) and Kahn (1969): Lagrange's equations with 4x4 matrices, equation (3) of Meghdari.

    F_i = Σ_k D_ik q̈_k + Σ_k Σ_m D_ikm q̇_k q̇_m + D_i
    D_ik  = Σ_j tr[ ∂T_j/∂q_i J_j (∂T_j/∂q_k)ᵀ ],  D_ikm = Σ_j tr[ ∂T_j/∂q_i J_j (∂²T_j/∂q_k∂q_m)ᵀ ]
    D_i   = -Σ_j gᵀ ∂T_j/∂q_i m_j r_j

where j runs over the links that all joints of a term carry. The cost grows with the fourth power of the number of
joints.
"""

from __future__ import annotations

from typing import NamedTuple

from ..spatial.vector import Entry
from .chain import Chain
from .matrices import UNIT, Rows, applied, inner, product, trace, transposed


class Derivatives(NamedTuple):
    """T_j, ∂T_j/∂q_k and ∂²T_j/∂q_k∂q_m, k ≤ m, of each link for the joints that carry it; entry 0 is the base's."""

    T: list[Rows]
    first: list[dict[int, Rows]]
    second: list[dict[tuple[int, int], Rows]]


def derivatives(chain: Chain) -> Derivatives:
    """Return the matrices and their derivatives: by the product rule for T_j = T_i A_j, each takes one product."""
    d = Derivatives([UNIT], [{}], [{}])
    for j in chain.numbers:
        link, i = chain[j], chain[j].antecedent
        d.T.append(product(d.T[i], link.A))
        d.first.append({k: product(x, link.A) for k, x in d.first[i].items()})
        d.second.append({pair: product(x, link.A) for pair, x in d.second[i].items()})
        if j in chain.moving:
            d.second[j].update({(k, j): product(x, link.dA) for k, x in d.first[i].items()})
            d.second[j][j, j] = product(d.T[i], link.ddA)
            d.first[j][j] = product(d.T[i], link.dA)
    return d


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques of equation (3)."""
    d = derivatives(chain)
    qd, qdd = ([getattr(chain[k], rate) for k in chain.moving] for rate in ("qd", "qdd"))
    total = []
    for row, lines, own in zip(inertia(chain, d), velocity_terms(chain, d), gravity(chain, d), strict=True):
        effort = inner(row, qdd)
        for line, x in zip(lines, qd, strict=True):
            for term, y in zip(line, qd, strict=True):
                effort = effort + term * x * y
        total.append(effort + own)
    return total


def inertia(chain: Chain, d: Derivatives | None = None) -> list[list[Entry]]:
    """Return the matrix of D_ik, which is symmetric."""
    first = (d or derivatives(chain)).first
    entries: dict[tuple[int, int], Entry] = {}
    for i in chain.moving:
        for k in chain.carriers[i]:
            each = [trace(product(first[j][i], chain[j].K, transposed(first[j][k]))) for j in chain.carried(i)]
            entries[i, k] = entries[k, i] = sum(each[1:], start=each[0])
    return chain.rows(entries)


def velocity_terms(chain: Chain, d: Derivatives | None = None) -> list[list[list[Entry]]]:
    """Return D_ikm: Christoffel's symbols of the inertia matrix."""
    _, first, second = d or derivatives(chain)

    def term(i: int, k: int, m: int) -> Entry:
        pair = min(k, m), max(k, m)
        links = chain.carried(i, k, m)
        each = [trace(product(first[j][i], chain[j].K, transposed(second[j][pair]))) for j in links]
        return sum(each[1:], start=each[0]) if each else 0.0

    return [[[term(i, k, m) for m in chain.moving] for k in chain.moving] for i in chain.moving]


def coriolis(chain: Chain) -> list[list[Entry]]:
    """Return the matrix Σ_m D_ikm q̇_m."""
    qd = [chain[m].qd for m in chain.moving]
    return [[inner(line, qd) for line in lines] for lines in velocity_terms(chain)]


def gravity(chain: Chain, d: Derivatives | None = None) -> list[Entry]:
    """Return D_i; m_j r_j is the last row of J_j."""
    first, found = (d or derivatives(chain)).first, []
    for i in chain.moving:
        each = [inner(chain.g, applied(first[j][i], chain[j].K[3])) for j in chain.carried(i)]
        found.append(-sum(each[1:], start=each[0]))
    return found
