"""Go: a package with one function of arrays, exported: its name starts with a capital."""

from __future__ import annotations

from ..graph import operations as graph
from .function import Form, render, repeated
from .language import Language, calls, words
from .statements import Listing
from .target import Target

_WORDS = """
    break case chan const continue default defer else fallthrough for func go goto if import interface map package range
    return select struct switch type var
"""
_PLATFORMS = """
    aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos
    386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64
    ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm
"""


def package(name: str) -> str:
    """Return the package of a function."""
    return name.lower().replace("_", "")


def misplaced(stem: str, name: str) -> str:
    """Return why Go would leave out a file of this name; empty if it would not."""
    last = stem.rpartition("_")[2] if "_" in stem else ""
    if last in words(_PLATFORMS):
        return f"Go takes a file whose name ends in _{last} only where that is the system or the processor"
    if last == "test" or stem[0] in "._":
        return "Go leaves out files of this name, but in tests"
    return ""


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
    reserved=words(_WORDS) | words("math float64 sign"),
    functions_reserved=words(_WORDS) | words("documentation main"),
    package=package,
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
    needed = listing.functions - {graph.SIGN} or listing.loop
    return [f"package {package(listing.name)}", *["", 'import "math"'] * bool(needed)]


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


TARGET = Target(LANGUAGE, _render, ".go", misplaced=misplaced)
