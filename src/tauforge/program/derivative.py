"""The derivative of a Program's output with respect to an input or a parameter, as a Program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..errors import ProgramError
from ..graph.collector import collector_paused
from ..graph.derivative import AUTO, LARGE, estimate, jacobian, operations
from ..graph.evaluate import topological
from ..graph.node import ZERO, Node, as_node, symbol
from ..graph.operations import NEG, SYMBOL
from .program import Array, Program, Shape
from .recipe import derived


@collector_paused()
def derivative(program: Program, output: str, variable: str | Sequence[str], *, mode: str, values: bool) -> Program:
    """Return what ``Program.derivative`` promises."""
    known_output(program, output)
    names = names_of(program, variable)
    results = {**program.results} if values or program.repeat else {}
    for name, slopes in _all_slopes(program, output, names, mode).items():
        results[f"d{output}_d{name}"] = slopes
    made = replace(program, name="_d".join([program.name, *names]), results=results)
    options = {"output": output, "input": names, "mode": mode, "values": values}
    recipe = derived(Program.derivative, program, options=options)
    return replace(made, names=used_names(made)).marked(recipe=recipe)


def known_output(program: Program, name: str) -> Array:
    """Return an output by its name."""
    if name not in program.results:
        raise ProgramError(f"{program.name}: no output {name!r} (its outputs: {', '.join(program.results)})")
    return program.results[name]


def names_of(program: Program, given: object) -> tuple[str, ...]:
    """Return the names of inputs from one or several; refuse anything else."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
    for name in names:
        if not isinstance(name, str):
            raise ProgramError(
                f"{program.name}: an input is given by its name, such as {next(iter(program.arguments), 'x')!r}, or as "
                f"a list of names, not as {name!r}"
            )
    if not names:
        raise ProgramError(f"{program.name}: a derivative needs at least one input to be with respect to")
    if len(set(names)) < len(names):
        raise ProgramError(f"{program.name}: an input is named twice in {', '.join(names)}")
    return names


def _all_slopes(program: Program, output: str, names: Sequence[str], mode: str) -> dict[str, Array]:
    """Return the derivatives of an output with respect to inputs or parameters, in the way that costs least.

    A model can know a way of its own to some of them. Where both ways are quick to build, the one that needs fewer
    operations is taken.
    """
    top = program.results[output]
    below = {name: variables(program, name) for name in names}
    own = {name: top.slopes(name) for name in names} if top.slopes and mode == AUTO else {}
    known = {name: [[as_node(x) for x in row] for row in rows] for name, rows in own.items() if rows}
    known = known if _needed(known) <= {*program.order, *_entries(program)} else {}  # others can have cancelled
    rows = {name: known.get(name) or _differentiated(top, below[name], mode) for name in names}
    if known and sum(estimate(top.nodes, below[name].nodes) for name in known) < LARGE:
        others = {name: _differentiated(top, below[name], mode) for name in known}
        if _operations(others) < _operations(known):
            rows |= others
    return {
        name: _array(top, below[name], rows[name], f"derivative of {output} with respect to {name}") for name in rows
    }


def _needed(rows: Mapping[str, Sequence[Sequence[Node]]]) -> set[Node]:
    """Return the symbols that some derivatives need."""
    return {x for x in topological(x for some in rows.values() for row in some for x in row) if x.op is SYMBOL}


def _entries(program: Program) -> Iterable[Node]:
    return (node for array in program.arguments.values() for node in array.nodes)


def _operations(rows: Mapping[str, Sequence[Sequence[Node]]]) -> int:
    return operations([row for some in rows.values() for row in some])


def _differentiated(top: Array, bottom: Array, mode: str) -> list[list[Node]]:
    rows = jacobian(top.nodes, bottom.nodes, mode)
    return along(rows, bottom.tangent) if bottom.tangent else rows


def _array(top: Array, bottom: Array, rows: Sequence[Sequence[Node]], meaning: str) -> Array:
    if bottom.tangent:
        bottom = velocities(bottom.tangent)
    return Array(_joined(top.shape, bottom.shape), tuple(entry for row in rows for entry in row), meaning)


def variables(program: Program, name: str) -> Array:
    """Return an input, or a single parameter as an array without axes."""
    if name in program.arguments:
        return program.arguments[name]
    if name in program.parameters:
        return Array(Shape(()), (symbol(name),))
    inputs, parameters = ", ".join(program.arguments), ", ".join(program.parameters) or "it has none"
    raise ProgramError(
        f"{program.name}: no input or parameter {name!r} (its inputs: {inputs}; its parameters: {parameters})"
    )


def along(rows: Sequence[Sequence[Node]], tangent: Array) -> list[list[Node]]:
    """Return derivatives with respect to coordinates as derivatives along velocities."""
    count = tangent.shape[1]
    steps = [_some(tangent.nodes[i : i + count]) for i in range(0, len(tangent.nodes), count)]
    made = []
    for row in rows:
        sums = [ZERO] * count
        for i, slope in _some(row):
            for k, step in steps[i]:
                sums[k] = sums[k] + slope * step
        made.append(sums)
    return made


def _some(nodes: Sequence[Node]) -> list[tuple[int, Node]]:
    """Return the nodes that are not zero, with their places."""
    return [(place, node) for place, node in enumerate(nodes) if node is not ZERO]


def velocities(tangent: Array) -> Array:
    """Return the axes of derivatives along velocities: the shape and labels of the tangent's columns."""
    return Array(Shape([tangent.shape[1]], tangent.shape.labels[1:]), ())


def _joined(top: Shape, bottom: Shape) -> Shape:
    """Return the shape of the derivatives of one array with respect to another, with labels if all axes have them."""
    complete = all(len(shape.labels) == len(shape) for shape in (top, bottom))
    return Shape((*top, *bottom), top.labels + bottom.labels if complete else ())


def used_names(program: Program) -> dict[Node, str]:
    """Return the papers' names of those values that a Program still computes, or whose negatives it computes."""
    used = set(program.order)
    return {node: name for node, name in program.names.items() if (node.args[0] if node.op is NEG else node) in used}
