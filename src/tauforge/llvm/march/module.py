"""The code that integrates states with steps of their own length, as the text of one module.

``march`` fills the lanes of a block with states. All lanes take a step together, each with its own length; each lane
then accepts or rejects its step, writes the results that were passed, and takes the next state when its own is done.
The rates, the linear equations of stiff methods and the return to the manifold are Programs, whose slots lie one after
another in the memory; the tableau of the method is a table of numbers. Only the tables depend on robot and method.

The state of a lane is a column of the memory's first rows, and is also how it lies in its record between two calls:
its controls, see ``CONTROLS``, the state and its rates, then, only written, the state before the last step and the
increments of that step.
"""

from __future__ import annotations

from typing import final

from ..trigonometry import PREFIX
from ..vectors import Vectors
from ..writer import Writer
from .outcome import Outcome
from .places import spread
from .tables import PROGRAMS

MARCH = "march"
"""Name of the function."""


def march(vectors: Vectors) -> str:
    """Return the text of the module."""
    t, suffix = vectors.name, vectors.suffix
    return "\n".join(
        [
            f"declare double @{PREFIX}pow(double, double) nounwind",
            "declare double @llvm.sqrt.f64(double)",
            "declare double @llvm.fabs.f64(double)",
            f"declare {t} @llvm.fabs.{suffix}({t})",
            f"declare {t} @llvm.maxnum.{suffix}({t}, {t})",
            f"declare {t} @llvm.fmuladd.{suffix}({t}, {t}, {t})",
            *_pieces(),
            *_combine(vectors),
            *_March(vectors, f"void @{MARCH}(ptr %plan, ptr %run, ptr %memory)").text(),
            "",
        ]
    )


def _pieces() -> list[str]:
    """Return ``pieces``, which runs the code of a Program."""
    w = Writer("internal void @pieces(ptr %code, ptr %slots)")
    numbers, pieces = w.get("ptr", "%code"), w.get("i64", "%code", 1)
    with w.each(w.add(pieces, 2), 2) as i:
        w.do(f"call void {w.get('ptr', '%code', i)}(ptr %slots, ptr {numbers})")
    return w.text()


def _combine(vectors: Vectors) -> list[str]:
    """Return ``combine``: for each entry, the base, or zero, plus the sum of increments times coefficients."""
    w, t = (
        Writer("internal void @combine(ptr %to, ptr %base, ptr %u, ptr %factors, i64 %count, i64 %size)"),
        vectors.name,
    )
    empty = w.let("icmp eq ptr %base, null")
    with w.each("%size") as e:
        total = w.variable(t, "zeroinitializer")
        with w.when(w.let(f"xor i1 {empty}, true")):
            w.put(t, w.get(t, "%base", e), total)
        with w.each("%count") as j:
            u = w.get(t, w.at(t, "%u", w.mul(j, "%size")), e)
            factor = spread(w, w.get("double", "%factors", j), vectors)
            w.put(
                t,
                w.let(f"call {t} @llvm.fmuladd.{vectors.suffix}({t} {factor}, {t} {u}, {t} {w.get(t, total)})"),
                total,
            )
        w.put(t, w.get(t, total), "%to", e)
    return w.text()


@final
class _March(Outcome):
    """The whole function."""

    def text(self) -> list[str]:
        """Return the function."""
        w = self.w
        for name in PROGRAMS:
            with w.when(self._has(getattr(self, name))):
                w.do(f"call void @pieces(ptr {getattr(self, f'{name}_setup')}, ptr {getattr(self, f'{name}_at')})")
        with w.each(self.v.lanes) as lane:
            self._load(lane, "0")
            w.put("i64", "-1", self.lane_states, lane)
        with w.each(self.v.lanes) as lane:
            self._refill(lane)
        with w.forever() as leave:
            leave(w.let(f"icmp eq i64 {w.get('i64', self.busy)}, 0"))
            self._refresh()
            with w.each(self.v.lanes) as lane:
                self._choose_step(lane)
            self._take_step()
            self._judge()
            self._balance()
            self._write()
            self._adopt()
            with w.each(self.v.lanes) as lane:
                self._advance(lane)
        return w.text()
