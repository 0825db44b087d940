"""Program -> the texts of modules that compute a block of states, for the runtime to compile.

A block's values stand in slots (see ``kernel``): those of the inputs come first, then those of the outputs, then
what is kept for later. Long code is cut into *pieces*, each a function of the slots' address, so that the time to
compile grows no faster than the Program. What one piece computes and a later one needs goes through a slot.
Numbers stand in a table beside the code, which is a quarter smaller for it.

Sines, cosines and their inverses are computed by the kernel, all that can be at once with one call, before what
needs them: a call in the midst would have every register saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from itertools import count, pairwise
from typing import NamedTuple

from ..graph.evaluate import topological
from ..graph.node import Node, neg
from ..graph.operations import ABS, ADD, CONST, COS, DIV, MUL, NEG, SIGN, SQRT
from ..program.program import PARAMETERS, Program, Shape
from .fill import fill
from .idioms import entry
from .loops import Loop, roll
from .trigonometry import SERVICE, SERVICES, service
from .vectors import Vectors

WHOLE, PIECE, MODULE = 4000, 500, 20
"""How many steps a Program may have as one piece, how many its pieces have otherwise, and how many of them a module.

Measured: one piece takes 40 µs of compiling a step, and 80 where it has 16 000; a piece of many steps that also puts
much into slots takes longest, since LLVM looks for pairs of stores to join.
"""

_SUBTRACT = "subtract"


@cache
def _instructions(vectors: Vectors) -> dict[str, str]:
    """Return each operation's instructions, with places for their register and operands."""
    t, suffix = vectors.name, vectors.suffix
    return {  # "contract" allows a fused multiply-add, and nothing else
        ADD: f"%(r)s = fadd contract {t} %(a)s, %(b)s",
        _SUBTRACT: f"%(r)s = fsub contract {t} %(a)s, %(b)s",
        MUL: f"%(r)s = fmul contract {t} %(a)s, %(b)s",
        DIV: f"%(r)s = fdiv {t} %(a)s, %(b)s",
        NEG: f"%(r)s = fneg {t} %(a)s",
        SQRT: f"%(r)s = call {t} @llvm.sqrt.{suffix}({t} %(a)s)",
        ABS: f"%(r)s = call {t} @llvm.fabs.{suffix}({t} %(a)s)",
        SIGN: f"%(r)s.some = fcmp one {t} %(a)s, zeroinitializer\n"
        f"%(r)s.one = call {t} @llvm.copysign.{suffix}({t} {vectors.all(1.0)}, {t} %(a)s)\n"
        f"%(r)s = select <{vectors.lanes} x i1> %(r)s.some, {t} %(r)s.one, {t} zeroinitializer",
    }


_FEW = 4  # turns of a loop whose value alone does not make it worth keeping that of all turns

SETUP, BODY = "setup", "body"
"""How the names of pieces begin, before a number: what depends on the parameters alone or on nothing; all else."""


class Pieces(NamedTuple):
    """A Program as texts of modules: how many slots it needs, and how many pieces of each kind."""

    slots: int
    setup: int
    body: int
    modules: Sequence[str]


class Call(NamedTuple):
    """A call of the kernel: the arguments of the groups stand from slot ``given`` on, the results from ``made``."""

    service: str
    groups: Sequence[tuple[Node, ...]]
    given: int
    made: int


Step = Node | Call | Loop


def numbers(program: Program) -> list[float]:
    """Return the numbers beside the Program's code; also their negatives where it is so long that it may have loops."""
    found = [float(node) for node in program.order if node.op is CONST]
    return [*found, *(-x for x in found)] if len(program.order) > WHOLE else found


def number_places(program: Program) -> dict[Node, int]:
    """Return where each constant stands among the numbers, and the negative of each."""
    constants = [node for node in program.order if node.op is CONST]
    places = {neg(node): len(constants) + i for i, node in enumerate(constants)}
    return places | {node: i for i, node in enumerate(constants)}


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
        setup.append(fill(name, _head(name, vectors), [(slot, table[node]) for node, slot in constants], vectors))
    slots.update(fixed)
    body = topological(_last_first(program), lambda node: () if node in slots else operands(node))
    code = _code(BODY, body, moving, slots, entries, table, vectors)
    texts = [*setup, *code]
    groups = [texts[i : i + MODULE] for i in range(0, len(texts), MODULE)]
    declared = _declarations(vectors)
    return Pieces(next(entries), len(setup), len(code), ["\n".join([*declared, *group]) for group in groups])


