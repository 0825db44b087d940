"""The arguments of a call: ordered, converted to arrays and, if NumPy refuses them, explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..program.array import Shape
from ..program.program import PARAMETERS, Program

_MANY = 12  # labels shown in a message
_NUMBERS = (float, int, np.float64)  # types that lists mostly hold, and that are never masked


def in_order(program: Program, given: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the arguments in the order of the Program's inputs."""
    names = [*program.arguments]
    rest = names[len(given) :]
    if len(given) <= len(names) and named.keys() == set(rest):
        return (*given, *map(named.__getitem__, rest))
    call = f"{program.name}({', '.join(names)})"
    if len(given) > len(names):
        raise ProgramError(f"{call} takes {len(names)} arrays, {len(given)} were given; results go to out=")
    if unknown := [name for name in named if name not in names]:
        raise ProgramError(f"{call} has no input {', '.join(unknown)}")
    if twice := [name for name in names[: len(given)] if name in named]:
        raise ProgramError(f"{call}: {', '.join(twice)} was given twice, by position and by name")
    missing = [name for name in rest if name not in named]
    hint = f"; the parameters are {listed(program.parameters)}" if PARAMETERS in missing else ""
    raise ProgramError(f"{call} needs {', '.join(missing)}{hint}")


def as_arrays(program: Program, arguments: Sequence[Any], dtype: np.dtype[Any]) -> tuple[NDArray[Any], ...]:
    """Return each argument as a plain array; plain numbers are rounded to the dtype."""
    return tuple(_array(program, name, value, dtype) for name, value in zip(program.arguments, arguments, strict=True))


def _array(program: Program, name: str, value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    if isinstance(value, Mapping) and holds_parameters(program, name):
        values = by_name(program, name, value)
        arrays = [_array(program, each, x, dtype) for each, x in zip(program.parameters, values, strict=True)]
        try:
            return np.stack(np.broadcast_arrays(*arrays), axis=-1)
        except ValueError as error:
            raise ProgramError(f"{program.name}: the values in {name} do not broadcast together: {error}") from None
    if _is_masked(value):
        raise ProgramError(
            f"{program.name}: {name} has masked elements, for which there are no values; leave these states out, or "
            f"fill in values, as {name}.filled(numpy.nan) does"
        )
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ProgramError(f"{program.name}: {name} cannot be converted to an array: {error}") from None
    if not isinstance(value, np.ndarray) and np.can_cast(array.dtype, np.float64, "safe"):
        return array.astype(dtype)
    return array


def _is_masked(value: Any) -> bool:
    """Tell whether an element is masked: of an array, of an array in a list, or of one that an object converts to."""
    if isinstance(value, np.ma.MaskedArray):
        return bool(np.ma.is_masked(value))
    if type(value) in (list, tuple):
        return any(_is_masked(x) for x in value if type(x) not in _NUMBERS)
    made = hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic)
    return made and _is_masked(np.asanyarray(value))


def holds_parameters(program: Program, name: str) -> bool:
    """Tell whether an input has one entry for each parameter: the parameters, or a direction in which they move."""
    return name in program.inputs and bool(program.parameters) and program.inputs[name].labels == (program.parameters,)


def by_name(program: Program, name: str, values: Mapping[str, Any]) -> list[Any]:
    """Return the entries of an input that has one for each parameter from their values by name; more are allowed."""
    if missing := [x for x in program.parameters if x not in values]:
        raise ProgramError(f"{program.name}: {name} lacks {listed(missing)}")
    return [values[x] for x in program.parameters]


def output_arrays(program: Program, out: Any, dtype: np.dtype[Any]) -> tuple[NDArray[Any] | None, ...]:
    """Return ``out`` as one array per output; None if a new one is needed. Their entries must all be different ones."""
    arrays = _output_arrays(program, out, dtype)
    for place, (name, array) in enumerate(zip(program.results, arrays, strict=True)):
        if array is None or not array.flags.writeable:  # which NumPy refuses
            continue
        if _overlaps_itself(array):
            raise ProgramError(
                f"{program.name}: several entries of out for {name} are at the same place in memory, so that results "
                "would replace each other; give an array of its own, such as numpy.empty(…)"
            )
        for other, before in zip(program.results, arrays[:place], strict=False):
            if before is not None and _overlap(before, array):
                raise ProgramError(
                    f"{program.name}: out for {other} and for {name} share memory, so that results would replace each "
                    "other; give each an array of its own"
                )
    return arrays


