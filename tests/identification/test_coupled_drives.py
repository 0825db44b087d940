"""Robots whose drives couple joints, from the simulated recording back to the parameters."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

R = np.array([[10.0, 0.0], [8.0, 8.0]])
"""Belts from two motors on the base: motor = R joint."""
SOLID = [[0.02, 0.001, 0.0], [0.001, 0.03, 0.002], [0.0, 0.002, 0.025]]


def arm():
    """Return two links about parallel axes."""
    joints = (
        tf.Joint.at("shoulder", on="base", axis="-y"),
        tf.Joint.at("elbow", on="shoulder", xyz=(0.3, 0, 0), axis="-y", relative_to="world"),
    )
    bodies = (tf.Body.solid("upper", 1.5, (0.15, 0.02, 0), SOLID), tf.Body.solid("lower", 1.0, (0.12, 0, 0.01), SOLID))
    return tf.Robot(name="arm", joints=joints, bodies=bodies)


def belts():
    return arm().with_coupling(R, IA=[2e-4, 1e-4], FV=[1e-3, 2e-3])


def differential():
    """Return a wrist with two motors, and two joints that follow half their sum and difference."""
    joints = (
        tf.Joint.at("left", on="base", xyz=(0, 0.04, 0), axis="y", FV=0.02, IA=1e-3),
        tf.Joint.at("right", on="base", xyz=(0, -0.04, 0), axis="y", FV=0.03, IA=2e-3),
        tf.Joint.at("pitch", on="base", axis="y", mimic={"left": 0.5, "right": 0.5}),
        tf.Joint.at("roll", on="pitch", xyz=(0.05, 0, 0), axis="x", mimic={"left": 0.5, "right": -0.5}),
    )
    bodies = tuple(
        tf.Body.solid(name, mass, com, SOLID)
        for name, mass, com in (
            ("gear1", 0.2, (0, 0, 0)),
            ("gear2", 0.2, (0, 0, 0)),
            ("cross", 0.5, (0.01, 0.0, 0.02)),
            ("hand", 0.6, (0.02, 0.03, 0.1)),
        )
    )
    return tf.Robot(name="wrist", joints=joints, bodies=bodies)


def simulated(robot):
    """Return a motion of two joints under motors that follow it."""
    slow, fast, t = np.array([3.1, 4.7]), np.array([7.3, 5.9]), np.linspace(0.0, 4.0, 1601)

    def swing(t):
        q = 0.5 * np.sin(slow * t) + 0.3 * np.sin(fast * t)
        qd = 0.5 * slow * np.cos(slow * t) + 0.3 * fast * np.cos(fast * t)
        return q, qd, -0.5 * slow**2 * np.sin(slow * t) - 0.3 * fast**2 * np.sin(fast * t)

    control = tf.computed_torque(robot, 100.0, 20.0, swing, efforts="motors")
    return tf.simulate(robot, t, controller=control, efforts="motors", qd0=swing(0.0)[1])


def check_torques(found, robot):
    """Compare the torques of new motions with those of the robot that was simulated."""
    q, qd, qdd = np.random.default_rng(1).uniform(
        [[[-0.8]], [[-2.0]], [[-5.0]]], [[[0.8]], [[2.0]], [[5.0]]], (3, 50, 2)
    )
    expected = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    scale = np.abs(expected).max(axis=0)
    np.testing.assert_allclose(found.predict(q, qd, qdd) / scale, expected / scale, atol=3e-4)
    model = tf.inverse_dynamics(found.robot).compile()(q, qd, qdd)
    np.testing.assert_allclose(model / scale, expected / scale, atol=3e-4)


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_coupled_motors(tmp_path, ending):
    """A file of motors' data with motors=R is what with_coupling(R) simulates, and tells what each motor has."""
    robot = belts()
    run = simulated(robot)
    motors = {"t": run.t, "q": run.q @ R.T, "tau": run.tau}
    path = tmp_path / f"motors.{ending}"
    if ending == "csv":
        head = "t,q1,q2,tau1,tau2"
        np.savetxt(path, np.column_stack([*motors.values()]), "%.17g", ",", header=head, comments="")
    else:
        np.savez(path, **motors)
    recording = tf.Recording.read(path, motors=robot.coupling)
    np.testing.assert_allclose(recording.q, run.q, atol=1e-12)
    np.testing.assert_allclose(recording.tau, run.tau @ R, rtol=1e-12)
    blank = replace(arm(), bodies=tuple(tf.Body(name=body.name) for body in arm().bodies))
    found = tf.identify(blank.with_coupling(R), recording, friction=["FV"])
    check_torques(found, robot)
    values = dict(zip(found.names, found.values, strict=True))
    assert abs(values["FV_motor2"] - 2e-3) < 1e-5  # which moves both joints
    assert abs(values["FV1"] + R[0, 0] ** 2 * values["FV_motor1"] - R[0, 0] ** 2 * 1e-3) < 1e-3
    assert abs(values["FV2"]) < 1e-3
    check_torques(tf.identify(blank, recording, friction=["FV"]), robot)  # the recording has the coupling


def test_joints_that_follow_sums():
    """The two motors' torques tell what can be told of all four bodies."""
    robot = differential()
    run = simulated(robot)
    blank = replace(
        robot,
        bodies=tuple(tf.Body(name=body.name) for body in robot.bodies),
        joints=tuple(replace(joint, IA=0.0, FV=0.0) for joint in robot.joints),
    )
    found = tf.identify(blank, tf.Recording(run.t, run.q, run.tau), friction=["FV"])
    check_torques(found, robot)
    values = dict(zip(found.names, found.values, strict=True))
    np.testing.assert_allclose([values["FV1R"], values["FV2R"]], [0.02, 0.03], atol=1e-4)  # R: with that of followers
