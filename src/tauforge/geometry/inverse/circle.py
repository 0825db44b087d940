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

from ...graph.functions import absolute, cos, sign, sin
from ...graph.node import Scalar
from ...models.loops.closed_form.turning import positive
from ...program.program import Program
from ...runtime.function import Function
from .chain import Floats
from .orthogonal import given, made
from .result import Truths

GRID, PARTS, LEVELS = 64, 8, 4
"""Cells round the circle, parts of a cell that is cut, and how many sizes of cells there are."""
HERMITE = 1.0 / 30000.0
"""Bounds the error of the polynomial's coefficients, and of their differences, if multiplied by h⁶ max |f⁽⁶⁾|."""
NOISE, LEAST = 1e-12, 3e-14
"""What may be rounding, relative to the largest value, in the first cells and in their parts."""
TOUCHING = 1e-7
"""How near to zero, relative to the largest value, a wave that does not cross it may touch it."""
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


def zeros(values: Floats) -> Zeros:
    """Return the zeros of waves from values (k, 2 D + 1) at equal steps of the angle, from 0."""
    waves, count = _amplitudes(values), len(values)
    bound, size = _bounds(waves, values)
    told = _kinds(waves.shape[1])(waves[:, None], _ends(), bound[:, None])[..., 0]
    unclear = ~np.isfinite(size) | (told >= LOW).any(axis=1)
    wave, cell = np.nonzero((told > 0.0) & ~unclear[:, None])
    kind, ends = told[wave, cell], _ends()[cell]
    found, crossing = list[tuple[NDArray[np.intp], Floats]](), list[NDArray[np.intp]]()
    for level in range(LEVELS):
        one = np.flatnonzero(kind % LOW == ONE)
        found.append((wave[one], _towards(waves[wave[one]], ends[one], 0)))
        crossing.append(wave[one])
        rest = kind % LOW == UNSURE
        wave, ends = wave[rest], ends[rest]
        if not len(wave) or level == LEVELS - 1:
            break
        wave, ends = np.repeat(wave, PARTS), _cut(ends)
        bound[:, 0] *= PARTS**-10.0
        bound[:, 1] = LEAST * size
        kind = _kinds(waves.shape[1])(waves[wave], ends, bound[wave])[:, 0]
        unclear |= np.bincount(wave[kind >= LOW], minlength=count) > 1
        some = (kind > 0.0) & ~unclear[wave]
        wave, ends, kind = wave[some], ends[some], kind[some]
    if len(wave):
        own, angle, beyond = _closely(waves[wave], ends, size[wave])
        found.append((wave[own], angle))
        crossing.append(wave[own[beyond]])
    crossed = np.bincount(np.concatenate(crossing), minlength=count)
    wave, angle = (np.concatenate(parts) for parts in zip(*found, strict=True))
    unclear |= crossed % 2 != 0
    some = ~unclear[wave]
    return Zeros(wave[some], angle[some], crossed, unclear)


