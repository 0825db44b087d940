"""Program -> the texts of modules that compute a block of states, for the runtime to compile.

A block's values are in slots (see ``kernel``): those of the inputs come first, then those of the outputs, then values
kept for later. Long code is cut into *pieces*, each a function of the slots' address, so that the time to compile grows
no faster than the Program. Values that one piece computes and a later one needs go through a slot. Numbers are in a
table outside the code, which makes the code a quarter smaller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import count
from typing import NamedTuple

from ..graph.evaluate import topological
from ..graph.node import Node, neg
from ..graph.operations import CONST, NEG
from ..program.network.cost import CYCLES
from ..program.program import Program
from .fill import fill
from .instructions import MINUS, UNIT, Value
from .loops import Loop, roll
from .piece_text import Piece, declarations, head
from .steps import Call, Step, bare, made_by, needed_by, operands, steps_of
from .trigonometry import NUMBERS
from .vectors import Vectors

WHOLE, PIECE, MODULE = 4000, 500, 20
"""The largest number of steps of a Program in one piece, the steps per piece of longer ones, and the pieces per module.

Measured: compiling one piece takes 40 µs per step, or 80 if it has 16 000 steps; a long piece that also stores many
values in slots takes longest, because LLVM looks for stores to merge.
"""

ASSEMBLED = 40
"""How many times longer pieces in assembly can be."""

_FEW = 4  # if only the values of so many turns are needed later, those of the other turns are not kept

SETUP, BODY = "setup", "body"
"""Prefixes of the names of pieces: for values that depend only on the parameters or on nothing, and for all others."""


class Pieces(NamedTuple):
    """A Program as texts of modules: how many slots it needs, and how many pieces of each kind."""

    slots: int
    setup: int
    body: int
    modules: Sequence[str]


_EVERYWHERE: dict[str, float] = {MINUS: -0.0, UNIT: 1.0, **NUMBERS}  # constants at the start of each Program's table


def numbers(program: Program) -> list[float]:
    """Return the Program's table of constants, with their negatives if it is long enough to have loops."""
    found = [float(node) for node in program.order if node.op is CONST]
    return [*_EVERYWHERE.values(), *found, *((-x for x in found) if len(program.order) > WHOLE else ())]


def number_places(program: Program) -> dict[Value, int]:
    """Return the index of each constant in the table, and of its negative."""
    constants = [node for node in program.order if node.op is CONST]
    first = len(_EVERYWHERE)
    places: dict[Value, int] = {neg(node): first + len(constants) + i for i, node in enumerate(constants)}
    places |= {node: i for i, node in enumerate(constants, first)}
    return places | {name: i for i, name in enumerate(_EVERYWHERE)}


def pieces(program: Program, vectors: Vectors) -> Pieces:
    """Return the Program's code."""
    entries = count()
    table = number_places(program)
    slots = {node: next(entries) for array in program.arguments.values() for node in array.nodes}
    results = [(node, next(entries)) for array in program.results.values() for node in array.nodes]
    constants = [(node, slot) for node, slot in results if node.op is CONST]
    computed = [(node, slot) for node, slot in results if node.op is not CONST]
    fixed = [(node, slot) for node, slot in computed if bare(node) in program.setup]
    moving = [(node, slot) for node, slot in computed if bare(node) not in program.setup]
    fixed += [(node, next(entries)) for node in _borders(program)]
    many = len(constants) > PIECE
    fixed += [] if many else constants
    setup = _code(SETUP, topological([node for node, _ in fixed], operands), fixed, slots, entries, table, vectors)
    if many:
        name = f"{SETUP}{len(setup)}"
        setup.append(fill(name, head(name, vectors), [(slot, table[node]) for node, slot in constants], vectors))
    slots.update(fixed)
    body = _deepest_first([*_last_first(program)], lambda node: () if node in slots else operands(node))
    code = _code(BODY, body, moving, slots, entries, table, vectors)
    texts = [*setup, *code]
    groups = [texts[i : i + MODULE] for i in range(0, len(texts), MODULE)]
    declared = declarations(vectors)
    return Pieces(next(entries), len(setup), len(code), ["\n".join([*declared, *group]) for group in groups])


def _last_first(program: Program) -> Iterable[Node]:
    """Return the outputs from the last to the first, matrices column by column: the fewest values wait."""
    for array in reversed([*program.results.values()]):
        columns = array.shape[-1] if array.shape else 1
        places = [i for i, node in enumerate(array.nodes) if node.op is not CONST]
        for i in sorted(places, key=lambda i: (i % columns, i), reverse=True):
            yield array.nodes[i]


def _deepest_first(outputs: Sequence[Node], needs: Callable[[Node], tuple[Node, ...]]) -> list[Node]:
    """Return what the outputs need, and of two operands first that with the longer path: the other need not wait."""
    ready: dict[Node, float] = {}
    for node in topological(outputs, needs):
        ready[node] = max((ready[a] for a in needs(node)), default=0.0) + CYCLES.get(node.op, 0.0)
    return topological(outputs, lambda node: sorted(needs(node), key=ready.__getitem__)[::-1])


def _borders(program: Program) -> list[Node]:
    """Return the nodes made of parameters alone that others need."""
    setup = program.setup
    if not setup:
        return []
    needed = {a for node in program.order if node not in setup for a in operands(node)}
    return [node for node in program.order if node in setup and node in needed]


