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
    """The robot here."""

    name, module, install = "Tauforge", "tauforge", "tauforge"

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.functions: dict[str, Function] = {}

    def function(self, model: str) -> Function:
        """Return the compiled function of a model."""
        if model not in self.functions:
            self.functions[model] = program(model, self.robot).compile()
        return self.functions[model]

    def call(self, model: str) -> tuple[str, Call]:
        return "compiled function", self.function(model)

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        function = self.function(model)
        out = function(*arrays)

        def result() -> Any:
            return np.stack(out, axis=1) if isinstance(out, tuple) else out

        return Work(
            "compiled function, states side by side in vector registers",
            lambda: function(*arrays, out=out, threads=1),
            result,
            len(arrays[0]),
        )
