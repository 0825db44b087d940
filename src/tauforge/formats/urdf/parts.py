"""The contents of a URDF's links and joints: origins, axes, inertias, visuals, limits, friction, masters."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations
from typing import Any, NamedTuple

from ...robot.body import NO_INERTIA, Visual
from ...robot.joint import Limits
from ...robot.kinds import FIXED, FLOATING, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, UNIVERSAL
from ...robot.placement import placement
from ...spatial.inertia import Inertia
from ...spatial.pose import HERE, Pose
from ...spatial.rotation import Rotation, Rows
from ...spatial.vector import UNITS, ZERO, Vector, cross
from ..angles import quarters
from ..xml import Document, Element, children
from .tree import Connection

SIGMA = {
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "fixed": FIXED,
    "floating": FLOATING,
    "planar": PLANAR,
    "spherical": SPHERICAL,
    **{f"ujoint_{first}{second}": UNIVERSAL for first, second in permutations("xyz", 2)},
}
"""The kind of joint for each type; spherical and universal ones (by their two axes) only occur in side files."""
PASSIVE = ("floating", *list(SIGMA)[6:])
"""Types of joints that have no motor unless a side file says so."""
LARGEST = 1.7976931348623157e308
"""Written if there is no limit, because URDF cannot express that."""
ROUNDING = 1e-3
"""Relative error that an inertia can have because a file gives few digits."""
LARGE = 1e3
"""Below it, a number of at most twelve decimals is a multiple of 1e-12 in one way only."""
UNITS_OF_PRODUCTS = (10**24, 10**36)
"""How many units products of two and of three such multiples have."""
SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
SHAPES = {"cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}
"""The attributes for the sizes of shapes that have one attribute per size."""


def origin(doc: Document, parts: dict[str, Element], snap: float) -> Pose:
    """Return the pose given by <origin>; the identity if there is none."""
    element = parts.get("origin")
    if element is None:
        return HERE
    P = Vector(*doc.numbers(element, "xyz", 3, ZERO))
    rpy = doc.numbers(element, "rpy", 3, ZERO)
    if rpy == ZERO:
        return Pose(arm=P) if any(P) else HERE
    (cr, sr), (cp, sp), (cy, sy) = (_turned(angle, snap) for angle in rpy)
    R = (
        Vector(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        Vector(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        Vector(-sp, cp * sr, cp * cr),
    )
    return Pose(Rotation.of(R), P)


def _turned(angle: float, snap: float) -> tuple[float, float]:
    """Return cosine and sine of an angle, exact for quarter turns."""
    whole = quarters(angle, snap)
    return (math.cos(angle), math.sin(angle)) if whole is None else _QUARTERS[whole % 4]


class Turned(NamedTuple):
    """A frame relative to a link's, and the link's relative to it: its pose, and the parameters of a joint there."""

    own: Pose
    link: Pose
    parameters: dict[str, Any]

    @classmethod
    def of(cls, rows: Rows) -> Turned:
        """Return a frame with the link's origin, from the rows of its rotation."""
        own = Pose(Rotation.of(rows))
        link = own.inverse()
        return cls(own, link, placement(link))


def own_frame(doc: Document, joint: Connection, snap: float) -> Turned | None:
    """Return the frame whose z is the joint's axis; None if it is the link's.

    It is reached by the shortest rotation, as in Drake and MuJoCo; this determines x and y of a planar joint.
    Floating and spherical joints have the link's, and x of a universal joint's frame is its second axis.
    """
    if joint.kind in ("floating", "spherical"):
        return None
    if SIGMA[joint.kind] == UNIVERSAL:
        first, second = (UNITS["xyz".index(letter)] for letter in joint.kind[-2:])
        x, y, z = second, cross(first, second), first
        return Turned.of((Vector(x[0], y[0], z[0]), Vector(x[1], y[1], z[1]), Vector(x[2], y[2], z[2])))
    element = joint.parts.get("axis")
    axis = (1.0, 0.0, 0.0) if element is None else doc.numbers(element, "xyz", 3, (1.0, 0.0, 0.0))
    if not any(axis):
        raise doc.fault(element, 'the axis is zero and has no direction; write for example xyz="0 0 1"')
    return _along(axis, snap)


@lru_cache(maxsize=64)  # the same few axes occur again and again
def _along(axis: tuple[float, ...], near: float) -> Turned | None:
    """Return a frame whose z has the given direction; None if that is z itself."""
    largest = max(map(abs, axis))
    a = tuple(x / largest for x in axis)  # so that squares neither vanish nor overflow
    length = math.hypot(*a)
    z = Vector(*(0.0 if abs(x) <= near * length else x for x in a))
    z = z * (1 / math.hypot(*z))
    if z == UNITS[2]:
        return None
    across = z[0] * z[0] + z[1] * z[1]
    k = 1 / (1 + z[2]) if z[2] >= 0 else (1 - z[2]) / across if across else 0.0  # no difference of nearly equal numbers
    own = (
        Vector(1 - z[0] * z[0] * k, -z[0] * z[1] * k, z[0]),
        Vector(-z[0] * z[1] * k, 1 - z[1] * z[1] * k if across else -1.0, z[1]),
        Vector(-z[0], -z[1], z[2]),
    )
    return Turned.of(own)


