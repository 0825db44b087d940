"""MJCF against MuJoCo itself: matrices, efforts and frames, what is warned of, and what is refused."""

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

import tauforge as tf

from ..interpret import interpret
from .random_mjcf import random_mjcf
from .with_mujoco import energies, forward, inertia_matrix, inverse, random_state


@pytest.fixture(autouse=True)
def quiet():
    """Keep MuJoCo from writing a log file: some of the random trees are singular, which matters to no model here."""
    mujoco.set_mju_user_warning(lambda text: None)
    yield
    mujoco.set_mju_user_warning(None)


def read(folder, text, **options):
    path = folder / "model.xml"
    path.write_text(text)
    return tf.load(path, **options)


def close(ours, theirs, tolerance=1e-9):
    return np.abs(np.asarray(ours) - theirs).max(initial=0.0) <= tolerance * max(1.0, np.abs(theirs).max(initial=0.0))


def agrees(robot, text, states=2):
    """Compare with MuJoCo: inertia matrix, bias, inverse dynamics, energies, and where bodies and sites are."""
    model = mujoco.MjModel.from_xml_string(text)
    robot = robot.tree()
    assert (len(robot.coordinate_names), robot.dof) == (model.nq, model.nv)
    programs = [f(robot) for f in (tf.inertia_matrix, tf.bias, tf.inverse_dynamics, tf.energy, tf.transforms)]
    for seed in range(states):
        state = random_state(model, seed)
        data = forward(model, state)
        M, h, tau, E, T = programs
        qdd = np.random.default_rng(seed).uniform(-2, 2, model.nv)
        assert close(interpret(M, state.q), inertia_matrix(model, data, state))
        rest = inverse(model, data, state, np.zeros(model.nv))
        assert close(interpret(h, state.q, state.qd), rest)
        assert close(interpret(tau, state.q, state.qd, qdd), inverse(model, data, state, qdd))
        assert close(interpret(E, state.q, state.qd), energies(model, data))
        at = dict(zip(robot.frame_names, interpret(T, state.q).reshape(-1, 4, 4), strict=True))
        for kind, count in (("body", model.nbody), ("site", model.nsite)):
            for i in range(count):
                seen = getattr(data, kind)(i)
                if seen.name and seen.name != "world":
                    assert close(at[seen.name][:3, 3], seen.xpos), seen.name
                    assert close(at[seen.name][:3, :3].ravel(), seen.xmat), seen.name
    return model


