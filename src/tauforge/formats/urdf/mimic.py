"""Which joint each joint of a URDF ultimately follows, through chains of mimic joints."""

from __future__ import annotations

from ...robot.joint import Mimic
from ..xml import Document
from .tree import Connection

ONE_FREEDOM = ("revolute", "continuous", "prismatic")
"""Types of joints that can follow others."""


def mimics(
    doc: Document, joints: dict[str, Connection], numbers: dict[str, int], doubts: list[str]
) -> dict[str, Mimic | None]:
    """Return how each joint that can follow another does so, None if it is independent; each is visited once."""
    found: dict[str, Mimic | None] = {}
    for first in joints.values():
        joint, way = first, dict[str, str]()  # each joint in the chain, with the one that it follows
        while joint.kind in ONE_FREEDOM and joint.name not in found:
            master = _master(doc, joint, joints, numbers, doubts)
            if not master:
                found[joint.name] = None
                break
            way[joint.name] = master
            if master in way:
                names = " follows ".join(map(repr, [*way, master]))
                raise doc.fault(joint.parts["mimic"], f"joints follow each other: {names}")
            joint = joints[master]
        for name, master in reversed(way.items()):
            element = joints[name].parts["mimic"]
            ratio, offset = doc.number(element, "multiplier", 1.0), doc.number(element, "offset", 0.0)
            further = found.get(master) or Mimic(joint=numbers[master])
            found[name] = Mimic(
                joint=further.joint, ratio=ratio * further.ratio, offset=ratio * further.offset + offset
            )
    return found


def _master(
    doc: Document, joint: Connection, joints: dict[str, Connection], numbers: dict[str, int], doubts: list[str]
) -> str:
    """Return the name of the joint that a joint follows; nothing if there is none, with a warning if it is named."""
    element = joint.parts.get("mimic")
    if element is None:
        return ""
    name = doc.text(element, "joint")
    if name in numbers:
        return name
    what = "is fixed" if name in joints else "does not exist"
    doubts.append(f"joint {joint.name} should follow joint {name}, which {what}; it moves independently")
    return ""
