"""How the kernel moves a block's values between arrays of any strides and slots, as parts of its module's text."""

from __future__ import annotations

from collections.abc import Sequence

from .idioms import counted, entry
from .vectors import Vectors

STREAMED = 16
"""Bytes of one store that bypasses the caches, and the alignment of its address."""
_ROWS = 4  # states whose rows are streamed together: a processor combines stores into few lines of memory at a time


def offsets(vectors: Vectors) -> list[str]:
    """Return ``offsets``, which returns 1 if an operand's entries are in C order; otherwise it lists their offsets."""
    names = ["rows", "columns", "leading", "steps.first", "step.last"]
    return [
        "define internal i64 @offsets(ptr %plan, ptr %steps, ptr %record, ptr %table) nounwind {",
        "entry:",
        *(line for i, name in enumerate(names, 2) for line in entry(f"%{name}", "i64", "%record", i)),
        *entry("%step", "i64", "%steps", "%step.last"),
        *entry("%axes", "i64", "%plan", "%leading"),
        "%rest = alloca i64",
        "%offset = alloca i64",
        *_in_order(vectors),
        "br i1 %same, label %plain, label %list",
        "plain:",
        "ret i64 1",
        "list:",
        *counted("%r", "%rows", _row_of_offsets()),
        "ret i64 0",
        "}",
    ]


def _in_order(vectors: Vectors) -> list[str]:
    """Emit the code that tells in %same whether all steps are those of C order."""
    axis = [  # from the last but one to the first
        "%a.back = sub i64 %axes, %a",
        "%a.place = add i64 %leading, %a.back",
        *entry("%a.size", "i64", "%plan", "%a.place"),
        "%a.axis = sub i64 %a.back, 1",
        "%a.step.place = add i64 %steps.first, %a.axis",
        *entry("%a.step", "i64", "%steps", "%a.step.place"),
        "%a.expected = load i64, ptr %expected",
        "%a.off = xor i64 %a.step, %a.expected",
        "%a.sum = load i64, ptr %sum",
        "%a.sum.new = or i64 %a.sum, %a.off",
        "store i64 %a.sum.new, ptr %sum",
        "%a.expected.next = mul i64 %a.expected, %a.size",
        "store i64 %a.expected.next, ptr %expected",
    ]
    return [
        "%sum = alloca i64",  # collects the bits of the difference from C order
        "%expected = alloca i64",
        "%single = icmp sle i64 %columns, 1",
        f"%last.off = xor i64 %step, {vectors.size}",
        "%last.any = select i1 %single, i64 0, i64 %last.off",
        "store i64 %last.any, ptr %sum",
        f"%row = mul i64 %columns, {vectors.size}",
        "store i64 %row, ptr %expected",
        *counted("%a", "%axes", axis),
        "%different = load i64, ptr %sum",
        "%same = icmp eq i64 %different, 0",
    ]


def _row_of_offsets() -> list[str]:
    """Emit the code that lists the offsets of row %r."""
    axis = [  # from the last to the first
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
    ]
    column = [
        "%c.passed = mul i64 %c, %step",
        "%c.offset = add i64 %r.offset, %c.passed",
        "%c.entry = add i64 %r.first, %c",
        "%c.at = getelementptr i64, ptr %table, i64 %c.entry",
        "store i64 %c.offset, ptr %c.at",
    ]
    return [
        "store i64 %r, ptr %rest",
        "store i64 0, ptr %offset",
        *counted("%k", "%axes", axis),
        "%r.offset = load i64, ptr %offset",
        "%r.first = mul i64 %r, %columns",
        *counted("%c", "%columns", column),
    ]


_MOVE = "(i64 %size, ptr %array, i64 %step, i64 %used, ptr %offsets, i64 %contiguous, i64 %slot, ptr %memory)"


def gather(vectors: Vectors) -> list[str]:
    """Return ``gather``, which moves the states of a block from an array to slots."""
    lanes, kind, scalar = range(vectors.lanes), vectors.name, vectors.scalar
    start = ["%full = icmp eq i64 0, 0", "%row0 = getelementptr i8, ptr %array, i64 0"]
    for k in lanes[1:]:  # if no state is left, the last one once more
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
    single = [
        *entry("%s.value", scalar, "%array", "%s"),
        f"%s.first = insertelement {kind} poison, {scalar} %s.value, i64 0",
        _shuffled("%s.all", "%s.first", "poison", kind, [0] * vectors.lanes),
        f"store {kind} %s.all, ptr %s.slot",
    ]
    return _move("gather", start, many, single, one, vectors, vectors)


