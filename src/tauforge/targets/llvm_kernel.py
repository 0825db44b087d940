"""LLVM: what all compiled Programs have in common, as the text of one module.

States are computed in blocks of as many as a vector register has lanes. A block's values stand in *slots*, each a
vector with one lane for each state. ``loop`` is the inner loop of a NumPy generalized ufunc: it brings a block's inputs
from arrays of any strides into slots, calls the Program's own code, its *pieces*, and brings the outputs back. Where
fewer states are left than there are lanes, the last state fills the rest, so that there is no code for single states.

The Program's side of it is its *plan*, a table of 64-bit integers; see :class:`Plan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..program.program import Shape
from .llvm_functions import PREFIX, functions
from .llvm_text import Vectors, counted, entry

LOOP = "loop"
"""Name of the loop for NumPy."""

_STACK = 1 << 16  # bytes of slots that may stand on the stack
_LARGE, _LONG = 1 << 23, 1 << 8  # bytes of an output, and of a state's part of it, to be written past the caches
_STREAMED = 16  # bytes that are written so at once, and to multiples of which their addresses must be aligned
_HEADER = 8  # entries of a plan before those of its operands
_RECORD = 7  # entries for each operand


class Plan(NamedTuple):
    """What ``loop`` has to know of a Program.

    Attributes
    ----------
    read
        Shapes of the input arrays, in the order of a call.
    written
        Shapes of the output arrays, in the order of a call.
    slots
        How many vectors a block needs; those of the inputs come first, then those of the outputs.
    constants
        Address of the numbers in the Program's code, each as a vector.
    setup
        Addresses of the code for what depends on the parameters alone or on nothing.
    pieces
        Addresses of the code of a block.
    parameters
        Which array the set-up depends on, -1 for none.
    """

    read: Sequence[Shape]
    written: Sequence[Shape]
    slots: int
    constants: int
    setup: Sequence[int]
    pieces: Sequence[int]
    parameters: int

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
        return [size, *counts, self.parameters, self.slots, self.constants, *records, *addresses, *leading]


def kernel(vectors: Vectors) -> str:
    """Return the text of the module."""
    return "\n".join(
        [
            f"declare ptr @{PREFIX}malloc(i64) nounwind",
            f"declare void @{PREFIX}free(ptr) nounwind",
            *functions(vectors),
            *_loop(),
            *_blocks(vectors),
            *_offsets(vectors),
            *_gather(vectors),
            *_scatter("scatter", vectors),
            *_scatter("stream", vectors, streamed=True),
            "!0 = !{i32 1}",
            "",
        ]
    )


def _loop() -> list[str]:
    """Return ``loop``, which finds memory; its ``steps`` are those between states, then those inside each array."""
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
    """Return ``blocks``; in ``memory`` are slots, a flag for each array, and the offsets inside arrays.

    The flag is 0, or 1 for an array in C order, or 2 if it is an output to be written past the caches besides.
    """
    lanes = vectors.lanes
    header = ["reads", "writes", "setups", "pieces", "parameters", "slots", "constants"]
    return [
        "define internal void @blocks(ptr %arrays, i64 %count, ptr %steps, ptr %plan, ptr %memory) nounwind {",
        *(line for i, name in enumerate(header, 1) for line in entry(f"%{name}", "i64", "%plan", i)),
        "%numbers = inttoptr i64 %constants to ptr",
        "%operands = add i64 %reads, %writes",
        f"%records = getelementptr i64, ptr %plan, i64 {_HEADER}",
        f"%recorded = mul i64 %operands, {_RECORD}",
        "%setup.table = getelementptr i64, ptr %records, i64 %recorded",
        "%piece.table = getelementptr i64, ptr %setup.table, i64 %setups",
        f"%flags = getelementptr {vectors.name}, ptr %memory, i64 %slots",
        "%tables = getelementptr i64, ptr %flags, i64 %operands",
        "%past = alloca i64",
        "store i64 0, ptr %past",
        *counted(
            "%o",
            "%operands",
            [
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
            ],
        ),
        "%without = icmp slt i64 %parameters, 0",
        "%shared = select i1 %without, i64 0, i64 %parameters",
        *entry("%shared.step", "i64", "%steps", "%shared"),
        "%common = icmp eq i64 %shared.step, 0",
        "%once = or i1 %without, %common",  # the set-up is done for the first block only
        "%setups.again = select i1 %once, i64 0, i64 %setups",
        *counted(
            "%i",
            "%count",
            [
                "%left = sub i64 %count, %i",
                f"%full = icmp sge i64 %left, {lanes}",
                f"%used = select i1 %full, i64 {lanes}, i64 %left",
                "%first = icmp eq i64 %i, 0",
                *counted(
                    "%r",
                    "%reads",
                    [
                        *entry("%r.step", "i64", "%steps", "%r"),
                        "%r.varies = icmp ne i64 %r.step, 0",
                        "%r.needed = or i1 %first, %r.varies",  # what all states share is brought once
                        "br i1 %r.needed, label %bring, label %brought",
                        "bring:",
                        *_arguments_of("%r"),
                        f"call void @gather({_OPERAND.format(o='%r')})",
                        "br label %brought",
                        "brought:",
                    ],
                ),
                "%setups.now = select i1 %first, i64 %setups, i64 %setups.again",
                *_call_pieces("%s", "%setups.now", "%setup.table"),
                *_call_pieces("%p", "%pieces", "%piece.table"),
                *counted(
                    "%w",
                    "%writes",
                    [
                        "%wo = add i64 %reads, %w",
                        *entry("%wo.step", "i64", "%steps", "%wo"),
                        *_arguments_of("%wo"),
                        "%wo.streams = icmp eq i64 %wo.flag, 2",
                        "br i1 %wo.streams, label %streamed, label %scattered",
                        "streamed:",
                        f"call void @stream({_OPERAND.format(o='%wo')})",
                        "br label %written",
                        "scattered:",
                        f"call void @scatter({_OPERAND.format(o='%wo')})",
                        "br label %written",
                        "written:",
                    ],
                ),
            ],
            lanes,
        ),
        "%past.any = load i64, ptr %past",
        "%streamed.any = icmp ne i64 %past.any, 0",
        "br i1 %streamed.any, label %settle, label %end",
        "settle:",
        "fence seq_cst",  # what was written past the caches is there before what is written later
        "br label %end",
        "end:",
        "ret void",
        "}",
    ]


def _streams(operand: str, vectors: Vectors) -> list[str]:
    """Return what tells whether an operand is an output to be written past the caches.

    It would only fill them if it is large; short parts of it are faster put together there.
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
        f"{o}.odd = and i64 {o}.any, {_STREAMED - 1}",
        f"{o}.even = icmp eq i64 {o}.odd, 0",
        f"{o}.output = icmp sge i64 {o}, %reads",
        f"{o}.fits = and i1 {o}.large, {o}.even",
        f"{o}.fits.output = and i1 {o}.fits, {o}.output",
        f"{o}.streams = zext i1 {o}.fits.output to i64",
    ]


