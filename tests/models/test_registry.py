"""Every model is on the list, exported, and says what is wrong with what it is given."""

from inspect import signature

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


def test_parameters_need_a_robot_too():
    with pytest.raises(tf.ProgramError, match=r"tf\.robots\.puma560"):
        tf.base_parameters("puma560")
