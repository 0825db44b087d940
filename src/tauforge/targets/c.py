"""C99: one function of flat arrays, without globals or heap; its only branches repeat it. And its header.

Its numbers are double, float, or of a type of the user's, which the header of the same name defines.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Callable
from functools import partial
from inspect import signature as signature_of
from typing import Any

from ..errors import TargetError
from ..graph import operations as graph
from ..parameters.base import BaseParameters
from ..program.program import Program
from ..program.recipe import Recipe
from .comments import blocks, head
from .function import repeated, signature, unread
from .language import Language, library, words
from .statements import Argument, Listing
from .target import Target

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


def harmless(line: str) -> str:
    """Return a line that can neither end a comment, nor start one inside it, nor hold a trigraph, nor join the next."""
    line = re.sub(r"\?(?=\?)", "? ", line.replace("*/", "* /").replace("/*", "/ *"))
    return re.sub(r"\\(?=\s|$)", r"\\x5c", line)


DOUBLE, FLOAT = "double", "float"


def single(value: float) -> str:
    """Spell a constant as a float; refuse one that a float cannot hold."""
    try:
        held = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        held = 0.0
    if value and not held:
        raise TargetError(f"the constant {value!r} does not fit a float; use double, or units of another size")
    return f"{value!r}f"


SINES = """\
#ifndef TAUFORGE_SINES
#define TAUFORGE_SINES
#if defined(__GNUC__)
#define TAUFORGE_INLINE static inline __attribute__((always_inline, unused))
#else
#define TAUFORGE_INLINE static inline
#endif

#if defined(__SIZEOF_INT__) && __SIZEOF_INT__ < 4
#define TAUFORGE_COUNT long
#else
#define TAUFORGE_COUNT int
#endif

/* Sines and cosines as accurate as the angle: without tables, without double, and the work for both is shared. */
/* They are NaN beyond 1e7 rad, where the nearest float can be half a radian away. */
TAUFORGE_INLINE TAUFORGE_COUNT tauforge_quarters(float x)
{
    const float y = 0.63661977f*x;
    return fabsf(x) <= 1e7f ? (TAUFORGE_COUNT)(y + (y < 0.0f ? -0.5f : 0.5f)) : 0;
}

TAUFORGE_INLINE float tauforge_rest(float x, TAUFORGE_COUNT quarters)
{
    const float n = (float)quarters;
    const float r = ((x - 1.5703125f*n) - 4.837512969970703e-4f*n) - 7.549789954891e-8f*n;
    return fabsf(x) <= 1e7f ? r : NAN;
}

TAUFORGE_INLINE float tauforge_odd(float x)
{
    const float z = x*x;
    return x + x*(z*((8.3321608736e-3f - 1.9515295891e-4f*z)*z - 1.6666654611e-1f));
}

TAUFORGE_INLINE float tauforge_even(float x)
{
    const float z = x*x;
    return 1.0f + z*(((2.443315711809948e-5f*z - 1.388731625493765e-3f)*z + 4.166664568298827e-2f)*z - 0.5f);
}

TAUFORGE_INLINE float tauforge_sinf(float x)
{
    const TAUFORGE_COUNT k = tauforge_quarters(x);
    const float r = tauforge_rest(x, k);
    const float y = k & 1 ? tauforge_even(r) : tauforge_odd(r);
    return k & 2 ? -y : y;
}

TAUFORGE_INLINE float tauforge_cosf(float x)
{
    const TAUFORGE_COUNT k = tauforge_quarters(x);
    const float r = tauforge_rest(x, k);
    const float y = k & 1 ? tauforge_odd(r) : tauforge_even(r);
    return (k + 1) & 2 ? -y : y;
}
#endif

"""
"""Sines in float: Cody and Waite's reduction to an eighth of a turn, then Cephes' polynomials.

