"""Reading .par files: SYMORO+, OpenSYMORO, and the headerless form printed in papers. Writing is in ``write``.

Links are numbered from 1 and joint j carries link j. Joints NL+1 … NJ are cut, and frame k+B (B = NJ - NL) closes the
loop of the cut joint k. If the base moves, link 0 comes first in the lists of links. Anything for which the format has
no key is in comments, which other programs skip::

    (* Jointnames = 'shoulder','elbow' *)     joints and frames, NF names
    (* Linknames = 'upper','lower' *)         links, link 0 first if it has inertia
    (* Variables = 'q1','x' *)                joint variables, NJ names; '' for a fixed joint
    (* Link0 = {0,0,0,0,0,ZZ0,0,0,0,M0,0,0,0,0,0,0} *)     XX … M, FX … CZ of a base that has inertia but is at rest
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...graph.node import Node, Scalar, is_zero
from ...graph.operations import SYMBOL
from ...robot.base import Base
from ...robot.body import Body
from ...robot.joint import FREE, Joint
from ...robot.loop import Loop
from ...robot.robot import Robot
from ...spatial.inertia import Inertia
from ...spatial.vector import Vector
from ..default_names import frame_name, joint_name, link_name
from ..source import read_text
from .structure import Structure, read_structure
from .syntax import ACTUATOR, BASE, INERTIAL, LISTS, WRENCH, Document, Text, read_document, split
from .variables import split_variables

_INTEGERS = ("ant", "sigma", "mu", "eta")
_GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")
_QUOTED = re.compile(r"'[^']*'(?:\s*,\s*'[^']*')*")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_Columns = dict[str, list[Scalar]]


def read(path: Path) -> Robot:
    """Read a robot from a .par file."""
    document = read_document(read_text(path, "utf-8-sig", "latin-1"))
    structure = read_structure(document)
    columns = {key: document.scalars(key, []) for key in LISTS if key in document.sections and key not in _INTEGERS}
    joints = _joints(document, structure, columns)
    base_body, bodies = _bodies(document, structure, columns)
    links, count = structure.links, structure.joints
    return document.source.robot(
        name=_robot_name(document),
        joints=tuple(joints[:links]),
        bodies=tuple(bodies),
        gravity=Vector(*columns["G"]),
        loops=tuple(Loop(joint=a, frame=b) for a, b in zip(joints[links:count], joints[count:], strict=True)),
        base=Base(
            floating=structure.floating,
            mobile=structure.mobile,
            body=base_body,
            pose=tuple(columns.get("Z", Base().pose)),
            **{key: Vector(*columns[key]) for key in BASE if key in columns},
        ),
    )


def _joints(document: Document, structure: Structure, columns: _Columns) -> list[Joint]:
    """Return all joints and frames, NF of them."""
    count, numbers = structure.joints, range(1, structure.frames + 1)
    default = [joint_name(n) if n <= count else frame_name(n) for n in numbers]
    names = _listed_names(document, "Jointnames", default)
    given = _listed_names(document, "Variables", [""] * count)
    variables = split_variables(document, structure.sigma[:count], columns, given)
    joints: list[Joint] = []
    for i, (name, antecedent) in enumerate(zip(names, structure.antecedents, strict=True)):
        fields: dict[str, object] = {key: columns[key][i] for key in _GEOMETRY}
        if i < structure.links:
            fields |= {key: columns[key][i + structure.first] for key in ACTUATOR if key in columns}
        if i < count:
            fields |= {key: columns[key][i] for key in ("k", *FREE) if key in columns}
            fields |= variables[i] | {"eta": structure.eta[i]}
        sigma, mu = structure.sigma[i], structure.mu[i]
        joint = Joint(name=name, antecedent=antecedent, sigma=sigma, mu=mu, **fields)  # type: ignore[arg-type]
        joints.append(_on_link(document, structure, joints, joint))
    return joints


def _on_link(document: Document, structure: Structure, before: Sequence[Joint], joint: Joint) -> Joint:
    """Return a frame attached to another constant frame as one attached to that frame's link."""
    if joint.antecedent <= structure.links:
        return joint
    under = before[joint.antecedent - 1]
    if not (is_zero(joint.alpha) and is_zero(joint.d)):
        number = len(before) + 1
        raise document.entry_fault(
            "ant",
            number,
            f"frame {number} is attached to frame {joint.antecedent}; attach it to link {under.antecedent}",
        )
    along = {key: getattr(under, key) for key in ("antecedent", "gamma", "b", "alpha", "d")}
    return replace(joint, **along, theta=under.theta + joint.gamma + joint.theta, r=under.r + joint.b + joint.r)


