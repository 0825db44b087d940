"""LLVM: Program -> the text of a module that computes batches of states, for the runtime to compile.

The module defines two functions. ``loop`` is the inner loop of a NumPy generalized ufunc: any strides between states
and inside an array. ``states`` is for callers in C, whose arrays are in C order (see :func:`prototype`).

:class:`StraightLine` writes the code of one state. It knows nothing of the loop around it, nor whether its values are
scalars or vectors of them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from itertools import product
from typing import NamedTuple

from ..graph.evaluate import topological
from ..graph.node import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, Node
from ..program.program import PARAMETERS, Array, Program, Shape

LOOP, STATES = "loop", "states"
"""Names of the module's functions."""
EXTERNAL = {SIN: 1, COS: 1, ASIN: 1, ACOS: 1, ATAN2: 2}
"""Functions that are to be provided, each under its name after PREFIX, and how many arguments they take."""
PREFIX = "tauforge_"
BYTES = 8
"""Size of a double."""

_SUBTRACT = "{r} = fsub contract {t} {a}, {b}"
_INSTRUCTIONS = {  # "contract" allows a fused multiply-add, and nothing else
    ADD: "{r} = fadd contract {t} {a}, {b}",
    MUL: "{r} = fmul contract {t} {a}, {b}",
    DIV: "{r} = fdiv {t} {a}, {b}",
    NEG: "{r} = fneg {t} {a}",
    SQRT: "{r} = call {t} @llvm.sqrt.{suffix}({t} {a})",
    ABS: "{r} = call {t} @llvm.fabs.{suffix}({t} {a})",
    SIGN: "{r}.above = fcmp ogt {t} {a}, zeroinitializer\n"
    "{r}.below = fcmp olt {t} {a}, zeroinitializer\n"
    "{r}.plus = uitofp {truth} {r}.above to {t}\n"
    "{r}.minus = uitofp {truth} {r}.below to {t}\n"
    "{r} = fsub {t} {r}.plus, {r}.minus",
    **{op: f"{{r}} = call {{t}} @{PREFIX}{op}({{t}} {{a}})" for op, count in EXTERNAL.items() if count == 1},
    **{
        op: f"{{r}} = call {{t}} @{PREFIX}{op}({{t}} {{a}}, {{t}} {{b}})"
        for op, count in EXTERNAL.items()
        if count == 2
    },
}


class Kind(NamedTuple):
    """A type of values: its name, the ending of intrinsic functions on it, and the type of a comparison's result."""

    name: str
    suffix: str
    truth: str


DOUBLE = Kind("double", "f64", "i1")


class Place(NamedTuple):
    """Where a value stands in memory: a pointer, and along each axis the bytes from entry to entry and an index."""

    pointer: str
    offsets: tuple[tuple[str, int], ...]

    def address(self, prefix: str) -> tuple[list[str], str]:
        """Return instructions that compute the address, in registers whose names begin so, and the address."""
        lines, pointer = [], self.pointer
        for axis, (step, index) in enumerate(self.offsets):
            if index:
                offset, previous, pointer = f"{prefix}.o{axis}", pointer, f"{prefix}.p{axis}"
                lines.append(f"{offset} = mul i64 {step}, {index}")
                lines.append(f"{pointer} = getelementptr i8, ptr {previous}, i64 {offset}")
        return lines, pointer


