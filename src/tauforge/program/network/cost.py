"""What operations cost, for each objective of ``Program.optimise``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...graph.node import Node
from ...graph.operations import ABS, ADD, CONST, COS, DIV, LIBRARY, MUL, NEG, SIGN, SIN, SQRT, SYMBOL
from ..program import Program

UNIT = 1000
"""The price of one addition as most objectives have it. Prices are integers, so that sums of them are exact."""


_TURN = UNIT * 9 // 10
"""The price of a sine: it is not counted, but a new one must save an operation, and none is worth one."""


@dataclass(frozen=True)
class Prices:
    """What each operation adds to the cost of a network.

    Attributes
    ----------
    add
        Price of a sum.
    mul
        Price of a product.
    div
        Price of a quotient.
    calls
        Prices of functions by name; those not named cost nothing.
    setup
        The price of any operation on parameters alone.
    """

    add: int = UNIT + 1  # where set-up can do as well, it should
    mul: int = UNIT + 1
    div: int = UNIT + 1
    calls: Mapping[str, int] = field(default_factory=lambda: {SQRT: UNIT + 1, SIN: _TURN, COS: _TURN})
    setup: int = UNIT

    def of(self, kind: int, head: object, fixed: bool) -> int:
        """Return the price of a definition of some kind: none, sum, product, quotient, or a call of ``head``."""
        price = self.calls.get(str(head).removeprefix("-"), 0) if kind == 4 else (0, self.add, self.mul, self.div)[kind]
        return min(price, self.setup) if fixed else price


@dataclass(frozen=True)
class Objective:
    """What ``Program.optimise`` lowers: prices for the search, and the measure by which its results are compared.

    ``waits`` tells whether the measure depends on the longest path.
    """

    prices: Prices
    measure: Callable[[Program], float]
    waits: bool = False


CYCLES = {
    **dict.fromkeys(LIBRARY, 60.0),
    ADD: 4.0,
    MUL: 4.0,
    DIV: 14.0,
    SQRT: 19.0,
    SIN: 40.0,
    COS: 40.0,
    NEG: 0.0,
    ABS: 1.0,
    SIGN: 4.0,
}
"""Cycles from the arguments of an operation to its result, on a processor of today."""
SHARES = {
    **dict.fromkeys(LIBRARY, 25.0),
    ADD: 1.0,
    MUL: 1.0,
    DIV: 4.0,
    SQRT: 8.0,
    SIN: 15.0,
    COS: 15.0,
    NEG: 0.0,
    ABS: 1.0,
    SIGN: 2.0,
}
"""Time that an operation takes next to others, in additions. ``benchmarks/cost.py`` measures it."""
PATH = 0.65
"""Time for a cycle on the longest path of a single state, in additions. ``benchmarks/cost.py`` measures it."""
PATH_OF_MANY = 0.3
"""The same for one of many states: a processor starts the next block early, but not early enough to hide all of it."""
CALL = 3
"""Instructions for a call: the argument, the call and the result."""


def instructions(program: Program) -> float:
    """Return about how many instructions a Program has, set-up included."""
    sizes = {CONST: 0, SYMBOL: 0, NEG: 0, ADD: 1, MUL: 1, DIV: 1}
    return sum(sizes.get(node.op, CALL) for node in program.order)


def fused(program: Program) -> set[Node]:
    """Return the products that become a part of the one sum that uses them, as multiply-add."""
    uses: dict[Node, int] = {}
    plain = {node: node.args[0] if node.op is NEG else node for node in program.order}
    used = [a for node in program.order if node.op is not NEG for a in node.args]
    for node in (*used, *(node for array in program.results.values() for node in array.nodes)):
        uses[plain[node]] = uses.get(plain[node], 0) + 1
    found: set[Node] = set()
    for node in program.order:
        if node.op is ADD:
            own = [plain[a] for a in node.args if plain[a].op is MUL and uses[plain[a]] == 1]
            found |= {*own[:1]}
    return found


def times(program: Program) -> dict[str, int]:
    """Return how often each operation is done for each state, with multiply-add as one addition."""
    free = fused(program) | program.setup
    return Counter(node.op for node in program.order if node.args and node not in free)


def work(program: Program) -> float:
    """Return the time that all operations take if none waits for another, in additions."""
    return sum(n * SHARES[op] for op, n in times(program).items())


def longest(program: Program) -> float:
    """Return the cycles of the longest path from inputs to outputs."""
    free = fused(program) | program.setup
    ready: dict[Node, float] = {}
    for node in program.order:
        start = max((ready[a] for a in node.args), default=0.0)
        ready[node] = start + (CYCLES[node.op] if node.args and node not in free else 0.0)
    return max(ready.values(), default=0.0)


def throughput(program: Program) -> float:
    """Return the time for each of many states, in additions: what all operations take, and what then still waits."""
    return work(program) + PATH_OF_MANY * longest(program)


def latency(program: Program) -> float:
    """Return the time for one state, in additions: what all operations take, and what waits on the longest path."""
    return work(program) + PATH * longest(program)


_COMPILED = {op: int(UNIT * share) for op, share in SHARES.items()}
_TIMES = Prices(UNIT, UNIT, _COMPILED[DIV], _COMPILED, setup=1)
OBJECTIVES = {
    "operations": Objective(Prices(), lambda program: program.count().total),
    "size": Objective(Prices(), instructions),  # a sine must not pay at once for all that it will save
    "latency": Objective(_TIMES, latency, waits=True),
    "throughput": Objective(_TIMES, throughput, waits=True),
}
"""By name."""
