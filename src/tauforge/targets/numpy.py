"""NumPy: one function of arrays (..., n), broadcast over the leading axes."""

from __future__ import annotations

import keyword

from ..graph import operations as graph
from .comments import blocks, head
from .expression import Element
from .language import Language, calls
from .statements import Argument, Listing


def _element(x: Element) -> str:
    return f"{x.array}[{', '.join(['...', *map(str, x.index)])}]"


LANGUAGE = Language(
    functions={
        **calls("np.{0}"),
        graph.ASIN: "np.arcsin({0})",
        graph.ACOS: "np.arccos({0})",
        graph.ATAN2: "np.arctan2({0}, {1})",
        graph.SQRT: "np.sqrt({0})",
        graph.ABS: "np.abs({0})",
        graph.SIGN: "(1.0*({0} > 0.0) - ({0} < 0.0))",
    },
    number=repr,
    element=_element,
    reserved=frozenset([*keyword.kwlist, *keyword.softkwlist, "np", "float", "leading"]),
    line="# {0}",
    remark="# {0}",
    clear="{0}[...] = 0.0",
    brackets=("(", ")"),
    opening=(
        "{state} = np.array(np.broadcast_to({argument}, leading + ({size},)))",
        "for {turn} in range({bound}):",
    ),
    closing=(
        "    if np.all({until} > 0.5):",
        "        break",
        "    {state} = np.where({until}[..., None] > 0.5, {state}, {result})",
    ),
    lost=("", "{0} = np.where({until} > 0.5, {0}, np.nan)", ""),
)


def render(listing: Listing) -> str:
    leading = ", ".join(_leading_axes(argument) for argument in listing.inputs)
    lines = [
        *head(listing, LANGUAGE),
        "",
        "import numpy as np",
        "",
        "",
        *LANGUAGE.folded(f"def {listing.name}({', '.join(argument.name for argument in listing.inputs)}):", ""),
        *(f"    {argument.name} = np.asarray({argument.name}, dtype=float)" for argument in listing.inputs),
        *LANGUAGE.folded(f"leading = np.broadcast_shapes({leading})", "    "),
        *(f"    {argument.name} = np.empty(leading + {tuple(argument.array.shape)})" for argument in listing.outputs),
        *blocks(listing, LANGUAGE, "    "),
        f"    return {', '.join(argument.name for argument in listing.outputs)}",
    ]
    return "\n".join([*lines, ""])


def _leading_axes(argument: Argument) -> str:
    """Return the axes before an array's own."""
    rank = len(argument.array.shape)
    return f"{argument.name}.shape[:-{rank}]" if rank else f"{argument.name}.shape"
