"""The code that integrates states with steps of their own length, as the text of one module.

``march`` fills the lanes of a block with states. All lanes take a step together, each with its own length; each lane then
accepts or rejects its step, writes the results that were passed, and takes the next state when its own is done. The
rates, the linear equations of stiff methods and the return to the manifold are Programs, whose slots lie one after
another in the memory; the tableau of the method is a table of numbers. Only this module's tables depend on robot and method.

The state of a lane is a column of the memory's first rows, and is also how it lies in its record between two calls:
its controls, see ``CONTROLS``, the state and its rates, then, only written, the state before the last step and the
increments of that step.
"""

from __future__ import annotations

from .trigonometry import PREFIX
from .vectors import Vectors
from .writer import Writer

MARCH = "march"
"""Name of the function."""
CONTROLS = (
    "t", "h", "segment", "row", "status", "stale", "growth", "steps", "rejected", "evaluations", "jacobians", "step",
)  # fmt: skip
"""What a lane knows besides its state: time, the length of the next step (0: not chosen yet), the segment of its inputs,
the next row of its results, its status, whether its rates are those of another state, how much the step can grow,
counts, and the length of the last step."""
RUNNING, DONE, TOO_SMALL, NOT_FINITE, TOO_MANY = range(5)
"""The status of a state."""
PLAN = (
    "size", "given", "stages", "extra", "powers", "factors", "numbers",
    "rates.slots", "factor.slots", "solve.slots", "settle.slots",
    "rates.setup", "factor.setup", "solve.setup", "settle.setup", "rates", "factor", "solve", "settle",
)  # fmt: skip
"""The entries of a plan: sizes, the address of the method's numbers, and for each Program its first slot and the
addresses of its code, which for a Program that is not needed are 0. Code is a table of the address of the constants, the
number of pieces, and their addresses; that for the set-up runs once per call."""
PROGRAMS = ("rates", "factor", "solve", "settle")
RUN = (
    "count", "rows", "segments", "budget", "most", "own", "records", "width", "times", "breaks", "inputs",
    "inputs.state", "inputs.segment", "results", "results.state", "tolerances",
)  # fmt: skip
"""The entries of a call: how many states, rows of results and segments; how many steps a lane can try before it pauses,
and a state altogether; whether results are wanted at each step; addresses and strides, in numbers; the tolerances are the
relative one, the longest step, and the absolute one for each entry of the state."""


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
            *_March(vectors).text(),
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
    w, t = Writer("internal void @combine(ptr %to, ptr %base, ptr %u, ptr %factors, i64 %count, i64 %size)"), vectors.name
    empty = w.let("icmp eq ptr %base, null")
    with w.each("%size") as e:
        total = w.variable(t, "zeroinitializer")
        with w.when(w.let(f"xor i1 {empty}, true")):
            w.put(t, w.get(t, "%base", e), total)
        with w.each("%count") as j:
            u = w.get(t, w.at(t, "%u", w.mul(j, "%size")), e)
            factor = _spread(w, w.get("double", "%factors", j), vectors)
            w.put(t, w.let(f"call {t} @llvm.fmuladd.{vectors.suffix}({t} {factor}, {t} {u}, {t} {w.get(t, total)})"), total)
        w.put(t, w.get(t, total), "%to", e)
    return w.text()


def _spread(w: Writer, x: str, vectors: Vectors) -> str:
    """Return a number in all lanes."""
    t = vectors.name
    one = w.let(f"insertelement {t} poison, double {x}, i32 0")
    return w.let(f"shufflevector {t} {one}, {t} poison, <{vectors.lanes} x i32> zeroinitializer")


