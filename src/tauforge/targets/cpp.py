"""C++17: a header with one function in a namespace, for arrays, spans and Eigen's matrices; it allocates nothing."""

from __future__ import annotations

from functools import partial

from ..errors import TargetError
from . import c
from .comments import blocks, head
from .function import repeated, signature, unread
from .language import Language, words
from .statements import Argument, Listing
from .target import Target

_WORDS = """
    alignas alignof and_eq asm bitand bitor bool char8_t char16_t char32_t co_await co_return co_yield compl concept
    const_cast consteval constinit dynamic_cast not_eq or_eq or reinterpret_cast requires static_assert static_cast
    thread_local union wchar_t xor_eq std Eigen evaluate Results results
"""


def language(scalar: str) -> Language:
    """Return the spellings for a type of numbers."""
    return Language(
        functions=c.spellings(scalar, "std::"),
        number=c.single if scalar == c.FLOAT else repr,
        element=lambda x: f"{x.array}[{x.place}]",
        reserved=c.RESERVED | words(_WORDS),
        library="c cpp",
        beside=("{0}_size",),
        flat_arrays=True,
        frame=("/*", " */"),
        line=" * {0}",
        remark="// {0}",
        escape=c.harmless,
        define=f"const {scalar} {{0}} = {{1}};",
        assign="{0} = {1};",
        clear=f"std::fill_n({{0}}, {{1}}, {scalar}{{{{}}}});",
        **repeated(
            [f"{scalar} {{state}}[{{size}}];", "std::copy_n({argument}, {size}, {state});"],
            "for (int {turn} = 0; {turn} < {bound}; {turn}++)",
            "std::copy_n({result}, {size}, {state});",
            f"std::numeric_limits<{scalar}>::quiet_NaN()",
            half=c.single(0.5) if scalar == c.FLOAT else repr(0.5),
        ),
    )


def render(listing: Listing, scalar: str = c.DOUBLE) -> str:
    """Return the header."""
    here, guard = language(scalar), f"{listing.name.upper()}_HPP"
    lines = [
        *head(listing, here),
        "",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *(f"#include <{name}>" for name in ("algorithm", "array", "cmath", "cstddef", "limits")),
        "#if __cplusplus >= 202002L",
        "#include <span>",
        "#endif",
        "",
        f"namespace {listing.name} {{",
        "",
        *(f"inline constexpr std::size_t {x.name}_size = {x.array.shape.size};" for x in _arguments(listing)),
        "",
        "// The computation, on numbers row by row. It allocates nothing and throws nothing.",
        *_signature(listing, f"const {scalar}* {{0}}", f"{scalar}* {{0}}"),
        *(f"    static_cast<void>({argument.name});" for argument in unread(listing)),
        *blocks(listing, here, "    "),
        "}",
        "",
        *_arrays(listing, scalar),
        "",
        "#if defined(__cpp_lib_span)",
        *_signature(listing, f"std::span<const {scalar}, {{0}}_size> {{0}}", f"std::span<{scalar}, {{0}}_size> {{0}}"),
        *_call(listing),
        "}",
        "#endif",
        "",
        "#if defined(EIGEN_WORLD_VERSION)  // include <Eigen/Core> before this header",
        *_eigen(listing, scalar),
        "#endif",
        "",
        "}",
        "",
        "#endif",
    ]
    return "\n".join([*lines, ""])


def _arguments(listing: Listing) -> list[Argument]:
    return [*listing.inputs, *listing.outputs]


def _signature(listing: Listing, given: str, made: str, start: str = "inline void") -> list[str]:
    arguments = [given.format(x.name) for x in listing.inputs]
    arguments += [made.format(x.name) for x in listing.outputs] if made else []
    return signature(start + " evaluate({arguments}) noexcept {{", arguments, listing.name)


def _call(listing: Listing, prefix: str = "", member: str = "data()") -> list[str]:
    """Return the call of the computation with the addresses of the numbers."""
    given = [f"{x.name}.{member}" for x in listing.inputs]
    made = [f"{prefix}{x.name}.{member}" for x in listing.outputs]
    return [line.rstrip() for line in signature("    evaluate({arguments});", [*given, *made], "")]


def _arrays(listing: Listing, scalar: str) -> list[str]:
    """Return the function that returns arrays: one, or a structure of several."""
    several = len(listing.outputs) != 1
    fields = [f"std::array<{scalar}, {x.name}_size> {x.name}{{}};" for x in listing.outputs]
    kind = "Results" if several else f"std::array<{scalar}, {listing.outputs[0].name}_size>"
    structure = ["struct Results {", *(f"    {x}" for x in fields), "};", ""] if several else []
    made = ["    Results results{};"] if several else [f"    {fields[0]}"]
    return [
        *structure,
        *_signature(listing, f"const std::array<{scalar}, {{0}}_size>& {{0}}", "", f"[[nodiscard]] inline {kind}"),
        *made,
        *_call(listing, "results." if several else ""),
        f"    return {'results' if several else listing.outputs[0].name};",
        "}",
    ]


def _eigen(listing: Listing, scalar: str) -> list[str]:
    given = [f"const Eigen::Ref<const {_matrix(x, scalar)}>& {x.name}" for x in listing.inputs]
    made = [f"Eigen::Ref<{_matrix(x, scalar)}> {x.name}" for x in listing.outputs]
    return [*signature("inline void evaluate({arguments}) noexcept {{", [*given, *made], ""), *_call(listing), "}"]


def _matrix(argument: Argument, scalar: str) -> str:
    """Return Eigen's type of an argument: matrices row by row, everything else a column."""
    shape = argument.array.shape
    if len(shape) == 2 and shape[1] != 1:
        return f"Eigen::Matrix<{scalar}, {shape[0]}, {shape[1]}, Eigen::RowMajor>"
    return f"Eigen::Matrix<{scalar}, {shape.size}, 1>"


def target(scalar: str = c.DOUBLE) -> Target:
    if scalar not in (c.DOUBLE, c.FLOAT):
        raise TargetError(f"{scalar!r} cannot be a type of numbers in C++; give double or float")
    return Target(language(scalar), partial(render, scalar=scalar), ".hpp", target)