def _overlaps_itself(array: NDArray[Any]) -> bool:
    """Tell whether two entries of an array share memory, as after ``broadcast_to``."""
    if array.flags.forc or not array.size:
        return False
    axes = sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True) if size > 1)
    end = array.itemsize  # of what the axes so far reach over
    for stride, size in axes:
        if stride < end:
            break
        end += stride * (size - 1)
    else:
        return False
    offsets = np.zeros((), np.int64)
    for stride, size in axes:
        offsets = offsets[..., None] + np.arange(size) * stride
    return bool(np.diff(np.sort(offsets, axis=None)).min(initial=end) < array.itemsize)


_WORK = 100_000
"""Candidate solutions that NumPy tries before it gives up on telling whether two arrays share memory."""


def _overlap(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Tell whether two arrays share memory, or cannot be told apart without much work."""
    try:
        return np.shares_memory(one, other, max_work=_WORK)  # type: ignore[arg-type]  # any number, says NumPy
    except np.exceptions.TooHardError:
        return True


def _output_arrays(program: Program, out: Any, dtype: np.dtype[Any]) -> tuple[NDArray[Any] | None, ...]:
    if type(out) is np.ndarray and out.dtype == dtype and len(program.results) == 1:
        return (out,)
    names = ", ".join(program.results)
    if isinstance(out, Mapping):
        if unknown := [str(name) for name in out if name not in program.results]:
            raise ProgramError(f"{program.name}: out has {', '.join(unknown)}; the outputs are {names}")
        arrays = tuple(map(out.get, program.results))
    else:
        arrays = tuple(out) if isinstance(out, tuple) else (out,)
    if len(arrays) != len(program.results):
        raise ProgramError(f"{program.name}: out must be a tuple or a mapping with {names}")
    for name, array in zip(program.results, arrays, strict=True):
        if array is not None and not (isinstance(array, np.ndarray) and array.dtype == dtype):
            kind = f"dtype {array.dtype}" if isinstance(array, np.ndarray) else f"type {type(array).__name__}"
            raise ProgramError(f"{program.name}: out for {name} has {kind}; it must be a NumPy array of {dtype}")
        if _is_masked(array):
            raise ProgramError(f"{program.name}: out for {name} has masked elements; pass its data, {name}.data")
    return arrays


def batch_axes(program: Program, arguments: Sequence[NDArray[Any]]) -> tuple[int, ...]:
    """Return the leading axes of all arguments broadcast together."""
    pairs = list(zip(arguments, program.inputs.values(), strict=True))
    if not all(_fits(array, shape) for array, shape in pairs):
        raise ValueError("an argument has the wrong shape")
    return np.broadcast_shapes(*(_leading(array, shape) for array, shape in pairs))


def explain(
    program: Program, arguments: Sequence[Any], out: Sequence[Any], dtype: np.dtype[Any], error: Exception
) -> ProgramError:
    """Return the error that says why NumPy refused a call."""
    inputs = [(name, shape, np.asarray(x)) for (name, shape), x in zip(program.inputs.items(), arguments, strict=True)]
    for name, shape, array in inputs:
        if not np.can_cast(array.dtype, dtype, "safe"):
            return ProgramError(
                f"{program.name}: {name} has dtype {array.dtype}, which does not cast safely to {dtype}"
            )
        if not _fits(array, shape):
            return ProgramError(f"{program.name}: {name} has the shape {array.shape}; {_expected(array, shape)}")
    leading = {name: _leading(array, shape) for name, shape, array in inputs}
    axes = ", ".join(f"{name} {axes}" for name, axes in leading.items())
    try:
        batch = np.broadcast_shapes(*leading.values())
    except ValueError:
        return ProgramError(f"{program.name}: the leading axes do not broadcast together: {axes}")
    for (name, shape), array in zip(program.outputs.items(), out, strict=False):
        if array is not None and not (_fits(array, shape) and _holds(_leading(array, shape), batch)):
            return ProgramError(
                f"{program.name}: out for {name} has the shape {array.shape}, the result {(*batch, *shape)}"
            )
    return ProgramError(f"{program.name}: {error}")


def _fits(array: NDArray[Any], shape: Shape) -> bool:
    return array.ndim >= len(shape) and array.shape[array.ndim - len(shape) :] == tuple(shape)


def _leading(array: NDArray[Any], shape: Shape) -> tuple[int, ...]:
    return array.shape[: array.ndim - len(shape)]


def _holds(axes: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(axes, batch) == axes
    except ValueError:
        return False


def _expected(array: NDArray[Any], shape: Shape) -> str:
    """Return the shape that an array should have, its entries and, if likely, the advice to transpose it."""
    text = f"it must be ({', '.join(['...', *map(str, shape)])})"
    for labels in shape.labels:
        text += f", one entry for each of {listed(labels)}"
    if _fits(array.T, shape):
        text += f"; an array of shape {array.T.shape} would fit, so transpose this one"
    return text


def listed(names: Sequence[str]) -> str:
    """Return names separated by commas; only the first of many."""
    rest = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return ", ".join(names[:_MANY]) + rest
