"""URDF: what each element means, and robots that are written and read again."""

import math
import os
import sys
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.formats import load
from tauforge.formats.urdf.parts import is_possible
from tauforge.robot.body import Visual
from tauforge.robot.joint import Limits, Mimic
from tauforge.robot.kinds import FLOATING, PLANAR
from tauforge.robot.placement import placement
from tauforge.spatial.pose import Pose
from tauforge.spatial.rotation import Rotation
from tauforge.spatial.vector import Vector

from ..interpret import interpret
from ..random_robots import random_robot, seeds

BODY = (
    '<inertial><origin xyz="{com}"/><mass value="2"/>'
    '<inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.2" iyz="0" izz="0.25"/></inertial>'
).format


def link(name: str, com: str = "0.1 0 0.2", more: str = "") -> str:
    return f'<link name="{name}">{BODY(com=com)}{more}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", more: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


@pytest.fixture
def read(tmp_path):
    def read(*parts: str, **options: object) -> tf.Robot:
        path = tmp_path / "arm.urdf"
        path.write_text(f'<robot name="arm">{"".join(parts)}</robot>', encoding="utf-8")
        return load(path, **options)

    return read


def rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    def turn(axis: int, angle: float) -> np.ndarray:
        R, (i, j) = np.eye(3), [(1, 2), (2, 0), (0, 1)][axis]
        R[i, i] = R[j, j] = math.cos(angle)
        R[i, j], R[j, i] = -math.sin(angle), math.sin(angle)
        return R

    return turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)


def transform(robot: tf.Robot, name: str, *q: float) -> np.ndarray:
    return interpret(tf.transforms(robot, frames=name), q)[0]


@pytest.mark.parametrize(
    "axis", ["1 0 0", "0 1 0", "0 0 1", "-1 0 0", "0 -2 0", "0 0 -1", "1 2 -3", "0 3 4", "1e-200 0 0"]
)
def test_a_joint_turns_about_its_axis_from_its_origin(read, axis):
    robot = read(
        link("a"),
        link("b"),
        joint("j", "a", "b", more=f'<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="{axis}"/>'),
    )
    a = np.array(axis.split(), float)
    a /= np.abs(a).max()
    x, y, z = a / np.linalg.norm(a)
    K, q = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), 0.7
    expected = np.eye(4)
    expected[:3, :3] = rpy(0.1, 0.2, 0.3) @ (np.eye(3) + math.sin(q) * K + (1 - math.cos(q)) * K @ K)
    expected[:3, 3] = 1, 2, 3
    np.testing.assert_allclose(transform(robot, "b", q), expected, atol=1e-14)


def test_defaults(read):
    """No origin is the identity, no axis is x, no inertial no inertia."""
    robot = read(link("a"), '<link name="c"/>', link("b"), joint("k", "c", "b"), joint("j", "b", "a", "prismatic"))
    assert [x.name for x in robot.joints] == ["k", "j"]
    assert robot.base.body == tf.Body(name="c")
    np.testing.assert_allclose(transform(robot, "a", 0.0, 0.5)[:3, 3], [0.5, 0, 0])
    np.testing.assert_allclose(transform(robot, "b", math.pi / 2, 0.0)[:3, :3], rpy(math.pi / 2, 0, 0), atol=1e-15)


@pytest.mark.parametrize("axis", ["1 0 0", "0 1 0", "0 0 1", "-1 0 0", "0 -1 0", "0 0 -1"])
def test_quarter_turns_are_exact(read, axis):
    """Also where the file has them with ten digits: no angle and no moment is left that is only rounding."""
    more = f'<origin xyz="0 0.3 0" rpy="1.5707963268 0 -1.5707963268"/><axis xyz="{axis}"/>'
    robot = read(
        *(link(name, "0 0 0.2") for name in "abc"), joint("j", "a", "b", more=more), joint("k", "b", "c", more=more)
    )
    for x in robot.joints:
        assert all(angle in [math.pi / 2 * k for k in range(-2, 3)] for angle in (x.gamma, x.alpha, x.theta))
        assert sum(map(bool, (x.b, x.d, x.e, x.r))) <= 1
    assert all(sum(map(bool, body.inertia[6:9])) == 1 for body in robot.bodies)


