"""Rust: one function of arrays, without the standard library; sines and roots are those of C's library."""

from __future__ import annotations

from functools import partial

from ..errors import TargetError
from ..graph import operations as graph
from .c import single
from .function import Form, render, repeated
from .language import Language, calls, words
from .target import Target

_WORDS = """
    Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if
    impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type
    typeof union unsafe unsized use virtual where while yield sqrt fabs sign f32 f64 None Some Ok Err
"""
_ROOT_AND_SIZE = {graph.SQRT: "sqrt", graph.ABS: "fabs"}
"""Names in C's library; the other functions have the graph's."""
_SIGN = "if x > 0.0 {{ 1.0 }} else if x < 0.0 {{ -1.0 }} else {{ 0.0 }}"


def language(scalar: str) -> Language:
    """Return the spellings for a type of numbers."""
    return Language(
        functions={**calls(), graph.SQRT: "sqrt({0})", graph.ABS: "fabs({0})", graph.SIGN: "sign({0})"},
        number=repr if scalar == "f64" else lambda x: single(x).removesuffix("f"),
        element=lambda x: f"{x.array}[{x.place}]",
        reserved=words(_WORDS) | {*graph.LIBRARY},
        functions_reserved=words("main drop"),
        flat_arrays=True,
        line="// {0}",
        remark="// {0}",
        define=f"let {{0}}: {scalar} = {{1}};",
        assign="{0} = {1};",
        clear="{0}.fill(0.0);",
        **repeated(
            ["let mut {state} = *{argument};"],
            "for _ in 0..{bound}",
            "{state} = *{result};",
            f"{scalar}::NAN",
            "if {0}",
        ),
    )


def _helper(op: str, scalar: str) -> str:
    """Return the line that makes a function of C's library safe to call."""
    count, name = graph.LIBRARY.get(op, 1), _ROOT_AND_SIZE.get(op, op)
    here = ", ".join(f"{x}: {scalar}" for x in "xy"[:count])
    given = ", ".join("xy"[:count])
    symbol = name + ("f" if scalar == "f32" else "")
    extern = f'unsafe extern "C" {{ fn {symbol}({here}) -> {scalar}; }}'
    return f"fn {name}({here}) -> {scalar} {{ {extern} unsafe {{ {symbol}({given}) }} }}"


def _form(scalar: str) -> Form:
    return Form(
        given=f"{{name}}: &[{scalar}; {{size}}]",
        made=f"{{name}}: &mut [{scalar}; {{size}}]",
        opening=(
            "#[allow(non_snake_case, unused_variables, clippy::all)]",
            "pub fn {name}({arguments}) {{",
        ),
        closing=("}",),
        helpers={
            **{op: [_helper(op, scalar)] for op in (*graph.LIBRARY, *_ROOT_AND_SIZE)},
            graph.SIGN: [f"fn sign(x: {scalar}) -> {scalar} {{ {_SIGN.format()} }}"],
        },
    )


def target(scalar: str = "f64") -> Target:
    scalar = {"double": "f64", "float": "f32"}.get(scalar, scalar)
    if scalar not in ("f64", "f32"):
        raise TargetError(f"{scalar!r} cannot be a type of numbers in Rust; give f64 or f32")
    here = language(scalar)
    return Target(here, partial(render, language=here, form=_form(scalar)), ".rs", target)
