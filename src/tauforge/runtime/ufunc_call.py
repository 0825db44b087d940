"""Calls through NumPy's generalized ufunc: one state or a batch, any arguments that can be made to fit."""

from __future__ import annotations

import ctypes
import math
from collections import namedtuple
from functools import cache, partial
from typing import Any

import numpy as np
from numpy import ndarray

from ..llvm.arrays import arrays, has_empty
from ..program.program import Program
from .arguments import as_arrays, batch_axes, explain, in_order, output_arrays
from .build import Loaded
from .threads import PAYS, asked, available, in_parts
from .ufunc import generalized_ufunc

_UNLIMITED = 1 << 62


class UfuncCall:
    """Handles the calls that compiled code does not take; it holds what they need, but not the Function."""

    def __init__(self, program: Program, loaded: Loaded, dtype: np.dtype[Any], warn: bool = True) -> None:
        self._program, self._loaded, self._dtype, self.warn = program, loaded, dtype, warn
        plan = ctypes.addressof(loaded.plan)
        ufunc, self._tables = generalized_ufunc(loaded.loop, plan, dtype, program.name, arrays(program))
        self._ufunc = partial(ufunc, np.empty(0, dtype)) if has_empty(program) else ufunc
        self._count = len(program.inputs)
        self._pays = PAYS / max(1, len(program.order))  # states from which on threads pay off
        self.most = int(self._pays) if available() > 1 else _UNLIMITED  # states that one thread always computes
        self._many = self._pays * min((shape.size for shape in program.inputs.values()), default=1)
        self.results = _results(tuple(program.outputs)) if len(program.outputs) > 1 else None

    def __call__(self, *arguments: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """Compute the outputs."""
        if named or len(arguments) != self._count:
            arguments = in_order(self._program, arguments, named)
        for argument in arguments:
            if type(argument) is not ndarray:
                arguments = as_arrays(self._program, arguments, self._dtype)
                break
        if out is not None:
            out = output_arrays(self._program, out, self._dtype)
        if threads is not None:
            threads = asked(self._program.name, threads)
        try:
            if self.warn:
                results = self._computed(arguments, out, threads)
            else:
                with np.errstate(all="ignore"):
                    results = self._computed(arguments, out, threads)
        except (TypeError, ValueError) as error:
            raise explain(self._program, arguments, out or (), self._dtype, error) from None
        return results if self.results is None else self.results(*results)

    def _computed(self, arguments: tuple[Any, ...], out: Any, threads: int | None) -> Any:
        if threads != 1 and (batch := self._worth_splitting(arguments, threads)):
            return self._in_threads(arguments, out, batch, threads or available())
        return self._ufunc(*arguments) if out is None else self._ufunc(*arguments, out=out)

    def _worth_splitting(self, arguments: tuple[Any, ...], threads: int | None) -> tuple[int, ...]:
        """Return the axes of a batch that several threads should share; none if one thread is enough."""
        if threads is None:
            for argument in arguments:
                if argument.size > self._many:
                    break
            else:
                return ()
        batch = batch_axes(self._program, arguments)
        return batch if math.prod(batch) >= (2 if threads else self._pays) else ()

    def _in_threads(self, arguments: tuple[Any, ...], out: Any, batch: tuple[int, ...], threads: int) -> Any:
        shapes = [(*batch, *shape) for shape in self._program.outputs.values()]
        results = [
            np.empty(shape, self._dtype) if given is None else given
            for given, shape in zip(out or (None,) * len(shapes), shapes, strict=True)
        ]
        overlap = any(np.may_share_memory(x, y) for x in results for y in arguments)
        if overlap or any(x.shape != shape for x, shape in zip(results, shapes, strict=True)):
            return self._ufunc(*arguments, out=out)
        inputs = zip(arguments, self._program.inputs.values(), strict=True)
        whole = [np.broadcast_to(x, (*batch, *shape)) for x, shape in inputs]

        def compute(*parts: Any) -> None:
            self._ufunc(*parts[: len(whole)], out=parts[len(whole) :])

        in_parts(compute, [*whole, *results], self._pays / 4, batch, threads)
        return results if len(results) > 1 else results[0]


@cache
def _results(names: tuple[str, ...]) -> Any:
    """Return the class of named tuples with those names; it is made at run time, so pickling needs help."""
    base = namedtuple("Results", names, rename=True)  # type: ignore[misc]
    return type("Results", (base,), {"__slots__": (), "__reduce__": lambda self: (_make_results, (names, *self))})


def _make_results(names: tuple[str, ...], *arrays: Any) -> Any:
    return _results(names)(*arrays)
