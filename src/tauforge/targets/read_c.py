"""Generated C read back into a Program: what the text computes, with its constants as they are written.

Only what `c.py` writes is read, in its order; a compiler could take anything else to mean something different from what
is read here, so it is refused.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ..errors import TargetError
from ..graph.node import ZERO, Node, constant
from ..graph.operations import CONST, SIGN
from ..graph.parse import expression
from ..graph.rewrite import built_anew, rewrite, substitute
from ..program.array import Array
from ..program.program import PARAMETERS, Program
from .c import DOUBLE, FLOAT, SINES, declared, spellings

_COMMENT = re.compile(r"/\*.*?\*/|//", re.DOTALL)
_CONTINUED = re.compile(r"\\[ \t]*\n")
_FUNCTION = re.compile(r"(.*?)^void (\w+)\(([^()]*)\)\s*\{([^{}]*)\}\s*", re.DOTALL | re.MULTILINE)
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?P<kind>[A-Za-z_]\w*)?|(?P<array>[A-Za-z]\w*)\[(?P<place>\d+)\]"
    r"|(?P<called>@|[A-Za-z]\w*)\(|(?P<name>[A-Za-z]\w*)|(?P<sign>[-+*/(),]))",
    re.ASCII,
)


def read_c(text: str, like: Program) -> Program:
    """Return the Program that a file of generated C computes; names and shapes are those of another one.

    Text that we do not write is refused with a TargetError.
    """
    scalar, body = _framed(text, like)
    reader = _Reader(scalar, like)
    for statement in body.split(";"):
        reader.read(" ".join(statement.split()))
    return Program("read_back", _state(like), {name: reader.made(name, a) for name, a in like.results.items()})


def _framed(text: str, like: Program) -> tuple[str, str]:
    """Return the type of numbers and the statements of a file's only function."""
    plain = _plain(text)
    found = _FUNCTION.fullmatch(plain)
    if not found:
        raise TargetError(
            "one function of generated C, and nothing after it, is expected here; give a file that `tauforge generate` "
            "wrote"
        )
    before, name, given, body = found.groups()
    arguments = [" ".join(x.split()) for x in given.split(",")]
    *_, scalar, _ = "", "", *arguments[-1].replace("*", " ").split()
    if scalar not in (DOUBLE, FLOAT):
        raise TargetError(f"its numbers are of type {scalar}; only functions of {DOUBLE} or {FLOAT} are read back")
    wanted = [f"const {declared(key, len(x.nodes), scalar)}" for key, x in like.arguments.items()]
    wanted += [declared(key, len(x.nodes), scalar) for key, x in like.results.items()]
    if arguments != (wanted or ["void"]):
        raise TargetError(
            f"its arguments are ({', '.join(arguments)}), and those of this model ({', '.join(wanted)}); is this "
            "another model, or another robot?"
        )
    _check_before(_lines(before), name, scalar)
    return scalar, body


def _plain(text: str) -> str:
    """Return a text without comments, as a compiler takes it."""
    if "??/" in text:
        raise TargetError("there is a trigraph, which generated C never has")
    joined = _CONTINUED.sub("", text)
    if "//" in _COMMENT.findall(joined):
        raise TargetError("there is a comment after //, which generated C never has")
    return _COMMENT.sub(" ", joined)


def _check_before(lines: list[str], name: str, scalar: str) -> None:
    """Refuse lines before a function that we do not write there."""
    sines = _lines(_plain(SINES))
    start = lines.index(sines[0]) if scalar == FLOAT and sines[0] in lines else 0
    if lines[start : start + len(sines)] == sines:
        lines = lines[:start] + lines[start + len(sines) :]
    for line in lines:
        if not re.fullmatch(rf'#include (<(math|string)\.h>|"(\w+/)?{name}\.h")', line):
            raise TargetError(f"this is not a line of generated C: {line[:80]}")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


