"""Evaluate a Program by walking its graph: slow to run, but ready at once, and no compiler between."""

import numpy as np

from tauforge import Program
from tauforge.graph import operations
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


_MANY = {
    operations.ADD: np.add,
    operations.NEG: np.negative,
    operations.MUL: np.multiply,
    operations.DIV: np.divide,
    operations.SQRT: np.sqrt,
    operations.SIN: np.sin,
    operations.COS: np.cos,
    operations.ATAN2: np.arctan2,
    operations.ABS: np.abs,
    operations.SIGN: np.sign,
}


def interpret_many(program: Program, *arrays: np.ndarray) -> list[np.ndarray]:
    """Return the outputs for several states at once, which the first axis of each array counts."""
    count = len(arrays[0])
    given = {}
    for name, array in zip(program.inputs, arrays, strict=True):
        given |= {f"{name}[{i}]": column for i, column in enumerate(array.reshape(count, -1).T)}
    at = {}
    for node in program.order:
        if node.op is operations.SYMBOL:
            at[node] = given[str(node.value)]
        elif node.op is operations.CONST:
            at[node] = node.value
        else:
            at[node] = _MANY[node.op](*(at[a] for a in node.args))
    results = []
    for name, shape in program.outputs.items():
        columns = [np.broadcast_to(at[node], count) for node in program.results[name].nodes]
        results.append(np.array(columns).T.reshape(count, *shape))
    return results