def test_snapping(read):
    rounded = '<origin rpy="1.5708 0 3.1416"/><axis xyz="0 0.00001 1"/>'
    parts = (link("a"), link("b"), joint("j", "a", "b", more=rounded))
    exact = read(
        link("a"),
        link("b"),
        joint("j", "a", "b", more='<origin rpy="1.5707963267948966 0 3.141592653589793"/><axis xyz="0 0 1"/>'),
    )
    assert read(*parts, snap=1e-4) == exact
    assert read(*parts) != exact
    nearly = (link("a"), link("b"), joint("j", "a", "b", more='<origin rpy="1.5707963263 0 0"/><axis xyz="0 0 1"/>'))
    assert read(*nearly).joints[0].alpha == math.pi / 2
    assert abs(read(*nearly, snap=0).joints[0].alpha - 1.5707963263) < 1e-15


def test_inertial_origins_turn(read):
    """The inertia matrix is about the centre of mass, in the axes of the inertial's origin."""
    com, angles = np.array([0.1, -0.2, 0.3]), (0.4, -0.5, 0.6)
    inertial = BODY(com="0.1 -0.2 0.3").replace('"/><mass', '" rpy="0.4 -0.5 0.6"/><mass')
    robot = read(link("a"), f'<link name="b">{inertial}</link>', joint("j", "a", "b", more='<axis xyz="0 0 1"/>'))
    J = np.array([[0.3, 0.01, 0.02], [0.01, 0.2, 0], [0.02, 0, 0.25]])
    expected = rpy(*angles) @ J @ rpy(*angles).T + 2 * (com @ com * np.eye(3) - np.outer(com, com))
    inertia = robot.bodies[0].inertia
    np.testing.assert_allclose(inertia[:6], expected[np.triu_indices(3)], atol=1e-14)
    np.testing.assert_allclose(inertia[6:], [*(2 * com), 2])


def test_fixed_links_are_merged_and_their_frames_kept(read):
    at = '<origin xyz="0 0 0.5" rpy="0 0.3 0"/>'
    robot = read(
        link("base"),
        link("arm"),
        link("flange"),
        '<link name="tool"/>',
        link("foot"),
        joint("fixed1", "arm", "flange", "fixed", at),
        joint("fixed2", "flange", "tool", "fixed", at),
        joint("fixed3", "base", "foot", "fixed", at),
        joint("shoulder", "base", "arm", more='<axis xyz="0 1 0"/>'),
    )
    assert [body.name for body in robot.bodies] == ["arm"]
    assert robot.bodies[0].inertia.M == 4
    assert robot.base.body.inertia.M == 4
    assert set(robot.frame_names) == {"arm", "flange", "tool", "foot"}
    T = np.eye(4)
    T[:3, :3], T[2, 3] = rpy(0, 0.3, 0), 0.5
    Y = np.eye(4)
    Y[:3, :3] = rpy(0, 0.9, 0)
    np.testing.assert_allclose(transform(robot, "tool", 0.9), Y @ T @ T, atol=1e-15)
    np.testing.assert_allclose(transform(robot, "arm", 0.9), Y, atol=1e-15)
    np.testing.assert_allclose(transform(robot, "foot", 0.9), T, atol=1e-15)


def test_a_frame_called_base_is_no_other(read):
    """UR's arms have a frame of this name that is turned against the root."""
    robot = read(
        link("root"),
        link("arm"),
        '<link name="base"/>',
        joint("j", "root", "arm"),
        joint("f", "root", "base", "fixed", '<origin rpy="0 0 0.5"/>'),
    )
    np.testing.assert_allclose(transform(robot, "base", 0.3)[:3, :3], rpy(0, 0, 0.5))
    np.testing.assert_allclose(transform(robot, "arm", 0.3)[:3, :3], rpy(0.3, 0, 0))


def test_limits_and_friction(read):
    limit = '<limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.1"/>'
    kinds = ("revolute", "continuous", "prismatic")
    parts = [joint(kind, "a", kind, kind, limit) for kind in kinds]
    robot = read(link("a"), *map(link, kinds), link("free"), *parts, joint("free", "a", "free"))
    turning, endless, sliding, free = robot.joints
    assert turning.limits == sliding.limits == Limits(lower=-1, upper=2, velocity=4, effort=30)
    assert endless.limits == Limits(velocity=4, effort=30)
    assert free.limits == Limits()
    assert (turning.FV, turning.FS) == (0.5, 0.1)
    some = read(
        link("a"), link("b"), joint("j", "a", "b", more='<limit effort="inf" upper="1e400"/>'.replace("1e400", "inf"))
    )
    assert some.joints[0].limits == Limits(lower=0.0)


