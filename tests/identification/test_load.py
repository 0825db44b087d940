"""Payloads and gains of drives from recordings with and without a load."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.errors import IdentificationError
from tests.identification.motions import arm, motion, recorded, rubbing, torques

pytest.importorskip("clarabel")
MASS, CENTRE = 2.5, (0.05, -0.02, 0.1)
INERTIA = np.array([[0.02, 0.003, 0.001], [0.003, 0.03, -0.002], [0.001, -0.002, 0.015]])
GAINS = np.array([20.0, -35.0, 15.0, 4.0])


@pytest.fixture(scope="module")
def recordings():
    robot = rubbing(arm())
    loaded = robot.payload(MASS, CENTRE, INERTIA.tolist(), at="flange")
    return robot, recorded(robot, size=2.0), recorded(loaded, seed=1, size=2.0)


def test_a_payload_with_its_errors(recordings):
    robot, unloaded, loaded = recordings
    found = tf.identify_payload(robot, unloaded, loaded, at="flange", cutoff=None)
    assert abs(found.mass - MASS) < 4.0 * found.mass_error < 0.05
    assert np.all(np.abs(found.centre - CENTRE) < 4.0 * found.centre_errors)
    assert np.all(np.abs(found.inertia - INERTIA) < 4.0 * found.inertia_errors)
    assert np.all(found.inertia_errors < 0.01)
    assert "kg m²" in found.table()
    carrying = found.on(robot)
    mass = float(carrying.bodies[-1].inertia.M) - float(robot.bodies[-1].inertia.M)
    assert mass == pytest.approx(found.mass)
    free = tf.identify_payload(robot, unloaded, loaded, at="flange", cutoff=None, same_friction=False)
    assert abs(free.mass - MASS) < 4.0 * free.mass_error
    assert free.mass_error > found.mass_error, "friction that differs leaves less to tell"


def test_without_noise_it_is_the_load_itself(recordings):
    robot = recordings[0]
    loaded = robot.payload(MASS, CENTRE, INERTIA.tolist(), at="flange")
    pair = recorded(robot, noise=0.0, size=2.0), recorded(loaded, noise=0.0, seed=1, size=2.0)
    found = tf.identify_payload(robot, *pair, at="flange", cutoff=None)
    assert found.mass == pytest.approx(MASS, rel=1e-5)
    assert np.allclose(found.centre, CENTRE, atol=1e-5)
    assert np.allclose(found.inertia, INERTIA, atol=1e-4)


def test_what_a_motion_does_not_tell_of_a_load_is_said():
    arm = tf.robots.planar2r()
    loaded = arm.payload(1.0, (0.1, 0.0, 0.2), at=arm.bodies[-1].name)
    found = tf.identify_payload(
        arm, recorded(arm), recorded(loaded, seed=1), at=arm.bodies[-1].name, friction=(), cutoff=None
    )
    named = dict(zip(tf.Inertia._fields, found.parameters, strict=True))
    known = {name for name, x in named.items() if not np.isnan(x)}
    assert known == {"ZZ", "MX", "MY", "M"}, "a load in a plane has no more"
    assert found.mass == pytest.approx(1.0, abs=4 * found.mass_error)
    assert np.isnan(found.centre[2])
    assert np.isinf(found.centre_errors[2])
    assert "undetermined" in found.table()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at": "base"}, "frame of the base"),
        ({"at": "nowhere"}, "no link, frame or joint 'nowhere'"),
        ({"loaded": []}, "there is no recording"),
        ({"unloaded": 3}, "3 is not a tf"),
    ],
)
def test_loads_that_mean_nothing_are_refused(recordings, change, message):
    robot, unloaded, loaded = recordings
    given = {"unloaded": unloaded, "loaded": loaded, "at": "flange", **change}
    with pytest.raises(tf.TauforgeError, match=message):
        tf.identify_payload(robot, **given)


def test_gains_from_a_known_load(recordings):
    robot, *both = recordings
    signals = [replace(x, tau=x.tau / GAINS) for x in both]
    load = {"mass": MASS, "com": CENTRE, "inertia": INERTIA.tolist(), "at": "flange"}
    found = tf.identify_gains(robot, *signals, **load, cutoff=None)
    assert np.all(np.abs(found.values - GAINS) < 4.0 * found.errors)
    assert np.all(found.errors < 0.02 * np.abs(GAINS))
    assert np.allclose(found.applied(signals[0]).tau, both[0].tau, rtol=0.05)
    double = tf.identify_gains(
        robot, *signals, **{**load, "mass": 2 * MASS, "inertia": (2 * INERTIA).tolist()}, cutoff=None
    )
    assert np.allclose(double.values, 2 * found.values, rtol=1e-6), "all that is known is the load"
    with pytest.raises(IdentificationError, match="there are 4 gains"):
        found.applied(replace(signals[0], tau=signals[0].tau[:, :3]))


def test_gains_that_nothing_tells_are_said():
    arm = tf.robots.planar2r()
    at = arm.bodies[0].name
    pair = recorded(arm), recorded(arm.payload(1.0, (0.1, 0.0, 0.0), at=at), seed=1)
    still = [replace(x, tau=x.tau * [1.0, 0.0]) for x in pair]
    found = tf.identify_gains(arm, *still, mass=1.0, com=(0.1, 0.0, 0.0), at=at, friction=(), cutoff=None)
    assert np.isnan(found.values[1])
    assert "undetermined" in found.table()
    with pytest.raises(IdentificationError, match="are not determined"):
        found.applied(pair[0])


@pytest.mark.parametrize("name", ["planar2r", "puma560"])
def test_what_is_determined_of_a_load_is_not_drawn_by_what_is_not(name):
    """Two joints leave some of the ten parameters open, and some of the robot's own."""
    robot = getattr(tf.robots, name)()
    robot = robot.lock(dict.fromkeys(robot.joint_names[2:], 0.3))
    at = robot.bodies[-1].name
    motions = [motion(2, seed=seed) for seed in (0, 1)]
    loaded = robot.payload(MASS, CENTRE, INERTIA.tolist(), at=at)
    tau = [torques(x)(*states) for x, (_, *states) in zip((robot, loaded), motions, strict=True)]
    values, errors = [], []
    for seed in range(30):
        noise = 0.5 * np.random.default_rng(seed).normal(size=(2, *tau[0].shape))
        pair = [tf.Recording(t, q, x, qd, qdd) for (t, q, qd, qdd), x in zip(motions, tau + noise, strict=True)]
        found = tf.identify_payload(robot, *pair, at=at, friction=(), cutoff=None)
        values.append(found.consistent.values)
        errors.append(found.errors)
    known = np.isfinite(errors).all(axis=0)
    turned = MASS * (np.dot(CENTRE, CENTRE) * np.eye(3) - np.outer(CENTRE, CENTRE)) + INERTIA
    truth = np.array([*turned[np.triu_indices(3)], *(MASS * np.array(CENTRE)), MASS])
    bias = (np.mean(values, axis=0) - truth) / np.sqrt(np.mean(np.square(errors), axis=0))
    assert known.sum() >= 4
    assert np.all(np.abs(bias[known]) < 0.6)
    assert np.mean((np.abs(values - truth) < 1.96 * np.array(errors))[:, known]) > 0.9
