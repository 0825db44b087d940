"""MATLAB and Octave: one function file; vectors can be rows or columns, and are returned as columns."""

from __future__ import annotations

from ..graph import operations as graph
from .comments import blocks, head
from .language import Language, calls, library, words
from .statements import Argument, Listing

_WORDS = """
    break case catch classdef continue else elseif end for function global if otherwise parfor persistent return
    spmd switch try while do until endfunction endif endwhile endfor endparfor endswitch end_try_catch
    end_unwind_protect unwind_protect unwind_protect_cleanup endclassdef endmethods endproperties endevents
    endenumeration endspmd methods properties events enumeration arguments endarguments static import sqrt abs
    sign zeros NaN
"""

LANGUAGE = Language(
    functions={
        **calls(),
        graph.SQRT: "sqrt({0})",
        graph.ABS: "abs({0})",
        graph.SIGN: "(({0} > 0) - ({0} < 0))",
    },
    number=repr,
    element=lambda x: x.array + (f"({', '.join(str(i + 1) for i in x.index)})" if x.index else ""),
    reserved=words(_WORDS) | {*graph.LIBRARY},
    library="matlab",
    line="% {0}",
    remark="% {0}",
    square="{0}^2",
    define="{0} = {1};",
    assign="{0} = {1};",
    continued=" ...",
    opening=("{state} = {argument};", "for {turn} = 1:{bound}"),
    closing=("    if {until} > 0.5", "        break", "    end", "    {state} = {result};", "end"),
    lost=("if ~({until} > 0.5)", "    {0} = NaN;", "end"),
)


def misplaced(stem: str, name: str) -> str:
    """Return why a file cannot have this name, by which MATLAB and Octave call its function; empty if it can."""
    if stem in library(LANGUAGE.library)[1] | LANGUAGE.reserved:
        return f"a file of this name takes the place of the function {stem}, also where others call that"
    return ""


def render(listing: Listing, language: Language = LANGUAGE, end: str = "end") -> str:
    inputs = ", ".join(argument.name for argument in listing.inputs)
    outputs = ", ".join(argument.name for argument in listing.outputs)
    if len(listing.outputs) != 1:
        outputs = f"[{outputs}]"
    lines = [
        *language.folded(f"function {outputs} = {listing.name}({inputs})", ""),
        *head(listing, language),  # after the function's line, where `help` looks for it
        "",
        *(f"    {argument.name} = {_zeros(argument)};" for argument in listing.outputs),
        *blocks(listing, language, "    "),
    ]
    return "\n".join([*lines, end, ""])


def _zeros(argument: Argument) -> str:
    sizes = [*argument.array.shape, 1, 1][: max(2, len(argument.array.shape))]
    return f"zeros({', '.join(map(str, sizes))})"
