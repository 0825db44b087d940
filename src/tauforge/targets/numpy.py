"""NumPy, or any library with its functions: one function of arrays (..., n), broadcast over the leading axes.

Nothing is written in place, so that arrays can be those of JAX, PyTorch or CuPy, and can be traced and differentiated.
"""

from __future__ import annotations

import keyword
from dataclasses import replace

from ..graph import operations as graph
from .comments import blocks, head
from .expression import Element
from .language import Language, calls, words
from .statements import Argument, Listing

_RENAMED = {graph.ASIN: "arcsin", graph.ACOS: "arccos", graph.ATAN2: "arctan2"}
"""Functions whose names in NumPy 1 are not those of the array API."""


def _element(x: Element) -> str:
    return f"{x.array}[{', '.join(['...', *map(str, x.index)])}]"


LANGUAGE = Language(
    functions={
        **calls("xp.{0}"),
        **{op: f"{op}({arguments})" for op, arguments in zip(_RENAMED, ("{0}", "{0}", "{0}, {1}"), strict=True)},
        graph.SQRT: "xp.sqrt({0})",
        graph.ABS: "xp.abs({0})",
        graph.SIGN: "(1.0*({0} > 0.0) - 1.0*({0} < 0.0))",
    },
    number=repr,
    element=_element,
    reserved=frozenset(
        [
            *keyword.kwlist,
            *keyword.softkwlist,
            *_RENAMED,
            *words("float getattr given hasattr new numpy range x xp zero"),
        ]
    ),
    line="# {0}",
    remark="# {0}",
    brackets=("(", ")"),
    opening=("{state} = {argument} + zero[..., None]", "for {turn} in range({bound}):"),
    closing=(
        "    if xp.all(zero + {until} > 0.5):",
        "        break",
        "    new = xp.stack([zero + x for x in {result}], axis=-1)",
        "    {state} = xp.where((zero + {until} > 0.5)[..., None], {state}, new)",
    ),
    lost=("", "{0} = xp.where(zero + {until} > 0.5, zero + {0}, zero + float('nan'))", ""),
)


def render(listing: Listing) -> str:
    outputs = {argument.name for argument in listing.outputs}
    language = replace(LANGUAGE, element=lambda x: f"{x.array}[{x.place}]" if x.array in outputs else _element(x))
    inputs = ", ".join(argument.name for argument in listing.inputs)
    lines = [
        *head(listing, LANGUAGE),
        "",
        "import numpy",
        "",
        "",
        *LANGUAGE.folded(f"def {listing.name}({inputs}{', ' if inputs else ''}xp=None):", ""),
        '    """Compute with the library xp: by default that of the arrays, or NumPy."""',
        "    if xp is None:",
        *LANGUAGE.folded(f"given = [x for x in ({inputs},) if hasattr(x, '__array_namespace__')]", "        "),
        "        xp = given[0].__array_namespace__() if given else numpy",
        *(
            f"    {op} = getattr(xp, '{op}', None) or xp.{old}"
            for op, old in _RENAMED.items()
            if op in listing.functions
        ),
        *(f"    {argument.name} = 1.0*xp.asarray({argument.name})" for argument in listing.inputs),
        *LANGUAGE.folded(f"zero = ({' + '.join(map(_zeros, listing.inputs)) or 'numpy.zeros(())'})", "    "),
        *(f"    {argument.name} = [0.0]*{argument.array.shape.size}" for argument in listing.outputs),
        *blocks(listing, language, "    "),
        *LANGUAGE.folded(f"return ({', '.join(map(_stacked, listing.outputs))})", "    "),
    ]
    return "\n".join([*lines, ""])


def _zeros(argument: Argument) -> str:
    """Return zeros of the shape of the axes before an array's own."""
    rank = len(argument.array.shape)
    whole = f"xp.sum({argument.name}, axis={tuple(range(-rank, 0))})" if rank else argument.name
    return f"xp.zeros_like({whole})"


def _stacked(argument: Argument) -> str:
    """Return the elements of an output as an array."""
    name, shape = argument.name, argument.array.shape
    if not shape:
        return f"zero + {name}[0]"
    if not shape.size:
        return f"xp.reshape(zero[..., None][..., :0], zero.shape + {tuple(shape)})"
    whole = f"xp.stack([zero + x for x in {name}], axis=-1)"
    return whole if len(shape) == 1 else f"xp.reshape({whole}, zero.shape + {tuple(shape)})"
