"""Real zeros of the determinant of a general arm, a function of one angle: a wave of few frequencies.

The determinant is known at equal steps round the circle, so its waves follow by a Fourier transform, which loses no
digits. Its zeros are where it changes sign on a fine grid, and where it touches zero in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...graph.functions import absolute, cos, sin
from ...graph.node import Scalar
from ...models.loops.closed_form.turning import positive
from ...program.program import Program
from ...runtime.function import Function
from .chain import Floats
from .orthogonal import given, made
from .result import Truths

GRID, FINER = 128, 64
"""Points at which signs are compared, and parts of a cell between them where there may be several zeros."""
MORE = 1.3
"""By how much bounds from the ends of a cell are widened."""
NOISE = 1e-12
"""What may be rounding, relative to the largest value."""
TOUCHING = 1e-7
"""How near to zero, relative to the largest value, a wave that does not cross it may touch it."""
STEPS = 4
"""Newton steps towards a zero."""


Waves = NDArray[np.complex128]
"""Amplitudes (k, D + 1) of the frequencies from 0; the real part of the sum is the wave."""


class Zeros(NamedTuple):
    """Zeros of waves (k): which wave each belongs to, its angle, how many zeros each wave crosses, and waves that are
    lost in rounding somewhere.
    """

    wave: NDArray[np.intp]
    angle: Floats
    crossed: NDArray[np.intp]
    unclear: Truths


def zeros(values: Floats) -> Zeros:
    """Return the zeros of waves from values (k, 2 D + 1) at equal steps of the angle, from 0."""
    waves = _amplitudes(values)
    count, h = len(values), 2.0 * np.pi / GRID
    f, slope, bend = _sampled(waves, _steps(h, GRID), 3)
    size = np.abs(f).max(axis=1)
    after, steep, bent = np.roll(f, -1, axis=1), np.abs(slope), np.abs(bend)
    steep, bent = (np.maximum(x, np.roll(x, -1, axis=1)) for x in (steep, bent))
    plain = (slope * np.roll(slope, -1, axis=1) > 0.0) & (np.abs(slope) > MORE * h * bent)
    wave, cell = np.nonzero(((f < 0.0) != (after < 0.0)) & plain)
    low = np.asarray(cell * h, dtype=float)
    angle = _towards(waves, wave, low + h * _part(f[wave, cell], after[wave, cell]), low, h, 0)
    near = np.minimum(np.abs(f), np.abs(after)) < MORE * h * (steep + h * bent) + NOISE * size[:, None]
    rows, places = np.nonzero(near & ~plain)
    more = _closely(waves, rows, places, size)
    crossed = np.bincount(np.concatenate([wave, more.wave[more.beyond]]), minlength=count)
    unclear = ~np.isfinite(size) | ((np.abs(f) < NOISE * size[:, None]).sum(axis=1) > 1)
    return Zeros(np.concatenate([wave, more.wave]), np.concatenate([angle, more.angle]), crossed, unclear)


def sampled(values: Floats) -> Floats:
    """Return waves on the grid, from values at equal steps of the angle."""
    return _sampled(_amplitudes(values), _steps(2.0 * np.pi / GRID, GRID), 1)[0]


def _amplitudes(values: Floats) -> Waves:
    waves = np.fft.rfft(values, axis=1) * (2.0 / values.shape[1])
    waves[:, 0] *= 0.5
    return waves


class Close(NamedTuple):
    """Zeros found on a finer grid, and whether the wave crosses zero there; if not, it comes near to it."""

    wave: NDArray[np.intp]
    angle: Floats
    beyond: Truths


def _closely(waves: Waves, wave: NDArray[np.intp], cell: NDArray[np.intp], size: Floats) -> Close:
    """Return the zeros of waves in cells where there may be several."""
    low, h = cell * (2.0 * np.pi / GRID), 2.0 * np.pi / GRID / FINER
    turned = waves[wave] * np.exp(1j * np.outer(low, np.arange(waves.shape[1])))
    f, slope = _sampled(turned, _steps(h, FINER + 1), 2)
    before, after = f[:, :-1], f[:, 1:]
    crossing = (before < 0.0) != (after < 0.0)
    row, place = np.nonzero(crossing)
    at = low[row] + h * place
    angle = _towards(waves, wave[row], at + h * _part(before[row, place], after[row, place]), at, h, 0)
    turning = ~crossing & (before * slope[:, :-1] <= 0.0) & (after * slope[:, 1:] >= 0.0)
    own, place = np.nonzero(turning)
    at = low[own] + h * place
    bottom = _towards(waves, wave[own], at + 0.5 * h, at, h, 1)
    value, _, bend = _at(waves, wave[own], bottom).T
    beyond = value * before[own, place] < 0.0
    touch = beyond | (np.abs(value) < TOUCHING * size[wave[own]])
    own, bottom, beyond = wave[own[touch]], bottom[touch], beyond[touch]
    with np.errstate(all="ignore"):
        half = np.minimum(np.nan_to_num(np.sqrt(np.abs(2.0 * value[touch] / bend[touch]))), 0.1)
    return Close(
        np.concatenate([wave[row], own, own]),
        np.concatenate([angle, bottom - half, bottom + half]),
        np.concatenate([np.ones(len(row), dtype=bool), beyond, beyond]),
    )


@cache
def _steps(h: float, count: int) -> tuple[float, ...]:
    return tuple(h * k for k in range(count))


def _part(before: Floats, after: Floats) -> Floats:
    """Return where a line between two values is zero, as a part of the way."""
    return np.asarray(before / (before - after))


def _sampled(waves: Waves, angles: tuple[float, ...], count: int) -> list[Floats]:
    """Return waves at the same angles, with their first derivatives: some arrays (k, angles)."""
    found = np.concatenate([waves.real, waves.imag], axis=1) @ _table(waves.shape[1], angles, count)
    m = len(angles)
    return [found[:, k * m : k * m + m] for k in range(count)]


@cache
def _table(frequencies: int, angles: tuple[float, ...], count: int) -> Floats:
    n = np.arange(frequencies)
    tables = [(1j * n[:, None]) ** k * np.exp(1j * np.outer(n, angles)) for k in range(count)]
    return np.concatenate([np.concatenate([x.real, -x.imag]) for x in tables], axis=1)


def _towards(waves: Waves, wave: NDArray[np.intp], start: Floats, low: Floats, width: float, order: int) -> Floats:
    """Return zeros of waves, or of their first derivatives, within cells, by Newton's steps."""
    given = np.stack([start, low, low + width], axis=1)
    return np.asarray(_newton(waves.shape[1], order)(_parts(waves)[wave], given)[:, 0])