def _bodies(document: Document, structure: Structure, columns: _Columns) -> tuple[Body | None, list[Body]]:
    """Return link 0 if it has inertia, and the links."""
    rows = [
        [columns[key][i] if key in columns else 0.0 for key in (*INERTIAL, *WRENCH)]
        for i in range(structure.links + structure.first)
    ]
    comment = _comment(document, r"Link0\s*=\s*\{(.*)\}")
    if structure.first:
        _refuse_base_actuator(document, columns)
    if comment:
        rows.insert(0, _link_0(document, comment, structure))
    listed = len(rows) - structure.links
    default = [link_name(number) for number in range(1 - listed, structure.links + 1)]
    names = _listed_names(document, "Linknames", default)
    bodies = [
        Body(name=name, inertia=Inertia(*row[:10]), wrench=tuple(row[10:]))
        for name, row in zip(names, rows, strict=True)
    ]
    return (bodies[0] if listed else None), bodies[listed:]


def _refuse_base_actuator(document: Document, columns: _Columns) -> None:
    """Refuse a rotor or friction of link 0, which has no joint. OpenSYMORO writes the placeholders IA0, FV0, FS0."""
    for key in ACTUATOR:
        x = columns[key][0] if key in columns else 0.0
        if not is_zero(x) and not (isinstance(x, Node) and x.op is SYMBOL and x.value == f"{key}0"):
            raise document.entry_fault(key, 1, f"link 0 is carried by no joint, so its {key} must be 0, not {x}")


def _link_0(document: Document, comment: Text, structure: Structure) -> list[Scalar]:
    if structure.first:
        raise document.source.fault(
            comment.line, "the base moves, so link 0 comes first in the lists; remove this Link0"
        )
    values = [text for text, _ in split(comment.text)]
    if len(values) != 16:
        raise document.source.fault(comment.line, f"Link0 has {len(values)} entries; XX … M, FX … CZ are 16")
    return [document.source.expression(x, comment.line, f"Link0, entry {i}") for i, x in enumerate(values, 1)]


def _comment(document: Document, pattern: str) -> Text | None:
    """Return what the pattern's group matches in the first comment that fits."""
    for text, line in document.comments:
        if match := re.fullmatch(pattern, text, re.DOTALL):
            return Text(match.group(1), line)
    return None


def _listed_names(document: Document, word: str, default: list[str]) -> list[str]:
    """Return the names in a comment such as ``(* Jointnames = 'a','b' *)``."""
    comment = _comment(document, rf"{word}\s*=\s*(.*)")
    if comment is None:
        return default
    if not _QUOTED.fullmatch(comment.text):
        raise document.source.fault(comment.line, f"{word} takes names in quotes, 'a','b'")
    names = [_unescaped(text) for text in re.findall("'([^']*)'", comment.text)]
    if len(names) != len(default):
        raise document.source.fault(comment.line, f"{word} has {len(names)} names; {len(default)} are needed")
    return names


def _robot_name(document: Document) -> str:
    for pattern in (r"Robotname\s*=\s*'(.*)'", r"Name of file\s*:\s*(.*?)(?:\.par)?"):
        comment = _comment(document, pattern)
        if comment and comment.text.strip():
            return _unescaped(comment.text.strip())
    return document.source.path.stem


def _unescaped(text: str) -> str:
    """Return a name as it was before ``write.quoted`` escaped it."""
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text)
