"""Loops in the code of long chains: that they are found, and compute the same; and the progress of long compiling."""

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge import progress
from tauforge.llvm import loops as llvm_loops
from tauforge.llvm import pieces as llvm
from tauforge.llvm.loops import Loop
from tauforge.runtime import cache
from tauforge.runtime.compile import vectors

from ..random_robots import _solid, random_robot
from .reference import chain, expected


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Look for loops in short code too."""
    monkeypatch.setattr(llvm, "WHOLE", 300)


@pytest.fixture
def found(monkeypatch):
    """Return the list of the loops that are found."""
    loops = []
    roll = llvm.roll

    def spy(nodes, places):
        rolled = roll(nodes, places)
        loops.extend(step for step in rolled.steps if isinstance(step, Loop)) if rolled else None
        return rolled

    monkeypatch.setattr(llvm, "roll", spy)
    return loops


def alike(program):
    """Compare with the evaluation of the graph, node by node."""
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-1, 1, (5, *shape)) for shape in program.inputs.values()]
    function = program.compile(cache=False)
    results = function(*arrays)
    for ours, exact in zip(results if len(program.outputs) > 1 else [results], expected(program, *arrays), strict=True):
        np.testing.assert_allclose(ours, exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max())
    one = function(*(x[0] for x in arrays))
    single, batch = (one, results) if len(program.outputs) == 1 else (one[0], results[0])
    np.testing.assert_array_equal(single, batch[0])


def rope(count, most=2.0):
    """Return a chain of links that are alike but for how large their numbers are, from the half up to some factor."""
    random = Random(0)
    solid = _solid(random)
    joints = tuple(
        tf.Joint(
            name=f"j{j}", antecedent=j - 1, alpha=math.pi / 2, d=random.uniform(0.5, most), r=random.uniform(0.5, most)
        )
        for j in range(1, count + 1)
    )
    return tf.Robot(
        name="rope",
        joints=joints,
        bodies=tuple(
            tf.Body(name=f"l{j}", inertia=tf.Inertia(*(x * scale for x in solid)))
            for j, scale in enumerate((random.uniform(0.5, most) for _ in range(count)), 1)
        ),
    )


@pytest.mark.parametrize("model", [tf.inverse_dynamics, tf.gravity, tf.bias], ids=lambda model: model.__name__)
def test_sweeps_over_long_chains_are_loops(model, found):
    alike(model(rope(60)))
    assert sum(loop.turns * len(loop.rows) for loop in found) > 1000


def test_equal_links_are_loops(found):
    alike(tf.inverse_dynamics(rope(60, 0.5)))
    assert sum(loop.turns * len(loop.rows) for loop in found) > 1000


def test_articulated_bodies_are_loops(found):
    alike(tf.hybrid_dynamics(rope(60, 0.5), accelerated=["j1"]))
    assert len(found) >= 2


def test_links_that_are_alike_six_by_six(found):
    alike(tf.inverse_dynamics(chain(150)))
    assert {loop.turns for loop in found} <= {*range(8, 26)}
    assert found


def test_parameters_and_single_precision():
    robot = rope(50)
    bodies = tuple(
        replace(body, inertia=body.inertia._replace(M=tf.symbol(f"M{j}"))) for j, body in enumerate(robot.bodies, 1)
    )
    program = tf.inverse_dynamics(replace(robot, bodies=bodies))
    alike(program)
    rng = np.random.default_rng(1)
    arrays = [rng.uniform(0, 0.2, (9, *shape)) for shape in program.inputs.values()]
    single = program.compile(dtype="float32")(*(x.astype("f") for x in arrays))
    exact = program.compile()(*arrays)
    assert np.abs(single - exact).max() < 1e-3 * np.abs(exact).max()


@pytest.mark.parametrize("seed", range(12))
def test_other_robots_stay_right(seed):
    alike(tf.inverse_dynamics(random_robot(seed, largest=12, symbolic=seed % 3 == 0, rotors=True)))


@pytest.mark.parametrize("distance", [1, 2, 4, 16])
def test_whatever_is_taken_for_a_family_the_result_is_right(distance, monkeypatch):
    monkeypatch.setattr(llvm_loops, "DISTANCE", distance)
    monkeypatch.setattr(llvm_loops, "TURNS", 3)
    alike(tf.inverse_dynamics(chain(25)))
    alike(tf.direct_dynamics(rope(12), method="articulated"))


def test_code_grows_no_more_with_the_chain(found):
    sizes = [sum(map(len, llvm.pieces(tf.inverse_dynamics(rope(n)), vectors("double")).modules)) for n in (100, 200)]
    assert found
    assert sizes[1] < 1.4 * sizes[0]


def test_the_key_tells_numbers_that_are_negatives_of_others():
    def content(second):
        x = tf.program.array.inputs("x", ["x"], "")
        (a,) = x.nodes
        y = tf.program.program.outputs([a + 5.0, a + second], [2], [["x", "y"]], "")
        return cache.content(tf.Program("p", {"x": x}, {"y": y}), vectors("double"))

    assert content(7.0) == content(8.0) != content(-5.0)


class Terminal:
    def __init__(self, there):
        self.there, self.text = there, ""

    def isatty(self):
        return self.there

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.mark.parametrize("there", [True, False])
def test_progress_is_shown_at_a_terminal_alone(there, monkeypatch):
    terminal = Terminal(there)
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(progress, "SHOWN_EVERY", 0.0)
    assert [*progress.shown([1, 2, 3, 4], "compiling arm")] == [1, 2, 3, 4]
    assert ("compiling arm [###############...............]  50 %  2 of 4" in terminal.text) == there
    assert terminal.text.endswith("\r") == there
