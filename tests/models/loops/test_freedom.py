"""Mobility of mechanisms that lose rank only where they are closed, and independent joints that do not change."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.loops.freedom import freedom
from tests.models.loops.test_search import SOLID, linkage
from tests.random_loops import placed, random_mechanism
from tests.random_robots import seeds

RIGHT = np.pi / 2


def chain(*links):
    """Return a closed chain of revolute joints, from the twist and the length of each link; the last joint is cut."""
    joints = [
        tf.Joint(
            name=f"j{k}",
            antecedent=k,
            mu=int(not k),
            **(dict(zip(("alpha", "d"), links[k - 1], strict=True)) if k else {}),
        )
        for k in range(len(links) - 1)
    ]
    alpha, d = links[-2]
    cut = tf.Joint(name="cut", antecedent=len(joints), mu=0, alpha=alpha, d=d)
    frame = tf.Joint(name="eye", antecedent=0, sigma=2, mu=0, alpha=-links[-1][0], d=-links[-1][1])
    bodies = tuple(tf.Body(name=f"l{k}", inertia=SOLID) for k in range(len(joints)))
    return tf.Robot(name="chain", joints=tuple(joints), bodies=bodies, loops=(tf.Loop(joint=cut, frame=frame),))


def sarrus():
    """Return a plate on two legs of three parallel hinges, at right angles to each other: it goes straight up."""
    legs = [
        {"gamma": turn, "b": 0.0, "alpha": -RIGHT, "theta": -RIGHT, "d": at} for turn, at in ((0.0, 1.5), (RIGHT, 2.0))
    ]
    joints = (
        *(tf.Joint(name=f"a{k}", antecedent=k, mu=int(not k), **(legs[0] if not k else {"d": 1.0})) for k in range(3)),
        tf.Joint(name="b0", antecedent=0, mu=0, **legs[1]),
        tf.Joint(name="b1", antecedent=4, mu=0, d=1.0),
    )
    bodies = tuple(tf.Body(name=f"{joint.name} link", inertia=SOLID) for joint in joints)
    tree = tf.Robot(name="sarrus", joints=joints, bodies=bodies)
    t = 0.4
    T = tf.transforms(tree, frames=[body.name for body in bodies]).compile()([t, -2 * t, t, t, -2 * t])
    cut = tf.Joint(name="cut", antecedent=5, mu=0, d=1.0)
    there = T[4] @ np.array([float(x) for x in cut.pose([t]).homogeneous]).reshape(4, 4)
    return replace(tree, loops=(tf.Loop(joint=cut, frame=placed("eye", 3, np.linalg.inv(T[2]) @ there)),))


BENNETT = np.arcsin(0.5 * np.sin(0.7) / 0.8)


@pytest.mark.parametrize(
    ("robot", "mobility", "redundant"),
    [
        (linkage(0.4, 0.9, 0.7), 1, 3),  # a planar four-bar in space
        (linkage(0.5, 1.0, 0.5), 1, 3),  # a parallelogram, flat and singular at zero
        (linkage(0.4, 0.5, 0.6, 0.7, actuated=2), 2, 3),
        (chain((0.7, 0.8), (BENNETT, 0.5), (0.7, 0.8), (BENNETT, 0.5)), 1, 3),
        (chain(*[(RIGHT, 1.0), (-RIGHT, 1.0)] * 3), 1, 1),  # Bricard's, with three planes of symmetry
        (chain((0.7, 0.5), (0.4, 0.8), (-0.6, 0.5), (0.9, 0.8), (0.3, 0.4), (-0.5, 0.6), (0.5, 0.5)), 1, 0),
        (sarrus(), 1, 1),
    ],
    ids=["four-bar", "parallelogram", "five-bar", "bennett", "bricard", "seven revolute", "sarrus"],
)
def test_mobility(robot, mobility, redundant):
    found = freedom(robot)
    assert (found.mobility, found.redundant) == (mobility, redundant)
    assert robot.dof == len(robot.velocity_names) == mobility
    floating = robot.with_base("floating")
    assert (floating.dof, freedom(floating.expanded()).redundant) == (mobility + 6, redundant)


def test_a_bennett_that_is_not_one_is_rigid_or_does_not_close():
    robot = chain((0.7, 0.8), (BENNETT, 0.5), (0.7, 0.8), (BENNETT, 0.51))
    with pytest.raises(tf.ProgramError, match="even by itself, the loop 'cut' stays open"):
        freedom(robot)


def idle():
    """Return a crank and a rocker with a rod between two ball joints, which spins."""
    joints = (
        tf.Joint(name="crank", antecedent=0, alpha=0.3),
        tf.Joint(name="ball", antecedent=1, sigma=3, mu=0, d=0.4),
        tf.Joint(name="rocker", antecedent=0, mu=0, alpha=-0.2, d=1.0),
    )
    bodies = tuple(tf.Body(name=f"link{k}", inertia=SOLID) for k in range(3))
    frames = (tf.Joint(name="rod", antecedent=2, sigma=2, d=0.8), tf.Joint(name="end", antecedent=3, sigma=2, d=0.5))
    return tf.Robot(name="rssr", joints=joints, bodies=bodies, frames=frames).with_loop("rod", "end", kind="spherical")


@pytest.mark.parametrize(
    "robot", [idle(), sarrus(), linkage(0.4, 0.5, 0.6, 0.7, actuated=1)], ids=lambda robot: robot.name
)
def test_independent_joints_stay_the_same(robot):
    """What does not change the mechanism does not change the choice: loads, frames, names, joints elsewhere."""
    names = robot.velocity_names
    link = robot.bodies[-1].name
    assert robot.payload(2.0, (0.1, 0.0, 0.3), at=link).velocity_names == names
    assert robot.reframed.velocity_names == replace(robot).velocity_names == names
    arm = tf.robots.planar2r()
    both = robot.attach(arm, at=link, name="arm")
    assert [name for name in both.velocity_names if name in names] == [*names]
    locked = both.lock({joint.name: 0.4 for joint in both.joints[len(robot.joints) :]})
    assert locked.velocity_names == names
    renamed = replace(robot, joints=tuple(replace(joint, name=f"z{joint.name}") for joint in robot.joints))
    assert renamed.velocity_names == tuple(f"z{name}" for name in names)


@seeds(quick=5, all=200)
def test_the_choice_does_not_depend_on_where_it_is(seed, tmp_path):
    robot, _ = random_mechanism(seed, planar=seed % 2 == 0)
    carried = tf.robots.planar2r().attach(robot, at="link2", name="arm")
    assert carried.velocity_names[2:] == robot.velocity_names
    robot.save(tmp_path / "robot.toml")
    assert tf.load(tmp_path / "robot.toml").velocity_names == robot.velocity_names


def at_dead_centre(motor):
    """Return a slider-crank, which is flat at zero, with its motor on another joint."""
    robot = tf.robots.slider_crank()
    return replace(robot, joints=tuple(replace(joint, mu=int(joint.name == motor)) for joint in robot.joints))


@pytest.mark.parametrize("motor", ["crank", "rod", "slider"])
def test_a_motor_that_cannot_move_the_state_near_zero_is_independent(motor):
    robot = at_dead_centre(motor)
    assert robot.independent == (motor,)
    assert motor not in freedom(robot).held


def test_what_cannot_move_the_state_near_zero_can_be_chosen():
    assert tf.robots.slider_crank().with_independent("slider").independent == ("slider",)


def test_dynamics_of_a_piston_that_drives_its_crank():
    robot, rng = at_dead_centre("slider"), np.random.default_rng(0)
    crank = tf.robots.slider_crank()
    q = np.array([tf.close_loops(crank, [x]) for x in (0.5, 1.0, 2.0)])
    qd, qdd = rng.normal(size=(2, 3, 1))
    velocities, accelerations = tf.joint_motion(robot).compile()(q, qd, qdd)
    torques = tf.inverse_dynamics(crank).compile()(q, velocities[:, :1], accelerations[:, :1])
    power = tf.inverse_dynamics(robot).compile()(q, qd, qdd) * qd
    np.testing.assert_allclose(power, torques * velocities[:, :1], rtol=1e-10)


def rig(order, feet=False):
    """Return an MJCF mechanism: legs that carry a platform on a free joint; or that stand under it, on the ground."""
    inertial = '<inertial pos="0 0 0.2" mass="1" diaginertia="0.1 0.1 0.1"/>'
    hinge = '<joint name="{}" type="hinge" axis="0 1 0"/>' + inertial

    def leg(k, inner=""):
        end = f'<body name="shin{k}" pos="0 0 {-0.5 if feet else 0.5}">{hinge.format(f"knee{k}")}{inner}</body>'
        return f'<body name="thigh{k}" pos="{0.4 * k} -0.5 0">{hinge.format(f"hip{k}")}{end}</body>'

    legs = leg(0) + leg(1)
    platform = f'<body name="platform" pos="0 0 1"><freejoint name="platform"/>{inertial}{legs if feet else ""}</body>'
    parts = {"platform": platform, "legs": "" if feet else legs}
    other = 'body2="platform"' if not feet else ""
    closed = "".join(f'<connect body1="shin{k}" {other} anchor="0 0 {-0.5 if feet else 0.5}"/>' for k in (0, 1))
    motors = "".join(f'<motor joint="{name}"/>' for name in ("hip0", "knee0", "hip1"))
    return (
        f"<mujoco><worldbody>{''.join(parts[x] for x in order)}</worldbody><equality>{closed}</equality>"
        f"<actuator>{motors}</actuator></mujoco>"
    )


@pytest.mark.parametrize("order", [("platform", "legs"), ("legs", "platform")])
@pytest.mark.parametrize("feet", [False, True])
def test_the_motors_of_a_free_platform_are_independent_wherever_it_is_in_the_file(order, feet, tmp_path):
    path = tmp_path / "rig.xml"
    path.write_text(rig(order, feet))
    robot = tf.load(path)
    assert robot.actuated == ("hip0", "knee0", "hip1")
    assert robot.independent[:3] == robot.actuated
    assert robot.dof == len(robot.velocity_names) == 4
    chosen = robot.with_independent("hip0", "platform.vx", "platform.vz", "platform.wx")
    assert chosen.velocity_names == ("hip0", "platform.vx", "platform.vz", "platform.wx")


def test_a_floating_base_comes_before_the_motors_whatever_else_stands_on_the_ground():
    walker = tf.robots.fivebar().with_base("floating")
    first = walker.expanded()
    assert walker.velocity_names[6:] == tf.robots.fivebar().velocity_names
    table = tf.Joint(name="table", antecedent=0, mu=1)
    scene = replace(first, joints=(*first.joints, table), bodies=(*first.bodies, tf.Body(name="top")))
    assert scene.velocity_names[:6] == walker.velocity_names[:6]