def test_the_example_on_the_page(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    text = re.search(r"```xml\n(<mujoco.*?)```", page, re.DOTALL).group(1)
    with pytest.warns(tf.RobotWarning, match="leave out contacts$"):
        robot = read(tmp_path, text)
    agrees(robot, text)
    assert robot.joint_names == ("slew", "trolley", "swing")
    assert robot.frame_names == ("tower", "jib", "hook", "tip")
    assert [joint.mu for joint in robot.joints] == [1, 1, 0]
    assert robot.joints[1].limits.upper == 3


HEAD = '<option gravity="1 -2 -9"><flag contact="disable"/></option>'
SOLID = '<inertial pos=".1 .2 -.1" quat="1 .2 -.3 .1" mass="2" diaginertia=".1 .2 .25"/>'


def test_every_kind_of_joint(tmp_path):
    text = f"""<mujoco model="zoo">{HEAD}<worldbody>
      <body name="trunk" pos="1 2 3" euler="10 20 30"><freejoint name="root"/>{SOLID}
        <body name="arm" pos="0 .1 .2" quat="1 1 0 0"><joint name="shoulder" axis="0 1 0" pos=".1 0 .2"/>{SOLID}
          <body name="hand" pos=".3 0 0">{SOLID}
            <joint name="wrist" type="ball" pos="0 .1 0" damping=".3" armature=".2"/>
            <site name="tip" pos="0 0 .2"/>
            <body name="finger" pos=".1 .1 0"><joint name="grip" type="slide" axis="1 2 2"/>{SOLID}
              <body name="nail" pos="0 0 .1" axisangle="1 1 0 40">{SOLID}</body></body></body></body></body>
      <body name="post" pos="0 0 1">{SOLID}</body></worldbody></mujoco>"""
    robot = read(tmp_path, text)
    agrees(robot, text)
    assert robot.name == "zoo"
    assert [joint.sigma for joint in robot.joints] == [4, 0, 3, 1]
    assert robot.joint_names == ("root", "shoulder", "wrist", "grip")
    assert [body.name for body in robot.bodies] == ["trunk", "arm", "hand", "finger"]
    assert {"nail", "post", "tip"} < set(robot.frame_names)


@pytest.mark.parametrize(
    ("joints", "kinds"),
    [
        ("hinge 0 0 1|hinge 0 1 0|slide 1 0 0", [0, 0, 1]),
        ("slide 1 0 0|slide 0 0 1|hinge 0 1 0", [1, 1, 0]),
        ("slide 1 1 0|ball 0 0 1", [1, 3]),
        ("slide 1 0 0|slide 0 1 0|slide 0 0 1|ball 0 0 1", [1, 1, 1, 3]),
        ("hinge .6 0 .8|slide 0 0 -1|hinge 1 1 1", [0, 1, 0]),
    ],
)
def test_several_joints_a_body(tmp_path, joints, kinds):
    elements = ""
    for i, joint in enumerate(joints.split("|")):
        kind, axis = joint.split(" ", 1)
        ref = "" if kind == "ball" else f'ref="{i * 20}"'
        elements += f'<joint name="j{i}" type="{kind}" axis="{axis}" pos="0 .{i} .2" {ref}/>'
    text = f"""<mujoco>{HEAD}<worldbody><body name="b" pos="1 0 0" euler="0 30 0">{elements}{SOLID}
      <body name="c" pos="0 0 1"><joint axis="1 0 0"/>{SOLID}</body></body></worldbody></mujoco>"""
    robot = read(tmp_path, text)
    agrees(robot, text)
    assert [joint.sigma for joint in robot.joints] == [*kinds, 0]
    names = [f"b_j{i}" for i in range(len(kinds) - 1)]
    assert [body.name for body in robot.bodies] == [*names, "b", "c"]
    assert all(not any(body.inertia) for body in robot.bodies[: len(names)])
    assert robot.joint_names[-1] == "c_joint"


@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_defaults_classes_units_and_sequences(tmp_path, angle):
    text = f"""<mujoco><compiler angle="{angle}" eulerseq="ZYx" autolimits="true"/>{HEAD}
      <default><joint armature=".1" damping=".2" axis="1 0 0"/><geom type="capsule" size=".05 .2" density="500"/>
        <default class="stiff"><joint stiffness="7" springref=".5" ref=".3"/>
          <default class="stiffer"><joint stiffness="9" range="-1 1.5"/><geom type="cylinder"/></default></default>
      </default><worldbody>
      <body name="a" euler=".5 1 1.5"><joint name="ja"/><geom/>
        <body name="b" pos="0 0 .4" childclass="stiff"><joint name="jb"/><geom euler="1 2 3"/>
          <body name="c" pos="0 .1 .4"><joint name="jc" class="stiffer"/><geom class="stiffer" fromto="0 0 0 .1 .2 .3"/>
          <body name="d"><joint name="jd" type="slide" axis="0 0 1" springdamper="0.3 1"/>
            <geom type="box" size=".1 .2 .3"/>
      </body></body></body></body></worldbody></mujoco>"""
    robot = read(tmp_path, text)
    model = agrees(robot, text)
    unit = np.pi / 180 if angle == "degree" else 1.0
    a, b, c, d = robot.joints
    assert (a.IA, a.FV, a.eta, a.limits) == (0.1, 0.2, 0, tf.Joint(name="x", antecedent=0).limits)
    assert (b.eta, b.k, c.k) == (1, 7.0, 9.0)
    assert b.rest == pytest.approx(0.5 * unit)
    assert (c.limits.lower, c.limits.upper) == pytest.approx((-unit, 1.5 * unit))
    assert (d.k, d.FV) == (model.jnt_stiffness[3], model.dof_damping[3])


def test_inertia_given_whole(tmp_path):
    full = "fullinertia='.3 .2 .25 .01 -.02 .03'"
    text = f"""<mujoco>{HEAD}<worldbody><body name="a"><joint/><inertial pos=".1 0 0" mass="3" {full}/></body>
      </worldbody></mujoco>"""
    robot = read(tmp_path, text)
    agrees(robot, text)
    about = robot.bodies[0].inertia
    exact = (0.3, 0.01, -0.02, 0.2 + 0.03, 0.03, 0.25 + 0.03)
    assert about[:6] == pytest.approx(exact, abs=1e-7)  # as near as MuJoCo before 3.14 finds the principal axes
    assert about[6:] == pytest.approx((0.3, 0, 0, 3))


def test_axes_at_right_angles_keep_their_zeros(tmp_path):
    """Quarter turns through quaternions leave no rounding behind."""
    text = """<mujoco><option><flag contact="disable"/></option><worldbody>
      <body name="a" euler="90 0 0"><joint axis="0 1 0"/><inertial pos="0 0 .1" mass="1" diaginertia=".1 .2 .2"/>
      <body name="b" pos="0 .3 0" quat="1 0 1 0"><joint axis="1 0 0"/>
      <inertial pos=".1 0 0" mass="1" fullinertia=".1 .2 .2 0 0 .01"/></body></body></worldbody></mujoco>"""
    robot = read(tmp_path, text)
    agrees(robot, text)
    quarter = np.pi / 2
    for joint in robot.joints:
        assert all(getattr(joint, key) % quarter == 0 for key in ("gamma", "alpha", "theta"))
        assert joint.e == 0
    assert [sum(x != 0 for x in body.inertia) for body in robot.bodies] == [5, 6]


def test_snap(tmp_path):
    text = """<mujoco><compiler angle="radian"/><worldbody><body name="a" euler="1.5708 0 0"><joint axis="0 0 1"/>
      <geom size=".1"/><body name="b" pos="1 0 0" euler="0 3.1416 0.3"><joint axis="0 0 1"/><geom size=".1"/></body>
      </body></worldbody></mujoco>"""
    kept, snapped = read(tmp_path, text), read(tmp_path, text, snap=1e-4)
    assert kept.joints[0].alpha == pytest.approx(1.5708, abs=1e-12)
    assert snapped.joints[0].alpha == np.pi / 2
    assert abs(snapped.joints[1].alpha) == np.pi
    assert snapped.joints[1].theta % np.pi == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize("first", [0, 5])
def test_random_trees(tmp_path, first):
    for seed in range(first, first + 5):
        text = random_mjcf(seed)
        agrees(read(tmp_path, text), text, states=1)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 100, 10))
