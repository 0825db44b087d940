"""PyTorch: the numbers of compile(), and gradients that PyTorch's own checks accept."""

import numpy as np
import pytest

import tauforge as tf

from .models import programs, small, states

torch = pytest.importorskip("torch", reason="torch is not installed")


def flat(made):
    return [np.asarray(x) for x in (made if isinstance(made, tuple) else (made,))]


def check(program, count=5):
    given = states(program, count)
    expected = flat(program.compile()(*given))
    function = program.to_torch()
    for found in (function(*given), torch.vmap(function)(*map(torch.tensor, given))):
        for a, b in zip(flat(found), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("name", small())
def test_numbers(name):
    check(small()[name])


@pytest.mark.parametrize("name", ["torques", "energy", *(pytest.param(x, marks=pytest.mark.slow) for x in small())])
def test_gradients(name):
    program = small()[name]
    given = [torch.tensor(x, requires_grad=True) for x in states(program, 2)]
    assert torch.autograd.gradcheck(program.to_torch(), given)


@pytest.mark.slow
def test_gradients_of_gradients():
    program = small()["torques"]
    given = [torch.tensor(x, requires_grad=True) for x in states(program, 2)]
    assert torch.autograd.gradgradcheck(program.to_torch(), given)


@pytest.mark.filterwarnings("ignore:.torch.jit.script.:FutureWarning")
def test_jacobians_of_both_modes():
    program = small()["torques"]
    given = [torch.tensor(x[0]) for x in states(program, 1)]
    expected = program.derivative("tau", "q").compile()(*(x.numpy() for x in given))
    for mode in (torch.func.jacrev, torch.func.jacfwd):
        np.testing.assert_allclose(mode(program.to_torch())(*given), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("wrong", [0.1, [0.1], [0.1, 0.2, 0.3], [[0.1], [0.2]]])
def test_arguments_of_another_shape_are_refused(wrong):
    function = tf.inverse_dynamics(tf.robots.planar2r()).to_torch()
    with pytest.raises(tf.ProgramError, match=r"q has the shape .*; it must end in \(2,\)"):
        function(wrong, [0.1, 0.2], [0.1, 0.2])
    with pytest.raises(tf.ProgramError, match=r"do not go together: q \(3,\), qd \(4,\), qdd \(\)"):
        function(np.zeros((3, 2)), np.zeros((4, 2)), np.zeros(2))


@pytest.mark.slow
def test_a_quaternion_is_differentiated_by_its_entries():
    program = tf.inverse_dynamics(tf.robots.planar2r().with_base("floating"))
    given = [torch.tensor(x, requires_grad=True) for x in states(program, 2)]
    assert torch.autograd.gradcheck(program.to_torch(), given)


def test_single_precision_and_names():
    program = small()["torques"]
    q, qd, qdd = (torch.tensor(x, dtype=torch.float32) for x in states(program, 3))
    function = program.to_torch()
    assert function(q, qd=qd, qdd=qdd[0]).dtype == torch.float32
    assert function(q.double(), qd, qdd).dtype == torch.float64
    with pytest.raises(TypeError, match="takes the arguments q, qd, qdd, each once"):
        function(q)
    with pytest.raises(tf.ProgramError, match="a tensor is complex"):
        function(q.to(torch.complex64), qd, qdd)


@pytest.mark.slow
@pytest.mark.parametrize("name", tf.robots.names())
def test_every_bundled_robot(name):
    for program in programs(tf.robots.bundled(name)).values():
        check(program)
