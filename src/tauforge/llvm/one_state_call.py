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

from ..program.array import Shape
from .call_arguments import Fields as Fields
from .call_arguments import array, field, operand, options, passed, unless
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
_LONG = 64  # states from which the interpreter lock is released meanwhile


class Record(NamedTuple):
    """What a call must know about a Program: addresses of objects and code, and the shapes of its arrays.

    Attributes
    ----------
    array_type
        Python's object ``numpy.ndarray``.
    dtype
        That of all arrays.
    tuple_type
        Python's object ``tuple``.
    dtype_number
        The dtype's number.
    item
        Its bytes.
    out
        The name of an argument that can be given by name; so is ``threads``.
    one
        Python's object 1; ``none`` is None.
    loop
        The kernel's loop; ``plan`` is the plan for it.
    single_loop
        The loop for a single state, whose plan is ``single_plan``; 0 until the callable beside the record, which is
        called before the first such state, has entered both.
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
    single_loop: int
    single_plan: int
    most: int
    inputs: Sequence[Shape]
    outputs: Sequence[Shape]

    @staticmethod
    def place(field: str) -> int:
        """Return the place of a field in the table."""
        return Record._fields.index(field)

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
            *(f"%{name} = alloca ptr, i64 %operands" for name in ("arrays", "ends")),
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
            *unless("%all", "all.given"),
            "%unnamed = icmp eq ptr %names, null",
            "br i1 %unnamed, label %usual, label %named",
            "named:",
            *options(fields),
            "br label %usual",
            "usual:",
            "%out.array = load ptr, ptr %target",
            "%out.none = icmp eq ptr %out.array, null",
            *counted("%i", "%count", [*entry("%a", "ptr", "%arguments", "%i"), *array(fields, "%a", "%i", False)]),
            *_batch(),
            *_code(),
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
        *unless("%one.thread", "one.thread.enough"),
    ]


def _code() -> list[str]:
    """Emit the code that finds the loop and its plan: those for a single state are made when they are first needed."""
    places = {name: str(Record.place(name)) for name in ("single_loop", "single_plan")}
    return [
        "%alone.state = icmp eq i64 %states.all, 1",
        "%made.before = icmp ne i64 %single_loop, 0",
        "%wanting = xor i1 %made.before, true",
        "%missing = and i1 %alone.state, %wanting",
        "br i1 %missing, label %prepare, label %prepared",
        "prepare:",
        f"%maker = call ptr @{PREFIX}PyTuple_GetItem(ptr %self, i64 3)",
        f"%nil = call ptr @{PREFIX}PyObject_Vectorcall(ptr %maker, ptr null, i64 0, ptr null)",
        "%refused = icmp eq ptr %nil, null",
        "br i1 %refused, label %not.prepared, label %prepared.now",
        "not.prepared:",
        "ret ptr null",
        "prepared.now:",
        f"call void @{PREFIX}Py_DecRef(ptr %nil)",
        "br label %prepared",
        "prepared:",
        *entry("%single.loop", "i64", "%record", places["single_loop"]),
        *entry("%single.plan", "i64", "%record", places["single_plan"]),
        "%loop.chosen = select i1 %alone.state, i64 %single.loop, i64 %loop",
        "%plan.chosen = select i1 %alone.state, i64 %single.plan, i64 %plan",
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
        *field("%made.data", "ptr", "%made", fields.data),
        *field("%made.strides", "ptr", "%made", fields.strides),
        "%made.between = load i64, ptr %made.strides",
        "%o.between = select i1 %single, i64 0, i64 %made.between",
        "%operand = add i64 %count, %o",
        *operand("%operand", "%made.data", "%o.between"),
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
        *passed("%o"),
    ]


def _given_arrays(fields: Fields) -> list[str]:
    """Emit the code that checks the arrays of the caller for the results: one array, or several in a tuple.

    Each is compared with the arguments and with the arrays before it; what overlaps is left to the other callable.
    """
    overlap = [
        *entry("%v.data", "ptr", "%arrays", "%v"),
        *entry("%v.end", "ptr", "%ends", "%v"),
        "%v.before = icmp ule ptr %v.end, %t.data",
        "%v.after = icmp uge ptr %v.data, %t.end",
        "%v.apart = or i1 %v.before, %v.after",
        *unless("%v.apart", "apart"),
    ]
    each = [
        *entry("%t", "ptr", "%targets", "%u"),
        "%u.operand = add i64 %count, %u",
        *array(fields, "%t", "%u.operand", True),
        *counted("%v", "%u.operand", overlap),
        "%u.to = getelementptr ptr, ptr %new, i64 %u",
        "store ptr %t, ptr %u.to",
    ]
    return [
        "%only.one = icmp eq i64 %results, 1",
        "br i1 %only.one, label %targets.ready, label %targets.several",
        "targets.several:",
        *field("%targets.type", "ptr", "%out.array", fields.data - 8),
        f"%targets.kind = call ptr @{PREFIX}PyTuple_GetItem(ptr %self, i64 2)",
        "%targets.named = icmp eq ptr %targets.type, %targets.kind",
        "%targets.plain = icmp eq ptr %targets.type, %tuple_type",
        "%targets.tuple = or i1 %targets.named, %targets.plain",
        *unless("%targets.tuple", "targets.counted"),
        *field("%targets.count", "i64", "%out.array", fields.data),
        "%targets.all = icmp eq i64 %targets.count, %results",
        *unless("%targets.all", "targets.listed"),
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
        "%loop.code = inttoptr i64 %loop.chosen to ptr",
        "%plan.table = inttoptr i64 %plan.chosen to ptr",
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
    found = entry(f"{register}.array", "ptr", "%new", register)
    return counted(register, count, [*found, f"call void @{PREFIX}{function}(ptr {register}.array)"])
