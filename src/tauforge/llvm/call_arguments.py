"""The arguments of a direct call from Python, as parts of its module's text: options, and arrays that are checked."""

from __future__ import annotations

from typing import NamedTuple

from .idioms import counted, entry

CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # NumPy's flags of arrays


class Fields(NamedTuple):
    """Where NumPy keeps the parts of an array, in bytes from its beginning."""

    data: int
    rank: int
    shape: int
    strides: int
    dtype: int
    flags: int

    @classmethod
    def after(cls, header: int) -> Fields:
        """Return the places after an object's header of some bytes."""
        return cls(*(header + offset for offset in (0, 8, 16, 24, 40, 48)))


def field(register: str, kind: str, array: str, offset: int) -> list[str]:
    """Emit the code that loads a part of an object."""
    return [
        f"{register}.at = getelementptr i8, ptr {array}, i64 {offset}",
        f"{register} = load {kind}, ptr {register}.at",
    ]


def unless(condition: str, label: str) -> list[str]:
    """Return a branch to the other callable unless a condition holds."""
    return [f"br i1 {condition}, label %{label}, label %other", f"{label}:"]


def options(fields: Fields) -> list[str]:
    """Emit the code that reads the arguments given by name: where results go, and the number of threads."""
    each = [
        "%w.place = add i64 %given, %w",
        *entry("%w.name", "ptr", "%words", "%w"),
        *entry("%w.value", "ptr", "%arguments", "%w.place"),
        "%w.none = icmp eq ptr %w.value, %none",
        "%w.out = icmp eq ptr %w.name, %out",
        "br i1 %w.out, label %out.given, label %out.other",
        "out.given:",
        "%w.target = select i1 %w.none, ptr null, ptr %w.value",
        "store ptr %w.target, ptr %target",
        "br label %option",
        "out.other:",
        "%w.threads = icmp eq ptr %w.name, %threads",
        *unless("%w.threads", "threads.given"),
        "%w.one = icmp eq ptr %w.value, %one",
        "%w.fine = or i1 %w.one, %w.none",
        *unless("%w.fine", "threads.fine"),
        "%w.alone = zext i1 %w.one to i64",
        "store i64 %w.alone, ptr %alone",
        "br label %option",
        "option:",
    ]
    return [
        *field("%words.count", "i64", "%names", fields.data),
        f"%words = getelementptr i8, ptr %names, i64 {fields.data + 8}",
        *counted("%w", "%words.count", each),
    ]