def sampled(values: Floats) -> Floats:
    """Return waves at the ends of cells, from values at equal steps of the angle."""
    return np.asarray(_value(values.shape[1] // 2 + 1)(_amplitudes(values)[:, None], _ends()[:, :1])[..., 0])


@cache
def _ends() -> Floats:
    at = np.arange(GRID + 1) * (2.0 * np.pi / GRID)
    return np.stack([at[:-1], at[1:]], axis=1)


def _cut(ends: Floats) -> Floats:
    """Return the parts of cells."""
    at = ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * (np.arange(PARTS + 1) / PARTS)
    return np.stack([at[:, :-1], at[:, 1:]], axis=2).reshape(-1, 2)


def _amplitudes(values: Floats) -> Waves:
    return (values @ _transform(values.shape[1])).reshape(len(values), -1, 2)


@cache
def _transform(count: int) -> Floats:
    """Return what makes amplitudes of values at equal steps."""
    waves = np.fft.rfft(np.eye(count), axis=1) * (2.0 / count)
    waves[:, 0] *= 0.5
    return np.stack([waves.real, waves.imag], axis=2).reshape(count, -1)


def _bounds(waves: Waves, values: Floats) -> tuple[Floats, Floats]:
    """Return what bounds polynomials' errors in the first cells, with what may be rounding, (k, 2); and the largest
    values.
    """
    size = np.abs(values).max(axis=1)
    tenth = np.abs(waves).sum(axis=2) @ np.arange(waves.shape[1]) ** 10.0
    return np.stack([HERMITE * (2.0 * np.pi / GRID) ** 10 / 384.0 * tenth, NOISE * size], axis=1), size


def _closely(waves: Waves, ends: Floats, size: Floats) -> tuple[NDArray[np.intp], Floats, Truths]:
    """Return zeros in the smallest cells, where there may be several: numbers of cells, angles, and whether the wave
    crosses zero there; if not, it comes near to it.
    """
    f, slope, _ = np.moveaxis(_value(waves.shape[1])(waves[:, None], ends[..., None]), 2, 0)
    crossing = (f[:, 0] < 0.0) != (f[:, 1] < 0.0)
    row = np.flatnonzero(crossing)
    angle = _towards(waves[row], ends[row], 0)
    own = np.flatnonzero(~crossing & (f[:, 0] * slope[:, 0] <= 0.0) & (f[:, 1] * slope[:, 1] >= 0.0))
    bottom = _towards(waves[own], ends[own], 1)
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


def _towards(waves: Waves, ends: Floats, order: int) -> Floats:
    """Return zeros of waves, or of their first derivatives, within cells."""
    return np.asarray(_nearing(waves.shape[1], order)(waves, ends)[:, 0])


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
def _kinds(frequencies: int) -> Function:
    """Return ``waves, ends, bound -> kind``: how many zeros there are in a cell between two angles."""
    waves, ends, bound = given("waves", frequencies, 2), given("ends", 2), given("bound", 2)
    low, high = ends.nodes
    off, noise = bound.nodes
    h = high - low
    (f, slope, bend, *more), (g, steep, bent, *last) = (
        _derivatives(waves.nodes, at, (0, 1, 2, 6, 7)) for at in (low, high)
    )
    sixth = absolute(more[0]) + absolute(last[0]) + h * (absolute(more[1]) + absolute(last[1])) * (1.0 / 3.0)
    error = HERMITE * h * h * h * h * h * h * sixth + off + noise
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
        Program("kinds", {"waves": waves, "ends": ends, "bound": bound}, {"kind": made([kind], 1)}), warn=False
    )


def _all(numbers: list[Scalar]) -> Scalar:
    """Return 1 if all are positive, 0 if not."""
    return positive(sum((sign(x) for x in numbers), start=0.5 - len(numbers)))


@cache
def _nearing(frequencies: int, order: int) -> Function:
    """Return ``waves, ends -> angle``: steps from where a line is zero, between two ends that come closer; Halley's
    steps towards zeros, Newton's towards those of the first derivative, and to the middle where these leave the cell.
    """
    waves, ends = given("waves", frequencies, 2), given("ends", 2)
    low, high = ends.nodes
    start, g = (_derivatives(waves.nodes, at)[order] for at in (low, high))
    angle = low + (high - low) * _ratio(start, start - g)
    for _ in range(STEPS):
        f, slope, bend = [*_derivatives(waves.nodes, angle), 0.0][order : order + 3]
        same = positive(sign(f) * sign(start))
        low, high = low + same * (angle - low), angle + same * (high - angle)
        after = angle - _ratio(2.0 * f * slope, 2.0 * slope * slope - f * bend)
        beyond = positive(-(after - low) * (high - after))
        angle = after + beyond * (0.5 * (low + high) - after)
    return Function(Program("zero", {"waves": waves, "ends": ends}, {"angle": made([angle], 1)}), warn=False)


def _ratio(x: Scalar, y: Scalar) -> Scalar:
    """Return a ratio, and a number where there is none."""
    return x / (y + 1.0 - positive(absolute(y)))


def frequencies(values: Floats, tolerance: float = 1e-9) -> int:
    """Return the highest frequency of waves (k, N) that is more than rounding."""
    waves = np.abs(np.fft.rfft(values, axis=1))
    part = (waves / waves.max(axis=1, keepdims=True)).max(axis=0)
    return int(np.flatnonzero(part > tolerance).max(initial=0))
