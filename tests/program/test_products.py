"""Products with derivatives, Hessians and sparsity, against derivatives and against one another."""

import numpy as np
import pytest

import tauforge as tf

from ..random_robots import random_robot, random_state, trees


def values_of(program, given):
    """Return the outputs of a Program from named arrays."""
    made = program.compile()(*(given[name] for name in program.inputs))
    return dict(zip(program.outputs, made if len(program.outputs) > 1 else (made,), strict=True))


def state_of(robot, rng, **more):
    q = random_state(robot, int(rng.integers(1000)))[0]
    return {"q": q, **{key: rng.normal(size=robot.dof) for key in ("qd", "qdd")}, **more}


@trees(quick=3, all=200, largest=5, rotors=True, several=True, floating=True)
def test_products_are_those_with_the_whole_derivatives(robot):
    program, rng = tf.inverse_dynamics(robot), np.random.default_rng(1)
    v, w, other = rng.normal(size=(3, robot.dof))
    given = state_of(robot, rng, q_direction=v, qd_direction=other, tau_weights=w)
    slopes = values_of(program.derivative("tau", ["q", "qd"]), given)
    change = values_of(program.jvp("tau", ["q", "qd"]), given)["tau_change"]
    np.testing.assert_allclose(change, slopes["dtau_dq"] @ v + slopes["dtau_dqd"] @ other, rtol=1e-9, atol=1e-9)
    gradient = values_of(program.vjp("tau", ["q", "qd"]), given)
    np.testing.assert_allclose(gradient["q_gradient"], w @ slopes["dtau_dq"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(gradient["qd_gradient"], w @ slopes["dtau_dqd"], rtol=1e-9, atol=1e-9)


def test_products_cost_a_few_times_the_output_whatever_the_number_of_joints():
    for n in (4, 12):
        program = tf.inverse_dynamics(random_robot(3, smallest=n, largest=n))
        for product in (program.jvp("tau", "q"), program.vjp("tau", "q")):
            assert product.count().total < 4 * program.count().total


def test_a_hessian_is_the_derivative_of_the_gradient_and_computed_once():
    robot = tf.robots.puma560()
    program = tf.energy(robot)
    found = program.hessian("kinetic", ["q", "qd"])
    assert found.outputs.keys() == {
        "ddkinetic_dq_dq", "ddkinetic_dq_dqd", "ddkinetic_dqd_dq", "ddkinetic_dqd_dqd"
    }  # fmt: skip
    rng = np.random.default_rng(2)
    q, qd = rng.normal(size=(2, 6))
    blocks = values_of(found, {"q": q, "qd": qd})
    np.testing.assert_allclose(blocks["ddkinetic_dqd_dqd"], tf.inertia_matrix(robot).compile()(q), atol=1e-12)
    np.testing.assert_array_equal(blocks["ddkinetic_dq_dq"], blocks["ddkinetic_dq_dq"].T)
    np.testing.assert_array_equal(blocks["ddkinetic_dq_dqd"], blocks["ddkinetic_dqd_dq"].T)
    for name, block in blocks.items():
        first, second = name.removeprefix("ddkinetic_d").split("_d")
        twice = program.derivative("kinetic", first).derivative(f"dkinetic_d{first}", second)
        np.testing.assert_allclose(block, twice.compile()(q, qd), atol=1e-10)


def test_sparsity_is_where_derivatives_differ_from_zero():
    robot = random_robot(8, smallest=6, largest=6)
    program = tf.inverse_dynamics(robot)
    found = program.sparsity("tau", "qdd")
    assert found.dtype == bool
    slopes = values_of(program.derivative("tau", "qdd"), state_of(robot, np.random.default_rng(0)))["dtau_dqdd"]
    np.testing.assert_array_equal(found, slopes != 0.0)
    assert not found.all()


def test_what_is_made_of_products_keeps_its_recipe():
    program = tf.inverse_dynamics(tf.robots.rrp(symbolic=True)).vjp("tau", "q")
    assert program.certify(program.recipe.program())
    again = program.derivative("q_gradient", "tau_weights")
    assert again.outputs["dq_gradient_dtau_weights"] == (3, 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda p: p.jvp("torque", "q"), "no output 'torque'"),
        (lambda p: p.vjp("tau", "x"), "no input or parameter 'x'"),
        (lambda p: p.jvp("tau", []), "at least one input"),
        (lambda p: p.jvp("tau", ["q", "q"]), "twice"),
        (lambda p: p.hessian("tau", "q"), "single number"),
        (lambda p: p.hessian(None, "q"), "no output None"),
    ],
)
def test_wrong_names_are_refused(wrong, message):
    with pytest.raises(tf.ProgramError, match=message):
        wrong(tf.inverse_dynamics(tf.robots.planar2r()))


def test_hessians_on_quaternions_are_refused():
    robot = tf.robots.planar2r().with_base("floating")
    with pytest.raises(tf.ProgramError, match="quaternion"):
        tf.energy(robot).hessian("potential", "q")
