"""Grigorov (2013): a generalized Newton-Euler method with M, H and G as explicit sums, equations (5)-(13).

Each link i, seen from joint j, adds to the moment about z_j: (12)
    M_jk = Σ_i z_j · ( ʲR_i N_ik + ʲP_i × ʲR_i F_ik ),  i ≥ max(j, k): the links that both joints carry
    H_j  = Σ_i z_j · ( ʲR_i N_i + ʲP_i × ʲR_i F_i ),    G_j the same with the weights
where F_ik, N_ik is the wrench on link i for a unit acceleration of joint k, and F_i, N_i the wrench due to velocities
alone, with the accelerations C_ε and C_V of (8). The paper has revolute joints and moments about mass centres; here a
prismatic joint takes forces along z_j, and moments are about the frame's origin. It gives τ = M q̈ + H - G and (13), q̈
= M⁻¹(τ - H + G).
"""

from __future__ import annotations

from typing import NamedTuple

from ..spatial.vector import ZERO, Entry, Matrix, Vector, column, cross, times
from .chain import Chain, Link
from .matrices import inner, product

Wrench = tuple[Vector, Vector]


class Place(NamedTuple):
    """A link seen from a joint that carries it: ʲR_i and ʲP_i; also the base seen from it, with the same names."""

    R: Matrix
    P: Vector


def efforts(chain: Chain) -> list[Entry]:
    """Return τ = M q̈ + H - G, (9)."""
    seen = places(chain)
    qdd = [chain[k].qdd for k in chain.moving]
    terms = zip(inertia(chain, seen), velocity(chain, seen), gravity(chain, seen), strict=True)
    return [inner(row, qdd) + (H + own) for row, H, own in terms]


def inertia(chain: Chain, seen: list[dict[int, Place]] | None = None) -> list[list[Entry]]:
    """Return M, the left side of (12)."""
    seen = seen or places(chain)
    entries: dict[tuple[int, int], Entry] = {}
    for k in chain.moving:
        wrenches = {i: unit_wrench(chain[k], chain[i], seen[i][k]) for i in chain.carried(k)}
        for j in chain.carriers[k]:
            entries[j, k] = entries[k, j] = summed(chain, seen, j, wrenches)
    return chain.rows(entries)


def velocity(chain: Chain, seen: list[dict[int, Place]]) -> list[Entry]:
    """Return H: what remains of (5) without accelerations of joints, (8)."""
    w, C_e, C_V = [ZERO], [ZERO], [ZERO]
    wrenches = {}
    for i, link in enumerate(chain.links, 1):
        a = link.antecedent
        R, P = transpose(link.R), link.P
        wi = times(R, w[a])
        rate = link.z * link.qd
        w.append(wi + rate if link.revolute else wi)
        C_e.append(times(R, C_e[a]) + cross(wi, rate) if link.revolute else times(R, C_e[a]))
        C_V.append(times(R, cross(C_e[a], P) + cross(w[a], cross(w[a], P)) + C_V[a]))
        if link.prismatic:
            C_V[i] = C_V[i] + cross(wi, rate) * 2.0
        F = C_V[i] * link.m + cross(C_e[i], link.S) + cross(w[i], cross(w[i], link.S))
        N = times(link.J, C_e[i]) + cross(w[i], times(link.J, w[i])) + cross(link.S, C_V[i])
        wrenches[i] = F, N
    return [summed(chain, seen, j, wrenches) for j in chain.moving]


def gravity(chain: Chain, seen: list[dict[int, Place]]) -> list[Entry]:
    """Return -G, the torques that hold the links' weights."""
    up = [-chain.gravity]
    wrenches = {}
    for i, link in enumerate(chain.links, 1):
        up.append(times(transpose(link.R), up[link.antecedent]))
        wrenches[i] = up[i] * link.m, cross(link.S, up[i])
    return [summed(chain, seen, j, wrenches) for j in chain.moving]


def summed(chain: Chain, seen: list[dict[int, Place]], j: int, wrenches: dict[int, Wrench]) -> Entry:
    """Return the component along z_j of the sum over the links i that joint j carries and that have a wrench."""
    total: Entry = 0.0
    for i, (F, N) in wrenches.items():
        if i == j:
            total = total + (N[2] if chain[j].revolute else F[2])
        elif j in seen[i]:
            R, P = seen[i][j]
            f = times(R, F)
            total = total + ((times(R, N) + cross(P, f))[2] if chain[j].revolute else f[2])
    return total


def unit_wrench(joint: Link, link: Link, place: Place) -> Wrench:
    """Return the wrench on link i for a unit acceleration of joint k, in the link's axes."""
    R = transpose(place.R)
    z = times(R, joint.z)
    if joint.prismatic:
        return z * link.m, cross(link.S, z)
    v = cross(z, times(R, place.P))
    return v * link.m + cross(z, link.S), times(link.J, z) + cross(link.S, v)


def places(chain: Chain) -> list[dict[int, Place]]:
    """Return the place of each link, seen from each joint that carries it; entry 0 is the base's."""
    found: list[dict[int, Place]] = [{}]
    for i, link in enumerate(chain.links, 1):
        own = {}
        for j, (R, P) in found[link.antecedent].items():
            own[j] = Place([Vector(*row) for row in product(R, link.R)], P + times(R, link.P))
        if i in chain.moving:
            o, e = link.z[0], link.z[2]
            own[i] = Place((Vector(e, o, o), Vector(o, e, o), Vector(o, o, e)), Vector(o, o, o))
        found.append(own)
    return found


def transpose(R: Matrix) -> Matrix:
    return [column(R, k) for k in range(3)]
