"""Angles of files that are nearly quarter turns; all others stay as they are written."""

import math
from dataclasses import replace

import pytest

import tauforge as tf

NEARLY = 1.5707963263  # 0.5e-9 from a quarter turn


@pytest.fixture
def arm(tmp_path):
    robot = replace(
        tf.robots.rrp(symbolic=True),
        joints=tuple(replace(j, alpha=NEARLY, theta=1e-10) for j in tf.robots.rrp(symbolic=True).joints),
    )

    def saved(ending):
        robot.save(tmp_path / f"arm{ending}")
        return tmp_path / f"arm{ending}"

    return saved


@pytest.mark.parametrize("ending", [".par", ".toml"])
def test_files_are_snapped_unless_told_otherwise(arm, ending):
    path = arm(ending)
    assert {j.alpha for j in tf.load(path).joints} == {math.pi / 2}
    assert {j.alpha for j in tf.load(path, snap=0).joints} == {NEARLY}
    assert {j.theta for j in tf.load(path, snap=0).joints if j.sigma == 1} == {1e-10}
    assert {j.alpha for j in tf.load(path, snap=1e-11).joints} == {NEARLY}


def test_an_offset_of_an_expression_is_an_angle_too(tmp_path):
    text = tf.robots.rrp(symbolic=True)
    robot = replace(text, joints=(replace(text.joints[0], alpha=tf.symbol("a") + NEARLY), *text.joints[1:]))
    robot.save(tmp_path / "arm.toml")
    assert tf.load(tmp_path / "arm.toml").joints[0].alpha is tf.symbol("a") + math.pi / 2


def test_robots_made_in_python_are_not_touched(arm):
    count = tf.inverse_dynamics(tf.load(arm(".toml"))).count().total
    assert tf.inverse_dynamics(tf.load(arm(".toml"), snap=0)).count().total > count


@pytest.mark.parametrize("snap", [-1e-9, 1.0, math.nan, math.inf])
def test_what_is_no_tolerance_is_refused(arm, snap):
    with pytest.raises(tf.RobotError, match="snap is"):
        tf.load(arm(".toml"), snap=snap)
