"""Costs as published: the formulations' own sequences of operations, counted in full."""

import pytest

import tauforge as tf
from tauforge.formulations import find
from tauforge.formulations.counting import Counted, Tally, count, general, order

WITHIN = {  # of the published multiplications and additions
    "uicker-kahn": 0.06,
    "waters": 0.01,
    "hollerbach-4x4": 0.03,
    "hollerbach-3x3": 0.03,
    "newton-euler-link": 0.03,
    "luh-walker-paul": 0.03,
}


@pytest.mark.parametrize("name", WITHIN)
def test_six_joints_cost_what_is_published(name):
    made = count(name)
    assert (made.mul, made.add) == pytest.approx(tf.formulations()[name].published, rel=WITHIN[name])


def test_the_polynomials():
    """What docs/formulations explains against the published polynomials."""
    for n in (3, 6, 9):
        assert (count("newton-euler-link", n).mul, count("newton-euler-link", n).add) == (150 * n - 48, 128 * n - 51)
        assert (count("luh-walker-paul", n).mul, count("luh-walker-paul", n).add) == (140 * n - 52, 103 * n - 37)
        assert (count("hollerbach-4x4", n).mul, count("hollerbach-4x4", n).add) == (812 * n - 608, 675 * n - 512)
        assert (count("hollerbach-3x3", n).mul, count("hollerbach-3x3", n).add) == (404 * n - 282, 324 * n - 232)
        assert (count("waters", n).mul, count("waters", n).add) == (
            106 * n**2 + 626 * n - 528,
            82 * n**2 + 514 * n - 432,
        )
        assert (count("newton-euler-base", n).mul, count("newton-euler-base", n).add) == (195 * n - 66, 158 * n - 63)
        assert count("kane", n).mul == 15 * n**2 + 102 * n - 24
        assert count("kane", n).add == 13.5 * n**2 + 81.5 * n - 24
        assert count("grigorov", n).mul == 4 * n**3 + 79 * n**2 + 95 * n
        assert count("spatial-operator", n).mul == 300 * n**3 + 122 * n**2 + 97 * n - 36
        assert count("uicker-kahn", n).mul == 32 * n**4 + 98 * n**3 + 171 * n**2 + 176 * n - 192
        assert 6 * count("uicker-kahn", n).add == 150 * n**4 + 448 * n**3 + 789 * n**2 + 767 * n - 864


ORDERS = {
    "uicker-kahn": 4,
    "waters": 2,
    "hollerbach-4x4": 1,
    "hollerbach-3x3": 1,
    "newton-euler-link": 1,
    "luh-walker-paul": 1,
    "newton-euler-base": 1,
    "kane": 2,
    "grigorov": 3,
    "spatial-operator": 3,
}


@pytest.mark.parametrize("name", ORDERS)
def test_growth(name):
    assert order(name, range(2, 9)) == ORDERS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ORDERS)
def test_growth_to_twelve_joints(name):
    assert order(name, range(2, 13)) == ORDERS[name]


def test_the_counted_run_computes_the_efforts():
    tally = Tally()
    chain = general(3, tally, seed=4)
    expected = [float(x) for x in find("newton-euler-link")[1].efforts(chain)]
    for name in ORDERS:
        assert [float(x) for x in find(name)[1].efforts(chain)] == pytest.approx(expected, rel=1e-12)


def test_counted_numbers():
    tally = Tally()
    x, y = Counted(2.0, tally), Counted(3.0, tally)
    assert float(1.0 - x * y + 2.0 * x - (-y)) == 2.0
    assert (tally.mul, tally.add) == (2, 3)


def test_lagrange_has_no_sequence():
    with pytest.raises(tf.ProgramError, match="graph"):
        count("lagrange")


@pytest.mark.parametrize("parameters", ["standard", "base"])
@pytest.mark.parametrize("robot", ["puma560", "stanford", "scara", "rrp"])
def test_the_default_is_the_cheapest(robot, parameters):
    robot = tf.robots.bundled(robot, symbolic=True)
    best = tf.inverse_dynamics(robot, parameters=parameters).count().total
    for name in tf.formulations():
        assert tf.inverse_dynamics(robot, parameters=parameters, formulation=name).count().total >= best


def test_kane_on_the_stanford_arm_needs_less_than_by_hand():
    """Kane and Levinson simplified the Stanford arm's equations by hand: 646 multiplications, 394 additions."""
    made = tf.inverse_dynamics(tf.robots.stanford(symbolic=True), formulation="kane").count()
    assert made.mul + made.setup_mul < 646
    assert made.add + made.setup_add < 394
