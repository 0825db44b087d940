"""Derivatives of Programs by complex steps: exact to rounding, and without any differentiation of the graph.

A function that is computed with x + ih in place of x has h times its derivative as its imaginary part. As no nearly
equal numbers are subtracted, h may be as small as one likes.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tauforge import Program, Robot
from tauforge.graph.evaluate import topological
from tauforge.graph.node import Node
from tauforge.graph.operations import ABS, ADD, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT
from tauforge.robot.joint import COORDINATES, FLOATING, PLANAR, SPHERICAL

STEP = 1e-100
OPERATIONS: dict[str, Callable[..., Any]] = {
    ADD: np.add,
    NEG: np.negative,
    MUL: np.multiply,
    DIV: np.divide,
    SQRT: np.sqrt,
    SIN: np.sin,
    COS: np.cos,
    ABS: lambda a: a * np.sign(np.real(a)),
    SIGN: lambda a: np.sign(np.real(a)),
}


def at_once(program: Program, state: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the only output at many states, real or complex: they are the last axis of inputs and output."""
    (output,) = program.results.values()
    known: dict[Node, Any] = {}
    for name, array in program.arguments.items():
        known |= zip(array.nodes, state[name], strict=True)
    for node in topological(output.nodes):
        if node not in known:
            known[node] = float(node) if node.op is CONST else OPERATIONS[node.op](*(known[a] for a in node.args))
    return np.stack(np.broadcast_arrays(*(known[node] for node in output.nodes))).reshape(*output.shape, -1)


def derivative(program: Program, state: Mapping[str, np.ndarray], name: str, directions: np.ndarray) -> np.ndarray:
    """Return the derivative of the only output along directions of an input, which are columns."""
    many = {key: np.asarray(x, float)[:, None] for key, x in state.items()}
    many[name] = many[name] + 1j * STEP * directions
    values = at_once(program, many)
    return np.broadcast_to(np.imag(values) / STEP, (*values.shape[:-1], directions.shape[1]))


def tangent(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return how the coordinates change with each of the velocities, a column for each."""
    robot = robot.expanded()
    found = np.zeros((len(q), robot.dof))
    row = column = 0
    for joint in robot.joints:
        rows, columns = len(COORDINATES[joint.sigma]), len(joint.axes)
        found[row : row + rows, column : column + columns] = of_joint(joint.sigma, q[row : row + rows])
        row, column = row + rows, column + columns
    return found


def of_joint(kind: int, q: np.ndarray) -> np.ndarray:
    """Return the same of one joint: a quaternion p changes by p (ω, 0) / 2, a position by p (v, 0) p*."""
    if kind == PLANAR:
        c, s = np.cos(q[2]), np.sin(q[2])
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    if kind not in (SPHERICAL, FLOATING):
        return np.ones((len(q), len(q)))
    p, units = q[-4:], np.eye(4)[:3]
    turning = 0.5 * np.array([times(p, unit) for unit in units]).T
    if kind == SPHERICAL:
        return turning
    moving = np.array([times(times(p, unit), p * [-1, -1, -1, 1])[:3] for unit in units]).T
    return np.block([[moving, np.zeros((3, 3))], [np.zeros((4, 3)), turning]])


def times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the product of two quaternions (x, y, z, w)."""
    return np.array([*(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])), a[3] * b[3] - a[:3] @ b[:3]])
