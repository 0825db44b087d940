"""Closed loops in the coordinates of the tree: accelerations, the way back to the loops, and how well both are known.

With M and h of the open tree, and the loops' equations J q̇ = 0,

    M q̈ + Jᵀ λ = τ - h,    J q̈ = -J̇ q̇

Errors of q and q̇ are taken away by the smallest steps that the mass matrix knows: δq = -M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ e.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..graph.functions import absolute, sqrt
from ..graph.node import ONE, ZERO, Node, Scalar, as_node, is_zero, symbol
from ..graph.rewrite import replaced
from ..models.bias import bias
from ..models.coordinates import Coordinates
from ..models.inertia_matrix import inertia_matrix
from ..models.loops.closure import gaps, rows
from ..models.loops.freedom import freedom
from ..models.loops.search import mechanism_of
from ..program.array import Array, Shape, inputs
from ..program.program import Program
from ..robot.entries import axis_names, by_joint, owners
from ..robot.robot import Robot
from ..spatial.solve import solve

SMALL = 1e-12


class Parts(NamedTuple):
    M: list[list[Node]]
    h: list[Node]
    J: list[list[Node]]
    rate: list[Node]
    left: list[Node]
    arguments: dict[str, Array]


def opened(robot: Robot) -> Robot:
    return robot.expanded().derived(loops=())


@lru_cache(maxsize=32)
def independent_places(robot: Robot) -> tuple[int, ...]:
    """Return where the velocities of the independent joints are among those of all."""
    axes = axis_names(robot.expanded())
    return tuple(axes.index(name) for name in robot.velocity_names)


@lru_cache(maxsize=16)
def chosen_rows(robot: Robot) -> tuple[int, ...]:
    whole = robot.expanded()
    q = freedom(whole).q
    J = mechanism_of(whole).equations(q)
    basis, kept = np.zeros((0, J.shape[1])), []
    size = np.abs(J).max()
    for i, row in enumerate(J):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)
        if np.linalg.norm(rest) > 1e-6 * size:
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
            kept.append(i)
    return tuple(kept)


@lru_cache(maxsize=16)
def parts(robot: Robot, wrenches: bool = False) -> Parts:
    tree = opened(robot)
    inertia, forces = inertia_matrix(tree), bias(tree, external_wrenches=wrenches)
    n = forces.inputs["qd"].size
    m = inertia.results["M"].nodes
    M = [list(m[i * n : (i + 1) * n]) for i in range(n)]
    whole = robot.expanded().map(as_node)
    q, qd = (forces.arguments[name].nodes if name in forces.arguments else inertia.arguments[name].nodes for name in ("q", "qd"))
    coordinates = Coordinates.of_tree(whole)
    values, speeds = by_joint(whole, q), coordinates.velocities(qd)
    J, rates = rows(whole, values, speeds, whole=True)
    axes = sum(coordinates.widths)
    keep = chosen_rows(robot)
    Js = [[as_node(x) for x in coordinates.gathered([J[i].get(k, 0.0) for k in range(axes)])] for i in keep]
    speeds_by_axis = [x for own in speeds for x in own]
    rate = []
    for i in keep:
        total: Scalar = 0.0
        for k, v in enumerate(speeds_by_axis):
            x = rates[i].get(k, 0.0)
            if not is_zero(x):
                total = total + x * v
        rate.append(as_node(total))
    left = [x for gap in gaps(whole, values) for x in gap.parts]
    return Parts(M, list(forces.results["h"].nodes), Js, rate, [as_node(left[i]) for i in keep], {**inertia.arguments, **forces.arguments})


def _minimum(a: Node, b: Node) -> Node:
    return as_node((a + b - absolute(a - b)) * 0.5)


def multipliers(M: list[list[Node]], J: list[list[Node]], b: Sequence[Node]) -> tuple[list[Node], Node, list[Node]]:
    """Return M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ b, and how far the equations are from losing rank: one where they do not depend."""
    no = lambda *a: None
    Z = [solve(M, row, no) for row in J]
    A = [[ZERO] * len(J) for _ in J]
    for i, row in enumerate(J):
        for k in range(i + 1):
            A[i][k] = _dot(J[k], Z[i])
    d = [sqrt(A[i][i]) for i in range(len(J))]
    for i in range(len(J)):
        for k in range(i + 1):
            A[i][k] = as_node(A[i][k] / (d[i] * d[k])) if i != k else as_node(1.0 + SMALL)
    # L D Lᵀ from the top
    n = len(A)
    L = [row[:] for row in A]
    D: list[Node] = []
    for k in range(n):
        pivot = L[k][k]
        D.append(pivot)
        inv = as_node(1.0 / pivot)
        col = {i: as_node(L[i][k] * inv) for i in range(k + 1, n) if L[i][k] is not ZERO}
        for i in col:
            for j in col:
                if j <= i:
                    L[i][j] = as_node(L[i][j] - col[i] * L[j][k])
        for i in col:
            L[i][k] = col[i]
    x = [as_node(bi / di) for bi, di in zip(b, d, strict=True)]
    for i in range(n):
        for k in range(i):
            if L[i][k] is not ZERO:
                x[i] = as_node(x[i] - L[i][k] * x[k])
    x = [as_node(xi / di) for xi, di in zip(x, D, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            if L[k][i] is not ZERO:
                x[i] = as_node(x[i] - L[k][i] * x[k])
    lam = [as_node(xi / di) for xi, di in zip(x, d, strict=True)]
    margin = D[0]
    for pivot in D[1:]:
        margin = _minimum(margin, pivot)
    found = [ZERO] * len(M)
    for z, f in zip(Z, lam, strict=True):
        found = [as_node(a + f * c) if not is_zero(c) else a for a, c in zip(found, z, strict=True)]
    return found, as_node(sqrt(absolute(margin))), lam


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Node:
    total: Scalar = ZERO
    for x, y in zip(a, b, strict=True):
        if not is_zero(x) and not is_zero(y):
            total = total + x * y
    return as_node(total)


@lru_cache(maxsize=16)
def accelerations(robot: Robot, wrenches: bool = False) -> Program:
    """Return the Program ``q, qd, tau -> qdd`` by the axes of the tree."""
    p = parts(robot, wrenches)
    names = axis_names(robot.expanded())
    tau = inputs("tau", names, "torques")
    no = lambda *a: None
    free = solve(p.M, [as_node(a - b) for a, b in zip(tau.nodes, p.h, strict=True)], no)
    b = [as_node(-r - _dot(row, free)) for row, r in zip(p.J, p.rate, strict=True)]
    back, _, lam = multipliers(p.M, p.J, b)
    qdd = [as_node(a + c) for a, c in zip(free, back, strict=True)]
    arguments = {**p.arguments, "tau": tau}
    order = [name for name in ("q", "qd", "tau", "wrenches") if name in arguments]
    return Program("accelerations", {name: arguments[name] for name in order}, {"qdd": Array(Shape([len(names)], [names]), tuple(qdd)), "multipliers": Array(Shape([len(lam)]), tuple(lam))})


@lru_cache(maxsize=16)
def projection(robot: Robot) -> Program:
    """Return the Program ``q, qd -> q, qd, margin`` on the loops."""
    from ..models.configuration import _moved

    p = parts(robot, False)
    whole = robot.expanded().map(as_node)
    q, qd = p.arguments["q"].nodes, p.arguments["qd"].nodes
    tree = Coordinates.of_tree(whole)
    now: Sequence[Node] = q
    for _ in range(2):
        by = dict(zip(q, now, strict=True))
        def at(nodes: Sequence[Node]) -> list[Node]:
            new = replaced(nodes, by)
            return [new[x] for x in nodes]
        M, J, left = [at(r) for r in p.M], [at(r) for r in p.J], at(p.left)
        step, _, _ = multipliers(M, J, [as_node(-x) for x in left])
        moved = _moved(whole, by_joint(whole, now), tree.velocities(step))
        now = [as_node(x) for j in owners(whole) for x in moved[j]]
    by = dict(zip(q, now, strict=True))
    M, J = ([[ (lambda n: replaced([n], by)[n])(x) for x in r] for r in m] for m in (p.M, p.J))
    back, margin, _ = multipliers(M, J, [as_node(-_dot(row, qd)) for row in J])
    v = [as_node(a + c) for a, c in zip(qd, back, strict=True)]
    return Program("projection", {"q": p.arguments["q"], "qd": p.arguments["qd"]},
        {"q": Array(Shape([len(q)]), tuple(now)), "qd": Array(Shape([len(v)]), tuple(v)), "margin": Array(Shape([]), (margin,))})


def margin_of(robot: Robot, q: Sequence[Node]) -> Node:
    """Return how well the independent joints determine all others: one at best, zero where they do not."""
    whole = robot.expanded().map(as_node)
    coordinates = Coordinates.of(whole, by_joint(whole, q))
    sizes = _sizes(robot)
    axes = [name for joint in whole.joints for name in ([joint.name + part for part in joint.axes])]
    scale = {name: x for name, x in zip(axis_names(whole), sizes, strict=True)}
    total = ONE
    for name, row in zip(axes, coordinates.G or (), strict=True):
        if name in scale and name not in coordinates.names:
            for k, x in row.items():
                y = x * (scale[name] / scale[coordinates.names[k]])
                total = as_node(total + y * y)
    return as_node(1.0 / sqrt(total))


def _sizes(robot: Robot) -> list[float]:
    """Return a factor for each axis that makes lengths angles."""
    whole = robot.expanded()
    linear = []
    q = freedom(whole).q
    J = mechanism_of(whole).equations(q)
    found = []
    for j in owners(whole):
        joint = whole.joints[j - 1]
        found += [joint.kind.word == "prismatic" or part in (".vx", ".vy", ".vz") for part in joint.axes]
    big = np.abs(J).max(initial=1e-9)
    return [1.0 / min(max(big, 1e-3), 1e3) if x else 1.0 for x in found]


@lru_cache(maxsize=16)
def watched(robot: Robot) -> Program:
    """Return the Program ``q, qd -> velocities, margin``: all joints' from the independent ones, and how well."""
    from dataclasses import replace

    from ..models.joint_motion import joint_motion

    motion = joint_motion(robot)
    names = motion.outputs["velocities"].labels[0]
    place = {name: k for k, name in enumerate(names)}
    axes = axis_names(robot.expanded())
    v = [motion.results["velocities"].nodes[place[name]] for name in axes]
    q = motion.arguments["q"]
    return Program("watched", {"q": replace(q, tangent=None), "qd": motion.arguments["qd"]},
        {"velocities": Array(Shape([len(v)], [axes]), tuple(v)), "margin": Array(Shape([]), (margin_of(robot, q.nodes),))})
