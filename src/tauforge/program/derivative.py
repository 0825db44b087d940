"""The derivative of a Program's output with respect to an input or a parameter, as a Program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..errors import ProgramError
from ..graph.collector import collector_paused
from ..graph.derivative import LARGE, estimate, jacobian
from ..graph.node import ZERO, Node, symbol
from ..graph.operations import NEG
from .array import Array, Shape
from .program import Program
from .recipe import derived


@collector_paused()
def derivative(program: Program, output: str, variable: str | Sequence[str], *, mode: str, values: bool) -> Program:
    """Return what ``Program.derivative`` promises."""
    known_output(program, output)
    names = names_of(program, variable)
    own = _by_model(program, output, names) if mode == "auto" and not values else None
    results: Mapping[str, Array] = own.results if own else {}
    if not own or sum(estimate(program.results[output].nodes, variables(program, x).nodes) for x in names) < LARGE:
        slopes = {f"d{output}_d{name}": _slopes(program, output, name, mode) for name in names}
        results = ({**program.results} if values or program.repeat else {}) | slopes
    made = replace(program, name="_d".join([program.name, *names]), results=results)
    options = {"output": output, "input": names, "mode": mode, "values": values}
    recipe = derived(Program.derivative, program, options=options)
    if own and results is not own.results:
        made = replace(made, results=_cheapest(made, own))
    return replace(made, names=used_names(made)).marked(recipe=recipe)


def _cheapest(made: Program, own: Program) -> Mapping[str, Array]:
    """Return the outputs of one of two equal Programs, or each from the one in which it costs less alone."""

    def total(results: Mapping[str, Array]) -> int:
        return replace(made, results=results, names={}).count().total

    both = {name: [{name: x.results[name]} for x in (made, own)] for name in made.results}
    mixed = {name: min(ways, key=total)[name] for name, ways in both.items()}
    ways: list[Mapping[str, Array]] = [made.results, own.results, mixed]
    return min(ways, key=total)


def _by_model(program: Program, output: str, variables: Sequence[str]) -> Program | None:
    """Return the derivative as the model that made a Program computes it, if it has a way of its own."""
    recipe = program.recipe
    make = getattr(recipe.make, "slopes", {}).get(output) if recipe else None
    made = make(*recipe.of, variables, **recipe.options) if recipe and make else None
    return made if made and {*made.parameters} <= {*program.parameters} else None


def known_output(program: Program, name: str) -> Array:
    """Return an output by its name."""
    if not isinstance(name, str) or name not in program.results:
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


def _slopes(program: Program, output: str, variable: str, mode: str) -> Array:
    """Return the derivatives of an output with respect to an input or a parameter."""
    top, bottom = program.results[output], variables(program, variable)
    rows = jacobian(top.nodes, bottom.nodes, mode)
    if bottom.tangent:
        rows, bottom = along(rows, bottom.tangent), velocities(bottom.tangent)
    entries = tuple(entry for row in rows for entry in row)
    meaning = f"derivative of {output} with respect to {variable}"
    return Array(_joined(top.shape, bottom.shape), entries, meaning)


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