def test_the_file_s_order_is_kept_where_it_can_be(read):
    names = "abcdef"
    tree = {"b": "a", "c": "a", "d": "b", "e": "c", "f": "e"}

    def order(file: str) -> list[str]:
        return [x.name for x in read(*map(link, names), *(joint(x, tree[x], x) for x in file)).joints]

    assert order("bcdef") == [*"bcdef"]
    assert order("cefbd") == [*"cefbd"]
    assert order("dbfec") == [*"bdcef"]
    assert order("fedcb") == [*"cefbd"]


def test_mimic_joints(read):
    """Chains of followers end at the joint that moves; its coordinate is the only one."""
    parts = [link(name) for name in "abcd"]
    robot = read(
        *parts,
        joint("x", "a", "b", more='<mimic joint="y" multiplier="2" offset="0.1"/>'),
        joint("y", "b", "c", more='<mimic joint="z" multiplier="-3" offset="0.2"/>'),
        joint("z", "c", "d", "continuous"),
    )
    assert robot.joints[0].mimic == Mimic(joint=3, ratio=-6.0, offset=0.5)
    assert robot.joints[1].mimic == Mimic(joint=3, ratio=-3.0, offset=0.2)
    assert robot.dof == 1
    np.testing.assert_allclose(transform(robot, "b", 0.2)[:3, :3], rpy(-0.7, 0, 0), atol=1e-15)


@pytest.mark.parametrize(("master", "kind", "what"), [("q", "revolute", "does not exist"), ("f", "fixed", "is fixed")])
def test_a_mimic_joint_without_master_moves_by_itself(read, master, kind, what):
    parts = [*map(link, "abc"), joint("j", "a", "b", more=f'<mimic joint="{master}"/>'), joint("f", "b", "c", kind)]
    with pytest.warns(tf.RobotWarning, match=f"joint j should follow joint {master}, which {what}"):
        robot = read(*parts)
    assert robot.joints[0].mimic is None


def test_floating_and_planar_joints(read):
    more = '<origin xyz="1 2 3"/><axis xyz="1 0 0"/>'
    robot = read(*map(link, "abc"), joint("fly", "a", "b", "floating", more), joint("slip", "a", "c", "planar", more))
    assert [x.sigma for x in robot.joints] == [FLOATING, PLANAR]
    q = [0.1, 0.2, 0.3, 0.0, 0.0, math.sin(0.2), math.cos(0.2), 0.4, 0.5, 0.6]
    T = transform(robot, "b", *q)
    np.testing.assert_allclose(T[:3, 3], [1.1, 2.2, 3.3])
    np.testing.assert_allclose(T[:3, :3], rpy(0, 0, 0.4), atol=1e-15)
    T = transform(robot, "c", *q)
    assert T[0, 3] == pytest.approx(1)  # it stays in the plane across its axis
    assert np.linalg.norm(T[1:3, 3] - [2, 3]) == pytest.approx(math.hypot(0.4, 0.5))
    np.testing.assert_allclose(T[:3, :3], rpy(0.6, 0, 0), atol=1e-15)


def test_visuals(read):
    shape = '<visual><origin xyz="0 0 1" rpy="0 0 {}"/><geometry>{}</geometry><material name="m"/></visual>'.format
    shapes = (
        '<mesh filename="package://arm/x.stl" scale="2 2 2"/>',
        '<box size="1 2 3"/>',
        '<cylinder radius="1" length="2"/>',
        '<sphere radius="3"/>',
        '<capsule radius="1" length="2"/>',
        "<unknown/>",
    )
    looks = "".join(shape(0.5, x) for x in shapes) + "<visual/>"
    robot = read(
        link("a", more=shape(0, shapes[0])), link("b", more=looks), joint("j", "a", "b", more='<axis xyz="0 0 1"/>')
    )
    assert robot.base.body.visuals[0].file == "package://arm/x.stl"
    seen = robot.bodies[0].visuals
    assert [(x.shape, x.size) for x in seen] == [
        ("mesh", (2, 2, 2)),
        ("box", (1, 2, 3)),
        ("cylinder", (1, 2)),
        ("sphere", (3,)),
        ("capsule", (1, 2)),
    ]
    np.testing.assert_allclose(np.reshape(seen[1].pose, (4, 4))[:3, :3], rpy(0, 0, 0.5))
    assert seen[0].pose[11] == 1


