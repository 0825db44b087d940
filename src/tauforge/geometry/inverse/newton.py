"""Newton's step of an arm as a Program: how far its frame is from a goal, and how joints make up for it."""

from __future__ import annotations

from ...graph.functions import absolute, sqrt
from ...graph.node import Scalar
from ...program.array import inputs, outputs
from ...program.program import Program
from ...robot.robot import Robot
from ...runtime.function import Function
from ...spatial.pose import Pose
from ...spatial.vector import Vector, column, cross, dot
from .branches import goal, motion
from .chain import Chain
from .loop import Loop, ways
from .orthogonal import least_squares

FAR = 0.5
"""The largest step of all joints together, in radians or in metres, or in parts of large arms' size."""
SMALL = 1e-100
"""What keeps a division from failing."""


def newton(robot: Robot, chain: Chain, held: frozenset[int]) -> Function:
    """Return ``q, T -> next, error``: the state after a step of all joints but those held, and how far the frame was
    from the goal before, in radians and in metres, or in parts of large arms' size. What the aim leaves free does not
    count.
    """
    names, n = robot.coordinate_names, len(chain.axes)
    q, T = inputs("q", names, "state"), goal("frame")
    scale = chain.scale
    loop = Loop(chain, Pose.of(T.nodes), {k: motion(chain, k, q) for k in chain.real})
    whole = ways(n, 0, n)[0]
    axes = [loop.carried(whole, column(chain.end.R.rows, k), False) for k in range(3)]
    P = loop.carried(whole, chain.end.P, True)
    way = (loop.goal.P - P) * (1.0 / scale)
    turn, seen, square = Vector(0.0, 0.0, 0.0), chain.measured, dot(way, way)
    for k in (0, 1, 2) if len(seen) == 2 else seen:
        wanted = column(loop.goal.R.rows, k)
        turn = turn + cross(axes[k], wanted) * (0.5 if len(seen) == 2 else 1.0)
        off = wanted - axes[k]
        square = square + dot(off, off) * (0.5 if len(seen) == 2 else 1.0)
    free, columns = [k for k in chain.real if k not in held], list[list[Scalar]]()
    for k in free:
        before, axis = ways(n, 0, k)[0], chain.axes[k]
        h = loop.carried(before, axis.h, False)
        w = Vector(0.0, 0.0, 0.0) if axis.slides else h
        if len(seen) == 1:
            w = w - axes[2] * dot(axes[2], w)
        v = h if axis.slides else cross(h, P - loop.carried(before, axis.o, True)) * (1.0 / scale)
        columns.append([*v, *(w if seen else ())])
    errors = [*way, *(turn if seen else ())]
    moves = least_squares([[own[i] for own in columns] for i in range(len(errors))], errors)
    after, size = list[Scalar](q.nodes), sqrt(sum((x * x for x in moves), start=SMALL))
    part = 2.0 * FAR / (size + FAR + absolute(size - FAR))
    for k, move in zip(free, moves, strict=True):
        axis = chain.axes[k]
        after[axis.place] = q.nodes[axis.place] + move * (part * scale if axis.slides else part)
    results = {
        "next": outputs(after, [len(names)], [names], "state after a step"),
        "error": outputs([sqrt(square)], [1], [("error",)], "how far the frame was from the goal"),
    }
    return Function(Program(f"{robot.name}_newton", {"q": q, "T": T}, results), warn=False)
