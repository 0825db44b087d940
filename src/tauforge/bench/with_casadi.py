"""The same recursion in CasADi, on its SX symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.node import ABS, ADD, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT
from ..program.program import Program
from ..robot.robot import Robot
from .peer import DERIVATIVES, INVERSE, Call, Peer, Unfit, Work
from .tauforge import program

SPELLINGS = {SIN: "sin", COS: "cos", SQRT: "sqrt", ABS: "fabs", SIGN: "sign", ATAN2: "atan2"}


class CasADi(Peer):
    """A robot's expressions in CasADi: the recursion of our models on its scalars, and derivatives by its own rules."""

    name, module, install = "CasADi", "casadi", "casadi"

    def __init__(self, robot: Robot) -> None:
        import casadi

        self.ca: Any = casadi
        self.robot = robot
        self.functions: dict[str, Any] = {}

    def function(self, model: str) -> Any:
        """Return the casadi.Function of a model, its matrices transposed so that rows are together in memory."""
        if model not in self.functions:
            ca = self.ca
            made = program(INVERSE if model == DERIVATIVES else model, self.robot)
            inputs, (output,) = self._expressions(made)
            if model == DERIVATIVES:
                if len(self.robot.coordinate_names) != self.robot.dof:
                    raise Unfit("CasADi's derivatives are by coordinates, of which a quaternion has one too many")
                output = ca.horzcat(*(ca.jacobian(output, x).T for x in inputs[:2]))
            self.functions[model] = ca.Function(model.replace("-", "_"), inputs, [ca.densify(output)])
        return self.functions[model]

    def _expressions(self, made: Program) -> tuple[list[Any], list[Any]]:
        ca = self.ca
        table: dict[str, Any] = {
            ADD: lambda a, b: a + b,
            MUL: lambda a, b: a * b,
            DIV: lambda a, b: a / b,
            NEG: lambda a: -a,
            **{op: getattr(ca, name) for op, name in SPELLINGS.items()},
        }
        known: dict[Any, Any] = {}
        inputs = []
        for name, array in made.arguments.items():
            symbols = ca.SX.sym(name, array.shape.size)
            inputs.append(symbols)
            known.update(zip(array.nodes, ca.vertsplit(symbols), strict=True))
        for node in made.order:
            if node not in known:
                known[node] = ca.SX(float(node)) if node.op is CONST else table[node.op](*(known[a] for a in node.args))
        outputs = []
        for array in made.results.values():
            rows = ca.vertcat(*(known[node] for node in array.nodes))
            outputs.append(ca.reshape(rows, array.shape[-1], -1) if len(array.shape) == 2 else rows)
        return inputs, outputs

    def call(self, model: str) -> tuple[str, Call]:
        buffer, evaluate = self.function(model).buffer()
        out = np.zeros(self._shape(model))
        buffer.set_res(0, memoryview(out))

        def function(*row: Any) -> Any:
            for i, x in enumerate(row):
                buffer.set_arg(i, memoryview(x))
            evaluate()
            return out

        return "an SX function, by its buffer", function

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        count = len(arrays[0])
        mapped = self.function(model).map(count)
        buffer, evaluate = mapped.buffer()
        out = np.zeros((count, *self._shape(model)))
        for i, x in enumerate(arrays):
            buffer.set_arg(i, memoryview(x))
        buffer.set_res(0, memoryview(out))
        kept = (mapped, buffer)  # what the evaluation needs
        return Work(
            "an SX function of the same recursion, mapped over the batch, in its virtual machine",
            lambda: evaluate() if kept else None,
            lambda: out,
            count,
        )

    def _shape(self, model: str) -> tuple[int, ...]:
        n = self.robot.dof
        return {DERIVATIVES: (2, n, n), "inertia-matrix": (n, n)}.get(model, (n,))
