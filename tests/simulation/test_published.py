"""A published simulation: the KUKA LWR of Woliński and Malczyk (2015)."""

import numpy as np
import pytest

from tauforge.papers.wolinski import TABLE_1, forward

PAPER = dict(zip((1e-6, 1e-3), TABLE_1["Scilab, BDF"], strict=True))
"""Evaluations of the right-hand side by Scilab's BDF, table 1, for each tolerance."""


@pytest.mark.parametrize("tolerance", PAPER)
def test_the_lwr_needs_fewer_evaluations_than_published(tolerance):
    found = forward(tolerance)
    assert found.evaluations < 0.4 * PAPER[tolerance]
    assert found.jacobians > 10
    wanted = np.pi / 2 * np.cos(np.pi / 7 * found.t)
    assert np.abs(found.q[:, 0] - wanted).max() < 0.1  # joint 1 follows


@pytest.mark.slow
def test_the_lwr_against_a_tight_tolerance():
    exact = forward(1e-11, "Radau")
    assert np.abs(forward(1e-6).q - exact.q).max() < 5e-6
    assert np.abs(forward(1e-10, "LSODA").q - exact.q).max() < 1e-7
