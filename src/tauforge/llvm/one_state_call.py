"""A call from Python with one state, as the text of a module: no step of it is done in Python.

The function has the signature that CPython calls METH_FASTCALL | METH_KEYWORDS. It handles the most common case: NumPy
arrays of the function's dtype with exactly the inputs' shapes. Everything else, including results that NumPy would warn
about, goes to a callable that handles all cases.

What it must know about a Program is in a *record*, a table of 64-bit integers; see :class:`Record`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..program.program import Shape
from .idioms import counted, entry
from .trigonometry import PREFIX

CALL = "call"
"""Name of the function."""
SYMBOLS = {
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyCapsule_GetPointer": "ptr (ptr, ptr)",
    "PyObject_Vectorcall": "ptr (ptr, ptr, i64, ptr)",
    "Py_DecRef": "void (ptr)",
    "PyArray_New": "ptr (ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)",
    "fetestexcept": "i32 (i32)",
}
"""The functions that it calls, with their types: Python's, one of NumPy's, one of the C library's."""
ALIGNED = 0x100  # NPY_ARRAY_ALIGNED
_HEADER = 8


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


class Record(NamedTuple):
    """What a call must know about a Program: addresses, and the shapes of its arrays."""

    array_type: int
    dtype: int
    dtype_number: int
    loop: int
    plan: int
    inputs: Sequence[Shape]
    outputs: Sequence[Shape]

    def table(self) -> list[int]:
        """Return the record as the function reads it."""
        shapes = [*self.inputs, *self.outputs]
        rows = [entry for shape in shapes for entry in (len(shape), *shape)]
        sizes = [len(self.inputs), len(self.outputs), sum(map(len, shapes))]
        known = [self.array_type, self.dtype, self.dtype_number, self.loop, self.plan]
        return [*known, *sizes, *rows]


def call(fields: Fields, exceptions: int) -> str:
    """Return the module; ``exceptions`` are the bits of the C library for what NumPy warns about."""
    header = ["type", "dtype", "number", "loop", "plan", "count", "results", "ranks"]
    return "\n".join(
        [
            *(_declaration(name, kind) for name, kind in SYMBOLS.items()),
            f"define ptr @{CALL}(ptr %self, ptr %arguments, i64 %given, ptr %names) nounwind {{",
            f"%capsule = call ptr @{PREFIX}PyTuple_GetItem(ptr %self, i64 0)",
            f"%record = call ptr @{PREFIX}PyCapsule_GetPointer(ptr %capsule, ptr null)",
            *(line for i, name in enumerate(header) for line in entry(f"%{name}", "i64", "%record", i)),
            "%type.object = inttoptr i64 %type to ptr",
            "%dtype.object = inttoptr i64 %dtype to ptr",
            "%operands = add i64 %count, %results",
            "%steps.size = add i64 %operands, %ranks",
            "%arrays = alloca ptr, i64 %operands",
            "%new = alloca ptr, i64 %results",
            "%steps = alloca i64, i64 %steps.size",
            "%dimensions = alloca i64",
            "%row = alloca i64",
            "%step = alloca i64",
            "store i64 1, ptr %dimensions",
            f"store i64 {_HEADER}, ptr %row",
            "store i64 %operands, ptr %step",
            "%unnamed = icmp eq ptr %names, null",
            "%all = icmp eq i64 %given, %count",
            "%usual = and i1 %unnamed, %all",
            "br i1 %usual, label %usual.call, label %other",
            "usual.call:",
            *counted("%i", "%count", _argument(fields)),
            *_results(fields, exceptions),
            "other:",
            f"%fallback = call ptr @{PREFIX}PyTuple_GetItem(ptr %self, i64 1)",
            f"%answer = call ptr @{PREFIX}PyObject_Vectorcall(ptr %fallback, ptr %arguments, i64 %given, ptr %names)",
            "ret ptr %answer",
            "}",
            "",
        ]
    )


def _declaration(name: str, kind: str) -> str:
    result, arguments = kind.split(" ", 1)
    return f"declare {result} @{PREFIX}{name}{arguments} nounwind"


def _field(register: str, kind: str, array: str, offset: int) -> list[str]:
    """Emit the code that loads a part of an object."""
    return [
        f"{register}.at = getelementptr i8, ptr {array}, i64 {offset}",
        f"{register} = load {kind}, ptr {register}.at",
    ]


def _unless(condition: str, label: str) -> list[str]:
    """Return a branch to the other callable unless a condition holds."""
    return [f"br i1 {condition}, label %{label}, label %other", f"{label}:"]


