"""Recursive Newton-Euler equations in base coordinates: section 5 of Meghdari, after Orin, McGhee et al. (1979).

Backward recursions, from the base to the tips:
    ω_j = ω_i + z_j q̇_j                         ω̇_j = ω̇_i + z_j q̈_j + ω_i × z_j q̇_j
    p̈_j = p̈_i + ω̇_i × P_j + ω_i × (ω_i × P_j)   (prismatic: + z_j q̈_j + 2 ω_i × z_j q̇_j)
    F_j = m p̈_j + ω̇_j × S_j + ω_j × (ω_j × S_j)  N_j = I_j ω̇_j + ω_j × I_j ω_j + S_j × p̈_j
Forward recursions, from the tips to the base:
    f_i = F_i + Σ f_j,  n_i = N_i + Σ ( n_j + P_j × f_j ),  τ_j = z_j · n_j  (prismatic: z_j · f_j)

All vectors are in the axes of the base, where the inertia matrix of a link turns with it: I_j = R_j I R_jᵀ. Moments are
about the frame's origin, with the first moments S where Meghdari has the mass centre.
"""

from __future__ import annotations

from typing import NamedTuple

from ..spatial.vector import ZERO, Entry, Matrix, Vector, column, cross, dot, times
from .chain import Chain, Link
from .hollerbach_3x3 import turned
from .matrices import UNIT, Rows, crossed, gathered, product, transposed


class Motion(NamedTuple):
    """How a link moves, in the base's axes; z is its joint's axis, P its origin seen from its parent's."""

    R: Rows
    z: Vector
    P: Vector
    w: Vector
    wd: Vector
    pdd: Vector


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques by both recursions."""
    at = [Motion(UNIT, ZERO, ZERO, ZERO, ZERO, -chain.gravity)]
    f, n = [ZERO], [ZERO]
    for link in chain.links:
        j = moved(at[link.antecedent], link)
        S, J = turned(j.R, link.S), _vectors(product(j.R, link.J, transposed(j.R)))
        at.append(j)
        f.append(gathered(j.pdd * link.m, crossed(j.wd, S), crossed(j.w, crossed(j.w, S))))
        n.append(times(J, j.wd) + cross(j.w, times(J, j.w)) + cross(S, j.pdd))
    found: list[Entry] = []
    for k in reversed(chain.numbers):
        link, j, i = chain[k], at[k], chain[k].antecedent
        if i:
            f[i] = f[i] + f[k]
            n[i] = n[i] + (n[k] + cross(j.P, f[k]))
        if k in chain.moving:
            found.insert(0, dot(j.z, n[k] if link.revolute else f[k]))
    return found


def moved(i: Motion, link: Link) -> Motion:
    """Return a link's motion from its parent's."""
    R = product(i.R, link.R)
    z, P = column(_vectors(R), 2), turned(i.R, link.P)
    w, wd = i.w, i.wd
    pdd = gathered(i.pdd, crossed(i.wd, P), crossed(i.w, crossed(i.w, P)))
    if link.revolute:
        turning = z * link.qd
        w, wd = gathered(w, turning), gathered(wd, z * link.qdd, crossed(w, turning))
    elif link.prismatic:
        pdd = gathered(pdd, z * link.qdd, crossed(w, z * (2.0 * link.qd)))
    return Motion(R, z, P, w, wd, pdd)


def _vectors(rows: Rows) -> Matrix:
    return [Vector(*row) for row in rows]
