"""What must not change over a hundred seconds: energy, momentum, and loops that are closed."""

import numpy as np
import pytest

import tauforge as tf

T = np.linspace(0.0, 100.0, 401)
TIGHT = {"rtol": 1e-10, "atol": 1e-10}
GRAVITY = (0.0, 0.0, -9.81)


def double_pendulum():
    joints = [
        tf.Joint(name=f"joint{j}", antecedent=j - 1, alpha=np.pi / 2 if j == 1 else 0.0, d=float(j > 1)) for j in (1, 2)
    ]
    body = tf.Inertia(M=1.0, MX=0.5, YY=0.3, ZZ=0.33, XX=0.01)
    bodies = [tf.Body(name=f"link{j}", inertia=body) for j in (1, 2)]
    return tf.Robot(name="pendulum", joints=tuple(joints), bodies=tuple(bodies), gravity=GRAVITY)


def satellite(gravity):
    """Return a free body with three arms, one of them branching, of revolute, spherical and prismatic joints."""

    def link(mass):
        return tf.Inertia(M=mass, MX=0.1 * mass, MZ=0.05 * mass, XX=0.04 * mass, YY=0.05 * mass, ZZ=0.03 * mass)

    joints = (
        tf.Joint(name="left", antecedent=0, r=0.3, eta=1, k=4.0),
        tf.Joint(name="right", antecedent=0, alpha=np.pi / 2, d=0.3, eta=1, k=3.0),
        tf.Joint(name="elbow", antecedent=2, d=0.4, eta=1, k=3.0),
        tf.Joint(name="ball", antecedent=2, sigma=3, d=0.2),
        tf.Joint(name="slider", antecedent=1, sigma=1, alpha=0.7, eta=1, k=20.0),
    )
    bodies = tuple(tf.Body(name=f"link{j}", inertia=link(0.4 + 0.1 * j)) for j in range(1, 6))
    robot = tf.Robot(name="satellite", joints=joints, bodies=bodies, gravity=gravity)
    hub = tf.Body(name="hub", inertia=tf.Inertia(M=3.0, XX=0.3, YY=0.4, ZZ=0.5))
    return robot.with_base("floating", body=hub)


def drift(found):
    return np.ptp(found.total) / found.kinetic.max()


@pytest.mark.parametrize("method", ["DOP8", "Tsit5", "Rodas5P", pytest.param("DOP853", marks=pytest.mark.slow)])
def test_energy_of_a_double_pendulum(method):
    found = tf.simulate(double_pendulum(), T, q0=[0.5, 1.0], method=method, **TIGHT)
    assert found.kinetic.max() > 1.0
    assert drift(found) < 1e-7


def start(robot):
    rng = np.random.default_rng(5)
    q0 = np.zeros(len(robot.coordinate_names))
    q0[3:7] = [0.1, -0.3, 0.2, 0.9]
    q0[10:14] = [0.2, 0.1, -0.4, 0.8]
    return {"q0": q0, "qd0": rng.uniform(-0.5, 0.5, robot.dof)}


@pytest.mark.parametrize("method", ["DOP8", pytest.param("Tsit5", marks=pytest.mark.slow)])
def test_energy_and_momentum_of_a_floating_robot(method):
    falling = satellite((0.0, 0.0, -0.05))
    found = tf.simulate(falling, T, method=method, **start(falling), **TIGHT)
    assert drift(found) < 1e-7
    robot = satellite((0.0, 0.0, 0.0))
    found = tf.simulate(robot, T, method=method, **start(robot), **TIGHT)
    assert drift(found) < 1e-7
    assert np.abs(found.qd[-1] - found.qd[0]).max() > 0.1
    momentum = _in_the_world(robot, found)
    assert np.abs(momentum - momentum[0]).max() < 1e-8 * np.abs(momentum[0]).max()


def _in_the_world(robot, found):
    """Return linear momentum and the angular momentum about the centre of mass, in fixed axes."""
    return np.asarray(tf.centroidal_momentum(robot).compile()(found.q, found.qd))


@pytest.mark.parametrize("method", ["DOP8", "Rodas5P"])
@pytest.mark.parametrize(
    ("name", "q0", "end"),
    [
        ("fourbar", [1.0], 100.0),
        ("slider_crank", None, 100.0),
        pytest.param("delta", None, 0.3, marks=pytest.mark.slow),
    ],
)
def test_loops_stay_closed(name, q0, end, method):
    if method == "Rodas5P":
        end = min(end, 10.0)
    found = tf.simulate(getattr(tf.robots, name)(), np.linspace(0.0, end, 101), q0=q0, method=method, **TIGHT)
    assert found.residual.max() < 1e-8
    assert found.residual_rate.max() < 1e-8
    assert drift(found) < 1e-7
