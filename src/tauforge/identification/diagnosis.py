"""What the channels of a fit say of each other: which measured channel each row of the model explains, and how large a
channel is beside what is expected of it.

All of it follows from one triangle per channel, of its own columns and every measured channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from .columns import Columns
from .estimate import weighted
from .factor import triangle
from .samples import Block, Samples

Floats = NDArray[np.float64]
HALVED = 0.5
"""Residual of a channel under another row of the model, relative to that under its own, from which it is misplaced."""
TRIED = 4096
"""Samples on which exchanged coordinates are tried."""
PAIRS = 66
"""Pairs of coordinates that are tried at most."""


def channel_triangles(samples: Samples) -> list[Floats]:
    """Return for each channel the triangle of its own columns and, after them, of all measured channels."""
    stacked = zip(*samples.passed(partial(_triangles, rows=samples.columns.rows)), strict=True)
    return [triangle(np.vstack(each)) for each in stacked]


def _triangles(blocks: Iterable[Block], rows: Sequence[Sequence[int]]) -> list[Floats]:
    triangles = [np.zeros((0, len(own) + len(rows))) for own in rows]
    for block in blocks:
        for k, Y in enumerate(block.parts):
            counted = block.tau * block.counted[:, k, None]
            triangles[k] = triangle(np.vstack([triangles[k], np.column_stack([Y, counted])]))
    return triangles


def residual_shares(triangles: Sequence[Floats]) -> Floats:
    """Return what is left of each measured channel under each row of the model, relative to it (measured, rows)."""
    count = len(triangles)
    shares = np.ones((count, count))
    for k, T in enumerate(triangles):
        own = T.shape[1] - count
        whole = np.linalg.norm(T[:, own:], axis=0)
        left, sizes, _ = np.linalg.svd(T[:, :own] / np.maximum(np.linalg.norm(T[:, :own], axis=0), 1e-300))
        free = left[:, int(np.sum(sizes > 1e-9 * sizes.max(initial=0.0))) :]
        shares[:, k] = np.linalg.norm(free.T @ T[:, own:], axis=0) / np.maximum(whole, 1e-300)
    return shares


def best_order(shares: Floats) -> list[int]:
    """Return the row of the model that each measured channel belongs to; its own unless another is far better."""
    count = len(shares)
    rows, order = linear_sum_assignment(np.log(np.maximum(shares, 1e-9)))
    moved = order != rows
    clear = shares[rows, order] < HALVED * np.diag(shares)
    return [int(x) for x in order] if np.all(clear[moved]) else list(range(count))


def expected_scales(triangles: Sequence[Floats], columns: Columns, expected: Floats) -> tuple[Floats, Floats]:
    """Return each measured channel as a multiple of what expected values of the links give, and their correlation, all
    other columns left free.
    """
    count = len(triangles)
    links = columns.inertial & np.array([key != "IA" for key, _ in columns.keys])
    scales, correlations = np.zeros(count), np.zeros(count)
    for k, (T, own) in enumerate(zip(triangles, columns.rows, strict=True)):
        places = np.array(own)
        rigid = links[places]
        free = T[:, : len(own)][:, ~rigid]
        free = free[:, np.linalg.norm(free, axis=0) > 0.0]
        predicted = T[:, : len(own)][:, rigid] @ expected[places[rigid]]
        R = triangle(np.column_stack([free, predicted, T[:, len(own) + k]]))
        (a, b), (_, c) = R[-2:, -2:]
        if abs(a) > 1e-9 * np.linalg.norm(predicted) and b:
            scales[k], correlations[k] = b / a, b / np.hypot(b, c) * np.sign(a)
    return scales, correlations


def exchanged_coordinates(samples: Samples) -> tuple[int, int] | None:
    """Return two coordinates whose columns, exchanged, halve what is left of two channels; None if there are none."""
    robot = samples.columns.robot
    names = robot.coordinate_names
    if robot.loops or robot.base.floating or names != robot.velocity_names:
        return None
    pairs = list(combinations(range(len(names)), 2))
    if len(pairs) > PAIRS:
        return None
    some = samples.changed(
        sources=[source.start_of(max(TRIED // len(samples.sources), 256)) for source in samples.sources], executor=None
    )
    before = _logarithm(some)
    best: tuple[int, int] | None = None
    least = before + 2.0 * np.log(HALVED)
    for a, b in pairs:
        order = list(range(len(names)))
        order[a], order[b] = b, a
        sources = []
        for source in some.sources:
            arrays = {key: getattr(source.recording, key) for key in ("q", "qd", "qdd")}
            swapped = {key: x[: source.last + TRIED][:, order] for key, x in arrays.items() if x is not None}
            rest = {key: getattr(source.recording, key)[: source.last + TRIED] for key in ("t", "tau")}
            recording = source.recording.changed(reference=None, **swapped, **rest)
            sources.append(replace(source, recording=recording))
        if (found := _logarithm(some.changed(sources=sources))) < least:
            best, least = (a, b), found
    return best


def _logarithm(samples: Samples) -> float:
    """Return the sum of the logarithms of the channels' noises."""
    return float(np.sum(np.log(weighted(samples.factor(), samples.columns).noise)))
