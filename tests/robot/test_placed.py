"""Joints and frames placed by points and axes are where 4x4 matrices put them."""

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import tauforge as tf
from tauforge.robot.joint import constant_frame

from ..oracles.with_pinocchio import Twin
from ..random_robots import seeds

LETTERS = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


def matrix(joint):
    """Return the pose of a joint at zero."""
    return np.array(joint.pose().in_numbers().homogeneous, dtype=float).reshape(4, 4)


def drawn(rng):
    """Return a point, angles and an axis as a user gives them, and the turned axis."""
    xyz = rng.uniform(-1, 1, 3) * rng.integers(0, 2, 3)
    rpy = rng.choice([0.0, math.pi / 2, -math.pi / 2, 1.0, -2.0], 3) * rng.integers(0, 2)
    axis = rng.choice(list(LETTERS)) if rng.random() < 0.6 else rng.normal(size=3)
    vector = np.array(LETTERS[axis] if isinstance(axis, str) else axis, dtype=float)
    R = pin.rpy.rpyToMatrix(*rpy)
    return {"xyz": xyz, "rpy": rpy, "axis": axis}, R, R @ vector / np.linalg.norm(vector)


@seeds(quick=25, all=400)
def test_random_placements(seed):
    """Origin and z are as given, in the link's coordinates or the world's, and x is across both z."""
    rng = np.random.default_rng(seed)
    joints, world, expected = [], [np.eye(4)], []
    for k in range(rng.integers(2, 6)):
        on, (where, R, z) = int(rng.integers(0, k + 1)), drawn(rng)
        relative_to = rng.choice(["link", "world"])
        base = world[on] if relative_to == "link" else np.eye(4)
        name = ["base", *(f"link{i}" for i in range(k))][on] if rng.random() < 0.5 else on
        sigma = rng.choice(["revolute", "prismatic"])
        joints.append(tf.Joint.at(f"j{k}", on=name, relative_to=relative_to, sigma=str(sigma), **where))
        expected.append((base[:3, :3] @ where["xyz"] + base[:3, 3], base[:3, :3] @ z, base[:3, :3] @ R[:, 2]))
        made = tf.Robot(name="r", joints=tuple(joints), bodies=tuple(tf.Body(name=f"link{i}") for i in range(k + 1)))
        world = [np.eye(4)]
        for joint in made.joints:
            world.append(world[joint.antecedent] @ matrix(joint))
    for T, (origin, z, before) in zip(world[1:], expected, strict=True):
        np.testing.assert_allclose(T[:3, 3], origin, atol=1e-12)
        np.testing.assert_allclose(T[:3, 2], z, atol=1e-12)
        if np.linalg.norm(np.cross(z, before)) > 1e-9:
            assert abs(T[:3, 0] @ before) < 1e-12
    assert made.free_frames
    where, R, z = drawn(rng)
    for relative_to in ("link", "world"):
        robot = made.with_frame("tip", on=f"link{len(joints) - 1}", relative_to=relative_to, **where)
        base = world[-1] if relative_to == "link" else np.eye(4)
        T = world[-1] @ matrix(robot.frames[-1])
        np.testing.assert_allclose(T[:3, 3], base[:3, :3] @ where["xyz"] + base[:3, 3], atol=1e-12)
        np.testing.assert_allclose(T[:3, 2], base[:3, :3] @ z, atol=1e-12)
        if isinstance(where["axis"], str) and where["axis"] == "z":
            np.testing.assert_allclose(T[:3, :3], base[:3, :3] @ R, atol=1e-12)


