"""Base parameters where the geometry holds degrees, roots and inverse functions, against a numerical rank."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.spatial.inertia import NAMES

from ..interpret import interpret

GEOMETRIES = {
    "degrees": {"alpha": ["0", "A2*pi/180", "pi/2"], "d": ["0", "0.3", "0"]},
    "twice the degrees": {"alpha": ["0", "2*A2*pi/180", "A3*pi/180"], "d": ["0", "L", "0"]},
    "an angle from lengths": {"alpha": ["0", "atan2(h, w)", "pi/2"], "d": ["0", "sqrt(h*h + w*w)", "0"]},
    "arcs": {"alpha": ["asin(s)", "acos(s)", "atan(s)"], "d": ["0", "sqrt(L)", "sqrt(s)"]},
    "rational multiples": {"alpha": ["0", "x/3", "2*x/3"], "d": ["0", "L", "L"]},
}
VALUES = {"A2": 37.0, "A3": -20.0, "L": 0.7, "h": 0.3, "w": 0.4, "s": 0.6, "x": 0.9}


def arm(geometry):
    joints = tuple(
        tf.Joint(name=f"joint{j + 1}", antecedent=j, alpha=a, d=d)
        for j, (a, d) in enumerate(zip(geometry["alpha"], geometry["d"], strict=True))
    )
    bodies = tuple(tf.Body(name=f"link{j}", inertia=tf.Inertia(*(f"{n}{j}" for n in NAMES))) for j in (1, 2, 3))
    return tf.Robot(name="arm", joints=joints, bodies=bodies)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_count_is_the_numerical_rank(name):
    robot = arm(GEOMETRIES[name])
    base = tf.base_parameters(robot)
    bound = robot.bind({symbol: VALUES[symbol] for symbol in robot.symbols if symbol in VALUES})
    program = tf.regressor(bound)
    states = np.random.default_rng(0).uniform(-2, 2, (30, 3, 3))
    singular = np.linalg.svd(np.vstack([interpret(program, *state) for state in states]), compute_uv=False)
    assert base.count == (singular > 1e-9 * singular[0]).sum()
    standard = tf.inverse_dynamics(robot)
    standard.certify(base.in_standard(tf.inverse_dynamics(base.robot)))


def test_other_angles_are_seen_to_be_other():
    one, two, none = (
        tf.inverse_dynamics(arm({"alpha": ["0", a, "pi/2"], "d": ["0", "L", "0"]}))
        for a in ("pi*x/180", "pi*x/90", "0")
    )
    for other in (two, none):
        with pytest.raises(tf.CertificationError):
            one.certify(other)


def test_many_roots():
    joints = tuple(tf.Joint(name=f"j{k}", antecedent=k, alpha="pi/2", d=f"sqrt(x{k}**2 + y{k}**2)") for k in range(8))
    robot = tf.Robot(
        name="r", joints=joints, bodies=tuple(tf.Body(name=f"l{k}", inertia=tf.Inertia(M=1.0)) for k in range(8))
    )
    assert tf.inverse_dynamics(robot).certify(tf.inverse_dynamics(robot))


def test_binding_base_parameters_gives_numbers():
    robot = tf.robots.rrp(symbolic=True)
    base = tf.base_parameters(robot)
    numbers = {name: 0.1 * k + 0.05 for k, name in enumerate(robot.symbols)}
    assert not base.bind(numbers).symbols
    numeric = tf.base_parameters(tf.robots.puma560())
    assert numeric.bind() == numeric.robot