def array(fields: Fields, array: str, index: str, output: bool) -> list[str]:
    """Emit the code that checks an array and records where its entries are.

    Inputs can differ from their shapes by a leading axis, the same for all; outputs have it if inputs do. Where results
    go to arrays of the caller, all must be contiguous, so that it is known whether they overlap.
    """
    a, name = array, index[1:]
    flags = ALIGNED | CONTIGUOUS | WRITEABLE if output else ALIGNED
    return [
        *field(f"{a}.type", "ptr", a, fields.data - 8),
        f"{a}.array = icmp eq ptr {a}.type, %array_type",
        *unless(f"{a}.array", f"{name}.array"),
        *field(f"{a}.dtype", "ptr", a, fields.dtype),
        f"{a}.typed = icmp eq ptr {a}.dtype, %dtype",
        *field(f"{a}.flags", "i32", a, fields.flags),
        f"{a}.wanted = select i1 %out.none, i32 {flags}, i32 {flags | CONTIGUOUS}",
        f"{a}.some = and i32 {a}.flags, {a}.wanted",
        f"{a}.usable = icmp eq i32 {a}.some, {a}.wanted",
        f"{a}.row = load i64, ptr %row",
        *entry(f"{a}.axes", "i64", "%record", f"{a}.row"),
        *field(f"{a}.rank", "i32", a, fields.rank),
        f"{a}.rank.long = sext i32 {a}.rank to i64",
        f"{a}.extra = sub i64 {a}.rank.long, {a}.axes",
        f"{a}.ranked = icmp ule i64 {a}.extra, 1",
        f"{a}.fits = and i1 {a}.typed, {a}.usable",
        f"{a}.right = and i1 {a}.fits, {a}.ranked",
        *unless(f"{a}.right", f"{name}.right"),
        *field(f"{a}.shape", "ptr", a, fields.shape),
        *field(f"{a}.strides", "ptr", a, fields.strides),
        f"{a}.batched = icmp eq i64 {a}.extra, 1",
        "store i64 %item, ptr %size",
        f"br i1 {a}.batched, label %{name}.batched, label %{name}.single",
        f"{name}.batched:",
        f"{a}.length = load i64, ptr {a}.shape",
        f"{a}.stride = load i64, ptr {a}.strides",
        f"{a}.known = load i64, ptr %states",
        f"{a}.new = icmp eq i64 {a}.known, -1",
        f"{a}.equal = icmp eq i64 {a}.known, {a}.length",
        f"{a}.possible = {f'and i1 {a}.equal, true' if output else f'or i1 {a}.new, {a}.equal'}",
        f"{a}.positive = icmp sgt i64 {a}.length, 0",
        f"{a}.agrees = and i1 {a}.possible, {a}.positive",
        *unless(f"{a}.agrees", f"{name}.agrees"),
        f"store i64 {a}.length, ptr %states",
        f"{a}.bytes = mul i64 %item, {a}.length",
        f"store i64 {a}.bytes, ptr %size",
        f"br label %{name}.sized",
        f"{name}.single:",
        *([f"{a}.before = load i64, ptr %states", f"{a}.one = icmp eq i64 {a}.before, -1"] if output else []),
        *(unless(f"{a}.one", f"{name}.one") if output else []),
        f"br label %{name}.sized",
        f"{name}.sized:",
        f"{a}.between = phi i64 [{a}.stride, %{name}.agrees], [0, %{name}.{'one' if output else 'single'}]",
        f"{a}.step = load i64, ptr %step",
        *counted(f"{a}.k", f"{a}.axes", _axis(a, name)),
        *passed(a),
        *field(f"{a}.data", "ptr", a, fields.data),
        *operand(index, f"{a}.data", f"{a}.between"),
        f"{a}.total = load i64, ptr %size",
        f"{a}.end = getelementptr i8, ptr {a}.data, i64 {a}.total",
        f"{a}.end.to = getelementptr ptr, ptr %ends, i64 {index}",
        f"store ptr {a}.end, ptr {a}.end.to",
    ]


def _axis(a: str, name: str) -> list[str]:
    """Emit the code that checks an axis inside a state and records its stride."""
    k = f"{a}.k"
    return [
        f"{k}.axis = add i64 {k}, {a}.extra",
        *entry(f"{k}.size", "i64", f"{a}.shape", f"{k}.axis"),
        f"{k}.place = add i64 {a}.row, {k}",
        f"{k}.index = add i64 {k}.place, 1",
        *entry(f"{k}.right", "i64", "%record", f"{k}.index"),
        f"{k}.same = icmp eq i64 {k}.size, {k}.right",
        *unless(f"{k}.same", f"{name}.k.same"),
        *entry(f"{k}.stride", "i64", f"{a}.strides", f"{k}.axis"),
        f"{k}.step.index = add i64 {a}.step, {k}",
        f"{k}.step = getelementptr i64, ptr %steps, i64 {k}.step.index",
        f"store i64 {k}.stride, ptr {k}.step",
        f"{k}.bytes = load i64, ptr %size",
        f"{k}.bytes.all = mul i64 {k}.bytes, {k}.size",
        f"store i64 {k}.bytes.all, ptr %size",
    ]


def passed(a: str) -> list[str]:
    """Emit the code that advances to the shape and strides of the next array."""
    return [
        f"{a}.row.past = add i64 {a}.row, {a}.axes",
        f"{a}.row.next = add i64 {a}.row.past, 1",
        f"store i64 {a}.row.next, ptr %row",
        f"{a}.step.next = add i64 {a}.step, {a}.axes",
        f"store i64 {a}.step.next, ptr %step",
    ]


def operand(index: str, data: str, between: str) -> list[str]:
    """Emit the code that puts an array into the loop's tables, with its stride between states."""
    name = index[1:]
    return [
        f"%{name}.array.to = getelementptr ptr, ptr %arrays, i64 {index}",
        f"store ptr {data}, ptr %{name}.array.to",
        f"%{name}.step.to = getelementptr i64, ptr %steps, i64 {index}",
        f"store i64 {between}, ptr %{name}.step.to",
    ]
