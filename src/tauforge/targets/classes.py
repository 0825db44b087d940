"""Java and C#: a class with one static function of arrays."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..graph import operations as graph
from .function import Form, render, repeated, signature
from .language import Language, calls, words
from .parts import first_repeated, names, parts, written
from .statements import Listing, Statement
from .target import Target

_JAVA = """
    abstract assert boolean break byte case catch char class const continue default do double else enum extends
    final finally float for goto if implements import instanceof int interface long native new package private
    protected public return short static strictfp super switch synchronized this throw throws transient try void
    volatile while true false null var yield record sealed permits Math System Double String Object java evaluate kept
"""
_CSHARP = """
    abstract as base bool break byte case catch char checked class const continue decimal default delegate do double
    else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal
    is lock long namespace new null object operator out override params private protected public readonly ref return
    sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked
    unsafe ushort using virtual void volatile while await async dynamic var yield System Evaluate
"""
_SIGN = "({0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : 0.0)"

JAVA_LANGUAGE = Language(
    functions={**calls("Math.{0}"), graph.SQRT: "Math.sqrt({0})", graph.ABS: "Math.abs({0})", graph.SIGN: _SIGN},
    number=repr,
    element=lambda x: f"{x.array}[{x.place}]",
    reserved=words(_JAVA),
    library="java",
    flat_arrays=True,
    line="// {0}",
    remark="// {0}",
    escape=lambda line: line.replace("\\", "\\ "),  # \u would be read as a character, in comments too
    define="final double {0} = {1};",
    assign="{0} = {1};",
    clear="java.util.Arrays.fill({0}, 0.0);",
    **repeated(
        ["final double[] {state} = {argument}.clone();"],
        "for (int {turn} = 0; {turn} < {bound}; {turn}++)",
        "System.arraycopy({result}, 0, {state}, 0, {size});",
        "Double.NaN",
    ),
)
JAVA_FORM = Form(
    given="double[] {name}",
    made="double[] {name}",
    opening=(
        "public final class {name} {{",
        "    private {name}() {{}}",
        "",
        "    public static void evaluate({arguments}) {{",
    ),
    closing=("    }", "}"),
    indent="        ",
)
CSHARP_LANGUAGE = Language(
    functions={
        op: "System.Math." + spelling[0].upper() + spelling[1:]
        for op, spelling in {**calls(), graph.SQRT: "sqrt({0})", graph.ABS: "abs({0})"}.items()
    }
    | {graph.SIGN: _SIGN},
    number=repr,
    element=lambda x: f"{x.array}[{x.place}]",
    reserved=words(_CSHARP),
    functions_reserved=words("file field nint notnull nuint partial record required scoped unmanaged when where with"),
    library="csharp",
    flat_arrays=True,
    line="// {0}",
    remark="// {0}",
    define="double {0} = {1};",
    assign="{0} = {1};",
    clear="System.Array.Clear({0}, 0, {1});",
    **repeated(
        ["double[] {state} = (double[]){argument}.Clone();"],
        "for (int {turn} = 0; {turn} < {bound}; {turn}++)",
        "System.Array.Copy({result}, {state}, {size});",
        "double.NaN",
    ),
)
CSHARP_FORM = Form(
    given="double[] {name}",
    made="double[] {name}",
    opening=("public static class {name}", "{{", "    public static void Evaluate({arguments})", "    {{"),
    closing=("    }", "}"),
    indent="        ",
)

LONGEST = 800
"""Operations in one Java method: the virtual machine compiles none of more than 8000 bytes, and loads none of 65535."""


def _render_java(listing: Listing) -> str:
    """Return the class; a long function calls private ones, which share an array."""
    statements = (*listing.parameters, *listing.setup, *listing.body, *listing.results)
    if sum(1 + len(names(x.value)) for x in statements) <= LONGEST:
        return render(listing, JAVA_LANGUAGE, JAVA_FORM)
    cut, size = parts(listing, LONGEST, "kept")
    arguments = [x.name for x in (*listing.inputs, *listing.outputs)]
    arguments += [*([listing.loop.state] if listing.loop else []), "kept"]
    declared = [f"double[] {name}" for name in arguments]
    shared = f"final double[] kept = new double[{size}];"
    calls = [f"part{i}({', '.join(arguments)});" for i in range(len(cut))]
    once = first_repeated(listing, cut)
    methods = (line for i, part in enumerate(cut) for line in _method(i, part, declared))
    form = replace(
        JAVA_FORM,
        before_loop=[shared, *calls[:once]] if listing.loop else [],
        each_time=calls[once:] if listing.loop else [shared, *calls],
        closing=("    }", *methods, "}"),
    )
    return render(replace(listing, parameters=(), setup=(), body=(), results=()), JAVA_LANGUAGE, form)


def _method(number: int, part: list[Statement], arguments: list[str]) -> list[str]:
    opening = signature(f"    private static void part{number}({{arguments}}) {{{{", arguments, "")
    return ["", *opening, *written(part, JAVA_LANGUAGE, "        "), "    }"]


def _misplaced(stem: str, name: str) -> str:
    return "" if stem == name else f"Java looks for the class {name} in a file {name}.java"


JAVA = Target(JAVA_LANGUAGE, _render_java, ".java", misplaced=_misplaced)
CSHARP = Target(CSHARP_LANGUAGE, partial(render, language=CSHARP_LANGUAGE, form=CSHARP_FORM), ".cs")
