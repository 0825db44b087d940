"""Kane's equations: partial velocities and generalized speeds, section 6 of Meghdari, after Kane and Levinson (1983).

The generalized speeds are the joints' rates. The velocity of a link is linear in them; the factors of u_r are its
partial velocities v_r (of its frame's origin) and ω_r, here in the link's own axes. Joint forces that do no work drop
out of the generalized forces, which need no differentiation of energies:
    τ_r = Σ_j v_r · F_j + ω_r · N_j
where F_j and N_j are the inertial wrench of link j at its origin minus its weight, and j runs over the links that joint
r carries. With the part of the wrench that q̈_s causes, M_rs = Σ_j v_r · (m v_s + ω_s × S) + ω_r · (I ω_s + S × v_s).
"""

from __future__ import annotations

from ..spatial.vector import ZERO, Entry, Vector, cross, dot, times
from .chain import Chain, Link
from .matrices import crossed, gathered
from .newton_euler_link import Motion, back, moved, wrench

Partial = tuple[Vector, Vector]
"""Partial velocity of a link's origin and partial angular velocity, in its axes."""


def efforts(chain: Chain) -> list[Entry]:
    """Return the torques of all joints."""
    at = [Motion(ZERO, ZERO, -chain.gravity)]
    for link in chain.links:
        at.append(moved(at[link.antecedent], link))
    return generalized(chain, [wrench(j, link) for j, link in zip(at[1:], chain.links, strict=True)])


def inertia(chain: Chain) -> list[list[Entry]]:
    """Return the inertia matrix M_rs."""
    partial = partial_velocities(chain)
    entries: dict[tuple[int, int], Entry] = {}
    for s in chain.moving:
        for r in chain.carriers[s]:
            each = [along(partial[j][r], unit_wrench(chain[j], *partial[j][s])) for j in chain.carried(s)]
            entries[r, s] = entries[s, r] = sum(each[1:], start=each[0])
    return chain.rows(entries)


def generalized(chain: Chain, wrenches: list[Partial]) -> list[Entry]:
    """Return the generalized forces of wrenches on the links."""
    partial = partial_velocities(chain)
    found = []
    for r in chain.moving:
        each = [along(partial[j][r], wrenches[j - 1]) for j in chain.carried(r)]
        found.append(sum(each[1:], start=each[0]))
    return found


def partial_velocities(chain: Chain) -> list[dict[int, Partial]]:
    """Return the partial velocities of each link for the joints that carry it; entry 0, the base's, is empty."""
    found: list[dict[int, Partial]] = [{}]
    for j, link in enumerate(chain.links, 1):
        own = {}
        for r, (v, w) in found[link.antecedent].items():
            own[r] = back(link.R, gathered(v, crossed(w, link.P))), back(link.R, w)
        if j in chain.moving:
            own[j] = (ZERO, link.z) if link.revolute else (link.z, ZERO)
        found.append(own)
    return found


def unit_wrench(link: Link, v: Vector, w: Vector) -> Partial:
    """Return the wrench of a link at rest that accelerates with v and w."""
    if w is ZERO:
        return v * link.m, cross(link.S, v)
    return gathered(v if v is ZERO else v * link.m, cross(w, link.S)), gathered(times(link.J, w), crossed(link.S, v))


def along(partial: Partial, force: Partial) -> Entry:
    """Return the component of a wrench along a partial velocity."""
    (v, w), (f, n) = partial, force
    return dot(w, n) if v is ZERO else dot(v, f) if w is ZERO else dot(v, f) + dot(w, n)
