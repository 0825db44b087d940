"""Operations of a graph -> instructions of x86 processors with AVX and fused multiply-adds, not yet with registers.

A product that only one sum needs is fused into it. Negation costs nothing where it can be part of the next
instruction: a value's register can hold its negative.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from ..graph.node import Node
from ..graph.operations import ABS, ADD, DIV, MUL, NEG, SIGN, SQRT
from .steps import bare, operands

Value = Hashable
"""A value that has a register or a place in memory: a node, or something that only this code needs."""

MINUS, UNIT = "minus", "unit"
"""Names of constants that instructions need: -0.0, whose only bit is the sign's, and 1.0."""

FUSED = ("fmadd", "fmsub", "fnmadd", "fnmsub")
"""Instructions for ab + c, ab - c, -ab + c and -ab - c."""
COMMUTATIVE = ("add", "mul", "or", "and", "xor")
UNTYPED = ("psllq $$62,", "psllq $$63,")
"""Instructions on integers, whose names have no suffix for the type of floats."""
IN_REGISTERS = ("blendv", *UNTYPED)
"""Instructions that read no memory."""
STORE = "store"


class Instruction(NamedTuple):
    """What to do with which values, and the value that it makes; for a store, the slot that it fills."""

    name: str
    operands: tuple[Value, ...]
    result: Value


def instructions(
    order: Sequence[Node], stores: Mapping[Node, Iterable[tuple[Node, int]]], slots: Mapping[Node, int], held: Set[Node]
) -> list[Instruction]:
    """Return the instructions that compute nodes in turn and put them into slots.

    Parameters
    ----------
    order
        The nodes to compute.
    stores
        For each of them, pairs of a node, itself or its negative, and the slot for it.
    slots
        The slots of values of the whole Program.
    held
        The nodes whose negatives are in their slots.
    """
    products = _fusible(order, stores)
    skipped = {bare(product) for product in products.values()}
    selection = _Selection(held)
    for node in order:
        if node not in skipped:
            selection.compute(node, products.get(node))
            for wanted, slot in stores.get(node, ()):
                selection.store(wanted, slot, node in held and slot == slots.get(node))
    return selection.made


def _fusible(order: Sequence[Node], stores: Mapping[Node, Iterable[tuple[Node, int]]]) -> dict[Node, Node]:
    """Return, for each sum that absorbs a product, the product with its sign: the later one of two."""
    uses: dict[Node, int] = {}
    place: dict[Node, int] = {}
    for i, node in enumerate(order):
        if node.op is MUL and not stores.get(node):
            place[node] = i
        for a in operands(node):
            uses[a] = uses.get(a, 0) + 1
    found = {}
    for node in order:
        if node.op is ADD:
            candidates = [a for a in node.args if bare(a) in place and uses[bare(a)] == 1]
            if candidates:
                found[node] = max(candidates, key=lambda a: place[bare(a)])
    return found


class _Selection:
    """Instructions under construction, and the values whose registers hold the negative."""

    def __init__(self, held: Set[Node]) -> None:
        self.made: list[Instruction] = []
        self._negative = set(held)

    def compute(self, node: Node, product: Node | None) -> None:
        """Add what computes a node, which may absorb a product."""
        self._negative.discard(node)
        if product is not None:
            self._fused(node, product)
            return
        (a, minus), (b, other) = self._signed(node.args[0]), self._signed(node.args[-1])
        op, negative = node.op, False
        if op is ADD:
            negative = minus and other
            if minus == other:
                self._add("add", (a, b), node)
            else:
                self._add("sub", (b, a) if minus else (a, b), node)
        elif op in (MUL, DIV):
            negative = minus != other
            self._add("mul" if op is MUL else "div", (a, b), node)
        elif op is SQRT:
            self._add("sqrt", (self._positive(a, minus),), node)
        elif op is ABS:
            self._add("andn", (MINUS, a), node)
        elif op is SIGN:
            self._sign(node, self._positive(a, minus))
        else:
            raise NotImplementedError(op)
        if negative:
            self._negative.add(node)

    def store(self, wanted: Node, slot: int, turned: bool) -> None:
        """Add what puts a node or its negative into a slot; ``turned`` if the slot holds the opposite."""
        value, minus = self._signed(wanted)
        self.made.append(Instruction(STORE, (self._positive(value, minus != turned),), slot))

    def _fused(self, node: Node, product: Node) -> None:
        first, second = node.args
        (a, a_minus), (b, b_minus) = (self._signed(x) for x in (bare(product).args[0], bare(product).args[-1]))
        c, less = self._signed(second if first is product else first)
        minus = (a_minus != b_minus) != (product.op is NEG)
        if minus and less:
            self._negative.add(node)
        name = "fmadd" if minus == less else "fmsub" if less else "fnmadd"
        self._add(name, (a, b, c), node)

    def _sign(self, node: Node, value: Value) -> None:
        """Add what computes 1 with the sign of a value, or 0 for 0 and for what is not a number."""
        zero, some, bit, one = ((node, part) for part in ("zero", "some", "bit", "one"))
        self._add("sub", (UNIT, UNIT), zero)
        self._add("cmpneq_oq", (value, zero), some)
        self._add("and", (value, MINUS), bit)
        self._add("or", (bit, UNIT), one)
        self._add("and", (one, some), node)

    def _signed(self, node: Node) -> tuple[Node, bool]:
        """Return the value that has a register for a node, and whether it is the negative."""
        value = bare(node)
        return value, (node.op is NEG) != (value in self._negative)

    def _positive(self, value: Value, minus: bool) -> Value:
        """Return the value itself, given what may be its negative."""
        if minus:
            self._add("xor", (value, MINUS), turned := (value, len(self.made)))
            return turned
        return value

    def _add(self, name: str, given: tuple[Value, ...], result: Value) -> None:
        self.made.append(Instruction(name, given, result))
