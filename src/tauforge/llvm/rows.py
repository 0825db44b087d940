"""How the kernel writes long rows of an output, and how squares of entries are turned, as parts of its module's text.

A block has the same entry of all its states in one slot, an array all entries of one state in one row. Written square
by square, as many rows grow at the same time as a vector has lanes, which is slow. So strips of slots are turned into a
buffer, which the first-level cache holds, and one row after another goes from there to the array.
"""

from __future__ import annotations

from collections.abc import Sequence

from .idioms import counted
from .vectors import Vectors

_STRIP, _LINE = 64, 64  # entries of a row that are turned at a time; bytes that go to memory at once


def in_rows(name: str, how: str, vectors: Vectors) -> list[str]:
    """Return a function that turns strips of slots into parts of rows, in a buffer, and writes one after another.

    A part starts and ends where whole lines of memory do, so the buffer holds a line more than one part; the first
    part of a row has what comes before its first line, the last one all that is left.
    """
    lanes, scalar, line = vectors.lanes, vectors.scalar, _LINE // vectors.size
    length = _STRIP + line
    columns = [
        "%inside = icmp sle i64 %c, %rightmost",
        "%column = select i1 %inside, i64 %c, i64 %rightmost",
        f"%column.slot = getelementptr {vectors.name}, ptr %first.slot, i64 %column",
        *(f"%part{k} = getelementptr {scalar}, ptr %buffer, i64 {k * length}" for k in range(lanes)),
        *(f"%turned{k} = getelementptr {scalar}, ptr %part{k}, i64 %column" for k in range(lanes)),
        *turned("%column.slot", [f"%turned{k}" for k in range(lanes)], vectors),
    ]
    rows = [
        f"%r.entries = mul i64 %r, {length}",
        f"%from = getelementptr {scalar}, ptr %buffer, i64 %r.entries",
        "%r.passed = mul i64 %r, %step",
        "%row = getelementptr i8, ptr %array, i64 %r.passed",
        f"%to = getelementptr {scalar}, ptr %row, i64 %t",
        *_written(how, vectors),
    ]
    strip = [
        "%left = sub i64 %size, %t",
        f"%last = icmp sle i64 %left, {length}",
        f"%count = select i1 %last, i64 %left, i64 {length}",
        f"%rightmost = sub i64 %count, {lanes}",
        f"%first.slot = getelementptr {vectors.name}, ptr %base, i64 %t",
        *counted("%c", "%count", columns, lanes),
        *counted("%r", str(lanes), rows),
    ]
    return [
        # without calls of the C library's memcpy, which short loops would become
        f'define internal void @{name}(i64 %size, ptr %array, i64 %step, ptr %base) nounwind "no-builtins" {{',
        f"%buffer = alloca [{lanes * length} x {scalar}], align {_LINE}",
        f"%strips = sub i64 %size, {line}",
        *counted("%t", "%strips", strip, _STRIP),
        "ret void",
        "}",
    ]


def _written(how: str, vectors: Vectors) -> list[str]:
    """Emit the code that writes part of a row: single entries, then whole lines of memory, then single entries."""
    single = f"align {vectors.size}"
    return [
        "%to.address = ptrtoint ptr %to to i64",
        "%to.down = sub i64 0, %to.address",
        f"%to.odd = and i64 %to.down, {_LINE - 1}",
        f"%ahead = udiv i64 %to.odd, {vectors.size}",
        "%starts = icmp eq i64 %t, 0",
        "%before = select i1 %starts, i64 %ahead, i64 0",
        *_copied("%h", "%before", "0", 1, single, vectors),
        "%whole = sub i64 %count, %ahead",
        f"%all = and i64 %whole, {-vectors.lanes}",
        f"%fewer = icmp slt i64 %all, {_STRIP}",
        f"%lines = select i1 %fewer, i64 %all, i64 {_STRIP}",
        *_copied("%d", "%lines", "%ahead", vectors.lanes, how, vectors),
        "%past = add i64 %ahead, %lines",
        "%behind = sub i64 %whole, %lines",
        "%after = select i1 %last, i64 %behind, i64 0",
        *_copied("%e", "%after", "%past", 1, single, vectors),
    ]


def _copied(name: str, count: str, start: str, lanes: int, how: str, vectors: Vectors) -> list[str]:
    """Emit the code that copies entries of a row from the buffer, one by one or a vector at a time."""
    kind = vectors.scalar if lanes == 1 else vectors.name
    copy = [
        f"{name}.place = add i64 {name}, {start}",
        f"{name}.from = getelementptr {vectors.scalar}, ptr %from, i64 {name}.place",
        f"{name}.to = getelementptr {vectors.scalar}, ptr %to, i64 {name}.place",
        f"{name}.x = load {kind}, ptr {name}.from, align {vectors.size}",
        f"store {kind} {name}.x, ptr {name}.to, {how}",
    ]
    return counted(name, count, copy, lanes)


def turned(slot: str, addresses: list[str], vectors: Vectors) -> list[str]:
    """Emit the code that stores a square of slots as parts of rows at some addresses."""
    names = [f"%whole{k}" for k in range(vectors.lanes)]
    turn, rows = transposed(names, vectors)
    return [
        *(f"{name} = getelementptr {vectors.name}, ptr {slot}, i64 {k}" for k, name in enumerate(names)),
        *turn,
        *(
            f"store {vectors.name} {row}, ptr {address}, align {vectors.size}"
            for row, address in zip(rows, addresses, strict=True)
        ),
    ]


def transposed(addresses: list[str], vectors: Vectors) -> tuple[list[str], list[str]]:
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
        lines += [shuffled(f"%y{k}", f"%y{k}.0", f"%y{k}.1", part, range(count))]
    rows, distance = [f"%y{k}" for k in range(count)], 1
    while distance < half:  # pair by pair
        new = list(rows)
        for i in (i for i in range(count) if not i & distance):
            j = i + distance
            for to, far in ((i, 0), (j, distance)):
                mask = [far + (k & ~distance) + (count if k & distance else 0) for k in range(count)]
                new[to] = f"%t{distance}.{to}"
                lines.append(shuffled(new[to], rows[i], rows[j], kind, mask))
        rows, distance = new, 2 * distance
    return lines, rows


def shuffled(register: str, a: str, b: str, kind: str, mask: Sequence[int]) -> str:
    places = ", ".join(f"i32 {place}" for place in mask)
    return f"{register} = shufflevector {kind} {a}, {kind} {b}, <{len(mask)} x i32> <{places}>"
