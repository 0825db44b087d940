"""The same recursion in CasADi, on its SX symbols."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.operations import ABS, ADD, CONST, DIV, FUNCTIONS, MUL, NEG
from ..program.program import Program
from ..robot.robot import Robot
from .peer import DERIVATIVES, INERTIA, INVERSE, Call, Peer, Unfit, Work
from .with_tauforge import program

FLAGS = ("-O2", "-march=native", "-shared", "-fPIC")
LARGEST = 20_000
"""The largest number of instructions for a C compiler, which takes a second for about three thousand."""
SPELLINGS = {**{name: name for name in FUNCTIONS}, ABS: "fabs"}


class CasADi(Peer):
    """A robot's expressions in CasADi: the recursion of our models on its scalars, and derivatives by its own rules."""

    name, module, install = "CasADi", "casadi", "casadi"

    def __init__(self, robot: Robot) -> None:
        import casadi

        self.ca: Any = casadi
        self.robot = robot
        self.functions: dict[str, tuple[Any, str]] = {}
        self.kept: list[Any] = []  # buffers, which evaluations use but do not keep alive

    def function(self, model: str) -> tuple[Any, str]:
        """Return the casadi.Function of a model, and what evaluates it.

        Its matrices are transposed, so that rows are contiguous in memory.
        """
        if model not in self.functions:
            ca = self.ca
            made = program(INVERSE if model == DERIVATIVES else model, self.robot)
            inputs, (output,) = self._expressions(made)
            if model == DERIVATIVES:
                if len(self.robot.coordinate_names) != self.robot.dof:
                    raise Unfit("CasADi differentiates by coordinates, and a quaternion has one too many")
                output = ca.horzcat(*(ca.jacobian(output, x).T for x in inputs[:2]))
            self.functions[model] = self._in_c(ca.Function(model.replace("-", "_"), inputs, [ca.densify(output)]))
        return self.functions[model]

    def _in_c(self, function: Any) -> tuple[Any, str]:
        """Return a function compiled from CasADi's C code, if there is a compiler and it does not take minutes."""
        compiler = shutil.which("cc")
        if not compiler or function.n_instructions() > LARGEST:
            return function, "in its virtual machine"
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            made = self.ca.CodeGenerator("made.c")
            made.add(function)
            made.generate(f"{folder}/")
            library = f"{folder}/made.so"
            command = [compiler, *FLAGS, "-o", library, f"{folder}/made.c", "-lm"]
            if subprocess.run(command, capture_output=True, check=False).returncode:
                return function, "in its virtual machine"
            return self.ca.external(function.name(), library), f"C code, cc {FLAGS[0]}"

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
        made, words = self.function(model)
        buffer, evaluate = made.buffer()
        out = np.zeros(self._shape(model))
        buffer.set_res(0, out.data)

        given = [np.zeros(made.size1_in(i)) for i in range(made.n_in())]
        for i, x in enumerate(given):
            buffer.set_arg(i, x.data)
        self.kept.append(buffer)

        def function(*row: Any) -> Any:
            for x, value in zip(given, row, strict=True):
                x[:] = value
            evaluate()
            return out

        return f"SX function, {words}", function

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        count = len(arrays[0])
        made, words = self.function(model)
        mapped = made.map(count)
        buffer, evaluate = mapped.buffer()
        out = np.zeros((count, *self._shape(model)))
        for i, x in enumerate(arrays):
            buffer.set_arg(i, x.data)
        buffer.set_res(0, out.data)
        self.kept.append(buffer)
        return Work(
            f"SX function of our recursion, {words}, mapped over the batch",
            evaluate,
            lambda: out,
            count,
        )

    def _shape(self, model: str) -> tuple[int, ...]:
        n = self.robot.dof
        return {DERIVATIVES: (2, n, n), INERTIA: (n, n)}.get(model, (n,))
