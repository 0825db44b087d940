"""Which cases a sweep has, and with what its function is called."""

import numpy as np
import pytest
import scipy.stats

import tauforge as tf
from tauforge.sweeps.blocks import Blocks
from tauforge.sweeps.cases import Space, grid, sampled


def test_a_grid_has_a_dimension_for_each_parameter():
    found = tf.sweep(lambda mass, gain: mass * gain, {"mass": [1.0, 2.0, 3.0], "gain": [5, 7]})
    assert found.data.value.dims == ("mass", "gain")
    assert found.data.value.sel(mass=3.0, gain=7) == 21.0
    assert repr(found) == "Sweep(mass 3 × gain 2: 6 done, 0 failed, 0 remaining; value)"


def test_values_are_plain_numbers_texts_rows_and_objects():
    seen = []

    def note(n, x, word, flag, row, law):
        seen.append((n, x, word, flag, row, law))
        return law(row.sum())

    values = {
        "n": [3],
        "x": np.array([0.5]),
        "word": ["a"],
        "flag": [True],
        "row": np.ones((2, 3)),
        "law": [abs, np.sin],
    }
    found = tf.sweep(note, values)
    n, x, word, flag, row, law = seen[0]
    assert [type(value) for value in (n, x, word, flag)] == [int, float, str, bool]
    assert row.shape == (3,)
    assert law in (abs, np.sin)
    assert found.data.value.dims == ("n", "x", "word", "flag", "row", "law")
    assert found.data.row.values.tolist() == [0, 1]
    np.testing.assert_array_equal(found.data.row_values.values, np.ones((2, 3)))
    assert found.data.word.values.tolist() == ["a"]
    assert found.data.value.sel(row=1, law=1).values.item() == np.sin(3.0)


def test_objects_have_labels():
    laws = {"none": None, "constant": 3.0, "controller": tf.gravity_compensation(tf.robots.planar2r())}
    found = tf.sweep(lambda law: float(isinstance(law, tf.Controller)), {"law": laws})
    assert found.data.law.values.tolist() == [*laws]
    assert found.data.value.sel(law="controller") == 1.0


def test_cases_are_one_dimension():
    found = tf.sweep(lambda m, q: m * q[1], cases={"m": [1, 2, 3], "q": np.arange(6.0).reshape(3, 2)})
    assert found.data.value.dims == ("case",)
    assert found.data.value.values.tolist() == [1.0, 6.0, 15.0]
    assert found.data.m.values.tolist() == [1, 2, 3]
    assert found.data.q.dims == ("case", "q_entry")
    assert "m" in found.data.coords
    assert "q" in found.data.coords


def test_samples_depend_on_the_seed_and_their_own_name_alone():
    mass, gain = scipy.stats.norm(2.0, 0.1), scipy.stats.uniform(1.0, 2.0)

    def drawn(seed, **samples):
        return tf.sweep(lambda **values: 0.0, samples=samples, count=200, seed=seed).data

    both, alone = drawn(1, gain=gain, mass=mass), drawn(1, mass=mass)
    np.testing.assert_array_equal(both.mass.values, alone.mass.values)
    assert abs(alone.mass.values.mean() - 2.0) < 0.03
    assert 0.08 < alone.mass.values.std() < 0.12
    assert ((both.gain.values > 1.0) & (both.gain.values < 3.0)).all()
    assert (drawn(2, mass=mass).mass.values != alone.mass.values).all()
    assert (drawn(None, mass=mass).mass.values != drawn(None, mass=mass).mass.values).all()