def test_more_random_trees(tmp_path, first):
    for seed in range(first, first + 10):
        text = random_mjcf(seed)
        agrees(read(tmp_path, text), text)


PAIR = f"""<body name="a"><joint name="x" axis="0 1 0" ref="20"/>{SOLID}
  <body name="b" pos="0 0 1"><joint name="y" axis="0 1 0" ref="-10"/>{SOLID}
  <site name="sb" pos=".1 .2 .3" euler="9 8 7"/>
  <body name="c" pos="0 1 0"><joint name="z" axis="1 0 0"/>{SOLID}</body></body></body>
  <body name="d" pos="1 0 0" euler="5 6 7"><joint name="w" type="ball" pos=".1 0 0"/>{SOLID}
  <site name="sd" pos=".3 .2 .1" euler="1 2 3"/></body>"""


def paired(equalities, more=""):
    return f"<mujoco>{HEAD}<worldbody>{PAIR}</worldbody><equality>{equalities}</equality>{more}</mujoco>"


@pytest.mark.parametrize(
    "equality",
    [
        '<connect name="pin" body1="b" body2="d" anchor=".1 .2 .3"/>',
        '<connect name="pin" body1="d" anchor=".1 .2 .3"/>',
        '<connect name="pin" site1="sb" site2="sd"/>',
        '<weld name="pin" body1="b" body2="d" anchor=".1 .2 .3"/>',
        '<weld name="pin" body1="b" body2="d" anchor=".1 .2 .3" relpose=".3 .1 .2 1 .5 .2 -.3"/>',
        '<weld name="pin" body1="b" body2="d" relpose=".3 .1 .2 1 .5 .2 -.3"/>',
        '<weld name="pin" body1="d"/>',
        '<weld name="pin" site1="sb" site2="sd"/>',
        '<weld name="pin" body1="b" body2="d" anchor=".1 .2 .3" torquescale="0"/>',
    ],
)
def test_loops(tmp_path, equality):
    """The two frames of a loop are apart by what MuJoCo's constraint is violated."""
    text = paired(equality)
    robot = read(tmp_path, text)
    agrees(robot, text)
    (loop,) = robot.loops
    rigid = "weld" in equality and "torquescale" not in equality
    assert (loop.joint.name, loop.frame.name) == ("pin", "pin_frame")
    assert loop.joint.sigma == (2 if rigid else 3)
    ends = [
        tf.Joint(name=x.name, antecedent=x.antecedent, sigma=2, mu=0, **geometry(x)) for x in (loop.joint, loop.frame)
    ]
    cut = tf.Robot(name="cut", joints=robot.joints, bodies=robot.bodies, frames=(*robot.frames, *ends))
    program = tf.transforms(cut, frames=["pin", "pin_frame"])
    model = mujoco.MjModel.from_xml_string(text)
    for seed in range(3):
        state = random_state(model, seed)
        data = mujoco.MjData(model)
        data.qpos[:] = state.qpos
        mujoco.mj_forward(model, data)
        first, second = interpret(program, state.q)
        assert close(data.efc_pos[:3], first[:3, 3] - second[:3, 3])
        assert rigid or not data.efc_pos[3:6].any()
        if rigid:  # the rotation's error is the vector part of the relative quaternion, scaled
            between = first[:3, :3].T @ second[:3, :3]
            vector = np.array(
                [between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1]]
            )
            theirs = data.efc_pos[3:6]
            assert close(np.cross(vector, theirs), np.zeros(3))
            assert np.linalg.norm(theirs) == pytest.approx(np.sqrt((3 - np.trace(between)) / 4))


