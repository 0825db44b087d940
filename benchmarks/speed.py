"""Compiled functions beside Pinocchio's: the same robots and states, results compared first, times in one run.

Each in its best mode: for batches, Pinocchio's own loop in C++ where it has one (rneaInParallel, abaInParallel, one
thread), and its call from Python, state by state, where it has none; both write into memory that was there before.
Times depend on the machine: ratios are what counts. Where one thread computes, it is processor time that is measured.

    python -m benchmarks.speed [--json FILE] [--only PART ...]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tauforge as tf
from tauforge.bench.prepare import states
from tauforge.bench.timing import PROCESSOR, best_times
from tauforge.bench.with_pinocchio import to_pinocchio
from tauforge.program.program import Program

from .robots import chain, humanoid, panda, quadruped
from .table import Table

COUNT = 4096


def agree(ours: Any, theirs: Any) -> None:
    """Stop where results differ."""
    error = np.abs(ours - theirs).max() / np.abs(theirs).max()
    if not error < 1e-9:
        sys.exit(f"results differ by {error:.2g}")


def batches(table: Table) -> None:
    """Compare batches with Pinocchio's loops in C++."""
    import pinocchio as pin

    table.title(f"batch of {COUNT}, one thread: times Pinocchio's")
    wanted = {"panda": (36, 42), "humanoid": (22, 18), "quadruped": (20, 18)}
    for robot in (panda(), humanoid(), quadruped()):
        model = to_pinocchio(robot)
        pool = pin.ModelPool(model, 1)
        q, qd, qdd = states(robot, COUNT)
        efforts = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
        for name, program, theirs, last, least in (
            ("inverse dynamics", tf.inverse_dynamics, pin.rneaInParallel, qdd, wanted[robot.name][0]),
            ("direct dynamics", tf.direct_dynamics, pin.abaInParallel, efforts, wanted[robot.name][1]),
        ):
            out = np.zeros((robot.dof, COUNT), order="F")
            in_columns = [np.asfortranarray(x.T) for x in (q, qd, last)]
            work = partial(theirs, 1, pool, *in_columns, out)
            work()
            for parameters in ("standard", "base"):
                function = program(robot, parameters=parameters).compile()
                result = function(q, qd, last)
                agree(result, out.T)
                ours = partial(function, q, qd, last, out=result, threads=1)
                best = best_times({"pin": work, "ours": ours}, clock=PROCESSOR)
                note = f"{1e9 * best['ours'] / COUNT:.1f} ns per state, theirs {1e9 * best['pin'] / COUNT:.0f}"
                label = f"{robot.name}, {name}, {parameters} parameters"
                table.row(label, best["pin"] / best["ours"], "x", f">= {least}", note)


def matrices(table: Table) -> None:
    """Compare batches with Pinocchio's calls from Python, which are its only mode there."""
    import pinocchio as pin

    table.title(f"batch of {COUNT}, one thread: times Pinocchio's calls from Python")
    robot = panda()
    model = to_pinocchio(robot)
    data = model.createData()
    q, qd, qdd = states(robot, COUNT)
    gradient = tf.inverse_dynamics(robot).derivative("tau", ["q", "qd"])
    few = 256
    cases: list[tuple[str, Program, list[Any], Callable[..., Any], int]] = [
        ("derivatives by q and qd", gradient, [q, qd, qdd], pin.computeRNEADerivatives, 16),
        ("inertia matrix", tf.inertia_matrix(robot), [q], pin.crba, 15),
        ("Coriolis matrix", tf.coriolis_matrix(robot), [q, qd], pin.computeCoriolisMatrix, 15),
        ("regressor", tf.regressor(robot, parameters="standard"), [q, qd, qdd], pin.computeJointTorqueRegressor, 15),
    ]
    for name, program, arrays, theirs, least in cases:
        function = program.compile()
        found = function(*arrays)
        other = theirs(model, data, *(x[0] for x in arrays))
        if name == "derivatives by q and qd":
            agree(np.hstack([found[0][0], found[1][0]]), np.hstack([data.dtau_dq, data.dtau_dv]))
        elif name == "inertia matrix":
            agree(found[0], np.triu(other) + np.triu(other, 1).T)
        elif name == "Coriolis matrix":  # which is not unique; what it gives with the velocity is
            agree(found[0] @ qd[0], other @ qd[0])
        else:  # other parameters in another order; the effort that a regressor gives is the same
            agree(found[0] @ _inertias(robot, program), other @ _inertias_of(model))
        rows = [[x[i] for x in arrays] for i in range(few)]
        best = best_times(
            {
                "pin": partial(_each, theirs, model, data, rows),
                "ours": partial(function, *arrays, out=found, threads=1),
            },
            clock=PROCESSOR,
        )
        a, b = best["pin"] / few, best["ours"] / COUNT
        table.row(f"panda, {name}", a / b, "x", f">= {least}", f"{1e9 * b:.1f} ns per state, theirs {1e9 * a:.0f}")


