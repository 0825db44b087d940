"""A Program as a network of values, each with one definition that a search can exchange for another.

A value is known by its residue at a random point of the prime field in which Programs are certified: two expressions
with the same residue are the same value, however they are written. Signs are free, so a value and its opposite are one:
a *signed* value is twice its number, plus 1 for the opposite. Exchanging a definition changes no user of the value.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from random import Random

from ...graph.exact import home
from ...graph.functions import rebuild
from ...graph.node import ONE, ZERO, Node, add, mul, neg
from ...graph.operations import ADD, CONST, DIV, MUL, NEG
from ...graph.points import exact_points
from ..program import Program
from .cost import Prices
from .samples import Samples

LEAF, SUM, PRODUCT, QUOTIENT, CALL = range(5)
"""Kinds of definitions: symbols and constants; sums and products of two values; quotients; functions."""
_KINDS = {ADD: SUM, MUL: PRODUCT, DIV: QUOTIENT}
_OPERATIONS = {SUM: ADD, PRODUCT: MUL, QUOTIENT: DIV}

OPPOSITE = "-"
"""Before the operation of a call: the value is the opposite of its result."""
Definition = tuple[int, int, int]
"""Kind and two signed arguments; the second is -1 if there is none."""
Fresh = dict[int, None]
"""Numbers of the values that a change has made so far, arguments first."""
FORBIDDEN = 1 << 40
"""The cost of a definition that may depend on what it defines."""


class Network:
    """The values that a Program computes.

    Parameters
    ----------
    program
        The Program.
    prices
        What each operation costs.

    Attributes
    ----------
    residue
        For each value: its residue.
    kind
        The kind of its definition.
    first
        The first signed argument of its definition.
    second
        The second one.
    uses
        How many definitions and outputs use it.
    place
        Its place in an order in which arguments come before their users.
    head
        The node of each leaf, the operation of each call.
    fixed
        For each value: whether it depends on parameters only.
    price
        What each value's definition costs.
    table
        The signed value of each residue.
    """

    def __init__(self, program: Program, prices: Prices) -> None:
        self.program, self.prices, self.p = program, prices, home().p
        self.residue: list[int] = []
        self.kind: list[int] = []
        self.first: list[int] = []
        self.second: list[int] = []
        self.uses: list[int] = []
        self.place: list[float] = []
        self.head: list[Node | str | None] = []
        self.fixed: list[bool] = []
        self.price: list[int] = []
        self.table: dict[int, int] = {}
        self._free: list[int] = []
        self._others: list[tuple[int, Definition]] = []  # further definitions of values, as found in the Program
        nodes = [*dict.fromkeys((ZERO, ONE, *program.order))]
        self.samples = Samples(nodes)
        self._residues = dict(zip(nodes, exact_points(nodes, 1)[0].residues(nodes), strict=True))
        for node in sorted(nodes, key=lambda node: bool(node.args)):  # leaves first: they cost nothing
            self._enter(node)
        ends = (self.signed(node) >> 1 for array in program.results.values() for node in array.nodes)
        self.outputs = [*dict.fromkeys(ends)]
        self.one = self.signed(ONE)
        self._count_uses()
        self.renumber()

    def signed(self, node: Node) -> int:
        """Return the signed value of one of the Program's nodes, while something computes it."""
        return self.table[self._residues[node]]

    def _enter(self, node: Node) -> None:
        """Give a node's value its definition, unless it has one that costs less."""
        residue = self._residues[node]
        known = self.table.get(residue)
        if node.op is NEG or (known is not None and self.kind[known >> 1] in (LEAF, CALL)):
            return
        kind = _KINDS.get(node.op, CALL) if node.args else LEAF
        args = [self.signed(a) for a in node.args] + [-1, -1]
        if known is None:
            fixed = node.op is CONST or node.value in self.program.parameters if kind == LEAF else True
            number = self.new(residue, (kind, args[0], args[1]), fixed, node if kind == LEAF else node.op)
            self.samples.enter(number, node)
        elif kind == CALL and not known & 1:  # a sine rather than what happens to be equal to it
            number = known >> 1
            self.head[number] = node.op
            self.define(number, (kind, args[0], args[1]))
        elif kind != CALL:
            self._others.append((known >> 1, (kind, args[0] ^ (known & 1), args[1] ^ (known & 1 and kind == SUM))))

    def new(self, residue: int, definition: Definition, fixed: bool, head: Node | str | None = None) -> int:
        """Return the number of a new value that nothing uses yet."""
        if self._free:
            number = self._free.pop()
            self.residue[number], self.uses[number], self.place[number] = residue, 0, 0.0
            self.head[number] = head
        else:
            number = len(self.residue)
            self.residue.append(residue)
            self.head.append(head)
            self.place.append(0.0)
            self.fixed.append(False)
            for column in (self.kind, self.first, self.second, self.uses, self.price):
                column.append(0)
        self.table[residue] = 2 * number
        self.table.setdefault(-residue % self.p, 2 * number + 1)
        self.fixed[number] = fixed
        self.define(number, definition)
        return number

    def define(self, number: int, definition: Definition) -> None:
        """Give a value a definition; its arguments' uses do not change."""
        kind, first, second = definition
        self.kind[number], self.first[number], self.second[number] = definition
        if kind != LEAF:
            self.fixed[number] = self.fixed[first >> 1] and (second < 0 or self.fixed[second >> 1])
        self.price[number] = self.prices.of(kind, self.head[number], self.fixed[number])

    def definition(self, number: int) -> Definition:
        """Return a value's definition."""
        return self.kind[number], self.first[number], self.second[number]

    def remove(self, number: int) -> None:
        """Forget a value that nothing uses."""
        residue = self.residue[number]
        for key, signed in ((residue, 2 * number), (-residue % self.p, 2 * number + 1)):
            if self.table.get(key) == signed:
                del self.table[key]
        self._free.append(number)

    def value(self, signed: int) -> int:
        """Return the residue of a signed value."""
        residue = self.residue[signed >> 1]
        return self.p - residue if signed & 1 else residue

    def make(self, kind: int, one: int, other: int, fresh: Fresh) -> int:
        """Return the sum or the product of two signed values, as the value that exists already or as a new one."""
        x, y = self.value(one), self.value(other)
        residue = (x + y if kind == SUM else x * y) % self.p
        known = self.table.get(residue)
        if known is not None:
            return known
        a, b = self.head[one >> 1], self.head[other >> 1]
        if isinstance(a, Node) and isinstance(b, Node) and a.op is CONST and b.op is CONST:
            a, b = neg(a) if one & 1 else a, neg(b) if other & 1 else b
            node = add(a, b) if kind == SUM else mul(a, b)
            number = self.new(residue, (LEAF, -1, -1), True, node)
            self.samples.enter(number, node)
            return 2 * number
        number = self.new(residue, (kind, one, other), False)
        self.samples.combine(number, kind == SUM, one, other)
        fresh[number] = None
        return 2 * number

    # Uses: what a definition keeps alive.

    def _count_uses(self) -> None:
        """Count the uses of all values, choose the cheapest definitions, and forget values without uses."""
        for number in self.outputs:
            self.uses[number] += 1
        for number in self.order():
            for signed in (self.first[number], self.second[number]):
                if signed >= 0:
                    self.uses[signed >> 1] += 1
        for number, other in self._others:
            if self.uses[number] and not self._depends(other, number):
                old, gain = self.definition(number), self.price[number] + self.drop(number, [])
                self.define(number, other)
                if gain <= self.take(number, ()) + self.price[number]:
                    self.drop(number, [])
                    self.define(number, old)
                    self.take(number, ())
        for number in range(len(self.residue)):
            if not self.uses[number] and self.kind[number] != LEAF:
                self.remove(number)

    def _depends(self, definition: Definition, number: int) -> bool:
        """Tell whether a definition depends on a value."""
        stack = [x >> 1 for x in definition[1:] if x >= 0]
        seen = {*stack}
        while stack:
            i = stack.pop()
            if i == number:
                return True
            more = {x >> 1 for x in (self.first[i], self.second[i]) if x >= 0} - seen
            seen |= more
            stack += more
        return False

    def drop(self, number: int, freed: list[int]) -> int:
        """Take a use from each argument of a value; return the cost of all that becomes free, and list it."""
        uses, kind, first, second, price = self.uses, self.kind, self.first, self.second, self.price
        gain, stack = 0, [number]
        while stack:
            user = stack.pop()
            for signed in (first[user], second[user]):
                if signed >= 0:
                    i = signed >> 1
                    uses[i] -= 1
                    if not uses[i] and kind[i]:
                        freed.append(i)
                        stack.append(i)
                        gain += price[i]
        return gain

    def take(self, number: int, fresh: Container[int], limit: float = float("inf")) -> int:
        """Add a use to each argument of a value; return what that costs.

        A value whose place is not below the limit is FORBIDDEN, unless it is fresh.
        """
        uses, kind, first, second, price, place = self.uses, self.kind, self.first, self.second, self.price, self.place
        cost, stack = 0, [number]
        while stack:
            user = stack.pop()
            for signed in (first[user], second[user]):
                if signed >= 0:
                    i = signed >> 1
                    uses[i] += 1
                    if not kind[i]:
                        continue
                    if uses[i] == 1:
                        stack.append(i)
                        cost += price[i]
                    if place[i] >= limit and i not in fresh:
                        cost += FORBIDDEN
        return cost

    # The whole network.

    def order(self, random: Random | None = None) -> list[int]:
        """Return the values that the outputs need, arguments first, in one order or in a random one."""
        found: list[int] = []
        seen: set[int] = set()
        stack = self.outputs[::-1]
        if random:
            random.shuffle(stack)
        while stack:
            number = stack[-1]
            waiting = [x >> 1 for x in (self.second[number], self.first[number]) if x >= 0 and x >> 1 not in seen]
            if random and random.random() < 0.5:
                waiting.reverse()
            if number not in seen and waiting:
                stack += waiting
                continue
            if number not in seen:
                seen.add(number)
                found.append(number)
            stack.pop()
        return found

    def renumber(self, random: Random | None = None) -> list[int]:
        """Give the values new places with room between them; return them in that order."""
        order = self.order(random)
        for k, number in enumerate(order):
            self.place[number] = k + 1.0
        return order

    def cost(self) -> int:
        """Return the cost of all definitions."""
        return sum(self.price[number] for number in self.order())

    def rebuilt(self) -> Program:
        """Return the Program that computes its outputs by the present definitions."""
        nodes: dict[int, Node] = {}
        for number in self.order():
            head = self.head[number]
            if isinstance(head, Node):
                nodes[number] = head
                continue
            signed = [x for x in (self.first[number], self.second[number]) if x >= 0]
            args = tuple(neg(nodes[x >> 1]) if x & 1 else nodes[x >> 1] for x in signed)
            operation = _OPERATIONS.get(self.kind[number]) or str(head)
            made = rebuild(operation.removeprefix(OPPOSITE), args)
            nodes[number] = neg(made) if operation.startswith(OPPOSITE) else made
        return self.program.with_nodes(self._in_place_of(nodes))

    def _in_place_of(self, nodes: Mapping[int, Node]) -> dict[Node, Node]:
        """Return what the Program's nodes become, as far as they are still computed."""
        new: dict[Node, Node] = {}
        for node, residue in self._residues.items():
            signed = self.table.get(residue, -1)
            if signed >> 1 in nodes:
                new[node] = neg(nodes[signed >> 1]) if signed & 1 else nodes[signed >> 1]
        return new
