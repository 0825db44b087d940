"""Real zeros of the determinant of a general arm, a function of one angle: a wave of few frequencies.

The determinant is known at equal steps round the circle, so its waves follow by a Fourier transform, which loses no
digits. The circle is then cut into cells. In each, the polynomial of degree 5 that has the wave's value, slope and bend
at both ends differs from the wave by at most h⁶/46080 max |f⁽⁶⁾|, which a cubic polynomial bounds in the same way. Its
coefficients in Bernstein's form tell whether there is no zero or one; cells where they do not are cut again. In what is
left at last, the wave may touch zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...graph.functions import absolute, cos, sign, sin, sqrt
from ...graph.node import Scalar
from ...models.loops.closed_form.turning import positive
from ...program.program import Program
from ...runtime.function import Function
from .chain import Floats
from .orthogonal import TINY, given, made
from .result import Truths

GRID, PARTS, LEVELS = 64, 8, 4
"""Cells round the circle, parts of a cell that is cut, and how many sizes of cells there are."""
HERMITE = 1.0 / 30000.0
"""Bounds the error of the polynomial's coefficients, and of their differences, if multiplied by h⁶ max |f⁽⁶⁾|."""
NOISE, LEAST = 1e-12, 3e-14
"""What may be rounding, relative to the size of the wave, in the first cells and in their parts, if not more is known
to be.
"""
TOUCHING = 1e-7
"""How near to zero, relative to its size, a wave that does not cross it may touch it."""
STEPS = 6
"""Steps towards a zero."""
ONE, UNSURE, LOW = 1.0, 2.0, 4.0
"""What is told of a cell: one zero, none or several; added if the wave is lost in rounding at its start."""


Waves = NDArray[np.float64]
"""Real and imaginary parts of amplitudes (k, D + 1, 2) of the frequencies from 0; the real part of the sum is the
wave.
"""


class Zeros(NamedTuple):
    """Zeros of waves (k): which wave each belongs to, its angle, how many zeros each wave crosses, and waves that are
    lost in rounding somewhere, whose zeros are left out.
    """

    wave: NDArray[np.intp]
    angle: Floats
    crossed: NDArray[np.intp]
    unclear: Truths


def zeros(values: Floats, noise: float = 0.0) -> Zeros:
    """Return the zeros of waves from values (k, 2 D + 1) at equal steps of the angle, from 0; with what is known to be
    rounding, relative to the size of the wave.
    """
    (waves, bound), count = spectrum(values.shape[1])(values), len(values)
    size = bound[:, 1]
    first = first_cells(noise)
    told = kinds(waves.shape[1])(waves[:, None], first, bound[:, None])[..., 0]
    unclear = ~np.isfinite(size) | (told >= LOW).any(axis=1)
    wave, cell = np.nonzero((told > 0.0) & ~unclear[:, None])
    kind, cells = told[wave, cell], first[cell]
    found, crossing = list[tuple[NDArray[np.intp], Floats]](), list[NDArray[np.intp]]()
    for level in range(LEVELS):
        one = np.flatnonzero(kind % LOW == ONE)
        found.append((wave[one], _towards(waves[wave[one]], cells[one], 0)))
        crossing.append(wave[one])
        rest = kind % LOW == UNSURE
        wave, cells = wave[rest], cells[rest]
        if not len(wave) or level == LEVELS - 1:
            break
        wave, cells = np.repeat(wave, PARTS), cut(cells, noise)
        kind = kinds(waves.shape[1])(waves[wave], cells, bound[wave])[:, 0]
        unclear |= np.bincount(wave[kind >= LOW], minlength=count) > 1
        some = (kind > 0.0) & ~unclear[wave]
        wave, cells, kind = wave[some], cells[some], kind[some]
    if len(wave):
        own, angle, beyond = _closely(waves[wave], cells, size[wave])
        found.append((wave[own], angle))
        crossing.append(wave[own[beyond]])
    crossed = np.bincount(np.concatenate(crossing), minlength=count)
    wave, angle = (np.concatenate(parts) for parts in zip(*found, strict=True))
    unclear |= crossed % 2 != 0
    some = ~unclear[wave]
    return Zeros(wave[some], angle[some], crossed, unclear)


