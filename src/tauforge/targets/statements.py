"""Program -> statements in order, ready to print: what becomes a variable, what it is called, what is written in place.

A node becomes a variable if it has a name in the papers, is used more than once, is a sine or a cosine, or if the
expression would otherwise be long. The graph keeps signs outside; if the papers give a name to ``-x``, the variable
holds ``-x`` and its users take it with the opposite sign: a variable never holds the negative of what its name means in
the papers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product as combinations
from math import isnan, prod

from ..graph.evaluate import topological
from ..graph.node import ZERO, Node
from ..graph.operations import ABS, ADD, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SYMBOL
from ..program.array import Array
from ..program.program import PARAMETERS, Program
from ..program.repeat import computed
from .expression import Call, Element, Expression, Number, Quotient, Sum, Term, Variable, negated, product, total
from .language import Language, Names

LONGEST = 32
"""How many operations an expression can have before it gets its own variable."""
MANY = 100
"""How many zeros a mostly zero output must have to be cleared as a whole before its other entries are set."""
_ALWAYS = (SIN, COS, SIGN)  # operations whose value is always a variable


@dataclass(frozen=True)
class Argument:
    """An input or output array of the function."""

    name: str
    array: Array
    used: bool


@dataclass(frozen=True)
class Statement:
    """A variable or an output's element, and the expression that gives it its value."""

    target: Variable | Element
    value: Expression


@dataclass(frozen=True)
class Loop:
    """The names of what a repeated Program needs.

    Attributes
    ----------
    state
        The local array that holds the input of each step.
    turn
        The counter of the steps.
    argument
        The input with which it starts.
    result
        The output that becomes the next input.
    until
        The output that tells whether it is done.
    lost
        The elements of the result that have no number if it is not done in the end.
    size
        How many elements it has.
    bound
        How many steps there are at the most.
    """

    state: str
    turn: str
    argument: str
    result: str
    until: Element
    lost: tuple[Element, ...]
    size: int
    bound: int


@dataclass(frozen=True)
class Listing:
    """A Program as one function of a language.

    Attributes
    ----------
    parameters
        Statements that give the parameters that are used their own names.
    setup
        Statements on the parameters alone.
    body
        Statements of each evaluation.
    results
        Statements that fill the outputs.
    cleared
        The outputs that are set to zero as a whole before their other entries are filled.
    symbols
        Each parameter's own name -> what it is called here.
    loop
        The names that a repeated Program needs, and what it loses if it is not done in the end.
    """

    program: Program
    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    parameters: tuple[Statement, ...]
    setup: tuple[Statement, ...]
    body: tuple[Statement, ...]
    results: tuple[Statement, ...]
    cleared: tuple[Argument, ...]
    symbols: Mapping[str, str]
    loop: Loop | None

    @property
    def functions(self) -> set[str]:
        """The operations that a language spells as functions."""
        return {node.op for node in self.program.order} - {CONST, SYMBOL, ADD, NEG, MUL, DIV}

    @property
    def variables(self) -> list[str]:
        """Names of all local variables."""
        statements = (*self.parameters, *self.setup, *self.body)
        return [statement.target.name for statement in statements if isinstance(statement.target, Variable)]


def listing(program: Program, language: Language, name: str | None) -> Listing:
    """Cut a Program into statements and give them names; ``name`` is the function's."""
    names = Names(language)
    arrays = Names(language) if language.scalar_arrays else names  # where elements are scalars, q itself is a free name
    beside = language.beside
    inputs = {arrays.take(*_with(key, beside))[0]: array for key, array in program.arguments.items()}
    outputs = {arrays.take(*_with(key, beside))[0]: array for key, array in program.results.items()}
    if language.scalar_arrays:
        for key, array in (*inputs.items(), *outputs.items()):
            for index in indices(array):
                names.take(f"{key}{''.join(str(i + 1) for i in index)}")
    function = arrays.take(program.name, function=True)[0] if name is None else arrays.function(name)
    loop = _loop(program, language, names, [*inputs], [*outputs])
    known = {loop.state if loop and x == loop.argument else x: a for x, a in inputs.items()}
    writer = _Writer(program, names, known, bool(language.either))
    filled = tuple(Argument(key, array, True) for key, array in outputs.items())
    cleared = {x.name: x for x in filled if _mostly_zero(x.array)}
    return Listing(
        program,
        function,
        tuple(Argument(key, array, not writer.present.isdisjoint(array.nodes)) for key, array in inputs.items()),
        filled,
        writer.parameters,
        tuple(writer.statement(node) for node in writer.variables if node in program.setup),
        tuple(writer.statement(node) for node in writer.variables if node not in program.setup),
        tuple(
            Statement(Element(x.name, index, place), negated(*writer.term(node)))
            for x in filled
            for place, (index, node) in enumerate(zip(indices(x.array), x.array.nodes, strict=True))
            if node is not ZERO or x.name not in cleared
        ),
        tuple(cleared.values()),
        writer.symbols,
        loop,
    )