class StraightLine:
    """Instructions that compute nodes one after another, each into a register of its own.

    Parameters
    ----------
    prefix : how the registers' names begin
    places : where nodes stand that are to be loaded, which happens where they are first needed
    kind : the registers' type
    """

    def __init__(self, prefix: str, places: Mapping[Node, Place], kind: Kind = DOUBLE) -> None:
        self.lines: list[str] = []
        self._prefix, self._places, self._kind = prefix, places, kind
        self._registers: dict[Node, str] = {}

    def compute(self, order: Iterable[Node]) -> None:
        """Add what computes nodes; arguments come before their users."""
        for node in order:
            if node.op is CONST:
                self._registers[node] = literal(float(node))
            elif node in self._places:
                self._load(node)
            else:
                self._apply(node)

    def store(self, node: Node, place: Place, prefix: str) -> None:
        """Add what stores a computed node."""
        lines, pointer = place.address(prefix)
        self.lines += [*lines, f"store {self._kind.name} {self._registers[node]}, ptr {pointer}"]

    def _load(self, node: Node) -> None:
        register = self._new(node)
        lines, pointer = self._places[node].address(register)
        self.lines += [*lines, f"{register} = load {self._kind.name}, ptr {pointer}"]

    def _apply(self, node: Node) -> None:
        template, args, known = _INSTRUCTIONS[node.op], node.args, self._registers
        if node.op is ADD and args[1].op is NEG and args[1].args[0] in known:
            template, args = _SUBTRACT, (args[0], args[1].args[0])
        name, suffix, truth = self._kind
        a, b = known[args[0]], known[args[-1]]
        self.lines.append(template.format(r=self._new(node), a=a, b=b, t=name, suffix=suffix, truth=truth))

    def _new(self, node: Node) -> str:
        register = self._registers[node] = f"{self._prefix}{len(self._registers)}"
        return register


def literal(value: float) -> str:
    """Write a double exactly."""
    return "0x" + struct.pack(">d", value).hex()


def has_empty(program: Program) -> bool:
    """Tell whether some array has no entries."""
    return any(shape.size == 0 for shape in (*program.inputs.values(), *program.outputs.values()))


def operands(program: Program) -> tuple[dict[str, Shape], dict[str, Shape]]:
    """Return the arrays that ``loop`` reads and those that it writes: the register of each, and its shape.

    NumPy cannot fix a dimension to zero: where an array has no entries, one more input, the first, has none either.
    """
    extra = {"%none": Shape([0])} if has_empty(program) else {}
    read = {f"%in{i}": shape for i, shape in enumerate(program.inputs.values())}
    return extra | read, {f"%out{i}": shape for i, shape in enumerate(program.outputs.values())}


def module(program: Program) -> str:
    """Return the Program as the text of an LLVM module."""
    external = [f"declare double @{PREFIX}{op}({', '.join(['double'] * n)}) nounwind" for op, n in EXTERNAL.items()]
    intrinsic = [f"declare double @llvm.{name}.f64(double)" for name in ("sqrt", "fabs")]
    return "\n".join([*external, *intrinsic, *_loop(program), *_states(program), ""])


def prototype(program: Program) -> str:
    """Return the declaration of ``states`` in C."""
    parts = [f"const double *{name}, int64_t {name}_stride" for name in program.inputs]
    parts += [f"double *{name}, int64_t {name}_stride" for name in program.outputs]
    return f"void {program.name}({', '.join(['int64_t count', *parts])})"


def _loop(program: Program) -> list[str]:
    """Return ``loop``; its ``steps`` are those between states, then those inside each array, all in bytes."""
    read, written = operands(program)
    given = dict(_places("%in", program.arguments.values()))
    setup, constants = _setup(program, given)
    body = StraightLine("%v", {**given, **constants})
    body.compute(node for node in program.order if node in constants or node not in program.setup)
    for i, (node, place) in enumerate(_places("%out", program.results.values())):
        body.store(node, place, f"%r{i}")
    return [
        f"define void @{LOOP}(ptr %arrays, ptr %dimensions, ptr %steps, ptr %data) nounwind {{",
        "entry:",
        *_fetch_arguments(read | written),
        f"%constants = alloca double, i64 {len(constants)}",
        "%some = icmp sgt i64 %count, 0",
        "br i1 %some, label %state, label %exit",
        "state:",
        "%i = phi i64 [0, %entry], [%next, %body]",
        *(line for array in read | written for line in _move_to_state(array)),
        *setup,
        "br label %body",
        "body:",
        *body.lines,
        "%next = add i64 %i, 1",
        "%more = icmp slt i64 %next, %count",
        "br i1 %more, label %state, label %exit",
        "exit:",
        "ret void",
        "}",
    ]


