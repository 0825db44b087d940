"""Friction that sticks: a block on a slope stays, breaks loose at the right force, and slides as Coulomb says."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

MASS, FRICTION = 2.0, 5.0


def block(**joint):
    """Return a mass on a horizontal slide; forces are applied as torques."""
    return tf.Robot(
        name="block",
        joints=(tf.Joint(name="x", antecedent=0, sigma=1, FS=FRICTION, **joint),),
        bodies=(tf.Body(name="mass", inertia=tf.Inertia(0, 0, 0, 0, 0, 0, 0, 0, 0, MASS)),),
        gravity=(0.0, 0.0, 0.0),
    )


def test_it_sticks_without_creeping():
    """A load that rises to 95 % of static friction bends the bristles, by -deflection ln(1 - 0.95); then nothing moves,
    however long one waits.
    """
    t, load = [0.0, 20.0, 80.0], 0.95 * FRICTION

    def rising(t):
        return [load * min(t / 10.0, 1.0)]

    stuck = tf.simulate(block(), t, torque=rising, stiction=1.0, method="BDF", max_step=1.0)
    np.testing.assert_allclose(stuck.q[1, 0], -1e-4 * np.log(0.05), rtol=2e-2)
    assert abs(stuck.q[2, 0] - stuck.q[1, 0]) < 1e-9
    crept = tf.simulate(block(), t, torque=rising, method="BDF", max_step=1.0)
    assert crept.q[2, 0] - crept.q[1, 0] > 0.1  # smoothed friction creeps


@pytest.mark.parametrize("static", [1.0, 1.5])
def test_it_breaks_loose_at_its_static_friction(static):
    """A force that rises slowly moves it when it exceeds static friction, and neither before nor much later."""
    ramp = 0.1
    moved = lambda t, q, qd: q[0] - 1e-3  # noqa: E731
    moved.terminal = True
    found = tf.simulate(
        block(), 200.0, torque=lambda t: [ramp * t], stiction=static, method="BDF", rtol=1e-6, events=moved
    )
    assert found.tau[-1, 0] / FRICTION == pytest.approx(static, rel=0.01)


def test_sliding_is_coulombs():
    """Far above the velocity at which the excess fades, the deceleration is FS / m."""
    t = np.array([0.0, 0.2, 0.4])
    found = tf.simulate(block(), t, qd0=[3.0], stiction=tf.Stiction(1.5, velocity=1e-3), method="BDF", rtol=1e-9)
    np.testing.assert_allclose(found.qd[:, 0], 3.0 - FRICTION / MASS * t, atol=2e-3)
    stopped = tf.simulate(block(), [0.0, 3.0], qd0=[3.0], stiction=1.5, method="BDF")
    assert abs(stopped.qd[-1, 0]) < 1e-6


def test_a_load_pulled_by_a_spring_sticks_and_slips():
    """The spring's end moves slowly: with more static than Coulomb friction the block moves in jumps."""
    stiffness, speed = 20.0, 0.05
    end = tf.motion([f"{speed}*t"], 16.0)
    t = np.linspace(0.0, 16.0, 801)

    def drawn(static):
        pull = tf.pd_control(block(), stiffness, 0.0, end)
        return tf.simulate(block(), t, controller=pull, stiction=static, method="BDF", rtol=1e-6)

    jumps = drawn(1.6)
    pull = jumps.tau[:, 0]
    peaks = pull[1:-1][(pull[1:-1] > pull[:-2]) & (pull[1:-1] >= pull[2:]) & (pull[1:-1] > 1.3 * FRICTION)]
    assert len(peaks) >= 2
    np.testing.assert_allclose(peaks, 1.6 * FRICTION, rtol=0.03)  # it breaks loose at static friction each time
    assert (np.abs(jumps.qd[:, 0]) < 1e-3).mean() > 0.7  # and rests most of the time
    assert drawn(1.0).tau.max() < 1.1 * FRICTION  # without it, the block only swings about the mean speed


def test_stiction_acts_on_the_joints_of_any_robot():
    """Followers and closed loops: a four-bar that rubs enough stays where it is."""
    robot = tf.robots.fourbar()
    rubbing = robot.derived(joints=tuple(replace(joint, FS=20.0) for joint in robot.joints))
    held = tf.simulate(rubbing, [0.0, 2.0], stiction=1.2, method="BDF", rtol=1e-6)
    free = tf.simulate(robot, [0.0, 2.0])
    assert np.abs(held.q[-1] - held.q[0]).max() < 3e-4 < np.abs(free.q[-1] - free.q[0]).max()


@pytest.mark.parametrize(
    ("given", "said"),
    [(0.5, "static is 0.5"), (tf.Stiction, None), ("high", "static is 'high'")],
)
def test_bad_stiction(given, said):
    if said is None:
        with pytest.raises(tf.ProgramError, match="deflection is 0"):
            given(deflection=0.0)
    else:
        with pytest.raises(tf.ProgramError, match=said):
            tf.simulate(block(), 1.0, stiction=given)
