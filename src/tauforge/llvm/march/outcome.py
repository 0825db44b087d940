"""What follows from a step: whether a lane accepts it, how long the next one is, and the results that it passed."""

from __future__ import annotations

from ..trigonometry import PREFIX
from .step import Step
from .tables import AHEAD, LEAVES, NOT_FINITE, SINGULAR, TOO_SMALL, UNBALANCED


class Outcome(Step):
    """The part that judges a step."""

    def _judge(self) -> None:
        """Find the size of the errors, decide which lanes accept their step, and choose the length of the next."""
        w, t, suffix = self.w, self.t, self.v.suffix
        for table, total, at in (
            (self.table_e, self.scaled, self.error), (self.table_low, self.scaled_low, self.error_low),
        ):  # fmt: skip
            w.do(f"call void @combine(ptr {self.rates_at}, ptr null, ptr {self.u}, ptr {table}, i64 {self.stages}, "
                 f"i64 {self.size})")  # fmt: skip
            w.put(t, "zeroinitializer", total)
            relative = self._spread(self._tolerance("relative"))
            self._copy(at, self.rates_at, self.size)
            with w.each(self.judged) as e:
                sizes = [w.let(f"call {t} @llvm.fabs.{suffix}({t} {w.get(t, y, e)})") for y in (self.y, self.new)]
                large = w.let(f"call {t} @llvm.maxnum.{suffix}({t} {sizes[0]}, {t} {sizes[1]})")
                absolute = self._spread(self._absolute(e))
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
        mean = w.let(f"fmul double {both}, {self._float(self.judged)}")
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
            with w.when(self._has(self.settle)):
                self._watch_margin(lane)
        with w.when(w.let(f"xor i1 {passed}, true")):
            self._set("h", lane, proposed)
            self._set("growth", lane, "1.0")
            self._raise("rejected", lane)
            self._refuse_small_step(lane, proposed, finite)

    def _watch_margin(self, lane: str) -> None:
        """Let a state go whose coordinates will soon not describe it."""
        w, place = self.w, self.w.mul(2, self.size)
        margin, before, limit = (
            w.get("double", self._entry(self.settle_at, lane, place)),
            self._of("margin", lane),
            self._of("limit", lane),
        )
        self._set("margin", lane, margin)
        lost = w.let(f"fsub double {before}, {margin}")
        ahead = w.let(f"fdiv double {self._of('h', lane)}, {self._of('step', lane)}")
        lost = w.let(f"fmul double {lost}, {w.let(f'fmul double {ahead}, {self.v.literal(AHEAD)}')}")
        expected = w.let(f"fsub double {margin}, {lost}")
        low = w.let(
            f"or i1 {w.let(f'fcmp olt double {margin}, {limit}')}, {w.let(f'fcmp olt double {expected}, {limit}')}"
        )
        with w.when(w.let(f"and i1 {low}, {w.let(f'fcmp ogt double {limit}, 0.0')}")):
            self._set("status", lane, f"{LEAVES}.0")

    def _refuse_small_step(self, lane: str, step: str, finite: str) -> None:
        """Give up a state whose next step would hardly change the time."""
        w = self.w
        with w.when(w.let(f"fcmp olt double {step}, {self._shortest_step(lane)}")):
            why = w.let(f"select i1 {finite}, double {TOO_SMALL}.0, double {NOT_FINITE}.0")
            self._set("status", lane, why)

    def _balance(self) -> None:
        """Give up states whose energy has changed by more than the work and the errors of the steps explain."""
        w, t = self.w, self.t
        with w.when(self._has(self.conserved)):
            self._conserve(self.new)
            w.put(t, "zeroinitializer", self.bound)
            with w.each(self.judged) as e:
                part = w.let(f"fmul {t} {self._error_of(e)}, {w.get(t, self.slopes, e)}")
                w.put(t, w.let(f"fadd {t} {w.get(t, self.bound)}, {part}"), self.bound)
            w.put(t, self._error_of(self.judged), self.lost)
            with w.each(self.v.lanes) as lane, w.when(self._accepts(lane)):
                self._balance_lane(lane)

    def _error_of(self, e: str) -> str:
        """Return the size of the estimated errors of an entry, tamed as in DOP853."""
        w, t = self.w, self.t
        high, low = (
            w.let(f"call {t} @llvm.fabs.{self.v.suffix}({t} {w.get(t, at, e)})") for at in (self.error, self.error_low)
        )
        both = w.let(f"fadd {t} {high}, {w.let(f'fmul {t} {low}, {self.v.all(0.1)}')}")
        both = w.let(f"fadd {t} {both}, {self.v.all(1e-300)}")
        return w.let(f"fdiv {t} {w.let(f'fmul {t} {high}, {high}')}, {both}")

    def _balance_lane(self, lane: str) -> None:
        w = self.w
        energy, amount = (w.get("double", self._entry(at, lane, "0")) for at in (self.energy, self.amount))
        work = w.get("double", self._entry(self.new, lane, self.judged))
        drift = self._size_of(
            w.let(f"fsub double {w.let(f'fsub double {energy}, {work}')}, {self._of('balance', lane)}")
        )
        self._keep_largest("drift", lane, drift)
        self._keep_largest("amount", lane, w.let(f"fadd double {amount}, {self._size_of(work)}"))
        error, largest = w.get("double", self.bound, lane), self._of("amount", lane)
        self._raise("allowed", lane, w.let(f"fadd double {error}, {w.get('double', self.lost, lane)}"))
        explained = w.let(f"fmul double {self._of('allowed', lane)}, {self._tolerance('safety')}")
        rounded = w.let(f"fmul double {largest}, {self._tolerance('rounding')}")
        with w.when(w.let(f"fcmp ogt double {drift}, {w.let(f'fadd double {explained}, {rounded}')}")):
            self._set("status", lane, f"{UNBALANCED}.0")
        most = w.let(f"fmul double {largest}, {self._of('blind', lane)}")
        with w.when(w.let(f"fcmp ogt double {error}, {most}")):
            self._set("status", lane, f"{SINGULAR}.0")

    def _keep_largest(self, name: str, lane: str, value: str) -> None:
        w = self.w
        with w.when(w.let(f"fcmp ogt double {value}, {self._of(name, lane)}")):
            self._set(name, lane, value)

    def _size_of(self, x: str) -> str:
        return self.w.let(f"call double @llvm.fabs.f64(double {x})")

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
