"""MuJoCo's equality constraints: cut joints that close loops, and joints that follow others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import RobotError
from ...robot.joint import Joint, Mimic
from ...robot.kinds import FIXED, SPHERICAL
from ...robot.loop import Loop
from ...robot.variables import unused
from ...spatial.pose import Pose
from ...spatial.vector import Vector
from .links import Tree, disabled, joint_name
from .place import pose
from .tendons import length_equation, why_not_linear

TORQUES = 10
"""Place of a weld's torque scale among its data."""


def closed(model: Any, tree: Tree) -> tuple[list[Joint], list[Loop], list[str]]:
    """Return the joints, including those that follow others, the loops, and what could not be kept."""
    from mujoco import mjtEq

    loops: list[Loop] = []
    following: dict[int, Mimic] = {}
    left_open: list[str] = []
    sums: list[tuple[str, int]] = []
    taken = {joint.name for joint in tree.joints}
    if disabled(model, "EQUALITY", "CONSTRAINT"):
        return tree.joints, loops, left_open
    for i in range(model.neq):
        if not model.eq_active0[i]:
            continue
        kind = mjtEq(model.eq_type[i]).name.removeprefix("mjEQ_").lower()
        name = str(model.equality(i).name) or f"{kind}{i + 1}"
        if kind == "joint":
            fault = _follow(model, tree, i, following)
        elif kind == "tendon" and not (fault := why_not_linear(model, i)):
            sums.append((name, i))
        elif kind == "tendon":
            pass
        elif kind not in ("connect", "weld"):
            fault = "which robots here cannot have"
        elif not (fault := _driven(model, i)):
            loops.append(_loop(model, tree, i, kind, name, taken))
        if fault:
            left_open.append(f"the {kind} equality {name!r}, {fault}")
    _let_motors_lead(tree.joints, following)
    joints = [replace(joint, mimic=_resolved(j, following)) for j, joint in enumerate(tree.joints, 1)]
    for name, i in sums:
        if fault := _follow_sum(joints, *length_equation(model, tree, i)):
            left_open.append(f"the tendon equality {name!r}, {fault}")
    return joints, loops, left_open


def _ends(model: Any, i: int) -> list[tuple[int, Pose | None]]:
    """Return the two bodies of an equality, and where on them it acts if it is given by sites."""
    from mujoco import mjtObj

    objects = (int(model.eq_obj1id[i]), int(model.eq_obj2id[i]))
    if getattr(model, "eq_objtype", [mjtObj.mjOBJ_BODY] * model.neq)[i] != mjtObj.mjOBJ_SITE:
        return [(body, None) for body in objects]
    return [(int(model.site_bodyid[site]), pose(model.site_quat[site], model.site_pos[site])) for site in objects]


def _driven(model: Any, i: int) -> str:
    """Return why an equality is not a loop of the robot, if one of its ends is a mocap body."""
    moved = any(model.body_mocapid[model.body_rootid[body]] >= 0 for body, _ in _ends(model, i))
    return "which follows a mocap body" if moved else ""


def _loop(model: Any, tree: Tree, i: int, kind: str, name: str, taken: set[str]) -> Loop:
    """Return a loop cut at a spherical joint (connect) or rigidly (weld); without torques, a weld holds a point."""
    (first, on_first), (second, on_second) = _ends(model, i)
    data = model.eq_data[i]
    if on_first is None or on_second is None:
        if kind == "connect":
            on_first, on_second = Pose(arm=Vector(*data[0:3].tolist())), Pose(arm=Vector(*data[3:6].tolist()))
        else:
            on_first, on_second = pose(data[6:10], data[3:6]), Pose(arm=Vector(*data[0:3].tolist()))
    kept = SPHERICAL if kind == "connect" or not data[TORQUES] else FIXED
    names = []
    for label in (name, f"{name}_frame"):
        names.append(unused(label, taken))
        taken.add(names[-1])
    return Loop(
        joint=tree.frame(names[0], first, on_first, kept),
        frame=tree.frame(names[1], second, on_second),
    )


