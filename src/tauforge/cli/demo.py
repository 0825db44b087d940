"""The demonstration: one robot from description to proof, and a table of all bundled robots."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.rule import Rule
from rich.syntax import Syntax

import tauforge as tf

from ..bench.counts import count
from ..view.description import describe
from . import show
from .info import tree


def run(console: Console) -> None:
    """Show the robot, its base parameters, the counts, some code, and a compiled result that is proved and checked."""
    robot = tf.robots.rrp(symbolic=True)
    console.print(Rule("1. A robot"))
    console.print(tree(describe(robot)))

    console.print(Rule("2. Its base inertial parameters"))
    console.print(tf.base_parameters(robot).table(), highlight=False)

    console.print(Rule("3. Operation counts, all inertial parameters and lengths symbolic"))
    table = show.table(["robot", *show.COUNTS], right=show.COUNTS)
    for name in tf.robots.names():
        table.add_row(name, *show.count_cells(count(tf.robots.bundled(name, symbolic=True), "base")))
    console.print(table)

    console.print(Rule("4. Generated code (C, the last lines)"))
    program = tf.inverse_dynamics(robot, parameters="base")
    code = program.code("c", name="rrp_torques")
    console.print(Syntax("\n".join(code.rstrip().splitlines()[-18:]), "c", background_color="default"))

    console.print(Rule("5. The compiled function, a thousand states of the PUMA 560 at once"))
    arm = tf.robots.puma560()
    standard, base = (tf.inverse_dynamics(arm, parameters=p) for p in ("standard", "base"))
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 1000, arm.dof))
    tau = base.compile()(q, qd, qdd)
    console.print(f"q[0]   = {np.array2string(q[0], precision=4)}")
    console.print(f"tau[0] = {np.array2string(tau[0], precision=4)}")

    console.print(Rule("6. Does it all agree?"))
    console.print(f"base and standard parameters: {standard.certify(base)}")
    console.print(
        f"compiled, base against standard: largest difference {np.abs(tau - standard.compile()(q, qd, qdd)).max():.1e}"
    )
    scope: dict[str, object] = {}
    exec(base.code("python", name="puma_torques"), scope)
    generated = np.array([scope["puma_torques"](*state) for state in zip(q, qd, qdd, strict=True)])  # type: ignore[operator]
    difference = np.abs(tau - generated).max()
    console.print(f"compiled against generated Python code: largest difference {difference:.1e}")
    if difference > 1e-9:
        raise tf.TauforgeError("generated code and compiled function differ")
    console.print("[green]Everything agrees.[/green] Next: [bold]tauforge --help[/bold]")
