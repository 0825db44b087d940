"""The closed-form rules that group inertial parameters, from the tips to the base; see ``base.py``."""

from __future__ import annotations

from ..graph.node import as_node, is_zero
from ..robot.kinds.kind import Kind
from ..robot.robot import Robot
from ..spatial.inertia import NAMES, Inertia
from ..spatial.vector import Vector
from .linear import NOTHING, LinearForm, forms_inward
from .minimal import Forms
from .mobility import FULL, LINE, NONE, Mobility, mobilities, parallel, unturned, vanishes


def closed_form(robot: Robot, first: int = 1, rotors: bool = False) -> Forms:
    """Group by the closed-form rules, from the last link to the first; ``first`` is its number in names."""
    mobility = mobilities(robot)
    count = len(robot.joints)
    total = [
        Inertia(*(LinearForm({f"{name}{j}": as_node(1.0)}) for name in NAMES)) for j in range(first - 1, first + count)
    ]
    kept: list[Inertia] = [total[0]] * (count + 1)
    for j in range(count, 0, -1):
        joint = robot.joints[j - 1]
        kept[j], passed = split(joint.kind, total[j], mobility[j])
        if joint.antecedent:
            total[joint.antecedent] = total[joint.antecedent].plus(forms_inward(passed, unturned(joint)))
    forms: Forms = {}
    for j in range(1, count + 1):
        for name, form in zip(NAMES, kept[j], strict=True):
            if form:
                forms[name, j] = form
        joint = robot.joints[j - 1]
        if joint.axes and (not is_zero(joint.IA) or (rotors and joint.kind.is_axial)):
            forms["IA", j] = LinearForm({f"IA{j + first - 1}": as_node(1.0)})
    return forms


_NONE = Inertia(*[NOTHING] * 10)


def split(kind: Kind, own: Inertia, can: Mobility) -> tuple[Inertia, Inertia]:
    """Return what stays with a link, and what the joint's motion does not change, which moves to its parent."""
    stays, passed = own._asdict(), _NONE._asdict()
    for key, together in kind.grouped:
        for name in together:
            passed[name] = passed[name] + own._asdict()[key]
            stays[name] = stays[name] - own._asdict()[key]
    if not is_zero(kind.turn):
        return _turning(own, Inertia(**stays), can), Inertia(**passed)
    if not is_zero(kind.slide):
        return _sliding(own, Inertia(**stays), Inertia(**passed), can)
    return Inertia(**stays), Inertia(**passed)


def _turning(own: Inertia, stays: Inertia, can: Mobility) -> Inertia:
    """Return what stays with a link that turns about z: less if it cannot turn about other axes."""
    if can.rotation == LINE:
        still = can.anchored == "line" and parallel(can.gravity, Vector(0.0, 0.0, 1.0))
        return _NONE._replace(ZZ=own.ZZ, M=stays.M, **({} if still else {"MX": own.MX, "MY": own.MY}))
    if can.anchored == "point" and vanishes(*can.gravity):  # it turns about a point at this height on its axis
        height = can.point[2]
        return stays._replace(XZ=own.XZ + own.MX * height, YZ=own.YZ + own.MY * height, MX=NOTHING, MY=NOTHING)
    return stays


def _sliding(own: Inertia, stays: Inertia, passed: Inertia, can: Mobility) -> tuple[Inertia, Inertia]:
    """Return what stays with a link that only slides along z, and what moves to its parent."""
    if can.rotation == NONE:
        return _NONE._replace(M=own.M), passed
    if can.rotation == FULL:
        return stays, passed
    a = can.axis
    if vanishes(a[0], a[1]):
        return _NONE._replace(M=own.M), passed._replace(MX=own.MX, MY=own.MY)
    # first moments along the only axis of rotation have no effect
    if not vanishes(a[2]):
        ratio = own.MZ * (as_node(1.0) / a[2])
        return stays._replace(MX=own.MX - ratio * a[0], MY=own.MY - ratio * a[1], MZ=NOTHING), passed
    if not vanishes(a[0]):
        return stays._replace(MX=NOTHING, MY=own.MY - own.MX * (a[1] / a[0])), passed
    return stays._replace(MY=NOTHING), passed
