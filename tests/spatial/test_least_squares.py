"""Equations with a solution: as NumPy solves them, also where coefficients vanish, in parts, and with small errors."""

from itertools import product
from random import Random

import numpy as np
import pytest

from tauforge.graph.evaluate import evaluate
from tauforge.graph.node import as_node, is_zero, symbol
from tauforge.program.array import outputs
from tauforge.program.program import Program
from tauforge.spatial.block_triangular import parts
from tauforge.spatial.least_squares import Equations
from tests.random_robots import seeds


class Singular(Exception):
    """Raised for a divisor that is zero whatever the values."""


def check(divisor):
    if is_zero(divisor):
        raise Singular


def solved(A, b):
    """Return the solution of equations in numbers, as an array."""
    A = np.asarray(A)
    rows = [{k: float(x) for k, x in enumerate(row) if x} for row in A]
    found = Equations(rows, range(A.shape[1]), check).solved({i: float(x) for i, x in enumerate(b) if x})
    return np.array([found.get(k, 0.0) for k in range(A.shape[1])])


def pattern(random, rows, columns, filled):
    return np.array([[random.random() < filled for _ in range(columns)] for _ in range(rows)])


@seeds(quick=100, all=1000)
def test_sparse_equations_agree_with_numpy(seed):
    random, rng = Random(seed), np.random.default_rng(seed)
    columns = random.randint(1, 9)
    rows = columns + random.choice((0, 0, 0, 1, 3))
    A = pattern(random, rows, columns, random.choice((0.3, 0.6, 1.0))) * rng.normal(size=(rows, columns))
    x = rng.normal(size=columns)
    if np.linalg.matrix_rank(A) < columns:
        return
    np.testing.assert_allclose(solved(A, A @ x), x, rtol=0, atol=1e-13 * np.linalg.cond(A) * np.abs(x).max())


@seeds(quick=40, all=400)
def test_parts_follow_one_another(seed):
    """Each unknown is in one part, with its equations; a part has no unknown of a later one."""
    random = Random(seed)
    columns = random.randint(1, 12)
    rows = columns + random.choice((0, 0, 2))
    filled = pattern(random, rows, columns, random.choice((0.15, 0.3, 0.6)))
    filled[np.arange(columns), random.sample(range(columns), columns)] = True
    found = parts([np.flatnonzero(row).tolist() for row in filled], range(columns))
    assert sorted(k for part in found for k in part.unknowns) == list(range(columns))
    known = set()
    for equations, unknowns in found:
        known |= set(unknowns)
        assert len(equations) >= len(unknowns)
        assert all(set(np.flatnonzero(filled[i])) <= known for i in equations)
    used = [i for part in found for i in part.equations]
    assert len(used) == len(set(used))
    assert all(i in used for i in range(rows) if filled[i].any())


def test_equations_that_are_too_few_are_shown():
    assert parts([[0, 1], []], [0, 1]) is None
    with pytest.raises(Singular):
        solved([[1.0, 2.0], [0.0, 0.0]], [1.0, 0.0])


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (4, 4), (5, 5), (4, 2), (5, 4)])
def test_any_coefficients_can_vanish_where_the_solution_is_unique(rows, columns):
    """The expressions are built once; then every coefficient, and many sets of them, are zero."""
    A = [{k: symbol(f"a{i}{k}") for k in range(columns)} for i in range(rows)]
    made = Equations(A, range(columns), check).solved({i: symbol(f"b{i}") for i in range(rows)})
    nodes = [made[k] for k in range(columns)]
    rng = np.random.default_rng(rows)
    masks = [np.ones((rows, columns))]
    for i, k in product(range(rows), range(columns)):
        masks.append(np.ones((rows, columns)))
        masks[-1][i, k] = 0.0
    masks += [rng.random((rows, columns)) < 0.5 for _ in range(100)]
    masks += [np.eye(rows)[rng.permutation(rows)][:, :columns] for _ in range(10)]
    tried = 0
    for mask in masks:
        values = rng.normal(size=(rows, columns)) * mask
        if np.linalg.matrix_rank(values) < columns:
            continue
        tried += 1
        x = rng.normal(size=columns)
        b = values @ x
        given = {f"a{i}{k}": values[i, k] for i in range(rows) for k in range(columns)}
        found = evaluate(nodes, given | {f"b{i}": b[i] for i in range(rows)})
        np.testing.assert_allclose(found, x, rtol=0, atol=1e-13 * np.linalg.cond(values) * np.abs(x).max())
    assert tried > 20


