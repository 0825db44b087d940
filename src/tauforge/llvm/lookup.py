"""Reading tables: values on a grid, interpolated linearly along each of its dimensions, as the text of a module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .vectors import Vectors

WIDTH = 4
"""How many values are interpolated at a time; each point of the grid has a multiple of that."""
LOOKUP = "lookup"
"""Name of the function."""
_KIND = Vectors("double", WIDTH)
_VECTOR, literal, BYTES = _KIND.name, _KIND.literal, _KIND.size


class Dimension(NamedTuple):
    """A dimension of a grid: the coordinate along it, its start, its step, its points, and whether it closes."""

    coordinate: int
    start: float
    step: float
    points: int
    periodic: bool


def module(dimensions: Sequence[Dimension], width: int) -> str:
    """Return the text of a module that reads a grid with ``width`` values at a point, a multiple of WIDTH."""
    functions = [("floor", 1), ("maxnum", 2), ("minnum", 2)]
    return "\n".join(
        [
            *(f"declare double @llvm.{name}.f64({', '.join(['double'] * n)})" for name, n in functions),
            f"define void @{LOOKUP}(i64 %count, i64 %n, ptr %q, ptr %values, ptr %out) nounwind {{",
            "entry:",
            "%some = icmp sgt i64 %count, 0",
            "br i1 %some, label %state, label %exit",
            "state:",
            "%i = phi i64 [0, %entry], [%next, %done]",
            "%row = mul i64 %i, %n",
            f"%line = mul i64 %i, {width}",
            *(line for axis, each in enumerate(dimensions) for line in _placed(axis, each)),
            *_corners(dimensions, width),
            "br label %part",
            "part:",
            "%k = phi i64 [0, %state], [%k.next, %part]",
            *_interpolated(2 ** len(dimensions)),
            f"%k.next = add i64 %k, {WIDTH}",
            f"%k.more = icmp slt i64 %k.next, {width}",
            "br i1 %k.more, label %part, label %done",
            "done:",
            "%next = add i64 %i, 1",
            "%more = icmp slt i64 %next, %count",
            "br i1 %more, label %state, label %exit",
            "exit:",
            "ret void",
            "}",
            "",
        ]
    )


def _placed(axis: int, dimension: Dimension) -> list[str]:
    """Emit the code that locates the points on both sides of a coordinate, and their weights: %low, %high, %w.low, …"""
    a, (coordinate, start, step, points, periodic) = f".{axis}", dimension
    lines = [
        f"%place{a} = add i64 %row, {coordinate}",
        f"%at{a} = getelementptr double, ptr %q, i64 %place{a}",
        f"%x{a} = load double, ptr %at{a}",
        f"%from{a} = fsub double %x{a}, {literal(start)}",
        f"%steps{a} = fdiv double %from{a}, {literal(step)}",
    ]
    u = f"%steps{a}"
    if periodic:
        lines += [
            f"%turns{a} = fdiv double %steps{a}, {literal(points)}",
            f"%whole{a} = call double @llvm.floor.f64(double %turns{a})",
            f"%passed{a} = fmul double %whole{a}, {literal(points)}",
            f"%u{a} = fsub double %steps{a}, %passed{a}",
        ]
        u = f"%u{a}"
    lines += [
        f"%floor{a} = call double @llvm.floor.f64(double {u})",
        f"%positive{a} = call double @llvm.maxnum.f64(double %floor{a}, double 0.0)",
        f"%inside{a} = call double @llvm.minnum.f64(double %positive{a}, double {literal(points - 2 + periodic)})",
        f"%low{a} = fptosi double %inside{a} to i64",
        f"%above{a} = add i64 %low{a}, 1",
        f"%closes{a} = icmp eq i64 %above{a}, {points}",
        f"%high{a} = select i1 %closes{a}, i64 0, i64 %above{a}",
        f"%w.high{a} = fsub double {u}, %inside{a}",
        f"%w.low{a} = fsub double 1.0, %w.high{a}",
    ]
    return lines


def _corners(dimensions: Sequence[Dimension], width: int) -> list[str]:
    """Emit the code for the weight and place of each corner of the cell: %weight.c, in all lanes, and %corner.c."""
    lines = ["%i.0.0 = add i64 0, 0", "%w.0.0 = fadd double 0.0, 1.0"]
    for axis, dimension in enumerate(dimensions):
        for corner in range(2 ** (axis + 1)):
            before, new = f"{axis}.{corner // 2}", f"{axis + 1}.{corner}"
            side = ("low", "high")[corner % 2]
            lines += [
                f"%s.{new} = mul i64 %i.{before}, {dimension.points}",
                f"%i.{new} = add i64 %s.{new}, %{side}.{axis}",
                f"%w.{new} = fmul double %w.{before}, %w.{side}.{axis}",
            ]
    for corner in range(2 ** len(dimensions)):
        last = f"{len(dimensions)}.{corner}"
        lines += [
            f"%offset.{corner} = mul i64 %i.{last}, {width * BYTES}",
            f"%corner.{corner} = getelementptr i8, ptr %values, i64 %offset.{corner}",
            f"%first.{corner} = insertelement {_VECTOR} poison, double %w.{last}, i64 0",
            f"%weight.{corner} = shufflevector {_VECTOR} %first.{corner}, {_VECTOR} poison, "
            f"<{WIDTH} x i32> zeroinitializer",
        ]
    return lines


def _interpolated(corners: int) -> list[str]:
    """Emit the code that adds the corners' values, several at a time, with their weights."""
    lines = []
    for corner in range(corners):
        lines += [
            f"%p.{corner} = getelementptr double, ptr %corner.{corner}, i64 %k",
            f"%v.{corner} = load {_VECTOR}, ptr %p.{corner}, align {BYTES}",
            f"%m.{corner} = fmul contract {_VECTOR} %v.{corner}, %weight.{corner}",
        ]
        if corner:
            before = "%m.0" if corner == 1 else f"%t.{corner - 1}"
            lines.append(f"%t.{corner} = fadd contract {_VECTOR} {before}, %m.{corner}")
    total = f"%t.{corners - 1}" if corners > 1 else "%m.0"
    return [
        *lines,
        "%to = add i64 %line, %k",
        "%there = getelementptr double, ptr %out, i64 %to",
        f"store {_VECTOR} {total}, ptr %there, align {BYTES}",
    ]
