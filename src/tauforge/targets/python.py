"""Plain Python: one function of sequences of numbers, with nothing but the math module."""

from __future__ import annotations

import keyword
import sys

from ..graph import operations as graph
from .comments import blocks, head
from .language import Language, calls
from .statements import Argument, Listing

_IMPORTS = sorted((*graph.LIBRARY, graph.SQRT))

LANGUAGE = Language(
    functions={
        **calls(),
        graph.SQRT: "sqrt({0})",
        graph.ABS: "abs({0})",
        graph.SIGN: "(1.0 if {0} > 0.0 else -1.0 if {0} < 0.0 else 0.0)",
    },
    number=repr,
    element=lambda x: x.array + "".join(f"[{i}]" for i in x.index),
    reserved=frozenset([*keyword.kwlist, *keyword.softkwlist, *_IMPORTS, "abs", "range", "list", "nan"]),
    line="# {0}",
    remark="# {0}",
    brackets=("(", ")"),
    opening=("{state} = {argument}", "for {turn} in range({bound}):"),
    closing=("    if {until} > 0.5:", "        break", "    {state} = list({result})"),
    lost=("if not {until} > 0.5:", "    {0} = nan", ""),
)


def misplaced(stem: str, name: str) -> str:
    """Return why a module cannot have this name; empty if it can."""
    if stem in sys.stdlib_module_names or stem == "numpy":
        return f"a file of this name hides Python's own module {stem} from every module beside it"
    return ""


def render(listing: Listing) -> str:
    imports = [name for name in _IMPORTS if name in listing.functions]
    imports += ["nan"] * bool(listing.loop)
    lines = [*head(listing, LANGUAGE), ""]
    if imports:
        lines += [f"from math import {', '.join(imports)}", ""]
    lines += [
        "",
        *LANGUAGE.folded(f"def {listing.name}({', '.join(argument.name for argument in listing.inputs)}):", ""),
        *(f"    {argument.name} = {_zeros(argument)}" for argument in listing.outputs if argument.array.shape),
        *blocks(listing, LANGUAGE, "    "),
        f"    return {', '.join(argument.name for argument in listing.outputs)}",
    ]
    return "\n".join([*lines, ""])


def _zeros(argument: Argument) -> str:
    """Return nested lists of zeros."""
    *outer, last = argument.array.shape
    text = f"[0.0]*{last}"
    for size in reversed(outer):
        text = f"[{text} for _ in range({size})]"
    return text
