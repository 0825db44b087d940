"""The same robot in frax, which is written in JAX."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..robot.robot import DOWN, Robot
from .peer import DERIVATIVES, DIRECT, INERTIA, INVERSE, Call, Peer, Unfit, Work
from .urdf import in_urdf


class Frax(Peer):
    """A robot on a fixed base in frax, in double precision."""

    name, module, install = "frax (JAX)", "frax", "frax"

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
            except Exception as error:  # it has no kind of error of its own
                raise Unfit(f"frax cannot build it: {error}") from None
        self.gravity = np.array([*(-float(x) for x in robot.gravity), 0.0, 0.0, 0.0])
        self.down = tuple(map(float, robot.gravity)) == tuple(DOWN)
        self.jax: Any = jax

    def function(self, model: str) -> Callable[..., Any]:
        """Return what JAX is to compile."""
        jax, robot, gravity = self.jax, self.model, self.gravity

        def efforts(q: Any, qd: Any, qdd: Any) -> Any:
            return robot.rnea(q, qd, qdd, gravity, None)

        def accelerations(q: Any, qd: Any, tau: Any) -> Any:
            return robot.forward_dynamics(q, qd, tau, None)

        def derivatives(q: Any, qd: Any, qdd: Any) -> Any:
            return jax.numpy.stack(jax.jacfwd(efforts, (0, 1))(q, qd, qdd))

        if model == DIRECT and not self.down:
            raise Unfit("the gravity of frax's direct dynamics is 9.81 m/s² along -z")
        return {INVERSE: efforts, DIRECT: accelerations, INERTIA: robot.crba, DERIVATIVES: derivatives}[model]

    def call(self, model: str) -> tuple[str, Call]:
        function = self.jax.jit(self.function(model))
        return f"{WORDS[model]}, jit", lambda *row: function(*row).block_until_ready()

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        function = self.jax.jit(self.jax.vmap(self.function(model)))
        given = [self.jax.numpy.asarray(x) for x in arrays]
        return Work(
            f"{WORDS[model]}, jit of vmap, float64, one thread",
            lambda: function(*given).block_until_ready(),
            lambda: np.asarray(function(*given)),
            len(arrays[0]),
        )


WORDS = {INVERSE: "rnea", DIRECT: "forward_dynamics", INERTIA: "crba", DERIVATIVES: "jacfwd of rnea"}
"""What frax calls its models."""
