"""States come to lanes and go: from their records, and back when they are done, must pause or cannot go on."""

from __future__ import annotations

from .places import Places
from .tables import CONTROLS, DONE, TOO_MANY


class Lanes(Places):
    """The part that moves states."""

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
        running = w.let(f"fcmp oeq double {self._of('status', lane)}, 0.0")
        with w.when(w.let(f"and i1 {last}, {running}")):
            self._set("status", lane, f"{DONE}.0")
        with w.when(w.let(f"xor i1 {last}, true")):
            self._set("segment", lane, self._float(following))
            self._set("stale", lane, "1.0")
            self._give(lane, w.get("i64", self.lane_states, lane))
