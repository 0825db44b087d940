"""Every model is on the list, exported, and says what is wrong with what it is given."""

from inspect import Parameter, isfunction, signature

import pytest

import tauforge as tf
from tauforge.models.registry import MODELS


def test_every_model_is_public():
    assert {name.replace("-", "_") for name in MODELS} <= set(tf.__all__)
    assert all(getattr(tf, name.replace("-", "_")) is model.function for name, model in MODELS.items())


@pytest.mark.parametrize("name", MODELS)
def test_the_list_says_what_a_model_computes(name):
    model, arm = MODELS[name], tf.robots.puma560()
    assert model.summary
    options = {"frame": "link6", "accelerated": ["joint2"]}
    taken = signature(model.function).parameters
    program = model.function(arm, **{key: x for key, x in options.items() if key in taken})
    given, made = (side.strip().split(", ") for side in model.arrays.split("->"))
    assert set(program.inputs) - {"parameters"} <= set(given)
    assert list(program.outputs) == made


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("wrong", ["puma560", None, 3])
def test_what_is_no_robot_is_refused(name, wrong):
    with pytest.raises(tf.ProgramError, match=r"tf\.load\(file\)"):
        MODELS[name].function(wrong)


def takers():
    """Return the names of all public functions that take a robot first."""
    functions = {name: x for name in tf.__all__ if isfunction(x := getattr(tf, name))}
    return [name for name, x in functions.items() if next(iter(signature(x).parameters), "") == "robot"]


@pytest.mark.parametrize("name", takers())
def test_whatever_takes_a_robot_says_how_to_get_one(name):
    function = getattr(tf, name)
    needed = [p.name for p in signature(function).parameters.values() if p.default is Parameter.empty][1:]
    with pytest.raises(tf.ProgramError, match=r"tf\.robots\.puma560"):
        function("puma560", **dict.fromkeys(needed, 1.0))
