"""The code that repeats one compiled step of a simulation, as the text of one module.

``roll`` takes states in blocks, as the kernel does, and does all steps of a block before the next one. So a block's
slots need not leave the cache, and only the inputs that change from step to step are read, and only the states that
the caller wants are written.

The Program of a step has *carried* arrays, each an input and the output that becomes this input in the next step, and
*given* inputs. Its part is a table of 64-bit integers, see :class:`StepPlan`; that of a call is :class:`Run`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .idioms import counted, entry
from .moves import gather, scatter
from .vectors import Vectors

ROLL = "roll"
"""Name of the function."""

_CARRIED, _GIVEN = 3, 2  # entries of a plan for each array
_RUN_CARRIED, _RUN_GIVEN = 5, 3  # entries of a run for each array
_PLAN_HEAD, _RUN_HEAD = 6, 3


class StepPlan(NamedTuple):
    """What ``roll`` must know about the Program of a step.

    Attributes
    ----------
    carried
        For each carried array, its number of entries, its first slot as an input, and as an output.
    given
        For each given input, its number of entries and its first slot.
    setup
        Addresses of the code that runs once for each block, before the first step.
    pieces
        Addresses of the code of a step.
    constants
        Address of the numbers in the code, each as a vector.
    offsets
        Address of a table with the offsets in bytes of the entries of an array, for the largest one.
    """

    carried: Sequence[tuple[int, int, int]]
    given: Sequence[tuple[int, int]]
    setup: Sequence[int]
    pieces: Sequence[int]
    constants: int
    offsets: int

    def table(self) -> list[int]:
        """Return the plan as ``roll`` reads it."""
        counts = [len(self.carried), len(self.given), len(self.setup), len(self.pieces)]
        records = [x for record in (*self.carried, *self.given) for x in record]
        return [*counts, self.constants, self.offsets, *records, *self.setup, *self.pieces]


class Run(NamedTuple):
    """What ``roll`` must know about a call; all strides are in bytes, and the entries of a row are adjacent.

    Attributes
    ----------
    states
        The number of states.
    steps
        The number of steps.
    every
        States are written after each so many steps.
    carried
        For each carried array, the address of its first values, their stride between states, the address of its
        results, or 0 if they are not wanted, and their strides between states and between rows.
    given
        For each given input, its address and its strides between states and between steps; 0 if they share it.
    """

    states: int
    steps: int
    every: int
    carried: Sequence[tuple[int, int, int, int, int]]
    given: Sequence[tuple[int, int, int]]

    def table(self) -> list[int]:
        """Return the run as ``roll`` reads it."""
        return [self.states, self.steps, self.every, *(x for row in (*self.carried, *self.given) for x in row)]


def rollout(vectors: Vectors) -> str:
    """Return the text of the module."""
    lanes = vectors.lanes
    block = [
        "%left = sub i64 %count, %i",
        f"%full = icmp sge i64 %left, {lanes}",
        f"%used = select i1 %full, i64 {lanes}, i64 %left",
        *_start(),
        *counted("%k", "%steps", [*_give(), *_compute(), *_carry(vectors), *_write()]),
    ]
    return "\n".join(
        [
            f"define void @{ROLL}(ptr %plan, ptr %run, ptr %memory) nounwind {{",
            *_prologue(),
            *counted("%i", "%count", block, lanes),
            "ret void",
            "}",
            *gather(vectors),
            *scatter(vectors),
            "",
        ]
    )


def _prologue() -> list[str]:
    """Emit the code that locates the tables."""
    plan = ["carried", "given", "setups", "pieces", "constants", "offsets.address"]
    return [
        "entry:",
        *(line for i, name in enumerate(plan) for line in entry(f"%{name}", "i64", "%plan", i)),
        *(line for i, name in enumerate(["count", "steps", "every"]) for line in entry(f"%{name}", "i64", "%run", i)),
        "%numbers = inttoptr i64 %constants to ptr",
        "%offsets = inttoptr i64 %offsets.address to ptr",
        f"%carried.plans = getelementptr i64, ptr %plan, i64 {_PLAN_HEAD}",
        *_after("%given.plans", "%carried.plans", "%carried", _CARRIED),
        *_after("%setup.table", "%given.plans", "%given", _GIVEN),
        *_after("%piece.table", "%setup.table", "%setups", 1),
        f"%carried.runs = getelementptr i64, ptr %run, i64 {_RUN_HEAD}",
        *_after("%given.runs", "%carried.runs", "%carried", _RUN_CARRIED),
    ]


def _after(register: str, table: str, count: str, size: int) -> list[str]:
    """Emit the code that locates what comes after records of some size."""
    return [
        f"{register}.skipped = mul i64 {count}, {size}",
        f"{register} = getelementptr i64, ptr {table}, i64 {register}.skipped",
    ]


def _record(o: str, kind: str, plan: Sequence[str], run: Sequence[str]) -> list[str]:
    """Emit the code that loads what the plan and the run say about an array."""
    return [
        *_after(f"{o}.plan", f"%{kind}.plans", o, _CARRIED if kind == "carried" else _GIVEN),
        *_after(f"{o}.run", f"%{kind}.runs", o, _RUN_CARRIED if kind == "carried" else _RUN_GIVEN),
        *(line for i, name in enumerate(plan) for line in entry(f"{o}.{name}", "i64", f"{o}.plan", i)),
        *(line for i, name in enumerate(run) for line in entry(f"{o}.{name}", "i64", f"{o}.run", i)),
        f"{o}.passed = mul i64 %i, {o}.step",
        f"{o}.first = add i64 {o}.array, {o}.passed",
    ]


def _move(name: str, o: str, address: str) -> list[str]:
    return [
        f"{o}.now = inttoptr i64 {address} to ptr",
        f"call void @{name}(i64 {o}.size, ptr {o}.now, i64 {o}.step, i64 %used, ptr %offsets, i64 1, i64 {o}.slot, "
        "ptr %memory)",
    ]


def _start() -> list[str]:
    """Emit the code that moves a block's first states into slots."""
    record = _record("%s", "carried", ["size", "slot"], ["array", "step"])
    return counted("%s", "%carried", [*record, *_move("gather", "%s", "%s.first")])


