"""Impedance, spring drives, anti-windup and delay: their laws, their code in C, and what they do in a simulation."""

import ctypes
import subprocess

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tauforge as tf

ARM = tf.robots.puma560()
FRAME = ARM.bodies[-1].name
RNG = np.random.default_rng(5)
K, D = np.array([400.0, 500.0, 600.0, 30.0, 40.0, 50.0]), np.array([40.0, 50.0, 60.0, 3.0, 4.0, 5.0])


WHERE = tf.transforms(ARM, frames=FRAME).compile()


def pose(q):
    return WHERE(q)[0]


def moved(T, shift, turn):
    found = T.copy()
    found[:3, 3] += shift
    found[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ T[:3, :3]
    return found


def test_the_law_of_impedance():
    q, qd = RNG.normal(size=6), RNG.normal(size=6)
    shift, turn, V = RNG.normal(size=3), np.array([0.9, -0.4, 1.1]), RNG.normal(size=6)
    control = tf.impedance_control(
        ARM, K, D, lambda t: (moved(pose(q), shift, turn), V), frame=FRAME, joint_damping=0.7
    )
    J = tf.jacobian(ARM, frame=FRAME).compile()(q)
    wrench = K * np.concatenate([shift, turn]) + D * (V - J @ qd)
    expected = tf.gravity(ARM).compile()(q) + J.T @ wrench - 0.7 * qd
    np.testing.assert_allclose(control(0.0, q, qd), expected, rtol=1e-10, atol=1e-9)
    matrix = tf.impedance_control(ARM, np.diag(K), np.diag(D), lambda t: (moved(pose(q), shift, turn), V), frame=FRAME)
    np.testing.assert_allclose(matrix(0.0, q, qd), expected + 0.7 * qd, rtol=1e-10, atol=1e-9)


def test_at_rest_the_frame_pushes_with_stiffness_times_distance():
    """A force on the hand moves it by K⁻¹ f, as a spring would."""
    q0 = np.array([0.3, -0.6, 0.5, 0.2, 0.8, -0.1])
    T = pose(q0)
    control = tf.impedance_control(ARM, K, 3.0 * D, T, frame=FRAME, joint_damping=1.0)
    force = np.array([5.0, -8.0, 6.0])
    place = [body.name for body in ARM.bodies].index(FRAME)

    def exerted(t, q, qd):
        found = np.zeros((len(ARM.bodies), 6))
        found[place, :3] = -pose(q)[:3, :3].T @ force  # what the hand exerts on its surroundings
        return found

    found = tf.simulate(ARM, [0.0, 5.0], controller=control, q0=q0, wrenches=exerted, method="BDF", rtol=1e-6)
    end = pose(found.q[-1])
    np.testing.assert_allclose(end[:3, 3] - T[:3, 3], force / K[:3], atol=1e-4)
    np.testing.assert_allclose(end[:3, :3], T[:3, :3], atol=1e-4)


def test_the_frame_follows_a_motion_of_the_joints():
    swing = tf.motion([[0.1, -0.5, 0.4, 0.2, 0.8, -0.1], [0.5, -0.8, 0.6, 0.1, 0.9, 0.2]], 1.5, kind="quintic")
    control = tf.impedance_control(ARM, 20.0 * K, 10.0 * D, swing, frame=FRAME)
    found = tf.simulate(ARM, [0.0, 1.5, 2.5], controller=control, q0=swing(0.0).q, method="BDF", rtol=1e-6)
    np.testing.assert_allclose(pose(found.q[-1]), pose(swing.sample(1.5).q[-1]), atol=2e-3)


def test_position_alone():
    robot = tf.robots.planar2r()
    frame = robot.bodies[-1].name
    q = np.array([0.3, 0.9])
    T = tf.transforms(robot, frames=frame).compile()(q)[0]
    goal = T.copy()
    goal[0, 3] += 0.1
    control = tf.impedance_control(robot, [50.0] * 3, [5.0] * 3, goal, frame=frame)
    J = tf.jacobian(robot, frame=frame).compile()(q)[:3]
    expected = tf.gravity(robot).compile()(q) + J.T @ [5.0, 0.0, 0.0]
    np.testing.assert_allclose(control(0.0, q, np.zeros(2)), expected)


def test_closed_loops():
    robot = tf.robots.fivebar()
    frame = robot.bodies[1].name
    q = tf.close_loops(robot)
    T = tf.transforms(robot, frames=frame).compile()(q)[0]
    control = tf.impedance_control(robot, K, D, moved(T, [0.02, 0.01, 0.0], [0.0, 0.0, 0.0]), frame=frame)
    J = tf.jacobian(robot, frame=frame).compile()(q)
    expected = tf.gravity(robot).compile()(q) + J.T @ (K * [0.02, 0.01, 0.0, 0.0, 0.0, 0.0])
    driven = np.abs(control(0.0, q, np.zeros(robot.dof))) > 0.0
    np.testing.assert_allclose(control(0.0, q, np.zeros(robot.dof))[driven], expected[driven])


def test_a_spring_drive_is_grigorovs():
    """(14) with a restoring sign; the arm swings about its free position, and comes to rest where gravity is held."""
    robot = tf.robots.planar2r()
    k, d, free = np.array([400.0, 300.0]), np.array([15.0, 10.0]), np.array([0.4, -0.3])
    drive = tf.spring_drive(robot, k, d, free)
    q, qd = RNG.normal(size=2), RNG.normal(size=2)
    np.testing.assert_allclose(drive(0.0, q, qd), -k * (q - free) - d * qd)
    found = tf.simulate(robot, [0.0, 20.0], controller=drive, q0=free, qd0=[1.0, -0.5], rtol=1e-8)
    np.testing.assert_allclose(k * (free - found.q[-1]), tf.gravity(robot).compile()(found.q[-1]), atol=1e-6)
    capped = tf.spring_drive(robot, k, d, free, saturation=2.0)
    assert np.abs(capped(0.0, q, qd)).max() <= 2.0


@pytest.mark.parametrize("rate", [None, 40.0])
def test_anti_windup(rate):
    """Far away, the torque is saturated for long; without anti-windup the joint overshoots, with it hardly."""
    robot = free_joint()
    runs = {}
    for windup in (None, 0.1):
        control = tf.pid_control(robot, 30.0, 20.0, 8.0, [3.0], saturation=1.0, anti_windup=windup)
        runs[windup] = tf.simulate(robot, np.linspace(0.0, 25.0, 251), controller=control, rate=rate, rtol=1e-6).q[:, 0]
    assert runs[None].max() > 3.8
    assert runs[0.1].max() < 3.3
    assert runs[0.1][-1] == pytest.approx(3.0, abs=1e-3)


def test_anti_windup_takes_away_what_is_cut_off():
    control = tf.pid_control(free_joint(), 30.0, 20.0, 8.0, [3.0], saturation=1.0, anti_windup=0.5)
    found = control.outputs(0.0, [1.0], [0.5], [0.25])
    u = 30.0 * 2.0 - 8.0 * 0.5 + 20.0 * 0.25
    assert found["tau"] == pytest.approx(1.0)
    assert found["integral_rate"] == pytest.approx(2.0 + (1.0 - u) / (20.0 * 0.5))
    inside = tf.pid_control(free_joint(), 30.0, 20.0, 8.0, [3.0], saturation=1e3, anti_windup=0.5)
    assert inside.outputs(0.0, [1.0], [0.5], [0.25])["integral_rate"] == pytest.approx(2.0)


def free_joint():
    inertia = tf.Inertia(0, 0, 0, 0, 0, 1.0, 0, 0, 0, 1.0)
    return tf.Robot(
        name="wheel",
        joints=(tf.Joint(name="axle", antecedent=0),),
        bodies=(tf.Body(name="disc", inertia=inertia),),
        gravity=(0.0, 0.0, 0.0),
    )


def test_delay_is_a_number_of_samples():
    """The torques are those of the state some samples before; by hand, step after step, the same."""
    robot, rate, kp, kd = free_joint(), 50.0, 100.0, 4.0
    control = tf.pd_control(robot, kp, kd, [1.0])
    t = np.arange(31) / rate
    found = tf.simulate(robot, t, controller=control, rate=rate, delay=2)
    x, v, torques, states = 0.0, 0.0, [], []
    for _ in t:
        states.append((x, v))
        torques.append(kp * (1.0 - x) - kd * v)
        u = torques[max(len(torques) - 3, 0)]
        x, v = x + v / rate + 0.5 * u / rate**2, v + u / rate
    np.testing.assert_allclose(np.column_stack([found.q, found.qd]), states, atol=1e-9)
    np.testing.assert_allclose(found.tau[5], torques[3])
    sharp = tf.simulate(robot, t, controller=control, rate=rate)
    assert np.abs(sharp.q - found.q).max() > 0.05
    function = tf.simulate(robot, t, controller=lambda t, q, qd: kp * (1.0 - q) - kd * qd, rate=rate, delay=2)
    np.testing.assert_allclose(function.q, found.q, atol=1e-12)


@pytest.mark.parametrize("delay", [-1, 1.5, True])
def test_bad_delay(delay):
    with pytest.raises(tf.ProgramError, match="number of samples"):
        tf.simulate(free_joint(), 1.0, controller=lambda t, q, qd: -q, rate=10.0, delay=delay)


def test_delay_needs_a_rate():
    with pytest.raises(tf.ProgramError, match="needs a rate"):
        tf.simulate(free_joint(), 1.0, controller=lambda t, q, qd: -q, delay=1)


def controllers():
    ref = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6]
    return {
        "impedance": tf.impedance_control(ARM, K, D, pose(np.array(ref)), frame=FRAME, joint_damping=0.5),
        "spring": tf.spring_drive(ARM, 50.0, 5.0, ref),
        "pid": tf.pid_control(ARM, 30.0, 20.0, 8.0, ref, saturation=10.0, anti_windup=0.2),
        "computed": tf.computed_torque(ARM, 25.0, 10.0, ref),
    }


