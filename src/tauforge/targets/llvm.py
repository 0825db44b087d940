"""LLVM: Program -> the texts of modules that compute a block of states, for the runtime to compile.

A block's values stand in slots (see ``llvm_kernel``): those of the inputs come first, then those of the outputs, then
what is kept for later. Long code is cut into *pieces*, each a function of the slots' address, so that the time to
compile grows no faster than the Program. What one piece computes and a later one needs goes through a slot.
Numbers stand in a table beside the code, which is a quarter smaller for it.

Sines, cosines and their inverses are computed by the kernel, all that can be at once with one call, before what
needs them: a call in the midst would have every register saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from ..graph.evaluate import topological
from ..graph.node import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, Node
from ..program.program import PARAMETERS, Program, Shape
from .llvm_functions import SERVICES, SINCOS, service
from .llvm_text import Vectors

WHOLE, PIECE, MODULE = 4000, 500, 20
"""How many steps a Program may have as one piece, how many its pieces have otherwise, and how many of them a module.

Measured: one piece takes 40 µs of compiling a step, and 80 where it has 16 000; a piece of many steps that also puts
much into slots takes longest, since LLVM looks for pairs of stores to join.
"""

_SERVICE = {SIN: SINCOS, COS: SINCOS, ASIN: ASIN, ACOS: ACOS, ATAN2: ATAN2}
_SUBTRACT = "{r} = fsub contract {t} {a}, {b}"
_INSTRUCTIONS = {  # "contract" allows a fused multiply-add, and nothing else
    ADD: "{r} = fadd contract {t} {a}, {b}",
    MUL: "{r} = fmul contract {t} {a}, {b}",
    DIV: "{r} = fdiv {t} {a}, {b}",
    NEG: "{r} = fneg {t} {a}",
    SQRT: "{r} = call {t} @llvm.sqrt.{suffix}({t} {a})",
    ABS: "{r} = call {t} @llvm.fabs.{suffix}({t} {a})",
    SIGN: "{r}.some = fcmp one {t} {a}, zeroinitializer\n"
    "{r}.one = call {t} @llvm.copysign.{suffix}({t} {one}, {t} {a})\n"
    "{r} = select <{lanes} x i1> {r}.some, {t} {r}.one, {t} zeroinitializer",
}


SETUP, BODY = "setup", "body"
"""How the names of pieces begin, followed by a number: those that depend on the parameters alone, and the others."""


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


def constants(program: Program) -> list[Node]:
    """Return the numbers in the Program's code, in the order of their table."""
    return [node for node in program.order if node.op is CONST]


def pieces(program: Program, vectors: Vectors) -> Pieces:
    """Return the Program's code."""
    entries = count()
    numbers = {node: i for i, node in enumerate(constants(program))}
    slots = {node: next(entries) for array in program.arguments.values() for node in array.nodes}
    results: list[tuple[Node, int]] = [(n, next(entries)) for array in program.results.values() for n in array.nodes]
    outputs = [node for node, _ in results]
    body = topological(outputs, operands)
    setup: list[Piece] = []
    if program.parameters:
        borders = _borders(body, outputs, program)
        kept = [(node, next(entries)) for node in borders]
        setup = _code(SETUP, topological(borders, operands), kept, slots, entries, numbers, vectors)
        slots.update(kept)
        body = topological(outputs, lambda node: () if node in slots else operands(node))
    code = _code(BODY, body, results, slots, entries, numbers, vectors)
    texts = [piece.text() for piece in (*setup, *code)]
    groups = [texts[i : i + MODULE] for i in range(0, len(texts), MODULE)]
    declared = _declarations(vectors)
    return Pieces(next(entries), len(setup), len(code), ["\n".join([*declared, *group]) for group in groups])


def operands(node: Node) -> tuple[Node, ...]:
    """Return what a node is computed from; a negated term is subtracted, and so needs no node of its own."""
    if node.op is ADD and node.args[1].op is NEG:
        return node.args[0], node.args[1].args[0]
    return node.args


def _borders(order: Sequence[Node], outputs: Sequence[Node], program: Program) -> list[Node]:
    """Return the nodes made of parameters alone that others need."""
    setup = program.setup
    needed = {a for node in order if node not in setup for a in operands(node)} | {*outputs}
    return [node for node in order if node in setup and node in needed]


