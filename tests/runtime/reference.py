"""What compiled functions are compared with: small programs, and their evaluation in plain Python, state by state."""

import math

import numpy as np

from tauforge import Body, Inertia, Joint, Program, Robot
from tauforge.graph.evaluate import evaluate
from tauforge.graph.functions import cos, sin
from tauforge.graph.node import symbol
from tauforge.program.array import Array, Shape, inputs, outputs

CLOSE = {"rtol": 1e-11, "atol": 1e-11}


def expected(program, *arrays):
    """Return the outputs as a list of arrays, the inputs broadcast as NumPy does."""
    arrays = [np.asarray(x, dtype=float) for x in arrays]
    shapes = [*program.inputs.values()]
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(s)] for x, s in zip(arrays, shapes, strict=True)))
    arrays = [np.broadcast_to(x, (*batch, *s)) for x, s in zip(arrays, shapes, strict=True)]
    results = [np.empty((*batch, *shape)) for shape in program.outputs.values()]
    for index in np.ndindex(*batch):
        values = {}
        for array, x in zip(program.arguments.values(), arrays, strict=True):
            values |= {str(node.value): v for node, v in zip(array.nodes, x[index].ravel(), strict=True)}
        for result, array in zip(results, program.results.values(), strict=True):
            result[index] = np.reshape(evaluate(array.nodes, values), array.shape)
    return results


def mixed():
    """Return a Program with arrays of ranks 0, 1 and 2 on both sides, and parameters."""
    q = inputs("q", ["a", "b", "c"], "angles")
    m = Array(Shape([2, 3], [["x", "y"], ["u", "v", "w"]]), tuple(symbol(f"m[{i}]") for i in range(6)), "a matrix")
    t = Array(Shape([]), (symbol("t"),), "a time")
    length, mass = symbol("L"), symbol("M")
    offset = sin(length) * mass
    y = [q.nodes[0] * m.nodes[1] - m.nodes[5] * offset, cos(q.nodes[1]) + t.nodes[0] * length, m.nodes[3] - q.nodes[2]]
    table = [node * t.nodes[0] for node in m.nodes]
    results = {
        "y": outputs(y, [3], [["a", "b", "c"]], "a vector"),
        "energy": outputs([offset * q.nodes[2] + 1.0], [], [], "a scalar"),
        "table": outputs(table, [3, 2], [["u", "v", "w"], ["x", "y"]], "a matrix"),
    }
    return Program("mixed", {"q": q, "m": m, "t": t}, results)


def plain():
    """Return a Program of two vectors and one result."""
    a, b = inputs("a", ["x", "y", "z"], "first"), inputs("b", ["x", "y", "z"], "second")
    c = [a.nodes[i] * b.nodes[(i + 1) % 3] - 2.0 * b.nodes[i] for i in range(3)]
    return Program("plain", {"a": a, "b": b}, {"c": outputs(c, [3], [["x", "y", "z"]], "result")})


def chain(count):
    """Return a robot of many revolute joints in a row."""
    joints = tuple(
        Joint(
            name=f"joint{j}", antecedent=j - 1, alpha=math.pi / 2 * (-1) ** j, d=0.1, r=0.02 * (j % 3), FV=0.1, FS=0.2
        )
        for j in range(1, count + 1)
    )
    inertia = Inertia(0.02, 0.001, 0.002, 0.03, 0.001, 0.01, 0.05, 0.01, 0.02, 1.0)
    bodies = tuple(Body(name=f"link{j}", inertia=inertia) for j in range(1, count + 1))
    return Robot(name="chain", joints=joints, bodies=bodies)