def _with(name: str, beside: tuple[str, ...]) -> list[str]:
    return [name, *(each.format(name) for each in beside)]


def _loop(program: Program, language: Language, names: Names, inputs: list[str], outputs: list[str]) -> Loop | None:
    """Return the names that a repeated Program needs; None if it is not repeated."""
    repeat = program.repeat
    if not repeat:
        return None
    here = dict(zip(program.results, outputs, strict=True))
    result, array = here[repeat.result], program.results[repeat.result]
    start = inputs[[*program.arguments].index(repeat.argument)]
    state, turn = names.take("state", "turn") if language.opening else (start, "")
    return Loop(
        state,
        turn,
        start,
        result,
        Element(here[repeat.until], (), 0),
        tuple(Element(result, (place,), place) for place in computed(array.nodes)),
        len(array.nodes),
        repeat.bound,
    )


def _mostly_zero(array: Array) -> bool:
    zeros = array.nodes.count(ZERO)
    return zeros >= MANY and 2 * zeros > len(array.nodes)


def indices(array: Array) -> Iterable[tuple[int, ...]]:
    """Return the indices of an array's elements, row by row."""
    return combinations(*map(range, array.shape))


def _positive(node: Node) -> Node:
    return node.args[0] if node.op is NEG else node


class _Writer:
    """Decides which nodes are variables, names them, and writes expressions over them."""

    def __init__(self, program: Program, names: Names, inputs: Mapping[str, Array], unbounded: bool) -> None:
        self.present = set(program.order)
        flags = ((node, _flag(node)) for node in program.order if unbounded)
        self._flags = {node: flag for node, flag in flags if flag is not None}
        self._terms: dict[Node, Term] = {}
        self._program = program
        self._papers = _paper_names(program, self.present)
        results = [_positive(node) for array in program.results.values() for node in array.nodes]
        order = topological(
            dict.fromkeys([*self._papers, *results])
        )  # in the order of the papers, from which the names come
        order = self._needed(order, results) if self._flags else order
        self.variables = self._choose([node for node in order if node.op is not NEG], results)
        self._inputs(inputs)
        self.parameters, self.symbols = self._parameters(names)
        self._name(names)

    def statement(self, node: Node) -> Statement:
        """Return the statement that computes a variable."""
        opposite, variable = self._terms[node]
        negative, value = self._expression(node)
        assert isinstance(variable, Variable)
        return Statement(variable, negated(negative ^ opposite, value))

    def term(self, node: Node) -> Term:
        """Return the term that represents a node in an expression, and its sign."""
        if node.op is NEG:
            negative, value = self.term(node.args[0])
            return not negative, value
        if node not in self._terms and node.op is CONST:
            return float(node) < 0, Number(abs(float(node)))
        return self._terms[node] if node in self._terms else self._expression(node)

    def _arguments(self, node: Node) -> tuple[Node, ...]:
        """Return what a node is computed from; flags in the place of what is undefined unless they are 1."""
        if node in self._flags:
            return (self._flags[node],)
        if node.op is ADD and not self._flags.keys().isdisjoint(node.args):
            return tuple(self._flags.get(a, a) for a in node.args)
        return node.args

    def _needed(self, order: list[Node], results: list[Node]) -> list[Node]:
        """Return the nodes from which results are computed, in order."""
        found = {*results}
        for node in reversed(order):
            if node in found:
                found.update(x for a in self._arguments(node) for x in (a, _positive(a)))
        return [node for node in order if node in found]

    def _expression(self, node: Node) -> Term:
        if node in self._flags:
            return False, Call("either", (negated(*self.term(self._flags[node])), Number(0.0)))
        if node.op is ADD and (flagged := [a for a in node.args if a in self._flags]):
            rest = negated(*_single(total([self.term(a) for a in node.args if a not in self._flags])))
            for flag in dict.fromkeys(self._flags[a] for a in flagged):
                rest = Call("either", (negated(*self.term(flag)), rest))
            return False, rest
        terms = [self.term(a) for a in node.args]
        if node.op is ADD:
            return False, total(terms)
        if node.op is MUL:
            return product(terms)
        if node.op is DIV:
            (negative, top), (other, bottom) = terms
            return negative ^ other, Quotient(top, bottom)
        return False, Call(node.op, tuple(negated(*term) for term in terms))

    def _choose(self, order: list[Node], results: list[Node]) -> list[Node]:
        """Return the nodes that become variables, in order."""
        setup = self._program.setup
        uses: dict[Node, int] = dict.fromkeys(order, 0)
        needed = {node for node in results if node in setup}  # set-up is kept apart from what is evaluated each time
        for node in order:
            for argument in map(_positive, self._arguments(node)):
                uses[argument] += 1
                if node.op is SIGN or (argument in setup and node not in setup):  # C spells sign's argument twice
                    needed.add(argument)
        for node in results:
            uses[node] += 1
        chosen: list[Node] = []
        weight: dict[Node, int] = {}
        for node in order:
            weight[node] = 1 + sum(weight[_positive(a)] for a in self._arguments(node))
            shared = uses[node] > 1 or node in needed or node in self._papers or node.op in _ALWAYS
            if node.args and (shared or weight[node] > LONGEST):
                weight[node] = 1
                chosen.append(node)
        return chosen

    def _inputs(self, inputs: Mapping[str, Array]) -> None:
        for key, array in inputs.items():
            for place, (index, node) in enumerate(zip(indices(array), array.nodes, strict=True)):
                self._terms[node] = False, Element(key, index, place)

    def _parameters(self, names: Names) -> tuple[tuple[Statement, ...], dict[str, str]]:
        """Give the parameters that are used variables with their own names."""
        given = self._program.arguments.get(PARAMETERS)
        statements, symbols = [], {}
        for node in given.nodes if given else ():
            if node in self.present:
                (symbols[str(node.value)],) = names.take(str(node.value))
                variable = Variable(symbols[str(node.value)])
                statements.append(Statement(variable, self._terms[node][1]))
                self._terms[node] = False, variable
        return tuple(statements), symbols

    def _name(self, names: Names) -> None:
        """Name the variables: as in the papers, S and C for sines and cosines, the others by numbers."""
        for node in self.variables:
            if node in self._papers:
                name, negative = self._papers[node]
                self._terms[node] = negative, Variable(names.take(name)[0])
        angles = dict.fromkeys(node.args[0] for node in self.variables if node.op in (SIN, COS))
        pairs = {angle: names.take(f"S{ending}", f"C{ending}") for angle, ending in _endings(angles, self._program)}
        for node in self.variables:
            if node.op in (SIN, COS) and node not in self._terms:
                self._terms[node] = False, Variable(pairs[node.args[0]][node.op is COS])
        number = {"K": 0, "t": 0}
        for node in self.variables:
            if node not in self._terms:
                letter = "K" if node in self._program.setup else "t"
                number[letter] += 1
                while not names.is_free(f"{letter}{number[letter]}"):
                    number[letter] += 1
                self._terms[node] = False, Variable(names.take(f"{letter}{number[letter]}")[0])


