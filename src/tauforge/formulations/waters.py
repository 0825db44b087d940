"""Waters (1979): Lagrange's equations with a backward recursion for the accelerations, equations (4)-(6) of Meghdari.

    F_i = Σ_j tr[ ∂T_j/∂q_i J_j T̈_jᵀ ] - m_j gᵀ ∂T_j/∂q_i r_j

where j runs over the links that joint i carries. T̈_j is passed from link to link, (6), while Uicker and Kahn need all
second derivatives. The cost still grows with the square of the number of joints, because of the matrices ∂T_j/∂q_i.
"""

from __future__ import annotations

from ..spatial.vector import Entry
from .accelerations import accelerations
from .chain import Chain
from .matrices import Rows, applied, inner, product, trace, transposed


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques of equation (4)."""
    at = accelerations(chain, 4)
    found = []
    for i in chain.moving:
        total: Entry = 0.0
        derivative: dict[int, Rows] = {i: at[i].own}
        for j in chain.carried(i):
            link = chain[j]
            if j != i:
                derivative[j] = product(derivative[link.antecedent], link.A)
            inertial = trace(product(derivative[j], link.K, transposed(at[j].Tdd)))
            weight = inner(chain.g, applied(derivative[j], link.K[3]))
            total = total + (inertial - weight)  # (4)
        found.append(total)
    return found