class _March:
    """``march`` under construction."""

    def __init__(self, vectors: Vectors) -> None:
        self.v, self.t = vectors, vectors.name
        self.w = Writer(f"void @{MARCH}(ptr %plan, ptr %run, ptr %memory)")

    def text(self) -> list[str]:
        """Return the function."""
        w = self.w
        self._locate()
        for name in PROGRAMS:
            with w.when(self._has(getattr(self, name))):
                w.do(f"call void @pieces(ptr {getattr(self, f'{name}_setup')}, ptr {getattr(self, f'{name}_at')})")
        with w.each(self.v.lanes) as lane:
            self._load(lane, "0")
            w.put("i64", "-1", self.lane_states, lane)
        self.next = w.variable("i64", "0")
        with w.each(self.v.lanes) as lane:
            self._refill(lane)
        with w.forever() as leave:
            leave(w.let(f"icmp eq i64 {w.get('i64', self.busy)}, 0"))
            self._refresh()
            with w.each(self.v.lanes) as lane:
                self._choose_step(lane)
            self._take_step()
            self._judge()
            self._write()
            self._adopt()
            with w.each(self.v.lanes) as lane:
                self._advance(lane)
        return w.text()

    # tables and places

    def _locate(self) -> None:
        """Read the tables, and find the places of everything."""
        w, t = self.w, self.t
        for names, table in ((PLAN, "%plan"), (RUN, "%run")):
            for i, name in enumerate(names):
                setattr(self, name.replace(".", "_"), w.get("i64", table, i))
        for name in ("numbers", "records", "times", "breaks", "inputs", "results", "tolerances", *PLAN[-8:]):
            name = name.replace(".", "_")
            setattr(self, name, w.let(f"inttoptr i64 {getattr(self, name)} to ptr"))
        whole = w.add(self.stages, self.extra)
        self.increments = w.mul(whole, self.size)
        self.head = w.add(len(CONTROLS), w.mul(2, self.size))  # entries of a record that are read
        self.entries = w.add(w.add(self.head, self.size), self.increments)  # and that are written
        places = (("y", "size"), ("f", "size"), ("old", "size"), ("u", "increments"), ("new", "size"), ("last", "size"))
        at: str | int = len(CONTROLS)
        for name, count in places:
            setattr(self, name, w.at(t, "%memory", at))
            at = w.add(at, getattr(self, count))
        for name in ("scaled", "scaled.low", "accepted"):
            setattr(self, name.replace(".", "_"), w.at(t, "%memory", at))
            at = w.add(at, 1)
        at = w.at(t, "%memory", at)
        self.lane_states, self.lane_budget = w.at("i64", at, 0), w.at("i64", at, self.v.lanes)
        for name in PROGRAMS:
            setattr(self, f"{name}_at", w.at(t, "%memory", getattr(self, f"{name}_slots")))
        square, own = w.mul(whole, whole), w.mul(self.stages, self.stages)
        at = 5
        for name, count in (("A", square), ("C", own), ("c", whole), *((x, self.stages) for x in ("d", "m", "e", "low"))):
            setattr(self, f"table_{name}", w.at("double", self.numbers, at))
            at = w.add(at, count)
        self.table_P = w.at("double", self.numbers, at)
        self.whole, self.busy = whole, w.variable("i64", "0")

    def _control(self, name: str) -> str:
        """Return the address of a control of all lanes."""
        return self.w.at(self.t, "%memory", CONTROLS.index(name))

    def _of(self, name: str, lane: str) -> str:
        """Return a control of a lane."""
        return self.w.get("double", self._control(name), lane)

    def _set(self, name: str, lane: str, value: str) -> None:
        self.w.put("double", value, self._control(name), lane)

    def _raise(self, name: str, lane: str, by: str = "1.0") -> None:
        """Increase a count of a lane."""
        self._set(name, lane, self.w.let(f"fadd double {self._of(name, lane)}, {by}"))

    def _float(self, integer: str) -> str:
        return self.w.let(f"sitofp i64 {integer} to double")

    def _integer(self, number: str) -> str:
        return self.w.let(f"fptosi double {number} to i64")

    def _is_busy(self, lane: str) -> str:
        return self.w.let(f"icmp sge i64 {self.w.get('i64', self.lane_states, lane)}, 0")

    def _is_stale(self, lane: str) -> str:
        return self.w.let(f"fcmp one double {self._of('stale', lane)}, 0.0")

    def _entry(self, area: str, lane: str, e: str) -> str:
        """Return the address of a lane's entry of an area."""
        w = self.w
        return w.at("double", area, w.add(w.mul(e, self.v.lanes), lane))

    # states come and go

    def _load(self, lane: str, state: str) -> None:
        """Move a record's state into a lane."""
        w = self.w
        record = w.at("double", self.records, w.mul(state, self.width))
        with w.each(self.head) as e:
            w.put("double", w.get("double", record, e), self._entry("%memory", lane, e))
        self._give(lane, state)

    def _give(self, lane: str, state: str) -> None:
        """Move the inputs of a lane's segment into the slots of the Programs."""
        w, segment = self.w, self._integer(self._of("segment", lane))
        first = w.at("double", self.inputs, w.add(w.mul(state, self.inputs_state), w.mul(segment, self.inputs_segment)))
        with w.each(self.given) as g:
            x, place = w.get("double", first, g), w.add(w.add(self.size, 1), g)
            w.put("double", x, self._entry(self.rates_at, lane, place))
            with w.when(self._has(self.factor)):
                w.put("double", x, self._entry(self.factor_at, lane, place))

    def _has(self, code: str) -> str:
        return self.w.let(f"icmp ne ptr {code}, null")

    def _refill(self, lane: str) -> None:
        """Give a lane the next state that is not done."""
        w = self.w
        w.put("i64", "-1", self.lane_states, lane)
        found = w.variable("i1", "false")
        with w.forever() as leave:
            state = w.get("i64", self.next)
            leave(w.let(f"icmp sge i64 {state}, {self.count}"))
            leave(w.get("i1", found))
            w.put("i64", w.add(state, 1), self.next)
            status = w.get("double", w.at("double", self.records, w.mul(state, self.width)), CONTROLS.index("status"))
            with w.when(w.let(f"fcmp oeq double {status}, 0.0")):
                w.put("i1", "true", found)
                w.put("i64", state, self.lane_states, lane)
                w.put("i64", self.budget, self.lane_budget, lane)
                w.put("i64", w.add(w.get("i64", self.busy), 1), self.busy)
                self._load(lane, state)

    def _store(self, lane: str) -> None:
        """Move a lane's state into its record, and give the lane another."""
        w = self.w
        state = w.get("i64", self.lane_states, lane)
        record = w.at("double", self.records, w.mul(state, self.width))
        with w.each(self.entries) as e:
            w.put("double", w.get("double", self._entry("%memory", lane, e)), record, e)
        w.put("i64", w.add(w.get("i64", self.busy), -1), self.busy)
        self._refill(lane)

    # a step

    def _evaluate(self, time: str) -> None:
        """Compute the rates of the state in their slots."""
        self.w.put(self.t, time, self.rates_at, self.size)
        self.w.do(f"call void @pieces(ptr {self.rates}, ptr {self.rates_at})")

    def _made(self) -> str:
        """Return where the rates are."""
        return self.w.at(self.t, self.rates_at, self.w.add(self.w.add(self.size, 1), self.given))

    def _copy(self, to: str, source: str, count: str) -> None:
        with self.w.each(count) as e:
            self.w.put(self.t, self.w.get(self.t, source, e), to, e)

    def _refresh(self) -> None:
        """Compute the rates at the beginning of the step if a lane needs them."""
        w = self.w
        some = w.variable("i1", "false")
        with w.each(self.v.lanes) as lane, w.when(w.let(f"and i1 {self._is_busy(lane)}, {self._is_stale(lane)}")):
            w.put("i1", "true", some)
            self._raise("evaluations", lane)
        with w.when(w.get("i1", some)):
            self._copy(self.rates_at, self.y, self.size)
            self._evaluate(w.get(self.t, self._control("t")))
            self._copy(self.f, self._made(), self.size)
            with w.each(self.v.lanes) as lane:
                self._set("stale", lane, "0.0")

    def _scale(self, lane: str, e: str) -> str:
        """Return the tolerance of a lane's entry."""
        w = self.w
        y = w.let(f"call double @llvm.fabs.f64(double {w.get('double', self._entry(self.y, lane, e))})")
        relative = w.let(f"fmul double {y}, {w.get('double', self.tolerances)}")
        return w.let(f"fadd double {relative}, {w.get('double', self.tolerances, w.add(e, 2))}")

    def _first_step(self, lane: str) -> None:
        """Choose the first step: a hundredth of what would change the state by its own size (Hairer, Nørsett, Wanner)."""
        w = self.w
        sums = [w.variable("double", "0.0") for _ in range(2)]
        with w.each(self.size) as e:
            scale = self._scale(lane, e)
            for area, total in zip((self.y, self.f), sums, strict=True):
                x = w.let(f"fdiv double {w.get('double', self._entry(area, lane, e))}, {scale}")
                w.put("double", w.let(f"fadd double {w.get('double', total)}, {w.let(f'fmul double {x}, {x}')}"), total)
        ratio = w.let(f"fdiv double {w.get('double', sums[0])}, {w.get('double', sums[1])}")
        step = w.let(f"fmul double {w.let(f'call double @llvm.sqrt.f64(double {ratio})')}, {self.v.literal(0.01)}")
        fits = w.let(f"fcmp ogt double {step}, {self.v.literal(1e-6)}")
        finite = w.let(f"fcmp olt double {step}, {self.v.literal(1e6)}")
        step = w.let(f"select i1 {w.let(f'and i1 {fits}, {finite}')}, double {step}, double {self.v.literal(1e-6)}")
        self._set("h", lane, step)

    def _rest(self, lane: str) -> str:
        """Return the time to the end of a lane's segment."""
        w = self.w
        end = w.get("double", self.breaks, w.add(self._integer(self._of("segment", lane)), 1))
        return w.let(f"fsub double {end}, {self._of('t', lane)}")

    def _choose_step(self, lane: str) -> None:
        """Set the length of a lane's step: zero for a lane without a state."""
        w = self.w
        self._set("step", lane, "0.0")
        with w.when(self._is_busy(lane)):
            with w.when(w.let(f"fcmp oeq double {self._of('h', lane)}, 0.0")):
                self._first_step(lane)
            h, longest = self._of("h", lane), w.get("double", self.tolerances, 1)
            h = w.let(f"select i1 {w.let(f'fcmp olt double {h}, {longest}')}, double {h}, double {longest}")
            rest = self._rest(lane)
            nearly = w.let(f"fmul double {h}, {self.v.literal(1.0 + 1e-6)}")  # no tiny step at the end
            self._set("step", lane, w.let(f"select i1 {w.let(f'fcmp olt double {nearly}, {rest}')}, double {h}, double {rest}"))

    def _stage(self, i: str) -> None:
        """Compute the increment of a stage after the first."""
        w, t = self.w, self.t
        row = w.at("double", self.table_A, w.mul(i, self.whole))
        w.do(f"call void @combine(ptr {self.rates_at}, ptr {self.y}, ptr {self.u}, ptr {row}, i64 {i}, i64 {self.size})")
        part = _spread(w, w.get("double", self.table_c, i), self.v)
        passed = w.let(f"fmul {t} {part}, {w.get(t, self._control('step'))}")
        self._evaluate(w.let(f"fadd {t} {passed}, {w.get(t, self._control('t'))}"))

    def _take_step(self) -> None:
        """Compute all increments, and the new state."""
        w, t = self.w, self.t
        stiff = self._has(self.factor)
        with w.when(stiff):
            self._factor()
        with w.each(self.stages) as i:
            rates, later = w.variable("ptr", self.f), w.let(f"icmp sgt i64 {i}, 0")
            with w.when(later):
                self._stage(i)
                w.put("ptr", self._made(), rates)
            source, h = w.get("ptr", rates), w.get(t, self._control("step"))
            to = w.at(t, self.u, w.mul(i, self.size))
            with w.each(self.size) as e:
                w.put(t, w.let(f"fmul {t} {h}, {w.get(t, source, e)}"), to, e)
            with w.when(stiff):
                self._solve(i, to)
        self._copy(self.last, self._made(), self.size)
        w.do(f"call void @combine(ptr {self.new}, ptr {self.y}, ptr {self.u}, ptr {self.table_m}, i64 {self.stages}, "
             f"i64 {self.size})")  # fmt: skip
        with w.when(self._has(self.settle)):
            self._copy(self.settle_at, self.new, self.size)
            w.do(f"call void @pieces(ptr {self.settle}, ptr {self.settle_at})")
            self._copy(self.new, w.at(t, self.settle_at, self.size), self.size)

    def _factor(self) -> None:
        """Eliminate the linear equations of the step."""
        w, t = self.w, self.t
        self._copy(self.factor_at, self.y, self.size)
        w.put(t, w.get(t, self._control("t")), self.factor_at, self.size)
        c = w.add(w.add(self.size, 1), self.given)
        gamma = _spread(w, w.get("double", self.numbers), self.v)
        w.put(t, w.let(f"fmul {t} {gamma}, {w.get(t, self._control('step'))}"), self.factor_at, c)
        w.do(f"call void @pieces(ptr {self.factor}, ptr {self.factor_at})")
        self._copy(self.solve_at, w.at(t, self.factor_at, w.add(c, 1)), self.factors)

    def _solve(self, i: str, increment: str) -> None:
        """Replace h f by the increment of a Rosenbrock method."""
        w, t = self.w, self.t
        b = w.at(t, self.solve_at, self.factors)
        row = w.at("double", self.table_C, w.mul(i, self.stages))
        w.do(f"call void @combine(ptr {b}, ptr {increment}, ptr {self.u}, ptr {row}, i64 {i}, i64 {self.size})")
        gamma = _spread(w, w.get("double", self.numbers), self.v)
        h, d = w.get(t, self._control("step")), _spread(w, w.get("double", self.table_d, i), self.v)
        part = w.let(f"fmul {t} {d}, {w.let(f'fmul {t} {h}, {h}')}")
        by_time = w.at(t, self.factor_at, w.add(w.add(w.add(w.add(self.size, 2), self.given), self.factors), 0))
        with w.each(self.size) as e:
            more = w.let(f"fmul {t} {part}, {w.get(t, by_time, e)}")
            w.put(t, w.let(f"fmul {t} {gamma}, {w.let(f'fadd {t} {w.get(t, b, e)}, {more}')}"), b, e)
        w.do(f"call void @pieces(ptr {self.solve}, ptr {self.solve_at})")
        self._copy(increment, w.at(t, b, self.size), self.size)

    # what follows from it

    def _judge(self) -> None:
        """Find the size of the errors, decide which lanes accept their step, and choose the length of the next."""
        w, t, suffix = self.w, self.t, self.v.suffix
        for table, total in ((self.table_e, self.scaled), (self.table_low, self.scaled_low)):
            w.do(f"call void @combine(ptr {self.rates_at}, ptr null, ptr {self.u}, ptr {table}, i64 {self.stages}, "
                 f"i64 {self.size})")  # fmt: skip
            w.put(t, "zeroinitializer", total)
            relative = _spread(w, w.get("double", self.tolerances), self.v)
            with w.each(self.size) as e:
                sizes = [w.let(f"call {t} @llvm.fabs.{suffix}({t} {w.get(t, y, e)})") for y in (self.y, self.new)]
                large = w.let(f"call {t} @llvm.maxnum.{suffix}({t} {sizes[0]}, {t} {sizes[1]})")
                absolute = _spread(w, w.get("double", self.tolerances, w.add(e, 2)), self.v)
                scale = w.let(f"fadd {t} {w.let(f'fmul {t} {large}, {relative}')}, {absolute}")
                x = w.let(f"fdiv {t} {w.get(t, self.rates_at, e)}, {scale}")
                w.put(t, w.let(f"fadd {t} {w.get(t, total)}, {w.let(f'fmul {t} {x}, {x}')}"), total)
        with w.each(self.v.lanes) as lane:
            w.put("double", "0.0", self.accepted, lane)
            with w.when(self._is_busy(lane)):
                self._judge_lane(lane)

    def _judge_lane(self, lane: str) -> None:
        w = self.w
        self._raise("evaluations", lane, self._float(w.add(self.stages, -1)))
        with w.when(self._has(self.factor)):
            self._raise("evaluations", lane)
            self._raise("jacobians", lane)
        high, low = (w.get("double", total, lane) for total in (self.scaled, self.scaled_low))
        both = w.let(f"fadd double {high}, {w.let(f'fmul double {low}, {self.v.literal(0.01)}')}")
        mean = w.let(f"fmul double {both}, {self._float(self.size)}")
        root = w.let(f"call double @llvm.sqrt.f64(double {mean})")
        error = w.let(f"fdiv double {high}, {w.let(f'fadd double {root}, {self.v.literal(1e-300)}')}")
        finite = w.let(f"fcmp olt double {error}, {self.v.literal(1e300)}")
        floored = w.let(f"fadd double {error}, {self.v.literal(1e-12)}")
        power = w.let(f"call double @{PREFIX}pow(double {floored}, double {w.get('double', self.numbers, 1)})")
        factor = w.let(f"fmul double {power}, {w.get('double', self.numbers, 2)}")
        least, growth = w.get("double", self.numbers, 3), self._of("growth", lane)
        factor = w.let(f"select i1 {w.let(f'fcmp ogt double {factor}, {least}')}, double {factor}, double {least}")
        factor = w.let(f"select i1 {finite}, double {factor}, double {least}")
        factor = w.let(f"select i1 {w.let(f'fcmp olt double {factor}, {growth}')}, double {factor}, double {growth}")
        step, wanted = self._of("step", lane), self._of("h", lane)
        proposed = w.let(f"fmul double {step}, {factor}")
        passed = w.let(f"fcmp ole double {error}, 1.0")
        with w.when(passed):
            cut = w.let(f"fcmp olt double {step}, {wanted}")  # at the end of a segment
            longer = w.let(f"fcmp ogt double {wanted}, {proposed}")
            kept = w.let(f"select i1 {w.let(f'and i1 {cut}, {longer}')}, double {wanted}, double {proposed}")
            self._set("h", lane, kept)
            self._set("growth", lane, w.get("double", self.numbers, 4))
            w.put("double", "1.0", self.accepted, lane)
            self._raise("steps", lane)
        with w.when(w.let(f"xor i1 {passed}, true")):
            self._set("h", lane, proposed)
            self._set("growth", lane, "1.0")
            self._raise("rejected", lane)
            self._refuse_small_step(lane, proposed, finite)

    def _refuse_small_step(self, lane: str, step: str, finite: str) -> None:
        """Give up a state whose next step would hardly change the time."""
        w = self.w
        time = w.let(f"call double @llvm.fabs.f64(double {self._of('t', lane)})")
        least = w.let(f"fadd double {w.let(f'fmul double {time}, {self.v.literal(10 * 2.0**-52)}')}, {self.v.literal(1e-15)}")
        with w.when(w.let(f"fcmp olt double {step}, {least}")):
            why = w.let(f"select i1 {finite}, double {TOO_SMALL}.0, double {NOT_FINITE}.0")
            self._set("status", lane, why)

    def _end(self, lane: str) -> str:
        """Return the time at the end of a lane's step: exactly that of the break if it leads there."""
        w = self.w
        reached = w.let(f"fadd double {self._of('t', lane)}, {self._of('step', lane)}")
        whole = w.let(f"fcmp oge double {self._of('step', lane)}, {self._rest(lane)}")
        end = w.get("double", self.breaks, w.add(self._integer(self._of("segment", lane)), 1))
        return w.let(f"select i1 {whole}, double {end}, double {reached}")

    def _accepts(self, lane: str) -> str:
        return self.w.let(f"fcmp one double {self.w.get('double', self.accepted, lane)}, 0.0")

    def _write(self) -> None:
        """Write the results that lie in the accepted steps."""
        w = self.w
        own = w.let(f"icmp ne i64 {self.own}, 0")
        with w.when(w.let(f"and i1 {w.let(f'icmp sgt i64 {self.extra}, 0')}, {w.let(f'xor i1 {own}, true')}")):
            self._further_stages()
        with w.each(self.v.lanes) as lane, w.when(self._accepts(lane)):
            end = self._end(lane)
            with w.when(own):
                row = self._integer(self._of("row", lane))
                w.put("double", end, self.times, row)
                self._write_row(lane, row, "1.0")
            with w.when(w.let(f"xor i1 {own}, true")), w.forever() as leave:
                row = self._integer(self._of("row", lane))
                leave(w.let(f"icmp sge i64 {row}, {self.rows}"))
                time = w.get("double", self.times, row)
                leave(w.let(f"fcmp ogt double {time}, {end}"))
                passed = w.let(f"fsub double {time}, {self._of('t', lane)}")
                part = w.let(f"fdiv double {passed}, {self._of('step', lane)}")
                at_end = w.let(f"fcmp oeq double {time}, {end}")
                self._write_row(lane, row, w.let(f"select i1 {at_end}, double 1.0, double {part}"))

    def _further_stages(self) -> None:
        """Compute the stages that the interpolant needs, if a lane has results inside its step."""
        w, t = self.w, self.t
        some = w.variable("i1", "false")
        with w.each(self.v.lanes) as lane, w.when(self._accepts(lane)):
            row = self._integer(self._of("row", lane))
            with w.when(w.let(f"icmp slt i64 {row}, {self.rows}")):
                inside = w.let(f"fcmp olt double {w.get('double', self.times, row)}, {self._end(lane)}")
                with w.when(inside):
                    w.put("i1", "true", some)
                    self._raise("evaluations", lane, self._float(self.extra))
        with w.when(w.get("i1", some)), w.each(self.whole, self.stages) as i:
            self._stage(i)
            h, source, to = w.get(t, self._control("step")), self._made(), w.at(t, self.u, w.mul(i, self.size))
            with w.each(self.size) as e:
                w.put(t, w.let(f"fmul {t} {h}, {w.get(t, source, e)}"), to, e)

    def _write_row(self, lane: str, row: str, part: str) -> None:
        """Write the state at a part of the step, that at its end as it is."""
        w = self.w
        state = w.get("i64", self.lane_states, lane)
        place = w.add(w.mul(state, self.results_state), w.mul(row, self.size))
        to = w.at("double", self.results, place)
        whole = w.let(f"fcmp oeq double {part}, 1.0")
        with w.when(whole), w.each(self.size) as e:
            w.put("double", w.get("double", self._entry(self.new, lane, e)), to, e)
        with w.when(w.let(f"xor i1 {whole}, true")):
            with w.each(self.size) as e:
                w.put("double", w.get("double", self._entry(self.y, lane, e)), to, e)
            with w.each(self.whole) as j:
                self._add_increment(lane, to, part, j)
        self._raise("row", lane)

    def _add_increment(self, lane: str, to: str, part: str, j: str) -> None:
        """Add an increment times its polynomial of the part of the step."""
        w = self.w
        weight, row = w.variable("double", "0.0"), w.at("double", self.table_P, w.mul(j, self.powers))
        with w.each(self.powers) as p:
            factor = w.get("double", row, w.let(f"sub i64 {w.add(self.powers, -1)}, {p}"))
            total = w.let(f"fadd double {w.get('double', weight)}, {factor}")
            w.put("double", w.let(f"fmul double {total}, {part}"), weight)
        factor, u = w.get("double", weight), w.at(self.t, self.u, w.mul(j, self.size))
        with w.each(self.size) as e:
            more = w.let(f"fmul double {factor}, {w.get('double', self._entry(u, lane, e))}")
            w.put("double", w.let(f"fadd double {w.get('double', to, e)}, {more}"), to, e)

    def _adopt(self) -> None:
        """Make the new state that of all lanes that accept their step."""
        w, t, mask = self.w, self.t, f"<{self.v.lanes} x i1>"
        accepted = w.let(f"fcmp one {t} {w.get(t, self.accepted)}, zeroinitializer")
        explicit = w.let(f"icmp eq ptr {self.factor}, null")
        with w.each(self.size) as e:
            before = w.get(t, self.y, e)
            w.put(t, before, self.old, e)
            w.put(t, w.let(f"select {mask} {accepted}, {t} {w.get(t, self.new, e)}, {t} {before}"), self.y, e)
            f = w.get(t, self.f, e)
            next_f = w.let(f"select {mask} {accepted}, {t} {w.get(t, self.last, e)}, {t} {f}")
            w.put(t, w.let(f"select i1 {explicit}, {t} {next_f}, {t} {f}"), self.f, e)

    def _advance(self, lane: str) -> None:
        """Move a lane's time on, and let its state go if it is done, must pause or cannot go on."""
        w = self.w
        with w.when(self._is_busy(lane)):
            with w.when(self._accepts(lane)):
                end = self._end(lane)
                whole = w.let(f"fcmp oge double {self._of('step', lane)}, {self._rest(lane)}")
                self._set("t", lane, end)
                with w.when(self._has(self.factor)):
                    self._set("stale", lane, "1.0")
                with w.when(whole):
                    self._next_segment(lane)
            left = w.add(w.get("i64", self.lane_budget, lane), -1)
            w.put("i64", left, self.lane_budget, lane)
            tried = w.let(f"fadd double {self._of('steps', lane)}, {self._of('rejected', lane)}")
            many = w.let(f"fcmp oge double {tried}, {self._float(self.most)}")
            running = w.let(f"fcmp oeq double {self._of('status', lane)}, 0.0")
            with w.when(w.let(f"and i1 {many}, {running}")):
                self._set("status", lane, f"{TOO_MANY}.0")
            stopped = w.let(f"fcmp one double {self._of('status', lane)}, 0.0")
            full = w.let(f"icmp sge i64 {self._integer(self._of('row', lane))}, {self.rows}")
            pause = w.let(f"or i1 {w.let(f'icmp sle i64 {left}, 0')}, {full}")
            with w.when(w.let(f"or i1 {stopped}, {pause}")):
                self._store(lane)

    def _next_segment(self, lane: str) -> None:
        """Go on with the inputs of the next segment, or be done."""
        w = self.w
        following = w.add(self._integer(self._of("segment", lane)), 1)
        last = w.let(f"icmp sge i64 {following}, {self.segments}")
        with w.when(last):
            self._set("status", lane, f"{DONE}.0")
        with w.when(w.let(f"xor i1 {last}, true")):
            self._set("segment", lane, self._float(following))
            self._set("stale", lane, "1.0")
            self._give(lane, w.get("i64", self.lane_states, lane))


def record_size(size: int, stages: int) -> int:
    """Return the number of entries of a record, for all stages."""
    return len(CONTROLS) + (3 + stages) * size


def own_slots(size: int, stages: int) -> int:
    """Return how many slots ``march`` needs for itself, before those of the Programs."""
    return record_size(size, stages) + 2 * size + 3 + 2
