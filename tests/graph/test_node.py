"""The graph simplifies and shares as it is built, and means what arithmetic means."""

import gc
import math
import pickle
import subprocess
import sys
import threading
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauforge.errors import ExpressionError
from tauforge.graph import node as graph
from tauforge.graph.evaluate import evaluate, symbols, topological
from tauforge.graph.functions import cos, sign, sin, sqrt
from tauforge.graph.node import as_node, neg, symbol
from tauforge.graph.points import exact_points
from tauforge.graph.rewrite import substitute
from tauforge.graph.text import to_text

a, b, c = map(symbol, "abc")
NUMBERS = (0.0, 1.0, -1.0, 2.0, 0.5, -0.3, math.pi / 2)


def combine(children: st.SearchStrategy) -> st.SearchStrategy:
    two = st.tuples(children, children)
    return st.one_of(
        two.map(lambda x: x[0] + x[1]),
        two.map(lambda x: x[0] - x[1]),
        two.map(lambda x: x[0] * x[1]),
        children.map(neg),
        children.map(sin),
        children.map(cos),
    )


EXPRESSIONS = st.recursive(st.sampled_from([a, b, c, *map(as_node, NUMBERS)]), combine, max_leaves=20)


def test_simplifies_when_built():
    assert a * 0.0 is as_node(0.0)
    assert a + 0.0 is a
    assert a * 1.0 is a
    assert neg(-a) is a
    assert a - a is as_node(0.0)
    assert a + a is a * 2.0
    assert (a * 2.0) * 3.0 is a * 6.0
    assert (a + 2.0) - 2.0 is a
    assert (a + b) - a is b
    assert a - (a + b) is -b
    assert (b - a) + a is b
    assert a - (a - b) is b
    assert -(a - b) - b is -a
    assert (a + 2.0) - a is as_node(2.0)
    assert a / a is as_node(1.0)
    assert sin(as_node(0.0)) is as_node(0.0)
    assert 1 - cos(a) * cos(a) is sin(a) * sin(a)
    assert cos(a) * cos(a) + sin(a) * sin(a) is as_node(1.0)
    assert -((cos(a) * b) ** 2) - (b * sin(a)) ** 2 is -(b * b)
    assert cos(a) ** 2 + sin(b) ** 2 is not as_node(1.0)


def test_equal_structures_are_one_object():
    assert a + b is b + a
    assert a * b is b * a
    assert -(a - b) is b - a
    assert (-a) * b is -(a * b)
    assert (-a) * (-b) is a * b
    assert sin(-a) is -sin(a)
    assert cos(-a) is cos(a)


@pytest.mark.parametrize("quarters", range(-5, 6))
def test_quarter_turns_vanish(quarters):
    angle = quarters * math.pi / 2
    expected = {0: (sin(a), cos(a)), 1: (cos(a), -sin(a)), 2: (-sin(a), -cos(a)), 3: (-cos(a), sin(a))}[quarters % 4]
    assert (sin(a + angle), cos(a + angle)) == expected
    assert float(sin(as_node(angle))) == round(math.sin(angle))


def test_only_quarter_turns_themselves_vanish():
    assert cos(as_node(math.pi / 2)) is as_node(0.0)
    assert float(cos(as_node(1.57079632679))) == math.cos(1.57079632679)
    assert float(1e12 * sin(as_node(5e-10))) == 1e12 * math.sin(5e-10)


def test_zero_is_what_is_exactly_zero():
    assert as_node(0.1) + 0.2 - 0.2 - 0.1 is as_node(0.0)
    assert as_node(0.1) + 0.2 - 0.3 is as_node(0.0)
    assert as_node(0.1) + 0.2 - 0.30000000000000004 is not as_node(0.0)
    assert 3 * (as_node(1.0) / 3) is as_node(1.0)
    assert neg(neg(as_node(0.1) * 0.3)) is as_node(0.1) * 0.3


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (as_node(0.1) + 0.2, 0.3),
        (as_node(0.0203) * 0.0203 * 0.82, 0.0203**2 * 0.82),
        (as_node(4.0) * 0.4 * 0.4 / 12, 0.16 / 3),
        (as_node(1e200) * 1e-200 * 3.3, 3.3),
        ((as_node(1.1) + 2.2) / 3, 1.1),
        (sqrt(as_node(0.7) * 0.7), 0.7),
        (-(as_node(0.1) * 3), -0.3),
    ],
)
def test_constants_made_of_decimals_are_rounded_once(made, value):
    exact = Fraction(*made.rational)
    assert abs(Fraction(made.value) - exact) <= min(
        abs(Fraction(math.nextafter(made.value, to)) - exact) for to in (-math.inf, math.inf)
    )
    assert made.value == pytest.approx(value, rel=1e-15)