@seeds(quick=6, all=60)
def test_models_of_placed_joints(seed):
    """The dynamics are those of a robot in Pinocchio that is built from the same points and axes."""
    rng = np.random.default_rng(seed)
    model, joints, bodies, frames = pin.Model(), [], [], [pin.SE3.Identity()]
    model.gravity.linear = np.array([0, 0, -9.81])
    for k in range(4):
        on, (where, _, z) = int(rng.integers(0, k + 1)), drawn(rng)
        joints.append(tf.Joint.at(f"j{k}", on=on, relative_to="world", **where))
        mass, com = rng.uniform(1, 3), rng.uniform(-0.3, 0.3, 3)
        bodies.append((mass, com))
        made = pin.JointModelRevoluteUnaligned(z)
        at = pin.SE3(np.eye(3), where["xyz"])
        model.addJoint(on, made, frames[on].actInv(at), f"j{k}")
        frames.append(at)
        model.appendBodyToJoint(k + 1, pin.Inertia(mass, com - where["xyz"], np.eye(3) * 0.05), pin.SE3.Identity())
    robot = tf.Robot(name="r", joints=tuple(joints), bodies=tuple(tf.Body(name=f"b{k}") for k in range(4)))
    for k, (mass, com) in enumerate(bodies):  # drawn in the world, at zero
        robot = robot.with_frame(f"drawing{k}", on=f"b{k}", relative_to="world")
        robot = robot.payload(mass, com, np.eye(3) * 0.05, at=f"drawing{k}")
    q, qd, qdd = rng.uniform(-2, 2, (3, 4))
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    np.testing.assert_allclose(tau, pin.rnea(model, model.createData(), q, qd, qdd), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(Twin(robot.to_mdh()).model.nv, 4)


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_planar_arms(seed):
    """An arm drawn by the points of its pins costs no more than its table written by hand."""
    rng = np.random.default_rng(seed)
    count = 3 + seed % 2
    heading, points = np.cumsum(rng.uniform(-1, 1, count)), [np.zeros(2)]
    lengths = rng.uniform(0.3, 1.0, count)
    for angle, length in zip(heading, lengths, strict=True):
        points.append(points[-1] + length * np.array([math.cos(angle), math.sin(angle)]))
    bodies = tuple(tf.Body.solid(f"b{k}", 1.0 + k, (0.5 * x, 0.05, 0)) for k, x in enumerate(lengths))
    turns = np.diff(heading, prepend=0.0)
    table = [tf.Joint(name=f"j{k}", antecedent=k, d=lengths[k - 1] if k else 0.0, theta=turns[k]) for k in range(count)]
    by_hand = tf.Robot(name="arm", joints=tuple(table), bodies=bodies, gravity=(0, -9.81, 0))
    drawing = tf.Robot(
        name="arm",
        joints=tuple(tf.Joint.at(f"j{k}", on=k, xyz=(*points[k], 0.0), relative_to="world") for k in range(count)),
        bodies=tuple(tf.Body(name=f"b{k}") for k in range(count)),
        gravity=(0, -9.81, 0),
    )
    for k in range(count):
        drawing = drawing.with_frame(f"along{k}", on=f"b{k}", rpy=(0, 0, heading[k]))
        drawing = drawing.payload(1.0 + k, (0.5 * lengths[k], 0.05, 0), at=f"along{k}")
    for model in (tf.inverse_dynamics, tf.direct_dynamics):
        assert model(drawing).count().total <= model(by_hand).count().total
    q, qd, qdd = rng.uniform(-1, 1, (3, count))
    np.testing.assert_allclose(
        tf.inverse_dynamics(drawing).compile()(q, qd, qdd),
        tf.inverse_dynamics(by_hand).compile()(q, qd, qdd),
        rtol=1e-10,
    )


def test_same_parameters_as_by_hand():
    bodies = tuple(tf.Body(name=x) for x in "abc")
    table = (
        tf.Joint(name="1", antecedent=0),
        tf.Joint(name="2", antecedent=1, alpha=math.pi / 2, d=0.3),
        tf.Joint(name="3", antecedent=2, d=0.5, sigma="prismatic"),
    )
    placed = (
        tf.Joint.at("1", on="base"),
        tf.Joint.at("2", on="a", xyz=(0.3, 0, 0), axis="-y"),
        tf.Joint.at("3", on="b", xyz=(0.8, 0, 0), axis="-y", relative_to="world", sigma="prismatic"),
    )
    kwargs = {"name": "r", "bodies": bodies}
    assert tf.Robot(joints=placed, **kwargs).joints == tf.Robot(joints=table, **kwargs).joints


def test_followers_are_placed_where_they_are_at_zero():
    joints = (
        tf.Joint.at("a", on="base"),
        tf.Joint.at("b", on="A", xyz=(1, 0, 0), relative_to="world", mimic=tf.Mimic({"a": 1.0}, offset=0.7)),
        tf.Joint.at("c", on="B", xyz=(2, 1, 0), relative_to="world"),
    )
    robot = tf.Robot(name="r", joints=joints, bodies=tuple(tf.Body(name=x) for x in "ABC"))
    T = np.eye(4)
    for joint in robot.joints:
        T = T @ np.array(joint.pose([0.7 if joint.mimic else 0.0]).in_numbers().homogeneous, dtype=float).reshape(4, 4)
    np.testing.assert_allclose(T[:3, 3], (2, 1, 0), atol=1e-14)


def test_loops_of_placed_frames():
    """A four-bar from the points of its pins, with axes along y, closed where it is drawn."""
    pins = {"crank": (0, 0, 0), "coupler": (0, 0, 0.2), "rocker": (0.5, 0, 0)}
    robot = tf.Robot(
        name="fourbar",
        joints=(
            tf.Joint.at("crank", on="base", axis="y"),
            tf.Joint.at("coupler", on="a", xyz=pins["coupler"], axis="y", relative_to="world", mu=0),
            tf.Joint.at("rocker", on="base", xyz=pins["rocker"], axis="y", mu=0),
        ),
        bodies=tuple(tf.Body.solid(x, 1.0, (0.1, 0, 0)) for x in "abc"),
    )
    tree = robot
    for end, on in (("p", "b"), ("r", "c")):
        robot = robot.with_frame(end, on=on, xyz=(0.6, 0, 0.3), axis="y", relative_to="world")
    robot = robot.with_loop("p", "r", kind="revolute", name="pin")
    np.testing.assert_allclose(tf.close_loops(robot, [0.0], guess=[0, 0, 0]), 0.0, atol=1e-9)
    assert robot.dof == 1
    assert robot.free_frames
    at_point = tree.with_loop("b", "c", kind="revolute", name="pin", xyz=(0.6, 0, 0.3), axis="y", relative_to="world")
    on_link = tree.with_loop("b", "c", kind="revolute", name="pin", xyz=(0.6, -0.1, 0), axis=(0, 0, 2))
    for shorter in (at_point, on_link):
        np.testing.assert_allclose(tf.close_loops(shorter, [0.2]), tf.close_loops(robot, [0.2]), atol=1e-12)
        assert shorter.loops[0].joint.name == "pin"
        assert not shorter.frames


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"axis": "y"}, "place the joint only together with xyz"),
        ({"rpy": (0, 0, 1)}, "place the joint only together with xyz"),
        ({"relative_to": "world"}, "place the joint only together with xyz"),
        ({"xyz": (0, 0)}, "xyz is .* must be three numbers"),
        ({"xyz": (0, 0, 0), "relative_to": "here"}, "must be 'link' or 'world'"),
    ],
)
def test_what_a_loop_refuses(more, message):
    with pytest.raises(tf.RobotError, match=message):
        tf.robots.puma560().with_loop("link6", "base", **more)


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_payload_in_the_world(base):
    """Masses of a drawing are those in a frame with the world's axes."""
    robot = tf.robots.puma560().with_base(base)
    inertia = [[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]]
    load = 2.0, (0.1, -0.2, 0.7), inertia
    framed = robot.with_frame("drawing", on="link4", relative_to="world").payload(*load, at="drawing")
    there = robot.payload(*load, at="link4", relative_to="world")
    for one, other in zip(framed.bodies, there.bodies, strict=True):
        np.testing.assert_allclose([*map(float, one.inertia)], [*map(float, other.inertia)], rtol=1e-12, atol=1e-14)
    with pytest.raises(tf.RobotError, match="must be 'link' or 'world'"):
        robot.payload(*load, at="link4", relative_to="here")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"xyz": (0, 0)}, "xyz is .* must be three numbers"),
        ({"rpy": "up"}, "rpy is 'up'"),
        ({"axis": "w"}, "axis is 'w'; it must be x, y, z, -x, -y, -z, or three numbers"),
        ({"axis": (0, 0, 0)}, "axis is zero"),
        ({"xyz": (0, math.inf, 0)}, "finite"),
        ({"xyz": ("L1", 0, 0)}, "symbols need the fields of a Joint"),
        ({"relative_to": "here"}, "relative_to is 'here'; it must be 'link' or 'world'"),
        ({"d": 1.0}, "takes no d; xyz, rpy and axis place the joint"),
    ],
)
def test_refusals(fields, message):
    with pytest.raises(tf.RobotError, match=message):
        tf.Joint.at("j", **{"on": "base", **fields})


def test_refusals_of_robots():
    def robot(*joints):
        return tf.Robot(name="r", joints=joints, bodies=tuple(tf.Body(name=x.name.upper()) for x in joints))

    with pytest.raises(tf.RobotError, match="the antecedent of 'j' is 'nowhere'"):
        robot(tf.Joint.at("j", on="nowhere"))
    symbolic = tf.Joint(name="i", antecedent=0, d="L1")
    with pytest.raises(tf.RobotError, match="'i' has a pose with symbols"):
        robot(symbolic, tf.Joint.at("j", on="I", relative_to="world"))
    assert robot(symbolic, tf.Joint.at("j", on="I")).symbols == ("L1",)
    with pytest.raises(tf.RobotError, match="no link, frame or joint 'nowhere'"):
        robot(symbolic).with_frame("f", on="nowhere")
    assert replace(robot(symbolic), frames=(constant_frame("f", 1),)).frames