def _record(operand: str) -> list[str]:
    """Return what finds an operand's record, how many entries it has, and its first slot."""
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
    """Return what finds the arguments for moving a block of an operand between its array and its slots."""
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


def _offsets(vectors: Vectors) -> list[str]:
    """Return ``offsets``, which lists an operand's offsets in bytes; it returns 1 where they are those of C order."""
    names = ["rows", "columns", "leading", "steps.first", "step.last"]
    return [
        "define internal i64 @offsets(ptr %plan, ptr %steps, ptr %record, ptr %table) nounwind {",
        "entry:",
        *(line for i, name in enumerate(names, 2) for line in entry(f"%{name}", "i64", "%record", i)),
        *entry("%step", "i64", "%steps", "%step.last"),
        *entry("%axes", "i64", "%plan", "%leading"),
        "%sum = alloca i64",  # the difference from C order, whose bits are gathered
        "store i64 0, ptr %sum",
        "%rest = alloca i64",
        "%offset = alloca i64",
        *counted(
            "%r",
            "%rows",
            [
                "store i64 %r, ptr %rest",
                "store i64 0, ptr %offset",
                *counted(
                    "%k",
                    "%axes",
                    [  # from the last axis to the first
                        "%k.back = sub i64 %axes, %k",
                        "%k.place = add i64 %leading, %k.back",
                        *entry("%k.size", "i64", "%plan", "%k.place"),
                        "%k.axis = sub i64 %k.back, 1",
                        "%k.step.place = add i64 %steps.first, %k.axis",
                        *entry("%k.step", "i64", "%steps", "%k.step.place"),
                        "%k.rest = load i64, ptr %rest",
                        "%k.rest.next = udiv i64 %k.rest, %k.size",
                        "%k.whole = mul i64 %k.rest.next, %k.size",
                        "%k.index = sub i64 %k.rest, %k.whole",
                        "store i64 %k.rest.next, ptr %rest",
                        "%k.added = mul i64 %k.index, %k.step",
                        "%k.old = load i64, ptr %offset",
                        "%k.new = add i64 %k.old, %k.added",
                        "store i64 %k.new, ptr %offset",
                    ],
                ),
                "%r.offset = load i64, ptr %offset",
                "%r.first = mul i64 %r, %columns",
                *counted(
                    "%c",
                    "%columns",
                    [
                        "%c.passed = mul i64 %c, %step",
                        "%c.offset = add i64 %r.offset, %c.passed",
                        "%c.entry = add i64 %r.first, %c",
                        "%c.at = getelementptr i64, ptr %table, i64 %c.entry",
                        "store i64 %c.offset, ptr %c.at",
                        f"%c.expected = mul i64 %c.entry, {vectors.size}",
                        "%c.off = xor i64 %c.offset, %c.expected",
                        "%c.sum = load i64, ptr %sum",
                        "%c.sum.new = or i64 %c.sum, %c.off",
                        "store i64 %c.sum.new, ptr %sum",
                    ],
                ),
            ],
        ),
        "%different = load i64, ptr %sum",
        "%same = icmp eq i64 %different, 0",
        "%result = zext i1 %same to i64",
        "ret i64 %result",
        "}",
    ]