def _at(waves: Waves, wave: NDArray[np.intp], angle: Floats) -> Floats:
    """Return some waves at angles, with two derivatives, (k, 3)."""
    return np.asarray(_value(waves.shape[1])(_parts(waves)[wave], angle[:, None]))


def _parts(waves: Waves) -> Floats:
    return waves.view(np.float64).reshape(*waves.shape, 2)


def _derivatives(parts: Sequence[Scalar], angle: Scalar) -> list[Scalar]:
    """Return a wave, given as real and imaginary parts of its amplitudes, and two derivatives."""
    c, s = cos(angle), sin(angle)
    x: Scalar = 1.0
    y: Scalar = 0.0
    f: list[Scalar] = [parts[0], 0.0, 0.0]
    for n in range(1, len(parts) // 2):
        x, y = x * c - y * s, x * s + y * c
        re, im = parts[2 * n] * x - parts[2 * n + 1] * y, parts[2 * n] * y + parts[2 * n + 1] * x
        f = [f[0] + re, f[1] - n * im, f[2] - n * n * re]
    return f


@cache
def _value(frequencies: int) -> Function:
    waves, angle = given("waves", frequencies, 2), given("angle", 1)
    found = made(_derivatives(waves.nodes, angle.nodes[0]), 3)
    return Function(Program("wave", {"waves": waves, "angle": angle}, {"f": found}), warn=False)


@cache
def _newton(frequencies: int, order: int) -> Function:
    """Return ``waves, cell -> angle``: steps from a start, between two ends."""
    waves, cell = given("waves", frequencies, 2), given("cell", 3)
    angle, low, high = cell.nodes
    for _ in range(STEPS):
        f = _derivatives(waves.nodes, angle)
        none = 1.0 - positive(f[order + 1] * f[order + 1])
        angle = angle - f[order] / (f[order + 1] + none)
        angle = 0.5 * (angle + low + absolute(angle - low))
        angle = 0.5 * (angle + high - absolute(angle - high))
    return Function(Program("zero", {"waves": waves, "cell": cell}, {"angle": made([angle], 1)}), warn=False)


def frequencies(values: Floats, tolerance: float = 1e-9) -> int:
    """Return the highest frequency of waves (k, N) that is more than rounding."""
    waves = np.abs(np.fft.rfft(values, axis=1))
    part = (waves / waves.max(axis=1, keepdims=True)).max(axis=0)
    return int(np.flatnonzero(part > tolerance).max(initial=0))
