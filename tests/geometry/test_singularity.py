"""Singular states of linkages that are known from drawings: dead centres, stretched legs, flat parallelograms."""

import numpy as np
import pytest

import tauforge as tf

INERTIA = tf.Inertia(0.1, 0, 0, 0.1, 0, 0.1, 0.1, 0, 0, 1)


def fourbar(crank, coupler, rocker, ground):
    """Return a four-bar whose angles are zero where all bars point along x."""
    joints = (
        tf.Joint(name="crank", antecedent=0),
        tf.Joint(name="coupler", antecedent=1, mu=0, d=crank),
        tf.Joint(name="rocker", antecedent=0, mu=0, d=ground),
    )
    bodies = tuple(tf.Body(name=f"{joint.name}_link", inertia=INERTIA) for joint in joints)
    frames = (
        tf.Joint(name="pin", antecedent=2, sigma=2, d=coupler),
        tf.Joint(name="end", antecedent=3, sigma=2, d=rocker),
    )
    robot = tf.Robot(name="fourbar", joints=joints, bodies=bodies, frames=frames)
    return robot.with_loop("pin", "end", kind="revolute")


def triangle(a, b, c):
    """Return the angle between sides a and b of a triangle."""
    return np.arccos((a * a + b * b - c * c) / (2 * a * b))


def test_dead_centres_of_a_fourbar():
    a, b, c, ground = 0.5, 0.6, 0.4, 0.45
    robot = fourbar(a, b, c, ground)
    # crank and coupler folded: the rocker is at its end while the crank moves
    tip = (b - a) * np.exp(1j * triangle(ground, b - a, c))
    serial = [np.angle(-tip), np.pi, np.angle(tip - ground)]
    # coupler and rocker in line: the crank is at its end, and does not decide where these two go
    tip = a * np.exp(1j * triangle(a, ground, b - c))
    parallel = [np.angle(tip), np.angle(ground - tip) - np.angle(tip), np.angle(ground - tip)]
    regular = tf.close_loops(robot, [1.0], guess=[1.0, -0.5, 1.2])
    found = tf.singularity(robot, [serial, parallel, regular], frame="rocker_link")
    assert list(found.kind) == ["serial", "parallel", "regular"]
    assert found.condition[1] > 1e12 > 1e3 > found.condition[2]
    assert found.axes == ("crank", "coupler", "rocker")
    assert found.motion[1, 0] == 0
    alone = tf.singularity(robot, parallel)
    assert alone.kind == "parallel"
    assert tf.singularity(robot, serial).kind == "regular"  # without a frame, nothing is to be moved


def test_the_motion_is_one_that_the_loops_allow():
    robot = fourbar(0.5, 0.6, 0.4, 0.45)
    tip = 0.5 * np.exp(1j * triangle(0.5, 0.45, 0.2))
    q = np.array([np.angle(tip), np.angle(0.45 - tip) - np.angle(tip), np.angle(0.45 - tip)])
    motion = tf.singularity(robot, q).motion
    near = tf.close_loops(robot, guess=q + 1e-4 * motion)
    assert np.abs(near - q - 1e-4 * motion).max() < 1e-6


def test_a_flat_parallelogram_is_both():
    robot = fourbar(0.3, 0.5, 0.3, 0.5)
    bent = [0.7, -0.7, 0.7]
    assert tf.singularity(robot, bent, frame="rocker_link").kind == "regular"
    for frame in (None, "rocker_link"):
        found = tf.singularity(robot, [0.0, 0.0, 0.0], frame=frame)
        assert found.kind == "both"
        assert found.mobility < 1e-12


ARM, FORE, APART = 0.3, 0.2, 0.5


def fivebar():
    """Return two arms with forearms that meet in a pin."""
    joints = (
        tf.Joint(name="arm1", antecedent=0),
        tf.Joint(name="fore1", antecedent=1, mu=0, d=ARM),
        tf.Joint(name="arm2", antecedent=0, d=APART),
        tf.Joint(name="fore2", antecedent=3, mu=0, d=ARM),
    )
    bodies = tuple(tf.Body(name=f"{joint.name}_link", inertia=INERTIA) for joint in joints)
    frames = tuple(tf.Joint(name=name, antecedent=j, sigma=2, d=FORE) for name, j in (("tip", 2), ("end", 4)))
    return tf.Robot(name="fivebar", joints=joints, bodies=bodies, frames=frames).with_loop(
        "tip", "end", kind="revolute"
    )


