"""The arc tangent of two numbers, for all lanes of a vector at once."""

from __future__ import annotations

import math
import struct

from .vectors import Vectors

_SMALLEST, _LARGEST = 1e-150, 1e150
"""Bounds of the larger number, between which the quotient below is as exact as it looks."""
_EIGHTH = math.tan(math.pi / 8)
_SERIES = (
    -0.3333333333333333,
    0.19999999999999804,
    -0.14285714285659828,
    0.11111111105155447,
    -0.09090908753500877,
    0.07692296375032143,
    -0.06666424885738255,
    0.05878928997834775,
    -0.05230454270650244,
    0.04551593220626549,
    -0.034570561981427744,
    0.016285756855221028,
)  # (atan z - z) / z**3 in powers of z**2 for |z| <= tan(pi/8), fitted at Chebyshev's points; error below 1.3e-18
_TURNS = tuple(
    (float.fromhex(high), float.fromhex(low))
    for high, low in (
        ("0x0p+0", "0x0p+0"),
        ("0x1.921fb54442d18p-1", "0x1.1a62633145c07p-55"),
        ("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54"),
        ("0x1.2d97c7f3321d2p+1", "0x1.a79394c9e8a0ap-54"),
        ("0x1.921fb54442d18p+1", "0x1.1a62633145c07p-53"),
    )
)
"""0 to 4 eighths of a turn, each as a double and what it lacks."""


def arctangent(vectors: Vectors) -> list[str]:
    """Emit the code that computes %angle, the arc tangent of %y by %x, in double precision; %good tells in which
    lanes it is right.

    With a = max(|x|, |y|) and b = min(|x|, |y|), the angle is a number of eighths of a turn, plus or minus the arc
    tangent of z = b/a, or of z = (b - a) / (b + a) where b/a is above tan(π/8).
    """
    wide = vectors.wide
    d, bits, truth = wide.name, f"<{wide.lanes} x i64>", f"<{wide.lanes} x i1>"

    def chosen(register: str, where: str, yes: str, no: str) -> str:
        return f"{register} = select {truth} {where}, {d} {yes}, {d} {no}"

    def turn(register: str, part: int) -> list[str]:
        """Select the eighths of a turn."""
        none, one, two, three, four = (wide.all(each[part]) for each in _TURNS)
        return [
            chosen(f"{register}.flat", "%left", four, none),
            chosen(f"{register}.far", "%steep", two, f"{register}.flat"),
            chosen(f"{register}.near", "%left", three, one),
            chosen(register, "%near", f"{register}.near", f"{register}.far"),
        ]

    return [
        *(line for v in ("x", "y") for line in _size(v, wide)),
        f"%left = icmp slt {bits} %x.bits, zeroinitializer",
        f"%steep = fcmp ogt {d} %y.size, %x.size",
        chosen("%a", "%steep", "%y.size", "%x.size"),
        chosen("%b", "%steep", "%x.size", "%y.size"),
        *_checked(wide),
        chosen("%divisor", "%good", "%a", wide.all(1.0)),
        chosen("%dividend", "%good", "%b", wide.all(0.0)),
        f"%limit = fmul {d} %divisor, {wide.all(_EIGHTH)}",
        f"%near = fcmp ogt {d} %dividend, %limit",
        f"%less = fsub {d} %dividend, %divisor",
        f"%more = fadd {d} %dividend, %divisor",
        chosen("%above", "%near", "%less", "%dividend"),
        chosen("%below", "%near", "%more", "%divisor"),
        f"%z = fdiv {d} %above, %below",
        f"%w = fmul {d} %z, %z",
        f"%w2 = fmul {d} %w, %w",
        f"%w4 = fmul {d} %w2, %w2",
        *_series(wide),
        f"%wz = fmul {d} %w, %z",
        f"%bent = fmul {d} %wz, %p",
        *turn("%high", 0),
        *turn("%low", 1),
        *_signed(wide),
    ]


def _signed(wide: Vectors) -> list[str]:
    """Emit the code that adds the arc tangent of %z to the eighths of a turn, and gives the sum its sign."""
    d, bits, truth = wide.name, f"<{wide.lanes} x i64>", f"<{wide.lanes} x i1>"
    return [
        f"%reversed = xor {truth} %steep, %left",
        f"%z.minus = fneg {d} %z",
        f"%bent.minus = fneg {d} %bent",
        f"%z.signed = select {truth} %reversed, {d} %z.minus, {d} %z",
        f"%bent.signed = select {truth} %reversed, {d} %bent.minus, {d} %bent",
        f"%rest = fadd {d} %bent.signed, %low",
        f"%sum = fadd {d} %high, %z.signed",
        f"%sum.less = fsub {d} %sum, %high",
        f"%lost = fsub {d} %z.signed, %sum.less",
        f"%rest.all = fadd {d} %rest, %lost",
        f"%size = fadd {d} %sum, %rest.all",
        f"%size.bits = bitcast {d} %size to {bits}",
        f"%angle.bits = or {bits} %size.bits, %y.sign",
        f"%angle = bitcast {bits} %angle.bits to {d}",
    ]


def _checked(wide: Vectors) -> list[str]:
    """Emit the code that finds the lanes that are %good: both are numbers, and the larger one is within bounds."""
    d, bits, truth = wide.name, f"<{wide.lanes} x i64>", f"<{wide.lanes} x i1>"
    return [
        f"%a.bits = bitcast {d} %a to {bits}",
        f"%a.over = icmp sge {bits} %a.bits, splat (i64 {_bits(_SMALLEST)})",
        f"%a.under = icmp sle {bits} %a.bits, splat (i64 {_bits(_LARGEST)})",
        f"%x.number = icmp sle {bits} %x.low, splat (i64 {_bits(_LARGEST)})",
        f"%y.number = icmp sle {bits} %y.low, splat (i64 {_bits(_LARGEST)})",
        f"%number = and {truth} %x.number, %y.number",
        f"%between = and {truth} %a.over, %a.under",
        f"%good = and {truth} %number, %between",
    ]


def _size(v: str, wide: Vectors) -> list[str]:
    """Emit the code that splits a number into size and sign."""
    d, bits = wide.name, f"<{wide.lanes} x i64>"
    return [
        f"%{v}.bits = bitcast {d} %{v} to {bits}",
        f"%{v}.low = and {bits} %{v}.bits, splat (i64 {(1 << 63) - 1})",
        f"%{v}.sign = and {bits} %{v}.bits, splat (i64 {-(1 << 63)})",
        f"%{v}.size = bitcast {bits} %{v}.low to {d}",
    ]


def _series(wide: Vectors) -> list[str]:
    """Emit the polynomial %p in %w, in groups of four terms that do not wait for each other."""
    d, lines = wide.name, list[str]()
    for k in range(0, 12, 2):
        lines += [
            f"%p{k}.odd = fmul contract {d} %w, {wide.all(_SERIES[k + 1])}",
            f"%p{k} = fadd contract {d} {wide.all(_SERIES[k])}, %p{k}.odd",
        ]
    for k in (0, 4, 8):
        lines += [f"%g{k}.odd = fmul contract {d} %w2, %p{k + 2}", f"%g{k} = fadd contract {d} %p{k}, %g{k}.odd"]
    lines += [f"%h.odd = fmul contract {d} %w4, %g8", f"%h = fadd contract {d} %g4, %h.odd"]
    return [*lines, f"%p.odd = fmul contract {d} %w4, %h", f"%p = fadd contract {d} %g0, %p.odd"]


def _bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])