def test_a_broken_look_is_told_of_and_left_out(read):
    broken = '<visual><geometry><mesh filename="x.stl" scale="1 1 1 1"/></geometry></visual>'
    with pytest.warns(tf.RobotWarning, match='link a is not shown: .*<mesh> .* scale is "1 1 1 1"'):
        robot = read(link("a", more=broken), link("b"), joint("j", "a", "b"))
    assert robot.base.body.visuals == ()


@pytest.mark.parametrize(
    "head", ['<?xml version="0.0"?>', '\n<?xml version="1.0"?>', "<!-- a --><?xml version='1.0'?>", "<x:x/>"]
)
def test_first_lines_that_other_tools_do_not_mind(head, tmp_path):
    path = tmp_path / "arm.urdf"
    inside, head = (head, "") if ":" in head else ("", head)
    path.write_text(f'{head}<robot name="arm">{inside}{link("a")}{link("b")}{joint("j", "a", "b")}</robot>')
    assert load(path).dof == 1
    path.write_text(path.read_text().replace("</robot>", ""))
    with pytest.raises(tf.RobotError, match="not XML"):
        load(path)


def test_what_other_tools_add_is_skipped(read):
    more = (
        "<gazebo><x/></gazebo><transmission name='t'><joint name='j'/></transmission><!-- c --><?pi?><sensor name='s'/>"
    )
    plain = read(link("a"), link("b"), joint("j", "a", "b"))
    assert (
        read(
            more,
            link("a", more="<collision><geometry/></collision>"),
            link("b"),
            joint("j", "a", "b", more="<safety_controller/>"),
            "<other:x/>",
        )
        == plain
    )


