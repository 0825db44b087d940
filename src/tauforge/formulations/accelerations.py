"""The forward recursion of Waters (1979) and Hollerbach (1980): T, Ṫ and T̈ of each link, equation (6) of Meghdari.

It holds for 4x4 matrices and for the 3x3 rotations in them.
"""

from __future__ import annotations

from typing import NamedTuple

from .chain import Chain
from .matrices import NULL, UNIT, Rows, accumulated, product, scaled


class Motion(NamedTuple):
    """A link's matrix T_j, its derivative ∂T_j/∂q_j with respect to its own joint, and the rates of T_j."""

    T: Rows
    own: Rows
    Td: Rows
    Tdd: Rows


def accelerations(chain: Chain, size: int) -> list[Motion]:
    """Return the motion of all links; entry 0 is the base, at rest. ``size`` is 4, or 3 for rotations only."""
    at = [Motion(UNIT, NULL, NULL, NULL)]
    for link in chain.links:
        i = at[link.antecedent]
        A, dA, ddA = (_part(x, size) for x in (link.A, link.dA, link.ddA))
        if size == 3 and not link.revolute:
            dA = NULL
        v, a = link.qd, link.qdd
        Td = accumulated(product(i.Td, A), scaled(product(i.T, dA), v))
        Tdd = accumulated(  # (6)
            product(i.Tdd, A),
            scaled(product(i.Td, dA), 2.0 * v),
            scaled(product(i.T, ddA), v * v),
            scaled(product(i.T, dA), a),
        )
        at.append(Motion(product(i.T, A), product(i.T, dA), Td, Tdd))
    return at


def _part(a: Rows, size: int) -> Rows:
    return a if a is NULL else [row[:size] for row in a[:size]]
