"""What bundled robots are made of: bodies in numbers, and the symbols that can take their place."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..graph.node import Scalar, as_node
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector
from .parameters import symbolic as made_symbolic
from .robot import Robot


@cache
def solid(
    mass: float,
    com: tuple[float, float, float],
    about_com: tuple[float, float, float],
    products: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Inertia:
    """Return a body from its mass, its centre of mass, and its moments XX, YY, ZZ and products XY, XZ, YZ about it."""
    (XX, YY, ZZ), (XY, XZ, YZ) = about_com, products
    point = Inertia(M=as_node(mass)).shifted(Vector(*map(as_node, com)))  # nodes are rounded once, floats at each step
    return Inertia(*map(float, Inertia(XX, XY, XZ, YY, YZ, ZZ).plus(point)))


def rod(length: float, mass: float) -> Inertia:
    """Return a uniform thin rod along x, from the frame's origin."""
    about_com = float(as_node(mass) * length * length / 12)
    return solid(mass, (length / 2, 0.0, 0.0), (0.0, about_com, about_com))


def bar(length: float, mass: float, width: float) -> Inertia:
    """Return a uniform bar of square section along x, from the frame's origin."""
    m, square = as_node(mass), as_node(width) * width
    across = float(m * (as_node(length) * length + square) / 12)
    return solid(mass, (length / 2, 0.0, 0.0), (float(m * square / 6), across, across))


def symbolic(robot: Robot, same: Mapping[str, Scalar] | None = None) -> Robot:
    """Make every inertial parameter and every length that is not zero a symbol; leave rotors and friction out.

    These are the conditions of published operation counts. ``same`` has the expressions of lengths that depend on
    others.
    """
    return made_symbolic(robot, lengths=True, same=same).neglect("IA", "FV", "FS")
