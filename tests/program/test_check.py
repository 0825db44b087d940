"""Programs that are not sound are refused, and every model's is sound."""

import copy
from dataclasses import replace

import pytest

import tauforge as tf
from tauforge.graph.node import Node, symbol
from tauforge.program.array import Array, Shape

SOUND = tf.Program.of(y=["a + b", "a*b"])


def broken(**changes):
    program = copy.copy(SOUND)
    for key, value in changes.items():
        object.__setattr__(program, key, value)
    program.__dict__.pop("order", None)
    return program


def foreign():
    """Return a node that was not built by the graph's own functions."""
    node = object.__new__(Node)
    a = symbol("a")
    for name, value in (("op", "add"), ("args", (a, a)), ("value", None), ("key", 1), ("origin", None)):
        object.__setattr__(node, name, value)
    return node


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"results": {"y": replace(SOUND.results["y"], shape=Shape([3]))}}, "2 entries"),
        ({"results": {"y": replace(SOUND.results["y"], shape=Shape([2], [["one"]]))}}, "labels"),
        ({"arguments": {"a": SOUND.arguments["a"]}}, "neither an input nor a parameter"),
        ({"arguments": {**SOUND.arguments, "c": SOUND.arguments["a"]}}, "same symbol"),
        ({"arguments": {**SOUND.arguments, "c": Array(Shape([]), (symbol("a") + 1.0,))}}, "not a symbol"),
        ({"results": {"y": Array(Shape([]), (foreign(),))}}, "not the node"),
    ],
)
def test_what_is_not_sound_is_refused(changes, message):
    SOUND.check()
    with pytest.raises(tf.ProgramError, match=message):
        broken(**changes).check()


@pytest.mark.parametrize("name", tf.robots.names())
def test_models_are_sound(name):
    robot = tf.robots.bundled(name)
    if not robot.loops:
        tf.inverse_dynamics(robot).check()
        tf.direct_dynamics(robot).derivative("qdd", "q").check()
