"""Generated C read back into a Program: what the text computes, with its constants as they are written."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..errors import TargetError
from ..graph.evaluate import topological
from ..graph.node import ZERO, Node, constant
from ..graph.operations import CONST, LIBRARY, SYMBOL
from ..graph.parse import expression
from ..graph.rewrite import built_anew, rewrite, substitute
from ..program.array import Array
from ..program.program import PARAMETERS, Program

_ELEMENT = re.compile(r"\b([A-Za-z_]\w*)\[(\d+)\]")
_SIGN = re.compile(r"\((.+?) > 0\.0f? \? 1\.0f? : \1 < 0\.0f? \? -1\.0f? : 0\.0f?\)")
_CLEAR = re.compile(r"memset\((\w+), 0, sizeof\((?:double|float)\[(\d+)\]\)\);")
_FLOAT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:e[+-]?\d+)?)f\b")
_STATEMENT = re.compile(r"(const (?:double|float) )?(\w+)(?:\[(\d+)\])? = (.+)", re.DOTALL)


def read_c(text: str, like: Program) -> Program:
    """Return the Program that a function of generated C computes; names and shapes are those of another one.

    Text that we do not write is refused with a TargetError.
    """
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = re.search(r"^void \w+\([^)]*\)\n\{\n(.*?)^\}$", plain, re.DOTALL | re.MULTILINE)
    if not found:
        raise TargetError("no function of generated C is here; give a file that `tauforge generate` wrote")
    known: dict[str, Node] = {}
    for name, array in like.arguments.items():
        for i, node in enumerate(array.nodes):
            known[_element(name, i)] = node
    written: dict[str, Node] = {}
    for name, size in _CLEAR.findall(found[1]):
        written |= {_element(name, i): ZERO for i in range(int(size))}
    for statement in _CLEAR.sub("", found[1]).split(";"):
        _read(" ".join(statement.split()), known, written)
    return Program("read_back", _state(like), {name: _made(name, a, written) for name, a in like.results.items()})


def _read(statement: str, known: dict[str, Node], written: dict[str, Node]) -> None:
    """Take one statement into account."""
    if not statement or statement.startswith("(void)"):
        return
    match = _STATEMENT.fullmatch(statement)
    if not match:
        raise TargetError(f"this is not a statement of generated C: {statement[:80]}")
    local, name, place, value = match.groups()
    if local:
        known[name] = _value(value, known)
    elif place is None:
        raise TargetError(f"this is not a statement of generated C: {statement[:80]}")
    else:
        written[_element(name, int(place))] = _value(value, known)


def _made(name: str, array: Array, written: Mapping[str, Node]) -> Array:
    missing = [i for i in range(len(array.nodes)) if _element(name, i) not in written]
    if missing:
        raise TargetError(f"{name}[{missing[0]}] is never written; is this another model, or another robot?")
    return Array(array.shape, tuple(written[_element(name, i)] for i in range(len(array.nodes))))


def _state(program: Program) -> dict[str, Array]:
    return {name: array for name, array in program.arguments.items() if name != PARAMETERS}


def _element(name: str, place: int) -> str:
    return f"at_{name}_{place}"


def _value(text: str, known: Mapping[str, Node]) -> Node:
    text = _ELEMENT.sub(lambda m: _element(m[1], int(m[2])), text)
    text = (
        _SIGN.sub(r"sign(\1)", _FLOAT.sub(r"\1", text))
        .replace("tauforge_sinf(", "sin(")
        .replace("tauforge_cosf(", "cos(")
    )
    text = re.sub(rf"\b({'|'.join(LIBRARY)}|sqrt|fabs)f\(", r"\1(", text).replace("fabs(", "abs(")
    value = expression(text)
    unknown = [str(x.value) for x in topological([value]) if x.op is SYMBOL and str(x.value) not in known]
    if unknown:
        raise TargetError(f"it uses {unknown[0].removeprefix('at_')}, which this model does not have")
    return substitute([value], known)[0]


def rounded(program: Program) -> Program:
    """Return a Program with its constants rounded to floats, as code holds them."""
    new = rewrite(program.order, lambda x, new: constant(x.value) if x.op is CONST else built_anew(x, new))
    results = {
        name: Array(array.shape, tuple(new[node] for node in array.nodes)) for name, array in program.results.items()
    }
    return Program("rounded", _state(program), results)
