"""The same robot in frax, which is written in JAX."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..robot.robot import DOWN, Robot
from .peer import DERIVATIVES, DIRECT, FEW, INERTIA, INVERSE, Call, Peer, Unfit, Work, lacks
from .urdf import in_urdf


class Frax(Peer):
    """A robot on a fixed base in frax, in double precision; large blocks of states would leave the cache."""

    name, module, install = "frax (JAX)", "frax", "frax"

    @classmethod
    def environment(cls) -> dict[str, str]:
        return {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}

    def __init__(self, robot: Robot) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        from frax.core.robot import Robot as Model

        text = in_urdf(robot)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(text, encoding="utf-8")
            try:
                self.model: Any = Model(str(path), joint_ordering=list(robot.joint_names))
            except Exception as error:  # it has no error class of its own
                raise Unfit(f"frax cannot build it: {error}") from None
        self.gravity = np.array([*(-float(x) for x in robot.gravity), 0.0, 0.0, 0.0])
        self.down = tuple(map(float, robot.gravity)) == tuple(DOWN)
        self.jax: Any = jax

    def function(self, model: str) -> Callable[..., Any]:
        """Return the function that JAX compiles."""
        robot, gravity = self.model, self.gravity

        def efforts(q: Any, qd: Any, qdd: Any) -> Any:
            return robot.rnea(q, qd, qdd, gravity, None)

        def accelerations(q: Any, qd: Any, tau: Any) -> Any:
            return robot.forward_dynamics(q, qd, tau, None)

        if model == DIRECT and not self.down:
            raise Unfit("the gravity of frax's direct dynamics is 9.81 m/s² along -z")

        def inertia(q: Any) -> Any:
            return robot.crba(q)

        if model == DERIVATIVES:
            raise lacks(self, model, " but by JAX's own means, which take many seconds to compile")
        functions: dict[str, Callable[..., Any]] = {INVERSE: efforts, DIRECT: accelerations, INERTIA: inertia}
        return functions[model]

    def own(self, model: str, arrays: Sequence[Any]) -> list[Any]:
        return [self.jax.numpy.asarray(x) for x in arrays]

    def call(self, model: str) -> tuple[str, Call]:
        function = self.jax.jit(self.function(model))
        return f"{WORDS[model]}, jit", lambda *row: function(*row).block_until_ready()

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        function = self.jax.jit(self.jax.vmap(self.function(model)))
        given = self.own(model, [x[:FEW] for x in arrays])
        return Work(
            f"{WORDS[model]}, jit of vmap, float64, in blocks of {FEW} states",
            lambda: function(*given).block_until_ready(),
            lambda: np.asarray(function(*given)),
            len(given[0]),
        )


WORDS = {INVERSE: "rnea", DIRECT: "forward_dynamics", INERTIA: "crba"}
"""The names of frax's models."""
