"""Identities of angles and constants hold exactly in the field; falsehoods do not."""

import math

import pytest

from tauforge.graph import exact
from tauforge.graph.evaluate import ExactPoint
from tauforge.graph.node import absolute, acos, as_node, asin, atan2, cos, sign, sin, sqrt, symbol, tan

a, b = symbol("a"), symbol("b")


def n(x):
    return as_node(x)


IDENTITIES = {
    "sum of angles": sin(a + b) - sin(a) * cos(b) - cos(a) * sin(b),
    "unit circle": sin(a) * sin(a) + cos(a) * cos(a) - 1,
    "constant angle": cos(a + 0.3) - cos(a) * cos(n(0.3)) + sin(a) * sin(n(0.3)),
    "folded angles": cos(a + n(0.1) + n(0.2)) - cos(a + 0.1) * cos(n(0.2)) + sin(a + 0.1) * sin(n(0.2)),
    "double angle": cos(2 * a) - 2 * cos(a) * cos(a) + 1,
    "half angle": 2 * cos(a / 2) * cos(a / 2) - 1 - cos(a),
    "third of a turn": cos(a + 2 * math.pi / 3) + cos(a) / 2 + sin(n(math.pi / 3)) * sin(a),
    "sixty degrees": cos(n(math.pi / 3)) - 0.5,
    "eighth turns": sin(n(math.pi / 4)) * sin(n(math.pi / 4)) - 0.5,
    "thirds of pi": sin(a + 3 * n(math.pi / 3)) + sin(a),
    "tangent": tan(a) * cos(a) - sin(a),
    "arc tangent": sin(atan2(a, b)) * sqrt(a * a + b * b) - a,
    "arc sine": sin(asin(a) + b) - a * cos(b) - sqrt(1 - a * a) * sin(b),
    "arc cosine": cos(acos(a)) - a,
    "root of a square": sqrt(a * a) - absolute(a),
    "sign": sign(a) * absolute(a) - a,
    "rounded constants": (n(0.1) * n(0.2) + n(0.3)) * a - n(0.3) * a - n(0.1) * (n(0.2) * a),
    "division": (a / b) * b - a,
}
FALSEHOODS = {
    "wrong sign": sin(a + b) - sin(a) * cos(b) + cos(a) * sin(b),
    "nearly equal constants": (n(0.1) + n(0.2)) * a - n(0.3) * a,
    "nearly equal angles": cos(a + 1.5708) + sin(a),
    "a small term": sin(a) + 1e-300 * b - sin(a),
    "an angle is no number": sin(a) - a,
}


def values(x):
    """Return the values at those of many points that have the square roots in question."""
    found = []
    for seed in range(200):
        try:
            found += ExactPoint(seed).residues([as_node(x)])
        except ArithmeticError:
            continue
    assert len(found) > 20
    return found


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_vanish_exactly(name):
    assert not any(values(IDENTITIES[name]))


@pytest.mark.parametrize("name", FALSEHOODS)
def test_falsehoods_are_seen(name):
    assert all(values(FALSEHOODS[name]))


def test_the_field_is_what_the_module_says():
    assert exact.P % 4 == 3
    assert exact.P + 1 == 720 * exact.M
    for prime in (exact.P, exact.M):
        assert all(pow(base, prime - 1, prime) == 1 for base in (2, 3, 5, 7, 11, 13))
    assert exact.multiple(exact.HALF_DEGREE, 180) == (0, 1)
    assert exact.multiple(exact.generic_turn(5), exact.M) == exact.IDENTITY
