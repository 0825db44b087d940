"""How long it takes from a robot to a result: tracing, counting, code, compiling, importing; beside SymPy's cse.

Absolute times depend on the machine: the ratios are what counts. Run it with ``make bench``.
"""

from __future__ import annotations

import copy
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import tauforge as tf
from tauforge.graph.node import Node
from tauforge.models import joint_law
from tauforge.models.inverse_dynamics import newton_euler
from tauforge.models.state import State
from tauforge.spatial import rotation
from tauforge.spatial.vector import Vector

GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")


def best(work: Callable[[], object], rounds: int = 7) -> float:
    """Return the shortest of several runs in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def import_time(name: str, rounds: int = 7) -> float:
    """Return the median time of importing a module in a fresh interpreter, less an empty one's, in milliseconds.

    Bytecode is cached, as it is after the first import of an installed package.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        settings["PYTHONPYCACHEPREFIX"] = folder

        def run(code: str) -> float:
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=settings)
            return 1e3 * (time.perf_counter() - start)

        run(f"import {name}")
        pairs = [(run(f"import {name}"), run("pass")) for _ in range(rounds)]
    return statistics.median(a for a, _ in pairs) - statistics.median(b for _, b in pairs)


def sympy_cse(robot: tf.Robot) -> tuple[float, int]:
    """Run the same recursion on SymPy's symbols, then its cse; return milliseconds and operations."""
    import sympy

    def lift(x: object) -> object:
        if isinstance(x, Node):
            return sympy.Symbol(str(x))
        turns = x / (math.pi / 2)  # type: ignore[operator]
        return sympy.pi * round(turns) / 2 if x and turns == round(turns) else sympy.nsimplify(x)

    count = len(robot.joints)
    start = time.perf_counter()
    ours = rotation.sin, rotation.cos, joint_law.sign
    rotation.sin, rotation.cos, joint_law.sign = sympy.sin, sympy.cos, sympy.sign  # the recursion's only functions
    try:
        joints = [lifted(joint, **{key: lift(getattr(joint, key)) for key in GEOMETRY}) for joint in robot.joints]
        bodies = [lifted(body, inertia=tf.Inertia(*map(lift, body.inertia))) for body in robot.bodies]
        same = lifted(robot, joints=joints, bodies=bodies, gravity=Vector(*map(lift, robot.gravity)))
        names = {name: sympy.symbols(f"{name}1:{count + 1}") for name in ("q", "qd", "qdd")}
        state = {name: [(), *((x,) for x in symbols)] for name, symbols in names.items()}
        tau = newton_euler(same, State.zero(same, **state))
    finally:
        rotation.sin, rotation.cos, joint_law.sign = ours
    replacements, reduced = sympy.cse(tau)
    took = 1e3 * (time.perf_counter() - start)
    operations = sympy.count_ops([e for _, e in replacements] + reduced, visual=True)
    counted = sum(operations.coeff(sympy.Symbol(name)) for name in ("MUL", "ADD", "SUB"))
    return took, int(counted)


def lifted(frozen: object, **changes: object) -> Any:
    """Return a copy of a description with SymPy's expressions in it, which its own checks would refuse."""
    changed = copy.copy(frozen)
    changed.__dict__.update(changes)
    return changed


def main() -> None:
    robot = tf.robots.panda(symbolic=True)
    numeric = tf.robots.kuka_lwr()

    def fresh() -> tf.Program:
        return tf.inverse_dynamics(robot)

    trace = best(lambda: fresh().count())
    program = fresh()
    rows = [
        ("trace and count, Panda, symbolic", trace),
        ("trace and count, KUKA LWR, numeric", best(lambda: tf.inverse_dynamics(numeric).count())),
        ("base parameters, Panda, symbolic", best(lambda: tf.base_parameters(robot))),
        ("C code, Panda", best(lambda: program.code("c"))),
        ("compiled function, Panda", best(lambda: program.compile())),
    ]
    for label, milliseconds in rows:
        print(f"{label:40} {milliseconds:8.1f} ms")
    numpy_time, our_time = import_time("numpy"), import_time("tauforge")
    print(
        f"{'import tauforge':40} {our_time:8.1f} ms   {our_time / numpy_time:.2f} x import numpy ({numpy_time:.0f} ms)"
    )
    if importlib.util.find_spec("sympy"):
        took, operations = sympy_cse(robot)
        beside = f"{took / trace:.0f} x ours; {operations} operations, ours {program.count().total}"
        print(f"{'SymPy, same recursion and cse':40} {took:8.1f} ms   {beside}")
    else:
        print("SymPy is not installed: pip install sympy to compare with its cse")


if __name__ == "__main__":
    main()
