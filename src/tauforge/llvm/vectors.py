"""The type of a block's values: vectors of floats or doubles, and how LLVM writes them."""

from __future__ import annotations

import struct
from typing import NamedTuple


class Vectors(NamedTuple):
    """The type of values: vectors with one lane for each state of a block.

    Attributes
    ----------
    scalar
        A lane's type, "double" or "float".
    lanes
        The number of lanes.
    fused
        Whether the processor multiplies and adds in one step.
    assembly
        Whether the code of a Program is in assembly, for x86 processors.
    """

    scalar: str
    lanes: int
    fused: bool = True
    assembly: bool = False

    @property
    def name(self) -> str:
        """The type as LLVM writes it."""
        return f"<{self.lanes} x {self.scalar}>"

    @property
    def wide(self) -> Vectors:
        """As many lanes in double precision."""
        return Vectors("double", self.lanes, self.fused)

    @property
    def narrow(self) -> Vectors:
        """Vectors of 16 bytes, which single states take; the same ones where code is not in assembly."""
        return self._replace(lanes=16 // self.size) if self.assembly else self

    @property
    def suffix(self) -> str:
        """The suffix of LLVM's functions on the type."""
        return f"v{self.lanes}f{8 * self.size}"

    @property
    def size(self) -> int:
        """Bytes of a lane."""
        return 8 if self.scalar == "double" else 4

    @property
    def bytes(self) -> int:
        """Bytes of a vector."""
        return self.size * self.lanes

    def all(self, value: float) -> str:
        """Write a vector of equal numbers."""
        return f"splat ({self.scalar} {self.literal(value)})"

    def literal(self, value: float) -> str:
        """Write a number exactly, rounded to the type."""
        if self.size == 4:
            value = _rounded(value)
        return "0x" + struct.pack(">d", value).hex()


def _rounded(value: float) -> float:
    """Return a number rounded to single precision; infinite if it is too large."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
