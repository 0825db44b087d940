"""Compiled reading of tables against interpolation written out in NumPy."""

from itertools import product

import numpy as np
import pytest

from tauforge.llvm.lookup import Dimension
from tauforge.tabulation.lookup import Lookup


def interpolated(dimensions, values, q):
    """Return the sum over the corners of each cell of value times weight."""
    total = np.zeros((len(q), values.shape[-1]))
    for corner in product((0, 1), repeat=len(dimensions)):
        weight, places = np.ones(len(q)), []
        for side, (k, start, step, points, periodic) in zip(corner, dimensions, strict=True):
            u = (q[:, k] - start) / step
            u = np.mod(u, points) if periodic else u
            low = np.clip(np.floor(u), 0, points - 2 + periodic).astype(int)
            places.append((low + side) % points)
            weight *= (u - low) if side else 1 - (u - low)
        total += values[tuple(places)] * weight[:, None]
    return total


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_against_numpy(count):
    random = np.random.default_rng(count)
    dimensions = [
        Dimension(count - axis, -1.0, 0.1 + 0.1 * axis, 3 + axis, bool(random.integers(2))) for axis in range(count)
    ]
    values = random.normal(size=(*(d.points for d in dimensions), 8))
    q = random.uniform(-1.0, -0.8, (100, count + 1))
    for d in dimensions:
        if d.periodic:
            q[:, d.coordinate] = random.uniform(-9, 9, 100)
    np.testing.assert_allclose(Lookup(dimensions, values)(q), interpolated(dimensions, values, q), atol=1e-12)


def test_what_is_no_number_gives_none():
    lookup = Lookup([Dimension(0, 0.0, 1.0, 4, True), Dimension(1, 0.0, 1.0, 4, False)], np.ones((4, 4, 4)))
    q = np.array([[np.nan, 1.0], [1.0, np.nan], [np.inf, 0.0], [1e300, 2.0], [0.5, 1.5]])
    found = lookup(q)
    assert np.isnan(found[:3]).all()
    np.testing.assert_allclose(found[4], 1.0)
    assert lookup(q[:0]).shape == (0, 4)