def geometry(joint):
    return {key: getattr(joint, key) for key in ("gamma", "b", "alpha", "d", "e", "theta", "r")}


def test_joints_that_follow(tmp_path):
    text = paired(
        '<joint joint1="x" joint2="y" polycoef=".1 2 0 0 0"/><joint joint1="y" joint2="z" polycoef="-.2 .5 0 0 0"/>'
    )
    robot = read(tmp_path, text)
    agrees(robot, text)
    x, y, z, _ = robot.joints
    assert (z.mimic, y.mimic.joint, x.mimic.joint) == (None, 3, 3)
    at_z = 0.7
    at_y = np.radians(-10) - 0.2 + 0.5 * at_z  # MuJoCo: y - y0 = a0 + a1 (x - x0)
    at_x = np.radians(20) + 0.1 + 2 * (at_y - np.radians(-10))
    assert y.mimic.ratio * at_z + y.mimic.offset == pytest.approx(at_y)
    assert x.mimic.ratio * at_z + x.mimic.offset == pytest.approx(at_x)
    assert robot.dof == 4
    constrained = read(tmp_path, paired('<joint joint1="y" joint2="x" polycoef="0 -3 0 0 0" active="false"/>'))
    assert all(joint.mimic is None for joint in constrained.joints)


@pytest.mark.parametrize(
    "equalities",
    [
        '<joint joint1="x" joint2="y" polycoef=".1 2 0 0 0"/>',
        '<joint joint1="z" joint2="x" polycoef=".3 -.5 0 0 0"/><joint joint1="z" joint2="y"/>',
    ],
)
def test_the_joint_with_the_motor_leads(tmp_path, equalities):
    led, driven = (
        read(tmp_path, paired(equalities, f"<actuator>{motor}</actuator>")) for motor in ("", '<motor joint="x"/>')
    )
    assert (led.joints[0].mimic.joint, driven.joints[0].mimic, driven.actuated) == (2, None, ("x",))
    names, at = led.coordinate_names, [0.7] * len(led.coordinate_names)
    places = []
    for robot in (led, driven):
        q = dict(zip(names, at, strict=True))
        x = 0.7 if robot is led else led.joints[0].mimic.ratio * 0.7 + led.joints[0].mimic.offset
        places.append(interpret(tf.transforms(robot), [q.get(name, x) for name in robot.coordinate_names]))
    assert close(*places)


def test_a_follower_moves_as_in_mujoco(tmp_path):
    """The reduced inertia matrix is MuJoCo's, projected on the motions that its equality allows."""
    text = paired('<joint joint1="y" joint2="x" polycoef=".1 -1.5 0 0 0"/>')
    robot = read(tmp_path, text)
    model = mujoco.MjModel.from_xml_string(text)
    state = random_state(model, 1)
    y = robot.joints[1]
    state.qpos[1] = y.mimic.ratio * state.qpos[0] + y.mimic.offset
    data = forward(model, state)
    G = np.delete(np.eye(model.nv), 1, axis=1)
    G[1, 0] = -1.5
    q = np.delete(np.concatenate([state.qpos[:3], np.roll(state.qpos[3:], -1)]), 1)
    assert close(interpret(tf.inertia_matrix(robot), q), G.T @ inertia_matrix(model, data, state) @ G)


