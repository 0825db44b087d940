"""Splitting a Program in two: what depends only on the robot's parameters, and the rest."""

from __future__ import annotations

from dataclasses import replace

from ..errors import ProgramError
from ..graph.operations import SYMBOL
from ..graph.rewrite import replaced
from .array import inputs, outputs
from .program import PARAMETERS, Program
from .recipe import derived


def split(program: Program) -> tuple[Program, Program]:
    """Return what ``Program.split`` promises."""
    parameters, setup = program.parameters, program.setup
    if not parameters:
        raise ProgramError(f"{program.name} has no parameters, so there is nothing to set up")
    used = [node for node in program.order if node in setup or (node.op is SYMBOL and node.value in parameters)]
    results = [node for array in program.results.values() for node in array.nodes]
    borders = {a for node in program.order if node not in setup for a in node.args} | {*results}
    constants = [node for node in used if node in borders]
    labels = [
        program.names.get(node, str(node.value) if node.op is SYMBOL else f"K{i}")
        for i, node in enumerate(constants, 1)
    ]
    given = inputs("constants", labels, "what the set-up function computes from the robot's parameters")
    made = outputs(constants, [len(labels)], [labels], given.meaning)
    needed = {PARAMETERS: program.arguments[PARAMETERS]}
    first = replace(program, name=f"{program.name}_setup", arguments=needed, results={"constants": made}, repeat=None)
    state = {name: array for name, array in program.arguments.items() if name != PARAMETERS}
    by = dict(zip(constants, given.nodes, strict=True))
    second = program.with_nodes(replaced(results, by), {**state, "constants": given})
    return (
        first.within(None).marked(recipe=derived(split_setup, program, options={})),
        second.within(None).marked(recipe=derived(split_rest, program, options={})),
    )


def split_setup(program: Program) -> Program:
    """Return the first part: from parameters to constants."""
    return split(program)[0]


def split_rest(program: Program) -> Program:
    """Return the second part, which takes those constants."""
    return split(program)[1]