def _single(x: Sum) -> Term:
    """Return a sum of one term as that term, and zero if it has none."""
    if len(x.terms) > 1:
        return False, x
    return x.terms[0] if x.terms else (False, Number(0.0))


def _flag(node: Node) -> Node | None:
    """Return the flag by which a product has no number: infinity times zero if it is 0, and 0 if it is 1."""
    if node.op is not MUL or not any(a.op is ABS for a in node.args):
        return None
    for flag in node.args:
        if flag.op in (CONST, ABS):
            continue
        values = [_value(node, {flag: x}) for x in (0.0, 1.0)]
        if None not in values and isnan(values[0] or 0.0) and values[1] == 0.0:
            return flag
    return None


_FEW = 30
"""Operations between a flag and what it makes no number."""


def _value(node: Node, known: dict[Node, float | None]) -> float | None:
    """Return a node's value as a double, given that of a flag; None if it depends on more, or in other ways."""
    if node in known:
        return known[node]
    if node.op is CONST:
        return float(node)
    if node.op not in (ADD, MUL, NEG, ABS) or len(known) > _FEW:
        return None
    known[node] = None
    numbers = [value for a in node.args if (value := _value(a, known)) is not None]
    if len(numbers) < len(node.args):
        return None
    if node.op in (ADD, MUL):
        known[node] = sum(numbers) if node.op is ADD else prod(numbers)
    else:
        known[node] = -numbers[0] if node.op is NEG else abs(numbers[0])
    return known[node]


def _paper_names(program: Program, present: set[Node]) -> dict[Node, tuple[str, bool]]:
    """Return the nodes that have names, each with its first name, and whether that names the negative of the node."""
    found: dict[Node, tuple[str, bool]] = {}
    for node, name in program.names.items():
        inner = _positive(node)
        if inner.args and inner in present:
            found.setdefault(inner, (name, node.op is NEG))
    return found


def _endings(angles: Iterable[Node], program: Program) -> Iterator[tuple[Node, str]]:
    """Yield each angle with the suffix of its S and C: the joint's number, a parameter's name, or the next number."""
    joints = program.arguments["q"].nodes if "q" in program.arguments else ()
    coordinates = {node: str(j) for j, node in enumerate(joints, 1)}
    free = len(joints)
    for angle in angles:
        variable = angle.args[0] if angle.op is ADD and angle.args[1].op is CONST else angle
        if variable in coordinates:
            yield angle, coordinates[variable]
        elif variable.op is SYMBOL and variable.value in program.parameters:
            yield angle, str(variable.value)
        else:
            free += 1
            yield angle, str(free)
