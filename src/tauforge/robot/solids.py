"""What bundled robots are made of: bodies in numbers, and the symbols that can take their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from ..graph.node import Scalar, as_node, is_zero, symbol
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector
from .robot import Robot


@cache
def solid(mass: float, com: tuple[float, float, float], about_com: tuple[float, float, float]) -> Inertia:
    """Return a body from its mass, its centre of mass, and its moments of inertia about that point."""
    XX, YY, ZZ = about_com
    point = Inertia(M=as_node(mass)).shifted(Vector(*map(as_node, com)))  # nodes are rounded once, floats at each step
    return Inertia(*map(float, Inertia(XX=XX, YY=YY, ZZ=ZZ).plus(point)))


def rod(length: float, mass: float) -> Inertia:
    """Return a uniform thin rod along x, from the frame's origin."""
    about_com = float(as_node(mass) * length * length / 12)
    return solid(mass, (length / 2, 0.0, 0.0), (0.0, about_com, about_com))


def bar(length: float, mass: float, width: float) -> Inertia:
    """Return a uniform bar of square section along x, from the frame's origin."""
    m, square = as_node(mass), as_node(width) * width
    across = float(m * (as_node(length) * length + square) / 12)
    return solid(mass, (length / 2, 0.0, 0.0), (float(m * square / 6), across, across))


def symbols(j: int) -> Inertia:
    """Return the inertial parameters of link j as symbols."""
    return Inertia(*(symbol(f"{name}{j}") for name in Inertia._fields))


def symbolic(robot: Robot, same: Mapping[str, Scalar] | None = None) -> Robot:
    """Make every inertial parameter and every length that is not zero a symbol; leave rotors and friction out.

    Lengths of cut joints and their frames get the numbers that follow those of the joints. ``same`` has the expressions
    of lengths that depend on others.
    """
    known = same or {}

    def length(x: Scalar, name: str) -> Scalar:
        return x if is_zero(x) else known.get(name, symbol(name))

    cuts = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    joints = [
        replace(x, b=length(x.b, f"B{j}"), d=length(x.d, f"D{j}"), r=length(x.r, f"RL{j}"))
        for j, x in enumerate([*robot.joints, *cuts], 1)
    ]
    own, ends = joints[: len(robot.joints)], joints[len(robot.joints) :]
    pairs = zip(robot.loops, ends[::2], ends[1::2], strict=True)
    return replace(
        robot,
        joints=tuple(own),
        bodies=tuple(replace(body, inertia=symbols(j)) for j, body in enumerate(robot.bodies, 1)),
        loops=tuple(replace(loop, joint=joint, frame=frame) for loop, joint, frame in pairs),
    ).neglect("IA", "FV", "FS")
