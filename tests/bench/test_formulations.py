"""The comparison of formulations as computed."""

from pathlib import Path

import pytest

import tauforge as tf
from tauforge.bench.formulations import costs, growth, operations, rows


def compared(robot):
    return {row.name: row for row in rows(robot, seconds=0.001)}


@pytest.fixture(scope="module")
def planar():
    return compared(tf.robots.planar2r())


def test_every_formulation_has_a_row(planar):
    assert set(planar) == {"newton-euler", "configuration-space", *tf.formulations()}
    assert all(row.proved and row.error < 1e-12 for name, row in planar.items() if name != "configuration-space")
    assert all(row.nanoseconds > 0 for row in planar.values())
    assert planar["waters"].costs.published == (7051, 5652)
    assert planar["newton-euler-link"].costs.general == (150 * 2 - 48, 128 * 2 - 51)
    assert sum(planar["newton-euler"].optimised) == min(sum(r.optimised) for r in planar.values() if r.optimised)


def test_tables_say_how_fine_they_are(planar):
    row = planar["configuration-space"]
    assert (row.proved, row.points, row.reason) == (None, 64, "")
    assert 0 < row.error < 0.01
    assert 0 < row.memory <= 2**26


def test_a_symbolic_robot():
    found = compared(tf.robots.scara(symbolic=True))
    assert found["configuration-space"].reason == "needs numbers"
    assert all(row.proved for name, row in found.items() if name != "configuration-space")


def test_the_documented_table_is_the_present_one():
    """Counts only; times and rounding are another machine's."""
    text = (Path(__file__).parents[2] / "docs" / "formulations" / "puma560.txt").read_text()
    shown = {line.split()[0]: line for line in text.splitlines()[2:15]}
    puma = tf.robots.puma560()
    assert set(shown) == {"newton-euler", "configuration-space", *tf.formulations()}
    for name in ("newton-euler", *tf.formulations()):
        known = costs(name, puma.dof)
        made = [tf.inverse_dynamics(puma, parameters=p, formulation=name).count() for p in ("standard", "base")]
        for pair in (known.published, known.general, *map(operations, made)):
            assert pair is None or f" {pair[0]}/{pair[1]} " in shown[name]


def test_growth():
    found = {each.name: each for each in growth(range(2, 8))}
    assert set(found) == {"configuration-space", *tf.formulations()} - {"lagrange"}
    assert (found["waters"].order, found["hollerbach-3x3"].order) == (2, 1)
    assert all(len(each.totals) == 6 for each in found.values())
