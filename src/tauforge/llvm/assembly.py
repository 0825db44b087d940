"""Pieces in assembly, for x86 processors with AVX2 or AVX-512 and fused multiply-adds.

LLVM compiles any piece. For straight-line code of this length, our own choice of registers makes code that is up to a
third faster, in a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..graph.node import Node
from .instructions import Instruction, Value
from .registers import REGISTERS, Assembled
from .schedule import scheduled
from .vectors import Vectors


def assembled(
    code: Sequence[Instruction], slots: Mapping[Node, int], numbers: Mapping[Value, int], scratch: int, vectors: Vectors
) -> tuple[str, int]:
    """Return the line of a piece that runs some instructions, and the number of slots that it uses from ``scratch`` on.

    Slots and numbers are those of values that are in memory when the line starts.
    """
    size = vectors.bytes
    made = {instruction.result for instruction in code}
    needed = {value for instruction in code for value in instruction.operands if value not in made}
    memory: dict[Value, str] = {value: f"{size * numbers[value]}(%rsi)" for value in needed if value in numbers}
    for value in needed:
        if isinstance(value, Node) and value in slots:
            memory[value] = f"{size * slots[value]}(%rdi)"
    text = Assembled(scheduled(code), memory, size, scratch, "pd" if vectors.size == 8 else "ps")
    lines = "\\0A".join(text.lines)
    clobbered = ",".join([*(f"~{{xmm{k}}}" for k in range(REGISTERS[size])), *(["~{k1}"] if size == 64 else [])])
    constraints = f"{{rdi}},{{rsi}},{clobbered},~{{memory}}"
    return f'call void asm sideeffect "{lines}", "{constraints}"(ptr %slots, ptr %numbers)', text.scratches
