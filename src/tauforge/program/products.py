"""Products with derivatives, J v and wᵀ J, Hessians, and where derivatives are zero: what optimisers ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ProgramError
from ..graph.collector import collector_paused
from ..graph.derivative import forward_product, reverse_product
from ..graph.node import ZERO, Node, as_node, symbol
from .array import Array, Shape
from .derivative import along, known_output, names_of, used_names, variables, velocities
from .program import Program
from .recipe import derived

if TYPE_CHECKING:
    import numpy as np


@collector_paused()
def jvp(program: Program, output: str, given: str | Sequence[str]) -> Program:
    """Return what ``Program.jvp`` promises."""
    top, names, arguments = known_output(program, output), names_of(program, given), {**program.arguments}
    coordinates: list[Node] = []
    directions: list[Node] = []
    for name in names:
        bottom = variables(program, name)
        v = _more(arguments, f"{name}_direction", _moving(bottom), f"direction in which {name} moves")
        coordinates += bottom.nodes
        directions += _stepped(bottom, v.nodes)
    change = Array(top.shape, tuple(forward_product(top.nodes, coordinates, directions)), f"change of {output}")
    return _made(program, Program.jvp, output, names, arguments, {f"{output}_change": change})


@collector_paused()
def vjp(program: Program, output: str, given: str | Sequence[str]) -> Program:
    """Return what ``Program.vjp`` promises."""
    top, names, arguments = known_output(program, output), names_of(program, given), {**program.arguments}
    w = _more(arguments, f"{output}_weights", top.shape, f"weights of the entries of {output}")
    bottoms = {name: variables(program, name) for name in names}
    flat = [x for bottom in bottoms.values() for x in bottom.nodes]
    slopes = iter(reverse_product(top.nodes, flat, w.nodes))
    results = {}
    for name, bottom in bottoms.items():
        row = [next(slopes) for _ in bottom.nodes]
        entries = along([row], bottom.tangent)[0] if bottom.tangent else row
        meaning = f"gradient of the weighted {output} with respect to {name}"
        results[f"{name}_gradient"] = Array(_moving(bottom), tuple(entries), meaning)
    return _made(program, Program.vjp, output, names, arguments, results)


@collector_paused()
def hessian(program: Program, output: str, given: str | Sequence[str]) -> Program:
    """Return what ``Program.hessian`` promises."""
    top, names = known_output(program, output), names_of(program, given)
    if len(top.nodes) != 1:
        raise ProgramError(
            f"{program.name}: a Hessian is of a single number, and {output} has {len(top.nodes)}; for a weighted sum "
            f"of them take vjp({output!r}, …) and its derivative"
        )
    results: dict[str, Array] = {}
    for k, name in enumerate(names):
        if variables(program, name).tangent:
            raise ProgramError(
                f"{program.name}: {name} has a quaternion or closed loops, where second derivatives can depend on "
                "their order; take the derivative twice"
            )
        first = program.derivative(output, name, mode="reverse")
        slope = f"d{output}_d{name}"
        for other in names[k:]:
            block = first.derivative(slope, other, mode="forward").results[f"d{slope}_d{other}"]
            results[f"d{slope}_d{other}"] = (
                _mirrored(block, len(first.results[slope].nodes)) if other == name else block
            )
            if other != name:
                results[f"dd{output}_d{other}_d{name}"] = _transposed(
                    block, first.results[slope].shape, output, other, name
                )
    return _made(program, Program.hessian, output, names, {**program.arguments}, results)


def sparsity(program: Program, output: str, given: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return what ``Program.sparsity`` promises."""
    import numpy as np

    slopes = program.derivative(output, given).results[f"d{output}_d{given}"]
    return np.array([node is not ZERO for node in slopes.nodes], dtype=bool).reshape(slopes.shape)


def _made(
    program: Program,
    make: Any,
    output: str,
    names: Sequence[str],
    arguments: dict[str, Array],
    results: dict[str, Array],
) -> Program:
    """Return the Program of some results, with the recipe by which it can be made again."""
    if program.repeat:
        raise ProgramError(f"{program.name} is repeated: take its derivative, which is that of the solution")
    made = replace(program, name="_".join([program.name, make.__name__, *names]), arguments=arguments, results=results)
    recipe = derived(make, program, options={"output": output, "input": tuple(names)})
    return replace(made, names=used_names(made)).marked(recipe=recipe)


def _more(arguments: dict[str, Array], name: str, shape: Shape, meaning: str) -> Array:
    """Add an input of a given shape, and return it."""
    if name in arguments:
        raise ProgramError(f"there is an input {name!r} already")
    made = Array(shape, tuple(symbol(f"{name}[{i}]") for i in range(shape.size)), meaning)
    arguments[name] = made
    return made


def _moving(bottom: Array) -> Shape:
    """Return the shape of an input's directions: those of its velocities if it has a quaternion."""
    return velocities(bottom.tangent).shape if bottom.tangent else bottom.shape


def _stepped(bottom: Array, direction: Sequence[Node]) -> list[Node]:
    """Return how the entries of an input change along a direction."""
    if not bottom.tangent:
        return [*direction]
    count = len(direction)
    rows = (bottom.tangent.nodes[i : i + count] for i in range(0, len(bottom.tangent.nodes), count))
    return [sum((a * v for a, v in zip(row, direction, strict=True)), start=as_node(0.0)) for row in rows]


def _mirrored(block: Array, n: int) -> Array:
    """Return a symmetric matrix of which only one half is computed."""
    nodes = tuple(block.nodes[min(i, j) * n + max(i, j)] for i in range(n) for j in range(n))
    return replace(block, nodes=nodes)


def _transposed(block: Array, first: Shape, output: str, other: str, name: str) -> Array:
    """Return the derivatives in the other order, which are the same."""
    rows, axes, labels = first.size, len(first), block.shape.labels
    columns = len(block.nodes) // rows if rows else 0
    nodes = tuple(block.nodes[i * columns + j] for j in range(columns) for i in range(rows))
    shape = Shape((*block.shape[axes:], *block.shape[:axes]), (*labels[axes:], *labels[:axes]))
    return Array(shape, nodes, f"second derivative of {output} with respect to {other} and {name}")
