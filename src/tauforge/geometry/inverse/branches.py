"""A plan as a Program: every branch of every step, its error, and flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...graph.arrays import Arrays
from ...graph.functions import absolute, atan2, cos, sin
from ...graph.node import Node, Scalar, symbol
from ...models.loops.closed_form.turning import positive
from ...program.array import Array, Shape, inputs, outputs
from ...program.program import Program
from ...robot.robot import Robot
from ...spatial.pose import Pose
from ...spatial.vector import column, cross, dot
from .arm_angle import ARM_ANGLE
from .chain import NOWHERE, Chain, Floats, Motion
from .loop import Loop
from .plan import Plan, placed
from .solve import Found as Solved
from .solve import solutions

SHARP, BLURRED, WEAK = 1e-40, 1e-28, 1e-20
"""Fourth powers of lengths, relative to the arm's size, that are rounding: as a rule, and after a step whose branches
are almost one; and those that determine a joint so weakly that a pose needs a closer look, because it may be rounded
otherwise: to 1e-11, as by a program that reads the angles of a file with twelve digits.
"""
SURE, HOPELESS = 1e-24, 0.25
"""Squared errors of a branch that is a solution, and of one that is not worth refining."""
DOUBTFUL, CLOSE = 1e-10, 1e-12
"""The margin within which two branches may be one, and the squared error of a branch that may be a solution beyond it:
what an earlier step determines weakly can take a later one so far out of reach.
"""
MISSED = 1e-6
"""The squared error of the best branch, if none is a solution, up to which rounding of a step may be why."""
ANGLE_OF_ARM = -1
"""The number of the arm angle among joints."""
ROWS = ("x", "y", "z", "1")


def branches(robot: Robot, chain: Chain, plan: Plan, given: frozenset[int], frame: str) -> Program:
    """Return the Program ``T, near, blur -> q, valid, doubt, error, margin, free, skew``, a row for each branch."""
    names = robot.coordinate_names
    angled = any(step.part for step in plan.steps)
    T = goal(frame)
    near = inputs(
        "near", (*names, *[ARM_ANGLE] * angled), "given joints, and where to leave joints that can be anywhere"
    )
    blur = Array(Shape([]), (symbol("blur"),), "fourth power of relative lengths that are rounding: 1e-40")
    at = {k: motion(chain, k, near) for k in range(len(chain.axes))}
    if angled:
        at[ANGLE_OF_ARM] = Motion(cos(near.nodes[-1]), sin(near.nodes[-1]))
    loop = Loop(chain, Pose.of(T.nodes), {k: at[k] for k in given})
    rows = list(_rows(loop, plan, at, blur.nodes[0], Told(1.0, 0.0, 0.0)))
    q, error, margin, free = list[Scalar](), list[Scalar](), list[Scalar](), list[Scalar]()
    valid, doubt = list[Scalar](), list[Scalar]()
    for motions, told in rows:
        own = list[Scalar](near.nodes[: len(names)])
        for k in chain.real:
            axis = chain.axes[k]
            if k not in given:
                own[axis.place] = motions[k].d if axis.slides else atan2(motions[k].s, motions[k].c)
        q += own
        error.append(Loop(chain, loop.goal, motions).error())
        margin.append(told.margin)
        free.append(told.free)
        valid.append(positive(SURE - error[-1]))
        doubt.append(doubted(error[-1], told, valid[-1]))
    labels = tuple(f"branch{k + 1}" for k in range(len(rows)))
    results = {
        "q": outputs(q, [len(rows), len(names)], [labels, names], "joint coordinates, one row for each branch"),
        "valid": outputs(valid, [len(rows)], [labels], "1 if the branch is a solution, 0 if not"),
        "doubt": outputs([sum(doubt)], [], [], "branches that need a closer look: they may be two or infinitely many"),
        "error": outputs(error, [len(rows)], [labels], "sum of squares by which origin and axes miss the goal"),
        "margin": outputs(margin, [len(rows)], [labels], "how far the goal is within reach; negative beyond"),
        "free": outputs(free, [len(rows)], [labels], "sum of 2**(k-1) over joints k of the chain that can be anywhere"),
        "skew": outputs([skew(T.nodes)], [], [], "sum of squares by which T is not a pose"),
    }
    arguments = {"T": T, "near": near, "blur": blur}
    return Program(f"{robot.name}_inverse_geometry", arguments, results, symbol_order=robot.symbols)


def goal(frame: str) -> Array:
    """Return the input T, the pose of a frame."""
    entries = tuple(symbol(f"T[{i}]") for i in range(16))
    return Array(Shape([4, 4], [ROWS, ("x", "y", "z", "origin")]), entries, f"pose of {frame} relative to the base")


class Told(NamedTuple):
    """What the steps of a branch say about it.

    Attributes
    ----------
    margin
        The least margin of a step.
    free
        Which joints can be anywhere.
    edges
        How many steps have two solutions that may be one. What follows such a step can be wrong by so much that it is
        far out of reach.
    """

    margin: Scalar
    free: Scalar
    edges: Scalar

    def after(self, found: Solved, weight: float) -> Told:
        """Return what is said with one more step."""
        edge = 0.0 if found.margin == 1.0 else positive(DOUBTFUL - absolute(found.margin))
        return Told(least(self.margin, found.margin), self.free + found.free * weight, self.edges + edge)


def doubted(error: Scalar, told: Told, valid: Scalar) -> Scalar:
    """Return 1 for a branch near a singular pose, 0 for any other."""
    almost = positive(HOPELESS - error) * positive(told.margin + DOUBTFUL) + positive(CLOSE - error)
    return positive(told.free + told.edges + (1.0 - valid) * almost)


def skew(T: Sequence[Scalar]) -> Scalar:
    """Return by how much sixteen entries are not those of a pose."""
    x, y, z = (column(Pose.of(T).R.rows, k) for k in range(3))
    off = cross(x, y) - z
    lengths = [dot(v, v) - 1.0 for v in (x, y)]
    *last, one = T[12:]
    found: Scalar = sum((a * a for a in (*lengths, dot(x, y), *last, one - 1.0)), start=dot(off, off))
    return found


def motion(chain: Chain, k: int, near: Array) -> Motion:
    """Return the motion of an axis where its joint has the position in a state."""
    axis = chain.axes[k]
    if axis.place == NOWHERE:
        return Motion(1.0, 0.0)
    value: Node = near.nodes[axis.place]
    return Motion(d=value) if axis.slides else Motion(cos(value), sin(value))


def _rows(
    loop: Loop, plan: Plan, at: dict[int, Motion], blur: Scalar, told: Told, done: int = 0
) -> Iterator[tuple[dict[int, Motion], Told]]:
    """Yield the motions of all joints, and what the steps say, for each branch."""
    if done == len(plan.steps):
        yield dict(loop.known), told
        return
    step = plan.steps[done]
    seen = step.part.loop(loop, at[ANGLE_OF_ARM]) if step.part else loop
    for found in solutions(seen, step, at[step.joint], blur):
        known = {**loop.known, step.joint: found.motion}
        more = told.after(found, float(2**step.joint))
        yield from _rows(Loop(loop.chain, loop.goal, known), plan, at, blur, more, done + 1)


def least(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller of two margins."""
    if a is b or b == 1.0:
        return a
    return b if a == 1.0 else 0.5 * (a + b - absolute(a - b))


def promise(robot: Robot, chain: Chain, plan: Plan, given: frozenset[int]) -> float:
    """Return how many solutions poses of an arm have in the mean if joints are given anywhere."""
    random, count = np.random.default_rng(17), 64
    numbers, n = chain.numbers(), len(robot.coordinate_names)
    q = random.uniform(-2.0, 2.0, (n, count))
    motions = {k: _moved(numbers, k, q[numbers.axes[k].place]) for k in numbers.real}
    program = branches(robot, chain, plan, given, "")
    values = {f"T[{i}]": x for i, x in enumerate(placed(numbers, motions).homogeneous)}
    values |= {f"near[{i}]": random.uniform(-2.0, 2.0, count) for i in range(n)} | {"blur": SHARP}
    wide = {name: np.broadcast_to(np.asarray(x, dtype=float), (count,)) for name, x in values.items()}
    found = Arrays(program.results["margin"].nodes)(wide, count)
    return float((found > 0.0).sum(axis=1).mean())


def _moved(chain: Chain, k: int, q: Floats) -> Motion:
    return Motion(d=q) if chain.axes[k].slides else Motion(np.cos(q), np.sin(q))