def _follow(model: Any, tree: Tree, i: int, following: dict[int, Mimic]) -> str:
    """Make a joint follow another: y - y0 = a0 + a1 (x - x0). Return the reason if that is impossible."""
    y, x = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    a0, a1, *more = model.eq_data[i][:5].tolist()
    if x < 0:
        return f"which holds {joint_name(model, y)!r} alone"
    if any(more) or not a1:
        return f"whose polynomial is {[a0, a1, *more]}; only a line can be kept"
    y0, x0 = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (y, x))
    slave, master = tree.number[y], Mimic(joint=tree.number[x], ratio=a1, offset=y0 + a0 - a1 * x0)
    own = _resolved(slave, following) or Mimic(joint=slave)
    further = _resolved(master.joint, following)
    wanted = _through(master, further) if further else master
    if own.joint != wanted.joint:
        offset = (wanted.offset - own.offset) / own.ratio
        following[own.joint] = Mimic(joint=wanted.joint, ratio=wanted.ratio / own.ratio, offset=offset)
    elif not (math.isclose(own.ratio, wanted.ratio) and math.isclose(own.offset, wanted.offset, abs_tol=1e-9)):
        raise RobotError(
            f"the joint equality of {joint_name(model, y)!r} and {joint_name(model, x)!r} contradicts those before it; "
            "remove one of them"
        )
    return ""


def _follow_sum(joints: list[Joint], terms: Mapping[int, float], constant: float) -> str:
    """Make a joint follow the others in Σ terms q = constant: one without a motor if there is one, that with the
    largest coefficient. Return the reason if that is impossible.
    """
    row: dict[int, float] = {}
    pending = list(terms.items())
    while pending:  # what follows others already, by those that lead it
        j, x = pending.pop()
        if mimic := joints[j - 1].mimic:
            constant -= x * mimic.offset
            pending += [(k, x * ratio) for k, ratio in mimic.of]
        else:
            row[j] = row.get(j, 0.0) + x
    largest = max(map(abs, terms.values()), default=0.0)
    row = {j: x for j, x in row.items() if abs(x) > 1e-12 * largest}
    if not row:
        return "" if abs(constant) <= 1e-9 * max(1.0, largest) else "which contradicts the equalities before it"
    if len(row) == 1:
        return f"which holds {joints[next(iter(row)) - 1].name!r} alone"
    own = max(row, key=lambda j: (not joints[j - 1].mu, abs(row[j]), j))
    others = tuple((j, -x / row[own]) for j, x in sorted(row.items()) if j != own)
    joints[own - 1] = replace(joints[own - 1], mimic=Mimic(others, constant / row[own]))
    return ""


def _let_motors_lead(joints: list[Joint], following: dict[int, Mimic]) -> None:
    """Let the first joint with a motor lead those that move with it, if the joint that they follow has none."""
    for j, joint in enumerate(joints, 1):
        own = _resolved(j, following)
        if own and joint.mu and not joints[own.joint - 1].mu:
            del following[j]
            following[own.joint] = Mimic(joint=j, ratio=1.0 / own.ratio, offset=-own.offset / own.ratio)


def _resolved(joint: int, following: dict[int, Mimic]) -> Mimic | None:
    """Return how a joint follows the last one in a chain of joints that follow each other."""
    way = [joint]
    while way[-1] in following:
        way.append(following[way[-1]].joint)
    for slave in reversed(way[:-2]):  # and keep it, so that no chain is followed twice
        following[slave] = _through(following[slave], following[following[slave].joint])
    return following.get(joint)


def _through(mimic: Mimic, further: Mimic) -> Mimic:
    """Return how a joint follows the joint that its master follows."""
    offset = mimic.ratio * further.offset + mimic.offset
    return Mimic(joint=further.joint, ratio=mimic.ratio * further.ratio, offset=offset)