def sampled(values: Floats) -> Floats:
    """Return waves at the ends of cells, from values at equal steps of the angle."""
    waves, _ = spectrum(values.shape[1])(values)
    return np.asarray(_value(waves.shape[1])(waves[:, None], first_cells(0.0)[:, :1])[..., 0])


def cut(cells: Floats, noise: float) -> Floats:
    """Return the parts of cells (m, 3)."""
    at = cells[:, :1] + (cells[:, 1:2] - cells[:, :1]) * (np.arange(PARTS + 1) / PARTS)
    return _cells(at, max(LEAST, noise)).reshape(-1, 3)


def _cells(at: Floats, noise: float) -> Floats:
    """Return cells between consecutive angles (..., m): both ends, and what may be rounding there."""
    return np.stack([at[..., :-1], at[..., 1:], np.full_like(at[..., 1:], noise)], axis=-1)


@cache
def first_cells(noise: float) -> Floats:
    """Return the cells (GRID, 3) that are not yet cut."""
    return _cells(np.linspace(0.0, 2.0 * np.pi, GRID + 1), max(NOISE, noise))


@cache
def spectrum(count: int) -> Function:
    """Return ``values -> waves, bound``: amplitudes, from values at equal steps; a bound of the tenth derivative, and
    the size of the wave.
    """
    values, D = given("values", count), count // 2
    size = sqrt(sum((x * x for x in values.nodes), start=TINY))
    parts, tenth = list[Scalar](), 0.0 * size
    for n in range(D + 1):
        turns = 2.0 * np.pi * n / count * np.arange(count)
        own = [_sum(values.nodes, part / count * (1.0 if n == 0 else 2.0)) for part in (np.cos(turns), -np.sin(turns))]
        tenth = tenth + float(n**10) * (absolute(own[0]) + absolute(own[1]))
        parts += own
    results = {"waves": made(parts, D + 1, 2), "bound": made([tenth, size], 2)}
    return Function(Program("spectrum", {"values": values}, results), warn=False)


def _sum(nodes: Sequence[Scalar], factors: Floats) -> Scalar:
    return sum((x * float(y) for x, y in zip(nodes, factors, strict=True)), start=0.0)


def _closely(waves: Waves, cells: Floats, size: Floats) -> tuple[NDArray[np.intp], Floats, Truths]:
    """Return zeros in the smallest cells, where there may be several: numbers of cells, angles, and whether the wave
    crosses zero there; if not, it comes near to it.
    """
    f, slope, _ = np.moveaxis(_value(waves.shape[1])(waves[:, None], cells[:, :2, None]), 2, 0)
    crossing = (f[:, 0] < 0.0) != (f[:, 1] < 0.0)
    row = np.flatnonzero(crossing)
    angle = _towards(waves[row], cells[row], 0)
    own = np.flatnonzero(~crossing & (f[:, 0] * slope[:, 0] <= 0.0) & (f[:, 1] * slope[:, 1] >= 0.0))
    bottom = _towards(waves[own], cells[own], 1)
    value, _, bend = _value(waves.shape[1])(waves[own], bottom[:, None]).T
    beyond = value * f[own, 0] < 0.0
    touch = beyond | (np.abs(value) < TOUCHING * size[own])
    own, bottom, beyond = own[touch], bottom[touch], beyond[touch]
    with np.errstate(all="ignore"):
        half = np.minimum(np.nan_to_num(np.sqrt(np.abs(2.0 * value[touch] / bend[touch]))), 0.1)
    return (
        np.concatenate([row, own, own]),
        np.concatenate([angle, bottom - half, bottom + half]),
        np.concatenate([np.ones(len(row), dtype=bool), beyond, beyond]),
    )


def _towards(waves: Waves, cells: Floats, order: int) -> Floats:
    """Return zeros of waves, or of their first derivatives, within cells."""
    return np.asarray(nearing(waves.shape[1], order)(waves, cells)[:, 0])


