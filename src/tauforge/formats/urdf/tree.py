"""The tree of a URDF: its links by name, and its joints, each after the joint that carries its parent."""

from __future__ import annotations

import heapq
from typing import NamedTuple

from ...errors import suggestion
from ...limits import spend
from ..source import MISSING_LINE
from ..xml import Document, Element, children

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
"""The types of joints."""
WORLD = "world"
"""The link that some programs accept undeclared."""


class Connection(NamedTuple):
    """A joint in the file: its element, the first child of each kind, and the links that it connects."""

    element: Element
    parts: dict[str, Element]
    name: str
    kind: str
    parent: str
    child: str


class Tree(NamedTuple):
    """The links by name, the root that no joint carries, and the joints from there outward."""

    links: dict[str, Element]
    root: str
    joints: list[Connection]


def tree(doc: Document) -> Tree:
    """Return a document's tree, or raise an error that says why it is not one."""
    if doc.root.tag != "robot":
        raise doc.fault(doc.root, "the outermost element of a URDF is <robot>")
    links = _named(doc, "link")
    spend("links", len(links) - 1, doc.source.path)
    if not links:
        raise doc.fault(doc.root, 'a robot needs links; write <link name="…">')
    joints = [_connection(doc, name, element, links) for name, element in _named(doc, "joint").items()]
    carrier: dict[str, Connection] = {}
    for joint in joints:
        other = carrier.setdefault(joint.child, joint)
        if other is not joint:
            raise doc.fault(
                joint.element,
                f"its child {joint.child!r} is carried by joint {other.name!r} already; URDF has no closed loops",
            )
    roots = [name for name in links if name not in carrier]
    if not roots:
        raise doc.fault(joints[0].element, _loop(carrier, joints[0].child))
    if len(roots) > 1:
        raise doc.fault(
            links[roots[1]],
            f"no joint carries it, nor {roots[0]!r}; a robot has one root, so connect all others by joints",
        )
    ordered = _outward(joints, roots[0])
    if len(ordered) < len(joints):
        reached = {joint.name for joint in ordered}
        lost = next(joint for joint in joints if joint.name not in reached)
        raise doc.fault(lost.element, _loop(carrier, lost.child))
    return Tree(links, roots[0], ordered)


def _named(doc: Document, tag: str) -> dict[str, Element]:
    """Return the elements of a kind by their names."""
    found: dict[str, Element] = {}
    for element in doc.root.iterchildren(tag):
        name = doc.text(element, "name")
        if name in found:
            line = found[name].sourceline if doc.lines else MISSING_LINE
            where = f" (line {line})" if line else ""
            raise doc.fault(element, f"another {tag} has this name{where}; give each its own")
        found[name] = element
    return found


def _connection(doc: Document, name: str, element: Element, links: dict[str, Element]) -> Connection:
    kind = doc.text(element, "type")
    if kind not in KINDS:
        raise doc.fault(element, f"type is {kind!r}; {suggestion(kind, KINDS)}")
    parts = children(element)
    ends = []
    for tag in ("parent", "child"):
        if tag not in parts:
            raise doc.fault(element, f'<{tag} link="…"/> is missing')
        link = doc.text(parts[tag], "link")
        if link not in links:
            if (tag, link) != ("parent", WORLD):
                raise doc.fault(parts[tag], f"there is no link {link!r}; {suggestion(link, tuple(links))}")
            doc.excuse(
                parts[tag],
                f"there is no link {link!r}",
                f'write <link name="{link}"/>',
                "the base, without inertia",
            )
            links[link] = doc.root.makeelement("link", name=link)
        ends.append(link)
    return Connection(element, parts, name, kind, *ends)


def _outward(joints: list[Connection], root: str) -> list[Connection]:
    """Return the joints with parents first, and otherwise in the order of the file."""
    standing: dict[str, list[int]] = {}
    for place, joint in enumerate(joints):
        standing.setdefault(joint.parent, []).append(place)
    ordered: list[Connection] = []
    ready = standing.get(root, [])[:]
    while ready:
        joint = joints[heapq.heappop(ready)]
        ordered.append(joint)
        for place in standing.get(joint.child, ()):
            heapq.heappush(ready, place)
    return ordered


def _loop(carrier: dict[str, Connection], link: str) -> str:
    """Return the error for joints that form a cycle."""
    way: dict[str, int] = {}
    while link not in way:
        way[link] = len(way)
        link = carrier[link].parent
    names = " -> ".join(map(repr, [*list(way)[way[link] :], link]))
    return f"a cycle of parents: link {names}; URDF describes trees"