def scatter(name: str, vectors: Vectors, streamed: bool = False) -> list[str]:
    """Emit the code that moves the states of a block from slots to an array; if streamed, bypassing the caches."""
    kind, scalar = vectors.name, vectors.scalar
    start = [f"%full = icmp eq i64 %used, {vectors.lanes}"]
    tile = Vectors(scalar, min(vectors.lanes, _ROWS), vectors.fused) if streamed else vectors
    lanes = range(tile.lanes)
    many = []
    for k in lanes:
        many += [
            f"%whole{k} = getelementptr {kind}, ptr %column.slot, i64 {k}",
            f"%from{k} = getelementptr {scalar}, ptr %whole{k}, i64 %g",
        ]
    turn, rows = _transposed([f"%from{k}" for k in lanes], tile)
    many += turn
    for k in lanes:
        many += [
            f"%state{k} = add i64 %g, {k}",
            f"%passed{k} = mul i64 %state{k}, %step",
            f"%row{k} = getelementptr i8, ptr %array, i64 %passed{k}",
            f"%to{k} = getelementptr {scalar}, ptr %row{k}, i64 %column",
            *(_streamed if streamed else _stored)(rows[k], f"%to{k}", tile),
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
    single = [
        f"%s.value = load {scalar}, ptr %s.slot",
        f"%s.to = getelementptr {scalar}, ptr %array, i64 %s",
        f"store {scalar} %s.value, ptr %s.to",
    ]
    return _move(name, start, many, single, one, vectors, tile)


def _stored(value: str, address: str, vectors: Vectors) -> list[str]:
    return [f"store {vectors.name} {value}, ptr {address}, align {vectors.size}"]


def _streamed(value: str, address: str, vectors: Vectors) -> list[str]:
    """Emit the code that stores a vector in parts, bypassing the caches."""
    size, lines = STREAMED // vectors.size, []
    for first in range(0, vectors.lanes, size):
        part = f"{value}.part{first}"
        lines += [
            _shuffled(part, value, "poison", vectors.name, range(first, first + size)),
            f"{part}.to = getelementptr {vectors.scalar}, ptr {address}, i64 {first}",
            f"store <{size} x {vectors.scalar}> {part}, ptr {part}.to, align {STREAMED}, !nontemporal !0",
        ]
    return lines


def _move(
    name: str, start: list[str], many: list[str], single: list[str], one: list[str], vectors: Vectors, tile: Vectors
) -> list[str]:
    """Return a function that moves a square tile of entries and states at a time if it can, and otherwise one by one.

    It can if the entries are in C order and there are enough of them; the last ones are then moved together with some
    that were moved before. %g counts groups of as many states as a tile has. A ``single`` state in C order has code of
    its own.
    """
    columns = [
        "%inside = icmp sle i64 %c, %rightmost",
        "%column = select i1 %inside, i64 %c, i64 %rightmost",
        f"%column.slot = getelementptr {vectors.name}, ptr %base, i64 %column",
        *many,
    ]
    return [
        f"define internal void @{name}{_MOVE} nounwind {{",
        *start,
        f"%base = getelementptr {vectors.name}, ptr %memory, i64 %slot",
        "%ordered = icmp ne i64 %contiguous, 0",
        f"%enough = icmp sge i64 %size, {vectors.lanes}",
        "%could = and i1 %ordered, %enough",
        "%can = and i1 %could, %full",
        "br i1 %can, label %many, label %less",
        "less:",
        "%alone = icmp eq i64 %used, 1",
        "%simple = and i1 %alone, %ordered",
        "br i1 %simple, label %single, label %one",
        "single:",
        *counted("%s", "%size", [f"%s.slot = getelementptr {vectors.name}, ptr %base, i64 %s", *single]),
        "ret void",
        "many:",
        f"%rightmost = sub i64 %size, {tile.lanes}",
        *counted("%g", str(vectors.lanes), counted("%c", "%size", columns, tile.lanes), tile.lanes),
        "ret void",
        "one:",
        *counted(
            "%e",
            "%size",
            [
                *entry("%e.listed", "i64", "%offsets", "%e"),
                f"%e.passed = mul i64 %e, {vectors.size}",
                "%e.offset = select i1 %ordered, i64 %e.passed, i64 %e.listed",  # in order, none is listed
                f"%e.slot = getelementptr {vectors.name}, ptr %base, i64 %e",
                *one,
            ],
        ),
        "ret void",
        "}",
    ]


def _transposed(addresses: list[str], vectors: Vectors) -> tuple[list[str], list[str]]:
    """Emit the code that loads and transposes a square of entries; return it and the result's registers."""
    count, kind, half = vectors.lanes, vectors.name, vectors.lanes // 2
    part, lines = f"<{half} x {vectors.scalar}>", []
    for k in range(count):  # halves of two rows at once: cheaper than exchanging halves in registers
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