The reduction is off by less than the distance between floats there up to 1e7 rad; from 2.6e7 on, where floats no longer
hold every number of quarters, it would leave angles of any size.
"""


def _number(scalar: str) -> Callable[[float], str]:
    if scalar == FLOAT:
        return single
    return repr if scalar == DOUBLE else lambda x: f"(({scalar}){x!r})"


def mathematics(name: str, scalar: str) -> str:
    """Return a function of math.h for a type; those of the user's types are chosen by tgmath.h."""
    return f"{name}f" if scalar == FLOAT else name


def spellings(scalar: str, library: str = "") -> dict[str, str]:
    """Return the spellings of operations in C and C++."""
    zero, one = _number(scalar)(0.0), _number(scalar)(1.0)
    names = {**{name: name for name in graph.LIBRARY}, graph.SQRT: "sqrt", graph.ABS: "fabs"}
    arguments = ("()", "({0})", "({0}, {1})")
    called = {
        op: library + (name if library else mathematics(name, scalar)) + arguments[graph.LIBRARY.get(op, 1)]
        for op, name in names.items()
    }
    if scalar == FLOAT and not library:
        called |= {graph.SIN: "tauforge_sinf({0})", graph.COS: "tauforge_cosf({0})"}
    return {**called, graph.SIGN: f"({{0}} > {zero} ? {one} : {{0}} < {zero} ? -{one} : {zero})"}


def language(scalar: str) -> Language:
    """Return the spellings for a type of numbers."""
    return Language(
        functions=spellings(scalar),
        number=_number(scalar),
        element=lambda x: f"{x.array}[{x.place}]",
        reserved=RESERVED | {scalar} | (frozenset() if scalar in (DOUBLE, FLOAT) else _COMPLEX),
        library="c",
        flat_arrays=True,
        frame=("/*", " */"),
        line=" * {0}",
        remark="/* {0} */",
        escape=harmless,
        define=f"const {scalar} {{0}} = {{1}};",
        assign="{0} = {1};",
        clear=f"memset({{0}}, 0, sizeof({scalar}[{{1}}]));",
        **repeated(
            [f"{scalar} {{state}}[{{size}}];", "memcpy({state}, {argument}, sizeof {state});"],
            "for (int {turn} = 0; {turn} < {bound}; {turn}++)",
            "memcpy({state}, {result}, sizeof {state});",
            "NAN" if scalar in (DOUBLE, FLOAT) else f"(({scalar})NAN)",  # NAN is a float
            half=_number(scalar)(0.5),
        ),
    )


RESERVED = words(_WORDS) | words(_MACROS) | {name + kind for name in words(_MATH) for kind in ("", "f", "l")}
_COMPLEX = {f"c{name}" for name in RESERVED}
"""Functions of complex numbers, which the macros of tgmath.h name."""
LANGUAGE = language(DOUBLE)


def render(listing: Listing, scalar: str = DOUBLE) -> str:
    """Return the function's definition."""
    here = language(scalar)
    lines = _includes(listing, scalar)
    if scalar == FLOAT and listing.functions & {graph.SIN, graph.COS}:
        lines += SINES.splitlines()
    lines += [*_prototype(listing, scalar), "{"]
    lines += [f"    (void){argument.name};" for argument in unread(listing)]
    code = "\n".join([*lines, *blocks(listing, here, "    "), "}", ""])
    made = how_made(listing.program)
    *comment, end = head(listing, here, [f"{MADE}{made}"] if made else [])
    text = "\n".join([*comment, end, "", code])
    return "\n".join([*comment, here.line.format(f"{CERTIFICATE}{digest(text)}"), end, "", code])


MADE, CERTIFICATE = "Made by: ", "Certificate: "
"""What the last lines of the comment start with, by which a function can be checked later."""