def meeting(first, r, second, s, side):
    """Return where circles of radius r and s around two points meet."""
    across = second - first
    angle = np.angle(across) + side * triangle(r, abs(across), s)
    return first + r * np.exp(1j * angle)


def angles(elbow1, tip, elbow2):
    """Return the angles of a five-bar from points of the complex plane."""
    arm1, arm2 = np.angle(elbow1), np.angle(elbow2 - APART)
    return [arm1, np.angle(tip - elbow1) - arm1, arm2, np.angle(tip - elbow2) - arm2]


def test_both_kinds_of_a_fivebar():
    """A stretched leg is serial for the tip; forearms in line are parallel; both at once are both."""
    tip = (ARM + FORE) * np.exp(0.6j)
    stretched = angles(tip * ARM / (ARM + FORE), tip, meeting(tip, FORE, APART, ARM, 1))
    elbow = ARM * np.exp(1.2j)
    other = meeting(elbow, 2 * FORE, APART, ARM, 1)
    in_line = angles(elbow, (elbow + other) / 2, other)
    heading = np.exp(1j * triangle(ARM + 2 * FORE, APART, ARM))
    both = angles(ARM * heading, (ARM + FORE) * heading, (ARM + 2 * FORE) * heading)
    elbow, other = ARM * np.exp(1.2j), APART + ARM * np.exp(2.1j)
    neither = angles(elbow, meeting(elbow, FORE, other, FORE, 1), other)
    found = tf.singularity(fivebar(), [stretched, in_line, both, neither], frame="tip", rows=("vx", "vy"))
    assert list(found.kind) == ["serial", "parallel", "both", "regular"]
    assert (found.mobility > 0.01).all()  # the loop itself never loses rank here


def test_what_is_measured_vanishes_only_at_the_singular_state():
    """Along a path through forearms in line, the measure falls to zero and rises again."""
    elbow = ARM * np.exp(1.2j)
    other = meeting(elbow, 2 * FORE, APART, ARM, 1)
    q = np.array(angles(elbow, (elbow + other) / 2, other))
    motion = tf.singularity(fivebar(), q).motion
    path = [tf.close_loops(fivebar(), guess=q + x * motion) for x in (-0.2, -0.1, -0.01, 0.0, 0.01, 0.1, 0.2)]
    sizes = tf.singularity(fivebar(), path).parallel
    assert (np.diff(sizes)[:3] < 0).all()
    assert (np.diff(sizes)[3:] > 0).all()
    assert sizes[3] < 1e-9 < 1e-3 < sizes[2]


def test_refusals():
    robot = fourbar(0.5, 0.6, 0.4, 0.45)
    with pytest.raises(tf.ProgramError, match=r"the loops are open by .* close them first"):
        tf.singularity(robot, [1.0, 0.0, 0.0])
    with pytest.raises(tf.ProgramError, match="no closed loops"):
        tf.singularity(tf.robots.puma560(), [0.0] * 6)
    with pytest.raises(tf.ProgramError, match="choose among vx, vy"):
        tf.singularity(robot, tf.close_loops(robot), frame="pin", rows=["x"])
    with pytest.raises(tf.ProgramError, match="no independent joint moves base"):
        tf.singularity(robot, tf.close_loops(robot), frame="base")


def test_compiled_models_report_singular_states_as_numpy_does():
    inertia = tf.inertia_matrix(fourbar(0.3, 0.5, 0.3, 0.5)).compile()
    for q in (np.zeros(3), np.zeros((5, 3))):
        with np.errstate(divide="raise", invalid="raise"), pytest.raises(FloatingPointError, match="fourbar"):
            inertia(q)
        with np.errstate(all="ignore"):
            assert not np.isfinite(inertia(q)).any()
