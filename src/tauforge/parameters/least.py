"""Base parameters and frames that cost the fewest operations.

Base parameters are not unique, and neither are the frames of the last links. From the classical base parameters:

- *Plates.* Equal parts of XX and YY of a revolute link can be moved to its parent. The classical choice makes YY zero;
  here it is ZZ = XX + YY, as for a plate in the plane xy. Each component of the moment then has one product less.
- *Point masses.* A mass on the axis of a revolute joint can be counted to the link or to its parent. The classical
  choice leaves no mass on the link; here it is the mass that makes MX or MY of the parent zero. The parent saves up to
  ten operations, and the link needs six for the force on its mass.
- *Tips.* The frame of a link whose whole subtree lies on its axis can be turned about this axis, so that MY vanishes,
  and shifted along it to the foot of the axis, so that r vanishes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import NamedTuple

from ..graph.node import Scalar, as_node, is_zero
from ..graph.operations import CONST, SYMBOL
from ..models.inverse_dynamics import inverse_dynamics
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..spatial.inertia import NAMES, Inertia
from ..spatial.pose import Pose
from ..spatial.vector import Vector
from .base import BaseParameters, turning_with
from .linear import NOTHING, LinearForm, forms_inward
from .minimal import Forms, Key
from .mobility import mobilities, unturned
from .rules import split

MANY = 24
"""Number of links beyond which operations are not counted to choose parameters."""
_NEAR = 0.05
"""A child's origin must be further away than this part of the robot's largest offset: masses of short levers are large,
and the forces on them cancel only in the end, which costs digits.
"""


def least(base: BaseParameters, *, tips: bool = True, masses: bool = True) -> BaseParameters:
    """Return parameters equivalent to classical base parameters that need fewer operations.

    Parameters
    ----------
    tips
        Whether frames of last links can change. External wrenches, which are given in these frames, forbid it.
    masses
        Whether masses can move to children. The operations of the tree's inverse dynamics are counted with and without
        each; its derivatives can cost more.
    """
    suffix = ("L" if masses else "P") + ("" if tips else "F")  # a name means the same in every Program of a robot
    whole = base.of.expanded().map(as_node)
    movable = list(_movable(whole)) if tips else []
    shifted = frozenset(j for j in movable if _can_shift(whole, j, base.forms))
    forms = {key: form for key, form in base.forms.items() if key[1] not in shifted} | _at_foot(whole, base, shifted)
    joints = tuple(replace(x, r=as_node(0.0)) if j in shifted else x for j, x in enumerate(whole.joints, 1))
    reduced = whole.derived(joints=joints)
    moved = _masses(reduced, base.filled) if masses else {}

    def chosen(moved: Mapping[int, Mass]) -> BaseParameters:
        found, plates = _closed(reduced, forms, base.filled, moved)
        turned = frozenset(
            j
            for j in movable
            if {("MX", j), ("MY", j)} <= base.filled and _can_turn(turning_with(whole, j), found, plates)
        )
        return replace(base, forms=found, suffix=suffix, plates=plates, turned=turned, shifted=shifted)

    best = chosen(moved)
    for i in moved if len(joints) <= MANY else ():
        fewer = {k: mass for k, mass in moved.items() if k != i}
        other = chosen(fewer)
        if _operations(other) <= _operations(best):
            best, moved = other, fewer
    return best


def sets(base: BaseParameters, *, tips: bool = True) -> list[BaseParameters]:
    """Return the sets of which one costs least in any model: masses moved, masses kept, and the classical one.

    Moved masses suit the inverse dynamics, and plates do not suit the inertia matrix.
    """
    moved, kept = (least(base, tips=tips, masses=masses) for masses in (True, False))
    return [moved, base] if moved.forms.keys() == kept.forms.keys() else [moved, kept, base]


def cheapest(base: BaseParameters) -> BaseParameters:
    """Return the set that costs least in the inverse dynamics."""
    found = sets(base)
    return found[0] if len(base.of.joints) > MANY else min(found, key=_operations)


def _operations(base: BaseParameters) -> int:
    """Return the operations of the tree's inverse dynamics."""
    robot = base.robot
    return inverse_dynamics(robot.tree() if robot.loops else robot, parameters="standard").count().total