def inertial(doc: Document, link: Element, at: Pose, snap: float) -> tuple[Inertia, bool]:
    """Return a link's inertia in another frame, given the pose of its own there, and whether a body can have it."""
    element = next(link.iterchildren("inertial"), None)
    if element is None:
        return NO_INERTIA, True
    parts = children(element)
    if _lacks(doc, element, parts, "mass", ("value",), "the link has no inertia"):
        return NO_INERTIA, True
    mass = doc.number(parts["mass"], "value")
    if mass < 0:
        raise doc.fault(parts["mass"], f"the mass is {mass:g}; it must not be negative")
    lacks = _lacks(doc, element, parts, "inertia", SIX, "the link is a point mass, all of whose moments are zero")
    six = (0.0,) * 6 if lacks else doc.each(parts["inertia"], SIX)
    return about_origin(mass, six, at.then(origin(doc, parts, snap))), is_possible(mass, six)


def _lacks(
    doc: Document, element: Element, parts: dict[str, Element], tag: str, keys: tuple[str, ...], reading: str
) -> bool:
    """Tell whether an <inertial> lacks an element or an attribute that has a lenient reading."""
    if tag not in parts:
        doc.excuse(
            element, f"<{tag}> is missing", "write it, or leave out <inertial> for a link without inertia", reading
        )
        return True
    missing = [key for key in keys if parts[tag].get(key) is None]
    if missing:
        doc.excuse(parts[tag], f"{', '.join(missing)} is missing", f'write {missing[0]}="…"', reading)
    return bool(missing)


def is_possible(mass: float, six: tuple[float, ...]) -> bool:
    """Tell whether a body of some mass can have an inertia matrix about its centre of mass, up to rounding.

    It can if the matrix of its second moments, ½ tr(J) I - J, is positive: then J is positive too, and no moment is
    larger than the sum of the other two.
    """
    if not any(six):
        return True  # a point, or nothing
    XX, XY, XZ, YY, YZ, ZZ = six
    trace = XX + YY + ZZ
    if trace <= 0 or mass == 0:
        return False
    xx, yy, zz = (0.5 - x / trace + ROUNDING for x in (XX, YY, ZZ))
    xy, xz, yz = (-x / trace for x in (XY, XZ, YZ))
    corner = xx * yy - xy * xy
    return xx > 0 and corner > 0 and zz * corner + xy * xz * yz * 2 > xx * yz * yz + yy * xz * xz


def about_origin(mass: float, six: tuple[float, ...], at: Pose) -> Inertia:
    """Return the inertia of a body in a frame, given the pose there of its centre of mass and the axes of its matrix.

    Numbers with up to twelve decimals are multiplied exactly and rounded once: their products have few digits too.
    """
    numbers = (*at.R.of_symmetric(six), *at.P, mass)
    if not any(at.P):
        return Inertia._make((*numbers[:6], 0.0, 0.0, 0.0, mass))
    whole = _whole(numbers)
    XX, XY, XZ, YY, YZ, ZZ, x, y, z, m = whole or numbers
    second, third = UNITS_OF_PRODUCTS if whole else (1.0, 1.0)
    MX, MY, MZ = m * x, m * y, m * z
    xx, yy, zz = MX * x, MY * y, MZ * z
    return Inertia(
        (XX * second + yy + zz) / third,
        (XY * second - MX * y) / third,
        (XZ * second - MX * z) / third,
        (YY * second + xx + zz) / third,
        (YZ * second - MY * z) / third,
        (ZZ * second + xx + yy) / third,
        MX / second,
        MY / second,
        MZ / second,
        mass,
    )


def _whole(numbers: tuple[float, ...]) -> list[int]:
    """Return numbers in units of 1e-12; nothing if these do not say exactly what the numbers say as decimals."""
    found = [round(x * 1e12) if -LARGE < x < LARGE else 0 for x in numbers]
    return found if [n / 1e12 for n in found] == list(numbers) else []


def visuals(doc: Document, link: Element, at: Pose, snap: float) -> list[Visual]:
    """Return a link's visuals in another frame, given the pose of its own there; unknown shapes are left out."""
    found = []
    for element in link.iterchildren("visual"):
        parts = children(element)
        for shape in parts.get("geometry", ()):
            pose = at.then(origin(doc, parts, snap)).homogeneous
            if shape.tag == "mesh":
                scale = doc.numbers(shape, "scale", 3, (1.0, 1.0, 1.0))
                found.append(Visual(shape="mesh", size=scale, file=doc.text(shape, "filename"), pose=pose))
            elif shape.tag == "box":
                found.append(Visual(shape="box", size=doc.numbers(shape, "size", 3, ZERO), pose=pose))
            elif shape.tag in SHAPES:
                size = tuple(doc.number(shape, key) for key in SHAPES[shape.tag])
                found.append(Visual(shape=shape.tag, size=size, pose=pose))
    return found


def limits(doc: Document, joint: Connection) -> Limits:
    """Return a joint's limits; a missing position limit is zero, as in URDF, and other missing limits are infinite."""
    element = joint.parts.get("limit")
    if element is None:
        return Limits()
    ends = joint.kind in ("revolute", "prismatic")
    return Limits(
        lower=_limit(doc, element, "lower", 0.0) if ends else -math.inf,
        upper=_limit(doc, element, "upper", 0.0) if ends else math.inf,
        velocity=_limit(doc, element, "velocity", math.inf),
        effort=_limit(doc, element, "effort", math.inf),
    )


def _limit(doc: Document, element: Element, key: str, default: float) -> float:
    text = element.get(key)
    if text is not None and text.strip().lstrip("+-") in ("inf", "Inf", "INF"):
        return float(text)
    value = doc.number(element, key, default)
    return value if abs(value) < LARGEST else math.copysign(math.inf, value)


def friction(doc: Document, joint: Connection) -> dict[str, Any]:
    """Return the viscous and Coulomb friction of a joint."""
    element = joint.parts.get("dynamics")
    if element is None:
        return {}
    return {"FV": doc.number(element, "damping", 0.0), "FS": doc.number(element, "friction", 0.0)}
