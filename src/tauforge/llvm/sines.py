"""Sines and cosines as instructions: the same steps as in ``trigonometry``, without a call."""

from __future__ import annotations

from collections.abc import Sequence

from .instructions import MINUS, STORE, Instruction, Value
from .trigonometry import LARGEST


def sines(angles: Sequence[Value], first: int, flag: int) -> list[Instruction]:
    """Return instructions for the sine and the cosine of each angle, in slots from ``first`` on.

    The slot ``flag`` gets a lane other than zero if an angle is too large for them or is not a number.
    """
    made: list[Instruction] = []
    bad: Value = None
    for i, angle in enumerate(angles):
        code = _Steps((i, "sine"))
        beyond = code.compute(angle, first + 2 * i)
        made += code.made
        if bad is not None:
            made.append(Instruction("or", (bad, beyond), (i, "bad")))
        bad = beyond if bad is None else (i, "bad")
    return [*made, Instruction(STORE, (bad,), flag)]


class _Steps:
    """The instructions of one angle."""

    def __init__(self, owner: Value) -> None:
        self.made: list[Instruction] = []
        self._owner = owner

    def _do(self, name: str, *given: Value) -> Value:
        result = (self._owner, len(self.made))
        self.made.append(Instruction(name, given, result))
        return result

    def compute(self, x: Value, slot: int) -> Value:
        """Add all steps, and return the value that tells in which lanes they do not hold."""
        do = self._do
        size = do("andn", MINUS, x)
        bad = do("cmpnle_uq", size, LARGEST)  # raises no exception if x is not a number
        a = do("andn", bad, size)
        k = do("fmadd", a, "%ratio", "%round")
        n = do("sub", k, "%round")
        near = do("fnmadd", n, "%middle", do("fnmadd", n, "%first", a))
        r = do("fnmadd", n, "%last", near)
        z = do("mul", near, near)
        sine = do("fmadd", do("mul", r, z), self._polynomial("%p", z), r)
        cosine = do("fmadd", z, do("fmsub", z, self._polynomial("%q", z), "%half"), "%one")
        odd = do("psllq $$63,", k)  # each quarter turn exchanges them, two reverse them
        half = do("psllq $$62,", k)
        turned = (do("xor", half, x), do("xor", half, odd))
        for place, (even, other) in enumerate(((sine, cosine), (cosine, sine))):
            chosen = do("blendv", even, other, odd)
            self.made.append(Instruction(STORE, (do("xor", chosen, do("and", turned[place], MINUS)),), slot + place))
        return bad

    def _polynomial(self, name: str, z: Value) -> Value:
        """Add a polynomial of degree 5 by Horner's rule: all numbers but the first are parts of instructions."""
        total: Value = f"{name}5"
        for k in (4, 3, 2, 1, 0):
            total = self._do("fmadd", z, total, f"{name}{k}")
        return total
