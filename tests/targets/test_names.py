"""Names: the papers' ones with the papers' signs, the user's own for parameters, and no two alike."""

import re
from typing import Any

import pytest

from tauforge import Program, TargetError, inverse_dynamics, robots, symbol
from tauforge.graph.node import as_node
from tauforge.program.array import inputs, outputs
from tauforge.targets import TARGETS
from tauforge.targets.language import LONGEST_NAME
from tauforge.targets.statements import indices, listing

from .programs import programs


def _program(values: list[Any], names: dict[Any, str] | None = None, count: int = 3) -> Program:
    q = inputs("q", [f"x{i}" for i in range(count)], "numbers")
    named = {as_node(node): name for node, name in (names or {}).items()}
    return Program("p", {"q": q}, {"y": outputs(values, [len(values)], [], "results")}, named)


def _statements(program: Program) -> list[str]:
    text = program.code("c")
    return [line.strip() for line in text[text.index(")\n{") :].split("\n") if "=" in line]


Q = [symbol(f"q[{i}]") for i in range(3)]


def test_papers_name_of_an_opposite():
    x, y, z = Q
    program = _program([x * y + z, z - x * y], {-(x * y): "VP11"})
    assert _statements(program) == ["const double VP11 = -q[0]*q[1];", "y[0] = q[2] - VP11;", "y[1] = VP11 + q[2];"]


def test_first_name_wins_with_its_sign():
    x, y, z = Q
    program = _program([(x - y) * z], {y - x: "U122", x - y: "U133"})
    assert _statements(program) == ["const double U122 = q[1] - q[0];", "y[0] = -U122*q[2];"]


def test_opposite_of_a_difference_is_turned():
    x, y, z = Q
    assert _statements(_program([-(x - y)])) == ["y[0] = q[1] - q[0];"]
    assert _statements(_program([-(x - y) * z])) == ["y[0] = (q[1] - q[0])*q[2];"]
    assert _statements(_program([-(x + y) * z])) == ["y[0] = -(q[0] + q[1])*q[2];"]
    assert _statements(_program([1.0 - x * x])) == ["y[0] = 1.0 - q[0]*q[0];"]


def test_squares():
    program = _program([Q[0] * Q[0] * Q[1]])
    spelled = {"c": "q[0]*q[0]*q[1]", "python": "q[0]*q[0]*q[1]", "fortran": "q(1)**2*q(2)", "matlab": "q(1)^2*q(2)"}
    for target, text in spelled.items():
        assert f" = {text}" in program.code(target)


def test_names_of_the_papers_and_of_sines():
    lines = "\n".join(_statements(inverse_dynamics(robots.rrp(symbolic=True))))
    for start in ("S1 = sin(q[0]);", "C2 = cos(q[1]);", "Sa1 = sin(a1);", "WI12 = S2*qd[0];", "DV122 = WI12*WI22;"):
        assert f"const double {start}" in lines
    assert lines.index("K2 = ") < lines.index("S1 = ")  # set-up first
    assert lines.index("WI12 = ") < lines.index("F13 = ") < lines.index("N12 = ") < lines.index("N31 = ")


def test_input_and_output_of_the_same_name():
    q = inputs("q", ["a"], "number")
    program = Program("p", {"q": q}, {"q": outputs([q.nodes[0] * 2.0, 1.0], [2], [], "twice")})
    space: dict[str, Any] = {}
    exec(program.code("python", "twice"), space)
    assert space["twice"]([3.0]) == [6.0, 1.0]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["awkward", "every_function", "hostile", "random0", "random3"])
def test_no_two_names_alike(target, name):
    language = TARGETS[target].language
    made = listing(programs()[name], language, None)
    names = [made.name, *(a.name for a in (*made.inputs, *made.outputs))]
    if language.scalar_arrays:  # the array q has elements q1, so that a variable can be called q
        assert len(set(names)) == len(names)
        arrays = [(a.name, i) for a in (*made.inputs, *made.outputs) for i in indices(a.array)]
        names = [*{f"{name}{''.join(str(k + 1) for k in i)}" for name, i in arrays}]
    names += made.variables
    folded = [x.lower() for x in names] if language.ignores_case else names
    assert len(set(folded)) == len(folded)
    reserved = {x.lower() for x in language.reserved} if language.ignores_case else language.reserved
    assert not reserved & set(folded)
    assert all(re.fullmatch(r"[A-Za-z]\w*", x, re.ASCII) and len(x) <= LONGEST_NAME for x in names)


@pytest.mark.parametrize("target", ["c", "fortran", "matlab", "python", "numpy"])
def test_parameters_keep_their_names(target):
    language = TARGETS[target].language
    program = programs()["puma560_symbolic"]
    assert all(own == here for own, here in listing(program, language, None).symbols.items())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["", "2r", "a b", "a-b", "_x", "é", "a" * 64, "q", "tau", "x\n", "*/"])
def test_impossible_function_names(target, name):
    with pytest.raises(TargetError, match="function's name"):
        programs()["planar2r"].code(target, name)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("c", "double"),
        ("c", "main"),
        ("c", "sin"),
        ("c", "memset"),
        ("fortran", "END"),
        ("fortran", "TAU"),
        ("matlab", "end"),
        ("python", "if"),
    ],
)
def test_reserved_function_names(target, name):
    with pytest.raises(TargetError, match="choose another with name="):
        programs()["planar2r"].code(target, name)


def test_fallback_name_comes_from_the_program():
    assert "void p30_links__awkward_inverse_dynamics(" in programs()["awkward"].code("c")
