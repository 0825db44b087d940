"""The code that all compiled Programs have in common, as the text of one module.

States are computed in blocks of as many as a vector register has lanes. A block's values are in *slots*, each a vector
with one lane per state. ``loop`` is the inner loop of a NumPy generalized ufunc: it moves a block's inputs from arrays
with any strides into slots, calls the Program's own code, its *pieces*, and moves the outputs back. If fewer states are
left than there are lanes, the last state fills the remaining lanes, so no code is needed for single states.

The Program's part is its *plan*, a table of 64-bit integers; see :class:`Plan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..program.array import Shape
from .idioms import counted, entry
from .moves import gather, offsets, scatter
from .trigonometry import PREFIX, functions
from .turns import HEADER, ONCE, Turns, declaration, repeated
from .vectors import Vectors

LOOP = "loop"
"""Name of the loop for NumPy."""

_STACK = 1 << 16  # bytes of slots that can be on the stack
_LARGE, _LONG = 1 << 23, 1 << 10  # bytes of an output, and per state, from which it bypasses the caches
_HEADER = 14  # entries of a plan before those of its operands
_RECORD = 7  # entries for each operand


class Plan(NamedTuple):
    """What ``loop`` must know about a Program.

    Attributes
    ----------
    read
        Shapes of the input arrays, in the order of a call.
    written
        Shapes of the output arrays, in the order of a call.
    slots
        The number of vectors that a block needs; those of the inputs come first, then those of the outputs.
    constants
        Address of the numbers in the Program's code, each as a vector.
    setup
        Addresses of the code for values that depend only on the parameters or on nothing.
    pieces
        Addresses of the code of a block.
    parameters
        Index of the array that the set-up depends on, -1 for none.
    turns
        How the code of a block is repeated; once unless the Program says otherwise.
    """

    read: Sequence[Shape]
    written: Sequence[Shape]
    slots: int
    constants: int
    setup: Sequence[int]
    pieces: Sequence[int]
    parameters: int
    turns: Turns = ONCE

    def table(self, vectors: Vectors) -> list[int]:
        """Return the plan as ``loop`` reads it."""
        arrays = [*self.read, *self.written]
        entries = sum(shape.size for shape in arrays)
        size = self.slots * vectors.bytes + 8 * entries + 8 * len(arrays)
        addresses = [*self.setup, *self.pieces]
        leading_at = _HEADER + _RECORD * len(arrays) + len(addresses)
        records: list[int] = []
        leading: list[int] = []
        slot, step_at = 0, len(arrays)
        for shape in arrays:
            columns = shape[-1] if shape else 1
            rows = Shape(shape[:-1]).size
            column_step = step_at + len(shape) - 1 if shape else 0
            records += [shape.size, slot, rows, columns, leading_at + len(leading), step_at, column_step]
            leading += [len(shape[:-1]), *shape[:-1]]
            slot, step_at = slot + shape.size, step_at + len(shape)
        counts = [len(self.read), len(self.written), len(self.setup), len(self.pieces)]
        turns = [*self.turns.header, leading_at + len(leading)]
        head = [size, *counts, self.parameters, self.slots, self.constants, *turns]
        return [*head, *records, *addresses, *leading, *self.turns.lost]


def kernel(vectors: Vectors) -> str:
    """Return the text of the module."""
    return "\n".join(
        [
            f"declare ptr @{PREFIX}malloc(i64) nounwind",
            f"declare void @{PREFIX}free(ptr) nounwind",
            declaration(vectors),
            *functions(vectors),
            *_loop(),
            *_blocks(vectors),
            *offsets(vectors),
            *gather(vectors),
            *scatter(vectors),
            "",
        ]
    )


def _loop() -> list[str]:
    """Return ``loop``, which allocates memory; its ``steps`` are those between states, then those inside each array."""
    call = "call void @blocks(ptr %arrays, i64 %count, ptr %steps, ptr %plan, ptr {})"
    return [
        f"define void @{LOOP}(ptr %arrays, ptr %dimensions, ptr %steps, ptr %plan) nounwind {{",
        "%count = load i64, ptr %dimensions",
        "%size = load i64, ptr %plan",
        "%small = icmp ule i64 %size, " + str(_STACK),
        "br i1 %small, label %stack, label %heap",
        "stack:",
        "%local = alloca i8, i64 %size, align 64",
        call.format("%local"),
        "ret void",
        "heap:",
        "%larger = add i64 %size, 64",
        f"%block = call ptr @{PREFIX}malloc(i64 %larger)",
        "%number = ptrtoint ptr %block to i64",
        "%past = add i64 %number, 63",
        "%even = and i64 %past, -64",
        "%aligned = inttoptr i64 %even to ptr",
        call.format("%aligned"),
        f"call void @{PREFIX}free(ptr %block)",
        "ret void",
        "}",
    ]


def _blocks(vectors: Vectors) -> list[str]:
    """Emit ``blocks``; ``memory`` holds slots, a flag for each array, and the offsets inside arrays.

    The flag is 0; or 1 for an array in C order; or 2 if it is also an output that bypasses the caches.
    """
    lanes = vectors.lanes
    block = [
        "%left = sub i64 %count, %i",
        f"%full = icmp sge i64 %left, {lanes}",
        f"%used = select i1 %full, i64 {lanes}, i64 %left",
        "%first = icmp eq i64 %i, 0",
        *_bring(),
        *_compute(vectors),
        *_write(),
    ]
    return [
        "define internal void @blocks(ptr %arrays, i64 %count, ptr %steps, ptr %plan, ptr %memory) nounwind {",
        *_prologue(vectors),
        *counted("%i", "%count", block, lanes),
        "%past.any = load i64, ptr %past",
        "%streamed.any = icmp ne i64 %past.any, 0",
        "br i1 %streamed.any, label %settle, label %end",
        "settle:",
        "fence seq_cst",  # stores that bypassed the caches complete before later ones
        "br label %end",
        "end:",
        "ret void",
        "}",
    ]


def _prologue(vectors: Vectors) -> list[str]:
    """Emit the code before the first block: it reads the plan and finds the offsets and flags of all arrays."""
    header = ["reads", "writes", "setups", "pieces", "parameters", "slots", "constants", *HEADER, "lost"]
    each = [
        *_record("%o"),
        "%o.offsets = getelementptr i64, ptr %tables, i64 %o.slot",
        "%o.plain = call i64 @offsets(ptr %plan, ptr %steps, ptr %o.record, ptr %o.offsets)",
        *_streams("%o", vectors),
        "%o.past = and i64 %o.plain, %o.streams",
        "%o.flag = add i64 %o.plain, %o.past",
        "%past.before = load i64, ptr %past",
        "%past.now = or i64 %past.before, %o.past",
        "store i64 %past.now, ptr %past",
        "%o.flag.at = getelementptr i64, ptr %flags, i64 %o",
        "store i64 %o.flag, ptr %o.flag.at",
    ]
    return [
        *(line for i, name in enumerate(header, 1) for line in entry(f"%{name}", "i64", "%plan", i)),
        "%numbers = inttoptr i64 %constants to ptr",
        "%repeats = icmp sgt i64 %bound, 1",
        "%turn = alloca i64",
        "%operands = add i64 %reads, %writes",
        f"%records = getelementptr i64, ptr %plan, i64 {_HEADER}",
        f"%recorded = mul i64 %operands, {_RECORD}",
        "%setup.table = getelementptr i64, ptr %records, i64 %recorded",
        "%piece.table = getelementptr i64, ptr %setup.table, i64 %setups",
        f"%flags = getelementptr {vectors.name}, ptr %memory, i64 %slots",
        "%tables = getelementptr i64, ptr %flags, i64 %operands",
        "%past = alloca i64",
        "store i64 0, ptr %past",
        *counted("%o", "%operands", each),
        "%without = icmp slt i64 %parameters, 0",
        "%shared = select i1 %without, i64 0, i64 %parameters",
        *entry("%shared.step", "i64", "%steps", "%shared"),
        "%common = icmp eq i64 %shared.step, 0",
        "%once = or i1 %without, %common",  # the set-up is done for the first block only
        "%setups.again = select i1 %once, i64 0, i64 %setups",
    ]


def _bring() -> list[str]:
    """Emit the code that moves a block's inputs into slots; inputs that all states share are moved once."""
    each = [
        *entry("%r.step", "i64", "%steps", "%r"),
        "%r.varies = icmp ne i64 %r.step, 0",
        "%r.wanted = or i1 %first, %r.varies",
        "%r.needed = or i1 %r.wanted, %repeats",  # a repeated block writes over its inputs
        "br i1 %r.needed, label %bring, label %brought",
        "bring:",
        *_arguments_of("%r"),
        f"call void @gather({_OPERAND.format(o='%r')})",
        "br label %brought",
        "brought:",
    ]
    return counted("%r", "%reads", each)


