"""Symmetric equations: solved as NumPy does, zeros of branches kept, and zeros on the diagonal reported."""

import numpy as np
import pytest

from tauforge.graph.node import symbol
from tauforge.program.array import outputs
from tauforge.program.program import Program
from tauforge.spatial.solve import solve


def allow(row, pivot):
    """Let every row pass."""


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_numbers_agree_with_numpy(count):
    rng = np.random.default_rng(count)
    half, b = rng.normal(size=(count, count)), rng.normal(size=count)
    M = half @ half.T + np.eye(count)
    assert np.allclose(solve(np.tril(M).tolist(), b.tolist(), allow), np.linalg.solve(M, b), rtol=1e-9)


def test_branches_cost_only_what_they_share():
    """Two tips on one root: no operation connects the tips."""
    a, b, c, x, y = (symbol(name) for name in "abcxy")
    found = solve([[a, x, y], [x, b, 0.0], [y, 0.0, c]], [1.0, 1.0, 1.0], allow)
    full = solve([[a, x, y], [x, b, x], [y, x, c]], [1.0, 1.0, 1.0], allow)
    branched, whole = (Program("p", {}, {"x": outputs(each, [3], [], "")}).count() for each in (found, full))
    assert branched.total < whole.total


def test_what_is_divided_by_is_shown_first():
    """The last row first: its diagonal as given, the others less what it leaves."""
    seen = {}
    solve([[3.0, 0.0], [2.0, 4.0]], [1.0, 1.0], seen.__setitem__)
    assert list(seen.items()) == [(1, 4.0), (0, 2.0)]
