"""Small linear problems as Programs, for many at once: reflections bring matrices to triangles, without branches.

Householder's reflections need no pivots, so that every problem takes the same steps and the processor's lanes can hold
different ones. They do not depend on the arm: each Program is compiled once.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from ...graph.functions import cos, sin, sqrt
from ...graph.node import Scalar, is_zero, symbol
from ...models.loops.closed_form.turning import positive
from ...program.array import Array, Shape, outputs
from ...program.program import Program
from ...runtime.function import Function

EQUATIONS, PRODUCTS, LEFT = 14, 8, 6
"""Equations of a general arm, products of joints that are eliminated, and equations that are left."""
TINY = 1e-200
"""What keeps a division from failing."""
DAMPED = 1e-12
"""Singular values below it, relative to all, hardly count in a step."""

Rows = list[list[Scalar]]


class Reflection(NamedTuple):
    """A reflection of some rows: along a vector, which is as long as the factor says."""

    rows: list[int]
    vector: list[Scalar]
    factor: Scalar

    def of(self, A: Rows, column: int) -> None:
        """Reflect a column of a matrix."""
        along = sum((v * A[i][column] for i, v in zip(self.rows, self.vector, strict=True)), start=0.0) * self.factor
        for i, v in zip(self.rows, self.vector, strict=True):
            A[i][column] = A[i][column] - along * v


def triangular(A: Rows, columns: int) -> list[Reflection]:
    """Bring the first columns of a matrix to a triangle, in place; return the reflections that do it."""
    done = list[Reflection]()
    for j in range(columns):
        rows = [i for i in range(j, len(A)) if i == j or not is_zero(A[i][j])]
        x = [A[i][j] for i in rows]
        size = sqrt(sum((a * a for a in x), start=TINY))
        sign = 2.0 * positive(x[0]) - 1.0
        own = Reflection(rows, [x[0] + sign * size, *x[1:]], 1.0 / (size * (size + sign * x[0])))
        for k in range(j + 1, len(A[0])):
            own.of(A, k)
        for i in rows:
            A[i][j] = 0.0
        A[j][j] = -sign * size
        done.append(own)
    return done


def given(name: str, *shape: int) -> Array:
    """Return an input with that shape."""
    return Array(Shape(shape), tuple(symbol(f"{name}[{i}]") for i in range(int(np.prod(shape)))), name)


def _matrix(source: Array, rows: int, columns: int) -> Rows:
    return [[source.nodes[i * columns + j] for j in range(columns)] for i in range(rows)]


def made(values: list[Scalar], *shape: int) -> Array:
    """Return an output with that shape."""
    return outputs(values, shape, [[str(i) for i in range(n)] for n in shape], "")


@cache
def complement() -> Function:
    """Return ``A, alone -> N, size``: six rows across the eight columns of A, each followed by what it makes of the
    constants, with the opposite sign; and the diagonal of A's triangle.
    """
    source, alone = given("A", EQUATIONS, PRODUCTS), given("alone", EQUATIONS)
    A = _matrix(source, EQUATIONS, PRODUCTS)
    reflections = triangular(A, PRODUCTS)
    N: Rows = [[float(i == j + PRODUCTS) for j in range(LEFT)] for i in range(EQUATIONS)]
    for own, k in product(reversed(reflections), range(LEFT)):
        own.of(N, k)
    rows = list[Scalar]()
    for k in range(LEFT):
        row = [N[i][k] for i in range(EQUATIONS)]
        rows += [*row, -sum((x * y for x, y in zip(row, alone.nodes, strict=True)), start=0.0)]
    results = {"N": made(rows, LEFT, EQUATIONS + 1), "size": made([A[k][k] for k in range(PRODUCTS)], PRODUCTS)}
    return Function(Program("complement", {"A": source, "alone": alone}, results), warn=False)


def _dialytic(S: Array, c: Scalar, s: Scalar) -> Rows:
    """Return the matrix of six equations A + B cos + C sin, and of these times one unknown."""
    M: Rows = [[0.0] * 12 for _ in range(12)]
    for i, j in product(range(LEFT), range(9)):
        a, b, d = S.nodes[27 * i + 3 * j : 27 * i + 3 * j + 3]
        M[i][j] = M[i + LEFT][j + 3] = a + b * c + d * s
    return M


@cache
def determinant() -> Function:
    """Return ``S, x -> det``, zero where the twelve equations have a solution."""
    S, x = given("S", LEFT, 9, 3), given("x", 2)
    M = _dialytic(S, *x.nodes)
    triangular(M, 12)
    found: Scalar = 1.0
    for k in range(12):
        found = found * M[k][k]
    return Function(Program("determinant", {"S": S, "x": x}, {"det": made([found], 1)}), warn=False)


@cache
def kernel() -> Function:
    """Return ``S, angle -> ratios``: the two unknowns, of whose powers the vector that the matrix makes zero has the
    products.
    """
    S, angle = given("S", LEFT, 9, 3), given("angle", 1)
    M = _dialytic(S, cos(angle.nodes[0]), sin(angle.nodes[0]))
    for i, row in enumerate(M):
        row.append(float(np.cos(1.0 + 2.0 * i)))  # any right-hand side
    triangular(M, 12)
    v = _solved(M, 1e-40)  # as large as the matrix is singular, but its square is a number
    ratios = list[Scalar]()
    for low, high in (
        (range(9), range(3, 12)),
        ([k for k in range(12) if k % 3 < 2], [k for k in range(12) if k % 3 > 0]),
    ):
        products = sum((v[i] * v[j] for i, j in zip(low, high, strict=True)), start=0.0)
        ratios.append(products / sum((v[i] * v[i] for i in low), start=TINY))
    return Function(Program("kernel", {"S": S, "angle": angle}, {"ratios": made(ratios, 2)}), warn=False)


def _solved(M: Rows, tiny: float = TINY) -> list[Scalar]:
    """Return the solution of a triangle's equations, the last column of which is the right-hand side."""
    n = len(M[0]) - 1
    x = list[Scalar]([0.0] * n)
    for i in reversed(range(n)):
        left = M[i][n] - sum((M[i][j] * x[j] for j in range(i + 1, n)), start=0.0)
        x[i] = left * (1.0 / (M[i][i] + tiny))
    return x


def least_squares(J: Rows, e: list[Scalar]) -> list[Scalar]:
    """Return the least x with J x = e, or nearest to it; hardly any along directions in which J is singular."""
    columns = len(J[0])
    small = DAMPED * sqrt(sum((x * x for row in J for x in row), start=TINY))
    M = [[*row, x] for row, x in zip(J, e, strict=True)]
    M += [[small if i == j else 0.0 for j in range(columns)] + [0.0] for i in range(columns)]
    triangular(M, columns)
    return _solved(M)