@seeds(quick=60, all=600)
def test_constants_are_eliminated_whatever_the_others_are(seed):
    """Some coefficients are constants; the others vanish now and then."""
    random, rng = Random(seed), np.random.default_rng(seed)
    columns = random.randint(2, 6)
    rows = columns + random.choice((0, 0, 1))
    values = pattern(random, rows, columns, 0.7) * rng.normal(size=(rows, columns))
    constant = pattern(random, rows, columns, 0.25) & (values != 0)
    values[constant] = np.sign(values[constant])
    zero = pattern(random, rows, columns, 0.2) & ~constant
    A = [
        {k: as_node(values[i, k]) if constant[i, k] else symbol(f"a{i}{k}") for k in np.flatnonzero(values[i])}
        for i in range(rows)
    ]
    values = np.where(zero, 0.0, values)
    if np.linalg.matrix_rank(values) < columns:
        return
    made = Equations(A, range(columns), check).solved({i: symbol(f"b{i}") for i in range(rows)})
    x = rng.normal(size=columns)
    given = {f"a{i}{k}": values[i, k] for i in range(rows) for k in range(columns)}
    given |= {f"b{i}": y for i, y in enumerate(values @ x)}
    found = evaluate([made.get(k, as_node(0.0)) for k in range(columns)], given)
    np.testing.assert_allclose(found, x, rtol=0, atol=1e-12 * np.linalg.cond(values) * np.abs(x).max())


@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6, 1e8])
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (4, 4), (7, 6), (12, 12)])
def test_errors_grow_with_the_condition_number_not_with_its_square(rows, columns, condition):
    rng = np.random.default_rng(0)
    worst = 0.0
    for turn in range(20):
        U, V = (np.linalg.qr(rng.normal(size=(n, columns)))[0] for n in (rows, columns))
        sizes = np.full(columns, 1.0 / condition)
        sizes[: 1 + turn % columns] = 1.0
        sizes[-1] = 1.0 / condition
        A = U * sizes @ V.T
        b = A @ rng.normal(size=columns)
        exact = np.linalg.lstsq(A, b, rcond=None)[0]
        worst = max(worst, np.abs(solved(A, b) - exact).max() / np.abs(exact).max())
    assert worst < 1e2 * np.finfo(float).eps * condition


def chain(count):
    """Return equations in which two unknowns of each part depend on those of the one before."""
    A = []
    for k in range(count):
        for row in range(2):
            own = {2 * k + i: symbol(f"a{k}{row}{i}") for i in range(2)}
            A.append(own | ({2 * k - 1: symbol(f"c{k}{row}")} if k else {}))
    return A


def test_a_chain_costs_as_much_as_its_parts():
    counts = []
    for count in (10, 20, 40):
        found = Equations(chain(count), range(2 * count), check).solved({0: symbol("b")})
        nodes = [found[k] for k in range(2 * count)]
        counts.append(Program("p", {}, {"x": outputs(nodes, [2 * count], [], "")}).count().total)
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])


def test_what_is_divided_by_is_shown_only_if_it_is_needed():
    A = [{0: as_node(0.0), 1: symbol("a")}, {1: symbol("b")}]
    equations = Equations(A, [0, 1], check)
    assert equations.solved({}) == {}
    with pytest.raises(Singular):
        equations.solved({0: symbol("c")})