def _code(
    name: str,
    order: Sequence[Node],
    results: Iterable[tuple[Node, int]],
    given: Mapping[Node, int],
    entries: count[int],
    numbers: Mapping[Node, int],
    vectors: Vectors,
) -> list[Piece]:
    """Return pieces that compute nodes in turn and put results into slots; ``entries`` has further slots."""
    slots = dict(given)
    steps = _steps([node for node in order if node not in slots and node.op is not CONST], slots, entries)
    size = max(1, len(steps) if len(steps) <= WHOLE else PIECE)
    parts = [steps[i : i + size] for i in range(0, len(steps), size)] or [[]]
    made_in = {node: i for i, part in enumerate(parts) for node in part if isinstance(node, Node)}
    stores: dict[Node, list[int]] = {node: [] for node in made_in}
    for i, part in enumerate(parts):
        for step in part:
            for node in operands(step) if isinstance(step, Node) else (a for group in step.groups for a in group):
                if made_in.get(node, i) != i and node not in slots:
                    slots[node] = next(entries)
                    stores[node].append(slots[node])
    others = []
    for node, slot in results:
        if node in made_in:
            stores[node].append(slot)
        else:
            others.append((node, slot))
    made = []
    for i, part in enumerate(parts):
        piece = Piece(f"{name}{i}", slots, numbers, vectors)
        for step in part:
            if isinstance(step, Call):
                piece.call(step)
            else:
                piece.compute(step)
                for slot in stores[step]:
                    piece.store(step, slot)
        made.append(piece)
    for node, slot in others:  # what is computed nowhere, or by the kernel
        made[-1].store(node, slot)
    return made


def _steps(order: Sequence[Node], slots: dict[Node, int], entries: count[int]) -> list[Node | Call]:
    """Return what is to be done in turn: first what the kernel's functions need, call by call, then the rest."""
    level: dict[Node, int] = {}
    waves: dict[int, dict[str, dict[tuple[Node, ...], list[Node]]]] = {}
    for node in order:
        level[node] = max((level.get(a, 0) for a in node.args), default=0)
        if node.op in _SERVICE:
            level[node] += 1
            wave = waves.setdefault(level[node], {}).setdefault(_SERVICE[node.op], {})
            wave.setdefault(node.args, []).append(node)
    steps: list[Node | Call] = []
    done = set(slots)

    def compute(nodes: Iterable[Node]) -> None:
        for node in topological(nodes, lambda x: () if x in done else operands(x)):
            if node not in done and node.op is not CONST:
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
    compute(order)
    return steps


class Piece:
    """A function under construction; each value is computed into a register of its own, or loaded when first needed."""

    def __init__(self, name: str, slots: Mapping[Node, int], numbers: Mapping[Node, int], vectors: Vectors) -> None:
        self._name, self._slots, self._constants, self._vectors = name, slots, numbers, vectors
        self._lines: list[str] = []
        self._registers: dict[Node, str] = {}
        self._numbers = count()
        one = vectors.all(1.0)
        self._words = {"t": vectors.name, "suffix": vectors.suffix, "lanes": vectors.lanes, "one": one}

    def compute(self, node: Node) -> None:
        """Add what computes a node."""
        args = operands(node)
        template = _INSTRUCTIONS[node.op] if args is node.args else _SUBTRACT
        a, b = self._value(args[0]), self._value(args[-1])
        register = self._registers[node] = f"%v{next(self._numbers)}"
        self._lines.append(template.format(r=register, a=a, b=b, **self._words))

    def store(self, node: Node, slot: int) -> None:
        """Add what puts a value into a slot."""
        value = self._value(node)
        self._lines.append(f"store {self._vectors.name} {value}, ptr {self._address(slot)}")

    def call(self, call: Call) -> None:
        """Add a call of the kernel."""
        for slot, node in enumerate((a for group in call.groups for a in group), call.given):
            self.store(node, slot)
        given, made = self._address(call.given), self._address(call.made)
        name = service(call.service, self._vectors)
        self._lines.append(f"call void @{name}(ptr {given}, ptr {made}, i64 {len(call.groups)})")

    def text(self) -> str:
        """Return the function."""
        head = f"define void @{self._name}(ptr noalias %slots, ptr noalias readonly %numbers) nounwind {{"
        return "\n".join([head, *self._lines, "ret void", "}", ""])

    def _value(self, node: Node) -> str:
        """Return the register that holds a node's value."""
        register = self._registers.get(node)
        if register is None:
            if node.op is CONST:
                address = self._address(self._constants[node], "%numbers")
            else:
                address = self._address(self._slots[node])
            register = self._registers[node] = f"%v{next(self._numbers)}"
            self._lines.append(f"{register} = load {self._vectors.name}, ptr {address}")
        return register

    def _address(self, index: int, table: str = "%slots") -> str:
        register = f"%a{next(self._numbers)}"
        self._lines.append(f"{register} = getelementptr {self._vectors.name}, ptr {table}, i64 {index}")
        return register


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
    """Return which of the arrays holds the parameters; 0 where there are none."""
    names = [*program.inputs]
    return names.index(PARAMETERS) + has_empty(program) if PARAMETERS in names else 0
