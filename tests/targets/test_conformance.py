"""Every target gives the right numbers for every Program, in its real compiler or interpreter."""

from typing import Any

import numpy as np
import pytest

from tauforge.targets import TARGETS

from . import drivers
from .programs import QUICK, expected, models, programs, quick, states
from .runners import RUNNERS, Results


def same(found: Results, name: str, program: Any, tolerance: float = 1e-12) -> None:
    for one, wanted in zip(found[name], expected(name, program), strict=True):
        assert one.keys() == wanted.keys()
        for key, values in wanted.items():
            scale = max(map(abs, values), default=1.0)
            np.testing.assert_allclose(one[key], values, rtol=tolerance, atol=tolerance * scale, err_msg=key)


@pytest.fixture(scope="module")
def results(request, tmp_path_factory) -> Results:
    """Run a target once, on everything."""
    return RUNNERS[request.param](tmp_path_factory.mktemp(request.param), programs())


@pytest.fixture(scope="module")
def printed(request, tmp_path_factory) -> Results:
    """Run a target whose code prints its numbers once, on a few Programs."""
    left = drivers.STANDINS.get(request.param, set())
    some = {name: program for name, program in quick().items() if name not in left}
    return drivers.RUNNERS[request.param](tmp_path_factory.mktemp("run"), some)


@pytest.mark.parametrize("results", RUNNERS, indirect=True)
@pytest.mark.parametrize("name", programs())
def test_right_numbers(results, name):
    same(results, name, programs()[name])


SLOW = ("cpp", "cpp span", "mathematica")  # seconds to compile, or to start


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        pytest.param(target, name, marks=[pytest.mark.slow] * (target in SLOW))
        for target in drivers.RUNNERS
        for name in QUICK
        if name not in drivers.STANDINS.get(target, ())
    ],
    indirect=["printed"],
)
def test_numbers_that_are_printed(printed, name):
    same(printed, name, programs()[name])


@pytest.mark.slow
@pytest.mark.parametrize("target", [*RUNNERS, *drivers.RUNNERS])
def test_models_of_every_bundled_robot(target, tmp_path):
    found = (RUNNERS | drivers.RUNNERS)[target](tmp_path, models())
    for name, program in models().items():
        same(found, name, program)


def test_every_target_is_run():
    run = {name.split()[0] for name in (*RUNNERS, *drivers.RUNNERS)}
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
