"""JavaScript and TypeScript: a module with one function, which fills the outputs that it is given, or new ones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..graph import operations as graph
from .function import Form, render, repeated, signature
from .language import Language, calls, words
from .statements import Listing
from .target import Target

_WORDS = """
    abstract any arguments as async await boolean break case catch class const constructor continue debugger declare
    default delete do else enum eval export extends false finally for from function get if implements import in
    instanceof interface let module namespace never new null number of package private protected public require return
    set static string super switch symbol this throw true try type typeof undefined unknown var void while with yield
    Math Float64Array ArrayLike NaN Infinity
"""

LANGUAGE = Language(
    functions={
        **calls("Math.{0}"),
        graph.SQRT: "Math.sqrt({0})",
        graph.ABS: "Math.abs({0})",
        graph.SIGN: "({0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : 0.0)",
    },
    number=repr,
    element=lambda x: f"{x.array}[{x.place}]",
    reserved=words(_WORDS),
    functions_reserved=words("exports"),  # which CommonJS defines
    library="javascript",
    flat_arrays=True,
    line="// {0}",
    remark="// {0}",
    define="const {0} = {1};",
    assign="{0} = {1};",
    clear="{0}.fill(0.0);",
    **repeated(
        ["const {state} = Float64Array.from({argument});"],
        "for (let {turn} = 0; {turn} < {bound}; {turn}++)",
        "{state}.set({result});",
        "NaN",
    ),
)
FORM = Form(
    given="{name}",
    made="{name} = new Float64Array({size})",
    opening=("export function {name}({arguments}) {{",),
    closing=("}",),
)
TYPED = replace(FORM, given="{name}: ArrayLike<number>", made="{name}: Float64Array = new Float64Array({size})")


def _render(listing: Listing, form: Form) -> str:
    names = [x.name for x in listing.outputs]
    template = "    return {arguments};" if len(names) == 1 else "    return {{ {arguments} }};"
    returned = [line.rstrip() for line in signature(template, names, "")]
    return render(listing, LANGUAGE, replace(form, closing=(*returned, "}")))


JAVASCRIPT = Target(LANGUAGE, partial(_render, form=FORM), ".js")
TYPESCRIPT = Target(LANGUAGE, partial(_render, form=TYPED), ".ts")
