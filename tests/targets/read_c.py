"""Read generated C back into a Program: what the text computes, with its constants as they are written."""

import re
from collections.abc import Mapping

from tauforge import Program
from tauforge.graph.node import ZERO, Node, constant
from tauforge.graph.operations import CONST
from tauforge.graph.parse import expression
from tauforge.graph.rewrite import built_anew, rewrite, substitute
from tauforge.program.array import Array
from tauforge.program.program import PARAMETERS

_ELEMENT = re.compile(r"\b([A-Za-z_]\w*)\[(\d+)\]")
_SIGN = re.compile(r"\((.+?) > 0\.0 \? 1\.0 : \1 < 0\.0 \? -1\.0 : 0\.0\)")
_CLEAR = re.compile(r"memset\((\w+), 0, sizeof\(double\[(\d+)\]\)\);")


def read_c(text: str, like: Program) -> Program:
    """Return the Program that a function of generated C computes; names and shapes are those of another one."""
    body = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).split("{", 1)[1].rsplit("}", 1)[0]
    known: dict[str, Node] = {}
    for name, array in like.arguments.items():
        for i, node in enumerate(array.nodes):
            known[_element(name, i)] = node
    written: dict[str, Node] = {}
    cleared = dict(_CLEAR.findall(body))
    statements = (x.strip().replace("\n", " ") for x in _CLEAR.sub("", body).split(";"))
    for statement in statements:
        if not statement or statement.startswith("(void)"):
            continue
        match = re.fullmatch(r"(const double )?(\w+)(?:\[(\d+)\])? = (.+)", statement)
        assert match, statement
        local, name, place, value = match.groups()
        made = _value(value, known)
        (known if local else written)[name if local else _element(name, int(place))] = made
    for name, size in cleared.items():
        written = {_element(name, i): ZERO for i in range(int(size))} | written
    results = {
        name: Array(array.shape, tuple(written[_element(name, i)] for i in range(len(array.nodes))))
        for name, array in like.results.items()
    }
    state = {name: array for name, array in like.arguments.items() if name != PARAMETERS}
    return Program("read_back", state, results)


def _element(name: str, place: int) -> str:
    return f"at_{name}_{place}"


def _value(text: str, known: Mapping[str, Node]) -> Node:
    text = _SIGN.sub(r"sign(\1)", _ELEMENT.sub(lambda m: _element(m[1], int(m[2])), text)).replace("fabs(", "abs(")
    return substitute([expression(text)], known)[0]


def rounded(program: Program) -> Program:
    """Return a Program with its constants rounded to floats, as code holds them."""
    new = rewrite(program.order, lambda x, new: constant(x.value) if x.op is CONST else built_anew(x, new))
    results = {
        name: Array(array.shape, tuple(new[node] for node in array.nodes)) for name, array in program.results.items()
    }
    state = {name: array for name, array in program.arguments.items() if name != PARAMETERS}
    return Program("rounded", state, results)