def _closed(robot: Robot, forms: Forms, filled: Set[Key], masses: Mapping[int, Mass]) -> tuple[Forms, frozenset[int]]:
    """Return the parameters with as many plates and moved masses as add none to other links, and the plates."""
    plates = frozenset(j for j, joint in enumerate(robot.joints, 1) if _can_be_plate(joint, j, filled))
    while True:
        found = _regrouped(robot, forms, plates, masses)
        new = {*(("YY", j) for j in plates), *(("M", mass.link) for mass in masses.values())}
        strangers = {link for name, link in found if (name, link) not in forms and (name, link) not in new}
        if not strangers:
            return found, plates
        if not plates and not masses:
            return forms, plates
        plates, masses = _fewer(robot, strangers, plates, masses)


def _fewer(
    robot: Robot, strangers: Set[int], plates: frozenset[int], masses: Mapping[int, Mass]
) -> tuple[frozenset[int], Mapping[int, Mass]]:
    """Return plates and moved masses without those that add parameters to some links: the nearest ones below them,
    since a link between, such as one that slides, can pass on all that it is given.
    """
    below = strangers
    while below:
        children = {j for j, joint in enumerate(robot.joints, 1) if joint.antecedent in below}
        flat = plates if masses.keys() & strangers else plates - children
        moved = {i: mass for i, mass in masses.items() if i not in strangers | children}
        if len(flat) + len(moved) < len(plates) + len(masses):
            return flat, moved
        below = children
    return frozenset(), {}


def _movable(robot: Robot) -> Iterator[int]:
    """Yield the revolute links whose whole subtree lies on their axis, so their frames can move about and along it."""
    held = {end.antecedent for loop in robot.loops for end in (loop.joint, loop.frame)}
    for j, joint in enumerate(robot.joints, 1):
        links = turning_with(robot, j)
        lifted = any(not is_zero(x) for k in links for x in robot.bodies[k - 1].lift)
        if _turns(joint) and _on_axis(robot, j) and not lifted and not held.intersection(links):
            yield j


def _turns(joint: Joint) -> bool:
    return joint.kind.is_axial and not is_zero(joint.kind.turn)


def _can_shift(robot: Robot, j: int, forms: Forms) -> bool:
    """Tell whether shifting a last link's frame along its axis saves operations: no parameter is added."""
    joint = robot.joints[j - 1]
    added = any((first, j) in forms and (second, j) not in forms for first, second in (("MX", "XZ"), ("MY", "YZ")))
    return not is_zero(joint.r) and is_zero(joint.kind.slide) and not _children(robot, j) and not added


def _can_turn(links: list[int], forms: Forms, plates: frozenset[int]) -> bool:
    """Tell whether turning frames about z adds no parameter."""
    pairs = (("XZ", "YZ"), ("MX", "MY"))
    flat = all(k in plates or not {("XX", k), ("XY", k)} & forms.keys() for k in links)
    return flat and all(((x, k) in forms) == ((y, k) in forms) for k in links for x, y in pairs)


def _on_axis(robot: Robot, j: int) -> bool:
    """Tell whether all joints of a link's subtree lie on the axis of its joint."""
    return all(
        child.kind.is_axial and all(map(is_zero, (child.alpha, child.d, child.e, child.gamma))) and _on_axis(robot, k)
        for k, child in _children(robot, j)
    )


def _children(robot: Robot, j: int) -> list[tuple[int, Joint]]:
    return [(k, joint) for k, joint in enumerate(robot.joints, 1) if joint.antecedent == j]


def _at_foot(robot: Robot, base: BaseParameters, shifted: frozenset[int]) -> Forms:
    """Return the parameters of last links about the foot of their axis."""
    found: Forms = {}
    for j in shifted:
        own = _inertia(base.forms, j).shifted(Vector(0.0, 0.0, robot.joints[j - 1].r))
        found |= {(name, j): form for name, form in zip(NAMES, own, strict=True) if form}
        found |= {key: form for key, form in base.forms.items() if key[1] == j and key[0] not in NAMES}
    return found


def _inertia(forms: Forms, j: int) -> Inertia:
    return Inertia(*(forms.get((name, j), NOTHING) for name in NAMES))


