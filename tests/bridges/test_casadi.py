"""CasADi: the numbers of compile(), as expressions and as C code, and derivatives that both agree on."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.bridges import casadi_library

from .models import programs, small, states

ca = pytest.importorskip("casadi", reason="casadi is not installed")
compiler = pytest.mark.skipif(not shutil.which("cc"), reason="cc, a C compiler, is not installed")


def called(function, given):
    made = function(*(x if x.ndim < 3 else x.reshape(-1) for x in map(np.asarray, given)))
    return [x.full() for x in (made if isinstance(made, tuple) else (made,))]


def check(program, function):
    for row in zip(*states(program, 2), strict=True):
        expected = program.compile()(*row)
        for found, b in zip(
            called(function, row), expected if isinstance(expected, tuple) else (expected,), strict=True
        ):
            rows = np.asarray(b) if np.ndim(b) == 2 else np.reshape(b, (-1, 1))
            np.testing.assert_allclose(found, rows, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(rows).max()))


@pytest.mark.parametrize("name", small())
def test_numbers_of_expressions(name):
    program = small()[name]
    made = program.to_casadi()
    assert made.name_in() == [*program.inputs]
    assert made.name_out() == [*program.outputs]
    check(program, made)


@compiler
@pytest.mark.parametrize("name", small())
def test_c_code_and_its_derivatives(name):
    """Jacobians, products with them and Hessians, by the names under which CasADi looks for them."""
    _check_derivatives(small()[name])


@compiler
def test_c_code_in_many_parts(monkeypatch):
    """Long functions are cut; here even short ones."""
    monkeypatch.setattr(casadi_library, "_LONGEST", 10)
    program = small()["torques"]
    assert "part1(" in casadi_library.library(program, 0)
    _check_derivatives(program)


def _check_derivatives(program):
    plain, compiled = program.to_casadi(), program.to_casadi(compiled=True)
    check(program, compiled)
    for output in program.outputs:
        row = [x[0] for x in states(program, 1)]
        found, expected = (called(_derivatives(f, output), row) for f in (compiled, plain))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


def _derivatives(function, output):
    given = [ca.MX.sym(name, function.sparsity_in(name)) for name in function.name_in()]
    value = ca.vec(function.call(given)[function.index_out(output)])
    first = given[0]
    weights, direction = ca.DM(np.linspace(1, 2, value.numel())), ca.DM(np.linspace(-1, 1, first.numel()))
    hessian, gradient = ca.hessian(ca.dot(weights, value), first)
    along = ca.jtimes(value, first, direction), ca.jtimes(value, first, weights, True)
    return ca.Function("all", given, [ca.jacobian(value, x) for x in given] + [hessian, gradient, *along])


@compiler
def test_how_many_derivatives():
    program = small()["torques"]
    with pytest.raises(tf.ProgramError, match="order 0, 1 or 2"):
        program.to_casadi(compiled=True, derivatives=3)
    x = [ca.MX.sym(name, 2) for name in program.inputs]
    row = [y[0] for y in states(program, 1)]
    values = [program.to_casadi(compiled=True, derivatives=k)(*x) for k in (1, 2)]
    found, expected = (ca.Function("J", x, [ca.jacobian(value, x[0])])(*row).full() for value in values)
    np.testing.assert_array_equal(found, expected)


@compiler
@pytest.mark.parametrize("compiled", [False, True])
def test_any_name_of_a_robot(compiled):
    program = tf.gravity(replace(tf.robots.planar2r(), name="2. Röbot ☃ __a"))
    check(program, program.to_casadi(compiled=compiled, **{"derivatives": 0} if compiled else {}))


def test_no_compiler(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(tf.ProgramError, match="needs a C compiler: install gcc or clang"):
        small()["torques"].to_casadi(compiled=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", tf.robots.names())
def test_every_bundled_robot(name):
    for program in programs(tf.robots.bundled(name)).values():
        check(program, program.to_casadi())
        check(program, program.to_casadi(compiled=True, derivatives=0))
