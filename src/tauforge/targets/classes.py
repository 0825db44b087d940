"""Java and C#: a class with one static function of arrays."""

from __future__ import annotations

from functools import partial

from ..graph import operations as graph
from .function import Form, render, repeated
from .language import Language, calls, words
from .target import Target

_JAVA = """
    abstract assert boolean break byte case catch char class const continue default do double else enum extends
    final finally float for goto if implements import instanceof int interface long native new package private
    protected public return short static strictfp super switch synchronized this throw throws transient try void
    volatile while true false null var yield record sealed permits Math System Double String Object java evaluate
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

JAVA = Target(JAVA_LANGUAGE, partial(render, language=JAVA_LANGUAGE, form=JAVA_FORM), ".java")
CSHARP = Target(CSHARP_LANGUAGE, partial(render, language=CSHARP_LANGUAGE, form=CSHARP_FORM), ".cs")