def test_namespaces(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(
        f'<robot xmlns="http://ros.org" xmlns:xacro="x" name="arm">{link("a")}{link("b")}{joint("j", "a", "b")}</robot>'
    )
    assert load(path).dof == 1


def test_the_base(read):
    parts = (link("a"), link("b"), joint("j", "a", "b"))
    assert read(*parts).dof == read(*parts, base="fixed").dof == 1
    floating = read(*parts, base="floating")
    assert floating.dof == 7
    assert floating.base.body.inertia.M == 2
    alone = read(link("a"), base="floating")  # a body without joints, as of a drone
    assert interpret(tf.inverse_dynamics(alone), [0, 0, 0, 0, 0, 0, 1], [0] * 6, [0, 0, 1, 0, 0, 0])[
        2
    ] == pytest.approx(2 * 10.81)


def test_doubtful_inertias(read):
    parts = (link("a"), '<link name="empty"/>', link("bad").replace('izz="0.25"', 'izz="0.6"'), '<link name="tip"/>')
    with pytest.warns(tf.RobotWarning) as warned:
        robot = read(*parts, joint("j", "a", "empty"), joint("k", "empty", "bad"), joint("f", "bad", "tip", "fixed"))
    first, second = (str(w.message) for w in warned)
    assert "no inertia on what moves as link empty" in first
    assert "no body can have on link bad" in second
    assert robot.bodies[0].inertia == tf.Inertia()
    assert robot.bodies[1].inertia.M == 2
    assert all(w.filename == __file__ for w in warned)


@pytest.mark.parametrize("seed", range(20))
def test_possible_inertias(seed):
    random = Random(seed)
    rng = np.random.default_rng(seed)
    moments = rng.uniform(0.1, 1, 3)
    R = rpy(*rng.uniform(-3, 3, 3))
    for second, possible in ((moments, True), (moments * [1, 1, -0.1], False), (moments * [1, 1, 0], True)):
        J = R @ np.diag(sum(second) - second) @ R.T * 10 ** random.randint(-6, 3)
        assert is_possible(1.0, tuple(J[np.triu_indices(3)])) == possible
    assert is_possible(1.0, (0.0,) * 6)
    assert not is_possible(0.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    assert not is_possible(1.0, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0))


def written(robot: tf.Robot, tmp_path, **options: object) -> tf.Robot:
    robot.save(tmp_path / "again.urdf")
    return load(tmp_path / "again.urdf", **options)


@seeds(10, 60)
def test_robots_are_read_back_equal_in_their_torques(seed, tmp_path):
    random = Random(seed)
    robot = replace(random_robot(seed, largest=7), gravity=(0.0, 0.0, -9.81))
    joints = []
    for number, x in enumerate(robot.joints, 1):
        one = x.sigma in (0, 1)
        kind = random.choice((FLOATING, PLANAR)) if random.random() < 0.15 else x.sigma
        law = {"FV": random.random(), "FS": random.random()} if one and kind == x.sigma else {}
        limits = Limits(lower=-random.random(), effort=random.random()) if random.random() < 0.5 else Limits()
        joints.append(replace(x, sigma=kind, limits=limits, **law))
        master = random.choice(joints)
        if number > 1 and len(joints[-1].axes) == len(master.axes) == 1 and not master.mimic and master.name != x.name:
            mimic = Mimic(joint=joints.index(master) + 1, ratio=random.uniform(-2, 2), offset=random.random())
            joints[-1] = replace(joints[-1], mimic=mimic)
    frames = []
    for k in range(random.randint(0, 4)):  # some with a link's name, on its axis or off it
        on = random.randint(0, len(joints))
        name = random.choice([f"frame{k}", robot.bodies[on - 1].name if on else f"other{k}"])
        P = Vector(0.0, 0.0, 0.2) if random.random() < 0.5 else Vector(*(random.uniform(-1, 1) for _ in range(3)))
        R = Rotation.of(tuple(Vector(*row) for row in rpy(*(random.uniform(-3, 3) for _ in range(3)))))
        if name not in {frame.name for frame in frames}:
            frames.append(tf.Joint(name=name, antecedent=on, sigma=2, mu=0, **placement(Pose(R, P))))
    looks = Visual(shape="box", size=(1.0, 2.0, 3.0), pose=(*np.eye(4).ravel(),))
    bodies = tuple(replace(body, visuals=(looks,)) for body in robot.bodies)
    robot = replace(robot, joints=tuple(joints), frames=tuple(frames), bodies=bodies)
    again, small = written(robot, tmp_path), robot.merged()
    assert again.joint_names == small.joint_names
    assert set(small.frame_names) <= set(again.frame_names)
    if not robot.dof:
        return
    q, qd, qdd = _state(small, seed)
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(
        interpret(tf.inverse_dynamics(again), q, qd, qdd), interpret(tf.inverse_dynamics(small), q, qd, qdd), **close
    )
    names = small.frame_names
    np.testing.assert_allclose(
        interpret(tf.transforms(again, frames=names), q), interpret(tf.transforms(small, frames=names), q), **close
    )
    assert [x.limits for x in again.joints] == [_in_urdf(x) for x in small.joints]
    twice = written(again, tmp_path)
    np.testing.assert_allclose(
        interpret(tf.inverse_dynamics(twice), q, qd, qdd), interpret(tf.inverse_dynamics(again), q, qd, qdd), **close
    )


def _in_urdf(x: tf.Joint) -> Limits:
    """Return a joint's limits as URDF has them: a floating joint's are not written."""
    if x.sigma == FLOATING:
        return Limits()
    return replace(x.limits, lower=-math.inf, upper=math.inf) if x.sigma == PLANAR else x.limits


def _state(robot: tf.Robot, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, len(robot.coordinate_names))
    return [q, *rng.uniform(-1, 1, (2, robot.dof))]


def test_reading_what_was_written_changes_nothing(read, tmp_path):
    """Names, axes, limits, looks and links without inertia come back as they were."""
    more = '<origin xyz="1 2 3" rpy="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="2" velocity="3"/>'
    looks = '<visual><geometry><mesh filename="a &amp; b.stl"/></geometry></visual>'
    robot = read(
        link("a"),
        link("b &quot;c&quot;", more=looks),
        '<link name="tip"/>',
        joint("j&lt;", "a", "b &quot;c&quot;", more=more),
        joint("f", "b &quot;c&quot;", "tip", "fixed", more),
    )
    again = written(robot, tmp_path)
    assert again.joint_names == robot.joint_names == ("j<",)
    assert again.bodies[0].visuals[0].file == "a & b.stl"
    assert again.joints[0].limits == robot.joints[0].limits
    assert set(again.frame_names) == set(robot.frame_names) == {'b "c"', "tip"}
    assert '<axis xyz="0.0 1.0 0.0"/>' in (tmp_path / "again.urdf").read_text()


@pytest.mark.filterwarnings("ignore:.*no body can have")  # published parameters without those that do not matter
@pytest.mark.parametrize("name", tf.robots.names())
def test_bundled_robots_are_written_or_refused(name, tmp_path):
    robot = tf.robots.bundled(name)
    if robot.symbols:
        with pytest.raises(tf.RobotError, match="URDF cannot hold symbols"):
            written(robot, tmp_path)
        return
    if robot.loops:
        with pytest.raises(tf.RobotError, match="URDF cannot hold closed loops"):
            written(robot, tmp_path)
        return
    again = written(replace(robot.neglect("IA"), gravity=(0.0, 0.0, -9.81)), tmp_path)
    q, qd, qdd = _state(again, 1)
    model = replace(robot.neglect("IA"), gravity=(0.0, 0.0, -9.81)).merged()
    np.testing.assert_allclose(
        interpret(tf.inverse_dynamics(again), q, qd, qdd), interpret(tf.inverse_dynamics(model), q, qd, qdd), atol=1e-9
    )


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda r: replace(r, gravity=(0.0, 0.0, -1.6)), "gravity"),
        (lambda r: _with(r, IA=0.1), "IA of joint 'joint1'"),
        (lambda r: _with(r, eta=1, k=3.0), "elasticity of joint 'joint1'"),
        (lambda r: _with(r, sigma=3), "spherical motion of joint 'joint1'"),
        (lambda r: _with(r, sigma=5, FV=1.0), "friction of joint 'joint1'"),
        (lambda r: _with(r, QP=0.5), "QP of joint 'joint1'"),
        (lambda r: _with(r, d="L1"), r"symbols \(L1\)"),
        (lambda r: replace(r, base=tf.Base(W0=(0.0, 0.0, 1.0))), "motion of a base"),
        (lambda r: replace(r, base=tf.Base(pose=(2.0, *tf.Base().pose[1:]))), "pose"),
        (lambda r: replace(r, bodies=(tf.Body(name="x", inertia=tf.Inertia(MX=1.0)),)), "first moments of link 'x'"),
        (lambda r: replace(r, bodies=(tf.Body(name="x", wrench=(1.0, 0, 0, 0, 0, 0)),)), "wrench of link 'x'"),
        (lambda r: replace(r, loops=(_loop(),)), "closed loops"),
    ],
)
def test_what_urdf_cannot_hold_is_refused(change, what, tmp_path):
    robot = change(replace(random_robot(4, largest=1, fixed=False), gravity=(0.0, 0.0, -9.81)))
    with pytest.raises(tf.RobotError, match=f"URDF cannot hold .*{what}"):
        robot.save(tmp_path / "x.urdf")
    assert not (tmp_path / "x.urdf").exists()


