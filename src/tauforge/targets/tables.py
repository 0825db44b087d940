"""The tables in a Program's heading, read back from its aligned columns, and what its symbols mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..graph.node import Node
from ..graph.operations import ADD, CONST, DIV, MUL, NEG, SYMBOL
from ..program.program import Program
from .expression import Call, Expression, Number, Quotient, Term, Variable, negated, product, total


class Table(NamedTuple):
    """A table of a robot: its title, and its rows, the first of which is the head."""

    title: str
    rows: tuple[tuple[str, ...], ...]


def parts(program: Program) -> Iterator[Table | str]:
    """Yield the tables and the lines of text in the order of the heading."""
    title = ""
    rows: list[tuple[str, ...]] = []
    columns: list[int] = []
    for line in (*program.heading(), ""):
        if re.match(r"j\s", line):
            if rows:  # columns that did not fit
                yield Table(title, tuple(rows))
                title = f"{title.removesuffix(', continued')}, continued"
            columns, rows = [m.start() for m in re.finditer(r"(?<!\S)\S", line)], []
        if columns and re.match(r"j\s|\d+(\s|$)", line):
            rows.append(tuple(line[a:b].strip() for a, b in zip(columns, [*columns[1:], None], strict=True)))
            continue
        if rows:
            yield Table(title, tuple(rows))
            title, rows, columns = "", [], []
        elif title:
            yield title
        title = line
    if title:
        yield title


_MEANINGS = (
    ("XX XY XZ YY YZ ZZ", "moments and products of inertia of link j, about the origin of its frame (kg m²)"),
    ("MX MY MZ", "first moments of link j: its mass times its centre of mass, in its frame (kg m)"),
    ("M", "mass of link j (kg)"),
    ("IA", "inertia of the rotor of joint j, seen at the joint"),
    ("FV", "viscous friction of joint j"),
    ("FS", "Coulomb friction of joint j"),
    ("B D E RL", "lengths between frame j and the one before it, as in the table of the geometry (m)"),
)


def meanings(program: Program) -> list[tuple[list[str], str]]:
    """Return what a Program's parameters mean: names that share a meaning, and the meaning."""
    found: dict[str, list[str]] = {}
    for name in program.parameters:
        match = re.fullmatch(r"([A-Z]+)\d+(R?)", name)
        meaning = next((text for letters, text in _MEANINGS if match and match[1] in letters.split()), "")
        if match and match[2] and meaning:
            meaning = "grouped parameters, in which those of later links are included; the number is the link's"
        found.setdefault(meaning or "parameters of the robot", []).append(name)
    return [(names, meaning) for meaning, names in found.items()]


_PAPERS = {
    "W": ("i,j", "component i of the angular velocity of link j, in its frame"),
    "WI": ("i,j", "component i of the angular velocity of the parent of link j, in the frame of link j"),
    "WP": ("i,j", "component i of the angular acceleration of link j"),
    "VP": ("i,j", "component i of the acceleration of the origin of frame j, less that of gravity"),
    "DV": ("i,k,j", "product of components i and k of the angular velocity of link j, with a minus if i = k"),
    "U": (
        "i,k,j",
        "entry i, k of the matrix U of link j: a point at P in its frame accelerates by U P beyond the origin",
    ),
    "F": ("i,j", "component i of the force that moves link j"),
    "No": ("i,j", "component i of the moment that turns link j, from its moments of inertia"),
    "E": ("i,j", "component i of the force on link j and all that it carries"),
    "N": ("i,j", "component i of the moment on link j and all that it carries, about the origin of its frame"),
}
_NUMBERED = {"S": "sine of the angle n", "C": "cosine of the angle n", "K": "values of the robot's parameters alone"}


def of_steps(names: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return what the variables of steps mean: letters, indices, and the meaning, in the order of their first use."""
    found: dict[str, tuple[str, str, str]] = {}
    for name in names:
        match = re.fullmatch(r"([A-Z][A-Za-z]*?)(\d+)_?", name)
        if match and match[1] in _PAPERS and len(match[2]) > _PAPERS[match[1]][0].count(","):
            found.setdefault(match[1], (match[1], *_PAPERS[match[1]]))
        elif match and match[1] in _NUMBERED:
            found.setdefault(match[1], (match[1], "n", _NUMBERED[match[1]]))
        elif re.fullmatch(r"t\d+", name):
            found.setdefault("t", ("t", "n", "values that are used several times"))
    return [*found.values()]


def as_expression(node: Node, places: Mapping[Node, Expression] = MappingProxyType({})) -> Expression:
    """Return a graph as one expression, everything written in place."""
    return negated(*_term(node, places))


def _term(node: Node, places: Mapping[Node, Expression]) -> Term:
    if node in places:
        return False, places[node]
    if node.op is SYMBOL:
        return False, Variable(str(node.value))
    if node.op is CONST:
        return float(node) < 0, Number(abs(float(node)))
    terms = [_term(a, places) for a in node.args]
    if node.op is NEG:
        return not terms[0][0], terms[0][1]
    if node.op is ADD:
        return False, total(terms)
    if node.op is MUL:
        return product(terms)
    if node.op is DIV:
        (negative, top), (other, bottom) = terms
        return negative ^ other, Quotient(top, bottom)
    return False, Call(node.op, tuple(negated(*term) for term in terms))


def ranges(names: Iterable[str]) -> list[str]:
    """Return names with those of a whole row of numbers together: XX1, XX2, XX3 as XX1, ..., XX3."""
    rows: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        match = re.fullmatch(r"(\D+)(\d+)(\D*)", name)
        rows.setdefault(f"{match[1]} {match[3]}" if match else name, []).append((int(match[2]) if match else 0, name))
    made = []
    for row in rows.values():
        whole = len(row) > 2 and [k for k, _ in row] == list(range(row[0][0], row[0][0] + len(row)))
        made += [row[0][1], "...", row[-1][1]] if whole else [name for _, name in row]
    return made
