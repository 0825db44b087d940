"""Scilab: one function; vectors can be rows or columns, and are returned as columns."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..graph import operations as graph
from . import matlab
from .language import calls, words
from .target import Target

_WORDS = """
    abort break case catch continue do else elseif end endfunction for function halt help if pause quit return select
    then try while apropos clc clear exit pwd resume what who sqrt abs atan bool2s zeros ans
"""

LANGUAGE = replace(
    matlab.LANGUAGE,
    functions={
        **calls(),
        graph.ATAN2: "atan({0}, {1})",
        graph.SQRT: "sqrt({0})",
        graph.ABS: "abs({0})",
        graph.SIGN: "(bool2s({0} > 0) - bool2s({0} < 0))",
    },
    reserved=words(_WORDS) | {*graph.LIBRARY},
    library="scilab",
    line="// {0}",
    remark="// {0}",
    continued=" ..",
    closing=("    if {until} > 0.5 then", "        break", "    end", "    {state} = {result};", "end"),
    lost=("if ~({until} > 0.5) then", "    {0} = %nan;", "end"),
)
TARGET = Target(LANGUAGE, partial(matlab.render, language=LANGUAGE, end="endfunction"), ".sci")