def _with(robot: tf.Robot, **changes: object) -> tf.Robot:
    return replace(robot, joints=(replace(robot.joints[0], **changes),))


def _loop() -> tf.Loop:
    return tf.Loop(joint=tf.Joint(name="cut", antecedent=1), frame=tf.Joint(name="end", antecedent=0, sigma=2))


def test_a_floating_base_is_told_of(read, tmp_path):
    robot = read(link("a"), link("b"), joint("j", "a", "b", "continuous", '<axis xyz="0 0 1"/>'), base="floating")
    with pytest.warns(tf.RobotWarning, match='load it with base="floating"') as warned:
        again = written(robot, tmp_path, base="floating")
    assert warned[0].filename == __file__
    q, qd, qdd = _state(robot.expanded(), 3)
    np.testing.assert_allclose(
        interpret(tf.inverse_dynamics(again), q, qd, qdd), interpret(tf.inverse_dynamics(robot), q, qd, qdd), rtol=1e-12
    )


XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:include filename="parts.xacro"/>
<xacro:include filename="$(find arm_description)/urdf/parts.xacro"/>
<xacro:arg name="length" default="0.5"/>
<xacro:beam name="a"/><xacro:beam name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 $(arg length)"/></joint>
</robot>"""
PARTS = f"""<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="${{1+1}}"/>
<xacro:macro name="beam" params="name">{link("${name}").replace('value="2"', 'value="${2*m}"')}</xacro:macro></robot>"""


@pytest.fixture
def package(tmp_path):
    (tmp_path / "package.xml").write_text("<package><name>arm_description</name></package>")
    folder = tmp_path / "urdf"
    folder.mkdir()
    (folder / "arm.urdf.xacro").write_text(XACRO)
    (folder / "parts.xacro").write_text(PARTS)
    return folder / "arm.urdf.xacro"


def test_xacro(package):
    robot = load(package)
    assert robot.bodies[0].inertia.M == 4
    assert transform(robot, "b", 0.0)[2, 3] == 0.5
    with pytest.raises(tf.RobotError, match="xacro files can only be read"):
        robot.save(package)


def test_xacro_finds_packages_by_their_path(package, tmp_path, monkeypatch):
    other = tmp_path / "elsewhere" / "leg"
    (other / "urdf").mkdir(parents=True)
    (other / "package.xml").write_text("<package><name>leg</name></package>")
    (other / "urdf" / "parts.xacro").write_text(PARTS)
    package.write_text(XACRO.replace("$(find arm_description)", "$(find leg)"))
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(other.parent))
    assert load(package).dof == 1
    (other / "package.xml").write_text("<package><name>arm</name></package>")  # another one's folder of that name
    assert load(package).dof == 1
    (other / "package.xml").unlink()
    assert load(package).dof == 1
    assert "ament_index_python" not in sys.modules


@pytest.mark.parametrize("place", ["leg", "deep/down/leg", "prefix/share/leg"])
def test_xacro_finds_folders_without_package_xml(package, tmp_path, monkeypatch, place):
    """A folder of the package's name on the path counts as the package, however deep; so does an installed one."""
    folder = tmp_path / "elsewhere" / place
    (folder / "urdf").mkdir(parents=True)
    (folder / "urdf" / "parts.xacro").write_text(PARTS)
    package.write_text(XACRO.replace("$(find arm_description)", "$(find leg)"))
    with pytest.raises(tf.RobotError, match=r"needs the package leg, .*ROS_PACKAGE_PATH"):
        load(package)
    variable, at = ("AMENT_PREFIX_PATH", "prefix") if "prefix" in place else ("ROS_PACKAGE_PATH", ".")
    monkeypatch.setenv(variable, os.pathsep.join(["", str(tmp_path / "absent"), str(tmp_path / "elsewhere" / at)]))
    assert load(package).dof == 1


