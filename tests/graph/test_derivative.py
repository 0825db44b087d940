"""Derivatives of graphs: each operation's rule, both modes equal, complex steps, sparsity, depth."""

import cmath
import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tauforge.errors import ProgramError
from tauforge.graph import node as graph
from tauforge.graph.derivative import _SLOPES, MODES, _operations, jacobian
from tauforge.graph.evaluate import evaluate, topological
from tauforge.graph.functions import absolute, acos, asin, atan2, cos, sign, sin, sqrt
from tauforge.graph.node import ONE, ZERO, as_node
from tauforge.graph.operations import CONST, SYMBOL
from tauforge.graph.points import vanish

from .test_node import EXPRESSIONS, a, b, c, combine

STEP = 1e-40


def with_all_operations(children: st.SearchStrategy) -> st.SearchStrategy:
    """Return expressions of every operation, each inside its domain for real arguments."""
    two = st.tuples(children, children)
    return st.one_of(
        combine(children),
        two.map(lambda x: x[0] / (1.5 + x[1] * x[1])),
        two.map(lambda x: atan2(x[0], 0.3 + x[1] * x[1])),
        children.map(lambda x: as_node(sqrt(x * x + 0.7))),
        children.map(lambda x: as_node(asin(0.9 * x / sqrt(x * x + 1.1)))),
        children.map(lambda x: as_node(acos(0.9 * x / sqrt(x * x + 1.1)))),
        children.map(lambda x: as_node(absolute(x))),
        children.map(lambda x: as_node(sign(x))),
    )


EVERYTHING = st.recursive(EXPRESSIONS, with_all_operations, max_leaves=8)

COMPLEX = {
    "add": lambda x, y: x + y,
    "neg": lambda x: -x,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "sqrt": cmath.sqrt,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "asin": cmath.asin,
    "acos": cmath.acos,
    "atan2": lambda y, x: complex(math.atan2(y.real, x.real), cmath.atan(y / x).imag),
    "abs": lambda x: x * ((x.real > 0) - (x.real < 0)),
    "sign": lambda x: complex((x.real > 0) - (x.real < 0)),
}


def complex_step(x, values, name):
    """Return the derivative by a complex step, and the largest derivative of any node on the way."""
    known = {}
    for node in topological([x]):
        if node.op is CONST:
            known[node] = complex(float(node))
        elif node.op is SYMBOL:
            known[node] = complex(values[node.value], STEP if node.value == name else 0.0)
        else:
            known[node] = COMPLEX[node.op](*(known[arg] for arg in node.args))
    slopes = [value.imag / STEP for value in known.values()]
    return known[x].imag / STEP, max(map(abs, slopes))


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (a + b, 1.0),
        (b - a, -1.0),
        (a * b, b),
        (a * a, 2.0 * a),
        (a / b, 1.0 / b),
        (b / a, -(b / a * (1.0 / a))),
        (sqrt(a), 0.5 / sqrt(a)),
        (sin(a + b), cos(a + b)),
        (cos(a * b), -(sin(a * b) * b)),
        (asin(a), 1.0 / sqrt(1.0 - a * a)),
        (acos(a), -(1.0 / sqrt(1.0 - a * a))),
        (atan2(a, b), b * (1.0 / (a * a + b * b))),
        (atan2(b, a), -(b * (1.0 / (a * a + b * b)))),
        (absolute(a), sign(a)),
        (sign(a), 0.0),
        (sin(b) * 3.0, 0.0),
        (sin(a) * sin(b), cos(a) * sin(b)),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", MODES)
def test_rules(x, expected, mode):
    ((found,),) = jacobian([x], [a], mode)
    assert found is as_node(expected)


@pytest.mark.parametrize("mode", MODES)
@given(x=EVERYTHING)
def test_agrees_with_complex_steps(mode, x):
    values = {"a": 0.7312, "b": -1.3457, "c": 2.1089}
    assume(max(map(abs, evaluate(topological([x]), values))) < 1e6)  # beyond, sines are rounding errors
    rows = jacobian([x], [a, b, c], mode)
    for name, found in zip(values, evaluate(rows[0], values), strict=True):
        expected, largest = complex_step(x, values, name)
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-8 * max(1.0, largest))


