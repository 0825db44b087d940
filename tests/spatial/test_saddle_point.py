"""Sparse equations of motion under constraints, against dense ones."""

import numpy as np
import pytest

from tauforge.spatial.saddle_point import SaddlePoint


def equations(seed, n=7, m=3):
    """Return a random positive M, a sparse J and right-hand sides."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    J = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.5)
    J[np.arange(m), np.arange(m)] += 2.0
    return A @ A.T + np.eye(n), J, rng.normal(size=n), rng.normal(size=m)


def sparse(J):
    return [{k: float(x) for k, x in enumerate(row) if x} for row in J]


@pytest.mark.parametrize("sparsest", [False, True])
@pytest.mark.parametrize("compliance", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_they_are_solved(seed, compliance, sparsest):
    M, J, f, c = equations(seed)
    E = np.full(len(J), compliance)
    x, y = SaddlePoint(M.tolist(), sparse(J), E.tolist(), lambda *_: None, sparsest).solved(f, c)
    np.testing.assert_allclose(M @ x - J.T @ y, f, atol=1e-12)
    np.testing.assert_allclose(J @ x + E * y, c, atol=1e-12)


@pytest.mark.parametrize("sparsest", [False, True])
def test_no_constraint_is_eliminated_before_its_unknowns(sparsest):
    """Three masses that move along with one another: an equation before its last mass would divide by zero."""
    M = np.diag([1.0, 2.0, 4.0])
    J = [{0: 1.0, 1: 1.0}, {1: 1.0, 2: 1.0}]
    x, y = SaddlePoint(M.tolist(), J, [0.0, 0.0], lambda *_: None, sparsest).solved([1.0, 0.0, 0.0], [0.0, 0.0])
    np.testing.assert_allclose(x, np.array([1.0, -1.0, 1.0]) / 7.0)
    np.testing.assert_allclose(y, [-6.0 / 7.0, 4.0 / 7.0])
