"""A step of all lanes: its length in each, the stages, and the linear equations of a stiff method."""

from __future__ import annotations

from .lanes import Lanes


class Step(Lanes):
    """The part that takes a step."""

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
            self._refer()
            with w.each(self.v.lanes) as lane:
                self._set("stale", lane, "0.0")

    def _refer(self) -> None:
        """Note the energy of lanes whose state has not taken a step."""
        w = self.w
        some = w.variable("i1", "false")
        with w.each(self.v.lanes) as lane, w.when(self._is_fresh(lane)):
            w.put("i1", "true", some)
        with w.when(w.let(f"and i1 {w.get('i1', some)}, {self._has(self.conserved)}")):
            self._conserve(self.y)
            with w.each(self.v.lanes) as lane, w.when(self._is_fresh(lane)):
                energy = w.get("double", self._entry(self.energy, lane, "0"))
                work = w.get("double", self._entry(self.y, lane, self.judged))
                self._set("balance", lane, w.let(f"fsub double {energy}, {work}"))

    def _conserve(self, y: str) -> None:
        """Compute the conserved energy of states, and what belongs to it."""
        self._copy(self.conserved_at, y, self.size)
        self.w.do(f"call void @pieces(ptr {self.conserved}, ptr {self.conserved_at})")

    def _scale(self, lane: str, e: str) -> str:
        """Return the tolerance of a lane's entry."""
        w = self.w
        y = w.let(f"call double @llvm.fabs.f64(double {w.get('double', self._entry(self.y, lane, e))})")
        relative = w.let(f"fmul double {y}, {self._tolerance('relative')}")
        return w.let(f"fadd double {relative}, {self._absolute(e)}")

    def _first_step(self, lane: str) -> None:
        """Choose the first step: a hundredth of what would change the state by its own size."""
        w = self.w
        sums = [w.variable("double", "0.0") for _ in range(2)]
        with w.each(self.judged) as e:
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

    def _shortest_step(self, lane: str) -> str:
        """Return the shortest step that clearly changes a lane's time."""
        w = self.w
        part = w.let(f"fmul double {self._of('t', lane)}, {self.v.literal(10 * 2.0**-52)}")
        return w.let(f"fadd double {part}, {self.v.literal(1e-15)}")

    def _choose_step(self, lane: str) -> None:
        """Set the length of a lane's step: zero for a lane without a state."""
        w = self.w
        self._set("step", lane, "0.0")
        with w.when(self._is_busy(lane)):
            with w.when(w.let(f"fcmp oeq double {self._of('h', lane)}, 0.0")):
                self._first_step(lane)
            h, longest = self._of("h", lane), self._tolerance("longest")
            h = w.let(f"select i1 {w.let(f'fcmp olt double {h}, {longest}')}, double {h}, double {longest}")
            rest = self._rest(lane)
            nearly = w.let(f"fmul double {h}, {self.v.literal(1.0 + 1e-6)}")  # no tiny step at the end
            self._set("step", lane, rest)
            with w.when(w.let(f"fcmp olt double {nearly}, {rest}")):
                least, t = self._shortest_step(lane), self._of("t", lane)
                h = w.let(f"select i1 {w.let(f'fcmp ogt double {h}, {least}')}, double {h}, double {least}")
                end = w.let(f"fadd double {t}, {h}")  # rounded: what is integrated leads to just this time
                self._set("step", lane, w.let(f"fsub double {end}, {t}"))
                with w.when(w.let(f"fcmp olt double {h}, {longest}")):
                    self._set("h", lane, self._of("step", lane))

    def _stage(self, i: str) -> None:
        """Compute the increment of a stage after the first."""
        w, t = self.w, self.t
        row = w.at("double", self.table_A, w.mul(i, self.whole))
        w.do(
            f"call void @combine(ptr {self.rates_at}, ptr {self.y}, ptr {self.u}, ptr {row}, i64 {i}, i64 {self.size})"
        )
        part = self._spread(w.get("double", self.table_c, i))
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
        gamma = self._spread(w.get("double", self.numbers))
        w.put(t, w.let(f"fmul {t} {gamma}, {w.get(t, self._control('step'))}"), self.factor_at, c)
        w.do(f"call void @pieces(ptr {self.factor}, ptr {self.factor_at})")
        self._copy(self.solve_at, w.at(t, self.factor_at, w.add(c, 1)), self.factors)

    def _solve(self, i: str, increment: str) -> None:
        """Replace h f by the increment of a Rosenbrock method."""
        w, t = self.w, self.t
        b = w.at(t, self.solve_at, self.factors)
        row = w.at("double", self.table_C, w.mul(i, self.stages))
        w.do(f"call void @combine(ptr {b}, ptr {increment}, ptr {self.u}, ptr {row}, i64 {i}, i64 {self.size})")
        gamma = self._spread(w.get("double", self.numbers))
        h, d = w.get(t, self._control("step")), self._spread(w.get("double", self.table_d, i))
        part = w.let(f"fmul {t} {d}, {w.let(f'fmul {t} {h}, {h}')}")
        by_time = w.at(t, self.factor_at, w.add(w.add(w.add(w.add(self.size, 2), self.given), self.factors), 0))
        with w.each(self.size) as e:
            more = w.let(f"fmul {t} {part}, {w.get(t, by_time, e)}")
            w.put(t, w.let(f"fmul {t} {gamma}, {w.let(f'fadd {t} {w.get(t, b, e)}, {more}')}"), b, e)
        w.do(f"call void @pieces(ptr {self.solve}, ptr {self.solve_at})")
        self._copy(increment, w.at(t, b, self.size), self.size)