def test_actuated_joints(tmp_path):
    motors = '<actuator><motor joint="y" gear="3"/><motor joint="w" gear="1 0 0"/></actuator>'
    assert [joint.mu for joint in read(tmp_path, paired("", motors)).joints] == [0, 1, 0, 1]
    free = f"<mujoco>{HEAD}<worldbody><body><freejoint/>{SOLID}<body><joint/>{SOLID}</body></body></worldbody></mujoco>"
    assert [joint.mu for joint in read(tmp_path, free).joints] == [0, 1]


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "actuator_armature"), reason="this MuJoCo's actuators have no inertia")
def test_inertia_of_actuators(tmp_path):
    motor = '<motor joint="y" gear="3" armature=".2" damping=".1"/>'
    again = '<motor joint="y" gear="2" armature=".1"/>'
    ball = '<motor joint="w" gear="2 3 4" armature=".4" damping=".3"/>'
    text = paired("", f"<actuator>{motor}{again}{ball}</actuator>")
    robot = read(tmp_path, text)
    agrees(robot, text)
    found = [(joint.IA, joint.FV) for joint in robot.joints]
    assert found[1] == pytest.approx((0.2 * 3**2 + 0.1 * 2**2, 0.1 * 3**2))


def test_looks(tmp_path):
    """Shapes stand on their links where MuJoCo has them; a mesh as its file has it, before MuJoCo centres it."""
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    text = f"""<mujoco>{HEAD}<asset><mesh name="m" file="a.obj" scale="1 1 .5"/></asset><worldbody>
      <geom type="plane" size="1 1 1"/><geom type="cylinder" size=".1 .2"/>
      <body name="a" pos="1 0 0"><joint name="x" axis="0 1 0" pos=".1 .2 .3"/><geom type="box" size=".1 .2 .3"/>
      <geom type="mesh" mesh="m" pos="0 .5 0" euler="0 30 0"/><geom size="1" group="3"/>
      <body name="b"><geom type="capsule" size=".1 .3" pos="0 0 .7"/><geom type="ellipsoid" size=".1 .2 .3"/></body>
      </body></worldbody></mujoco>"""
    robot = read(tmp_path, text)
    assert [(shape.shape, shape.size) for shape in robot.base.body.visuals] == [("cylinder", (0.1, 0.4))]
    box, mesh, capsule, ellipsoid = robot.bodies[0].visuals
    assert (box.size, capsule.size, ellipsoid.size) == ((0.2, 0.4, 0.6), (0.1, 0.6), (0.1, 0.2, 0.3))
    assert (Path(mesh.file).name, mesh.size) == ("a.obj", (1, 1, 0.5))
    frame = interpret(tf.transforms(robot, frames=["a"], relative_to="base"), [0.0])[0]
    link = frame @ np.linalg.inv(np.reshape(box.pose, (4, 4)))  # the box stands at the origin of the body
    seen = [link @ np.reshape(shape.pose, (4, 4)) for shape in (mesh, capsule)]
    half, c, s = 0.5, np.cos(np.pi / 6), np.sin(np.pi / 6)
    assert close(seen[0], [[c, 0, s, 1], [0, 1, 0, half], [-s, 0, c, 0], [0, 0, 0, 1]], 1e-6)  # meshes are floats there
    assert close(seen[1][:3, 3], [1, 0, 0.7])


def test_options_that_leave_physics_out(tmp_path):
    text = f"""<mujoco><option><flag gravity="disable" contact="disable" equality="disable"/></option>
      <worldbody>{PAIR}</worldbody><equality><weld body1="c" body2="d"/></equality></mujoco>"""
    robot = read(tmp_path, text)
    agrees(robot, text)
    assert robot.gravity == (0, 0, 0)
    assert not robot.loops


def test_names(tmp_path):
    """Bodies and joints without a name get one; a site that shares a body's name is told apart."""
    text = f"""<mujoco>{HEAD}<worldbody><body><joint/><joint axis="1 0 0"/>{SOLID}<site name="body2"/><site/>
      <body pos="1 0 0"><joint name="body1_joint1"/>{SOLID}</body></body></worldbody></mujoco>"""
    robot = read(tmp_path, text)
    assert robot.joint_names == ("body1_joint1_", "body1_joint2", "body1_joint1")
    assert [body.name for body in robot.bodies] == ["body1_body1_joint1_", "body1", "body2"]
    assert robot.frame_names == (*(body.name for body in robot.bodies), "body2_site")
    assert robot.name == "model"


