"""What a Program hands over: equations to read, and functions of other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ..equations.equations import Equations
    from .program import Program


class HandedOver:
    """The part of Program that opens the rooms above it."""

    @property
    def _whole(self) -> Program:
        return cast("Program", self)

    def equations(self, style: str = "auto") -> Equations:
        """Return the Program as equations to read: print them, show them in a notebook, or save them as .tex or .md.

        Parameters
        ----------
        style
            "closed" writes each output as one expression, as textbooks do, and proves it equal to the Program; "steps"
            writes what the Program computes, one value after the other; "auto" takes closed forms where they are short
            enough to read.

        Raises
        ------
        ProgramError
            If a closed form would be too long.

        Examples
        --------
        >>> print(tf.inertia_matrix(tf.robots.planar2r()).equations())
        """
        from ..equations.equations import equations

        return equations(self._whole, style)

    def to_sympy(self) -> dict[str, Any]:
        """Return each output as a SymPy expression, or as an array of them; symbols are q1, qd1, and the parameters.

        Constants are exact: fractions, multiples of pi and roots are what they mean and not the nearest floats.
        """
        from ..equations.with_sympy import to_sympy

        return to_sympy(self._whole)

    def to_casadi(self, *, compiled: bool = False, derivatives: int = 2) -> Any:
        """Return a ``casadi.Function`` with the Program's inputs and outputs, for SX and MX expressions.

        Parameters
        ----------
        compiled
            By default the function consists of CasADi's own expressions (SX), which CasADi simplifies, differentiates
            and evaluates. Compiled, it is C code, built now by the C compiler, and its derivatives are the Program's
            own: several times faster, for MX expressions and solvers.
        derivatives
            Up to which order compiled code has derivatives: 2 for exact Hessians, which take the longest to compile.
        """
        from ..bridges.with_casadi import to_casadi

        return to_casadi(self._whole, compiled=compiled, derivatives=derivatives)

    def to_jax(self, *, plain: bool = False) -> Callable[..., Any]:
        """Return a function of JAX arrays with any leading axes, for ``jit``, ``vmap``, ``grad`` and their like.

        It calls the compiled Program on the processor, and JAX takes its derivatives from the Program's own, which are
        exact. Several outputs are a named tuple. In double precision, enable it first:
        ``jax.config.update("jax_enable_x64", True)``.

        Parameters
        ----------
        plain
            Compute with JAX's own operations instead, which run on any device and which JAX differentiates itself.
        """
        from ..bridges.with_jax import to_jax

        return to_jax(self._whole, plain=plain)

    def to_torch(self) -> Callable[..., Any]:
        """Return a function of PyTorch tensors with any leading axes, on the processor.

        It calls the compiled Program; autograd's gradients, and gradients of these, are the Program's own and exact. It
        computes in float32 if all tensors are float32, else in float64. Several outputs are a named tuple.
        """
        from ..bridges.with_torch import to_torch

        return to_torch(self._whole)

    def _repr_latex_(self) -> str | None:
        from ..equations.notebook import of_program

        return of_program(self._whole)
