"""Program -> function of PyTorch tensors: compiled code for batches, with exact derivatives for autograd."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..errors import ProgramError
from ..program.program import Program
from ..runtime.function import Function
from .needed import by_entries, leading_axes, needed, ordered, refuse_repeated


def to_torch(program: Program) -> Callable[..., Any]:
    """Return what ``Program.to_torch`` promises."""
    torch = needed("torch", "torch", "to_torch")
    refuse_repeated(program, "PyTorch")
    flat = _differentiable(by_entries(program), torch)
    shapes = [tuple(shape) for shape in program.inputs.values()]
    made = namedtuple("Results", [*program.outputs]) if len(program.outputs) > 1 else None

    def stack(entries: Sequence[Any]) -> Any:
        kinds = [x.dtype for x in entries if isinstance(x, torch.Tensor)]
        kind = kinds[0] if kinds else torch.float64
        return torch.stack(torch.broadcast_tensors(*(torch.as_tensor(x, dtype=kind) for x in entries)), dim=-1)

    def function(*arguments: Any, **named: Any) -> Any:
        given = ordered(program, arguments, named, stack)
        tensors = [x for x in given if isinstance(x, torch.Tensor)]
        if any(x.is_complex() for x in tensors):
            raise ProgramError(f"{program.name}: a tensor is complex; a function's tensors are real")
        kind = torch.float32 if tensors and all(x.dtype == torch.float32 for x in tensors) else torch.float64
        arrays = [torch.as_tensor(x, dtype=kind) for x in given]
        leading = leading_axes(program, arrays)
        results = flat(*(x.expand(leading + shape) for x, shape in zip(arrays, shapes, strict=True)))
        return made(*results) if made else results[0]

    function.__name__ = function.__qualname__ = program.name
    function.__doc__ = f"{program.prototype}, for tensors of PyTorch with any leading axes."
    return function


def _differentiable(program: Program, torch: Any) -> Callable[..., tuple[Any, ...]]:
    """Return a function of whole tensors whose backward pass is a vector-Jacobian product of the Program."""
    compiled = cache(lambda dtype: Function(program, dtype=dtype))
    pullback = cache(lambda output, wrt: _differentiable(program.vjp(output, wrt), torch))
    pushforward = cache(lambda output, wrt: _differentiable(program.jvp(output, wrt), torch))
    names = [*program.inputs]

    class Call(torch.autograd.Function):  # type: ignore[misc]
        generate_vmap_rule = False

        @staticmethod
        def forward(*tensors: Any) -> tuple[Any, ...]:
            arrays = [x.detach().numpy() for x in tensors]
            results = compiled(arrays[0].dtype if arrays else np.dtype(float))(*arrays)
            several = results if len(program.outputs) > 1 else (results,)
            return tuple(torch.from_numpy(np.asarray(x)) for x in several)

        @staticmethod
        def setup_context(context: Any, inputs: Any, output: Any) -> None:
            context.save_for_backward(*inputs)
            context.save_for_forward(*inputs)
            context.set_materialize_grads(False)

        @staticmethod
        def backward(context: Any, *weights: Any) -> tuple[Any, ...]:
            wanted = tuple(x for x, needs in zip(names, context.needs_input_grad, strict=True) if needs)
            sums: list[Any] = [None] * len(wanted)
            for output, w in zip(program.outputs, weights, strict=True):
                if w is not None:
                    found = pullback(output, wanted)(*context.saved_tensors, w)
                    sums = [x if total is None else total + x for total, x in zip(sums, found, strict=True)]
            made = dict(zip(wanted, sums, strict=True))
            return tuple(made.get(name) for name in names)

        @staticmethod
        def jvp(context: Any, *directions: Any) -> tuple[Any, ...]:
            moving = {name: t for name, t in zip(names, directions, strict=True) if t is not None}
            along = [
                pushforward(output, tuple(moving))(*context.saved_tensors, *moving.values())[0]
                for output in program.outputs
            ]
            return tuple(along)

        @staticmethod
        def vmap(info: Any, axes: Sequence[int | None], *tensors: Any) -> tuple[tuple[Any, ...], tuple[int, ...]]:
            whole = [
                x.expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0)
                for x, axis in zip(tensors, axes, strict=True)
            ]
            return Call.apply(*whole), (0,) * len(program.outputs)

    return Call.apply  # type: ignore[no-any-return]
