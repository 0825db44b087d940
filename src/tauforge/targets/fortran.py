"""Fortran 2008: one subroutine in real64, arrays numbered from 1."""

from __future__ import annotations

from ..graph import operations as graph
from .comments import blocks, head
from .language import WIDTH, Language, calls, words
from .statements import Argument, Listing

_WORDS = """
    abstract allocatable allocate assign associate asynchronous backspace bind block call case character class close
    codimension common complex contains contiguous continue critical cycle data deallocate deferred dimension do
    double elemental else elseif elsewhere end enddo endif entry enum enumerator equivalence error exit extends
    external file final flush forall format function generic go goto if images implicit import impure in include
    inout inquire integer intent interface intrinsic is kind len lock logical memory module namelist non_overridable
    none nopass nullify only open operator optional out parameter pass pause pointer precision print private
    procedure program protected public pure read real recursive result return rewind save select sequence stop
    submodule subroutine sync target then to type unlock use value volatile wait where while write sqrt abs
    merge real64 iso_fortran_env ieee_arithmetic ieee_value ieee_quiet_nan unused_input
"""

LANGUAGE = Language(
    functions={
        **calls(),
        graph.SQRT: "sqrt({0})",
        graph.ABS: "abs({0})",
        graph.SIGN: "merge(1.0_real64, merge(-1.0_real64, 0.0_real64, {0} < 0.0_real64), {0} > 0.0_real64)",
    },
    number=lambda x: f"{x!r}_real64",
    element=lambda x: x.array + (f"({', '.join(str(i + 1) for i in x.index)})" if x.index else ""),
    reserved=words(_WORDS) | {*graph.LIBRARY},
    library="fortran",
    ignores_case=True,
    line="! {0}",
    remark="! {0}",
    square="{0}**2",
    clear="{0} = 0.0_real64",
    continued=" &",
    opening=("{state} = {argument}", "do {turn} = 1, {bound}"),
    closing=("    if ({until} > 0.5_real64) exit", "    {state} = {result}", "end do"),
    lost=("if (.not. {until} > 0.5_real64) then", "    {0} = ieee_value(0.0_real64, ieee_quiet_nan)", "end if"),
)


def render(listing: Listing) -> str:
    arguments = ", ".join(argument.name for argument in (*listing.inputs, *listing.outputs))
    lines = [
        *head(listing, LANGUAGE),
        "",
        *LANGUAGE.folded(f"subroutine {listing.name}({arguments})", ""),
        "    use, intrinsic :: iso_fortran_env, only: real64",
        *["    use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan"] * bool(listing.loop),
        "    implicit none",
        *(_declared(argument, "in") for argument in listing.inputs),
        *(_declared(argument, "out") for argument in listing.outputs),
        *_locals(listing.variables),
    ]
    if listing.loop:
        lines += [
            f"    real(real64) :: {listing.loop.state}({listing.loop.size})",
            f"    integer :: {listing.loop.turn}",
        ]
    for argument in listing.inputs:
        if not argument.used:  # a use without effect: compilers warn about unused arguments
            lines += [f"    associate (unused_input => {argument.name})", "    end associate"]
    for argument in listing.outputs:
        if not argument.array.shape.size:  # an array without elements must be set all the same
            lines.append(f"    {argument.name} = 0.0_real64")
    return "\n".join([*lines, *blocks(listing, LANGUAGE, "    "), f"end subroutine {listing.name}", ""])


def _declared(argument: Argument, intent: str) -> str:
    shape = f"({', '.join(map(str, argument.array.shape))})" if argument.array.shape else ""
    return f"    real(real64), intent({intent}) :: {argument.name}{shape}"


def _locals(names: list[str]) -> list[str]:
    """Declare variables, as many per line as fit: one declaration per line needs no continuation."""
    start = "    real(real64) :: "
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + len(name) + 2 <= WIDTH:
            lines[-1] += f", {name}"
        else:
            lines.append(start + name)
    return lines
