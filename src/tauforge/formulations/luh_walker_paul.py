"""Luh, Walker and Paul (1980) by their own count: the recursion of newton_euler_link.py, at a lower cost per link.

A rotation is two plane rotations (8 multiplications and 4 additions, not 9 and 6), and the joint's axis is the third
axis of the frame, so its rates are added to one component. As in the paper, the moment of the next link is moved to
this one in the next link's axes,
    n_i = N_i + Σ R( n_j + (Rᵀ P) × f_j ),  τ_j = (Rᵀ z) · n_j.
"""

from __future__ import annotations

from ..spatial.vector import ZERO, Entry, Vector, cross, dot, times
from .chain import Chain, Link
from .newton_euler_link import Motion


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques by both recursions."""
    at = [Motion(ZERO, ZERO, -chain.gravity)]
    f, n = [ZERO], [ZERO]
    for link in chain.links:
        j = moved(at[link.antecedent], link)
        at.append(j)
        f.append(j.pdd * link.m + cross(j.wd, link.S) + cross(j.w, cross(j.w, link.S)))
        n.append(times(link.J, j.wd) + cross(j.w, times(link.J, j.w)) + cross(link.S, j.pdd))
    found: list[Entry] = []
    for k in reversed(chain.numbers):
        link, i = chain[k], chain[k].antecedent
        if i:
            f[i] = f[i] + link.turn.forth(f[k])
            n[i] = n[i] + link.turn.forth(n[k] + cross(link.turn.back(link.P), f[k]))
        if k in chain.moving:
            found.insert(0, dot(link.turn.back(link.axis), n[k] if link.revolute else f[k]))
    return found


def moved(i: Motion, link: Link) -> Motion:
    """Return a link's motion from its parent's."""
    back, P = link.turn.back, link.P
    w, wd = (x if x is ZERO else back(x) for x in (i.w, i.wd))
    pdd = back(i.pdd + cross(i.wd, P) + cross(i.w, cross(i.w, P)))
    rate = Vector(link.z[0], link.z[1], link.qd)
    if link.revolute:
        turned = w if w is ZERO else cross(w, rate)
        wd = Vector(wd[0] + turned[0], wd[1] + turned[1], wd[2] + link.qdd)
        w = Vector(w[0], w[1], w[2] + link.qd)
    elif link.prismatic:
        pdd = pdd + cross(w, rate) * 2.0
        pdd = Vector(pdd[0], pdd[1], pdd[2] + link.qdd)
    return Motion(w, wd, pdd)
