"""Woliński and Malczyk (2015): spatial operator algebra in joint space, equations (8)-(27).

The links' velocities V = (v, ω), in the base's axes, are V = B V + H q̇ = Φ H q̇ with Φ = (1 - B)⁻¹, (10)-(11); their
wrenches F = Bᵀ F + M V̇ - Ω V - F_G, (16). So D q̈ + C q̇ + G = τ with
    D = Hᵀ Φᵀ M Φ H,  C = Hᵀ Φᵀ ( M Φ ( Ḃ Φ H + Ḣ ) - Ω Φ H ),  G = -Hᵀ Φᵀ F_G          (24)-(26)
H, Φ, M, Ω are operators on all links at once: 6n x 6n here as in the paper. The paper takes velocities at mass centres;
here they are at the origins of the links' frames, which lie on the joints' axes, so M contains the first moments too.

D is never inverted: it has the factors D = (1 + HᵀΦᵀK) Δ (1 + HᵀΦᵀK)ᵀ, which come from a recursion of articulated
inertias P from the tips to the base (Rodriguez, Jain and Kreutz-Delgado 1991): direct dynamics in n steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..models.singular import check_inertia
from ..spatial.vector import ZERO, Entry, Matrix, Vector, column, cross, times
from .chain import Chain, Link
from .hollerbach_3x3 import turned
from .matrices import UNIT, Rows, applied, inner, outer, plus, product, scaled, transposed


class Step(NamedTuple):
    """What one link adds to the operators, in the base's axes: (36)-(39), (45)-(49)."""

    B: Rows  # shift from the parent, 6x6
    Bd: Rows
    H: list[Entry]  # the joint's axis, 6
    Hd: list[Entry]
    M: Rows
    Omega: Rows
    F_G: list[Entry]
    R: Rows
    w: Vector


def efforts(chain: Chain) -> list[Entry]:
    """Return D q̈ + C q̇ + G, (23)."""
    operators = assembled(chain)
    qd, qdd = ([getattr(chain[k], rate) for k in chain.moving] for rate in ("qd", "qdd"))
    D, C, G = (of(chain, operators) for of in (inertia, coriolis, gravity))
    return [inner(d, qdd) + inner(c, qd) + g for d, c, g in zip(D, C, G, strict=True)]


class Operators(NamedTuple):
    """The operators of all links: H, Ḣ (6n x joints), Φ, Ḃ, M, Ω (6n x 6n), F_G (6n)."""

    H: Rows
    Hd: Rows
    Phi: Rows
    Bd: Rows
    M: Rows
    Omega: Rows
    F_G: list[Entry]


def inertia(chain: Chain, operators: Operators | None = None) -> list[list[Entry]]:
    """Return D = Hᵀ Φᵀ M Φ H, (24)."""
    o = operators or assembled(chain)
    J = product(o.Phi, o.H)
    return [list(row) for row in product(transposed(J), product(o.M, J))]


def coriolis(chain: Chain, operators: Operators | None = None) -> list[list[Entry]]:
    """Return C = Hᵀ Φᵀ ( M Φ ( Ḃ Φ H + Ḣ ) - Ω Φ H ), (25). Ḋ - 2C is not skew-symmetric."""
    o = operators or assembled(chain)
    J = product(o.Phi, o.H)
    rate = product(o.Phi, plus(product(o.Bd, J), o.Hd))
    inertial = plus(product(o.M, rate), scaled(product(o.Omega, J), -1.0))
    return [list(row) for row in product(transposed(J), inertial)]


def gravity(chain: Chain, operators: Operators | None = None) -> list[Entry]:
    """Return G = -Hᵀ Φᵀ F_G, (26)."""
    o = operators or assembled(chain)
    return [-x for x in applied(transposed(product(o.Phi, o.H)), o.F_G)]


def assembled(chain: Chain) -> Operators:
    """Return the operators, steps 1 to 4 of the paper's section 3; Φ_j = B_ij Φ_i next to the identity."""
    every = steps(chain)
    o, e = chain[1].A[3][0], chain[1].A[3][3]
    size, places = 6 * len(chain.links), {j: 6 * (j - 1) for j in chain.numbers}
    H, Hd = ([[o] * len(chain.moving) for _ in range(size)] for _ in range(2))
    Phi = [[e if r == c else o for c in range(size)] for r in range(size)]
    Bd, M, Omega = ([[o] * size for _ in range(size)] for _ in range(3))
    for j in chain.numbers:
        step, first, i = every[j], places[j], chain[j].antecedent
        for r in range(6):
            if j in chain.moving:
                k = chain.moving.index(j)
                H[first + r][k], Hd[first + r][k] = step.H[r], step.Hd[r]
            M[first + r][first : first + 6] = step.M[r]
            Omega[first + r][first : first + 6] = step.Omega[r]
            if i:
                Bd[first + r][places[i] : places[i] + 6] = step.Bd[r]
        if i:
            rows = [Phi[places[i] + r][:first] for r in range(6)]
            for r, row in enumerate(product(step.B, rows)):
                Phi[first + r][:first] = row
    return Operators(H, Hd, Phi, Bd, M, Omega, [x for j in chain.numbers for x in every[j].F_G])


