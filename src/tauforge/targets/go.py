"""Go: a package with one function of arrays, exported: its name starts with a capital."""

from __future__ import annotations

from ..graph import operations as graph
from .function import Form, render, repeated
from .language import Language, calls, words
from .statements import Listing
from .target import Target

_WORDS = """
    break case chan const continue default defer else fallthrough for func go goto if import interface map package range
    return select struct switch type var math float64 sign
"""

LANGUAGE = Language(
    functions={
        **calls("math.{0}"),
        graph.SIN: "math.Sin({0})",
        graph.COS: "math.Cos({0})",
        graph.ASIN: "math.Asin({0})",
        graph.ACOS: "math.Acos({0})",
        graph.ATAN2: "math.Atan2({0}, {1})",
        graph.SQRT: "math.Sqrt({0})",
        graph.ABS: "math.Abs({0})",
        graph.SIGN: "sign({0})",
    },
    number=repr,
    element=lambda x: f"{x.array}[{x.place}]",
    reserved=words(_WORDS),
    flat_arrays=True,
    line="// {0}",
    remark="// {0}",
    define="{0} := {1}",
    signs_end_lines=True,  # a line that could end there would end the statement
    clear="*{0} = [{1}]float64{{}}",
    **repeated(
        ["{state} := *{argument}"],
        "for {turn} := 0; {turn} < {bound}; {turn}++",
        "{state} = *{result}",
        "math.NaN()",
        "if {0}",
        "",
    ),
)
_SIGN = (
    "sign := func(x float64) float64 {",
    "    if x > 0.0 {",
    "        return 1.0",
    "    } else if x < 0.0 {",
    "        return -1.0",
    "    }",
    "    return 0.0",
    "}",
)


def exported(name: str) -> str:
    """Return a function's name as other packages see it."""
    return name[0].upper() + name[1:]


def _before(listing: Listing) -> list[str]:
    package = f"package {listing.name.lower().replace('_', '')}"
    needed = listing.functions - {graph.SIGN} or listing.loop
    return [package, *["", 'import "math"'] * bool(needed)]


def _render(listing: Listing) -> str:
    form = Form(
        given="{name} *[{size}]float64",
        made="{name} *[{size}]float64",
        opening=(f"func {exported(listing.name)}({{arguments}}) {{{{",),
        closing=("}",),
        before=_before,
        helpers={graph.SIGN: _SIGN},
    )
    return render(listing, LANGUAGE, form)


TARGET = Target(LANGUAGE, _render, ".go")
