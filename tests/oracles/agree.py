"""Comparison of arrays from two engines."""

import numpy as np


def agree(ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-9) -> None:
    """Compare arrays, relative to the largest entry."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max(initial=0.0) <= tolerance * max(1.0, np.abs(theirs).max(initial=0.0))


def solved(M: np.ndarray) -> float:
    """Return the tolerance for solutions of M x = b: those of an ill-conditioned matrix are blurred by rounding."""
    return 1e-9 if np.linalg.cond(M) < 1e4 else 1e-7
