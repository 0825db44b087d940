"""Where everything is: registers with the entries of the tables, areas of the memory, and the controls of lanes."""

from __future__ import annotations

from ..vectors import Vectors
from ..writer import Writer
from .tables import CONTROLS, FRESH, PLAN, PROGRAMS, RUN, TOLERANCES


class Places:
    """``march`` under construction. Its attributes are registers, named as the entries of PLAN and RUN, and addresses:

    ``y`` the states, ``f`` their rates, ``old`` the states before, ``u`` the increments, ``new`` the states after the
    step, ``last`` the rates of the last stage; ``error`` and ``error_low`` the estimated errors, ``scaled`` and
    ``scaled_low`` their sizes; ``accepted`` whether a step is accepted; ``bound`` what the errors do to the energy, and
    ``lost`` that of the work; ``energy``, ``amount`` and ``slopes`` what ``conserved`` returns; ``…_at`` the slots of a
    Program; ``table_…`` the method's numbers.
    """

    size: str
    given: str
    stages: str
    extra: str
    powers: str
    factors: str
    numbers: str
    rates_slots: str
    factor_slots: str
    solve_slots: str
    settle_slots: str
    conserved_slots: str
    rates_setup: str
    factor_setup: str
    solve_setup: str
    settle_setup: str
    conserved_setup: str
    rates: str
    factor: str
    solve: str
    settle: str
    conserved: str
    count: str
    rows: str
    segments: str
    budget: str
    most: str
    own: str
    records: str
    width: str
    times: str
    breaks: str
    inputs: str
    inputs_state: str
    inputs_segment: str
    results: str
    results_state: str
    tolerances: str
    y: str
    f: str
    old: str
    u: str
    new: str
    last: str
    scaled: str
    scaled_low: str
    accepted: str
    lost: str
    error: str
    error_low: str
    bound: str
    energy: str
    amount: str
    slopes: str
    rates_at: str
    factor_at: str
    solve_at: str
    settle_at: str
    conserved_at: str
    table_A: str
    table_C: str
    table_c: str
    table_d: str
    table_m: str
    table_e: str
    table_low: str

    def __init__(self, vectors: Vectors, head: str) -> None:
        self.v, self.t, self.w = vectors, vectors.name, Writer(head)
        self._locate()

    def _locate(self) -> None:
        """Read the tables, and find the places of everything."""
        w, t = self.w, self.t
        for names, table in ((PLAN, "%plan"), (RUN, "%run")):
            for i, name in enumerate(names):
                setattr(self, name.replace(".", "_"), w.get("i64", table, i))
        for name in (
            "numbers",
            "records",
            "times",
            "breaks",
            "inputs",
            "results",
            "tolerances",
            *PLAN[-2 * len(PROGRAMS) :],
        ):
            name = name.replace(".", "_")
            setattr(self, name, w.let(f"inttoptr i64 {getattr(self, name)} to ptr"))
        whole = w.add(self.stages, self.extra)
        self.judged = w.add(self.size, -1)  # all but the work
        self.increments = w.mul(whole, self.size)
        self.head = w.add(len(CONTROLS), w.mul(2, self.size))  # entries of a record that are read
        self.entries = w.add(w.add(self.head, self.size), self.increments)  # and that are written
        places = (
            ("y", "size"), ("f", "size"), ("old", "size"), ("u", "increments"), ("new", "size"), ("last", "size"),
            ("error", "size"), ("error.low", "size"),
        )  # fmt: skip
        at: str | int = len(CONTROLS)
        for name, count in places:
            setattr(self, name.replace(".", "_"), w.at(t, "%memory", at))
            at = w.add(at, getattr(self, count))
        for name in ("scaled", "scaled.low", "accepted", "lost", "bound"):
            setattr(self, name.replace(".", "_"), w.at(t, "%memory", at))
            at = w.add(at, 1)
        at = w.at(t, "%memory", at)
        self.lane_states, self.lane_budget = w.at("i64", at, 0), w.at("i64", at, self.v.lanes)
        for name in PROGRAMS:
            setattr(self, f"{name}_at", w.at(t, "%memory", getattr(self, f"{name}_slots")))
        self.energy = w.at(t, self.conserved_at, self.size)
        self.amount, self.slopes = w.at(t, self.energy, 1), w.at(t, self.energy, 2)
        square, own = w.mul(whole, whole), w.mul(self.stages, self.stages)
        at = 5
        for name, count in (
            ("A", square),
            ("C", own),
            ("c", whole),
            *((x, self.stages) for x in ("d", "m", "e", "low")),
        ):
            setattr(self, f"table_{name}", w.at("double", self.numbers, at))
            at = w.add(at, count)
        self.table_P = w.at("double", self.numbers, at)
        self.whole, self.busy, self.next = whole, w.variable("i64", "0"), w.variable("i64", "0")

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

    def _is_fresh(self, lane: str) -> str:
        fresh = self.w.let(f"fcmp oeq double {self._of('stale', lane)}, {self.v.literal(FRESH)}")
        return self.w.let(f"and i1 {fresh}, {self._is_busy(lane)}")

    def _entry(self, area: str, lane: str, e: str) -> str:
        """Return the address of a lane's entry of an area."""
        w = self.w
        return w.at("double", area, w.add(w.mul(e, self.v.lanes), lane))

    def _has(self, code: str) -> str:
        return self.w.let(f"icmp ne ptr {code}, null")

    def _rest(self, lane: str) -> str:
        """Return the time to the end of a lane's segment."""
        w = self.w
        end = w.get("double", self.breaks, w.add(self._integer(self._of("segment", lane)), 1))
        return w.let(f"fsub double {end}, {self._of('t', lane)}")

    def _end(self, lane: str) -> str:
        """Return the time at the end of a lane's step: exactly that of the break if it leads there."""
        w = self.w
        reached = w.let(f"fadd double {self._of('t', lane)}, {self._of('step', lane)}")
        whole = w.let(f"fcmp oge double {self._of('step', lane)}, {self._rest(lane)}")
        end = w.get("double", self.breaks, w.add(self._integer(self._of("segment", lane)), 1))
        return w.let(f"select i1 {whole}, double {end}, double {reached}")

    def _accepts(self, lane: str) -> str:
        return self.w.let(f"fcmp one double {self.w.get('double', self.accepted, lane)}, 0.0")

    def _tolerance(self, name: str) -> str:
        return self.w.get("double", self.tolerances, TOLERANCES.index(name))

    def _absolute(self, e: str) -> str:
        """Return the absolute tolerance of an entry."""
        return self.w.get("double", self.tolerances, self.w.add(e, len(TOLERANCES)))

    def _spread(self, x: str) -> str:
        """Return a number in all lanes."""
        return spread(self.w, x, self.v)


def spread(w: Writer, x: str, vectors: Vectors) -> str:
    """Return a number in all lanes."""
    t = vectors.name
    one = w.let(f"insertelement {t} poison, double {x}, i32 0")
    return w.let(f"shufflevector {t} {one}, {t} poison, <{vectors.lanes} x i32> zeroinitializer")
