"""Recursive Newton-Euler equations in link coordinates, with full rotation matrices: section 5 of Meghdari, after
Hollerbach's (1980) account of Luh, Walker and Paul (1980).

    ω_j = Rᵀ( ω_i + z q̇ )                      ω̇_j = Rᵀ( ω̇_i + z q̈ + ω_i × z q̇ )
    p̈_j = Rᵀ( p̈_i + ω̇_i × P + ω_i × (ω_i × P) )   (prismatic: + z q̈ + 2 ω_i × z q̇)
    F_j = m p̈_j + ω̇_j × S + ω_j × (ω_j × S)      N_j = I ω̇_j + ω_j × I ω_j + S × p̈_j
    f_i = F_i + Σ R f_j                         n_i = N_i + Σ ( R n_j + P × R f_j )
    τ_j = (Rᵀ z) · n_j                          (prismatic: (Rᵀ z) · f_j)

R, z and P are ⁱR_j, its column z_j, and ⁱP_j. Each vector is in its link's axes, where inertias are constant.
"""

from __future__ import annotations

from typing import NamedTuple

from ..spatial.vector import ZERO, Entry, Matrix, Vector, column, cross, dot, times
from .chain import Chain, Link
from .matrices import crossed, gathered


class Motion(NamedTuple):
    """How a link moves, in its own axes."""

    w: Vector
    wd: Vector
    pdd: Vector


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques by both recursions."""
    at = [Motion(ZERO, ZERO, -chain.gravity)]
    f, n = [ZERO], [ZERO]
    for link in chain.links:
        j = moved(at[link.antecedent], link)
        F, N = wrench(j, link)
        at.append(j)
        f.append(F)
        n.append(N)
    found: list[Entry] = []
    for k in reversed(chain.numbers):
        link, i = chain[k], chain[k].antecedent
        if i:
            force = times(link.R, f[k])
            f[i] = f[i] + force
            n[i] = n[i] + (times(link.R, n[k]) + cross(link.P, force))
        if k in chain.moving:
            found.insert(0, dot(back(link.R, link.axis), n[k] if link.revolute else f[k]))
    return found


def moved(i: Motion, link: Link) -> Motion:
    """Return a link's motion from its parent's."""
    R, P, z = link.R, link.P, link.axis
    w, wd = i.w, i.wd
    pdd = gathered(i.pdd, crossed(i.wd, P), crossed(i.w, crossed(i.w, P)))
    if link.revolute:
        turning = z * link.qd
        w, wd = gathered(w, turning), gathered(wd, z * link.qdd, crossed(w, turning))
    elif link.prismatic:
        pdd = gathered(pdd, z * link.qdd, crossed(w, z * (2.0 * link.qd)))
    return Motion(back(R, w), back(R, wd), back(R, pdd))


def wrench(j: Motion, link: Link) -> tuple[Vector, Vector]:
    """Return the force and the moment about the origin that a link's motion requires."""
    F = gathered(j.pdd * link.m, crossed(j.wd, link.S), crossed(j.w, crossed(j.w, link.S)))
    if j.w is ZERO:
        return F, cross(link.S, j.pdd)
    return F, times(link.J, j.wd) + cross(j.w, times(link.J, j.w)) + cross(link.S, j.pdd)


def back(R: Matrix, v: Vector) -> Vector:
    """Return Rᵀ v; the base at rest stays at rest."""
    return v if v is ZERO else times([column(R, k) for k in range(3)], v)
