"""Program -> SymPy, with exact constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ProgramError
from ..graph.literal import halfdegrees
from ..graph.node import Node
from ..graph.operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, SYMBOL
from ..program.program import PARAMETERS, Program


def to_sympy(program: Program) -> dict[str, Any]:
    """Return what ``Program.to_sympy`` promises."""
    try:
        import sympy
    except ImportError:
        raise ProgramError("to_sympy needs SymPy: pip install sympy") from None
    if program.repeat:
        raise ProgramError(f"{program.name} is repeated until it is done: SymPy has no expression for that")
    known: dict[Node, Any] = {}
    for name, array in program.arguments.items():
        for place, node in enumerate(array.nodes, 1):
            known[node] = sympy.Symbol(called(name, place, node, len(array.shape)), real=True)
    calls = _calls(sympy)
    for node in program.order:
        _translate(node, known, calls, sympy)
    made = {}
    for name, array in program.results.items():
        values = [known[node] for node in array.nodes]
        rank = len(array.shape)
        made[name] = values[0] if rank == 0 else sympy.Matrix(*(array.shape if rank == 2 else (len(values), 1)), values)
        if rank > 2:
            made[name] = sympy.ImmutableDenseNDimArray(values, tuple(array.shape))
    return made


def called(name: str, place: int, node: Node, rank: int) -> str:
    """Return what an entry of an input is called in SymPy; places are counted from one."""
    return str(node.value) if name == PARAMETERS or not rank else f"{name}{place}"


def _translate(node: Node, known: dict[Node, Any], calls: dict[str, Callable[..., Any]], sympy: Any) -> None:
    """Add the expression of a node whose arguments are known, and of the constants that it comes from."""
    waiting = [node]
    while waiting:
        now = waiting[-1]
        if now in known:
            waiting.pop()
            continue
        if now.op is CONST and not now.origin:
            known[now] = _number(now, sympy)
            continue
        op, args = now.made
        missing = [a for a in args if a not in known]
        if missing:
            waiting += missing
        else:
            known[now] = calls[op](*(known[a] for a in args))


def _number(node: Node, sympy: Any) -> Any:
    turns = halfdegrees(node.value)
    if turns:
        return sympy.pi * sympy.Rational(turns, 360)
    assert node.rational
    return sympy.Rational(*node.rational)


def _calls(sympy: Any) -> dict[str, Callable[..., Any]]:
    return {
        ADD: lambda a, b: a + b,
        NEG: lambda a: -a,
        MUL: lambda a, b: a * b,
        DIV: lambda a, b: a / b,
        SQRT: sympy.sqrt,
        SIN: sympy.sin,
        COS: sympy.cos,
        ASIN: sympy.asin,
        ACOS: sympy.acos,
        ATAN2: sympy.atan2,
        ABS: sympy.Abs,
        SIGN: sympy.sign,
        SYMBOL: sympy.Symbol,
    }
