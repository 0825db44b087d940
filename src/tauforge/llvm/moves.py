"""How the kernel moves a block's values between arrays of any strides and slots, as parts of its module's text."""

from __future__ import annotations

from .idioms import counted, entry
from .rows import in_rows, shuffled, transposed, turned
from .vectors import Vectors

_STREAMED = 2
"""The flag of an output whose rows bypass the caches."""
_LONG = 256  # bytes of a row from which it is written by itself


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
    turn, columns = transposed([f"%from{k}" for k in lanes], vectors)
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
        shuffled("%s.all", "%s.first", "poison", kind, [0] * vectors.lanes),
        f"store {kind} %s.all, ptr %s.slot",
    ]
    return _move("gather", start, [], many, single, one, vectors)


def scatter(vectors: Vectors) -> list[str]:
    """Return ``scatter``, which moves the states of a block from slots to an array, and what it calls.

    Long rows are written one after another (see ``rows``).
    """
    lanes, scalar = range(vectors.lanes), vectors.scalar
    start = [f"%full = icmp eq i64 %used, {vectors.lanes}"]
    many = []
    for k in lanes:
        many += [
            f"%row{k}.passed = mul i64 {k}, %step",
            f"%row{k} = getelementptr i8, ptr %array, i64 %row{k}.passed",
            f"%to{k} = getelementptr {scalar}, ptr %row{k}, i64 %column",
        ]
    many += turned("%column.slot", [f"%to{k}" for k in lanes], vectors)
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
    rows = "(i64 %size, ptr %array, i64 %step, ptr %base)"
    long = [
        f"%lengthy = icmp sge i64 %size, {_LONG // vectors.size}",
        "br i1 %lengthy, label %long, label %short",
        "long:",
        f"%streams = icmp eq i64 %contiguous, {_STREAMED}",
        "br i1 %streams, label %past, label %through",
        "past:",
        f"call void @stream{rows}",
        "ret void",
        "through:",
        f"call void @rows{rows}",
        "ret void",
        "short:",
    ]
    return [
        *in_rows("rows", f"align {vectors.size}", vectors),
        *in_rows("stream", f"align {vectors.bytes}, !nontemporal !0", vectors),
        *_move("scatter", start, long, many, single, one, vectors),
        "!0 = !{i32 1}",
    ]


def _move(
    name: str,
    start: list[str],
    before: list[str],
    many: list[str],
    single: list[str],
    one: list[str],
    vectors: Vectors,
) -> list[str]:
    """Return a function that moves a square tile of entries and states at a time if it can, and otherwise one by one.

    It can if the entries are in C order and there are enough of them; the last ones are then moved together with some
    that were moved before. What comes ``before`` the tiles may do all of it. A ``single`` state in C order has code of
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
        *before,
        f"%rightmost = sub i64 %size, {vectors.lanes}",
        *counted("%c", "%size", columns, vectors.lanes),
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