def _argument(fields: Fields) -> list[str]:
    """Emit the code that checks an argument and records where its entries are."""
    return [
        *entry("%a", "ptr", "%arguments", "%i"),
        *_field("%a.type", "ptr", "%a", fields.data - 8),
        "%a.array = icmp eq ptr %a.type, %type.object",
        *_unless("%a.array", "array"),
        *_field("%a.dtype", "ptr", "%a", fields.dtype),
        "%a.typed = icmp eq ptr %a.dtype, %dtype.object",
        *_field("%a.flags", "i32", "%a", fields.flags),
        f"%a.aligned.bit = and i32 %a.flags, {ALIGNED}",
        "%a.aligned = icmp ne i32 %a.aligned.bit, 0",
        "%row.now = load i64, ptr %row",
        *entry("%row.rank", "i64", "%record", "%row.now"),
        *_field("%a.rank", "i32", "%a", fields.rank),
        "%a.axes = sext i32 %a.rank to i64",
        "%a.ranked = icmp eq i64 %a.axes, %row.rank",
        "%a.fits = and i1 %a.typed, %a.aligned",
        "%a.right = and i1 %a.fits, %a.ranked",
        *_unless("%a.right", "ranked"),
        *_field("%a.shape", "ptr", "%a", fields.shape),
        *_field("%a.strides", "ptr", "%a", fields.strides),
        "%step.now = load i64, ptr %step",
        *counted(
            "%k",
            "%row.rank",
            [
                *entry("%k.size", "i64", "%a.shape", "%k"),
                "%k.place = add i64 %row.now, %k",
                "%k.index = add i64 %k.place, 1",
                *entry("%k.right", "i64", "%record", "%k.index"),
                "%k.same = icmp eq i64 %k.size, %k.right",
                *_unless("%k.same", "sized"),
                *entry("%k.stride", "i64", "%a.strides", "%k"),
                "%k.step.index = add i64 %step.now, %k",
                "%k.step = getelementptr i64, ptr %steps, i64 %k.step.index",
                "store i64 %k.stride, ptr %k.step",
            ],
        ),
        *_passed("%row"),
        *_field("%a.data", "ptr", "%a", fields.data),
        *_operand("%i", "%a.data"),
    ]


def _passed(row: str) -> list[str]:
    """Emit the code that advances to the shape and strides of the next array."""
    return [
        f"{row}.past = add i64 {row}.now, {row}.rank",
        f"{row}.after = add i64 {row}.past, 1",
        f"store i64 {row}.after, ptr %row",
        f"{row}.step.now = load i64, ptr %step",
        f"{row}.step.next = add i64 {row}.step.now, {row}.rank",
        f"store i64 {row}.step.next, ptr %step",
    ]


def _operand(index: str, data: str) -> list[str]:
    """Emit the code that puts an array into the loop's tables; one state needs no stride."""
    name = index[1:]
    return [
        f"%{name}.array.to = getelementptr ptr, ptr %arrays, i64 {index}",
        f"store ptr {data}, ptr %{name}.array.to",
        f"%{name}.step.to = getelementptr i64, ptr %steps, i64 {index}",
        f"store i64 0, ptr %{name}.step.to",
    ]


def _results(fields: Fields, exceptions: int) -> list[str]:
    """Emit the code that makes the result arrays, computes and returns them: one directly, several in an object."""
    return [
        "%number.number = trunc i64 %number to i32",
        *counted("%o", "%results", _new_array(fields)),
        "%loop.code = inttoptr i64 %loop to ptr",
        "%plan.table = inttoptr i64 %plan to ptr",
        "call void %loop.code(ptr %arrays, ptr %dimensions, ptr %steps, ptr %plan.table)",
        f"%raised = call i32 @{PREFIX}fetestexcept(i32 {exceptions})",
        "%fine = icmp eq i32 %raised, 0",
        "br i1 %fine, label %end, label %warned",
        "end:",
        "%single = icmp eq i64 %results, 1",
        "br i1 %single, label %one, label %several",
        "one:",
        "%only = load ptr, ptr %new",
        "ret ptr %only",
        "several:",
        f"%kind = call ptr @{PREFIX}PyTuple_GetItem(ptr %self, i64 2)",
        f"%object = call ptr @{PREFIX}PyObject_Vectorcall(ptr %kind, ptr %new, i64 %results, ptr null)",
        *_dropped("%s", "%results"),
        "ret ptr %object",
        "failed:",
        *_dropped("%f", "%o"),
        "ret ptr null",
        "warned:",
        *_dropped("%w", "%results"),
        "br label %other",
    ]


def _new_array(fields: Fields) -> list[str]:
    """Emit the code that makes the array of one result."""
    return [
        "%o.now = load i64, ptr %row",
        *entry("%o.rank", "i64", "%record", "%o.now"),
        "%o.shape.index = add i64 %o.now, 1",
        "%o.shape = getelementptr i64, ptr %record, i64 %o.shape.index",
        "%o.axes = trunc i64 %o.rank to i32",
        f"%made = call ptr @{PREFIX}PyArray_New(ptr %type.object, i32 %o.axes, ptr %o.shape, i32 %number.number, "
        "ptr null, ptr null, i32 0, i32 0, ptr null)",
        "%none = icmp eq ptr %made, null",
        "br i1 %none, label %failed, label %made.some",
        "made.some:",
        "%o.to = getelementptr ptr, ptr %new, i64 %o",
        "store ptr %made, ptr %o.to",
        *_field("%made.data", "ptr", "%made", fields.data),
        *_field("%made.strides", "ptr", "%made", fields.strides),
        "%operand = add i64 %count, %o",
        *_operand("%operand", "%made.data"),
        "%o.step = load i64, ptr %step",
        *counted(
            "%r",
            "%o.rank",
            [
                *entry("%r.stride", "i64", "%made.strides", "%r"),
                "%r.step.index = add i64 %o.step, %r",
                "%r.step = getelementptr i64, ptr %steps, i64 %r.step.index",
                "store i64 %r.stride, ptr %r.step",
            ],
        ),
        *_passed("%o"),
    ]


def _dropped(register: str, count: str) -> list[str]:
    """Emit the code that releases the result arrays."""
    array = entry(f"{register}.array", "ptr", "%new", register)
    return counted(register, count, [*array, f"call void @{PREFIX}Py_DecRef(ptr {register}.array)"])
