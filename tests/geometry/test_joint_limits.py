"""Limits of joints that others move, followers and those that closed loops determine, count wherever limits do."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.geometry.joint_limits import driven_joints, driven_velocities, leader_limits, limited_joints
from tauforge.robot.joint import Limits, Mimic

from ..random_loops import random_mechanism

MASS = tf.Inertia(0.1, 0, 0, 0.1, 0, 1.0, 0.2, 0, 0, 1.0)


def pair(ratio=3.0, offset=0.0, gravity=0.0, leader=None, sigma=0, **limits):
    """Return two links, the joint of the second one following the first."""
    follower = {"mimic": Mimic(joint=1, ratio=ratio, offset=offset), "limits": Limits(**limits)}
    joints = (
        tf.Joint(name="a", antecedent=0, limits=Limits(**(leader or {})), FV=0.1),
        tf.Joint(name="b", antecedent=1, d=0.5, sigma=sigma, FS=0.2, **follower),
    )
    bodies = (tf.Body(name="first", inertia=MASS), tf.Body(name="second", inertia=MASS))
    return tf.Robot(name="pair", joints=joints, bodies=bodies, gravity=(0.0, -gravity, 0.0))


def limited(robot, name, **limits):
    """Return a robot with limits of one joint."""
    return replace(
        robot, joints=tuple(replace(x, limits=Limits(**limits)) if x.name == name else x for x in robot.joints)
    )


def follower_torque(robot, motion, t):
    """Return what moves the follower's axis, from a robot in which it does not follow."""
    ratio, offset = robot.joints[1].mimic.ratio, robot.joints[1].mimic.offset
    q, qd, qdd = motion(t)
    inverse = tf.inverse_dynamics(robot.tree()).compile()
    return inverse(np.hstack([q, ratio * q + offset]), *(np.hstack([x, ratio * x]) for x in (qd, qdd)))[:, 1]


def test_followers_are_functions_of_their_leaders():
    robot = pair(-2.0, 0.1, lower=-1.0, upper=0.7).with_base("floating", tf.Body(name="trunk", inertia=MASS))
    a, b = limited_joints(robot)
    assert (a.name, a.terms, b.name, b.terms) == ("a", ((7, 1.0),), "b", ((7, -2.0),))
    assert b.position(np.array([0.0] * 7 + [0.2])) == pytest.approx(-0.3)
    assert b.leader_range() == pytest.approx((-0.3, 0.55))
    assert leader_limits(pair(-2.0, 0.1, upper=0.7), 1) == Limits(lower=-0.3 + 1e-17)
    assert [x.name for x in driven_joints(robot)] == ["b"]


