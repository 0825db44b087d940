"""Function: a Program compiled for this machine, called with NumPy arrays."""

from __future__ import annotations

import ctypes
import math
import threading
from collections import namedtuple
from collections.abc import Mapping
from functools import cache, partial
from inspect import Parameter, Signature
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import DTypeLike

from ..errors import ProgramError
from ..program.program import Program, Shape
from ..targets.llvm import arrays, has_empty
from ..targets.llvm_entry import STATES, prototype, states
from .arguments import as_arrays, batch_axes, explain, in_order, output_arrays
from .build import DTYPES, compiled, load
from .compile import Library, object_code, vectors
from .threads import PAYS, available, in_parts
from .ufunc import generalized_ufunc

_SCALARS = {dtype: scalar for scalar, dtype in DTYPES.items()}
_lock = threading.Lock()


class Function:
    """A compiled Program. Calling it computes the outputs from the inputs, for one state or for many at once.

    Inputs are arrays of shape ``(..., *shape)`` in the Program's order, by place or by name. Their leading axes are
    broadcast as NumPy does; what casts safely to the function's dtype is accepted, and so are lists. The input
    ``parameters`` of a symbolic robot may also be a mapping from names to values, of which those that are needed are
    taken.

    ``out`` takes the results: an array, or for several outputs a tuple or a mapping from names to arrays. It may share
    memory with the inputs. Several outputs are returned as a named tuple. Floating-point errors are reported as for
    NumPy's own functions (see ``numpy.errstate``).

    ``threads`` is how many threads share the batch; without it there are as many as the machine runs at once where
    the batch is large enough for that to pay, and one elsewhere.

    Parameters
    ----------
    program : what to compile
    dtype : float64 or float32, the type of all arrays and of all computations
    """

    def __init__(self, program: Program, *, dtype: DTypeLike = np.float64) -> None:
        self._program, self._dtype = program, _known(dtype)
        self._vectors = vectors(_SCALARS[self._dtype])
        self._loaded = load(program, compiled(program, self._vectors), self._vectors)
        plan = ctypes.addressof(self._loaded.plan)
        ufunc, self._tables = generalized_ufunc(self._loaded.loop, plan, self._dtype, program.name, arrays(program))
        self._ufunc = partial(ufunc, np.empty(0, self._dtype)) if has_empty(program) else ufunc
        self._entry: Library | None = None
        self._count = len(program.inputs)
        self._pays = PAYS / max(1, len(program.order))  # states from which on threads do
        self._many = self._pays * min((shape.size for shape in program.inputs.values()), default=1)
        self._results = _results(tuple(program.outputs)) if len(program.outputs) > 1 else None
        self.__name__ = program.name
        self.__doc__ = _document(program, self._vectors.scalar)
        self.__signature__ = _signature(program)

    def __call__(self, *arguments: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """Compute the outputs; see the class."""
        if named or len(arguments) != self._count:
            arguments = in_order(self._program, arguments, named)
        for argument in arguments:
            if type(argument) is not ndarray:
                arguments = as_arrays(self._program, arguments, self._dtype)
                break
        if out is not None:
            out = output_arrays(self._program, out, self._dtype)
        try:
            if threads != 1 and (batch := self._worth_splitting(arguments, threads)):
                results = self._in_threads(arguments, out, batch, threads or available())
            else:
                results = self._ufunc(*arguments) if out is None else self._ufunc(*arguments, out=out)
        except (TypeError, ValueError) as error:
            raise explain(self._program, arguments, out or (), self._dtype, error) from None
        return results if self._results is None else self._results(*results)

    def _worth_splitting(self, arguments: tuple[Any, ...], threads: int | None) -> tuple[int, ...]:
        """Return the axes of a batch that several threads should share; none where one thread should do it."""
        if threads is None:
            for argument in arguments:
                if argument.size > self._many:
                    break
            else:
                return ()
        elif type(threads) is not int or threads < 1:
            raise ProgramError(f"{self._program.name}: threads={threads!r}; it must be a whole number from 1 on")
        batch = batch_axes(self._program, arguments)
        return batch if math.prod(batch) >= (2 if threads else self._pays) else ()

    def _in_threads(self, arguments: tuple[Any, ...], out: Any, batch: tuple[int, ...], threads: int) -> Any:
        shapes = [(*batch, *shape) for shape in self.outputs.values()]
        results = [
            np.empty(shape, self._dtype) if given is None else given
            for given, shape in zip(out or (None,) * len(shapes), shapes, strict=True)
        ]
        overlap = any(np.may_share_memory(x, y) for x in results for y in arguments)
        if overlap or any(x.shape != shape for x, shape in zip(results, shapes, strict=True)):
            return self._ufunc(*arguments, out=out)
        inputs = zip(arguments, self.inputs.values(), strict=True)
        whole = [np.broadcast_to(x, (*batch, *shape)) for x, shape in inputs]

        def compute(*parts: Any) -> None:
            self._ufunc(*parts[: len(whole)], out=parts[len(whole) :])

        in_parts(compute, [*whole, *results], batch, threads)
        return results if len(results) > 1 else results[0]

    @property
    def program(self) -> Program:
        """The Program that was compiled."""
        return self._program

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the arrays."""
        return self._dtype

    @property
    def inputs(self) -> dict[str, Shape]:
        """Shape of each input, in the order of a call."""
        return self._program.inputs

    @property
    def outputs(self) -> dict[str, Shape]:
        """Shape of each output."""
        return self._program.outputs

    @property
    def address(self) -> int:
        """Address of the compiled function for callers in C, valid as long as this object lives.

        Its declaration stands in this object's ``__doc__``. Arrays are in C order; the strides are numbers of entries
        from one state to the next, 0 for an array that all states share. Outputs must not overlap inputs.
        """
        with _lock:
            if self._entry is None:
                plan = ctypes.addressof(self._loaded.plan)
                self._entry = Library([object_code(states(self._program, self._vectors, self._loaded.loop, plan))])
            return self._entry.address(STATES)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Function, dtype=self._dtype), (self._program,)

    def __repr__(self) -> str:
        return f"Function({self._program!r})"


def _known(dtype: DTypeLike) -> np.dtype[Any]:
    """Return a dtype that functions can have."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found not in _SCALARS:
        raise ProgramError(f"dtype={dtype!r}; a function's arrays are float64 or float32")
    return found


@cache
def _results(names: tuple[str, ...]) -> Any:
    """Return the class of named tuples with those names; it is made at run time, so that pickling needs help."""
    base = namedtuple("Results", names, rename=True)  # type: ignore[misc]
    return type("Results", (base,), {"__slots__": (), "__reduce__": lambda self: (_make_results, (names, *self))})


def _make_results(names: tuple[str, ...], *arrays: Any) -> Any:
    return _results(names)(*arrays)


def _document(program: Program, scalar: str) -> str:
    def rows(arrays: Mapping[str, Any]) -> list[str]:
        lines = []
        for name, array in arrays.items():
            shape = ", ".join(["...", *map(str, array.shape)])
            lines.append(f"{name} : array ({shape})")
            lines += [f"    {array.meaning}"] * bool(array.meaning)
        return lines

    return "\n".join(
        [
            f"{program.name}({', '.join([*program.inputs, 'out=None', 'threads=None'])})",
            "",
            *("Parameters", "----------", *rows(program.arguments)),
            "out : where results go; new arrays unless given",
            *("threads : how many share the batch; as many as pay unless given", ""),
            *("Returns", "-------", *rows(program.results)),
            *("", "In C, at the address f.address:", f"    {prototype(program, scalar)};", ""),
        ]
    )


def _signature(program: Program) -> Signature | None:
    """Return what tools show of a call; None where an input's name is no identifier."""
    if not all(name.isidentifier() for name in program.inputs):
        return None
    inputs = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in program.inputs]
    options = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in ("out", "threads")]
    return Signature([*inputs, *options])
