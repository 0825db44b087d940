"""The text does as many operations as the Program counts, no more and no fewer."""

import ast
import re

import pytest

from .programs import programs


def _of_python(text: str) -> dict[str, int]:
    found = {"mul": 0, "add": 0, "trig": 0}
    (function,) = [x for x in ast.parse(text).body if isinstance(x, ast.FunctionDef)]
    for node in ast.walk(function):
        match node:
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                found["add"] += 1
            case ast.BinOp(left=ast.List()):  # [0.0]*6 makes an array
                pass
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                found["mul"] += 1
            case ast.Call(func=ast.Name("sqrt")):
                found["mul"] += 1
            case ast.Call(func=ast.Name("sin" | "cos")):
                found["trig"] += 1
    return found


def _of_c(text: str) -> dict[str, int]:
    body = re.sub(r"/\*.*?\*/", "", text[text.index(")\n{") + 3 :], flags=re.DOTALL)
    body = re.sub(r"\b\d+(\.\d+)?(e[+-]?\d+)?\b", "1", body).replace("(void)", "")
    return {
        "mul": len(re.findall(r"[*/]|\bsqrt\(", body)),
        "add": len(re.findall(r"(?<=[\w)\]])\s+[+-]", body)),
        "trig": len(re.findall(r"\b(sin|cos)\(", body)),
    }


@pytest.mark.parametrize("name", programs())
@pytest.mark.parametrize(("target", "count"), [("c", _of_c), ("python", _of_python)])
def test_count(target, count, name):
    program = programs()[name]
    counted = program.count()
    found = count(program.code(target))
    assert found["add"] == counted.add + counted.setup_add
    assert found["mul"] == counted.mul + counted.div + counted.sqrt + counted.setup_mul
    setup = sum(node.op in ("sin", "cos") for node in program.setup)
    assert found["trig"] == counted.trig + setup