def test_what_is_left_out_is_one_warning(tmp_path):
    text = f"""<mujoco><option density="1.2"/><worldbody><geom type="plane" size="1 1 1"/>
      <body name="a" gravcomp=".5"><joint name="x" axis="0 1 0" actuatorgravcomp="true"/>
      <geom size=".1"/><site name="s"/><site name="s2" pos="0 0 1"/>
      <body name="b" pos="0 0 1"><joint name="y" axis="0 1 0"/>{SOLID}
      <body name="c" pos="0 0 1"><joint name="w" type="ball" stiffness="3" range="0 40"/>{SOLID}</body></body></body>
      <body name="f"><joint name="free" type="free" armature=".1" frictionloss=".2" stiffness="1"/>{SOLID}</body>
      <body name="g" pos="9 9 9"><joint name="v"/>{SOLID}</body><body name="hand" mocap="true"/></worldbody>
      <tendon><fixed name="t"><joint joint="x" coef="1"/></fixed>
      <fixed name="banded" stiffness="1" springlength=".1 .2" range="0 1"><joint joint="x" coef="1"/></fixed>
      <fixed name="forked" armature="1"><joint joint="x" coef="1"/><joint joint="v" coef="1"/></fixed>
      <spatial name="around" damping="1"><site site="s"/><site site="s2"/></spatial>
      <spatial name="idle"><site site="s"/><site site="s2"/></spatial></tendon>
      <actuator><position name="servo" joint="x" kp="3"/><motor name="puller" tendon="t"/>
      <motor name="plain" joint="y"/></actuator>
      <equality><joint name="curve" joint1="x" joint2="y" polycoef="0 1 2 0 0"/><joint name="held" joint1="x"/>
      <tendon name="string" tendon1="t"/><weld name="led" body1="hand" body2="f"/></equality></mujoco>"""
    with pytest.warns(tf.RobotWarning) as caught:
        robot = read(tmp_path, text)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert message.startswith(f"{tmp_path / 'model.xml'}: the models here leave out ")
    for part in (
        "contacts",
        "frictionloss of free joint 'free'",
        "stiffness of free joint 'free'",
        "range of ball joint 'w'",
        "the gravcomp that actuators apply to body 'a'",
        "option density",
        "the dead band of the spring of tendon 'banded'",
        "range of tendon 'banded'",
        "; tendon 'around'",
        "lack of coupling between branches by the armature of tendon 'forked'",
        "the control law of actuator 'servo'",
        "the world's axes of the armature of free joint 'free'",
        "the joint equality 'curve', whose polynomial is [0.0, 1.0, 2.0, 0.0, 0.0]",
        "the joint equality 'held', which holds 'x' alone",
        "the tendon equality 'string'",
        "the weld equality 'led', which follows a mocap body",
    ):
        assert part in message
    for part in ("plain", "frictionloss of joint", "'t'", "idle", "puller"):
        assert part not in message
    assert [joint.mu for joint in robot.joints] == [1, 1, 0, 0, 0]
    assert [(tendon.name, tendon.driven) for tendon in robot.tendons] == [("t", True), ("forked", False)]


def test_spatial_tendons_of_more_sites_than_joints(tmp_path):
    sites = "".join(f'<site name="s{i}" pos="0 0 {i}"/>' for i in range(3))
    way = "".join(f'<site site="s{i}"/>' for i in range(3))
    text = f"""<mujoco><worldbody><body name="a"><joint/>{SOLID}{sites}</body></worldbody>
      <tendon><spatial name="rope" stiffness="1">{way}</spatial></tendon></mujoco>"""
    with pytest.warns(tf.RobotWarning, match="leave out tendon 'rope'"):
        assert read(tmp_path, text).tendons == ()


OWN = PAIR.partition('<body name="d"')[0]
BRANCH = f"<mujoco>{HEAD}<worldbody>{OWN}</worldbody>"
SUMS = """
<tendon>
  <fixed name="s"><joint joint="x" coef=".5"/><joint joint="y" coef="-1"/></fixed>
  <fixed name="t"><joint joint="z" coef="2"/><joint joint="x" coef=".3"/></fixed>
</tendon>
<actuator><motor joint="x"/><motor joint="z"/>ACTUATOR</actuator>
"""


