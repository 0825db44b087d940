"""Sines, cosines and their inverses of whole blocks, from slots to slots: the kernel's services for pieces.

A service is a function ``(from, to, count)``: it takes its arguments from ``count`` groups of slots and puts its
results into as many.
"""

from __future__ import annotations

import math
import struct

from ..graph.operations import ATAN2, COS, LIBRARY, SIN
from .arctangent import arctangent
from .idioms import counted, entry
from .vectors import Vectors

PREFIX = "tauforge_"
"""Prefix of functions from outside the module: not every process exports the C library's under their own names."""
SINCOS = "sincos"
SERVICE = {name: SINCOS if name in (SIN, COS) else name for name in LIBRARY}
"""The service that computes each of the C library's functions."""
SERVICES = {SINCOS: (1, 2)} | {name: (count, 1) for name, count in LIBRARY.items() if SERVICE[name] == name}
"""Slots that each service reads and fills, per group."""

LARGEST = "%largest"
"""Name of the largest angle for which the reduction below is exact enough."""
_LARGEST = 1e5
_ROUND = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to an integer, which is then in the lowest bits
_QUARTER = {
    "%first": float.fromhex("0x1.921fb54400000p+0"),
    "%second": float.fromhex("0x1.0b4611a600000p-34"),
    "%third": float.fromhex("0x1.3198a2e037073p-69"),
    "%middle": float.fromhex("0x1.0b4611a626331p-34"),
    "%last": float.fromhex("0x1.1701b839a2520p-88"),
}
# pi/2 as first + second + third, whose first two products with a number of quarter turns are exact; and as first +
# middle + last, where a fused multiply-add needs no exact product
_SIN = (
    -0.16666666666666666,
    0.008333333333330948,
    -0.00019841269836756774,
    2.7557316101617874e-06,
    -2.505113165023518e-08,
    1.5918115263265974e-10,
)  # (sin r - r) / r**3 in powers of r**2 for |r| <= pi/4, fitted at Chebyshev's points; error below 2.1e-17
_COS = (
    0.041666666666666664,
    -0.0013888888888887398,
    2.480158729876456e-05,
    -2.7557317271145144e-07,
    2.087614614655861e-09,
    -1.1382623647474604e-11,
)  # (cos r - 1 + r**2/2) / r**4 likewise; error below 1.3e-18
NUMBERS = {
    "%ratio": 2 / math.pi,
    "%round": _ROUND,
    **_QUARTER,
    **{f"%p{k}": x for k, x in enumerate(_SIN)},
    **{f"%q{k}": x for k, x in enumerate(_COS)},
    "%half": 0.5,
    "%one": 1.0,
    LARGEST: _LARGEST,
}
"""The numbers that sines and cosines need, by name."""


def service(name: str, vectors: Vectors) -> str:
    """Return the name of a service's function."""
    return f"{PREFIX}{name}_{vectors.suffix}{'' if vectors.fused else '_separate'}"


def functions(vectors: Vectors) -> list[str]:
    """Return the services, and declarations of what they call."""
    wide = vectors.wide
    return [
        *(f"declare double @{PREFIX}{name}({', '.join(['double'] * n)}) nounwind" for name, n in LIBRARY.items()),
        *_numbers(wide),
        *_sincos(vectors),
        *_arctangent(vectors),
        *(line for name in LIBRARY if name in SERVICES and name != ATAN2 for line in _lane_by_lane(name, vectors)),
    ]


def _service(name: str, vectors: Vectors, body: list[str]) -> list[str]:
    head = f"define void @{service(name, vectors)}(ptr %from, ptr %to, i64 %count) nounwind {{"
    return [head, "%numbers = load ptr, ptr @numbers.at", *counted("%i", "%count", body), "ret void", "}"]


def _sincos(vectors: Vectors) -> list[str]:
    """Return the service of sine and cosine, in double precision whatever the type.

    One reduction to a = n pi/2 + r, |r| <= pi/4, serves both. The C library computes lanes whose angle is too large for
    it or is not a number.
    """
    truth = f"<{vectors.lanes} x i1>"
    body = [
        *_angle(vectors),
        *_reduced(vectors.wide),
        *_of_rest(vectors.wide),
        *_of_quarter(vectors),
        *(line for name in ("%sin", "%cos") for line in _signed(name, vectors)),
        f"%all = bitcast {truth} %good to i{vectors.lanes}",
        f"%fine = icmp eq i{vectors.lanes} %all, -1",
        "br i1 %fine, label %computed, label %library",
        "library:",
        *counted("%k", str(vectors.lanes), _lane_of_sincos(vectors)),
        "br label %computed",
        "computed:",
    ]
    return _service(SINCOS, vectors, body)


