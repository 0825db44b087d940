"""C99: one function of flat arrays, without globals or heap; its only branches repeat it. And its header."""

from __future__ import annotations

import re

from ..graph import operations as graph
from .comments import blocks, head
from .language import WIDTH, Language, calls, words
from .statements import Argument, Listing

_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    main alignas alignof and asm bool catch class constexpr decltype delete explicit export false friend mutable
    namespace new noexcept not nullptr operator or private protected public template this throw true try typeid
    typename using virtual xor linux unix i386 errno NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL MATH_ERRNO
    MATH_ERREXCEPT math_errhandling float_t double_t memset memcpy size_t NULL
"""
"""Keywords of C and C++, and names that compilers, math.h and string.h define."""
_MATH = """
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10
    log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint
    lrint llrint round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin
    fma abs isfinite isinf isnan isnormal signbit fpclassify isgreater isless isunordered
"""


_MACROS = """
    FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN
    HUGE_VAL HUGE_VALF HUGE_VALL INFINITY NAN MATH_ERRNO MATH_ERREXCEPT math_errhandling DOMAIN SING OVERFLOW UNDERFLOW
    PLOSS TLOSS M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 MAXFLOAT
"""  # names that math.h defines in one mode or another


def _harmless(line: str) -> str:
    """Return a line that can neither end a comment, nor start one inside it, nor hold a trigraph."""
    return re.sub(r"\?(?=\?)", "? ", line.replace("*/", "* /").replace("/*", "/ *"))


LANGUAGE = Language(
    functions={
        **calls(),
        graph.SQRT: "sqrt({0})",
        graph.ABS: "fabs({0})",
        graph.SIGN: "({0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : 0.0)",
    },
    number=repr,
    element=lambda x: f"{x.array}[{x.place}]",
    reserved=words(_WORDS) | words(_MACROS) | {name + kind for name in words(_MATH) for kind in ("", "f", "l")},
    flat_arrays=True,
    frame=("/*", " */"),
    line=" * {0}",
    remark="/* {0} */",
    escape=_harmless,
    define="const double {0} = {1};",
    assign="{0} = {1};",
    clear="memset({0}, 0, sizeof(double[{1}]));",
    opening=(
        "double {state}[{size}];",
        "memcpy({state}, {argument}, sizeof {state});",
        "for (int {turn} = 0; {turn} < {bound}; {turn}++) {{",
    ),
    closing=(
        "    if ({until} > 0.5) {{",
        "        break;",
        "    }}",
        "    memcpy({state}, {result}, sizeof {state});",
        "}}",
    ),
    lost=("if (!({until} > 0.5)) {{", "    {0} = NAN;", "}"),
)


def render(listing: Listing) -> str:
    """Return the function's definition."""
    lines = [*head(listing, LANGUAGE), ""]
    includes = ["#include <math.h>"] * bool(listing.functions - {graph.SIGN} or listing.loop)
    includes += ["#include <string.h>"] * bool(listing.cleared or listing.loop)
    lines += [*includes, *[""] * bool(includes)]
    lines += [*_prototype(listing), "{"]
    empty = [argument for argument in listing.outputs if not argument.array.shape.size]
    unused = [argument for argument in listing.inputs if not argument.used] + empty
    lines += [f"    (void){argument.name};" for argument in unused]
    return "\n".join([*lines, *blocks(listing, LANGUAGE, "    "), "}", ""])


def render_header(listing: Listing) -> str:
    """Return the function's declaration, for C and C++."""
    guard = f"{listing.name.upper()}_H"
    lines = [*head(listing, LANGUAGE), "", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    lines += [*_prototype(listing, ";"), "", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(lines)


def _prototype(listing: Listing, end: str = "") -> list[str]:
    arguments = [f"const {_declared(a)}" for a in listing.inputs] + [_declared(a) for a in listing.outputs]
    whole = f"void {listing.name}({', '.join(arguments) or 'void'}){end}"
    if len(whole) <= WIDTH:
        return [whole]
    return [f"void {listing.name}(", *(f"    {a}," for a in arguments[:-1]), f"    {arguments[-1]}){end}"]


def _declared(argument: Argument) -> str:
    size = argument.array.shape.size
    return f"double {argument.name}[{size}]" if size else f"double *{argument.name}"  # an array in C cannot be empty