def _compute(vectors: Vectors) -> list[str]:
    """Emit the calls of the Program's own code."""
    return [
        "%setups.now = select i1 %first, i64 %setups, i64 %setups.again",
        *_call_pieces("%s", "%setups.now", "%setup.table"),
        *repeated(_call_pieces("%p", "%pieces", "%piece.table"), vectors),
    ]


def _write() -> list[str]:
    """Emit the code that writes a block's outputs from slots to their arrays."""
    each = [
        "%wo = add i64 %reads, %w",
        *entry("%wo.step", "i64", "%steps", "%wo"),
        *_arguments_of("%wo"),
        f"call void @scatter({_OPERAND.format(o='%wo')})",
    ]
    return counted("%w", "%writes", each)


def _streams(operand: str, vectors: Vectors) -> list[str]:
    """Emit the code that tells whether an operand is an output that bypasses the caches.

    A large output would only fill them; short rows are faster combined in them.
    """
    o = operand
    return [
        *entry(f"{o}.step", "i64", "%steps", o),
        *entry(f"{o}.array", "i64", "%arrays", o),
        f"{o}.bytes = mul i64 %count, {o}.step",
        f"{o}.many = icmp sge i64 {o}.bytes, {_LARGE}",
        f"{o}.row = mul i64 {o}.size, {vectors.size}",
        f"{o}.long = icmp sge i64 {o}.row, {_LONG}",
        f"{o}.large = and i1 {o}.many, {o}.long",
        f"{o}.either = or i64 {o}.array, {o}.step",
        f"{o}.any = or i64 {o}.either, {o}.row",
        f"{o}.odd = and i64 {o}.any, {vectors.size - 1}",
        f"{o}.even = icmp eq i64 {o}.odd, 0",
        f"{o}.output = icmp sge i64 {o}, %reads",
        f"{o}.fits = and i1 {o}.large, {o}.even",
        f"{o}.fits.output = and i1 {o}.fits, {o}.output",
        f"{o}.streams = zext i1 {o}.fits.output to i64",
    ]


