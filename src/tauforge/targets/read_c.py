"""Generated C read back: what the text computes, operation by operation, as it stands.

Only the token sequences that `c.py` can print are read. A compiler could take anything else to mean something different
from what is read here, so it is refused: every byte outside comments is one that we write, comments hold nothing that
could end them elsewhere, and the tokens are C's own, each as long as can be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, NoReturn

import numpy as np

from ..errors import TargetError
from ..graph.functions import rebuild
from ..graph.node import Node, as_node, constant
from ..graph.operations import ADD, CONST, COS, DIV, LIBRARY, MUL, NEG, SIGN, SIN
from ..graph.rewrite import built_anew, rewrite
from ..program.array import Array
from ..program.program import PARAMETERS, Program
from .c import DOUBLE, FLOAT, RESERVED, SINES, declared, spellings

DEEPEST = 64
"""How many brackets may be open at once."""

_SPACE, _COMMENT, _DIRECTIVE, _NUMBER, _NAME, _SIGN, _END = (
    "space", "comment", "directive", "number", "name", "sign", "end",
)  # fmt: skip
_TOKEN = re.compile(
    rf"""(?P<{_SPACE}>[ \n]+)
    |(?P<{_COMMENT}>/\*(?:[^*]|\*(?!/))*\*/)
    |(?P<{_DIRECTIVE}>^\#[^\n]*)
    |(?P<{_NUMBER}>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)
    |(?P<{_NAME}>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<{_SIGN}><<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||<<|>>|%:|<:|:>|<%|%>|[-+*/%&|^<>=!]=|//|/\*|[-+*/%&|^<>=!~?:;,.()\[\]{{}}]|"C")
    """,
    re.VERBOSE | re.MULTILINE | re.ASCII,
)
"""C's preprocessing tokens: a number is all that a compiler takes as one, such as 0x1.8p+3 and 1.0.0."""
_DIGRAPHS = "%:", "<:", ":>", "<%", "%>"
_SPLICE = re.compile(r"\\(?=\s)")
_FUNCTIONS = {**LIBRARY, SIGN: 1}


class Token(NamedTuple):
    """A preprocessing token and the number of its line."""

    kind: str
    text: str
    line: int


class Operation(NamedTuple):
    """One operation of a text, as C computes it.

    Attributes
    ----------
    op
        The graph's operation, or "sub", which the graph does not have.
    args
        The numbers of the operations whose values it takes.
    value
        A constant's value, or an input's array and place.
    """

    op: str
    args: tuple[int, ...] = ()
    value: float | tuple[str, int] = 0.0


SUB, INPUT = "sub", "input"


@dataclass(frozen=True)
class Reading:
    """A function of generated C.

    Attributes
    ----------
    name
        The function's name.
    scalar
        The type of its numbers, double or float.
    operations
        All operations in the order of the text. None is folded, shared or reordered.
    results
        Each output -> the operations that its elements hold in the end; None is the zero that memset writes.
    headers
        The files of ours that it includes.
    tokens
        The text's tokens, without comments.
    """

    name: str
    scalar: str
    operations: tuple[Operation, ...]
    results: Mapping[str, tuple[int | None, ...]]
    headers: tuple[str, ...]
    tokens: tuple[str, ...]

    def program(self, like: Program) -> Program:
        """Return what it computes in exact arithmetic; names and shapes are those of another Program.

        A constant is the decimal that it shows, as everywhere in Programs.
        """
        known: list[Node] = []
        for op, args, value in self.operations:
            inner = [known[i] for i in args]
            if op is INPUT:
                assert isinstance(value, tuple)
                known.append(like.arguments[value[0]].nodes[value[1]])
            elif op is CONST:
                assert isinstance(value, float)
                known.append(as_node(value))
            else:
                known.append(_EXACT[op](*inner) if op in _EXACT else rebuild(op, tuple(inner)))
        zero = as_node(0.0)
        results = {
            name: Array(like.results[name].shape, tuple(zero if i is None else known[i] for i in places))
            for name, places in self.results.items()
        }
        return Program("read_back", _state(like), results)


_EXACT: Mapping[str, Callable[..., Node]] = {
    ADD: lambda a, b: a + b,
    SUB: lambda a, b: a - b,
    MUL: lambda a, b: a * b,
    DIV: lambda a, b: a / b,
    NEG: lambda a: -a,
}


def decoded(data: bytes) -> str:
    """Return the text of a file's bytes, with one newline at the end of each line, as compilers see it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TargetError(f"byte {error.start} is not UTF-8; generated C is ASCII") from None
    return text.replace("\r\n", "\n")


def tokens(text: str) -> list[Token]:
    """Return a text's preprocessing tokens without white space and comments; refuse what compilers read otherwise."""
    if "??" in text:
        raise TargetError(f"line {_line(text, text.index('??'))}: there is a trigraph, which generated C never has")
    found: list[Token] = []
    place, line = 0, 1
    while place < len(text):
        token = _TOKEN.match(text, place)
        if not token:
            _refuse_character(text, place, line)
        kind = token.lastgroup or ""
        if kind == _COMMENT:
            _check_comment(token[0], line)
        elif token[0] == "//":
            raise TargetError(f"line {line}: there is a comment after //, which generated C never has")
        elif token[0] in _DIGRAPHS:  # of which %: starts a directive
            raise TargetError(f"line {line}: there is the digraph {token[0]}, which generated C never has")
        elif token[0] == "/*":
            raise TargetError(f"line {line}: a comment has no end")
        elif kind != _SPACE:
            found.append(Token(kind, token[0], line))
        if kind == _DIRECTIVE and ("\\" in token[0] or "/*" in token[0] or not token[0].isascii()):
            raise TargetError(f"line {line}: this is not a line of generated C: {token[0][:80]}")
        line += token[0].count("\n")
        place = token.end()
    return found


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _refuse_character(text: str, place: int, line: int) -> NoReturn:
    sign = text[place]
    hint = "; save the file without a byte order mark" if sign == "\ufeff" else ""
    raise TargetError(f"line {line}: generated C has no {sign!a} outside comments{hint}")


def _check_comment(text: str, line: int) -> None:
    """Refuse a comment that could end elsewhere for some compiler, or that shows something else than it holds."""
    if text.isascii() and text.replace("\n", " ").isprintable() and "\\" not in text:
        return
    splice = _SPLICE.search(text)
    if splice:  # compilers join lines there, some at other white space too, which can make */ of what is none
        raise TargetError(
            f"line {line + text.count(chr(10), 0, splice.start())}: a backslash before white space in a comment, which "
            "generated C never has"
        )
    for place, sign in enumerate(text):
        if sign != "\n" and not sign.isprintable():
            raise TargetError(f"line {line + text.count(chr(10), 0, place)}: there is {sign!a} in a comment")


def read_c(text: str, like: Program, most: float = float("inf")) -> Reading:
    """Return the function of a file of generated C; the names and sizes of its arguments are those of a Program.

    Text that we do not write, or with more than ``most`` operations, is refused with a TargetError.
    """
    return _Reader(tokens(text), like, most).whole()


class _Reader:
    """What is known and written so far, token by token."""

    def __init__(self, found: Sequence[Token], like: Program, most: float) -> None:
        self.tokens = [*found, Token(_END, "the end", found[-1].line if found else 1)]
        self.place = self.depth = 0
        self.like = like
        self.most = most
        self.sizes = {name: len(array.nodes) for name, array in like.results.items()}
        self.inputs = {name: len(array.nodes) for name, array in like.arguments.items()}
        self.operations: list[Operation] = []
        self.constants: set[int] = set()
        self.elements: dict[tuple[str, int], int] = {}
        self.locals: dict[str, int] = {}
        self.cleared: set[str] = set()
        self.written: dict[tuple[str, int], int] = {}

    def whole(self) -> Reading:
        lines = self.directives()
        own = _marks(SINES)
        has_sines = self.texts(len(own)) == own
        self.place += len(own) * has_sines
        name = self.prototype()
        headers = [self.header(line, name) for line in lines if line not in _INCLUDES]
        self.reserved = RESERVED | {name} | ({f"{name.upper()}_H"} if headers else set())
        self.called: set[str] = set()
        self.body()
        if has_sines and self.scalar != FLOAT:
            raise TargetError("it has functions for float, and its numbers are double")
        if self.called & set(_SINES_OF_OURS) and not has_sines:
            raise TargetError("it calls our sines in float, and does not define them as generated C does")
        for line, needed in zip(_INCLUDES, (self.called - set(_SINES_OF_OURS), self.cleared), strict=True):
            if needed and line not in lines:
                raise TargetError(f"it lacks the line {line}")
        results = {key: tuple(self.element_of(key, i) for i in range(size)) for key, size in self.sizes.items()}
        texts = tuple(token.text for token in self.tokens[:-1])
        return Reading(name, self.scalar, tuple(self.operations), results, tuple(headers), texts)

    def element_of(self, name: str, place: int) -> int | None:
        if (name, place) not in self.written and name not in self.cleared:
            raise TargetError(f"{name}[{place}] is never written; is this another model, or another robot?")
        return self.written.get((name, place))

    # the tokens

    def texts(self, count: int) -> list[str]:
        """Return the next tokens' texts."""
        return [token.text for token in self.tokens[self.place : self.place + count]]

    def take(self, *wanted: str) -> bool:
        """Take some tokens if they come next."""
        if self.texts(len(wanted)) != [*wanted]:
            return False
        self.place += len(wanted)
        return True

    def next(self, kind: str) -> str | None:
        """Take the next token if it is of a kind."""
        token = self.tokens[self.place]
        if token.kind != kind:
            return None
        self.place += 1
        return token.text

    def fail(self, what: str, start: int | None = None) -> NoReturn:
        """Refuse the text, and show it from a token on."""
        start = self.place if start is None else start
        shown = " ".join(token.text for token in self.tokens[start : start + 30]).split(" ;")[0]
        raise TargetError(f"line {self.tokens[start].line}: {what}: {shown[:80]}")

    # what comes before the statements

    def directives(self) -> list[str]:
        """Take the lines of includes at the start."""
        lines: list[str] = []
        while (line := self.tokens[self.place]).kind == _DIRECTIVE and line.text != _SINES_START:
            if not re.fullmatch(r'#include (<(math|string)\.h>|"(\w+/)?\w+\.h")', line.text, re.ASCII):
                self.fail("this is not a line of generated C")
            lines.append(line.text)
            self.place += 1
        return lines

    def header(self, line: str, name: str) -> str:
        """Return the file that a line includes, if it is the function's own header."""
        header = line.split('"')[1]
        if header.split("/")[-1] != f"{name}.h":
            raise TargetError(f"this is not a line of generated C: {line}")
        return header

    def prototype(self) -> str:
        """Take the function's type, name and arguments."""
        start = self.place
        if self.tokens[start].kind == _DIRECTIVE:
            self.fail("this is not a line of generated C")
        if not self.take("void") or (name := self.next(_NAME)) is None or not self.take("("):
            self.fail(
                "one function of generated C, and nothing else, is expected here; give a file that `tauforge generate` "
                "wrote",
                start,
            )
        if name in RESERVED:
            self.fail(f"no function of generated C is called {name}", start)
        first = self.place
        if ")" not in (rest := [token.text for token in self.tokens[first:]]):
            self.fail("one function of generated C is expected here, with its arguments", start)
        arguments = rest[: rest.index(")")]
        self.scalar = arguments[arguments[0] == "const"] if len(arguments) > 1 else DOUBLE
        if self.scalar not in (DOUBLE, FLOAT):
            raise TargetError(
                f"its numbers are of type {self.scalar}; only functions of {DOUBLE} or {FLOAT} are read back"
            )
        wanted = [f"const {declared(key, size, self.scalar)}" for key, size in self.inputs.items()]
        wanted += [declared(key, size, self.scalar) for key, size in self.sizes.items()]
        if arguments != _marks(", ".join(wanted or ["void"])):
            raise TargetError(
                f"its arguments are ({' '.join(arguments)[:200]}), and those of this model "
                f"({', '.join(wanted)[:200]}); is this another model, or another robot?"
            )
        self.place += len(arguments)
        spelled = spellings(self.scalar)
        self.functions = {template.split("(")[0]: op for op, template in spelled.items() if op != SIGN}
        self.branches = _marks(spelled[SIGN].replace("{0}", _ARGUMENT))
        return name

    # the statements, in the order in which they are printed

    def body(self) -> None:
        if not self.take(")", "{"):
            self.fail("one function of generated C is expected here, with its statements")
        while self.take("(", "void", ")"):
            start = self.place - 3
            if self.next(_NAME) not in (*self.inputs, *self.sizes) or not self.take(";"):
                self.fail("this is not a statement of generated C", start)
        while self.take("const"):
            self.define()
        while self.take("memset"):
            self.clear()
        while not self.take("}"):
            self.assign()
        if self.tokens[self.place].kind != _END:
            self.fail("one function of generated C, and nothing after it, is expected here")

    def define(self) -> None:
        """Take a variable with its value."""
        start = self.place - 1
        if not self.take(self.scalar) or (name := self.next(_NAME)) is None or not self.take("="):
            self.fail("this is not a statement of generated C", start)
        if name in self.locals or name in self.inputs or name in self.sizes:
            self.fail(f"{name} has a value already", start)
        if name in self.reserved or name.startswith(("_", "tauforge_", "TAUFORGE_")):
            self.fail(f"no variable of generated C is called {name}", start)
        self.locals[name] = self.value(start)
        if self.locals[name] in self.constants:
            self.fail(f"{name} is a constant, which no variable of generated C is", start)

    def clear(self) -> None:
        """Take a call that sets an output to zero as a whole."""
        start = self.place - 1
        name = self.tokens[self.place + 1].text if self.texts(1) == ["("] else ""
        size = self.sizes.get(name, 0)
        if not size or name in self.cleared:
            self.fail("this is not a statement of generated C", start)
        if not self.take(*_marks(f"({name}, 0, sizeof({self.scalar}[{size}]));")):
            self.fail("this is not a statement of generated C", start)
        self.cleared.add(name)

    def assign(self) -> None:
        """Take an output's element with its value."""
        start = self.place
        if (name := self.next(_NAME)) is None or not self.take("["):
            self.fail("this is not a statement of generated C", start)
        number = self.next(_NUMBER) or ""
        if not re.fullmatch("0|[1-9][0-9]{0,8}", number) or not self.take("]", "="):
            self.fail("this is not a statement of generated C", start)
        place = int(number)
        if not place < self.sizes.get(name, 0):
            self.fail(f"{name}[{place}] is not a result of this model", start)
        if (name, place) in self.written:
            self.fail(f"{name}[{place}] is written twice", start)
        self.written[name, place] = self.value(start)

    # expressions: sums of products of atoms, as C's rules of precedence bind them

    def value(self, start: int) -> int:
        """Take an expression and the semicolon after it."""
        found = self.sum()
        if not self.take(";"):
            self.fail("this is not an expression of generated C", start)
        return found

    def add(self, op: str, *args: int, value: float | tuple[str, int] = 0.0) -> int:
        """Note an operation, and return its number."""
        if len(self.operations) >= self.most:
            raise TargetError(f"it has more than {self.most:.0f} operations, many more than this model")
        if op is CONST or (args and self.constants.issuperset(args)):
            if op not in (CONST, NEG, ADD, SUB, MUL):
                line = self.tokens[self.place].line
                raise TargetError(f"line {line}: there is {_written(op)} of constants, which generated C never has")
            self.constants.add(len(self.operations))
        self.operations.append(Operation(op, args, value))
        return len(self.operations) - 1

    def sum(self) -> int:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"more than {DEEPEST} levels of brackets")
        found = self.add(NEG, self.product()) if self.take("-") else self.product()
        while (sign := self.texts(1)[0]) in ("+", "-"):
            self.place += 1
            found = self.add(ADD if sign == "+" else SUB, found, self.product())
        self.depth -= 1
        return found

    def product(self) -> int:
        found = self.atom()
        while (sign := self.texts(1)[0]) in ("*", "/"):
            self.place += 1
            found = self.add(MUL if sign == "*" else DIV, found, self.atom())
        return found

    def atom(self) -> int:
        start = self.place
        if self.take("("):
            if (branches := self.sign()) is not None:
                return branches
            found = self.sum()
            if not self.take(")"):
                self.fail("this is not an expression of generated C", start)
            return found
        if (number := self.next(_NUMBER)) is not None:
            return self.add(CONST, value=self.number(number))
        if (name := self.next(_NAME)) is None:
            self.fail("this is not an expression of generated C", start)
        if self.take("("):
            return self.call(name, start)
        if self.take("["):
            return self.element(name, start)
        if name not in self.locals:
            self.fail(f"it uses {name}, which this model does not have", start)
        return self.locals[name]

    def number(self, text: str) -> float:
        """Return the decimal of a constant, if it is spelled as we spell the number of its type that is nearest."""
        plain = text[:-1] if self.scalar == FLOAT and text.endswith("f") else "" if self.scalar == FLOAT else text
        spelled = len(plain) < 40 and re.fullmatch(r"[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?", plain)
        value = float(plain) if spelled else np.nan
        held = nearest_single(plain) if spelled and self.scalar == FLOAT and np.isfinite(value) else value
        if repr(value) != plain or not np.isfinite(held) or (value and not held):
            line = self.tokens[self.place - 1].line
            raise TargetError(f"line {line}: {text} is not a number of type {self.scalar} as generated C spells them")
        return value

    def element(self, name: str, start: int) -> int:
        """Take an input's element."""
        place = self.next(_NUMBER) or ""
        if not self.take("]") or not re.fullmatch("0|[1-9][0-9]{0,8}", place):
            self.fail("this is not an expression of generated C", start)
        if not int(place) < self.inputs.get(name, 0):
            self.fail(f"it uses {name}[{place}], which this model does not have", start)
        key = name, int(place)
        if key not in self.elements:
            self.elements[key] = self.add(INPUT, value=key)
        return self.elements[key]

    def call(self, name: str, start: int) -> int:
        """Take the arguments of a function."""
        if name not in self.functions:
            self.fail(f"it calls {name}, which generated C with {self.scalar} never does", start)
        op = self.functions[name]
        args = [self.sum()]
        while self.take(","):
            args.append(self.sum())
        if len(args) != _FUNCTIONS.get(op, 1) or not self.take(")"):
            self.fail("this is not an expression of generated C", start)
        self.called.add(name)
        return self.add(op, *args)

    def sign(self) -> int | None:
        """Take the branches that a sign is in C, after their bracket, if they come next.

        What they compare with zero is one name or element, or its negative; it is there twice.
        """
        start = self.place
        negative = self.take("-")
        length = 4 if self.texts(2)[1:] == ["["] else 1
        argument = ["-"] * negative + self.texts(length)
        if self.texts(length + 1)[length:] != [">"] or self.tokens[self.place].kind != _NAME:
            self.place = start
            return None
        found = self.add(NEG, self.atom()) if negative else self.atom()
        self.place = start
        if not self.take(*(text for mark in self.branches[1:] for text in (argument if mark == _ARGUMENT else [mark]))):
            self.fail("this is not an expression of generated C", start)
        return self.add(SIGN, found)


def _written(op: str) -> str:
    """Return an operation in words."""
    return "a quotient" if op is DIV else f"the {op}"


_ARGUMENT = "ARGUMENT"
_INCLUDES = "#include <math.h>", "#include <string.h>"
_SINES_START = SINES.split("\n", 1)[0]
_SINES_OF_OURS = tuple(spellings(FLOAT)[op].split("(")[0] for op in (SIN, COS))


def _marks(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


def nearest_single(text: str) -> float:
    """Return the float of 32 bits that is nearest to a decimal number, rounded once."""
    exact = Fraction(text)
    with np.errstate(over="ignore", under="ignore"):
        guess = np.float32(float(text))
        near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    even = [x for x in near if np.isfinite(x)]
    if not np.isfinite(guess):
        return float(guess)
    return float(min(even, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(np.int32)) & 1)))


def _state(program: Program) -> dict[str, Array]:
    return {name: array for name, array in program.arguments.items() if name != PARAMETERS}


def rounded(program: Program) -> Program:
    """Return a Program with its constants rounded to floats, as code holds them."""
    new = rewrite(program.order, lambda x, new: constant(x.value) if x.op is CONST else built_anew(x, new))
    results = {
        name: Array(array.shape, tuple(new[node] for node in array.nodes)) for name, array in program.results.items()
    }
    return Program("rounded", _state(program), results)
