"""JAX: the numbers of compile(), under jit and vmap, and derivatives of every order equal to JAX's own."""

import numpy as np
import pytest

import tauforge as tf

from .models import programs, small, states

jax = pytest.importorskip("jax", reason="jax is not installed")
jax.config.update("jax_platforms", "cpu")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def _double():
    with jax.enable_x64(True):
        yield


def flat(made):
    return [np.asarray(x) for x in (made if isinstance(made, tuple) else (made,))]


def check(program, count=5, plain=False):
    given = states(program, count)
    expected = flat(program.compile()(*given))
    function = program.to_jax(plain=plain)
    for found in (function(*given), jax.jit(function)(*given), jax.jit(jax.vmap(function))(*given)):
        for a, b in zip(flat(found), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", ["wrenches", *(pytest.param(x, marks=pytest.mark.slow) for x in small())])
def test_numbers(name, plain):
    check(small()[name], plain=plain)


@pytest.mark.parametrize("name", ["torques", *(pytest.param(x, marks=pytest.mark.slow) for x in small())])
def test_derivatives_of_both_modes_equal_those_of_jax(name):
    program = small()[name]
    given = [x[0] for x in states(program, 1)]
    ours, theirs = program.to_jax(), program.to_jax(plain=True)
    places = tuple(range(len(given)))
    for mode in (jax.jacfwd, jax.jacrev):
        for a, b in zip(
            jax.tree.leaves(jax.jit(mode(ours, places))(*given)),
            jax.tree.leaves(jax.jit(mode(theirs, places))(*given)),
            strict=True,
        ):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_hessians_and_gradients_of_batches():
    program = small()["torques"]
    ours, theirs = program.to_jax(), program.to_jax(plain=True)
    q, qd, qdd = states(program, 4)
    for function in (jax.hessian, jax.grad):
        made = [
            jax.jit(jax.vmap(function(lambda q, qd, qdd, f=f: jnp.sum(f(q, qd, qdd) ** 3))))(q, qd, qdd)
            for f in (ours, theirs)
        ]
        np.testing.assert_allclose(*made, rtol=1e-9, atol=1e-9)


def test_arrays_are_broadcast_and_named_and_can_be_single():
    program = small()["torques"]
    function = program.to_jax()
    q, qd, qdd = states(program, 4)
    np.testing.assert_allclose(function(q, qd=qd[0], qdd=qdd[0]), program.compile()(q, qd[0], qdd[0]), rtol=1e-12)
    single = function(*(jnp.asarray(x, jnp.float32) for x in (q, qd, qdd)))
    assert single.dtype == jnp.float32
    np.testing.assert_allclose(single, program.compile()(q, qd, qdd), rtol=1e-4)
    assert tf.energy(tf.robots.planar2r()).to_jax()(q, qd)._fields == ("kinetic", "potential")
    with pytest.raises(TypeError, match="takes the arguments q, qd, qdd, each once"):
        function(q, qd)


@pytest.mark.parametrize("wrong", [0.1, [0.1], [0.1, 0.2, 0.3], [[0.1], [0.2]]])
def test_arguments_of_another_shape_are_refused(wrong):
    function = tf.inverse_dynamics(tf.robots.planar2r()).to_jax()
    with pytest.raises(tf.ProgramError, match=r"q has the shape .*; it must end in \(2,\)"):
        function(wrong, [0.1, 0.2], [0.1, 0.2])
    with pytest.raises(tf.ProgramError, match=r"do not go together: q \(3,\), qd \(4,\), qdd \(\)"):
        function(np.zeros((3, 2)), np.zeros((4, 2)), np.zeros(2))


@pytest.mark.slow
def test_a_quaternion_is_differentiated_by_its_entries():
    program = tf.inverse_dynamics(tf.robots.planar2r().with_base("floating"))
    given = [x[0] for x in states(program, 1)]
    found, expected = (jax.jit(jax.jacfwd(program.to_jax(plain=plain)))(*given) for plain in (False, True))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", tf.robots.names())
def test_every_bundled_robot(name):
    for program in programs(tf.robots.bundled(name)).values():
        check(program)
