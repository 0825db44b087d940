"""The cases of a sweep: a grid of values, times a list of cases or of samples."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError

CASE = "case"
"""The dimension of cases that are not on a grid."""
OF_PARAMETERS, OF_CASES = 0, 1
"""The two families of random streams that a seed has."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Axis:
    """The values of one parameter along a dimension.

    Attributes
    ----------
    name
        The parameter.
    dimension
        Its own name on a grid, otherwise "case".
    values
        An array whose first axis is the dimension, or a list of objects.
    labels
        What is written beside the results; None for the values themselves.
    """

    name: str
    dimension: str
    values: NDArray[Any] | list[Any]
    labels: tuple[str, ...] | None = None

    @property
    def objects(self) -> bool:
        """Whether the values are neither numbers nor texts nor arrays of numbers."""
        return isinstance(self.values, list)


@dataclass(frozen=True)
class Space:
    """All cases: the product of the dimensions, the last one fastest."""

    axes: tuple[Axis, ...]

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The length of each dimension."""
        return {axis.dimension: len(axis.values) for axis in self.axes}

    @property
    def count(self) -> int:
        """The number of cases."""
        return math.prod(self.sizes.values())

    @property
    def objects(self) -> dict[str, list[Any]]:
        """The values that workers receive once, and then know by their numbers."""
        return {axis.name: axis.values for axis in self.axes if isinstance(axis.values, list)}

    def sent(self, places: Ints) -> dict[str, Any]:
        """Return what a worker needs for some cases: their values, or the numbers of objects."""
        along = dict(zip(self.sizes, np.unravel_index(places, tuple(self.sizes.values())), strict=True))
        found: dict[str, Any] = {}
        for axis in self.axes:
            at = along[axis.dimension]
            found[axis.name] = at.tolist() if isinstance(axis.values, list) else _plain(axis.values[at])
        return found

    def parameters(self, place: int) -> dict[str, Any]:
        """Return the parameters of one case, objects by their labels."""
        along = dict(zip(self.sizes, np.unravel_index(place, tuple(self.sizes.values())), strict=True))
        found = dict[str, Any]()
        for axis in self.axes:
            k = int(along[axis.dimension])
            if axis.labels is not None:
                found[axis.name] = axis.labels[k]
            else:
                found[axis.name] = k if isinstance(axis.values, list) else _plain(axis.values[k : k + 1])[0]
        return found


def _plain(values: NDArray[Any]) -> list[Any]:
    """Return numbers and texts as Python's own, rows as arrays."""
    return list(values.tolist() if values.ndim == 1 else values)


def grid(parameters: Mapping[str, Any] | None) -> tuple[Axis, ...]:
    """Return one axis per parameter."""
    if parameters is None:
        return ()
    if not isinstance(parameters, Mapping):
        raise ProgramError("parameters must map names to values, such as {'mass': [1.0, 2.0]}")
    return tuple(_axis(name, name, given) for name, given in parameters.items())


def listed(cases: Mapping[str, Any] | None) -> tuple[Axis, ...]:
    """Return axes along one dimension, with as many values each."""
    if cases is None:
        return ()
    if not isinstance(cases, Mapping) or not cases:
        raise ProgramError("cases must map names to values, one per case, such as {'mass': [1.0, 2.0]}")
    axes = tuple(_axis(name, CASE, given) for name, given in cases.items())
    counts = {axis.name: len(axis.values) for axis in axes}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise ProgramError(f"cases need as many values of each parameter: {told}")
    return axes


def sampled(samples: Mapping[str, Any] | None, count: int | None, entropy: int) -> tuple[Axis, ...]:
    """Return axes with random values along one dimension. Each parameter has its own stream."""
    if samples is None:
        if count is not None:
            raise ProgramError("count is the number of samples; give samples={name: distribution} too")
        return ()
    if not isinstance(samples, Mapping) or not samples:
        raise ProgramError("samples must map names to distributions, such as {'mass': scipy.stats.norm(2, 0.1)}")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ProgramError(f"count is {count!r}; samples need a positive number of cases")
    axes = list[Axis]()
    for name, distribution in samples.items():
        _check_name(name)
        stream = np.random.SeedSequence(entropy, spawn_key=(OF_PARAMETERS, zlib.crc32(name.encode())))
        axes.append(_axis(name, CASE, _draw(name, distribution, int(count), np.random.default_rng(stream))))
    return tuple(axes)


def _draw(name: str, distribution: Any, count: int, rng: np.random.Generator) -> Any:
    """Return random values of a distribution of SciPy, old or new, or of a function of a generator."""
    if hasattr(distribution, "rvs"):
        found = np.asarray(distribution.rvs(size=count, random_state=rng))
        if found.shape[:1] != (count,):  # SciPy drops an axis of length 1 from multivariate ones
            found = found.reshape(count, *found.shape)
        return found
    if hasattr(distribution, "sample"):
        return distribution.sample(count, rng=rng)
    if callable(distribution):
        return [distribution(rng) for _ in range(count)]
    raise ProgramError(
        f"{name}: {type(distribution).__name__} is not a distribution; give one of scipy.stats, or a function of a "
        "numpy.random.Generator; values to combine go into the grid"
    )


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name.isidentifier():
        raise ProgramError(f"{name!r} is not the name of a parameter of a function")
    if name in (CASE, "status", "error", "traceback"):
        raise ProgramError(f"{name!r} has a meaning of its own in the results; rename this parameter")


def _axis(name: str, dimension: str, given: Any) -> Axis:
    """Return an axis of numbers, texts, rows of numbers, or objects; a mapping gives objects their labels."""
    _check_name(name)
    if isinstance(given, Mapping):
        labels = tuple(map(str, given))
        if len(set(labels)) < len(labels):
            raise ProgramError(f"{name}: two values have the same label")
        return _nonempty(Axis(name, dimension, list(given.values()), labels))
    if isinstance(given, str) or not (isinstance(given, Sequence) or hasattr(given, "__array__")):
        raise ProgramError(f"{name} is {type(given).__name__}; give a list or an array of its values")
    try:
        values = np.asarray(given)
    except (TypeError, ValueError):  # such as rows of different lengths
        values = np.empty(0, object)
    if values.dtype.kind in "biufc" and values.ndim >= 1:
        return _nonempty(Axis(name, dimension, values))
    if values.dtype.kind == "U" and all(isinstance(x, str) for x in given):
        return _nonempty(Axis(name, dimension, values))
    return _nonempty(Axis(name, dimension, list(given)))


def _nonempty(axis: Axis) -> Axis:
    if not len(axis.values):
        raise ProgramError(f"{axis.name} has no values; give at least one")
    return axis
