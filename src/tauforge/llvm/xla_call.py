"""The function of a compiled Program for XLA, the compiler of JAX, as the text of a module.

XLA's interface for foreign functions hands over a frame of buffers; the offsets here are those of its C header,
``xla/ffi/api/c_api.h``, whose layout XLA keeps. Arrays are in C order, all with the same leading axes.
"""

from __future__ import annotations

from ..program.program import Program

XLA = "xla"
"""Name of the function."""
EXECUTE = 3
"""The stage in which a foreign function computes."""

_EXTENSION, _STAGE, _ARGUMENTS, _RESULTS = 8, 32, 72, 112  # in XLA_FFI_CallFrame
_DATA, _RANK, _SIZES = 24, 32, 40  # in XLA_FFI_Buffer
_METADATA = 24  # in XLA_FFI_Metadata_Extension
_MAJOR, _MINOR, _TRAITS = 24, 28, 32  # in XLA_FFI_Metadata


def xla(program: Program, states: int, version: tuple[int, int]) -> str:
    """Return the module, for the function for callers in C at this address, and for a version of the interface."""
    read, written = [*program.inputs.values()], [*program.outputs.values()]
    shapes = [*read, *written]
    counted = next((k for k, shape in enumerate(shapes) if shape.size), None)
    lines = [
        f"define ptr @{XLA}(ptr %frame) nounwind {{",
        *_load("%extension", "ptr", "%frame", _EXTENSION),
        "%plain = icmp eq ptr %extension, null",
        "br i1 %plain, label %call, label %ask",
        "ask:",  # which version of the interface this is
        *_load("%metadata", "ptr", "%extension", _METADATA),
        *_store("i32", str(version[0]), "%metadata", _MAJOR),
        *_store("i32", str(version[1]), "%metadata", _MINOR),
        *_store("i32", "0", "%metadata", _TRAITS),
        "ret ptr null",
        "call:",
        *_load("%stage", "i32", "%frame", _STAGE),
        f"%now = icmp eq i32 %stage, {EXECUTE}",
        "br i1 %now, label %run, label %end",
        "run:",
        *_load("%arguments", "ptr", "%frame", _ARGUMENTS),
        *_load("%results", "ptr", "%frame", _RESULTS),
    ]
    for k in range(len(shapes)):
        table, place = ("%arguments", k) if k < len(read) else ("%results", k - len(read))
        lines += [*_load(f"%buffer{k}", "ptr", table, 8 * place), *_load(f"%data{k}", "ptr", f"%buffer{k}", _DATA)]
    lines += _count(counted, shapes[counted].size) if counted is not None else ["%count = add i64 0, 1"]
    given = ", ".join(f"ptr %data{k}, i64 {shape.size}" for k, shape in enumerate(shapes))
    return "\n".join(
        [
            *lines,
            f"%function = inttoptr i64 {states} to ptr",
            f"call void %function(i64 %count, {given})",
            "br label %end",
            "end:",
            "ret ptr null",
            "}",
            "",
        ]
    )


def _count(buffer: int, size: int) -> list[str]:
    """Return how many states there are: the entries of an array, divided by those of one state."""
    return [
        *_load("%rank", "i64", f"%buffer{buffer}", _RANK),
        *_load("%sizes", "ptr", f"%buffer{buffer}", _SIZES),
        "br label %axes",
        "axes:",
        "%axis = phi i64 [0, %run], [%next, %more]",
        "%entries = phi i64 [1, %run], [%product, %more]",
        "%left = icmp slt i64 %axis, %rank",
        "br i1 %left, label %more, label %done",
        "more:",
        "%place = getelementptr i64, ptr %sizes, i64 %axis",
        "%size = load i64, ptr %place",
        "%product = mul i64 %entries, %size",
        "%next = add i64 %axis, 1",
        "br label %axes",
        "done:",
        f"%count = udiv i64 %entries, {size}",
    ]


def _load(name: str, kind: str, base: str, offset: int) -> list[str]:
    return [f"{name}.at = getelementptr i8, ptr {base}, i64 {offset}", f"{name} = load {kind}, ptr {name}.at"]


def _store(kind: str, value: str, base: str, offset: int) -> list[str]:
    place = f"{base}.{offset}"
    return [f"{place} = getelementptr i8, ptr {base}, i64 {offset}", f"store {kind} {value}, ptr {place}"]
