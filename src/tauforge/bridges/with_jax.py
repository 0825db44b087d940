"""Program -> function of JAX arrays: compiled code called by XLA, with exact derivatives, or JAX's own operations."""

from __future__ import annotations

import ctypes
import re
from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..graph.operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT
from ..llvm.xla_call import XLA, xla
from ..program.program import Program
from ..runtime.compile import Library, object_code
from ..runtime.function import Function
from .needed import leading_axes, needed, ordered, refuse_repeated, slopes

_kept: list[object] = []
"""What registered functions need: XLA has no way to forget one."""


def to_jax(program: Program, *, plain: bool = False) -> Callable[..., Any]:
    """Return what ``Program.to_jax`` promises."""
    jax = needed("jax", "jax", "to_jax")
    refuse_repeated(program, "JAX")
    flat = _traced(program, jax) if plain else _differentiable(program, jax)
    shapes = [tuple(shape) for shape in program.inputs.values()]
    made = namedtuple("Results", [*program.outputs]) if len(program.outputs) > 1 else None

    def stack(entries: Sequence[Any]) -> Any:
        return jax.numpy.stack(jax.numpy.broadcast_arrays(*entries), axis=-1)

    def function(*arguments: Any, **named: Any) -> Any:
        given = [np.array(x) if isinstance(x, list | tuple) else x for x in ordered(program, arguments, named, stack)]
        dtype = jax.numpy.result_type(float, *given)
        arrays = [jax.numpy.asarray(x, dtype) for x in given]
        leading = leading_axes(program, arrays)
        whole = [jax.numpy.broadcast_to(x, leading + shape) for x, shape in zip(arrays, shapes, strict=True)]
        results = flat(*whole)
        return made(*results) if made else results[0]

    function.inputs = [*program.inputs]  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = program.name
    function.__doc__ = f"{program.prototype}, for arrays of JAX with any leading axes."
    return function


def _differentiable(program: Program, jax: Any) -> Callable[..., tuple[Any, ...]]:
    """Return a compiled function of whole arrays whose derivatives JAX takes from the Program's own."""
    names = [*program.inputs]
    compiled = cache(lambda dtype: _registered(program, dtype, jax))

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def function(*arrays: Any) -> tuple[Any, ...]:
        dtype = np.dtype(arrays[0].dtype) if arrays else np.dtype(float)
        target = compiled(dtype)
        leading = arrays[0].shape[: arrays[0].ndim - len(program.inputs[names[0]])] if arrays else ()
        kinds = [jax.ShapeDtypeStruct(leading + tuple(shape), dtype) for shape in program.outputs.values()]
        return tuple(jax.ffi.ffi_call(target, kinds, vmap_method="broadcast_all")(*arrays))

    derivative = cache(lambda output, wrt: to_jax(slopes(program, output, wrt)))

    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        zero = jax.custom_derivatives.SymbolicZero
        moving = {name: t for name, t in zip(names, tangents, strict=True) if not isinstance(t, zero)}
        values = function(*primals)
        changes = []
        for output, value in zip(program.outputs, values, strict=True):
            made = derivative(output, tuple(moving))
            found = made(*(dict(zip(names, primals, strict=True))[name] for name in made.inputs))  # type: ignore[attr-defined]
            each = found if len(moving) > 1 else (found,)
            parts = [_product(J, t, value, jax) for J, t in zip(each, moving.values(), strict=True)]
            changes.append(sum(parts[1:], start=parts[0]))
        return values, tuple(changes)

    function.defjvp(rule, symbolic_zeros=True)
    return function  # type: ignore[no-any-return]


def _product(J: Any, t: Any, value: Any, jax: Any) -> Any:
    """Return a derivative times a direction, entry by entry: XLA fuses this, and its own products are slow if small."""
    rank = J.ndim - value.ndim
    leading = t.ndim - rank
    spread = t.reshape(t.shape[:leading] + (1,) * (value.ndim - leading) + t.shape[leading:])
    return jax.numpy.sum(J * spread, axis=tuple(range(-rank, 0))) if rank else J * spread


def _registered(program: Program, dtype: np.dtype[Any], jax: Any) -> str:
    """Return the name by which XLA calls the compiled Program."""
    compiled = Function(program, dtype=dtype)
    library = Library([object_code(xla(program, compiled.address, _version(jax)))])
    _kept.append((compiled, library))
    name = f"tauforge_{len(_kept)}_{program.name}"
    pointer = ctypes.cast(library.address(XLA), ctypes.c_void_p)
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(pointer), platform="cpu")
    return name


@cache
def _version(jax: Any) -> tuple[int, int]:
    """Return the version of the interface for foreign functions that this JAX speaks."""
    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    found = re.findall(r"#define XLA_FFI_API_(MAJOR|MINOR) (\d+)", header.read_text())
    numbers = {name: int(value) for name, value in found}
    return numbers["MAJOR"], numbers["MINOR"]


def _traced(program: Program, jax: Any) -> Callable[..., tuple[Any, ...]]:
    """Return a function that computes with JAX's own operations, on any device."""
    calls = _operations(jax.numpy)

    def function(*arrays: Any) -> tuple[Any, ...]:
        known: dict[Any, Any] = {}
        zero: Any = 0.0
        for array, given in zip(program.arguments.values(), arrays, strict=True):
            rank = len(array.shape)
            entries = given.reshape((*given.shape[: given.ndim - rank], -1)) if array.nodes else given
            known |= {node: entries[..., k] for k, node in enumerate(array.nodes)}
            if array.nodes:
                zero = jax.numpy.zeros_like(entries[..., 0])
        for node in program.order:
            if node.op is CONST:
                known[node] = float(node)
            elif node.args:
                known[node] = calls[node.op](*(known[a] for a in node.args))
        return tuple(_stacked(array, known, zero, jax.numpy) for array in program.results.values())

    return function


def _stacked(array: Any, known: dict[Any, Any], zero: Any, numpy: Any) -> Any:
    entries = [known[node] + zero for node in array.nodes]
    if not array.shape:
        return entries[0]
    leading = numpy.shape(zero)
    whole = numpy.stack(entries, axis=-1) if entries else numpy.zeros((*leading, 0))
    return whole.reshape(leading + tuple(array.shape))


def _operations(numpy: Any) -> dict[str, Callable[..., Any]]:
    return {
        ADD: lambda a, b: a + b,
        NEG: lambda a: -a,
        MUL: lambda a, b: a * b,
        DIV: lambda a, b: a / b,
        SQRT: numpy.sqrt,
        SIN: numpy.sin,
        COS: numpy.cos,
        ASIN: numpy.arcsin,
        ACOS: numpy.arccos,
        ATAN2: numpy.arctan2,
        ABS: numpy.abs,
        SIGN: numpy.sign,
    }