def _each(function: Callable[..., Any], model: Any, data: Any, rows: list[list[Any]]) -> None:
    for row in rows:
        function(model, data, *row)


def _inertias(robot: tf.Robot, program: Program) -> Any:
    """Return the values of the parameters that the columns of a regressor belong to."""
    known = {
        f"{name}{j}": float(value)
        for j, body in enumerate(robot.bodies, 1)
        for name, value in zip(body.inertia._fields, body.inertia, strict=True)
    }
    (shape,) = program.outputs.values()
    return np.array([known[name] for name in shape.labels[1]])


def _inertias_of(model: Any) -> Any:
    return np.concatenate([model.inertias[j].toDynamicParameters() for j in range(1, model.njoints)])


def single(table: Table) -> None:
    """Compare calls from Python with one state."""
    import pinocchio as pin

    table.title("one state from Python, panda: share of Pinocchio's time")
    robot = panda()
    model = to_pinocchio(robot)
    data = model.createData()
    q, qd, qdd = (x[0] for x in states(robot, 1))
    tau, fd, inertia = (
        model_of(robot).compile() for model_of in (tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix)
    )
    efforts = tau(q, qd, qdd)
    agree(efforts, pin.rnea(model, data, q, qd, qdd))
    works = {
        "pin.rnea": lambda: pin.rnea(model, data, q, qd, qdd),
        "inverse dynamics": lambda: tau(q, qd, qdd),
        "pin.aba": lambda: pin.aba(model, data, q, qd, efforts),
        "direct dynamics": lambda: fd(q, qd, efforts),
        "pin.crba": lambda: pin.crba(model, data, q),
        "inertia matrix": lambda: inertia(q),
    }
    best = best_times(works, clock=PROCESSOR)
    for ours, theirs in (
        ("inverse dynamics", "pin.rnea"),
        ("direct dynamics", "pin.aba"),
        ("inertia matrix", "pin.crba"),
    ):
        note = f"{1e9 * best[ours]:.0f} ns, theirs {1e9 * best[theirs]:.0f}"
        table.row(f"{ours} : {theirs}", best[ours] / best[theirs], "x", "<= 1.0", note)


