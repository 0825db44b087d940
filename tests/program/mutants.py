"""Programs with one small fault: what a proof of equality must never overlook."""

import math
from random import Random

from tauforge import Program
from tauforge.graph.functions import rebuild
from tauforge.graph.node import ONE, ZERO, Node, as_node, constant
from tauforge.graph.operations import ABS, ADD, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, SYMBOL
from tauforge.graph.rewrite import replaced
from tauforge.program.array import Array
from tauforge.program.program import PARAMETERS

ROTATED = {SIN: COS, COS: SIN}


def mutant(program: Program, random: Random) -> tuple[str, Program]:
    """Return what was done, and a Program in which one node was changed: its sign, a digit, an operand, a branch."""
    places = [node for node in program.order if node.op is not SYMBOL]
    while True:
        node = random.choice(places)
        choices = _changes(node, random)
        if choices:
            what, other = random.choice(choices)
            if other is not node:
                return what, _with(program, node, other)


def _changes(node: Node, random: Random) -> list[tuple[str, Node]]:
    op, args = node.op, node.args
    made = [("the sign", -node)]
    if op is CONST:
        made.append(("the last digit", constant(math.nextafter(node.value, random.choice((-math.inf, math.inf))))))
    if op in (ADD, MUL):
        made.append(("a dropped operand", random.choice(args)))
    if op is ADD:
        made.append(("a sign inside", args[0] - args[1]))
    if op is MUL:
        made += [("a sum for a product", args[0] + args[1]), ("a repeated operand", args[0] * args[0])]
    if op in (DIV, ATAN2):
        made.append(("swapped operands", rebuild(op, (args[1], args[0]))))
    if op in ROTATED:
        made += [("another function", rebuild(ROTATED[op], args)), ("half the angle", rebuild(op, (args[0] * 0.5,)))]
        made.append(("a turned angle", rebuild(op, (args[0] + math.pi,))))
    if op is SIGN:
        made += [("a branch", ONE), ("a branch", -ONE), ("no friction", ZERO)]
    if op is ABS:
        made += [("a branch", args[0]), ("a branch", -args[0])]
    if op is SQRT:
        made += [("no root", args[0]), ("the sign of a root", -node)]
    if op is NEG:
        made.append(("no sign", args[0]))
    return made


def _with(program: Program, node: Node, other: Node) -> Program:
    new = replaced([x for array in program.results.values() for x in array.nodes], {node: other})
    results = {
        name: Array(array.shape, tuple(new.get(x, as_node(x)) for x in array.nodes))
        for name, array in program.results.items()
    }
    return Program("mutant", {k: v for k, v in program.arguments.items() if k != PARAMETERS}, results)
