"""A direct call from Python, as the text of a module: no step of it is done in Python.

The function has the signature that CPython calls METH_FASTCALL | METH_KEYWORDS. It handles the most common cases: NumPy
arrays of the function's dtype with exactly the inputs' shapes, or with one leading axis of the same length; new results
or ``out=``; one thread. Everything else, including results that NumPy would warn about, goes to a callable that handles
all cases.

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
    "Py_IncRef": "void (ptr)",
    "Py_DecRef": "void (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyArray_New": "ptr (ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)",
    "fetestexcept": "i32 (i32)",
}
"""The functions that it calls, with their types: Python's, one of NumPy's, one of the C library's."""
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # NumPy's flags of arrays
_LONG = 64  # states from which the interpreter lock is released meanwhile


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
    """What a call must know about a Program: addresses of objects and code, and the shapes of its arrays.

    Attributes
    ----------
    array_type, dtype, tuple_type
        Python's objects ``numpy.ndarray``, the dtype of all arrays, and ``tuple``.
    dtype_number, item
        The dtype's number and its bytes.
    out, threads
        The names of the arguments that can be given by name.
    one, none
        Python's objects 1 and None.
    loop, plan
        The kernel's loop and the plan for it.
    most
        The number of states up to which one thread is enough, unless the caller asks for it.
    """

    array_type: int
    dtype: int
    tuple_type: int
    dtype_number: int
    item: int
    out: int
    threads: int
    one: int
    none: int
    loop: int
    plan: int
    most: int
    inputs: Sequence[Shape]
    outputs: Sequence[Shape]

    def table(self) -> list[int]:
        """Return the record as the function reads it."""
        shapes = [*self.inputs, *self.outputs]
        rows = [entry for shape in shapes for entry in (len(shape), *shape)]
        sizes = [len(self.inputs), len(self.outputs), sum(map(len, shapes))]
        return [*self[:_KNOWN], *sizes, *rows]


_KNOWN = len(Record._fields) - 2
_HEADER = [*Record._fields[:_KNOWN], "count", "results", "ranks"]