def _record(operand: str) -> list[str]:
    """Emit the code that locates an operand's record, its number of entries, and its first slot."""
    return [
        f"{operand}.place = mul i64 {operand}, {_RECORD}",
        f"{operand}.record = getelementptr i64, ptr %records, i64 {operand}.place",
        f"{operand}.size = load i64, ptr {operand}.record",
        *entry(f"{operand}.slot", "i64", f"{operand}.record", 1),
    ]


_OPERAND = (
    "i64 {o}.size, ptr {o}.now, i64 {o}.step, i64 %used, ptr {o}.offsets, i64 {o}.flag, i64 {o}.slot, ptr %memory"
)


def _arguments_of(operand: str) -> list[str]:
    """Emit the code that locates the arguments for moving a block of an operand between its array and its slots."""
    o = operand
    return [
        *_record(o),
        *entry(f"{o}.array", "ptr", "%arrays", o),
        *entry(f"{o}.flag", "i64", "%flags", o),
        f"{o}.offsets = getelementptr i64, ptr %tables, i64 {o}.slot",
        f"{o}.passed = mul i64 %i, {o}.step",
        f"{o}.now = getelementptr i8, ptr {o}.array, i64 {o}.passed",
    ]


def _call_pieces(register: str, count: str, table: str) -> list[str]:
    return counted(
        register,
        count,
        [*entry(f"{register}.code", "ptr", table, register), f"call void {register}.code(ptr %memory, ptr %numbers)"],
    )
