"""Maxima, Maple and Mathematica: one function with local variables, which returns lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..graph import operations as graph
from .comments import blocks, head
from .expression import Element, Expression, List, Number, Variable
from .language import Language, calls, words
from .statements import Listing, Statement
from .target import Target

_MAXIMA = """
    if then else elseif for from step next thru while unless do in and or not true false block lambda return und
    infinity inf minf ind abs signum sqrt float numer simp ratprint listarith prederror error errormsg
    keepfloat domain logexpand trigexpand inflag local ev ratfac algebraic gcd stringout all done end exit go
    assume integrate limit lsum product sum unknown diff at del operator
"""
_MAPLE = """
    and assuming break by catch description do done elif else end error export fi finally for from global if implies in
    intersect local minus mod module next not od option options or proc quit read return save stop subset then to try
    union use uses while xor abs signum sqrt arctan arcsin arccos Array copy Float undefined I Pi E D O gamma Gamma
    true false FAIL infinity NULL Digits lambda i e _x __init__ seq
"""
_MATHEMATICA = """
    Module Sin Cos ArcSin ArcCos ArcTan Sqrt Abs Sign Table Do If Break Indeterminate ConstantArray Null True False
    C D E I K N O Pi
"""


@dataclass(frozen=True)
class Frame:
    """What surrounds the statements.

    Attributes
    ----------
    opening
        Lines before the statements, with {name}, {arguments} and {locals}.
    closing
        Lines after the statements, with {0} for what is returned: the output, or a list of several.
    argument
        An input in the function's head.
    """

    opening: Sequence[str]
    closing: Sequence[str]
    argument: str = "{0}"


def _render(listing: Listing, language: Language, frame: Frame) -> str:
    spelled = language.variable
    outputs = [Variable(x.name) for x in listing.outputs]
    loop = [listing.loop.state, listing.loop.turn] if listing.loop else []
    known = {
        "name": spelled(listing.name),
        "arguments": ", ".join(frame.argument.format(spelled(x.name)) for x in listing.inputs),
        "locals": ", ".join(map(spelled, [*(x.name for x in outputs), *loop, *listing.variables])),
    }
    returned = language.text(outputs[0] if len(outputs) == 1 else List(tuple(outputs)))
    lines = [
        *head(listing, language),
        "",
        *(line for part in frame.opening for line in language.folded(part.format(**known), "")),
        *blocks(replace(listing, results=_gathered(listing), cleared=()), language, "    "),
        *(line.format(returned) for line in frame.closing),
    ]
    return "\n".join([*lines, ""])


def _gathered(listing: Listing) -> tuple[Statement, ...]:
    """Return one statement for each output, which makes a list of its elements."""
    values = {(x.target.array, x.target.place): x.value for x in listing.results if isinstance(x.target, Element)}
    made = []
    for output in listing.outputs:
        items = [values.get((output.name, i), Number(0.0)) for i in range(output.array.shape.size)]
        made.append(Statement(Variable(output.name), _nested(items, tuple(output.array.shape))))
    return tuple(made)


def _nested(items: list[Expression], shape: tuple[int, ...]) -> Expression:
    if not shape:
        return items[0]
    size = len(items) // shape[0] if shape[0] else 0
    return List(tuple(_nested(items[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])))


MAXIMA_LANGUAGE = Language(
    functions={**calls(), graph.SQRT: "sqrt({0})", graph.ABS: "abs({0})", graph.SIGN: "signum({0})"},
    number=repr,
    element=lambda x: x.array + "".join(f"[{i + 1}]" for i in x.index),
    reserved=words(_MAXIMA) | {*graph.LIBRARY},
    library="maxima",
    frame=("/*", " */"),
    line=" * {0}",
    remark="/* {0} */",
    escape=lambda line: line.replace("*/", "* /").replace("/*", "/ *"),
    square="{0}^2",
    define="{0}: {1},",
    assign="{0}: {1},",
    opening=("{state}: {argument},", "for {turn}: 1 thru {bound} do ("),
    closing=("    if {until} > 0.5 then return(true),", "    {state}: {result}", "),"),
    lost=("if not is({until} > 0.5) then (", "    {0}: und,", "true),"),
    either="(if {0} > 0.5 then {1} else und)",
)
MAXIMA_FRAME = Frame(("{name}({arguments}) := block([{locals}],",), ("    {0})$",))
MAPLE_LANGUAGE = Language(
    functions={
        **calls(),
        graph.ASIN: "arcsin({0})",
        graph.ACOS: "arccos({0})",
        graph.ATAN2: "arctan({0}, {1})",
        graph.SQRT: "sqrt({0})",
        graph.ABS: "abs({0})",
        graph.SIGN: "signum({0})",
    },
    number=repr,
    element=lambda x: x.array + (f"[{', '.join(str(i + 1) for i in x.index)}]" if x.index else ""),
    reserved=words(_MAPLE) | {*graph.LIBRARY},
    library="maple",
    line="# {0}",
    remark="# {0}",
    escape=lambda line: line.replace("\\", "\\ "),
    square="{0}^2",
    define="{0} := {1};",
    assign="{0} := {1};",
    opening=("{state} := {argument};", "for {turn} from 1 to {bound} do"),
    closing=("    if {until} > 0.5 then break; end if;", "    {state} := {result};", "end do;"),
    lost=("if not ({until} > 0.5) then", "    {0} := Float(undefined);", "end if;"),
    either="`if`({0} > 0.5, {1}, Float(undefined))",
)
MAPLE_FRAME = Frame(("{name} := proc({arguments})", "    local {locals};"), ("    return {0};", "end proc:"))


def _dollars(name: str) -> str:
    """Spell a name in Mathematica, where an underscore is a pattern."""
    return name.replace("_", "$")


def _part(x: Element) -> str:
    return _dollars(x.array) + (f"[[{', '.join(str(i + 1) for i in x.index)}]]" if x.index else "")


def _machine(value: float) -> str:
    """Spell a number at machine precision, whatever number of digits it has."""
    digits, _, exponent = repr(value).partition("e")
    return f"{digits}`*^{int(exponent)}" if exponent else f"{digits}`"


MATHEMATICA_LANGUAGE = Language(
    functions={
        **{op: f"{op.capitalize()}[{{0}}]" for op in (graph.SIN, graph.COS, graph.SQRT, graph.ABS, graph.SIGN)},
        graph.ASIN: "ArcSin[{0}]",
        graph.ACOS: "ArcCos[{0}]",
        graph.ATAN2: "ArcTan[{1}, {0}]",
    },
    number=_machine,
    lists=("{", "}"),
    element=_part,
    variable=_dollars,
    reserved=words(_MATHEMATICA),
    library="mathematica",
    frame=("(*", "*)"),
    line="  {0}",
    remark="(* {0} *)",
    escape=lambda line: line.replace("*)", "* )").replace("(*", "( *"),
    square="{0}^2",
    define="{0} = {1};",
    assign="{0} = {1};",
    opening=("{state} = {argument};", "Do["),
    closing=("    If[{until} > 0.5, Break[]];", "    {state} = {result}, {{{turn}, {bound}}}];"),
    lost=("If[Not[{until} > 0.5],", "    {0} = Indeterminate;", "];"),
    either="If[{0} > 0.5, {1}, Indeterminate]",
)
MATHEMATICA_FRAME = Frame(("{name}[{arguments}] := Module[{{{locals}}},",), ("    {0}]",), "{0}_")

MAXIMA = Target(MAXIMA_LANGUAGE, partial(_render, language=MAXIMA_LANGUAGE, frame=MAXIMA_FRAME), ".mac")
MAPLE = Target(MAPLE_LANGUAGE, partial(_render, language=MAPLE_LANGUAGE, frame=MAPLE_FRAME), ".mpl")
MATHEMATICA = Target(
    MATHEMATICA_LANGUAGE, partial(_render, language=MATHEMATICA_LANGUAGE, frame=MATHEMATICA_FRAME), ".wl"
)