def _places(registers: str, arrays: Iterable[Array]) -> list[tuple[Node, Place]]:
    """Return where the nodes of the current state stand in arrays, whose registers have that name and a number."""
    found = []
    for number, array in enumerate(arrays):
        register = f"{registers}{number}"
        for node, index in zip(array.nodes, product(*map(range, array.shape)), strict=True):
            offsets = tuple((f"{register}.step{axis}", k) for axis, k in enumerate(index))
            found.append((node, Place(f"{register}.now", offsets)))
    return found


def _fetch_arguments(arrays: Mapping[str, Shape]) -> list[str]:
    """Return what loads the count, the pointers and the steps from where a call has put them."""
    steps = [f"{array}.step" for array in arrays]
    steps += [f"{array}.step{axis}" for array, shape in arrays.items() for axis in range(len(shape))]
    return [
        "%count = load i64, ptr %dimensions",
        *(line for i, array in enumerate(arrays) for line in _entry("%arrays", "ptr", i, array)),
        *(line for i, step in enumerate(steps) for line in _entry("%steps", "i64", i, step)),
    ]


def _entry(table: str, kind: str, index: int, register: str) -> list[str]:
    address = f"{register}.at"
    return [f"{address} = getelementptr {kind}, ptr {table}, i64 {index}", f"{register} = load {kind}, ptr {address}"]


def _move_to_state(array: str) -> list[str]:
    return [
        f"{array}.passed = mul i64 %i, {array}.step",
        f"{array}.now = getelementptr i8, ptr {array}, i64 {array}.passed",
    ]


def _setup(program: Program, given: Mapping[Node, Place]) -> tuple[list[str], dict[Node, Place]]:
    """Return what computes constants from the parameters, and where it puts those that the rest needs.

    It is done at the first state, and at later ones unless all share their parameters.
    """
    needed = {a for node in program.order if node not in program.setup for a in node.args}
    needed |= {node for array in program.results.values() for node in array.nodes}
    borders = [node for node in program.order if node in program.setup and node in needed]
    if not borders:
        return [], {}
    constants = {node: Place("%constants", ((str(BYTES), i),)) for i, node in enumerate(borders)}
    code = StraightLine("%k", given)
    code.compute(topological(borders))
    for i, (node, place) in enumerate(constants.items()):
        code.store(node, place, f"%c{i}")
    lines = [
        f"%shared = icmp eq i64 %in{list(program.arguments).index(PARAMETERS)}.step, 0",
        "%later = icmp ne i64 %i, 0",
        "%ready = and i1 %shared, %later",
        "br i1 %ready, label %body, label %setup",
        "setup:",
        *code.lines,
    ]
    return lines, constants


def _states(program: Program) -> list[str]:
    """Return ``states``, which calls ``loop`` with its arguments in memory and the steps of arrays in C order."""
    read, written = operands(program)
    arrays = read | written
    given = [array for array in arrays if array != "%none"]
    arguments = ", ".join(["i64 %count", *(f"ptr {array}, i64 {array}.stride" for array in given)])
    steps = [f"{array}.bytes" if array in given else "0" for array in arrays]
    steps += [str(step) for shape in arrays.values() for step in _contiguous(shape)]
    return [
        f"define void @{STATES}({arguments}) nounwind {{",
        *(f"{array}.bytes = mul i64 {array}.stride, {BYTES}" for array in given),
        "%dimensions = alloca i64",
        "store i64 %count, ptr %dimensions",
        *_table("%arrays", "ptr", [array if array in given else "null" for array in arrays]),
        *_table("%steps", "i64", steps),
        f"call void @{LOOP}(ptr %arrays, ptr %dimensions, ptr %steps, ptr null)",
        "ret void",
        "}",
    ]


def _contiguous(shape: Shape) -> list[int]:
    """Return the steps inside an array in C order, in bytes."""
    return [BYTES * Shape(shape[axis + 1 :]).size for axis in range(len(shape))]


def _table(name: str, kind: str, values: list[str]) -> list[str]:
    lines = [f"{name} = alloca {kind}, i64 {len(values)}"]
    for i, value in enumerate(values):
        lines += [f"{name}.{i} = getelementptr {kind}, ptr {name}, i64 {i}", f"store {kind} {value}, ptr {name}.{i}"]
    return lines