class _Reader:
    """What is known and written so far, statement by statement."""

    def __init__(self, scalar: str, like: Program) -> None:
        self.scalar = scalar
        spelled = spellings(scalar)
        self.functions = {template.split("(")[0]: op for op, template in spelled.items() if op != SIGN} | {"@": SIGN}
        self.signs = re.compile(re.escape(spelled[SIGN]).replace(r"\{0\}", "(.+?)", 1).replace(r"\{0\}", r"\1"))
        self.sizes = {name: len(array.nodes) for name, array in like.results.items()}
        self.arguments = {*like.arguments, *self.sizes}
        self.known = {_element(key, i): x for key, array in like.arguments.items() for i, x in enumerate(array.nodes)}
        self.written: dict[str, Node] = {}
        self.clear = re.compile(rf"memset\((\w+), 0, sizeof\({scalar}\[(\d+)\]\)\)")
        self.statement = re.compile(rf"(const {scalar} )?(\w+)(?:\[(\d+)\])? = (.+)")

    def read(self, statement: str) -> None:
        """Take one statement into account."""
        if not statement or (statement.startswith("(void)") and statement[6:] in self.arguments):
            return
        if (cleared := self.clear.fullmatch(statement)) and self.sizes.get(cleared[1]) == int(cleared[2]):
            self.written |= {_element(cleared[1], i): ZERO for i in range(int(cleared[2]))}
            return
        match = self.statement.fullmatch(statement)
        if not match or bool(match[1]) == bool(match[3]):
            raise TargetError(f"this is not a statement of generated C: {statement[:80]}")
        local, name, place, value = match.groups()
        if local and (_local(name) in self.known or name in self.arguments):
            raise TargetError(f"{name} has a value already: {statement[:80]}")
        if place and not int(place) < self.sizes.get(name, 0):
            raise TargetError(f"{name}[{place}] is not a result of this model: {statement[:80]}")
        if local:
            self.known[_local(name)] = self.value(value)
        else:
            self.written[_element(name, int(place))] = self.value(value)

    def value(self, text: str) -> Node:
        """Return what an expression means."""
        while (plain := self.signs.sub(_sign, text)) != text:
            text = plain
        words, place = [], 0
        while place < len(text):
            token = _TOKEN.match(text, place)
            if not token:
                raise TargetError(f"this is not an expression of generated C: {text[:80]}")
            words.append(self.word(token))
            place = token.end()
        if any(x == y and x in ("+", "-", "*") for x, y in pairwise(words)):
            raise TargetError(f"this is not an expression of generated C: {text[:80]}")
        return substitute([expression(" ".join(words))], self.known)[0]

    def word(self, token: re.Match[str]) -> str:
        """Return a token of C as one of our expressions'."""
        kinds = token.groupdict()
        if kinds["number"]:
            if (kinds["kind"] or "") != ("f" if self.scalar == FLOAT else "") or kinds["number"].isdigit():
                raise TargetError(
                    f"{token[0].strip()} is not a number of type {self.scalar}; generated C has only these"
                )
            return kinds["number"]
        if kinds["called"]:
            if kinds["called"] not in self.functions:
                raise TargetError(f"it calls {kinds['called']}, which generated C with {self.scalar} never does")
            return f"{self.functions[kinds['called']]} ("
        if kinds["sign"]:
            return kinds["sign"]
        known = _element(kinds["array"], int(kinds["place"])) if kinds["array"] else _local(kinds["name"])
        if known not in self.known:
            raise TargetError(f"it uses {token[0].strip()}, which this model does not have")
        return known

    def made(self, name: str, array: Array) -> Array:
        missing = [i for i in range(len(array.nodes)) if _element(name, i) not in self.written]
        if missing:
            raise TargetError(f"{name}[{missing[0]}] is never written; is this another model, or another robot?")
        return Array(array.shape, tuple(self.written[_element(name, i)] for i in range(len(array.nodes))))


def _sign(found: re.Match[str]) -> str:
    """Return a call for the branches that a sign is in C."""
    depth = 0
    for letter in found[1]:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
    if depth:
        raise TargetError(f"this is not an expression of generated C: {found[0][:80]}")
    return f"@({found[1]})"


def _state(program: Program) -> dict[str, Array]:
    return {name: array for name, array in program.arguments.items() if name != PARAMETERS}


def _element(name: str, place: int) -> str:
    return f"at_{name}_{place}"


def _local(name: str) -> str:
    return f"is_{name}"


def rounded(program: Program) -> Program:
    """Return a Program with its constants rounded to floats, as code holds them."""
    new = rewrite(program.order, lambda x, new: constant(x.value) if x.op is CONST else built_anew(x, new))
    results = {
        name: Array(array.shape, tuple(new[node] for node in array.nodes)) for name, array in program.results.items()
    }
    return Program("rounded", _state(program), results)