def threads(table: Table) -> None:
    """Compare two threads with one on a million states, and what memory that takes."""
    import resource

    table.title("a million states of the panda")
    robot = panda()
    function = tf.inverse_dynamics(robot).compile()
    arrays = states(robot, 1_000_000)
    out = np.zeros((1_000_000, robot.dof))
    function(*arrays, out=out, threads=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    best = best_times({str(n): partial(function, *arrays, out=out, threads=n) for n in (1, 2)}, seconds=3)
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    table.row("two threads against one", best["1"] / best["2"], "x", ">= 1.7", f"{1e3 * best['1']:.0f} ms with one")
    table.row("memory beyond inputs and outputs", more / 1024, "MB", "< 50")


def limit(table: Table) -> None:
    """Compare with a loop of nothing but fused multiply-adds, in the same vectors."""
    from tauforge.runtime.compile import Library, object_code, vectors

    kind = vectors("double")
    t, chains = kind.name, 12
    phis = [f"%p{k} = phi {t} [ {kind.all(1.0)}, %entry ], [ %q{k}, %again ]" for k in range(chains)]
    steps = [
        f"%q{k} = call {t} @llvm.fma.{kind.suffix}({t} %p{k}, {t} {kind.all(0.5)}, {t} {kind.all(0.25)})"
        for k in range(chains)
    ]
    stores = [
        f"%s{k} = getelementptr {t}, ptr %to, i64 {k}\nstore {t} %q{k}, ptr %s{k}, align 8" for k in range(chains)
    ]
    text = "\n".join(
        [
            f"declare {t} @llvm.fma.{kind.suffix}({t}, {t}, {t})",
            "define void @peak(i64 %n, ptr %to) {\nentry:\nbr label %again\nagain:",
            "%i = phi i64 [ 0, %entry ], [ %j, %again ]",
            *phis,
            *steps,
            "%j = add i64 %i, 1\n%more = icmp slt i64 %j, %n\nbr i1 %more, label %again, label %done\ndone:",
            *stores,
            "ret void\n}\n",
        ]
    )
    library = Library([object_code(text)])
    peak = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(library.address("peak"))
    memory, rounds = np.zeros(8 * chains), 20_000
    robot = panda()
    table.title("distance to the limit, panda, inverse dynamics")
    for parameters in ("standard", "base"):
        program = tf.inverse_dynamics(robot, parameters=parameters)
        function, arrays = program.compile(), states(robot, COUNT)
        ours = partial(function, *arrays, out=function(*arrays), threads=1)
        best = best_times({"peak": partial(peak, rounds, memory.ctypes.data), "ours": ours}, clock=PROCESSOR)
        made = program.count()
        rate = (made.mul + made.add) * COUNT / best["ours"]
        most = chains * kind.lanes * rounds / best["peak"]
        note = f"{1e-9 * rate:.1f} additions and multiplications a ns, of {1e-9 * most:.1f}; sines not counted"
        table.row(f"share of the rate of fused operations, {parameters}", 100 * rate / most, "%", ">= 45", note)


def growth(table: Table, lengths: tuple[int, ...] = (7, 30, 120, 480, 1000)) -> None:
    """Compare chains of many lengths: time a link, to run and to compile."""
    table.title("chains: inverse dynamics, time a link")
    ready: dict[int, float] = {}
    run: dict[int, float] = {}
    for count in lengths:
        robot = chain(count)
        rounds = max(2, 100 // count)
        for _ in range(rounds):
            start = time.perf_counter()
            program = tf.inverse_dynamics(robot)
            function = program.compile(cache=False)
            took = time.perf_counter() - start
            ready[count] = min(ready.get(count, took), took)
        arrays = states(robot, 256)
        run[count] = best_times({"run": partial(function, *arrays, threads=1)}, 1.0)["run"] / 256
        note = f"{1e3 * ready[count] / count:.2f} ms a link until ready"
        table.row(f"{count} links", 1e9 * run[count] / count, "ns a link", "", note)
    per_link = [run[n] / n for n in lengths]
    to_ready = [ready[n] / n for n in lengths]
    table.row("slowest a link against fastest, to run", max(per_link) / min(per_link), "x", "<= 2")
    table.row("slowest a link against fastest, until ready", max(to_ready) / min(to_ready), "x", "<= 2")
    if {120, 1000} <= {*lengths}:
        table.row("1000 links against 120, until ready", ready[1000] / ready[120], "x", "<= 10")


def compiling(table: Table) -> None:
    """Compare compiling with gcc -O2 on the same Program's C code, and with taking code from the cache."""
    table.title("compiling: share of the time of gcc -O2 on the same program's C code")
    tf.inverse_dynamics(tf.robots.puma560()).compile(cache=False)  # the kernel, once in a process
    for robot in (panda(), humanoid()):
        for name, model in (("inverse dynamics", tf.inverse_dynamics), ("direct dynamics", tf.direct_dynamics)):
            program = model(robot)
            with tempfile.TemporaryDirectory() as place:
                source = Path(place) / "program.c"
                source.write_text(program.code("c"))
                command = ["gcc", "-O2", "-c", str(source), "-o", str(source.with_suffix(".o"))]
                old = os.environ.get("TAUFORGE_CACHE")
                os.environ["TAUFORGE_CACHE"] = str(Path(place) / "cache")
                best = best_times(
                    {
                        "gcc": partial(subprocess.run, command, check=True),
                        "cold": partial(program.compile, cache=False),
                        "cached": program.compile,
                    },
                    seconds=3,
                )
                os.environ.pop("TAUFORGE_CACHE") if old is None else os.environ.update(TAUFORGE_CACHE=old)
            note = f"{1e3 * best['cold']:.0f} ms, gcc {1e3 * best['gcc']:.0f} ms"
            table.row(f"{robot.name}, {name}", best["cold"] / best["gcc"], "x", "<= 0.4", note)
            note = f"{1e3 * best['cached']:.1f} ms"
            table.row("    from the cache, share of cold", best["cached"] / best["cold"], "x", "<= 0.1", note)


def accuracy(table: Table) -> None:
    """Compare errors with Pinocchio's, both against 60 digits."""
    import pinocchio as pin
    from mpmath import mp, mpf

    table.title("accuracy: relative error, share of Pinocchio's, 1000 states")
    robot = panda()
    model = to_pinocchio(robot)
    data = model.createData()
    for name, model_of, theirs in (
        ("inverse dynamics", tf.inverse_dynamics, pin.rnea),
        ("direct dynamics", tf.direct_dynamics, pin.aba),
    ):
        function, program = model_of(robot).compile(), model_of(robot, parameters="standard")
        arrays = states(robot, 1000)
        errors = {"ours": 0.0, "pin": 0.0}
        with mp.workdps(60):
            for i in range(1000):
                state = [x[i] for x in arrays]
                exact = _exactly(program, state, mp, mpf)
                scale = max(map(abs, exact))
                for key, found in (("ours", function(*state)), ("pin", theirs(model, data, *state))):
                    worst = max(abs(mpf(float(a)) - b) for a, b in zip(found, exact, strict=True))
                    errors[key] = max(errors[key], float(worst / scale))
        note = f"{errors['ours']:.2g}, theirs {errors['pin']:.2g}"
        table.row(f"panda, {name}", errors["ours"] / errors["pin"], "x", "<= 4", note)


def _exactly(program: Program, state: list[Any], mp: Any, mpf: Any) -> list[Any]:
    """Evaluate a Program in many digits."""
    functions = {"add": lambda a, b: a + b, "neg": lambda a: -a, "mul": lambda a, b: a * b, "div": lambda a, b: a / b}
    functions |= {name: getattr(mp, name) for name in ("sin", "cos", "sqrt", "sign")} | {"abs": abs}
    known: dict[Any, Any] = {}
    for array, values in zip(program.arguments.values(), state, strict=True):
        known.update(zip(array.nodes, map(mpf, map(float, values)), strict=True))
    for node in program.order:
        if node not in known:
            known[node] = functions[node.op](*(known[a] for a in node.args)) if node.args else mpf(float(node))
    return [known[node] for array in program.results.values() for node in array.nodes]


PARTS = {part.__name__: part for part in (batches, matrices, single, threads, limit, compiling, accuracy, growth)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=[*PARTS])
    options = parser.parse_args()
    table = Table()
    for name in options.only:
        PARTS[name](table)
    if options.json:
        options.json.write_text(json.dumps(table.rows, indent=1))


if __name__ == "__main__":
    main()