def _angle(vectors: Vectors) -> list[str]:
    """Emit the code that loads the angle %x and finds its size %a, if %good, and its number %n of quarter turns."""
    wide = vectors.wide
    d, bits, truth = wide.name, f"<{wide.lanes} x i64>", f"<{wide.lanes} x i1>"
    return [
        *entry("%given", vectors.name, "%from", "%i"),
        _converted("%x", "%given", vectors.name, d),
        f"%x.bits = bitcast {d} %x to {bits}",
        f"%size = and {bits} %x.bits, splat (i64 {(1 << 63) - 1})",
        f"%good = icmp sle {bits} %size, splat (i64 {_bits(_LARGEST)})",  # as integers: NaN must raise no exception
        f"%a.bits = select {truth} %good, {bits} %size, {bits} zeroinitializer",
        f"%a = bitcast {bits} %a.bits to {d}",
        *_number("%ratio", wide),
        f"%part = fmul contract {d} %a, %ratio",
        *_number("%round", wide),
        f"%rounded = fadd contract {d} %part, %round",
        f"%quarters = bitcast {d} %rounded to {bits}",
        f"%n = fsub {d} %rounded, %round",
    ]


def _of_rest(wide: Vectors) -> list[str]:
    """Emit the code that computes sine %s and cosine %c of the rest %r."""
    d = wide.name
    near = "%r2" if wide.fused else "%r"  # where r2 is near enough to square it without waiting for r
    return [
        f"%z = fmul contract {d} {near}, {near}",
        *_polynomial("%p", wide),
        f"%rz = fmul contract {d} %r, %z",
        f"%rzp = fmul contract {d} %rz, %p",
        f"%s = fadd contract {d} %r, %rzp",
        *_polynomial("%q", wide),
        *_number("%half", wide),
        *_number("%one", wide),
        f"%zq = fmul contract {d} %z, %q",
        f"%less = fsub contract {d} %zq, %half",
        f"%zless = fmul contract {d} %z, %less",
        f"%c = fadd contract {d} %one, %zless",
    ]


def _of_quarter(vectors: Vectors) -> list[str]:
    """Emit the code that finds sizes and signs of the results: each quarter turn exchanges them, two reverse them."""
    wide = vectors.wide
    d, bits, truth = wide.name, f"<{wide.lanes} x i64>", f"<{wide.lanes} x i1>"
    return [
        f"%odd = trunc {bits} %quarters to {truth}",
        f"%sin.size = select {truth} %odd, {d} %c, {d} %s",
        f"%cos.size = select {truth} %odd, {d} %s, {d} %c",
        f"%reversed = shl {bits} %quarters, splat (i64 62)",
        f"%sin.turn = xor {bits} %reversed, %x.bits",
        f"%next = add {bits} %quarters, splat (i64 1)",
        f"%cos.turn = shl {bits} %next, splat (i64 62)",
        "%place = mul i64 %i, 2",
        f"%sin.to = getelementptr {vectors.name}, ptr %to, i64 %place",
        f"%cos.to = getelementptr {vectors.name}, ptr %sin.to, i64 1",
    ]


def _signed(name: str, vectors: Vectors) -> list[str]:
    """Emit the code that gives a result its sign and stores it."""
    d, bits = vectors.wide.name, f"<{vectors.lanes} x i64>"
    return [
        f"{name}.sign = and {bits} {name}.turn, splat (i64 {-(1 << 63)})",
        f"{name}.bits = bitcast {d} {name}.size to {bits}",
        f"{name}.signed = xor {bits} {name}.bits, {name}.sign",
        f"{name}.wide = bitcast {bits} {name}.signed to {d}",
        _converted(name, f"{name}.wide", d, vectors.name),
        f"store {vectors.name} {name}, ptr {name}.to",
    ]


def _reduced(wide: Vectors) -> list[str]:
    """Emit the code that computes the rest %r of %a after %n quarter turns, subtracting n pi/2 in three parts."""
    d = wide.name
    if wide.fused:
        parts = (("%a", "%first", "%r1"), ("%r1", "%middle", "%r2"), ("%r2", "%last", "%r"))
        return [line for old, part, new in parts for line in _less(old, part, new, wide)]
    return [
        *_less("%a", "%first", "%r1", wide),
        *_less("%r1", "%second", "%r2", wide),
        f"%gone = fsub {d} %r1, %r2",
        f"%lost = fsub {d} %gone, %second.n",  # the rounding error of r2
        *_less("%lost", "%third", "%rest", wide),
        f"%r = fadd {d} %r2, %rest",
    ]


def _less(old: str, part: str, new: str, wide: Vectors) -> list[str]:
    return [
        *_number(part, wide),
        f"{part}.n = fmul contract {wide.name} %n, {part}",
        f"{new} = fsub contract {wide.name} {old}, {part}.n",
    ]


def _polynomial(name: str, wide: Vectors) -> list[str]:
    """Emit a polynomial of degree 5 in %z, by Horner's rule."""
    d, total, lines = wide.name, f"{name}5", _number(f"{name}5", wide)
    for k in (4, 3, 2, 1, 0):
        lines += [
            *_number(f"{name}{k}", wide),
            f"{name}{k}.high = fmul contract {d} %z, {total}",
            f"{name}{k}.sum = fadd contract {d} {name}{k}, {name}{k}.high",
        ]
        total = f"{name}{k}.sum"
    return [*lines, f"{name} = bitcast {d} {total} to {d}"]