def test_sums_of_decimals_are_one_constant_in_any_order():
    assert (as_node(0.1) + 0.2) + 0.3 is as_node(0.1) + (as_node(0.2) + 0.3) is as_node(0.6)
    assert (as_node(1.0) / 3 + 0.1) * 3 is as_node(1.3)


def test_constants_with_too_many_digits_are_still_numbers():
    x = as_node(1.2345678901234567)
    for _ in range(6):
        x = x * x
    assert x.rational is None
    assert x.value == pytest.approx(1.2345678901234567**64)


def test_signs_of_rounded_constants_are_those_of_their_exact_values():
    tiny = as_node(0.30000000000000004) - 0.1 - 0.2  # where floats give 2.8e-17 or 0, by the order
    assert tiny is as_node(4e-17)
    third = tiny / 3
    assert sign(third * third - third * tiny / 3) is as_node(0.0)
    assert sign(tiny) is as_node(1.0)
    assert sign(-tiny) is as_node(-1.0)
    noise = sin(as_node(math.nextafter(math.pi, 4)))
    assert sign(noise) is as_node(-1.0)
    with pytest.raises(ExpressionError, match="negative"):
        sqrt(noise)


@given(EXPRESSIONS)
def test_simplifying_keeps_the_value(x):
    values = {"a": 0.7, "b": -1.3, "c": 2.1}
    rebuilt = substitute([x], {})[0]
    assert rebuilt is x
    (value,) = evaluate([x], values)
    bound = substitute([x], {name: as_node(v) for name, v in values.items()})[0]
    assert float(bound) == pytest.approx(value, rel=1e-9, abs=1e-9)


@given(EXPRESSIONS, EXPRESSIONS, st.integers())
def test_exact_evaluation_is_a_homomorphism(x, y, seed):
    nodes = [x, y, as_node(x + y), as_node(x * y)]
    (point,) = exact_points(nodes, 1, seed)
    vx, vy, total, product = point.residues(nodes)
    prime = point.points.field.p
    assert total == (vx + vy) % prime
    assert product == vx * vy % prime


@given(EXPRESSIONS)
def test_pickling_and_copying_give_the_same_object(x):
    assert pickle.loads(pickle.dumps(x)) is x


def test_a_deep_expression_can_be_pickled():
    x = symbol("x")
    for _ in range(2000):
        x = sin(x) + 0.1
    assert pickle.loads(pickle.dumps(x)) is x


def test_dividing_by_zero_and_roots_of_negatives_are_refused():
    with pytest.raises(ExpressionError, match="by zero"):
        a / 0.0
    with pytest.raises(ExpressionError, match="negative"):
        sqrt(as_node(-1.0))
    with pytest.raises(ExpressionError, match="finite"):
        as_node(math.nan)


def test_dead_nodes_are_forgotten():
    graph._sweep()
    before = len(graph._table)
    x = a
    for k in range(5000):
        x = x * b + float(k)
    assert len(graph._table) > before + 5000
    del x
    gc.collect()
    graph._sweep()
    assert len(graph._table) < before + 100


def test_deep_graphs_need_no_recursion():
    x = a
    for _ in range(50_000):
        x = sin(x) + b
    assert len(topological([x])) == 100_002
    assert sorted(symbols([x])) == ["a", "b"]
    assert math.isfinite(evaluate([x], {"a": 1.0, "b": 0.1})[0])
    assert "operations" in repr(x)


def test_threads_build_the_same_nodes():
    found = [[] for _ in range(4)]

    def work(out):
        for k in range(2000):
            out.append(sin(a * float(k) + b) * c)

    threads = [threading.Thread(target=work, args=(out,)) for out in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(x is y for out in found[1:] for x, y in zip(found[0], out, strict=True))


def test_order_does_not_depend_on_what_was_built_before():
    script = (
        "from tauforge.graph.node import symbol\n{first}\n"
        "x, y, z = map(symbol, ('x', 'y', 'z'))\nprint([str(n) for n in (x*y).args + (z - x).args])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script.format(first=first)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for first, seed in (("", "1"), ("symbol('z') + symbol('y')*symbol('x')", "2"))
    }
    assert len(outputs) == 1


def test_text_reads_as_people_write():
    assert to_text(b * b + a - c) == "a + b**2 - c"
    assert to_text(as_node(-math.pi / 2)) == "-pi/2"
    assert to_text(2 * a * (b + c) / sin(c)) == "2*a*(b + c)/sin(c)"
