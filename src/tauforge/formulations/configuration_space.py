"""Raibert and Horn (1978): the configuration space method, section 7 of Meghdari.

    τ_i = G_i(q) + Σ_j D_ij(q) q̈_j + Σ_j Σ_k C_ijk(q) q̇_j q̇_k                                   (16)

This is what the method computes once it has its coefficients. They come from tables (tabulation/), so it is not one of
the formulations that give a Program; it is here to be counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..spatial.vector import Entry
from .chain import Chain


def torques(
    G: Sequence[Entry],
    D: Sequence[Sequence[Entry]],
    C: Sequence[Sequence[Sequence[Entry]]],
    qd: Sequence[Entry],
    qdd: Sequence[Entry],
) -> list[Entry]:
    """Return the torques of (16), with each sum starting at zero: 2n³ + n² multiplications, n³ + n² + 2n additions."""
    found = []
    for own, row, lines in zip(G, D, C, strict=True):
        inertial: Entry = 0.0
        for d, a in zip(row, qdd, strict=True):
            inertial = inertial + d * a
        centrifugal: Entry = 0.0
        for line, x in zip(lines, qd, strict=True):
            for c, y in zip(line, qd, strict=True):
                centrifugal = centrifugal + c * x * y
        found.append(own + inertial + centrifugal)
    return found


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques of (16) from any coefficients: the method's cost if reading them costs nothing."""
    n, any_term = len(chain.moving), chain[1].m
    qd, qdd = ([getattr(chain[j], rate) for j in chain.moving] for rate in ("qd", "qdd"))
    return torques([any_term] * n, [[any_term] * n] * n, [[[any_term] * n] * n] * n, qd, qdd)