@pytest.mark.parametrize("name", controllers())
def test_code_in_c(name, tmp_path):
    """The controller's C code, compiled by gcc beside the model's, gives what the compiled function gives."""
    control = controllers()[name]
    control.write(tmp_path / "control.c", name="control")
    tf.inverse_dynamics(ARM).write(tmp_path / "model.c", name="model")
    library = tmp_path / "both.so"
    sources = [str(tmp_path / "control.c"), str(tmp_path / "model.c")]
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", *sources, "-o", str(library), "-lm"], check=True)
    q, qd = RNG.uniform(-1.0, 1.0, (2, 6))
    known = {"q": q, "qd": qd, "integral": RNG.normal(size=6), **control.at(0.0)}
    given = [np.ascontiguousarray(known[key]) for key in control.program.inputs]
    made = [np.empty(shape.shape) for shape in control.program.outputs.values()]
    pointers = [x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in (*given, *made)]
    ctypes.CDLL(str(library)).control(*pointers)
    expected = control.outputs(0.0, q, qd, known["integral"])
    for key, found in zip(control.program.outputs, made, strict=True):
        np.testing.assert_allclose(found, expected[key], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: tf.impedance_control(ARM, [1.0, 2.0], D, np.eye(4), frame=FRAME), "stiffness has shape"),
        (lambda: tf.impedance_control(ARM, K, D, np.eye(3), frame=FRAME), "a pose is a matrix"),
        (lambda: tf.impedance_control(ARM, K, D, None, frame=FRAME), "give it a reference"),
        (lambda: tf.impedance_control(ARM, K, D, np.eye(4), frame="foot"), "no frame 'foot'"),
        (lambda: tf.pid_control(ARM, 1.0, 1.0, 1.0, np.zeros(6), anti_windup=0.1), "needs saturation"),
    ],
)
def test_bad_input(make, said):
    with pytest.raises(tf.ProgramError, match=said):
        make()
