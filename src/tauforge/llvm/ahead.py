"""A Program as modules for another machine: its pieces, what they call, and a function that C and JavaScript can call.

The function takes the number of states and the address of each array, states one after another; the parameters are the
same for all states. It computes a block of states at once, as the kernel does, and needs no memory but its own.
"""

from __future__ import annotations

from ..program.array import Array
from ..program.program import PARAMETERS, Program
from .idioms import counted
from .pieces import BODY, SETUP, numbers, pieces
from .trigonometry import functions
from .vectors import Vectors


def modules(program: Program, vectors: Vectors, name: str) -> list[str]:
    """Return the texts of the modules; the function is called ``name``."""
    made = pieces(program, vectors)
    shared = "\n".join([*functions(vectors), ""])
    calls = [f"declare void @{kind}{i}(ptr, ptr)" for kind, n in _kinds(made.setup, made.body) for i in range(n)]
    values = ", ".join(f"{vectors.name} {vectors.all(x)}" for x in numbers(program))
    count = len(numbers(program))
    tables = [
        f"@table = internal constant [{count} x {vectors.name}] [{values}], align {vectors.bytes}",
        f"@slots = internal global [{made.slots} x {vectors.name}] zeroinitializer, align {vectors.bytes}",
    ]
    function = _function(program, vectors, name, made.setup, made.body)
    return [shared, *made.modules, "\n".join([*calls, *tables, *function])]


def _kinds(setup: int, body: int) -> list[tuple[str, int]]:
    return [(SETUP, setup), (BODY, body)]


def _function(program: Program, vectors: Vectors, name: str, setup: int, body: int) -> list[str]:
    inputs, outputs = [*program.arguments.items()], [*program.results.items()]
    arguments = ", ".join(["i32 %states", *(f"ptr noalias %{key}" for key, _ in (*inputs, *outputs))])
    block = ["%left = sub i64 %count, %i", "%last = sub i64 %left, 1"]
    once: list[str] = []
    slot = 0
    for key, array in inputs:
        (once if key == PARAMETERS else block).extend(_bring(key, array, slot, vectors, key == PARAMETERS))
        slot += len(array.nodes)
    block += [f"call void @{BODY}{i}(ptr @slots, ptr @table)" for i in range(body)]
    for key, array in outputs:
        block += _write(key, array, slot, vectors)
        slot += len(array.nodes)
    return [
        f"define void @{name}({arguments}) nounwind {{",
        "%count = sext i32 %states to i64",
        *once,
        *(f"call void @{SETUP}{i}(ptr @slots, ptr @table)" for i in range(setup)),
        *counted("%i", "%count", block, vectors.lanes),
        "ret void",
        "}",
        "",
    ]


def _bring(key: str, array: Array, slot: int, vectors: Vectors, shared: bool) -> list[str]:
    """Emit the code that moves an input's entries of a block of states into slots; the last state fills the block."""
    lines: list[str] = []
    size, kind = len(array.nodes), vectors.scalar
    if not size:
        return []
    for lane in range(vectors.lanes):
        here = f"%{key}.{lane}"
        if shared:
            lines.append(f"{here} = getelementptr {kind}, ptr %{key}, i64 0")
        else:
            lines += [
                f"{here}.inside = icmp sgt i64 %left, {lane}",
                f"{here}.past = select i1 {here}.inside, i64 {lane}, i64 %last",
                f"{here}.state = add i64 %i, {here}.past",
                f"{here}.first = mul i64 {here}.state, {size}",
                f"{here} = getelementptr {kind}, ptr %{key}, i64 {here}.first",
            ]
    for j in range(size):
        value = "poison"
        for lane in range(vectors.lanes):
            here = f"%{key}.{lane}.{j}"
            lines += [
                f"{here}.at = getelementptr {kind}, ptr %{key}.{lane}, i64 {j}",
                f"{here} = load {kind}, ptr {here}.at",
                f"{here}.all = insertelement {vectors.name} {value}, {kind} {here}, i64 {lane}",
            ]
            value = f"{here}.all"
        lines += [
            f"%{key}.slot.{j} = getelementptr {vectors.name}, ptr @slots, i64 {slot + j}",
            f"store {vectors.name} {value}, ptr %{key}.slot.{j}",
        ]
    return lines


def _write(key: str, array: Array, slot: int, vectors: Vectors) -> list[str]:
    """Emit the code that moves the slots of an output to the states of a block that there are."""
    size, kind = len(array.nodes), vectors.scalar
    lines: list[str] = []
    for lane in range(vectors.lanes):
        here = f"{key}.{lane}"
        lines += [
            f"%{here}.inside = icmp sgt i64 %left, {lane}",
            f"br i1 %{here}.inside, label %{here}.write, label %{here}.done",
            f"{here}.write:",
            f"%{here}.state = add i64 %i, {lane}",
            f"%{here}.first = mul i64 %{here}.state, {size}",
            f"%{here} = getelementptr {kind}, ptr %{key}, i64 %{here}.first",
        ]
        for j in range(size):
            lines += [
                f"%{here}.{j}.slot = getelementptr {vectors.name}, ptr @slots, i64 {slot + j}",
                f"%{here}.{j}.all = load {vectors.name}, ptr %{here}.{j}.slot",
                f"%{here}.{j} = extractelement {vectors.name} %{here}.{j}.all, i64 {lane}",
                f"%{here}.{j}.at = getelementptr {kind}, ptr %{here}, i64 {j}",
                f"store {kind} %{here}.{j}, ptr %{here}.{j}.at",
            ]
        lines += [f"br label %{here}.done", f"{here}.done:"]
    return lines