@pytest.mark.parametrize(
    "equalities",
    [
        '<tendon tendon1="s" polycoef=".1 0 0 0 0"/>',
        '<tendon tendon1="s" tendon2="t" polycoef=".1 2 0 0 0"/>',
        '<tendon tendon1="t" tendon2="s" polycoef="-.2 .7 0 0 0"/><joint joint1="z" joint2="x" polycoef="0 .4 0 0 0"/>',
        '<tendon tendon1="s"/><tendon tendon1="t" polycoef=".3 0 0 0 0"/>',
    ],
)
def test_tendon_equalities_are_sums(tmp_path, equalities):
    """In every state, MuJoCo's equalities hold, and the inertia matrix is MuJoCo's, reduced to these motions."""
    text = f"{BRANCH}<equality>{equalities}</equality>{SUMS.replace('ACTUATOR', '')}</mujoco>"
    robot = read(tmp_path, text)
    model = mujoco.MjModel.from_xml_string(text)
    assert robot.dof == model.nv - model.neq
    assert robot.joints[1].mimic  # y has no motor
    state = random_state(model, 0)
    names = [model.joint(i).name for i in range(model.njnt)]
    rows = robot.degrees
    G = np.zeros((model.nv, robot.dof))
    for name, row in zip([joint.name for joint in robot.joints], rows, strict=True):
        for k, ratio in row.items():
            G[names.index(name), k] = ratio
    for x in np.random.default_rng(0).uniform(-1, 1, (4, robot.dof)):
        free = dict(zip(robot.coordinate_names, x, strict=True))
        for joint in robot.joints:
            terms = joint.mimic.of if joint.mimic else ()
            at = sum(free[robot.joints[j - 1].name] * r for j, r in terms) + (joint.mimic.offset if joint.mimic else 0)
            state.qpos[names.index(joint.name)] = at if joint.mimic else free[joint.name]
        data = mujoco.MjData(model)
        data.qpos[:] = state.qpos
        mujoco.mj_forward(model, data)
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-12
        free_model = mujoco.MjModel.from_xml_string(text)  # ``forward`` switches its constraints off
        M = inertia_matrix(free_model, forward(free_model, state), state)
        assert close(interpret(tf.inertia_matrix(robot), x), G.T @ M @ G)


def test_tendon_equalities_that_cannot_be_kept(tmp_path):
    with pytest.warns(tf.RobotWarning, match=r"the tendon equality 'tendon1', whose polynomial is .*; only a line"):
        read(tmp_path, paired('<tendon tendon1="s" tendon2="t" polycoef="0 1 .5 0 0"/>', SUMS.replace("ACTUATOR", "")))
    held = '<tendon><fixed name="s"><joint joint="x" coef="1"/></fixed></tendon>'
    with pytest.warns(tf.RobotWarning, match="the tendon equality 'tendon1', which holds 'x' alone"):
        read(tmp_path, paired('<tendon tendon1="s"/>', held))
    twice = '<tendon tendon1="s"/><tendon tendon1="s" polycoef=".5 0 0 0 0"/>'
    with pytest.warns(tf.RobotWarning, match="'tendon2', which contradicts the equalities before it"):
        read(tmp_path, paired(twice, SUMS.replace("ACTUATOR", "")))


def test_actuators_drive_tendons(tmp_path):
    """The accelerations that an actuator on a fixed tendon causes are those of the tendon as a motor."""
    pull = '<motor name="pull" tendon="s"/>'
    text = f"{BRANCH}{SUMS.replace('ACTUATOR', pull)}</mujoco>"
    robot = read(tmp_path, text)
    assert robot.motors == ("x", "z", "s")
    model = mujoco.MjModel.from_xml_string(text)
    state = random_state(model, 0)
    free = interpret(tf.direct_dynamics(robot, efforts="motors"), state.q, state.qd, np.zeros(3))
    pulled = interpret(tf.direct_dynamics(robot, efforts="motors"), state.q, state.qd, np.array([0.0, 0.0, 3.0]))
    data = mujoco.MjData(model)
    data.qpos[:] = state.qpos
    data.ctrl[2] = 3.0
    mujoco.mj_forward(model, data)
    M = inertia_matrix(model, forward(model, state), state)
    assert close(M @ (pulled - free), data.qfrc_actuator)
