"""The cost model of ``Program.optimise``, fitted to measured times.

For models of the bundled robots and for rows of single operations, the time for each of many states is measured, on one
thread, as the best of several runs. Least squares without negative weights then give what an operation takes. What the
longest path of one state costs is measured by a row of operations that wait for one another, against 16 such rows at
once. Compare the printed weights with ``SHARES`` and ``PATH`` in ``tauforge/program/network/cost.py``, which hold them
rounded; they differ from run to run on a busy machine.

With ``--objectives`` it shows instead what each objective of ``Program.optimise`` is worth by each measure, for models
of five robots, relative to the model as made; and how the modelled costs rank the measured times.

``python -m benchmarks.cost [--objectives] [--effort EFFORT]``
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from scipy.optimize import nnls
from scipy.stats import spearmanr

import tauforge as tf
from tauforge.bench.prepare import prepared, states
from tauforge.graph.functions import sin, sqrt
from tauforge.program.network.cost import OBJECTIVES, times

from .peers import ROBOTS
from .peers import robot as of_peers

STATES, RUNS = 2048, 9
TURNS = 100
"""How often each of several functions is timed, in turn."""
KINDS = {"add, mul, multiply-add": ("add", "mul"), "div": ("div",), "sqrt": ("sqrt",), "sin or cos": ("sin", "cos")}


def programs() -> Iterator[tf.Program]:
    """Yield Programs of many sizes."""
    for name in ("planar2r", "scara", "rrp", "stanford", "rx90", "puma560", "ur5", "kuka_lwr", "panda", "sr400"):
        robot = tf.robots.bundled(name)
        yield tf.inverse_dynamics(robot)
        yield tf.direct_dynamics(robot)
        yield tf.transforms(robot)
        if not robot.loops:
            yield tf.inertia_matrix(robot)
            yield tf.coriolis_matrix(robot)
            yield tf.inverse_dynamics(robot).derivative("tau", "q")
    yield from made()


def made() -> Iterator[tf.Program]:
    """Yield Programs of one operation each: next to one another, and in a row, where each waits for the one before."""
    a, b = tf.symbol("a"), tf.symbol("b")
    starts = [a + k * b for k in range(1, 65)]
    for count in (16, 64):
        yield tf.Program.of(y=[(x * b + a) * x for x in starts[:count]])
        yield tf.Program.of(y=[a / x for x in starts[:count]])
        yield tf.Program.of(y=[sqrt(x * x + 1.0) for x in starts[:count]])
        yield tf.Program.of(y=[sin(x) for x in starts[:count]])
    for count in (64, 256, 1024):
        total = a
        for k in range(count):
            total = total * b + starts[k % 7]
        yield tf.Program.of(y=total)


def best(call: Callable[[], object], repeat: int) -> float:
    """Return the shortest time of a call, in seconds."""
    found = []
    for _ in range(RUNS):
        start = time.perf_counter()
        for _ in range(repeat):
            call()
        found.append((time.perf_counter() - start) / repeat)
    return min(found)


def path() -> float:
    """Return how many additions' time a cycle on the longest path takes: a row of operations, and 16 rows at once."""
    a, b = tf.symbol("a"), tf.symbol("b")
    found = []
    for width in (1, 16):
        seconds = []
        for count in (16, 2048):
            rows = [a + k * b for k in range(width)]
            for _ in range(count // width):
                rows = [x * b + a for x in rows]
            function = tf.Program.of(y=sum(rows[1:], rows[0])).compile()
            seconds.append(min(best(lambda f=function: f(0.5, 0.25), 50) for _ in range(20)))
        found.append((seconds[1] - seconds[0]) / 2032)
    return (found[0] / found[1] - 1) / 4


def in_turn(calls: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """Return the shortest time of each call, in nanoseconds, timed in turn so that all share what disturbs."""
    found = [math.inf] * len(calls)
    for _ in range(TURNS):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            found[i] = min(found[i], (time.perf_counter() - start) / repeat * 1e9)
    return found


def objectives(effort: str) -> None:
    """Print what each objective is worth by each measure, relative to the Program as made."""
    robots = {name: of_peers(name) for name in ROBOTS} | {"puma560": tf.robots.puma560()}
    costs: dict[str, list[float]] = {"latency": [], "throughput": []}
    times: dict[str, list[float]] = {"latency": [], "throughput": []}
    print(f"{'':26}" + "".join(f"{name:>34}" for name in OBJECTIVES))
    for name, found in robots.items():
        robot = prepared(found)[0]
        arrays = states(robot, 512)
        one = [x[0].copy() for x in arrays]
        for model in (tf.inverse_dynamics, tf.direct_dynamics):
            made = model(robot)
            programs = [made, *(made.optimise(effort, objective=objective) for objective in OBJECTIVES)]
            functions = [program.compile() for program in programs]
            out = functions[0](*arrays)
            many = in_turn([partial(f, *arrays, out=out, threads=1) for f in functions], 1)
            single = in_turn([partial(f, *one) for f in functions], 20)
            rows = {"latency": [x / single[0] for x in single], "throughput": [x / many[0] for x in many]}
            text = ""
            for i, program in enumerate(programs[1:], 1):
                sizes = [OBJECTIVES[x].measure(program) / OBJECTIVES[x].measure(made) for x in ("operations", "size")]
                text += "  " + " ".join(f"{x:7.3f}" for x in (*sizes, rows["latency"][i], rows["throughput"][i]))
            print(f"{name:8} {model.__name__:17}{text}", flush=True)
            for key in costs:
                measure = OBJECTIVES[key].measure
                costs[key] += [measure(program) / measure(made) for program in programs]
                times[key] += rows[key]
    print("each: operations, size, time of one call, time per state of a batch; as made, all are 1")
    for key in costs:
        print(f"rank correlation of modelled and measured {key}: {spearmanr(costs[key], times[key]).statistic:.2f}")


def main() -> None:
    """Measure, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objectives", action="store_true", help="compare the objectives")
    parser.add_argument("--effort", default="quick", help="the effort with which objectives are compared")
    options = parser.parse_args()
    if options.objectives:
        objectives(options.effort)
    else:
        weights()


def weights() -> None:
    """Fit what operations take, and print it."""
    rows, batch = [], []
    for program in programs():
        function = program.compile()
        rng = np.random.default_rng(0)
        many = [rng.uniform(-1, 1, (STATES, *shape)) for shape in program.inputs.values()]
        counts = times(program)
        groups = [sum(counts.get(op, 0) for op in ops) for ops in KINDS.values()]
        size = sum(shape.size for shape in (*program.inputs.values(), *program.outputs.values()))
        rows.append([*groups, size, 1])
        batch.append(best(lambda f=function, x=many: f(*x, threads=1), 2) / STATES * 1e9)
    matrix, seconds = np.array(rows, float), np.array(batch)
    fitted, _ = nnls(matrix / seconds[:, None], np.ones(len(matrix)))  # relative errors count
    for name, weight in zip((*KINDS, "number moved", "call"), fitted, strict=True):
        print(f"{name:28} {weight:9.4f} ns {weight / fitted[0]:8.2f} times an addition")
    print(f"typical error of the model {100 * np.median(np.abs(matrix @ fitted / seconds - 1)):.0f} %")
    print(f"cycle on the longest path of one state {path():8.2f} times an addition")


if __name__ == "__main__":
    main()