def _number(register: str, wide: Vectors) -> list[str]:
    """Emit the code that loads one of the numbers.

    They are in memory, and so is their address, where others could change it: otherwise LLVM would load them all before
    the loop, which is short.
    """
    return entry(register, wide.name, "%numbers", [*NUMBERS].index(register))


def _numbers(wide: Vectors) -> list[str]:
    rows = [f"{wide.name} {wide.all(value)}" for value in NUMBERS.values()]
    return [
        f"@numbers = internal constant [{len(rows)} x {wide.name}] [{', '.join(rows)}]",
        "@numbers.at = global ptr @numbers",
    ]


def _lane_of_sincos(vectors: Vectors) -> list[str]:
    """Emit the code that has the C library compute the lane %k, if that needs it."""
    scalar = vectors.scalar
    body = [
        *entry("%lane", scalar, "%given.at", "%k"),
        _converted("%y", "%lane", scalar, "double"),
        "%y.bits = bitcast double %y to i64",
        f"%y.size = and i64 %y.bits, {(1 << 63) - 1}",
        f"%y.good = icmp sle i64 %y.size, {_bits(_LARGEST)}",
        "br i1 %y.good, label %kept, label %asked",
        "asked:",
    ]
    for name in ("sin", "cos"):
        body += [
            f"%y.{name} = call double @{PREFIX}{name}(double %y)",
            _converted(f"%y.{name}.result", f"%y.{name}", "double", scalar),
            f"%y.{name}.to = getelementptr {scalar}, ptr %{name}.to, i64 %k",
            f"store {scalar} %y.{name}.result, ptr %y.{name}.to",
        ]
    return [*body, "br label %kept", "kept:"]


def _lane_by_lane(name: str, vectors: Vectors) -> list[str]:
    """Return a service for which each lane's value comes from the C library."""
    body = counted("%k", str(vectors.lanes), _lane(name, vectors))
    return _service(name, vectors, [*_groups(name, vectors), *body])


def _arctangent(vectors: Vectors) -> list[str]:
    """Return the service of the arc tangent; the C library computes lanes with zeros, infinities and extremes."""
    given = [
        line
        for a, v in enumerate(("y", "x"))
        for line in (
            f"%whole{a} = load {vectors.name}, ptr %group{a}",
            _converted(f"%{v}", f"%whole{a}", vectors.name, vectors.wide.name),
        )
    ]
    body = [
        *_groups(ATAN2, vectors),
        *given,
        *arctangent(vectors),
        _converted("%found", "%angle", vectors.wide.name, vectors.name),
        f"store {vectors.name} %found, ptr %filled",
        f"%all = bitcast <{vectors.lanes} x i1> %good to i{vectors.lanes}",
        f"%fine = icmp eq i{vectors.lanes} %all, -1",
        "br i1 %fine, label %computed, label %library",
        "library:",
        f"%goods = zext i{vectors.lanes} %all to i64",
        *counted("%k", str(vectors.lanes), _lane_of_arctangent(vectors)),
        "br label %computed",
        "computed:",
    ]
    return _service(ATAN2, vectors, body)


def _lane_of_arctangent(vectors: Vectors) -> list[str]:
    """Emit the code that has the C library compute the lane %k, if that needs it."""
    return [
        "%k.first = lshr i64 %goods, %k",
        "%k.good = trunc i64 %k.first to i1",
        "br i1 %k.good, label %kept, label %asked",
        "asked:",
        *_lane(ATAN2, vectors),
        "br label %kept",
        "kept:",
    ]


def _groups(name: str, vectors: Vectors) -> list[str]:
    """Emit the code that finds the slots of the arguments, %group0 and so on, and that of the result, %filled."""
    count = LIBRARY[name]
    places = [f"%place = mul i64 %i, {count}", f"%group0 = getelementptr {vectors.name}, ptr %from, i64 %place"]
    places += [f"%group{a} = getelementptr {vectors.name}, ptr %group0, i64 {a}" for a in range(1, count)]
    return [*places, f"%filled = getelementptr {vectors.name}, ptr %to, i64 %i"]


def _lane(name: str, vectors: Vectors) -> list[str]:
    """Emit the code that has the C library compute the lane %k."""
    scalar, count = vectors.scalar, LIBRARY[name]
    lines = []
    for a in range(count):
        lines += [
            *entry(f"%given{a}", scalar, f"%group{a}", "%k"),
            _converted(f"%x{a}", f"%given{a}", scalar, "double"),
        ]
    return [
        *lines,
        f"%each = call double @{PREFIX}{name}({', '.join(f'double %x{a}' for a in range(count))})",
        _converted("%result", "%each", "double", scalar),
        f"%result.to = getelementptr {scalar}, ptr %filled, i64 %k",
        f"store {scalar} %result, ptr %result.to",
    ]


def _bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def _converted(register: str, value: str, old: str, new: str) -> str:
    """Return the instruction from one precision to the other."""
    how = "bitcast" if old == new else "fptrunc" if "double" in old else "fpext"
    return f"{register} = {how} {old} {value} to {new}"
