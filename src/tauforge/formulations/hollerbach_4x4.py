"""Hollerbach (1980) with 4x4 matrices: a second recursion, for the forces, equations (7)-(9) of Meghdari.

    F_i = tr[ ∂T_i/∂q_i D_i ] - gᵀ ∂T_i/∂q_i d_i
    D_i = J_i T̈_iᵀ + Σ A_j D_j,  d_i = m_i r_i + Σ A_j d_j

where j runs over the children of link i. The cost grows linearly with the number of joints.
"""

from __future__ import annotations

from ..spatial.vector import Entry
from .accelerations import accelerations
from .chain import Chain
from .matrices import NULL, Rows, applied, inner, plus, product, trace, transposed


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques of equation (7)."""
    at = accelerations(chain, 4)
    D: list[Rows] = [NULL, *(product(link.K, transposed(at[j].Tdd)) for j, link in enumerate(chain.links, 1))]
    d: list[list[Entry]] = [[], *(list(link.K[3]) for link in chain.links)]
    found: list[Entry] = []
    for j in reversed(chain.numbers):
        i = chain[j].antecedent
        if i:
            D[i] = plus(D[i], product(chain[j].A, D[j]))  # (8)
            d[i] = [x + y for x, y in zip(d[i], applied(chain[j].A, d[j]), strict=True)]  # (9)
        if j in chain.moving:
            found.insert(0, trace(product(at[j].own, D[j])) - inner(chain.g, applied(at[j].own, d[j])))  # (7)
    return found