def test_kinds_of_distributions():
    many = scipy.stats.multivariate_normal([1.0, 2.0], np.eye(2))
    for count in (1, 3):
        axes = sampled({"x": many, "y": lambda rng: rng.integers(5), "z": lambda rng: rng.normal(size=3)}, count, 0)
        assert [axis.values.shape for axis in axes] == [(count, 2), (count,), (count, 3)]
    if hasattr(scipy.stats, "Normal"):
        assert sampled({"x": scipy.stats.Normal(mu=1.0, sigma=2.0)}, 4, 0)[0].values.shape == (4,)


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_case_has_its_own_generator(jobs):
    found = tf.sweep(lambda x, rng: x + rng.random(), {"x": [0.0] * 50}, seed=3, jobs=jobs).data.value.values
    assert len(np.unique(found)) == 50
    again = tf.sweep(lambda x, rng: x + rng.random(), {"x": [0.0] * 50}, seed=3, jobs=2, batch=7).data.value.values
    np.testing.assert_array_equal(found, again)


def test_samples_are_the_same_at_each_point_of_a_grid():
    samples = {"mass": scipy.stats.norm(2.0, 0.1)}
    found = tf.sweep(lambda gain, mass: gain * mass, {"gain": [1.0, 3.0]}, samples=samples, count=5, seed=0).data
    assert found.value.dims == ("gain", "case")
    assert found.mass.dims == ("case",)
    np.testing.assert_array_equal(found.value.sel(gain=3.0), 3.0 * found.mass)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "nothing to sweep"),
        ({"parameters": [1, 2]}, "must map names to values"),
        ({"parameters": {"x": []}}, "x has no values"),
        ({"parameters": {"x": 3.0}}, "x is float; give a list or an array"),
        ({"parameters": {"x": "abc"}}, "x is str; give a list"),
        ({"parameters": {"no name": [1]}}, "'no name' is not the name of a parameter"),
        ({"parameters": {"status": [1]}}, "'status' has a meaning of its own"),
        (
            {"parameters": {"x": [1], "y": [2]}},
            r"\(x\) does not fit the parameters: got an unexpected keyword argument 'y'",
        ),
        ({"parameters": {"x": [1]}, "fixed": {"x": 2}}, "x is given twice"),
        ({"cases": {"x": [1], "y": [1, 2]}}, "as many values of each parameter: x has 1, y has 2"),
        ({"cases": {"x": [1]}, "samples": {"x": 1}}, "cases or samples, not both"),
        ({"samples": {"x": scipy.stats.norm}}, "count is None"),
        ({"samples": {"x": [1, 2]}, "count": 3}, "list is not a distribution"),
        ({"parameters": {"x": [1]}, "count": 3}, "count is the number of samples"),
        ({"parameters": {"x": [1]}, "jobs": 0}, "jobs is 0; give a positive number"),
        ({"parameters": {"x": [1]}, "batch": 1.5}, "batch is 1.5; give a positive number"),
        ({"parameters": {"x": [1]}, "seed": -1}, "seed is -1; give an integer"),
        ({"parameters": {"x": [1]}, "resume": "all"}, "resume is 'all'; choose among True, False and 'failed'"),
    ],
)
def test_wrong_arguments(arguments, message):
    def function(x):
        return x

    with pytest.raises(tf.ProgramError, match=message):
        tf.sweep(function, **arguments)


def test_what_is_not_a_function():
    with pytest.raises(tf.ProgramError, match="the first argument is int; give a function or a Robot"):
        tf.sweep(3, {"x": [1]})


@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 4), (5, 1, 3)])
@pytest.mark.parametrize("largest", [1, 2, 3, 4, 7, 12, 100])
def test_blocks_are_consecutive_and_cover_everything(shape, largest):
    blocks = Blocks(shape, largest)
    everything = np.arange(np.prod(shape))
    numbers = everything.reshape(shape)
    seen = []
    for slices, cases, here in blocks.touched(everything):
        assert numbers[slices].ravel().tolist() == cases.tolist() == everything[here].tolist()
        assert len(cases) <= largest
        assert all(s.start % b == 0 for s, b in zip(slices, blocks.box, strict=True))
        seen += cases.tolist()
    assert seen == everything.tolist()


def test_what_workers_get():
    space = Space(grid({"x": [1.5, 2.5], "law": {"a": abs, "b": round}}))
    assert space.sent(np.array([1, 2])) == {"x": [1.5, 2.5], "law": [1, 0]}
    assert space.objects == {"law": [abs, round]}
