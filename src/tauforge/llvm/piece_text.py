"""The text of one piece: a function of the slots' address that computes some steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cache
from itertools import count, pairwise

from ..graph.node import Node
from ..graph.operations import ABS, ADD, CONST, DIV, MUL, NEG, SIGN, SQRT
from .assembly import assembled
from .idioms import entry
from .instructions import Value, instructions
from .loops import Loop
from .sines import sines
from .steps import Call, bare
from .trigonometry import SERVICES, SINCOS, service
from .vectors import Vectors

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


class Piece:
    """A function under construction; each value is computed into its own register, or loaded when first needed.

    Slots hold the nodes' values; for the nodes in ``negative``, they hold the negative.
    """

    def __init__(
        self, slots: Mapping[Node, int], numbers: Mapping[Value, int], vectors: Vectors, negative: Set[Node]
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
        """Add the code that computes a node."""
        minus = node.op is ADD and node.args[1].op is NEG
        a, b = self._value(node.args[0]), self._value(bare(node.args[-1]) if minus else node.args[-1])
        self._registers[node] = self._apply(node.op, a, b, minus)

    def store(self, node: Node, slot: int) -> None:
        """Add the code that puts a value into a slot."""
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

    def has_sines(self, call: Call) -> bool:
        """Tell whether a call can be replaced by assembly: sines and cosines of values that are in slots."""
        angles = [angle for group in call.groups for angle in group]
        plain = all(angle in self._slots and angle not in self._negative for angle in angles)
        return call.service == SINCOS and self._vectors.size == 8 and plain

    def sines(self, call: Call, scratch: int) -> int:
        """Add assembly in place of a call, which remains for large angles; return how many slots it uses."""
        angles = [angle for group in call.groups for angle in group]
        code = sines(angles, call.made, call.given)
        line, used = assembled(code, self._slots, self._constants, scratch, self._vectors)
        flag, lanes = self._address(call.given), self._vectors.lanes
        name = f"%sines{next(self._numbers)}"
        self._lines += [
            line,
            f"{name}.bits = load <{lanes} x i64>, ptr {flag}",
            f"{name}.bad = icmp ne <{lanes} x i64> {name}.bits, zeroinitializer",
            f"{name}.mask = bitcast <{lanes} x i1> {name}.bad to i{lanes}",
            f"{name}.fine = icmp eq i{lanes} {name}.mask, 0",
            f"br i1 {name}.fine, label {name}.done, label {name}.library",
            f"{name[1:]}.library:",
        ]
        self.call(call)
        self._registers.clear()
        self._lines += [f"br label {name}.done", f"{name[1:]}.done:"]
        return used

    def assemble(self, nodes: Sequence[Node], stores: Mapping[Node, Sequence[tuple[Node, int]]], scratch: int) -> int:
        """Add assembly that computes nodes and puts them into slots; return how many it uses from ``scratch`` on."""
        code = instructions(nodes, stores, self._slots, self._negative)
        line, used = assembled(code, self._slots, self._constants, scratch, self._vectors)
        self._lines.append(line)
        return used

    def text(self, name: str) -> str:
        """Return the function, and the tables that it needs."""
        return "\n".join([*self._tables, head(name, self._vectors), *self._lines, "ret void", "}", ""])

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


def head(name: str, vectors: Vectors) -> str:
    """Return how a piece begins."""
    aligned = f"alignstack({vectors.bytes})"  # otherwise saved values would straddle cache lines
    return f"define void @{name}(ptr noalias %slots, ptr noalias readonly %numbers) nounwind {aligned} {{"


def declarations(vectors: Vectors) -> list[str]:
    t, suffix = vectors.name, vectors.suffix
    return [
        *(f"declare void @{service(name, vectors)}(ptr, ptr, i64) nounwind" for name in SERVICES),
        *(f"declare {t} @llvm.{name}.{suffix}({t})" for name in ("sqrt", "fabs")),
        f"declare {t} @llvm.copysign.{suffix}({t}, {t})",
    ]
