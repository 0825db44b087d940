"""Counts beside published ones."""

import pytest

import tauforge as tf
from tauforge.bench.counts import count, counts


def test_a_bundled_robot_is_counted_in_its_symbolic_form_too():
    found = list(counts(tf.robots.rx90()))
    assert [(each.symbolic, each.parameters) for each in found] == [
        (False, "standard"),
        (False, "base"),
        (False, "least"),
        (True, "standard"),
        (True, "base"),
        (True, "least"),
    ]
    assert found[4].published == found[5].published == (249, 233)
    assert found[5].saved == 482 - found[5].operations.total > found[4].saved >= 0


@pytest.mark.parametrize("robot", [tf.robots.puma560(), tf.robots.rx90(symbolic=True).derived(name="mine")])
def test_figures_are_for_the_published_robot_alone(robot):
    assert count(robot, "base").published is None
    assert count(robot, "base").saved is None


def test_any_other_robot_is_counted_as_it_is():
    assert not any(each.symbolic for each in counts(tf.robots.puma560().neglect("IA")))