def _give() -> list[str]:
    """Emit the code that moves given inputs into slots; those that all steps share are moved before the first."""
    each = [
        *_record("%g", "given", ["size", "slot"], ["array", "step", "turn"]),
        "%g.varies = icmp ne i64 %g.turn, 0",
        "%g.begins = icmp eq i64 %k, 0",
        "%g.needed = or i1 %g.varies, %g.begins",
        "br i1 %g.needed, label %giving, label %given.already",
        "giving:",
        "%g.later = mul i64 %k, %g.turn",
        "%g.at.k = add i64 %g.first, %g.later",
        *_move("gather", "%g", "%g.at.k"),
        "br label %given.already",
        "given.already:",
    ]
    return counted("%g", "%given", each)


def _compute() -> list[str]:
    """Emit the calls of the Program's own code."""
    return [
        "%begins = icmp eq i64 %k, 0",
        "%setups.now = select i1 %begins, i64 %setups, i64 0",
        *_call_pieces("%u", "%setups.now", "%setup.table"),
        *_call_pieces("%p", "%pieces", "%piece.table"),
    ]


def _call_pieces(register: str, count: str, table: str) -> list[str]:
    code = entry(f"{register}.code", "ptr", table, register)
    return counted(register, count, [*code, f"call void {register}.code(ptr %memory, ptr %numbers)"])


def _carry(vectors: Vectors) -> list[str]:
    """Emit the code that makes results the inputs of the next step."""
    copy = [
        "%c.source = add i64 %f.made, %c",
        "%c.sink = add i64 %f.slot, %c",
        *entry("%c.value", vectors.name, "%memory", "%c.source"),
        f"%c.to = getelementptr {vectors.name}, ptr %memory, i64 %c.sink",
        f"store {vectors.name} %c.value, ptr %c.to",
    ]
    record = [
        *_after("%f.plan", "%carried.plans", "%f", _CARRIED),
        *(line for i, name in enumerate(["size", "slot", "made"]) for line in entry(f"%f.{name}", "i64", "%f.plan", i)),
    ]
    return counted("%f", "%carried", [*record, *counted("%c", "%f.size", copy)])


def _write() -> list[str]:
    """Emit the code that writes the states that the caller wants."""
    each = [
        *_record("%w", "carried", ["size", "slot"], ["start", "start.step", "array", "step", "row"]),
        "%w.wanted = icmp ne i64 %w.array, 0",
        "br i1 %w.wanted, label %writing, label %written",
        "writing:",
        "%w.later = mul i64 %rows, %w.row",
        "%w.at.row = add i64 %w.first, %w.later",
        *_move("scatter", "%w", "%w.at.row"),
        "br label %written",
        "written:",
    ]
    return [
        "%done = add i64 %k, 1",
        "%rest = srem i64 %done, %every",
        "%due = icmp eq i64 %rest, 0",
        "br i1 %due, label %output, label %output.done",
        "output:",
        "%rows = sdiv i64 %k, %every",
        *counted("%w", "%carried", each),
        "br label %output.done",
        "output.done:",
    ]