def _code(
    name: str,
    order: Sequence[Node],
    results: Iterable[tuple[Node, int]],
    given: Mapping[Node, int],
    entries: count[int],
    numbers: Mapping[Value, int],
    vectors: Vectors,
) -> list[str]:
    """Return pieces that compute nodes in turn and put results into slots; ``entries`` has further slots."""
    slots = dict(given)
    computed = [node for node in order if node not in slots and node.op not in (CONST, NEG)]
    steps, negative = _rolled(steps_of(computed, slots, entries), slots)
    parts = _cut(steps, vectors.assembly)
    made_in = {node: i for i, part in enumerate(parts) for step in part for node in made_by(step)}
    stores: dict[Node, list[tuple[Node, int]]] = {node: [] for node in made_in}
    others = []
    wanted = {
        node: None
        for i, part in enumerate(parts)
        for step in part
        for node in needed_by(step)
        if made_in.get(node, i) != i or isinstance(step, Loop)
    }
    for node, slot in results:
        value = bare(node)
        if value in made_in and not isinstance(parts[made_in[value]][0], Loop):
            stores[value].append((node, slot))
        else:
            others.append((node, slot))
            wanted[value] = None
    _give_slots({node: None for node in wanted if node in made_in}, steps, slots, stores, entries)
    scratch, most, made = next(entries), 0, []
    for i, part in enumerate(parts):
        piece = Piece(slots, numbers, vectors, negative)
        most = max(most, _write(piece, f"{name}{i}", part, stores, scratch if vectors.assembly else None))
        made.append(piece.text(f"{name}{i}"))
    for _ in range(most):
        next(entries)
    for i in range(0, len(others), PIECE):  # what is computed nowhere, by the kernel, or in a loop
        piece = Piece(slots, numbers, vectors, negative)
        for node, slot in others[i : i + PIECE]:
            piece.store(node, slot)
        made.append(piece.text(f"{name}{len(made)}"))
    return made


def _rolled(steps: list[Step], slots: Mapping[Node, int]) -> tuple[list[Step], Set[Node]]:
    """Return the steps, with loops if there are many steps, and the nodes whose slots then hold the negative."""
    last = max((i for i, step in enumerate(steps) if isinstance(step, Call)), default=-1)
    nodes = [step for step in steps[last + 1 :] if isinstance(step, Node)]
    if len(nodes) <= WHOLE:
        return steps, frozenset()
    before = {node for step in steps[: last + 1] for node in made_by(step)}
    words = {node: re.sub(r"\d+", "", f"{node.op} {node.value}") for node in (*slots, *before)}
    kinds = {word: i for i, word in enumerate(sorted({*words.values()}))}
    rolled = roll(nodes, {node: kinds[word] for node, word in words.items()})
    return (steps, frozenset()) if rolled is None else ([*steps[: last + 1], *rolled.steps], rolled.negative)


def _cut(steps: Sequence[Step], assembled: bool) -> list[list[Step]]:
    """Return the steps of each piece; a loop is one of its own, and in assembly, a call is the first step of one."""
    size = len(steps) if len(steps) <= WHOLE else PIECE * (ASSEMBLED if assembled else 1)
    parts: list[list[Step]] = []
    for step in steps:
        first = isinstance(step, Loop) or (assembled and isinstance(step, Call))
        if first or not parts or isinstance(parts[-1][0], Loop) or len(parts[-1]) >= size:
            parts.append([])
        parts[-1].append(step)
    return parts


def _give_slots(
    wanted: Mapping[Node, None],
    steps: Sequence[Step],
    slots: dict[Node, int],
    stores: Mapping[Node, list[tuple[Node, int]]],
    entries: count[int],
) -> None:
    """Give slots to nodes: adjacent ones to a family in a loop, but a single one for all turns that are not needed
    later.
    """
    for row in (row for step in steps if isinstance(step, Loop) for row in step.rows):
        inside = sum(node in wanted for node in row.members)
        if inside > _FEW:
            slots.update((node, next(entries)) for node in row.family)
        elif inside:
            unused = next(entries)
            slots.update((node, next(entries) if node in wanted else unused) for node in row.members)
    for node in wanted:
        if node not in slots:
            slots[node] = next(entries)
        stores[node].append((node, slots[node]))


def _write(
    piece: Piece, name: str, part: Sequence[Step], stores: Mapping[Node, list[tuple[Node, int]]], scratch: int | None
) -> int:
    """Add the steps of a part to a piece: operations in assembly if there is a slot for ``scratch`` values.

    Return how many slots it uses from there on.
    """
    nodes, used = [], 0
    for step in part:
        if isinstance(step, Call) and scratch is not None and piece.has_sines(step):
            used = max(used, piece.sines(step, scratch))
        elif isinstance(step, Call):
            piece.call(step)
        elif isinstance(step, Loop):
            piece.repeat(step, name)
        elif scratch is None:
            piece.compute(step)
            for node, slot in stores[step]:
                piece.store(node, slot)
        else:
            nodes.append(step)
    return max(used, piece.assemble(nodes, stores, scratch)) if nodes and scratch is not None else used
