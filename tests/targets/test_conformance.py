"""Every target gives the right numbers for every Program, in its real compiler or interpreter."""

from typing import Any

import numpy as np
import pytest

from tauforge.targets import TARGETS

from .programs import expected, programs, states
from .runners import RUNNERS, Results


@pytest.fixture(scope="module")
def results(request, tmp_path_factory) -> Results:
    """Run a target once, on everything."""
    return RUNNERS[request.param](tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("results", RUNNERS, indirect=True)
@pytest.mark.parametrize("name", programs())
def test_right_numbers(results, name):
    for found, wanted in zip(results[name], expected(name), strict=True):
        assert found.keys() == wanted.keys()
        for key, values in wanted.items():
            scale = max(map(abs, values), default=1.0)
            np.testing.assert_allclose(found[key], values, rtol=1e-12, atol=1e-12 * scale, err_msg=key)


def test_every_target_is_run():
    assert set(RUNNERS) - {"compiled"} == set(TARGETS) - {"header"}


def test_numpy_broadcasts_leading_axes():
    program, state = programs()["panda_symbolic"], states("panda_symbolic")
    space: dict[str, Any] = {}
    exec(program.code("numpy", "panda"), space)
    q, qd, qdd = (np.array([s[key] for s in state]) for key in ("q", "qd", "qdd"))
    parameters = np.array(state[0]["parameters"])
    found = space["panda"](q[:, None], qd, qdd[0], parameters)
    assert found.shape == (3, 3, 7)
    for i, j in np.ndindex(3, 3):
        np.testing.assert_allclose(found[i, j], space["panda"](q[i], qd[j], qdd[0], parameters), rtol=1e-12, atol=1e-12)
