"""Reading URDF, with the meaning that ROS gives it. Writing is in ``write``; docs/formats.md says what is read.

A fixed link becomes part of its parent, and its frame becomes a constant frame there. The z of a link's own frame is
its joint's axis; if the file has another axis, a constant frame with the link's name marks the frame in the file.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import RobotError, RobotWarning
from ...robot.base import Base
from ...robot.body import NO_INERTIA, Body, Visual
from ...robot.joint import Joint, constant_frame
from ...robot.placement import placement
from ...robot.robot import Robot
from ...spatial.pose import HERE, Pose
from ..angles import SNAP
from ..xml import Document, Element, document
from .closing import SideFile
from .mimic import mimics
from .parts import PASSIVE, SIGMA, friction, inertial, limits, origin, own_frame, visuals
from .tree import Connection, tree


def read(path: Path, snap: float = SNAP, lenient: bool = False, side: SideFile | None = None) -> Robot:
    """Read a robot from a .urdf file, and what closes its loops from a side file."""
    return robot_of(replace(document(path), lenient=lenient), snap, side)


def robot_of(doc: Document, snap: float, side: SideFile | None = None) -> Robot:
    """Return the robot that a document and a side file describe."""
    links, root, connections = tree(doc)
    connections = side.retyped(doc.source.path, connections) if side else connections
    by_name = {joint.name: joint for joint in connections}
    moving = [joint for joint in connections if joint.kind != "fixed"]
    numbers = {joint.name: number for number, joint in enumerate(moving, 1)}
    doubts: list[str] = []
    following = mimics(doc, by_name, numbers, doubts)
    # for each link: the link that it becomes part of, and its pose there
    owner, place = {root: 0}, {root: HERE}
    joints: list[Joint] = []
    frames: list[Joint] = []
    for joint in connections:
        number, at = owner[joint.parent], place[joint.parent].then(origin(doc, joint.parts, snap))
        if joint.kind == "fixed":
            owner[joint.child], place[joint.child] = number, at
            frames.append(constant_frame(joint.child, number, alias=joint.name, **placement(at)))
            continue
        turned = own_frame(doc, joint, snap)
        joints.append(
            Joint(
                name=joint.name,
                antecedent=number,
                sigma=SIGMA[joint.kind],
                mu=0 if joint.kind in PASSIVE else 1,
                **placement(at.then(turned.own) if turned else at),
                mimic=following.get(joint.name),
                **_law(doc, joint),
            )
        )
        owner[joint.child], place[joint.child] = len(joints), turned.link if turned else HERE
        if turned:
            frames.append(constant_frame(joint.child, len(joints), **turned.parameters))
    names = [root, *(joint.child for joint in moving)]
    bodies = _bodies(doc, names, links, owner, place, snap, doubts)
    for doubt in (*doc.excused, *(f"{doc.source.path}: {doubt}" for doubt in doubts)):
        warnings.warn(doubt, RobotWarning, stacklevel=5)
    robot = doc.source.robot(
        name=doc.root.get("name") or doc.source.path.stem,
        joints=joints,
        bodies=bodies[1:],
        base=Base(body=bodies[0]),
        frames=frames,
        free_frames=True,
    )
    if side is None:
        return robot
    elements = {joint.name: joint.element for joint in connections} | links
    lines = {name: element.sourceline for name, element in elements.items()} if doc.lines else {}
    return side.close(doc.source.path, robot, lines)


def _law(doc: Document, joint: Connection) -> dict[str, Any]:
    """Return the limits and friction of a joint; in URDF only joints with one degree of freedom have friction."""
    law: dict[str, Any] = {"limits": limits(doc, joint)}
    if joint.kind not in ("floating", "planar"):
        law |= friction(doc, joint)
    return law


def _bodies(
    doc: Document,
    names: list[str],
    links: dict[str, Element],
    owner: dict[str, int],
    place: dict[str, Pose],
    snap: float,
    doubts: list[str],
) -> list[Body]:
    """Return the bodies with those names, each with all links that are part of it; add warnings about doubtful ones."""
    inertias = [NO_INERTIA] * len(names)
    looks: list[list[Visual]] = [[] for _ in names]
    impossible: list[str] = []
    for name, link in links.items():
        number, at = owner[name], place[name]
        inertia, possible = inertial(doc, link, at, snap)
        if not possible:
            impossible.append(name)
        if inertia is not NO_INERTIA:
            inertias[number] = inertias[number].plus(inertia)
        try:
            looks[number] += visuals(doc, link, at, snap)
        except RobotError as error:  # only viewers need it
            doubts.append(f"link {name} is not shown: {str(error).removeprefix(f'{doc.source.path}:')}")
    empty = [name for name, inertia in zip(names[1:], inertias[1:], strict=True) if not any(inertia)]
    if empty:
        doubts.append(f"no inertia on what moves as {_listed(empty)}")
    if impossible:
        doubts.append(
            f"an inertia that no body can have on {_listed(impossible)}: it is not positive, or one of its principal "
            "moments exceeds the sum of the other two"
        )
    parts = zip(names, inertias, looks, strict=True)
    return [Body(name=name, inertia=inertia, visuals=tuple(seen)) for name, inertia, seen in parts]


def _listed(names: list[str]) -> str:
    return f"link{'s' * (len(names) > 1)} {', '.join(names)}"
