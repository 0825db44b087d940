"""Function: a Program compiled for this machine, called with NumPy arrays."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from functools import cache, partial
from inspect import Parameter, Signature
from typing import Any

import numpy as np
from numpy import ndarray

from ..program.program import Program, Shape
from ..targets.llvm import LOOP, STATES, has_empty, module, operands, prototype
from .arguments import as_arrays, explain, in_order, output_arrays
from .compile import Library, object_code
from .ufunc import generalized_ufunc


class Function:
    """A compiled Program. Calling it computes the outputs from the inputs, for one state or for many at once.

    Inputs are arrays of shape ``(..., *shape)`` in the Program's order, by place or by name. Their leading axes are
    broadcast as NumPy does; what casts safely to float64 is accepted, and so are lists. The input ``parameters`` of a
    symbolic robot may also be a mapping from names to values, of which those that are needed are taken.

    ``out`` takes the results: an array, or for several outputs a tuple or a mapping from names to arrays. It may share
    memory with the inputs. Several outputs are returned as a named tuple. Floating-point errors are reported as for
    NumPy's own functions (see ``numpy.errstate``).
    """

    def __init__(self, program: Program) -> None:
        read, written = operands(program)
        self._program = program
        self._library = Library(object_code(module(program)))
        ufunc, self._tables = generalized_ufunc(
            self._library.address(LOOP), program.name, [*read.values()], [*written.values()]
        )
        self._ufunc = partial(ufunc, np.empty(0)) if has_empty(program) else ufunc
        self._count = len(program.inputs)
        self._results = _results(tuple(program.outputs)) if len(written) > 1 else None
        self.__name__ = program.name
        self.__doc__ = _document(program)
        self.__signature__ = _signature(program)

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """Compute the outputs; see the class."""
        if named or len(arguments) != self._count:
            arguments = in_order(self._program, arguments, named)
        for argument in arguments:
            if type(argument) is not ndarray:
                arguments = as_arrays(self._program, arguments)
                break
        if out is not None:
            out = output_arrays(self._program, out)
        try:
            results = self._ufunc(*arguments) if out is None else self._ufunc(*arguments, out=out)
        except (TypeError, ValueError) as error:
            raise explain(self._program, arguments, out or (), error) from None
        return results if self._results is None else self._results(*results)

    @property
    def program(self) -> Program:
        """The Program that was compiled."""
        return self._program

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

        Its declaration stands in this object's ``__doc__``. Arrays are in C order; the strides are numbers of doubles
        from one state to the next, 0 for an array that all states share. Outputs must not overlap inputs.
        """
        return self._library.address(STATES)

    def __reduce__(self) -> tuple[Any, ...]:
        return Function, (self._program,)

    def __repr__(self) -> str:
        return f"Function({self._program!r})"


@cache
def _results(names: tuple[str, ...]) -> Any:
    """Return the class of named tuples with those names; it is made at run time, so that pickling needs help."""
    base = namedtuple("Results", names, rename=True)  # type: ignore[misc]
    return type("Results", (base,), {"__slots__": (), "__reduce__": lambda self: (_make_results, (names, *self))})


def _make_results(names: tuple[str, ...], *arrays: Any) -> Any:
    return _results(names)(*arrays)


def _document(program: Program) -> str:
    def rows(arrays: Mapping[str, Any]) -> list[str]:
        lines = []
        for name, array in arrays.items():
            shape = ", ".join(["...", *map(str, array.shape)])
            lines.append(f"{name} : array ({shape})")
            lines += [f"    {array.meaning}"] * bool(array.meaning)
        return lines

    return "\n".join(
        [
            f"{program.name}({', '.join([*program.inputs, 'out=None'])})",
            "",
            *("Parameters", "----------", *rows(program.arguments)),
            *("out : where results go; new arrays unless given", ""),
            *("Returns", "-------", *rows(program.results)),
            *("", "In C, at the address f.address:", f"    {prototype(program)};", ""),
        ]
    )


def _signature(program: Program) -> Signature | None:
    """Return what tools show of a call; None where an input's name is no identifier."""
    if not all(name.isidentifier() for name in program.inputs):
        return None
    inputs = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in program.inputs]
    return Signature([*inputs, Parameter("out", Parameter.KEYWORD_ONLY, default=None)])