def _can_be_plate(joint: Joint, j: int, filled: Set[Key]) -> bool:
    """Tell whether a link's moments of inertia are those that a plate can replace; what slides keeps its mass."""
    return _turns(joint) and is_zero(joint.kind.slide) and {("XX", j), ("ZZ", j)} <= filled and ("YY", j) not in filled


class Mass(NamedTuple):
    """A mass that is moved from a link to its child: the child's number and pose, and which moment then vanishes."""

    link: int
    pose: Pose
    moment: str
    arm: Scalar


def _masses(robot: Robot, filled: Set[Key]) -> dict[int, Mass]:
    """Return by link the mass whose move to a child saves operations: the force on the link is needed, and the child's
    origin is far enough from its own.
    """
    lengths = [_size(x) for joint in robot.joints for x in unturned(joint).P]
    size = max((x for x in lengths if x < sys.float_info.max), default=0.0)
    found: dict[int, Mass] = {}
    for c, joint in enumerate(robot.joints, 1):
        i, pose = joint.antecedent, unturned(joint)
        if not i or i in found or not _turns(joint) or not is_zero(joint.kind.slide) or not _is_pushed(robot, i):
            continue
        arms = {name: x for name, x in zip(("MX", "MY"), pose.P, strict=False) if (name, i) in filled}
        name = max(arms, key=lambda name: _size(arms[name]), default="")
        if name and _size(arms[name]) > _NEAR * size:
            found[i] = Mass(c, pose, name, arms[name])
    return found


def _size(x: Scalar) -> float:
    """Return the size of a length; a symbol is taken for as long as any, an expression for somewhat shorter."""
    node = as_node(x)
    return abs(float(node)) if node.op is CONST else math.inf if node.op is SYMBOL else sys.float_info.max


def _is_pushed(robot: Robot, j: int) -> bool:
    """Tell whether the force on a link has an effect: it has a lever on the way to the base, or pushes a slide."""
    while robot.joints[j - 1].antecedent:
        joint = robot.joints[j - 1]
        if not is_zero(joint.kind.slide) or not all(map(is_zero, unturned(joint).P)):
            return True
        j = joint.antecedent
    return not is_zero(robot.joints[j - 1].kind.slide)


def _regrouped(robot: Robot, forms: Forms, plates: frozenset[int], masses: Mapping[int, Mass]) -> Forms:
    """Return base parameters with some links as plates, and some masses moved to children; what plates lose in XX and
    YY is moved to their parents.
    """
    mobility = mobilities(robot)
    total = [_inertia(forms, j) for j in range(len(robot.joints) + 1)]
    found: Forms = {}
    for j in range(len(robot.joints), 0, -1):
        joint = robot.joints[j - 1]
        if j in masses:
            to, pose, moment, arm = masses[j]
            mass: LinearForm = (getattr(total[j], moment) * (as_node(1.0) / as_node(arm))).tidy()
            found["M", to] = mass
            moved = forms_inward(_NONE._replace(M=-mass), pose)
            total[j] = Inertia(*(x.tidy() for x in total[j].plus(moved)))._replace(**{moment: NOTHING})
        kept, passed = _plate(total[j]) if j in plates else split(joint.kind, total[j], mobility[j])
        if joint.antecedent:
            parent = total[joint.antecedent]
            total[joint.antecedent] = parent.plus(forms_inward(passed, unturned(joint)))
        found |= {
            (name, j): form
            for name, form in zip(NAMES, kept, strict=True)
            if form and not (j in plates and name == "ZZ")
        }
    order = {key: i for i, key in enumerate(sorted(found, key=lambda key: (key[1], NAMES.index(key[0]))))}
    ordered = {key: found[key].tidy() for key in order}
    return ordered | {key: form for key, form in forms.items() if key[0] not in NAMES}


_NONE = Inertia(*[NOTHING] * 10)


def _plate(own: Inertia) -> tuple[Inertia, Inertia]:
    """Return a link's parameters with ZZ = XX + YY, and what is moved to its parent."""
    total: LinearForm = own.XX + own.YY - own.ZZ
    excess = total.half()
    kept = own._replace(XX=own.XX - excess, YY=own.YY - excess, MZ=NOTHING, M=NOTHING)
    return kept, _NONE._replace(XX=excess, YY=excess, MZ=own.MZ, M=own.M)
