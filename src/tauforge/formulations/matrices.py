"""Small matrices over any scalar, multiplied in full, as the papers count.

Nothing is skipped because an entry is zero; if scalars are graph nodes, the graph drops such products by itself. Only
the base is left out, as in Hollerbach's figures: ``UNIT`` and ``NULL`` are its transformation and its rates, and are
not multiplied.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..spatial.vector import ZERO, Entry, Vector, cross

Rows = Sequence[Sequence[Entry]]
UNIT: Rows = ((1.0,),)
"""The identity of any size, recognised only as this object."""
NULL: Rows = ((0.0,),)
"""The zero matrix of any size, recognised only as this object."""


def inner(a: Sequence[Entry], b: Sequence[Entry]) -> Entry:
    """Return the sum of products of entries."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def product(a: Rows, b: Rows, *more: Rows) -> Rows:
    """Return a matrix product, from left to right."""
    if more:
        return product(product(a, b), *more)
    if a is NULL or b is NULL:
        return NULL
    if a is UNIT or b is UNIT:
        return b if a is UNIT else a
    columns = list(zip(*b, strict=True))
    return [[inner(row, column) for column in columns] for row in a]


def plus(a: Rows, b: Rows) -> Rows:
    if a is NULL or b is NULL:
        return b if a is NULL else a
    return [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def accumulated(*terms: Rows) -> Rows:
    """Return a sum that starts at zero, to which each term is added, as Hollerbach counts the forward recursions."""
    present = [term for term in terms if term is not NULL]
    if not present:
        return NULL
    total: Rows = [[0.0] * len(row) for row in present[0]]
    for term in present:
        total = plus(total, term)
    return total


def gathered(*terms: Vector) -> Vector:
    """Return a sum of vectors that also starts at zero; ZERO, for the base, is left out."""
    total = ZERO
    for term in terms:
        if term is not ZERO:
            total = total + term
    return total


def crossed(a: Vector, b: Vector) -> Vector:
    """Return the cross product; with ZERO, for a base at rest, it is not computed."""
    return ZERO if a is ZERO or b is ZERO else cross(a, b)


def scaled(a: Rows, x: Entry) -> Rows:
    return a if a is NULL else [[entry * x for entry in row] for row in a]


def transposed(a: Rows) -> Rows:
    return a if a is NULL or a is UNIT else list(zip(*a, strict=True))


def outer(a: Sequence[Entry], b: Sequence[Entry]) -> Rows:
    """Return the matrix of all products a bᵀ."""
    return [[x * y for y in b] for x in a]


def trace(a: Rows) -> Entry:
    if a is NULL:
        return 0.0
    total = a[0][0]
    for k in range(1, len(a)):
        total = total + a[k][k]
    return total


def applied(a: Rows, v: Sequence[Entry]) -> list[Entry]:
    """Return a matrix times a vector."""
    return [inner(row, v) for row in a]
