"""Consistent results of ``identify``: a possible robot that gives the identified torques, in every format."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.errors import IdentificationError
from tests.identification.known import filled, fourier
from tests.identification.motions import arm, links, motion, recorded, rubbing
from tests.random_robots import random_robot

pytest.importorskip("clarabel")


@pytest.fixture(scope="module")
def robot():
    return arm()


@pytest.fixture(scope="module")
def result(robot):
    return tf.identify(robot, recorded(rubbing(robot)), friction=("FV", "FS", "FO"), consistent=True)


def test_its_robot_is_possible_and_gives_the_identified_torques(result):
    assert all(np.linalg.eigvalsh(P)[0] > 0.0 for P in links(result.robot))
    assert all(joint.IA >= 0.0 and joint.FV >= 0.0 and joint.FS >= 0.0 for joint in result.robot.joints)
    _, q, qd, qdd = (x[:20] for x in motion(4, seed=3))
    tau = result.predict(q, qd, qdd)
    assert np.allclose(tf.inverse_dynamics(result.robot).compile()(q, qd, qdd), tau, rtol=1e-12, atol=1e-12)
    assert not result.robot.symbols


def test_it_predicts_as_well_as_impossible_parameters(robot, result):
    other = recorded(rubbing(robot), seed=1)
    free = tf.identify(robot, recorded(rubbing(robot)), friction=("FV", "FS", "FO"))
    assert result.validate(other).overall <= 1.02 * free.validate(other).overall
    assert not np.allclose(result.values, free.values, rtol=1e-12), "something was to be done"


def test_saved_robots_load_in_other_engines(result, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    pin = pytest.importorskip("pinocchio")
    result.robot.save(tmp_path / "arm.toml")
    result.robot.neglect("IA", "FO").save(tmp_path / "arm.urdf")
    again = tf.load(tmp_path / "arm.toml")
    _, q, qd, qdd = (x[:5] for x in motion(4, seed=3))
    tau = result.predict(q, qd, qdd)
    assert np.allclose(tf.inverse_dynamics(again).compile()(q, qd, qdd), tau, rtol=1e-12, atol=1e-12)
    model = pin.buildModelFromUrdf(str(tmp_path / "arm.urdf"))
    masses = [inertia.mass for inertia in model.inertias][1:]
    assert min(masses) > 0.0
    assert np.allclose(masses, [float(body.inertia.M) for body in result.robot.bodies])
    physics = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.urdf"))
    assert min(physics.body_mass[1:]) > 0.0
    assert physics.body_inertia[1:].min() > 0.0


@pytest.mark.parametrize("seed", [3, 14])
def test_trees_on_floating_bases_are_possible_too(seed):
    robot = random_robot(seed, largest=4, smallest=3, rotors=True, floating=True, fixed=False)
    rng = np.random.default_rng(0)
    n = len(robot.joints)
    t, q, qd, qdd = motion(n + 6, seed=seed, seconds=4.0)
    turned = np.column_stack([q[:, :3], rng.normal(size=(1, 4)) + 0.3 * q[:, :4], q[:, 6:]])
    turned[:, 3:7] /= np.linalg.norm(turned[:, 3:7], axis=1, keepdims=True)
    tau = tf.inverse_dynamics(robot).compile()(turned, qd, qdd)
    tau = tau + 0.01 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    recording = tf.Recording(t, turned, tau, qd, qdd)
    result = tf.identify(robot, recording, friction=(), cutoff=None, consistent=True)
    assert all(np.linalg.eigvalsh(P)[0] > 0.0 for P in links(result.robot))
    assert result.training.overall < 0.02
    states = turned[:10], qd[:10], qdd[:10]
    expected = result.predict(*states)
    found = tf.inverse_dynamics(result.robot).compile()(*states)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_a_prior_of_its_own_and_bounds(robot):
    recording = recorded(robot)
    heavier = replace(
        robot, bodies=tuple(replace(x, inertia=tf.Inertia(*(2.0 * float(y) for y in x.inertia))) for x in robot.bodies)
    )
    first = robot.bodies[0].name
    settings = {"friction": (), "rotors": False, "cutoff": None, "consistent": True}
    own = tf.identify(robot, recording, **settings)
    other = tf.identify(robot, recording, prior=heavier, **settings)
    bounded = tf.identify(robot, recording, bounds=tf.Bounds(mass={first: (0.7, 0.8)}), **settings)
    mass = [float(x.robot.bodies[0].inertia.M) for x in (own, other, bounded)]
    assert mass[1] > 1.5 * mass[0], "nothing but the prior tells the mass of the first link"
    assert 0.7 - 1e-6 <= mass[2] <= 0.8 + 1e-6
    assert "M1" in own.consistent.undetermined
    elsewhere = replace(robot, joints=(replace(robot.joints[0], d=0.3), *robot.joints[1:]))
    for wrong, message in (
        (elsewhere, "is elsewhere in the prior"),
        (tf.robots.planar2r(), "has 2 links"),
        (3, "a Robot"),
    ):
        with pytest.raises(IdentificationError, match=message):
            own.made_consistent(prior=wrong)
    with pytest.raises(IdentificationError, match=r"give tf\.Bounds"):
        own.made_consistent(bounds={"link1": (0, 1)})


def test_what_does_not_go_together_is_refused(robot):
    recording = recorded(robot)
    with pytest.raises(IdentificationError, match="give consistent=True too"):
        tf.identify(robot, recording, prior=robot)
    with pytest.raises(IdentificationError, match="leave essential=True out"):
        tf.identify(robot, recording, consistent=True, essential=True)


def test_you_are_told_where_no_possible_robot_fits(robot):
    wrong = recorded(robot)
    backwards = replace(wrong, tau=-wrong.tau)
    with pytest.warns(tf.RobotWarning, match="no possible robot fits as well"):
        tf.identify(robot, backwards, friction=(), rotors=False, cutoff=None, consistent=True)


def test_a_slider_crank_always_has_a_possible_robot():
    """Friction makes most of its torques, and its links hardly any."""
    guess = tf.robots.slider_crank()
    start = tf.close_loops(guess, None)
    held = [guess.coordinate_names.index(name) for name in guess.velocity_names]
    t = np.arange(2000) / 200.0
    for seed in (3, 5, 8, 13):
        robot = filled(guess, seed)
        q, qd, qdd = fourier(1, t, seed + 2)
        q = tf.close_loops(robot, q - q[0] + start[held], guess=np.broadcast_to(start, (len(t), len(start))))
        tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
        noise = 0.02 * tau.std() * np.random.default_rng(seed).normal(size=tau.shape)
        recording = tf.Recording(t, q, tau + noise, qd, qdd)
        result = tf.identify(guess, recording, friction=("FV", "FS", "FO"), cutoff=None, consistent=True)
        assert all(np.linalg.eigvalsh(P).min() > 0.0 for P in result.consistent.pseudo_inertias())
        assert result.consistent.harm < 0.04