def _derivatives(parts: Sequence[Scalar], angle: Scalar, orders: Sequence[int] = (0, 1, 2)) -> list[Scalar]:
    """Return derivatives of a wave, given as real and imaginary parts of its amplitudes."""
    c, s = cos(angle), sin(angle)
    x: Scalar = 1.0
    y: Scalar = 0.0
    f: list[Scalar] = [parts[0] if order == 0 else 0.0 for order in orders]
    for n in range(1, len(parts) // 2):
        x, y = x * c - y * s, x * s + y * c
        re, im = parts[2 * n] * x - parts[2 * n + 1] * y, parts[2 * n] * y + parts[2 * n + 1] * x
        turned = (re, -im, -re, im)  # a derivative turns by a quarter
        f = [old + float(n**order) * turned[order % 4] for old, order in zip(f, orders, strict=True)]
    return f


@cache
def _value(frequencies: int) -> Function:
    waves, angle = given("waves", frequencies, 2), given("angle", 1)
    found = made(_derivatives(waves.nodes, angle.nodes[0]), 3)
    return Function(Program("wave", {"waves": waves, "angle": angle}, {"f": found}), warn=False)


@cache
def kinds(frequencies: int) -> Function:
    """Return ``waves, cell, bound -> kind``: how many zeros there are in a cell."""
    waves, cell, bound = given("waves", frequencies, 2), given("cell", 3), given("bound", 2)
    low, high, rounding = cell.nodes
    tenth, size = bound.nodes
    h, noise = high - low, rounding * size
    (f, slope, bend, *more), (g, steep, bent, *last) = (
        _derivatives(waves.nodes, at, (0, 1, 2, 6, 7)) for at in (low, high)
    )
    sixth = absolute(more[0]) + absolute(last[0]) + h * (absolute(more[1]) + absolute(last[1])) * (1.0 / 3.0)
    square = h * h
    error = HERMITE * square * square * square * (sixth + square * square * tenth * (1.0 / 384.0)) + noise
    before = [f, f + 0.2 * h * slope, f + 0.4 * h * slope + 0.05 * h * h * bend]
    after = [g - 0.4 * h * steep + 0.05 * h * h * bent, g - 0.2 * h * steep, g]
    b = [*before, *after]  # coefficients in Bernstein's form
    d = [y - x for x, y in pairwise(b)]
    monotone = _all([x - error for x in d]) + _all([-x - error for x in d])
    clear = _all([absolute(x) - error for x in b])
    changes = sum((absolute(sign(x) - sign(y)) for x, y in pairwise(b)), start=0.0)  # 2 for each
    known = monotone + clear * positive(3.0 - changes)
    crossing = absolute(positive(f) - positive(g))
    unsure = 1.0 - positive(known)
    kind = ONE * (1.0 - unsure) * crossing + UNSURE * unsure + LOW * positive(noise - absolute(f))
    return Function(
        Program("kinds", {"waves": waves, "cell": cell, "bound": bound}, {"kind": made([kind], 1)}), warn=False
    )


def _all(numbers: list[Scalar]) -> Scalar:
    """Return 1 if all are positive, 0 if not."""
    return positive(sum((sign(x) for x in numbers), start=0.5 - len(numbers)))


@cache
def nearing(frequencies: int, order: int) -> Function:
    """Return ``waves, cell -> angle``: steps from where a line is zero, between two ends that come closer; Halley's
    steps towards zeros, Newton's towards those of the first derivative, and to the middle where these leave the cell.
    """
    waves, cell = given("waves", frequencies, 2), given("cell", 3)
    low, high, _ = cell.nodes
    start, g = (_derivatives(waves.nodes, at)[order] for at in (low, high))
    angle = low + (high - low) * _ratio(start, start - g)
    for _ in range(STEPS):
        f, slope, bend = [*_derivatives(waves.nodes, angle), 0.0][order : order + 3]
        same = positive(sign(f) * sign(start))
        low, high = low + same * (angle - low), angle + same * (high - angle)
        after = angle - _ratio(2.0 * f * slope, 2.0 * slope * slope - f * bend)
        beyond = positive(-(after - low) * (high - after))
        angle = after + beyond * (0.5 * (low + high) - after)
    return Function(Program("zero", {"waves": waves, "cell": cell}, {"angle": made([angle], 1)}), warn=False)


def _ratio(x: Scalar, y: Scalar) -> Scalar:
    """Return a ratio, and a number where there is none."""
    return x / (y + (1.0 - positive(absolute(y))))  # not (y + 1) - 1, which is zero for small y


def frequencies(values: Floats, tolerance: float = 1e-9) -> int:
    """Return the highest frequency of waves (k, N) that is more than rounding."""
    waves = np.abs(np.fft.rfft(values, axis=1))
    part = (waves / waves.max(axis=1, keepdims=True)).max(axis=0)
    return int(np.flatnonzero(part > tolerance).max(initial=0))