def _last_first(program: Program) -> Iterable[Node]:
    """Return the outputs that are to be computed from the last to the first, matrices column by column: it keeps the
    fewest values waiting.
    """
    for array in reversed([*program.results.values()]):
        columns = array.shape[-1] if array.shape else 1
        places = [i for i, node in enumerate(array.nodes) if node.op is not CONST]
        for i in sorted(places, key=lambda i: (i % columns, i), reverse=True):
            yield array.nodes[i]


def operands(node: Node) -> tuple[Node, ...]:
    """Return what a node is computed from, bare of signs: to negate is no step of its own."""
    args = node.args
    for a in args:
        if a.op is NEG:
            return tuple(map(bare, args))
    return args


def bare(node: Node) -> Node:
    """Return a node without its sign."""
    return node.args[0] if node.op is NEG else node


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
    numbers: Mapping[Node, int],
    vectors: Vectors,
) -> list[str]:
    """Return pieces that compute nodes in turn and put results into slots; ``entries`` has further slots."""
    slots = dict(given)
    computed = [node for node in order if node not in slots and node.op not in (CONST, NEG)]
    steps, negative = _rolled(_steps(computed, slots, entries), slots)
    parts = _cut(steps)
    made_in = {node: i for i, part in enumerate(parts) for step in part for node in _made(step)}
    stores: dict[Node, list[tuple[Node, int]]] = {node: [] for node in made_in}
    others = []
    wanted = {
        node: None
        for i, part in enumerate(parts)
        for step in part
        for node in _needed(step)
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
    made = [
        _piece(f"{name}{i}", part, stores, Piece(slots, numbers, vectors, negative)) for i, part in enumerate(parts)
    ]
    for i in range(0, len(others), PIECE):  # what is computed nowhere, by the kernel, or in a loop
        piece = Piece(slots, numbers, vectors, negative)
        for node, slot in others[i : i + PIECE]:
            piece.store(node, slot)
        made.append(piece.text(f"{name}{len(made)}"))
    return made


def _rolled(steps: list[Step], slots: Mapping[Node, int]) -> tuple[list[Step], Set[Node]]:
    """Return steps with loops among them where they are many, and the nodes whose slots then hold the negative."""
    last = max((i for i, step in enumerate(steps) if isinstance(step, Call)), default=-1)
    nodes = [step for step in steps[last + 1 :] if isinstance(step, Node)]
    if len(nodes) <= WHOLE:
        return steps, frozenset()
    before = {node for step in steps[: last + 1] for node in _made(step)}
    words = {node: re.sub(r"\d+", "", f"{node.op} {node.value}") for node in (*slots, *before)}
    kinds = {word: i for i, word in enumerate(sorted({*words.values()}))}
    rolled = roll(nodes, {node: kinds[word] for node, word in words.items()})
    return (steps, frozenset()) if rolled is None else ([*steps[: last + 1], *rolled.steps], rolled.negative)


def _cut(steps: Sequence[Step]) -> list[list[Step]]:
    """Return the steps of each piece; a loop is one of its own."""
    size = len(steps) if len(steps) <= WHOLE else PIECE
    parts: list[list[Step]] = []
    for step in steps:
        if isinstance(step, Loop) or not parts or isinstance(parts[-1][0], Loop) or len(parts[-1]) >= size:
            parts.append([])
        parts[-1].append(step)
    return parts


def _made(step: Step) -> Sequence[Node]:
    """Return the nodes that a step computes; those of a call have their slots already."""
    if isinstance(step, Loop):
        return [node for row in step.rows for node in row.members]
    return [step] if isinstance(step, Node) else []


def _needed(step: Step) -> Iterable[Node]:
    """Return the nodes that a step fetches."""
    if isinstance(step, Node):
        return operands(step)
    if isinstance(step, Call):
        return (bare(a) for group in step.groups for a in group)
    return (a for row in step.rows for x in row.operands if not isinstance(x, int) for a in x)


def _give_slots(
    wanted: Mapping[Node, None],
    steps: Sequence[Step],
    slots: dict[Node, int],
    stores: Mapping[Node, list[tuple[Node, int]]],
    entries: count[int],
) -> None:
    """Give slots to nodes: side by side to a family in a loop, but one for all its turns that are not wanted later."""
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


def _piece(name: str, part: Sequence[Step], stores: Mapping[Node, list[tuple[Node, int]]], piece: Piece) -> str:
    for step in part:
        if isinstance(step, Call):
            piece.call(step)
        elif isinstance(step, Loop):
            piece.repeat(step, name)
        else:
            piece.compute(step)
            for node, slot in stores[step]:
                piece.store(node, slot)
    return piece.text(name)


def _steps(order: Sequence[Node], slots: dict[Node, int], entries: count[int]) -> list[Step]:
    """Return what is to be done in turn: first what the kernel's functions need, call by call, then the rest."""
    level: dict[Node, int] = {}
    waves: dict[int, dict[str, dict[tuple[Node, ...], list[Node]]]] = {}
    for node in order:
        depth = 0
        for a in operands(node):
            depth = max(depth, level.get(a, 0))
        if node.op in SERVICE:
            depth += 1
            wave = waves.setdefault(depth, {}).setdefault(SERVICE[node.op], {})
            wave.setdefault(node.args, []).append(node)
        if depth:
            level[node] = depth
    steps: list[Step] = []
    done = set(slots)

    def compute(nodes: Iterable[Node]) -> None:
        for node in topological(nodes, lambda x: () if x in done else operands(x)):
            if node not in done and node.op not in (CONST, NEG):
                done.add(node)
                steps.append(node)

    for _, calls in sorted(waves.items()):
        for name, groups in calls.items():
            compute(a for group in groups for a in group)
            taken, filled = SERVICES[name]
            first = next(entries)
            places = [first, *(next(entries) for _ in range((taken + filled) * len(groups) - 1))]
            call = Call(name, list(groups), first, places[taken * len(groups)])
            for i, nodes in enumerate(groups.values()):
                for node in nodes:
                    slots[node] = call.made + filled * i + (node.op is COS)
            done.update(node for nodes in groups.values() for node in nodes)
            steps.append(call)
    return [*steps, *(node for node in order if node not in done)]


class Piece:
    """A function under construction; each value is computed into a register of its own, or loaded when first needed.

    Slots hold the nodes' values, but for those in ``negative`` the negative of it.
    """

    def __init__(
        self, slots: Mapping[Node, int], numbers: Mapping[Node, int], vectors: Vectors, negative: Set[Node]
    ) -> None:
        self._slots, self._constants, self._vectors, self._negative = slots, numbers, vectors, negative
        self._lines: list[str] = ["entry:"]
        self._tables: list[str] = []
        self._registers: dict[Node, str] = {}
        self._numbers = count()
        self._load = f" = load {vectors.name}, ptr "
        self._step = f" = getelementptr {vectors.name}, ptr "
        self._instructions = _instructions(vectors)

    def compute(self, node: Node) -> None:
        """Add what computes a node."""
        minus = node.op is ADD and node.args[1].op is NEG
        a, b = self._value(node.args[0]), self._value(bare(node.args[-1]) if minus else node.args[-1])
        self._registers[node] = self._apply(node.op, a, b, minus)

    def store(self, node: Node, slot: int) -> None:
        """Add what puts a value into a slot."""
        value = self._value(node)
        if node in self._negative and slot == self._slots.get(node):
            value = self._apply(NEG, value, value)
        self._put(value, self._address(slot))

    def repeat(self, loop: Loop, name: str) -> None:
        """Add a loop; the register %t counts its turns."""
        self._lines += ["br label %turn", "turn:", "%t = phi i64 [0, %entry], [%t.next, %turn]"]
        registers: list[str] = []
        for row in loop.rows:
            values = [registers[x] if isinstance(x, int) else self._fetch(x, name) for x in row.operands]
            if row.minus and len(values) == 1:
                values = [self._apply(NEG, values[0], values[0])]
            registers.append(self._apply(row.op, values[0], values[-1], row.minus and len(values) == 2))
            if row.members[0] in self._slots:
                places = [self._slots[node] for node in row.members]
                self._put(registers[-1], self._moving(places, "%slots", name))
        self._lines += [
            "%t.next = add i64 %t, 1",
            f"%more = icmp slt i64 %t.next, {loop.turns}",
            "br i1 %more, label %turn, label %done",
            "done:",
        ]

    def call(self, call: Call) -> None:
        """Add a call of the kernel."""
        for slot, node in enumerate((a for group in call.groups for a in group), call.given):
            self.store(node, slot)
        given, made = self._address(call.given), self._address(call.made)
        name = service(call.service, self._vectors)
        self._lines.append(f"call void @{name}(ptr {given}, ptr {made}, i64 {len(call.groups)})")

    def text(self, name: str) -> str:
        """Return the function, and the tables that it needs."""
        return "\n".join([*self._tables, _head(name, self._vectors), *self._lines, "ret void", "}", ""])

    def _apply(self, op: str, a: str, b: str, minus: bool = False) -> str:
        """Add an instruction, and return its register."""
        register = f"%v{next(self._numbers)}"
        self._lines.append(self._instructions[_SUBTRACT if minus else op] % {"r": register, "a": a, "b": b})
        return register

    def _value(self, node: Node) -> str:
        """Return the register that holds a node's value."""
        register = self._registers.get(node)
        if register is None:
            if node.op is CONST:
                register = self._get(self._address(self._constants[node], "%numbers"))
            elif node in self._slots:
                register = self._get(self._address(self._slots[node]))
                if node in self._negative:
                    register = self._apply(NEG, register, register)
            else:
                negated = self._value(bare(node))
                register = self._apply(NEG, negated, negated)
            self._registers[node] = register
        return register

    def _fetch(self, nodes: Sequence[Node], name: str) -> str:
        """Return the register with the node of this turn."""
        if nodes[0].op is CONST:
            return self._get(self._moving([self._constants[node] for node in nodes], "%numbers", name))
        return self._get(self._moving([self._slots[node] for node in nodes], "%slots", name))

    def _moving(self, places: Sequence[int], table: str, name: str) -> str:
        """Return the address of the place of this turn."""
        step = places[1] - places[0]
        index = f"%i{next(self._numbers)}"
        if all(b - a == step for a, b in pairwise(places)):
            self._lines.append(f"{index}.passed = mul i64 %t, {step}")
            self._lines.append(f"{index} = add i64 {index}.passed, {places[0]}")
        else:
            listed = f"@{name}.places{len(self._tables)}"
            entries = ", ".join(f"i64 {place}" for place in places)
            self._tables.append(f"{listed} = internal constant [{len(places)} x i64] [{entries}]")
            self._lines += entry(index, "i64", listed, "%t")
        return self._address(index, table)

    def _get(self, address: str) -> str:
        register = f"%v{next(self._numbers)}"
        self._lines.append(f"{register}{self._load}{address}")
        return register

    def _put(self, value: str, address: str) -> None:
        self._lines.append(f"store {self._vectors.name} {value}, ptr {address}")

    def _address(self, index: int | str, table: str = "%slots") -> str:
        register = f"%a{next(self._numbers)}"
        self._lines.append(f"{register}{self._step}{table}, i64 {index}")
        return register


def _head(name: str, vectors: Vectors) -> str:
    """Return how a piece begins."""
    aligned = f"alignstack({vectors.bytes})"  # else what is saved there lies across cache lines
    return f"define void @{name}(ptr noalias %slots, ptr noalias readonly %numbers) nounwind {aligned} {{"


def _declarations(vectors: Vectors) -> list[str]:
    t, suffix = vectors.name, vectors.suffix
    return [
        *(f"declare void @{service(name, vectors)}(ptr, ptr, i64) nounwind" for name in SERVICES),
        *(f"declare {t} @llvm.{name}.{suffix}({t})" for name in ("sqrt", "fabs")),
        f"declare {t} @llvm.copysign.{suffix}({t}, {t})",
    ]


def has_empty(program: Program) -> bool:
    """Tell whether some array has no entries."""
    return any(shape.size == 0 for shape in (*program.inputs.values(), *program.outputs.values()))


def arrays(program: Program) -> tuple[list[Shape], list[Shape]]:
    """Return the shapes of the arrays that the loop reads and of those that it writes.

    NumPy cannot fix a dimension to zero: where an array has no entries, one more input, the first, has none either.
    """
    extra = [Shape([0])] if has_empty(program) else []
    return [*extra, *program.inputs.values()], [*program.outputs.values()]


def parameters_place(program: Program) -> int:
    """Return which of the arrays holds the parameters; -1 where there are none."""
    names = [*program.inputs]
    return names.index(PARAMETERS) + has_empty(program) if PARAMETERS in names else -1