@pytest.mark.parametrize("seed", range(4))
def test_velocities_through_loops(seed):
    robot, q = random_mechanism(seed)
    joints, qd = driven_joints(robot), np.full((1, robot.dof), 0.3)
    found = driven_velocities(robot, joints, q[None], qd)[0]
    assert len(joints) == len(q) - robot.dof
    places = [robot.coordinate_names.index(name) for name in robot.independent]
    step = 1e-6
    ends = [tf.close_loops(robot, q[places] + sign * step * qd[0], guess=q) for sign in (1.0, -1.0)]
    slopes = (ends[0] - ends[1]) / (2.0 * step)
    np.testing.assert_allclose(found, [slopes[joint.terms[0][0]] for joint in joints], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("leader", [{}, {"upper": 2.0}])
@pytest.mark.parametrize("sigma", [0, 1])
def test_events_and_stops(leader, sigma):
    robot = pair(upper=0.5, leader=leader, sigma=sigma)
    stopped = tf.simulate(robot, [0.0, 2.0], qd0=[1.4], events="limits")
    assert stopped.status == "event"
    assert stopped.events[0].name == "upper limit of b"
    assert 3.0 * stopped.q[-1, 0] == pytest.approx(0.5, abs=1e-9)
    back = tf.simulate(robot, np.linspace(0.0, 1.0, 201), qd0=[1.4], stops=tf.Stops(1e5, 0.0))
    assert 0.5 < 3.0 * back.q.max() < 0.52
    free = tf.simulate(robot, [0.0, 2.0], qd0=[1.4])
    assert 3.0 * free.q[-1, 0] > 1.5


def test_stops_push_back_with_the_ratio():
    """A follower's stop holds a weight on its leader: what it pushes with, times the ratio."""
    robot = pair(-2.0, 0.1, gravity=9.81, upper=0.7)
    found = tf.simulate(robot, [0.0, 60.0], stops=tf.Stops({"b": 1e4}, 5.0), method="BDF")
    q = found.q[-1]
    weight = tf.inverse_dynamics(robot).compile()(q, 0.0 * q, 0.0 * q)
    assert -2.0 * q[0] + 0.1 > 0.7
    np.testing.assert_allclose(weight, 2.0 * 1e4 * (-2.0 * q + 0.1 - 0.7), rtol=1e-3)


def test_a_start_beyond_a_limit_of_a_follower():
    with pytest.raises(tf.ProgramError, match="q0 is beyond the lower limit of b by"):
        tf.simulate(pair(lower=-1.0), [0.0, 1.0], q0=[-0.5], events="limits")


@pytest.mark.parametrize("kind", ["scaled", "time-optimal"])
@pytest.mark.parametrize(("limits", "which"), [({"velocity": 0.5}, 0), ({"effort": 2.0}, 1)])
def test_motions_of_followers(kind, limits, which):
    robot = pair(-2.0, 0.1, **limits)
    points = [[-0.2], [0.4], [0.1]]
    if kind == "scaled":
        found = tf.motion(points, [0.0, 1.0, 2.0], kind="quintic").scaled(robot)
        assert found.limited_by.startswith(("velocity of b", "torque of b")[which])
    else:
        found = tf.motion(points, kind=kind, robot=robot, acceleration=50.0)
    t = found.grid(50_001)
    parts = [2.0 * np.abs(found(t).qd).max() / 0.5, np.abs(follower_torque(robot, found, t)).max() / 2.0]
    assert 1.0 - 1e-3 < parts[which] <= 1.0 + 1e-9


def test_what_lifts_limits_of_followers():
    robot = pair(leader={"velocity": 1.0}, velocity=0.5)
    motion = tf.motion([[0.0], [1.0]], 1.0)
    assert "velocity of b" in motion.scaled(robot).limited_by
    assert "velocity of b" in motion.scaled(robot, velocity=2.0).limited_by
    assert "acceleration" in motion.scaled(robot, velocity=np.inf, acceleration=1.0).limited_by
    with pytest.raises(tf.ProgramError, match="the velocity limit of joint 'b' is 0 in its description"):
        motion.scaled(pair(velocity=0.0))


@pytest.mark.parametrize("kind", ["scaled", "time-optimal"])
def test_motions_through_loops(kind):
    robot = limited(tf.robots.fourbar(), "coupler", velocity=0.5)
    start = tf.close_loops(robot)
    q = start[robot.coordinate_names.index("crank")]
    if kind == "scaled":
        found = tf.motion([[q], [q + 1.0]], 2.0).scaled(robot, guess=start)
        assert "velocity of coupler" in found.limited_by
    else:
        found = tf.motion([[q], [q + 1.0]], kind=kind, robot=robot, acceleration=50.0, guess=start)
    t = found.grid(4001)
    q, qd, qdd = (getattr(tf.required_torques(robot, found, t=t, guess=start), name) for name in ("q", "qd", "qdd"))
    speeds = tf.joint_motion(robot).compile()(q, qd, qdd).velocities[:, 1]
    assert 1.0 - 1e-4 < np.abs(speeds).max() / 0.5 <= 1.0 + 1e-9


def test_cartesian_motions_through_loops():
    robot = tf.robots.fivebar()
    q0 = tf.close_loops(robot, [2.0, 1.1], guess=[2.0, -1.2, 1.1, 1.2])
    place = tf.transforms(robot.derived(loops=()), frames="tool").compile()(q0).reshape(4, 4)[:3, 3]
    path = place + np.array([[0.0, 0.0, 0.0], [0.05, 0.03, 0.0], [-0.03, 0.06, 0.0]])

    def moved(robot):
        return tf.cartesian_motion(robot, path, 2.0, frame="tool", aim="position", q0=q0)

    whole = tf.required_torques(robot, moved(robot), guess=q0).q[:, 1]
    assert moved(limited(robot, "forearm1", upper=whole.max() + 1e-6)).end == 2.0
    with pytest.raises(tf.SimulationError, match="forearm1 would exceed its limit beyond") as caught:
        moved(limited(robot, "forearm1", upper=whole.max() - 1e-3))
    part = caught.value.trajectory
    assert tf.required_torques(robot, part, guess=q0).q[:, 1].max() == pytest.approx(whole.max() - 1e-3, abs=1e-5)


def test_workspaces_of_loops():
    robot = limited(tf.robots.fivebar(), "forearm1", lower=-1.5, upper=0.5)
    space = tf.workspace(robot, frame="tool", samples=500)
    assert len(space.q) > 20
    assert ((space.q[:, 1] > -1.5 - 1e-9) & (space.q[:, 1] < 0.5 + 1e-9)).all()
    free = tf.workspace(robot, frame="tool", samples=500, limits=False)
    assert not ((free.q[:, 1] > -1.5) & (free.q[:, 1] < 0.5)).all()


def test_reach_and_workspace_of_followers():
    robot = pair(-2.0, 0.1, lower=-1.0, upper=0.7)
    q = tf.workspace(robot, frame="second", samples=200).q
    assert -0.3 <= q.min() < q.max() <= 0.55
    far = tf.transforms(robot, frames="second").compile()(np.array([1.0])).reshape(4, 4)
    found = tf.reach(robot, far, frame="second", strict=False)
    assert not found.reached
    assert "a by 0.45" in str(found.reason)


def test_inverse_geometry_with_a_gripper_that_follows():
    arm = tf.robots.planar2r()
    finger = tf.Joint(
        name="finger",
        antecedent=1,
        d=0.1,
        mimic=Mimic(joint=2, ratio=-1.0, offset=0.2),
        limits=Limits(lower=-1.0, upper=0.1),
    )
    robot = replace(arm, joints=(*arm.joints, finger), bodies=(*arm.bodies, tf.Body(name="finger")))
    frame = arm.bodies[1].name
    q = np.array([0.3, 0.8])
    T = tf.transforms(robot, frames=frame).compile()(q).reshape(4, 4)
    assert tf.inverse_geometry(robot, frame=frame)(T).exact
    T = tf.transforms(robot, frames=frame).compile()(np.array([0.3, -0.8])).reshape(4, 4)  # finger at 1.0
    assert tf.inverse_geometry(robot, frame=frame)(T, nearest=False).count == 0
    assert tf.inverse_geometry(robot, frame=frame)(T, limits=False).exact


def test_excitation_of_followers():
    pytest.importorskip("scipy")
    robot = pair(-2.0, 0.1, 9.81, {"velocity": 5.0, "effort": 40.0}, lower=-1.0, upper=0.7, velocity=3.0, effort=5.0)
    found = tf.exciting_trajectory(robot, 5.0, {"position": (-3.0, 3.0), "acceleration": 20.0}, starts=1, jobs=1)
    t = np.linspace(0.0, 5.0, 5001)
    q, qd, _ = found.motion(t)
    b = -2.0 * q + 0.1
    assert -1.0 <= b.min() < b.max() <= 0.7
    assert np.abs(2.0 * qd).max() <= 3.0
    assert np.abs(follower_torque(robot, found.motion, t)).max() <= 5.0
    free = tf.exciting_trajectory(
        robot,
        5.0,
        {"position": (-np.inf, np.inf), "velocity": 5.0, "acceleration": 20.0, "torque": np.inf},
        starts=1,
        jobs=1,
    )
    assert (-2.0 * free.q(t) + 0.1).max() > 0.7


@pytest.mark.parametrize(("name", "ratio"), [("leg1_Pa_bar", 1.0), ("leg1_Pa_side", -1.0)])
def test_followers_in_legs_of_a_parallel_robot(name, ratio):
    """A Delta's states are those that it has without limits, as far as the follower keeps them."""
    robot = tf.robots.delta()
    guess = np.zeros(12)
    guess[[0, 3, 6]] = [0.1, -0.05, 0.2]
    q = tf.close_loops(robot, guess[[0, 3, 6]], guess=guess)
    place = robot.coordinate_names.index("leg1_Pa")
    T = tf.transforms(robot.derived(loops=()), frames="platform").compile()(q).reshape(4, 4)[:3, 3]
    every = tf.inverse_geometry(robot, frame="platform", aim="position")(T).q
    own, wanted = ratio * every[:, place], ratio * q[place]
    some = np.abs(own - wanted) < 1e-3
    assert 0 < some.sum() < len(own)
    arm = limited(robot, name, lower=wanted - 1e-3, upper=wanted + 1e-3)
    found = tf.inverse_geometry(arm, frame="platform", aim="position")(T).q
    assert len(found) == some.sum()
    assert np.abs(ratio * found[:, place] - wanted).max() < 1e-3
