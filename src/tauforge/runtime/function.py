"""Function: a Program compiled for this machine, called with NumPy arrays."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping
from functools import partial
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from ..errors import ProgramError
from ..llvm.c_function import STATES, prototype, states
from ..llvm.vectors import Vectors
from ..program.array import Shape
from ..program.program import Program
from .build import DTYPES, Loaded, compiled, load
from .compile import Library, object_code, vectors
from .one_state_call import one_state_call
from .ufunc_call import UfuncCall

_SCALARS = {dtype: scalar for scalar, dtype in DTYPES.items()}
_lock = threading.Lock()


class Function:
    """A compiled Program. Call it to compute the outputs from the inputs, for one state or for many at once.

    Inputs are arrays of shape ``(..., *shape)``, by position in the Program's order or by name. Their leading axes are
    broadcast as in NumPy; lists and any type that casts safely to the function's dtype are accepted. The input
    ``parameters`` of a symbolic robot can also be a mapping from names to values; names that are not needed are
    ignored.

    ``out`` receives the results: an array, or for several outputs a tuple or a mapping from names to arrays. It can
    share memory with the inputs. Several outputs are returned as a named tuple. Floating-point errors are reported as
    for NumPy's own functions (see ``numpy.errstate``).

    ``threads`` is the number of threads that share the batch, at least 1. By default, a batch that is large enough uses
    as many as the machine can run at once, and any other uses one.

    A masked array is treated as a plain one if no element is masked, and refused otherwise: each result depends on all
    entries of its state, and a masked entry has no value. ``x.filled(numpy.nan)`` gives NaN for those states.

    Parameters
    ----------
    program
        The Program to compile.
    dtype
        The type of all arrays and computations: float64 or float32.
    cache
        Whether to take the code from the user's cache and keep it there. For all functions, the environment variable
        TAUFORGE_CACHE can name another directory, or be "off".
    warn
        Whether to report floating-point errors.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__")  # each object has its own callable, see one_state_call.py

    def __init__(
        self, program: Program, *, dtype: DTypeLike = np.float64, cache: bool = True, warn: bool = True
    ) -> None:
        self._program, self._dtype, self._cache, self._warn = program, _known(dtype), cache, warn
        if program.repeat and self._dtype != np.float64:
            raise ProgramError(
                f"{program.name} is repeated until it is done, which only double precision reaches; use dtype='float64'"
            )
        self._vectors = vectors(_SCALARS[self._dtype])
        self._loaded = _loaded(program, self._vectors, cache)
        narrow = self._vectors.narrow
        single = partial(_loaded, program, narrow, cache) if narrow != self._vectors else None
        general = UfuncCall(program, self._loaded, self._dtype, warn)
        self._entry: Library | None = None
        self.__name__ = program.name
        self.__doc__ = _document(program, self._vectors.scalar)
        self.__signature__ = _signature(program)
        object.__setattr__(self, "__call__", one_state_call(program, self._loaded, single, self._dtype, general))

    if TYPE_CHECKING:

        def __call__(self, *arguments: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
            """Compute the outputs; see the class."""

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
        """Address of the compiled function for callers in C, valid as long as this object exists.

        Its declaration is in this object's ``__doc__``. Arrays are in C order; the strides are numbers of entries
        from one state to the next, 0 for an array that all states share. Outputs must not overlap inputs.
        """
        with _lock:
            if self._entry is None:
                plan = ctypes.addressof(self._loaded.plan)
                self._entry = Library([object_code(states(self._program, self._vectors, self._loaded.loop, plan))])
            return self._entry.address(STATES)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Function, dtype=self._dtype, cache=self._cache, warn=self._warn), (self._program,)

    def __repr__(self) -> str:
        return f"Function({self._program.prototype}; {self._dtype})"


def _loaded(program: Program, vectors: Vectors, cache: bool) -> Loaded:
    """Return a Program in memory, compiled for some vectors."""
    return load(program, compiled(program, vectors, cache), vectors)


def _known(dtype: DTypeLike) -> np.dtype[Any]:
    """Return a dtype that functions can have."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found not in _SCALARS:
        raise ProgramError(f"dtype={dtype!r}; a function's arrays are float64 or float32")
    return found


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
            "out : where results go; new arrays by default",
            *("threads : how many share the batch; by default as many as pay off", ""),
            *("Returns", "-------", *rows(program.results)),
            *("", "In C, at the address f.address:", f"    {prototype(program, scalar)};", ""),
        ]
    )


def _signature(program: Program) -> Signature | None:
    """Return the signature for tools; None if the name of an input is not an identifier."""
    if not all(name.isidentifier() for name in program.inputs):
        return None
    inputs = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in program.inputs]
    options = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in ("out", "threads")]
    return Signature([*inputs, *options])