def call(fields: Fields, exceptions: int) -> str:
    """Return the module; ``exceptions`` are the bits of the C library for what NumPy warns about."""
    objects = ("array_type", "dtype", "tuple_type", "out", "threads", "one", "none")
    return "\n".join(
        [
            *(_declaration(name, kind) for name, kind in SYMBOLS.items()),
            f"define ptr @{CALL}(ptr %self, ptr %arguments, i64 %given, ptr %names) nounwind {{",
            f"%capsule = call ptr @{PREFIX}PyTuple_GetItem(ptr %self, i64 0)",
            f"%record = call ptr @{PREFIX}PyCapsule_GetPointer(ptr %capsule, ptr null)",
            *(
                line
                for i, name in enumerate(_HEADER)
                for line in entry(f"%{name}", "ptr" if name in objects else "i64", "%record", i)
            ),
            "%operands = add i64 %count, %results",
            "%steps.size = add i64 %operands, %ranks",
            "%axes.most = add i64 %ranks, 1",
            "%arrays = alloca ptr, i64 %operands",
            "%ends = alloca ptr, i64 %operands",
            "%new = alloca ptr, i64 %results",
            "%steps = alloca i64, i64 %steps.size",
            "%axes = alloca i64, i64 %axes.most",
            *(f"%{name} = alloca i64" for name in ("dimensions", "row", "step", "states", "size", "alone")),
            "%target = alloca ptr",
            f"store i64 {len(_HEADER)}, ptr %row",
            "store i64 %operands, ptr %step",
            "store i64 -1, ptr %states",
            "store i64 0, ptr %alone",
            "store ptr null, ptr %target",
            "%all = icmp eq i64 %given, %count",
            *_unless("%all", "all.given"),
            "%unnamed = icmp eq ptr %names, null",
            "br i1 %unnamed, label %usual, label %named",
            "named:",
            *_options(fields),
            "br label %usual",
            "usual:",
            "%out.array = load ptr, ptr %target",
            "%out.none = icmp eq ptr %out.array, null",
            *counted("%i", "%count", [*entry("%a", "ptr", "%arguments", "%i"), *_array(fields, "%a", "%i", False)]),
            *_batch(),
            "br i1 %out.none, label %make, label %take",
            "make:",
            *counted("%o", "%results", _new_array(fields)),
            "br label %compute",
            "take:",
            *_given_arrays(fields),
            "br label %compute",
            *_results(exceptions),
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


def _options(fields: Fields) -> list[str]:
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
        *_unless("%w.threads", "threads.given"),
        "%w.one = icmp eq ptr %w.value, %one",
        "%w.fine = or i1 %w.one, %w.none",
        *_unless("%w.fine", "threads.fine"),
        "%w.alone = zext i1 %w.one to i64",
        "store i64 %w.alone, ptr %alone",
        "br label %option",
        "option:",
    ]
    return [
        *_field("%words.count", "i64", "%names", fields.data),
        f"%words = getelementptr i8, ptr %names, i64 {fields.data + 8}",
        *counted("%w", "%words.count", each),
    ]


def _array(fields: Fields, array: str, index: str, output: bool) -> list[str]:
    """Emit the code that checks an array and records where its entries are.

    Inputs can differ from their shapes by a leading axis, the same for all; outputs have it if inputs do. Where results
    go to arrays of the caller, all must be contiguous, so that it is known whether they overlap.
    """
    a, name = array, index[1:]
    flags = ALIGNED | CONTIGUOUS | WRITEABLE if output else ALIGNED
    return [
        *_field(f"{a}.type", "ptr", a, fields.data - 8),
        f"{a}.array = icmp eq ptr {a}.type, %array_type",
        *_unless(f"{a}.array", f"{name}.array"),
        *_field(f"{a}.dtype", "ptr", a, fields.dtype),
        f"{a}.typed = icmp eq ptr {a}.dtype, %dtype",
        *_field(f"{a}.flags", "i32", a, fields.flags),
        f"{a}.wanted = select i1 %out.none, i32 {flags}, i32 {flags | CONTIGUOUS}",
        f"{a}.some = and i32 {a}.flags, {a}.wanted",
        f"{a}.usable = icmp eq i32 {a}.some, {a}.wanted",
        f"{a}.row = load i64, ptr %row",
        *entry(f"{a}.axes", "i64", "%record", f"{a}.row"),
        *_field(f"{a}.rank", "i32", a, fields.rank),
        f"{a}.rank.long = sext i32 {a}.rank to i64",
        f"{a}.extra = sub i64 {a}.rank.long, {a}.axes",
        f"{a}.ranked = icmp ule i64 {a}.extra, 1",
        f"{a}.fits = and i1 {a}.typed, {a}.usable",
        f"{a}.right = and i1 {a}.fits, {a}.ranked",
        *_unless(f"{a}.right", f"{name}.right"),
        *_field(f"{a}.shape", "ptr", a, fields.shape),
        *_field(f"{a}.strides", "ptr", a, fields.strides),
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
        *_unless(f"{a}.agrees", f"{name}.agrees"),
        f"store i64 {a}.length, ptr %states",
        f"{a}.bytes = mul i64 %item, {a}.length",
        f"store i64 {a}.bytes, ptr %size",
        f"br label %{name}.sized",
        f"{name}.single:",
        *([f"{a}.before = load i64, ptr %states", f"{a}.one = icmp eq i64 {a}.before, -1"] if output else []),
        *(_unless(f"{a}.one", f"{name}.one") if output else []),
        f"br label %{name}.sized",
        f"{name}.sized:",
        f"{a}.between = phi i64 [{a}.stride, %{name}.agrees], [0, %{name}.{'one' if output else 'single'}]",
        f"{a}.step = load i64, ptr %step",
        *counted(f"{a}.k", f"{a}.axes", _axis(a, name)),
        *_passed(a),
        *_field(f"{a}.data", "ptr", a, fields.data),
        *_operand(index, f"{a}.data", f"{a}.between"),
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
        *_unless(f"{k}.same", f"{name}.k.same"),
        *entry(f"{k}.stride", "i64", f"{a}.strides", f"{k}.axis"),
        f"{k}.step.index = add i64 {a}.step, {k}",
        f"{k}.step = getelementptr i64, ptr %steps, i64 {k}.step.index",
        f"store i64 {k}.stride, ptr {k}.step",
        f"{k}.bytes = load i64, ptr %size",
        f"{k}.bytes.all = mul i64 {k}.bytes, {k}.size",
        f"store i64 {k}.bytes.all, ptr %size",
    ]


def _passed(a: str) -> list[str]:
    """Emit the code that advances to the shape and strides of the next array."""
    return [
        f"{a}.row.past = add i64 {a}.row, {a}.axes",
        f"{a}.row.next = add i64 {a}.row.past, 1",
        f"store i64 {a}.row.next, ptr %row",
        f"{a}.step.next = add i64 {a}.step, {a}.axes",
        f"store i64 {a}.step.next, ptr %step",
    ]


def _operand(index: str, data: str, between: str) -> list[str]:
    """Emit the code that puts an array into the loop's tables, with its stride between states."""
    name = index[1:]
    return [
        f"%{name}.array.to = getelementptr ptr, ptr %arrays, i64 {index}",
        f"store ptr {data}, ptr %{name}.array.to",
        f"%{name}.step.to = getelementptr i64, ptr %steps, i64 {index}",
        f"store i64 {between}, ptr %{name}.step.to",
    ]


def _batch() -> list[str]:
    """Emit the code that finds the number of states, unless they are so many that several threads should share them."""
    return [
        "%states.found = load i64, ptr %states",
        "%single = icmp eq i64 %states.found, -1",
        "%states.all = select i1 %single, i64 1, i64 %states.found",
        "store i64 %states.all, ptr %dimensions",
        "store i64 %states.all, ptr %axes",
        "%leading = select i1 %single, i64 0, i64 1",
        "%alone.flag = load i64, ptr %alone",
        "%alone.asked = icmp ne i64 %alone.flag, 0",
        "%few = icmp sle i64 %states.all, %most",
        "%one.thread = or i1 %alone.asked, %few",
        *_unless("%one.thread", "one.thread.enough"),
    ]


def _new_array(fields: Fields) -> list[str]:
    """Emit the code that makes the array of one result."""
    return [
        "%o.row = load i64, ptr %row",
        *entry("%o.axes", "i64", "%record", "%o.row"),
        "%o.step = load i64, ptr %step",
        *counted(
            "%d",
            "%o.axes",
            [
                "%d.place = add i64 %o.row, %d",
                "%d.index = add i64 %d.place, 1",
                *entry("%d.size", "i64", "%record", "%d.index"),
                "%d.axis = add i64 %d, 1",
                "%d.to = getelementptr i64, ptr %axes, i64 %d.axis",
                "store i64 %d.size, ptr %d.to",
            ],
        ),
        "%o.first = sub i64 1, %leading",
        "%o.shape = getelementptr i64, ptr %axes, i64 %o.first",
        "%o.rank = add i64 %o.axes, %leading",
        "%o.rank.short = trunc i64 %o.rank to i32",
        "%number = trunc i64 %dtype_number to i32",
        f"%made = call ptr @{PREFIX}PyArray_New(ptr %array_type, i32 %o.rank.short, ptr %o.shape, i32 %number, "
        "ptr null, ptr null, i32 0, i32 0, ptr null)",
        "%nothing = icmp eq ptr %made, null",
        "br i1 %nothing, label %failed, label %made.some",
        "made.some:",
        "%o.to = getelementptr ptr, ptr %new, i64 %o",
        "store ptr %made, ptr %o.to",
        *_field("%made.data", "ptr", "%made", fields.data),
        *_field("%made.strides", "ptr", "%made", fields.strides),
        "%made.between = load i64, ptr %made.strides",
        "%o.between = select i1 %single, i64 0, i64 %made.between",
        "%operand = add i64 %count, %o",
        *_operand("%operand", "%made.data", "%o.between"),
        *counted(
            "%r",
            "%o.axes",
            [
                "%r.axis = add i64 %r, %leading",
                *entry("%r.stride", "i64", "%made.strides", "%r.axis"),
                "%r.step.index = add i64 %o.step, %r",
                "%r.step = getelementptr i64, ptr %steps, i64 %r.step.index",
                "store i64 %r.stride, ptr %r.step",
            ],
        ),
        *_passed("%o"),
    ]


def _given_arrays(fields: Fields) -> list[str]:
    """Emit the code that checks the arrays of the caller for the results: one array, or several in a tuple."""
    overlap = [
        *entry("%v.data", "ptr", "%arrays", "%v"),
        *entry("%v.end", "ptr", "%ends", "%v"),
        "%v.before = icmp ule ptr %v.end, %t.data",
        "%v.after = icmp uge ptr %v.data, %t.end",
        "%v.apart = or i1 %v.before, %v.after",
        *_unless("%v.apart", "apart"),
    ]
    each = [
        *entry("%t", "ptr", "%targets", "%u"),
        "%u.operand = add i64 %count, %u",
        *_array(fields, "%t", "%u.operand", True),
        *counted("%v", "%count", overlap),
        "%u.to = getelementptr ptr, ptr %new, i64 %u",
        "store ptr %t, ptr %u.to",
    ]
    return [
        "%only.one = icmp eq i64 %results, 1",
        "br i1 %only.one, label %targets.ready, label %targets.several",
        "targets.several:",
        *_field("%targets.type", "ptr", "%out.array", fields.data - 8),
        f"%targets.kind = call ptr @{PREFIX}PyTuple_GetItem(ptr %self, i64 2)",
        "%targets.named = icmp eq ptr %targets.type, %targets.kind",
        "%targets.plain = icmp eq ptr %targets.type, %tuple_type",
        "%targets.tuple = or i1 %targets.named, %targets.plain",
        *_unless("%targets.tuple", "targets.counted"),
        *_field("%targets.count", "i64", "%out.array", fields.data),
        "%targets.all = icmp eq i64 %targets.count, %results",
        *_unless("%targets.all", "targets.listed"),
        f"%targets.items = getelementptr i8, ptr %out.array, i64 {fields.data + 8}",
        "br label %targets.ready",
        "targets.ready:",
        "%targets = phi ptr [%target, %take], [%targets.items, %targets.listed]",
        *counted("%u", "%results", each),
        *_each_array("%h", "%results", "Py_IncRef"),
    ]


def _results(exceptions: int) -> list[str]:
    """Emit the code that computes the results and returns them: one directly, several in an object."""
    return [
        "compute:",
        "%loop.code = inttoptr i64 %loop to ptr",
        "%plan.table = inttoptr i64 %plan to ptr",
        f"%long = icmp sge i64 %states.all, {_LONG}",
        "br i1 %long, label %unlocked, label %locked",
        "unlocked:",  # other threads of Python run meanwhile
        f"%thread = call ptr @{PREFIX}PyEval_SaveThread()",
        "call void %loop.code(ptr %arrays, ptr %dimensions, ptr %steps, ptr %plan.table)",
        f"%raised.long = call i32 @{PREFIX}fetestexcept(i32 {exceptions})",
        f"call void @{PREFIX}PyEval_RestoreThread(ptr %thread)",
        "br label %computed",
        "locked:",
        "call void %loop.code(ptr %arrays, ptr %dimensions, ptr %steps, ptr %plan.table)",
        f"%raised.short = call i32 @{PREFIX}fetestexcept(i32 {exceptions})",
        "br label %computed",
        "computed:",
        "%raised = phi i32 [%raised.long, %unlocked], [%raised.short, %locked]",
        "%fine = icmp eq i32 %raised, 0",
        "br i1 %fine, label %end, label %warned",
        "end:",
        "%single.result = icmp eq i64 %results, 1",
        "br i1 %single.result, label %one.result, label %several",
        "one.result:",
        "%only = load ptr, ptr %new",
        "ret ptr %only",
        "several:",
        f"%kind = call ptr @{PREFIX}PyTuple_GetItem(ptr %self, i64 2)",
        f"%object = call ptr @{PREFIX}PyObject_Vectorcall(ptr %kind, ptr %new, i64 %results, ptr null)",
        *_each_array("%s", "%results", "Py_DecRef"),
        "ret ptr %object",
        "failed:",
        *_each_array("%f", "%o", "Py_DecRef"),
        "ret ptr null",
        "warned:",
        *_each_array("%x", "%results", "Py_DecRef"),
        "br label %other",
    ]


def _each_array(register: str, count: str, function: str) -> list[str]:
    """Emit the code that holds or releases the result arrays."""
    array = entry(f"{register}.array", "ptr", "%new", register)
    return counted(register, count, [*array, f"call void @{PREFIX}{function}(ptr {register}.array)"])
