"""Text -> Node: the only way from a file's expression into the graph. Nothing is evaluated as code."""

import math
import re
from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import NoReturn

from ..errors import ExpressionError
from . import functions
from .node import Node, Scalar, as_node, symbol
from .normal import literal
from .operations import CONST, LIBRARY
from .text import written_size

LONGEST = 10_000
"""How many characters an expression may have."""
LARGEST = 50_000
"""How many operations an expression may have, with powers written out as products."""
DEEPEST = 64
"""How many brackets and signs may be open at once."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<sign>\*\*|[-+*/^(),]))",
    re.ASCII,
)


def _called(name: str, *args: Node) -> Node:
    return functions.rebuild(name, args)


_FUNCTIONS: dict[str, tuple[int, Callable[..., Scalar]]] = {
    **{name: (count, partial(_called, name)) for name, count in LIBRARY.items()},
    "tan": (1, functions.tan),
    "atan": (1, lambda x: functions.atan2(x, 1.0)),
    "sqrt": (1, functions.sqrt),
    "abs": (1, functions.absolute),
    "sign": (1, functions.sign),
}
FUNCTIONS = tuple(_FUNCTIONS)
"""The functions that an expression may call; a symbol may not have one of these names, nor be called pi."""


def parse(text: str) -> Scalar:
    """Return an expression of a file as a float if it holds no symbol, else as a Node whose constants are floats.

    Numbers, names, ``pi``, ``+ - * / ** ^``, brackets and the functions in ``FUNCTIONS``.
    """
    return literal(expression(text))


def expression(text: str) -> Node:
    """Return an expression with exact constants: ``pi/7`` is exactly that, and not the nearest float."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression of {len(text)} characters; at most {LONGEST} are read")
    node = _Parser(text).whole()
    if written_size(node) > LARGEST:
        raise ExpressionError(f"an expression that has more than {LARGEST} operations when written out")
    return node


def as_scalar(x: object) -> Scalar:
    """Return a user's parameter as a scalar: a number as a float, an expression unchanged, a text parsed."""
    if isinstance(x, str):
        return parse(x)
    if isinstance(x, Node):
        return x
    if isinstance(x, bool) or not isinstance(x, Real):
        raise ExpressionError(f"{x!r} is neither a number nor an expression")
    try:
        value = float(x)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ExpressionError("this is not a finite number")
    return value


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.tokens: list[tuple[str, str, int]] = []
        self.depth = self.next = 0
        place = 0
        while place < len(self.text):
            match = _TOKEN.match(self.text, place)
            if not match:
                self.fail(f"unexpected character {self.text[place:].lstrip()[0]!r}", place)
            self.tokens.append(
                (match.lastgroup or "", match.group(match.lastgroup or 0), match.start(match.lastgroup or 0))
            )
            place = match.end()
        self.tokens.append(("end", "", len(self.text)))

    def fail(self, what: str, place: int) -> NoReturn:
        shown = self.text if len(self.text) <= 60 else self.text[max(0, place - 25) : place + 25]
        raise ExpressionError(f"{what} at character {place + 1} of {shown!r}")

    def take(self, *wanted: str) -> str | None:
        kind, text, _ = self.tokens[self.next]
        if kind == "sign" and text in wanted:
            self.next += 1
            return text
        return None

    def expect(self, wanted: str) -> None:
        if not self.take(wanted):
            self.fail(f"{wanted!r} expected", self.tokens[self.next][2])

    def whole(self) -> Node:
        value = self.sum()
        kind, text, place = self.tokens[self.next]
        if kind != "end":
            self.fail(f"unexpected {text!r}", place)
        return value

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"more than {DEEPEST} levels of brackets", self.tokens[self.next][2])
        value = self.product()
        while sign := self.take("+", "-"):
            right = self.product()
            value = value + right if sign == "+" else value - right
        self.depth -= 1
        return value

    def product(self) -> Node:
        value = self.signed()
        while sign := self.take("*", "/"):
            right = self.signed()
            value = value * right if sign == "*" else value / right
        return value

    def signed(self) -> Node:
        negative = False
        while sign := self.take("+", "-"):
            negative ^= sign == "-"
        value = self.power()
        return -value if negative else value

    def power(self) -> Node:
        base = self.atom()
        place = self.tokens[self.next][2]
        if self.take("**", "^"):
            self.depth += 1
            if self.depth > DEEPEST:
                self.fail(f"more than {DEEPEST} levels of brackets", place)
            exponent = self.signed()
            self.depth -= 1
            if exponent.op is not CONST or exponent.origin:
                self.fail("the exponent must be a number that a float holds exactly", place)
            return base ** float(exponent)
        return base

    def atom(self) -> Node:
        kind, text, place = self.tokens[self.next]
        if self.take("("):
            value = self.sum()
            self.expect(")")
            return value
        self.next += 1
        if kind == "number":
            number = float(text)
            if not math.isfinite(number):
                self.fail(f"{text} is not a finite number", place)
            if number == 0 and any(digit in "123456789" for digit in re.split("[eE]", text)[0]):
                self.fail(f"{text} is too small for a float", place)
            return as_node(number)
        if kind == "name":
            return self.call(text, place) if self.take("(") else self.name(text, place)
        return self.fail("a value is missing" if kind == "end" else f"unexpected {text!r}", place)

    def name(self, text: str, place: int) -> Node:
        if text.lower() == "pi":
            return as_node(math.pi)
        if text in _FUNCTIONS:
            self.fail(f"the function {text} needs its argument in brackets", place)
        if text.lower() in ("nan", "inf", "infinity"):
            self.fail(f"{text} is not a finite number", place)
        return symbol(text)

    def call(self, text: str, place: int) -> Node:
        if text not in _FUNCTIONS:
            self.fail(f"unknown function {text!r} (known: {', '.join(FUNCTIONS)})", place)
        count, function = _FUNCTIONS[text]
        args = [self.sum()]
        while self.take(","):
            args.append(self.sum())
        self.expect(")")
        if len(args) != count:
            self.fail(f"{text} takes {count} argument{'s' * (count > 1)}, not {len(args)}", place)
        return as_node(function(*args))
