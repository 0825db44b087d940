"""What a Program hands over: equations to read, and functions of other libraries."""

from __future__ import annotations

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

    def _repr_latex_(self) -> str | None:
        from ..equations.notebook import of_program

        return of_program(self._whole)