def digest(text: str) -> str:
    """Return a hash of a function's text with the comment above it, but for the line that holds the hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def how_made(program: Program) -> str:
    """Return the model and the methods that made a Program from a robot, with their options; empty if unknown.

    Its only spaces are those that separate: a comment changes signs in names, and its lines end anywhere.
    """
    steps = program.recipe.steps if program.recipe else ()
    chain = all(len(step.of) == 1 for step in steps)  # each made from the one before it
    try:
        made = [[step.model, _chosen(step)] for step in steps]
        return _TEXT.sub(_lasting, json.dumps(made, sort_keys=True, default=_word)) if steps and chain else ""
    except TypeError:  # an option that is not a number, a text or a list
        return ""


_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_FRAGILE = re.compile(r" |(?<=\*)/|(?<=/)\*|(?<=\?)\?|\\\\")


def _lasting(text: re.Match[str]) -> str:
    """Return a text of JSON with codes in the place of what a comment changes."""
    return _FRAGILE.sub(lambda sign: f"\\u{ord(sign[0][-1]):04x}", text[0])


def _word(option: object) -> str:
    """Return the word by which a model takes a set of base parameters."""
    if isinstance(option, BaseParameters):
        return "base" if option.suffix == BaseParameters.suffix else "least"
    raise TypeError


def _chosen(step: Recipe) -> dict[str, Any]:
    """Return the options that are not the defaults."""
    known = signature_of(step.make).parameters
    return {key: x for key, x in step.options.items() if key not in known or known[key].default != x}


def _includes(listing: Listing, scalar: str) -> list[str]:
    own = scalar not in (DOUBLE, FLOAT)
    needed = bool(listing.functions - {graph.SIGN} or listing.loop)
    lines = [f"#include <{'tgmath' if own else 'math'}.h>"] * needed
    lines += ["#include <string.h>"] * bool(listing.cleared or listing.loop)
    lines += [f'#include "{scalar}.h"'] * own
    return [*lines, *[""] * bool(lines)]


def render_header(listing: Listing, scalar: str = DOUBLE) -> str:
    """Return the function's declaration, for C and C++."""
    guard = f"{listing.name.upper()}_H"
    lines = [*head(listing, language(scalar)), "", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += [f'#include "{scalar}.h"', ""] * (scalar not in (DOUBLE, FLOAT))
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    lines += [*_prototype(listing, scalar, ";"), "", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(lines)


def _prototype(listing: Listing, scalar: str, end: str = "") -> list[str]:
    arguments = [f"const {_declared(a, scalar)}" for a in listing.inputs]
    arguments += [_declared(a, scalar) for a in listing.outputs]
    return signature(f"void {{name}}({{arguments}}){end}", arguments or ["void"], listing.name)


def _declared(argument: Argument, scalar: str) -> str:
    return declared(argument.name, argument.array.shape.size, scalar)


def declared(name: str, size: int, scalar: str) -> str:
    """Return the declaration of an array; C has no empty ones."""
    return f"{scalar} {name}[{size}]" if size else f"{scalar} *{name}"


def checked(scalar: str) -> str:
    """Return the name of a type; refuse what cannot be one."""
    if not re.fullmatch(r"[A-Za-z_]\w*", scalar, re.ASCII) or (
        scalar in RESERVED | library("c")[0] and scalar not in (DOUBLE, FLOAT)
    ):
        raise TargetError(
            f"{scalar!r} cannot be a type of numbers in C; give double, float or the name of your own type"
        )
    return scalar


_HEADERS = words("""
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
    stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
""")


def misplaced(stem: str, name: str) -> str:
    """Return why a header cannot have this name; empty if it can."""
    return f"a compiler would take it in the place of the C library's {stem}.h" if stem.lower() in _HEADERS else ""


def target(scalar: str = DOUBLE) -> Target:
    return Target(language(checked(scalar)), partial(render, scalar=scalar), ".c", target)


def header(scalar: str = DOUBLE) -> Target:
    return Target(language(checked(scalar)), partial(render_header, scalar=scalar), ".h", header, misplaced)