def test_xacro_finds_packages_beside_its_own(tmp_path):
    for name in ("arm", "leg"):
        (tmp_path / name / "urdf").mkdir(parents=True)
        (tmp_path / name / "urdf" / "parts.xacro").write_text(PARTS)
    path = tmp_path / "arm" / "urdf" / "arm.xacro"
    path.write_text(XACRO.replace("arm_description", "arm"))
    assert load(path).dof == 1  # the file's own folder
    path.write_text(XACRO.replace("arm_description", "leg"))
    with pytest.raises(tf.RobotError, match="needs the package leg"):
        load(path)
    (tmp_path / "leg" / "manifest.xml").write_text("<package/>")
    assert load(path).dof == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("$(find arm", "$(find leg", "needs the package leg_description, .*ROS_PACKAGE_PATH"),
        ('name="a"/>', 'name="${1/0}"/>', "xacro cannot expand it: .*division by zero"),
        ('default="0.5"', 'default="half"', r"xacro: <origin> of <joint name=\"j\">: xyz is \"half\""),
        ("</robot>", "", r"xacro:\d+: this is not XML"),
        ("<robot", "<!DOCTYPE robot><robot", "DOCTYPE"),
    ],
)
def test_broken_xacro(package, old, new, message):
    package.write_text(XACRO.replace(old, new))
    with pytest.raises(tf.RobotError, match=message):
        load(package)


def test_without_xacro(package, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(tf.RobotError, match=r'pip install "tauforge\[urdf\]"'):
        load(package)
