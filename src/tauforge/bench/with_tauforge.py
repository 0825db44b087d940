"""Our own compiled functions, timed like the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..models.direct_dynamics import direct_dynamics
from ..models.inertia_matrix import inertia_matrix
from ..models.inverse_dynamics import inverse_dynamics
from ..program.program import Program
from ..robot.robot import Robot
from ..runtime.function import Function
from .peer import DERIVATIVES, DIRECT, INERTIA, INVERSE, Call, Peer, Work


def program(model: str, robot: Robot) -> Program:
    """Return the Program of a model."""
    if model == DERIVATIVES:
        return inverse_dynamics(robot).derivative("tau", ["q", "qd"])
    models: dict[str, Callable[[Robot], Program]]
    models = {INVERSE: inverse_dynamics, DIRECT: direct_dynamics, INERTIA: inertia_matrix}
    return models[model](robot)


class Tauforge(Peer):
    """The robot here; with an effort, models are optimised, those for batches and those for calls apart."""

    name, module, install = "Tauforge", "tauforge", "tauforge"

    def __init__(self, robot: Robot, effort: str | float | None = None) -> None:
        self.robot, self.effort = robot, effort
        self.functions: dict[tuple[str, str], Function] = {}

    def function(self, model: str, objective: str = "throughput") -> Function:
        """Return the compiled function of a model."""
        key = (model, objective if self.effort else "")
        if key not in self.functions:
            made = program(model, self.robot)
            self.functions[key] = (made.optimise(self.effort, objective=objective) if self.effort else made).compile()
        return self.functions[key]

    def call(self, model: str) -> tuple[str, Call]:
        return "compiled function", self.function(model, "latency")

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        function = self.function(model)
        out = function(*arrays)

        def result() -> Any:
            return np.stack(out, axis=1) if isinstance(out, tuple) else out

        return Work(
            f"compiled function{', optimised' if self.effort else ''}, states side by side in vector registers",
            lambda: function(*arrays, out=out, threads=1),
            result,
            len(arrays[0]),
        )