@given(x=EVERYTHING, y=EVERYTHING)
def test_modes_are_equal_exactly(x, y):
    outputs = [x, y, x * y, a, x]
    chosen, forward, reverse = ([n for row in jacobian(outputs, [a, b, c], mode) for n in row] for mode in MODES)
    assert _operations([chosen]) == min(_operations([forward]), _operations([reverse]))
    assert vanish([f - r for f, r in zip(forward, reverse, strict=True)])


@given(x=EXPRESSIONS, y=EXPRESSIONS)
def test_sums_products_and_chains(x, y):
    dx, dy, total, product, chain = (row[0] for row in jacobian([x, y, x + y, x * y, sin(x)], [a]))
    wanted = [dx + dy, x * dy + y * dx, cos(x) * dx]
    assert vanish([x - y for x, y in zip([total, product, chain], wanted, strict=True)])


@given(x=EXPRESSIONS)
def test_second_derivatives_are_symmetric(x):
    gradient = jacobian([x], [a, b, c])[0]
    hessian = jacobian(gradient, [a, b, c])
    for row, column in zip(hessian, zip(*hessian, strict=True), strict=True):
        assert vanish([x - y for x, y in zip(row, column, strict=True)])


@pytest.mark.parametrize("mode", MODES)
def test_what_is_zero_is_zero_at_once(mode):
    y = sin(a) * b
    assert jacobian([y, as_node(2.0), c, c], [a, b, c], mode) == [
        [cos(a) * b, sin(a), ZERO],
        [ZERO, ZERO, ZERO],
        [ZERO, ZERO, ONE],
        [ZERO, ZERO, ONE],
    ]
    assert jacobian([], [a], mode) == []
    assert jacobian([y], [], mode) == [[]]


@pytest.mark.parametrize("mode", MODES)
def test_no_slope_is_built_where_nothing_moves(mode, monkeypatch):
    seen = []
    monkeypatch.setattr("tauforge.graph.derivative.mul", lambda x, y: seen.append((x, y)) or graph.mul(x, y))
    assert jacobian([sin(a) * cos(a) * atan2(a, b) + c], [c], mode) == [[ONE]]
    assert not seen


@pytest.mark.parametrize("mode", MODES)
def test_deep_graphs_need_no_recursion(mode):
    x, values = a, {"a": 1.0, "b": 0.1}
    for _ in range(10_000):
        x = sin(x) + b
    (row,) = jacobian([x], [a, b], mode)
    assert evaluate(row, values) == pytest.approx([complex_step(x, values, name)[0] for name in values])


def test_each_mode_is_chosen_where_it_is_cheaper():
    many = [graph.symbol(f"x{i}") for i in range(300)]
    product = sum_of_squares = ONE
    for x in many:
        product, sum_of_squares = product * x, sum_of_squares + x * x * a
    for outputs, inputs, mode in (
        ([product], many, "reverse"),
        ([sin(product * x) for x in many], [a, *many[:1]], "forward"),
        ([sum_of_squares], many, "reverse"),
    ):
        assert jacobian(outputs, inputs) == jacobian(outputs, inputs, mode)
    gradient = jacobian([product], many)
    assert _operations(gradient) <= 3 * len(many), "the price of a few values, however many inputs"


def test_unknown_modes_are_refused():
    with pytest.raises(ProgramError, match=r"'sideways'.*'auto', 'forward', 'reverse'"):
        jacobian([a], [a], "sideways")


def test_the_page_on_derivatives_has_the_slopes_of_every_operation():
    page = (Path(__file__).parents[2] / "docs" / "theory" / "derivatives.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page[page.index("|---") :].split("\n\n")[0].splitlines()[1:]]
    assert len([cell for row in rows for cell in (row[1], row[4]) if cell.strip()]) == len(_SLOPES)
