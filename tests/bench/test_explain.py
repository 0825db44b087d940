"""Where operations are spent, and what each choice saves."""

from itertools import islice
from pathlib import Path

import pytest
from rich.console import Console

import tauforge as tf
from tauforge.bench.explain import STEPS, choices, spent
from tauforge.cli.show import explained

from ..random_robots import random_robot, seeds

PAGE = Path(__file__).parents[2] / "docs" / "optimise.md"


@pytest.mark.parametrize("parameters", ["standard", "base", "least"])
@pytest.mark.parametrize("name", ["rrp", "rx90", "panda", "sr400"])
def test_every_operation_is_spent_once(name, parameters):
    robot = tf.robots.bundled(name, symbolic=True).tree()
    found = spent(robot, parameters)
    assert [*found] == [body.name for body in robot.bodies]
    assert {step for own in found.values() for step in own} <= {*STEPS}
    total = tf.inverse_dynamics(robot, parameters=parameters).count().total
    assert sum(own.total() for own in found.values()) == total


@seeds(8, 100)
def test_random_robots(seed):
    robot = random_robot(seed, largest=5, several=seed % 2 == 0, floating=seed % 3 == 0)
    program = tf.inverse_dynamics(robot.reframed, parameters="standard", reframe=False)
    assert sum(own.total() for own in spent(robot, "standard").values()) == program.count().total


@pytest.mark.parametrize("seed", [2, 3, 6, 9, 25])
def test_offsets_are_in_one_part_where_two_would_have_no_more_zeros(seed):
    robot = random_robot(seed, smallest=4, largest=6, symbolic=seed % 2 == 0, several=seed % 3 == 0)
    plain, parts = islice(choices(robot), 2)
    assert parts.total <= plain.total


def test_steps_of_a_link_of_the_rx90():
    link = spent(tf.robots.rx90(symbolic=True), "base")["link5"]
    assert link["velocity"] == 7  # six to turn it, one to add the joint's
    assert link["products"] == 10


def test_choices_add_up():
    ladder = [*choices(tf.robots.scara(symbolic=True))]
    assert ladder[0].total - sum(each.saved for each in ladder) == ladder[-1].total
    assert ladder[-1].total <= 64
    assert {each.name for each in ladder if each.saved} >= {"base parameters", "masses moved along axes to children"}


def test_the_page_shows_what_is_printed():
    console = Console(width=110)
    with console.capture() as capture:
        console.print(explained(tf.robots.rx90(symbolic=True), "quick"))
    assert "\n".join(line.rstrip() for line in capture.get().rstrip().splitlines()) in PAGE.read_text()