_MOVE = "(i64 %size, ptr %array, i64 %step, i64 %used, ptr %offsets, i64 %contiguous, i64 %slot, ptr %memory)"


def _gather(vectors: Vectors) -> list[str]:
    """Return ``gather``, which brings the states of a block from an array to slots."""
    lanes, kind, scalar = range(vectors.lanes), vectors.name, vectors.scalar
    start = ["%full = icmp eq i64 0, 0", "%row0 = getelementptr i8, ptr %array, i64 0"]
    for k in lanes[1:]:  # where no state is left, the last one once more
        start += [
            f"%there{k} = icmp slt i64 {k}, %used",
            f"%step{k} = select i1 %there{k}, i64 %step, i64 0",
            f"%row{k} = getelementptr i8, ptr %row{k - 1}, i64 %step{k}",
        ]
    many = [f"%from{k} = getelementptr {scalar}, ptr %row{k}, i64 %column" for k in lanes]
    turn, columns = _transposed([f"%from{k}" for k in lanes], vectors)
    many += turn
    for k in lanes:
        many += [f"%to{k} = getelementptr {kind}, ptr %column.slot, i64 {k}", f"store {kind} {columns[k]}, ptr %to{k}"]
    one = []
    for k in lanes:
        one += [f"%at{k} = getelementptr i8, ptr %row{k}, i64 %e.offset", f"%one{k} = load {scalar}, ptr %at{k}"]
        one += [f"%x{k} = insertelement {kind} {f'%x{k - 1}' if k else 'poison'}, {scalar} %one{k}, i64 {k}"]
    one += [f"store {kind} %x{lanes[-1]}, ptr %e.slot"]
    return _move("gather", start, many, one, vectors)


def _scatter(name: str, vectors: Vectors, streamed: bool = False) -> list[str]:
    """Return what brings the states of a block from slots to an array; streamed, past the caches."""
    lanes, kind, scalar = range(vectors.lanes), vectors.name, vectors.scalar
    start = [f"%full = icmp eq i64 %used, {vectors.lanes}"]
    many = [f"%from{k} = getelementptr {kind}, ptr %column.slot, i64 {k}" for k in lanes]
    turn, rows = _transposed([f"%from{k}" for k in lanes], vectors)
    many += turn
    for k in lanes:
        many += [
            f"%passed{k} = mul i64 {k}, %step",
            f"%row{k} = getelementptr i8, ptr %array, i64 %passed{k}",
            f"%to{k} = getelementptr {scalar}, ptr %row{k}, i64 %column",
            *(_streamed if streamed else _stored)(rows[k], f"%to{k}", vectors),
        ]
    one = [
        "%e.array = getelementptr i8, ptr %array, i64 %e.offset",
        *counted(
            "%k",
            "%used",
            [
                *entry("%x", scalar, "%e.slot", "%k"),
                "%passed = mul i64 %k, %step",
                "%to = getelementptr i8, ptr %e.array, i64 %passed",
                f"store {scalar} %x, ptr %to",
            ],
        ),
    ]
    return _move(name, start, many, one, vectors)