def steps(chain: Chain) -> list[Step]:
    """Return each link's part; entry 0 is the base's."""
    found = [Step(UNIT, UNIT, [], [], UNIT, UNIT, [], UNIT, ZERO)]
    for link in chain.links:
        found.append(step(chain, found[link.antecedent], link))
    return found


def step(chain: Chain, i: Step, link: Link) -> Step:
    o, e = link.A[3][0], link.A[3][3]
    R = product(i.R, link.R)
    z, P = column([Vector(*row) for row in R], 2), turned(i.R, link.P)
    w, shifting = i.w, cross(i.w, P)
    axis: tuple[Vector, Vector] = Vector(o, o, o), Vector(o, o, o)
    if link.revolute:
        axis, w = (axis[0], z), w + z * link.qd
    elif link.prismatic:
        axis, shifting = (z, axis[1]), shifting + z * link.qd
    S, J = turned(R, link.S), _vectors(product(R, link.J, transposed(R)))
    zero = [Vector(o, o, o)] * 3
    one = [Vector(e, o, o), Vector(o, e, o), Vector(o, o, e)]
    gyration = [times(J, row) for row in tilde(w)]  # the rows of ω̃ J, as J is symmetric
    return Step(
        blocks(one, _minus(tilde(P)), zero, one),  # (36)
        blocks(zero, _minus(tilde(shifting)), zero, zero),  # (38)
        [*axis[0], *axis[1]],  # (37)
        [*cross(i.w, axis[0]), *cross(i.w, axis[1])],  # (39)
        blocks([x * link.m for x in one], _minus(tilde(S)), tilde(S), J),  # (45)
        blocks(zero, _vectors(product(tilde(w), tilde(S))), zero, _minus(gyration)),  # (47)
        [*(chain.gravity * link.m), *cross(S, chain.gravity)],  # (49)
        R,
        w,
    )


def direct(chain: Chain, tau: Sequence[Entry], rotors: Sequence[Entry]) -> list[Entry]:
    """Return q̈ from the torques that remain for links and rotors, by the factors of D; rotors add to Δ."""
    every = steps(chain)
    effort, rotor = (dict(zip(chain.moving, x, strict=True)) for x in (tau, rotors))
    V: list[list[Entry]] = [[]]
    P: list[Rows] = [UNIT]
    bias: list[list[Entry]] = [[]]  # the part of each link's wrench that does not depend on accelerations
    drift: list[list[Entry]] = [[]]  # Ḃ V + Ḣ q̇
    for j in chain.numbers:
        s, i = every[j], chain[j].antecedent
        own = [x * chain[j].qd for x in s.H]
        V.append([x + y for x, y in zip(applied(s.B, V[i]), own, strict=True)] if i else own)
        turning = [x * chain[j].qd for x in s.Hd]
        drift.append([x + y for x, y in zip(applied(s.Bd, V[i]), turning, strict=True)] if i else turning)
        P.append(s.M)
        bias.append([-x - y for x, y in zip(applied(s.Omega, V[j]), s.F_G, strict=True)])
    gain: dict[int, list[Entry]] = {}
    share: dict[int, Entry] = {}
    for j in reversed(chain.numbers):
        s, i = every[j], chain[j].antecedent
        remaining = P[j]
        bias[j] = [x + y for x, y in zip(bias[j], applied(P[j], drift[j]), strict=True)]
        if j in chain.moving:
            PH = applied(P[j], s.H)
            delta = inner(s.H, PH) + rotor[j]  # Δ
            check_inertia(chain.names[chain.moving.index(j)], delta)
            reciprocal = 1.0 / delta
            gain[j] = [x * reciprocal for x in PH]  # K
            share[j] = (effort[j] - inner(s.H, bias[j])) * reciprocal
            remaining = plus(P[j], scaled(outer(gain[j], PH), -1.0))
            bias[j] = [x + y * share[j] for x, y in zip(bias[j], PH, strict=True)]
        if i:
            back = transposed(s.B)
            P[i] = plus(P[i], product(back, remaining, s.B))
            bias[i] = [x + y for x, y in zip(bias[i], applied(back, bias[j]), strict=True)]
    Vd: list[list[Entry]] = [[]]
    found: list[Entry] = []
    for j in chain.numbers:
        s, i = every[j], chain[j].antecedent
        carried = applied(s.B, Vd[i]) if i else [0.0] * 6
        Vd.append([x + y for x, y in zip(carried, drift[j], strict=True)])
        if j in chain.moving:
            qdd = share[j] - inner(gain[j], carried)
            found.append(qdd)
            Vd[j] = [x + y * qdd for x, y in zip(Vd[j], s.H, strict=True)]
    return found


def tilde(v: Vector) -> Matrix:
    """Return the matrix of the cross product: ṽ x = v × x."""
    o = v[0] * 0.0
    return [Vector(o, -v[2], v[1]), Vector(v[2], o, -v[0]), Vector(-v[1], v[0], o)]


def blocks(a: Matrix, b: Matrix, c: Matrix, d: Matrix) -> Rows:
    """Return a 6x6 matrix from its four 3x3 blocks."""
    return [[*x, *y] for x, y in (*zip(a, b, strict=True), *zip(c, d, strict=True))]


def _minus(matrix: Matrix) -> Matrix:
    return [-row for row in matrix]


def _vectors(rows: Rows) -> Matrix:
    return [Vector(*row) for row in rows]
