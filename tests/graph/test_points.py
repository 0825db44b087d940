"""Identities hold exactly in the field; falsehoods do not, and nothing depends on a guessed branch."""

import math

import pytest

from tauforge.graph.angle import halfdegrees
from tauforge.graph.exact import home
from tauforge.graph.field import IDENTITY, Field
from tauforge.graph.functions import absolute, acos, asin, atan2, cos, sign, sin, sqrt, tan
from tauforge.graph.node import as_node, symbol
from tauforge.graph.points import exact_points, vanish
from tauforge.graph.surd import NoInverse, Surd, inverse

a, b, c = symbol("a"), symbol("b"), symbol("c")


def n(x):
    return as_node(x)


IDENTITIES = {
    "sum of angles": sin(a + b) - sin(a) * cos(b) - cos(a) * sin(b),
    "unit circle": sin(a) * sin(a) + cos(a) * cos(a) - 1,
    "constant angle": cos(a + 0.3) - cos(a) * cos(n(0.3)) + sin(a) * sin(n(0.3)),
    "folded angles": cos(a + n(0.1) + n(0.2)) - cos(a + 0.1) * cos(n(0.2)) + sin(a + 0.1) * sin(n(0.2)),
    "double angle": cos(2 * a) - 2 * cos(a) * cos(a) + 1,
    "half angle": 2 * cos(a / 2) * cos(a / 2) - 1 - cos(a),
    "half of a sum": cos((a + math.pi) * 0.5) + sin(a * 0.5),
    "product of angles": sin(a * (b + c)) - sin(a * b) * cos(a * c) - cos(a * b) * sin(a * c),
    "third of a turn": cos(a + 2 * n(math.pi) / 3) + cos(a) / 2 + sin(n(math.pi / 3)) * sin(a),
    "sixty degrees": cos(n(math.pi / 3)) - 0.5,
    "eighth turns": sin(n(math.pi / 4)) * sin(n(math.pi / 4)) - 0.5,
    "thirds of pi": sin(a + 3 * n(math.pi / 3)) + sin(a),
    "tangent": tan(a) * cos(a) - sin(a),
    "arc tangent": sin(atan2(a, b)) * sqrt(a * a + b * b) - a,
    "scaled arc tangent": atan2(3 * a, 3 * b) - atan2(a, b),
    "arc sine": sin(asin(a) + b) - a * cos(b) - sqrt(1 - a * a) * sin(b),
    "arc cosine": cos(acos(a)) - a,
    "root of a square": sqrt(a * a) - absolute(a),
    "root of a scaled square": sqrt(49 * (a * a)) - 7 * absolute(a),
    "root of a hidden square": sqrt(a * a + 2 * a * b + b * b) - absolute(a + b),
    "root of a constant": sqrt(n(8.0)) - 2 * sqrt(n(2.0)),
    "square of an absolute value": absolute(a) * absolute(a) - a * a,
    "sign of a multiple": sign(a * (7 * b)) - sign(a * b),
    "sign of the opposite": sign(b - a) + sign(a - b),
    "absolute value of what is positive": absolute(a * a + b * b) - a * a - b * b,
    "inverse of a number with a root": 1 / (sqrt(a * a + 1) - 1) - (sqrt(a * a + 1) + 1) / (a * a),
    "nested roots": sqrt(1 + sqrt(1 + a * a)) * sqrt(1 + sqrt(1 + a * a)) - 1 - sqrt(a * a + 1),
    "rounded constants": (n(0.1) * n(0.2) + n(0.3)) * a - n(0.3) * a - n(0.1) * (n(0.2) * a),
    "division": (a / b) * b - a,
}
FALSEHOODS = {
    "wrong sign": sin(a + b) - sin(a) * cos(b) + cos(a) * sin(b),
    "nearly equal constants": (n(0.1) + n(0.2)) * a - n(0.30000000000000004) * a,
    "nearly equal angles": cos(a + 1.5708) + sin(a),
    "a small term": sin(a) + 1e-300 * b - sin(a),
    "an angle is no number": sin(a) - a,
    "half of a sum": cos((a + math.pi) * 0.5) - cos(a * 0.5),
    "third of a sum": cos((a + math.pi) / 3) - cos(a / 3),
    "absolute value": absolute(a) - a,
    "sign": sign(a) - 1,
    "square of a sign": sign(a) * sign(a) - 1,
    "root with the wrong sign": sqrt(49 * (a * a)) + 7 * absolute(a),
    "sign with the wrong sign": sign(a * (7 * b)) + sign(a * b),
    "arc with the wrong sign": cos(atan2(7 * a, 7 * b)) + cos(atan2(a, b)),
    "opposite arc": atan2(-3 * a, -3 * b) - atan2(a, b),
    "next float": (n(math.pi) - n(math.nextafter(math.pi, 4))) * a,
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_vanish_exactly(name):
    assert vanish([as_node(IDENTITIES[name])])


@pytest.mark.parametrize("name", FALSEHOODS)
def test_falsehoods_are_seen(name):
    assert not vanish([as_node(FALSEHOODS[name])])


def test_a_field_is_what_its_module_says():
    field = Field("a seed", 130, 4 * 7 * 9, 12)
    assert field.p.bit_length() == 130
    assert (field.p + 1) % (4 * 7 * 9) == 0
    assert all(pow(base, field.p - 1, field.p) == 1 for base in (2, 3, 5, 7, 11, 13))
    assert field.power(field.root, 7 * 9) == (0, 1)
    assert field.power(field.point("any"), field.p + 1) == IDENTITY
    assert Field("a seed", 130, 4 * 7 * 9, 12).p == field.p != Field("another", 130, 4 * 7 * 9, 12).p


def test_a_composite_number_is_not_taken_for_a_prime():
    field = home()
    carmichael = [n for n in (8911, 10585, 15841, 29341, 46657, 314821) if n % 4 == 3]
    assert carmichael
    for number in (*carmichael, (2**61 - 1) * (2**31 - 1), 3215031751):
        assert not field._is_prime(number, 20)


def test_one_float_stands_for_a_fraction_of_pi():
    for k in (1, 7, 90, 180, 360, -720, 3600):
        top, bottom = (k // math.gcd(k, 360), 360 // math.gcd(k, 360))
        value = top * math.pi / bottom
        near = [math.nextafter(value, -100), value, math.nextafter(value, 100)]
        assert [halfdegrees(x) for x in near] == [None, k, None]
    assert halfdegrees(math.pi) == 360
    assert halfdegrees(math.pi / 3) == 120
    assert halfdegrees(0.0) is None


def test_numbers_with_roots_have_inverses_but_for_zero_divisors():
    p, squares = 1_000_003, [5, 7]
    r, s = Surd({1: 1}, squares), Surd({2: 1}, squares)
    x = (2 + 3 * r + r * s * 4) % p
    assert x * inverse(x, p) % p == 1
    assert r * r % p == 5
    squares.append(9)
    with pytest.raises(NoInverse):
        inverse((Surd({4: 1}, squares) - 3) % p, p)


def test_sampled_roots_are_roots():
    nodes = [sqrt(a), a]
    for point in exact_points(nodes, 3):
        root, square = point.residues(nodes)
        assert root**2 % home().p == square


@pytest.mark.parametrize("rooted", [False, True])
def test_what_depends_on_steady_symbols_is_steady(rooted):
    def functions(x):
        return [
            x,
            sin(x),
            sign(x - 3),
            absolute(x - 3),
            cos(1 / x),
            sin(x * x),
            sin(x / 3),
            cos(x * math.pi / 7),
            *([sqrt(x * x + 1)] * rooted),
        ]

    steady, others = functions(a), functions(b)
    first, second = (point.residues([*steady, *others]) for point in exact_points([*steady, *others], 2, steady={"a"}))
    same = [x == y for x, y in zip(first, second, strict=True)]
    assert same == [True] * len(steady) + [False] * len(others)
