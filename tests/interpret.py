"""Evaluate a Program by walking its graph: slow to run, but ready at once, and no compiler between."""

import numpy as np

from tauforge import Program
from tauforge.graph.evaluate import evaluate


def interpret(program: Program, *arrays: object, **parameters: float) -> list[np.ndarray] | np.ndarray:
    """Return the outputs for one state; several as a list."""
    state = {name: shape for name, shape in program.inputs.items() if name != "parameters"}
    values = dict(parameters)
    for name, array in zip(state, arrays, strict=True):
        values |= {f"{name}[{i}]": float(x) for i, x in enumerate(np.ravel(array))}
    nodes = [node for array in program.results.values() for node in array.nodes]
    found = iter(evaluate(nodes, values))
    results = [np.array([next(found) for _ in range(s.size)]).reshape(s) for s in program.outputs.values()]
    return results[0] if len(results) == 1 else results
