"""Every target gives the right numbers for every Program, in its real compiler or interpreter."""

import re
from typing import Any

import numpy as np
import pytest

from tauforge import Program
from tauforge.targets import TARGETS

from . import drivers
from .programs import LONG_ONES, QUICK, expected, models, programs, states
from .runners import RUNNERS, Results


def same(found: Results, name: str, program: Any, target: str = "") -> None:
    tolerance = drivers.FLOAT if ":float" in target else 1e-12
    for one, wanted in zip(found[name], expected(name, program), strict=True):
        assert one.keys() == wanted.keys()
        for key, values in wanted.items():
            scale = max(map(abs, values), default=1.0)
            np.testing.assert_allclose(
                one[key], values, rtol=tolerance, atol=tolerance * scale, err_msg=f"{name}: {key}"
            )


def _some(target: str, names: tuple[str, ...]) -> dict[str, Program]:
    """Return Programs that a target can be run on."""
    return {name: programs()[name] for name in names if name not in drivers.STANDINS.get(target, ())}


@pytest.mark.parametrize("target", RUNNERS)
def test_right_numbers(target, tmp_path):
    found = RUNNERS[target](tmp_path, programs())
    for name, program in programs().items():
        same(found, name, program)


SLOW = ("cpp", "cpp span", "mathematica", "c aarch64", "c riscv64", "c:real_t", "typescript")  # seconds to start


@pytest.mark.parametrize("target", [pytest.param(x, marks=[pytest.mark.slow] * (x in SLOW)) for x in drivers.RUNNERS])
def test_numbers_that_are_printed(target, tmp_path):
    some = _some(target, QUICK)
    found = drivers.RUNNERS[target](tmp_path, some)
    for name, program in some.items():
        same(found, name, program, target)


@pytest.mark.slow
@pytest.mark.parametrize("target", [x for x in drivers.RUNNERS if x != "c:float"])
def test_long_ones_that_are_printed(target, tmp_path):
    some = _some(target, LONG_ONES)
    found = drivers.RUNNERS[target](tmp_path, some)
    for name, program in some.items():
        same(found, name, program, target)


@pytest.mark.slow
@pytest.mark.parametrize("target", [*RUNNERS, *drivers.RUNNERS])
def test_models_of_every_bundled_robot(target, tmp_path):
    chosen = {name: program for name, program in models().items() if _fits(target, name)}
    found = (RUNNERS | drivers.RUNNERS)[target](tmp_path, chosen)
    for name, program in chosen.items():
        same(found, name, program, target)


def _fits(target: str, name: str) -> bool:
    """Tell whether a model can be run by a target: Mathics takes minutes for long ones."""
    return target != "mathematica" or models()[name].count().total < 700


def test_every_target_is_run():
    run = {re.split("[ :]", name)[0] for name in (*RUNNERS, *drivers.RUNNERS)}
    assert run - {"compiled"} == set(TARGETS) - {"header"}


def test_numpy_broadcasts_leading_axes():
    program = programs()["panda_symbolic"]
    state = states("panda_symbolic", program)
    space: dict[str, Any] = {}
    exec(program.code("numpy", "panda"), space)
    q, qd, qdd = (np.array([s[key] for s in state]) for key in ("q", "qd", "qdd"))
    parameters = np.array(state[0]["parameters"])
    found = space["panda"](q[:, None], qd, qdd[0], parameters)
    assert found.shape == (3, 3, 7)
    for i, j in np.ndindex(3, 3):
        np.testing.assert_allclose(found[i, j], space["panda"](q[i], qd[j], qdd[0], parameters), rtol=1e-12, atol=1e-12)
