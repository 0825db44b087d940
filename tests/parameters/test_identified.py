"""Base parameters that take identified values, and the columns that identification asks for."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Mimic


def test_a_numeric_robot_takes_identified_values():
    robot = tf.robots.puma560()
    base = tf.base_parameters(robot)
    values = base.values()
    changed = base.bind(ZZ1R=999.0)
    assert tf.base_parameters(changed).values()["ZZ1R"] == pytest.approx(999.0)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 6))
    Y = tf.regressor(robot, parameters="base", actuators=())
    names = Y.outputs["Y"].labels[1]
    new = dict.fromkeys(names, 0.0) | {name: 1.1 * values[name] for name in names}
    identified = base.bind(new).neglect("IA", "FV", "FS")
    expected = Y.compile()(q, qd, qdd) @ [new[name] for name in names]
    assert tf.inverse_dynamics(identified).compile()(q, qd, qdd) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("symbolic", [True, False])
def test_wrong_names_are_refused(symbolic):
    base = tf.base_parameters(tf.robots.puma560(symbolic=symbolic))
    with pytest.raises(tf.RobotError, match="'rubbish' is not the name"):
        base.bind(rubbish=1)
    with pytest.raises(tf.RobotError, match="'nonsense' is not the name"):
        base.values(nonsense=3)


def test_symbolic_robots_take_both():
    base = tf.base_parameters(tf.robots.planar2r(symbolic=True))
    with pytest.raises(tf.RobotError, match="no value given"):
        base.bind(ZZ1R=1.0)
    own = dict.fromkeys(base.of.symbols, 0.5)
    assert pytest.approx(3.0) == base.bind(own, ZZ1R=3.0).bodies[0].inertia.ZZ


def test_rotors_that_are_asked_for_have_columns():
    robot = tf.robots.puma560().neglect("IA")
    names = tf.regressor(robot, parameters="base", actuators=("IA",)).outputs["Y"].labels[1]
    assert [x for x in names if x.startswith("IA")] == ["IA3", "IA4", "IA5", "IA6"]
    base = tf.base_parameters(robot, rotors=True)
    assert "IA1" in str(base.relations["ZZ1R"])
    assert set(base.names) | set(base.rotors) == set(names)


def test_joints_that_follow_others_leave_the_rank_full():
    arm = tf.robots.puma560()
    follower = replace(arm.joints[5], mimic=Mimic(joint=5, ratio=-0.5), FV=1.0, FS=1.0)
    robot = replace(arm, joints=(*arm.joints[:5], follower))
    Y = tf.regressor(robot, parameters="base", actuators=("IA", "FV", "FS", "FO"))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 100, 5))
    columns = Y.compile()(q, qd, qdd).reshape(-1, Y.outputs["Y"][1])
    columns /= np.linalg.norm(columns, axis=0)
    assert np.linalg.matrix_rank(columns, tol=1e-9) == columns.shape[1]


def test_more_friction_is_in_every_model(tmp_path):
    arm = tf.robots.planar2r()
    joints = tuple(replace(x, FV=0.3, FS=0.5, FO=0.2, FA=0.1, FB=0.4, VB=0.05) for x in arm.joints)
    robot = replace(arm, joints=joints)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
    smooth = tf.inverse_dynamics(arm.neglect("FV", "FS")).compile()(q, qd, qdd)
    s = np.sign(qd)
    law = 0.3 * qd + 0.5 * s + 0.2 + 0.1 * np.abs(qd) + 0.4 * s / (1 + (qd / 0.05) ** 2)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    assert tau == pytest.approx(smooth + law, abs=1e-12)
    assert tf.direct_dynamics(robot).compile()(q, qd, tau) == pytest.approx(qdd, abs=1e-9)
    robot.save(tmp_path / "a.toml")
    assert tf.load(tmp_path / "a.toml") == robot
    with pytest.raises(tf.RobotError, match="FO"):
        robot.save(tmp_path / "a.par")
    with pytest.raises(tf.RobotError, match="FO"):
        replace(robot, gravity=(0.0, 0.0, -9.81)).save(tmp_path / "a.urdf")
    with pytest.raises(tf.RobotError, match="VB"):
        replace(arm, joints=(replace(arm.joints[0], FB=1.0), arm.joints[1]))


def test_the_frames_of_base_parameters_in_code_are_said():
    urdf = replace(tf.robots.puma560(), free_frames=True, joints=tuple(replace(x, gamma=0.1) for x in _arm().joints))
    assert urdf.reframed is not urdf
    code = tf.inverse_dynamics(urdf, parameters="base").code("c")
    head = " ".join(code[: code.index("#include")].replace("*", " ").split())
    assert "tf.base_parameters(robot.reframed)" in head
    value = tf.base_parameters(urdf.reframed).values()["ZZ1R"]
    assert f"{value:.9g}"[:7] in head
    kept = tf.inverse_dynamics(urdf, parameters="base", reframe=False).code("c")
    assert "reframed" not in kept
    assert f"{tf.base_parameters(urdf).values()['ZZ1R']:.9g}"[:7] in kept


def _arm():
    return tf.robots.puma560()