def _stored(value: str, address: str, vectors: Vectors) -> list[str]:
    return [f"store {vectors.name} {value}, ptr {address}, align {vectors.size}"]


def _streamed(value: str, address: str, vectors: Vectors) -> list[str]:
    """Return what stores a vector past the caches, in parts."""
    size, lines = _STREAMED // vectors.size, []
    for first in range(0, vectors.lanes, size):
        part = f"{value}.part{first}"
        lines += [
            _shuffled(part, value, "poison", vectors.name, range(first, first + size)),
            f"{part}.to = getelementptr {vectors.scalar}, ptr {address}, i64 {first}",
            f"store <{size} x {vectors.scalar}> {part}, ptr {part}.to, align {_STREAMED}, !nontemporal !0",
        ]
    return lines


def _move(name: str, start: list[str], many: list[str], one: list[str], vectors: Vectors) -> list[str]:
    """Return a function that moves as many entries at a time as there are lanes where it can, and one by one elsewhere.

    It can if the entries are in C order and there are enough of them; the last ones are then moved together with some
    that were moved before.
    """
    return [
        f"define internal void @{name}{_MOVE} nounwind {{",
        *start,
        f"%base = getelementptr {vectors.name}, ptr %memory, i64 %slot",
        "%ordered = icmp ne i64 %contiguous, 0",
        f"%enough = icmp sge i64 %size, {vectors.lanes}",
        "%could = and i1 %ordered, %enough",
        "%can = and i1 %could, %full",
        "br i1 %can, label %many, label %one",
        "many:",
        f"%rightmost = sub i64 %size, {vectors.lanes}",
        *counted(
            "%c",
            "%size",
            [
                "%inside = icmp sle i64 %c, %rightmost",
                "%column = select i1 %inside, i64 %c, i64 %rightmost",
                f"%column.slot = getelementptr {vectors.name}, ptr %base, i64 %column",
                *many,
            ],
            vectors.lanes,
        ),
        "ret void",
        "one:",
        *counted(
            "%e",
            "%size",
            [
                *entry("%e.offset", "i64", "%offsets", "%e"),
                f"%e.slot = getelementptr {vectors.name}, ptr %base, i64 %e",
                *one,
            ],
        ),
        "ret void",
        "}",
    ]


def _transposed(addresses: list[str], vectors: Vectors) -> tuple[list[str], list[str]]:
    """Return what loads a square of entries row by row and transposes it, and the result's registers."""
    count, kind, half = vectors.lanes, vectors.name, vectors.lanes // 2
    part, lines = f"<{half} x {vectors.scalar}>", []
    for k in range(count):  # halves of two rows at once: cheaper than to exchange halves in registers
        for side in range(2):
            at, address = f"%y{k}.{side}", addresses[k % half + side * half]
            lines += [
                f"{at}.at = getelementptr {part}, ptr {address}, i64 {k // half}",
                f"{at} = load {part}, ptr {at}.at, align {vectors.size}",
            ]
        lines += [_shuffled(f"%y{k}", f"%y{k}.0", f"%y{k}.1", part, range(count))]
    rows, distance = [f"%y{k}" for k in range(count)], 1
    while distance < half:  # pair by pair
        new = list(rows)
        for i in (i for i in range(count) if not i & distance):
            j = i + distance
            for to, far in ((i, 0), (j, distance)):
                mask = [far + (k & ~distance) + (count if k & distance else 0) for k in range(count)]
                new[to] = f"%t{distance}.{to}"
                lines.append(_shuffled(new[to], rows[i], rows[j], kind, mask))
        rows, distance = new, 2 * distance
    return lines, rows


def _shuffled(register: str, a: str, b: str, kind: str, mask: Sequence[int]) -> str:
    places = ", ".join(f"i32 {place}" for place in mask)
    return f"{register} = shufflevector {kind} {a}, {kind} {b}, <{len(mask)} x i32> <{places}>"
