"""What `tauforge info` says of robots with limits, mimic joints, constant frames, loops and many links."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tauforge as tf
from tauforge.cli.info import FEW, base_count, facts, info, tree
from tauforge.robot.joint import Limits, Mimic
from tauforge.robot.tables import sheets
from tauforge.view.description import describe

from ..random_robots import random_robot
from .test_cli import run

GRIPPER = """format = 1
name = "gripper"
gravity = [0, 0, -9.81]
[base.link]
name = "palm"
M = 0.7
MX = 0.07
[[link]]
name = "left finger"
joint = "left"
type = "prismatic"
on = "palm"
alpha = "pi/2"
M = 0.2
limits = { lower = 0, upper = 0.04, velocity = 0.2, effort = 20 }
[[link]]
name = "right [bold]finger"
joint = "right"
type = "prismatic"
on = "palm"
alpha = "pi/2"
M = -0.1
mimic = { joint = "left", ratio = -1, offset = 0.5 }
[[frame]]
name = "grasp"
on = "palm"
r = 0.1
[[frame]]
name = "tip"
on = "left finger"
[[frame]]
name = "left finger"
on = "left finger"
theta = 1
"""


def text(robot: tf.Robot, *warned: str, tables: bool | None = None) -> str:
    return "\n".join(map(str, info(robot, warned, tables)))


def shape(robot: tf.Robot, drawn: str) -> dict[str, str]:
    """Return what each link of a drawn tree stands on, by the indentation of its name."""
    path: list[tuple[int, str]] = [(-1, "")]
    found = {}
    for line in drawn.splitlines()[1:]:
        guides, name = re.match(r"([│├└ ]*)(\S*)", line).groups()
        while path[-1][0] >= len(guides):
            path.pop()
        found[name] = path[-1][1]
        path.append((len(guides), name))
    return found


def test_everything_is_said_where_it_belongs(tmp_path):
    path = tmp_path / "gripper.toml"
    path.write_text(GRIPPER)
    result = run("info", path)
    assert (result.returncode, result.stderr) == (0, "")
    lines = [re.split(r"  +", line.rstrip()) for line in result.stdout.splitlines()]
    assert lines[:6] == [
        ["gripper: 2 joints, 1 degree of freedom"],
        ["link", "joint", "type", "axis", "range", "speed", "effort", "mass"],
        ["palm", "fixed", "0.7 kg"],
        ["├ frames: grasp"],
        ["├ left finger", "left", "prismatic", "perpendicular", "0 … 0.04 m", "0.2 m/s", "20 N", "0.2 kg"],
        ["│ └ frames: tip"],
    ]
    assert lines[6] == ["└ right [bold]finger", "right", "prismatic", "perpendicular", "-0.1 kg", "= -1 left + 0.5"]
    for part in (
        "warning: link 'right [bold]finger' has the negative mass -0.1",
        "-r1 + 0.5",
        "total mass: 0.8 kg",
        "centre of mass at zero, in the base frame: 0.0875, 0.0625, 0 m",  # 0.07 / 0.8, 0.1 * 0.5 / 0.8
        "base inertial parameters: 1 of 20",
    ):
        assert part in result.stdout
    assert result.stdout.count("negative mass") == 1


def test_options_of_base_and_snap(tmp_path):
    shown = run("info", "rrp", "--base", "floating").stdout
    assert "3 joints, 9 degrees of freedom, 6 of them of its floating base" in shown
    path = tmp_path / "gripper.toml"
    path.write_text(GRIPPER.replace("-0.1", "0.1"))
    # 10 of the palm, 4 of each finger; MX, MY and MZ of the second act as those of the first
    assert "base inertial parameters: 15 of 30" in run("info", path, "--base", "floating").stdout
    assert "tau[6]" in run("generate", "inverse-dynamics", path, "--base", "floating").stdout
    assert run("count", path, "--base", "floating").returncode == 0
    for refused in (("--snap", "-1"), ("--base", "flying")):
        result = run("info", path, *refused)
        assert (result.returncode, result.stdout) == (2, "")
    for option in (["--snap", "1e-3"], ["--lenient"], ["--folder", "."]):
        assert "bundled robots are exact and complete" in run("base", "rrp", *option).stderr
    assert "lenient is for URDF" in run("info", path, "--lenient").stderr


def test_the_page_shows_what_info_says(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n(gripper: .*?)```", page, re.DOTALL)[1]
    described = GRIPPER[: GRIPPER.index('[[frame]]\nname = "tip"')].replace("palm", "hand").replace("[bold]", "")
    path = tmp_path / "gripper.toml"
    path.write_text(
        described.replace("M = 0.2", "M = 0.1").replace("M = -0.1", "M = 0.1").replace(", offset = 0.5", "")
    )
    said = [line.rstrip() for line in run("info", path, "--base", "floating").stdout.splitlines()]
    assert said[: shown.count("\n")] == shown.splitlines()


def test_tendons_and_lifts():
    robot = tf.robots.planar2r()
    lifted = tuple(replace(body, lift=(0.5, 0, 0, 1.0)) for body in robot.bodies)
    rope = tf.Tendon(name="rope", joints=((1, 1.0), (2, -0.5)), k=7.0, FV=0.25)
    pulled = replace(robot, tendons=(rope,), bodies=lifted)
    assert "tendons: 1 (rope)" in list(facts(pulled, describe(pulled)))
    shown = {sheet.title: sheet.rows for sheet in sheets(pulled)}
    assert shown["Tendons"] == (("rope", "th1 - 0.5*th2", "0", "0", "0.25", "0", "7", "0"),)
    assert shown["First moments and mass on which gravity does not act"] == (("0.5", "0", "0", "1"),) * 2


def test_folders(tmp_path):
    (tmp_path / "scene").mkdir()
    body = '<body><joint/><geom size="1"/></body>'
    (tmp_path / "part.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    path = tmp_path / "scene" / "m.xml"
    path.write_text('<mujoco model="scene"><include file="../part.xml"/></mujoco>')
    assert "--folder" in run("info", path).stderr
    assert "scene: 1 joint," in run("info", path, "--folder", path.parent, "--folder", tmp_path).stdout


def test_lenient(tmp_path):
    path = tmp_path / "arm.urdf"
    body = '<inertial><mass value="3"/></inertial>'
    joint = '<joint name="j" type="continuous"><parent link="world"/><child link="b"/></joint>'
    path.write_text(f'<robot name="r"><link name="b">{body}</link>{joint}</robot>')
    refused = run("info", path)
    assert refused.returncode == 2
    assert "--lenient" in refused.stderr
    shown = run("info", path, "--lenient").stdout
    assert "warning: " in shown
    assert "there is no link 'world': the base" in shown
    assert "<inertia> is missing: the link is a point mass" in shown


@pytest.mark.parametrize("seed", range(10))
def test_the_tree_is_the_robots(seed):
    robot = random_robot(seed + 70, largest=12)
    names = ["base", *(body.name for body in robot.bodies)]
    expected = {"base": ""} | {names[j]: names[joint.antecedent] for j, joint in enumerate(robot.joints, 1)}
    assert shape(robot, str(tree(describe(robot)))) == expected


def test_big_robots_keep_their_tables_for_those_who_ask():
    joints = tuple(tf.Joint(name=f"joint{j}", antecedent=j - 1, d=1.0) for j in range(1, FEW + 2))
    robot = tf.Robot(name="snake", joints=joints, bodies=tuple(tf.Body(name=f"link{j}") for j in range(1, FEW + 2)))
    assert "Geometric parameters" not in text(robot)
    assert "--tables" in text(robot)
    assert "Geometric parameters" in text(robot, tables=True)
    small = tf.robots.rrp(symbolic=True)
    assert "Geometric parameters" in text(small)
    assert "Geometric parameters" not in text(small, tables=False)
    assert str(tree(describe(robot))).count("parallel") == FEW + 1


def test_a_chain_of_a_thousand_links_and_many_frames():
    count = 1200
    joints = tuple(tf.Joint(name=f"joint{j}", antecedent=j - 1) for j in range(1, count + 1))
    frames = tuple(tf.Joint(name=f"frame{k}", antecedent=0, sigma=2, mu=0) for k in range(100))
    bodies = tuple(tf.Body(name=f"link{j}") for j in range(1, count + 1))
    robot = tf.Robot(name="chain", joints=joints, bodies=bodies, frames=frames)
    drawn = str(tree(describe(robot))).splitlines()
    assert len([line for line in drawn if "link" in line]) == count + 1
    listed = [line for line in drawn if "frame" in line]
    assert len(listed) > 5
    assert max(map(len, listed)) < 100
    assert all(f"frame{k}" in " ".join(listed) for k in range(100))


def test_axes_kinds_limits_and_loops():
    fields = [
        {},
        {"alpha": np.pi / 2},
        {"alpha": np.pi / 2, "d": 0.1, "mu": 0},
        {},
        {"d": 0.2, "limits": Limits(upper=1.0)},
        {"alpha": 0.5, "eta": 1, "k": 3.0},
        {"alpha": tf.symbol("a"), "limits": Limits(effort=9.0)},
        {"sigma": 3},
        {"sigma": 1},
    ]
    joints = tuple(tf.Joint(name=f"joint{j}", antecedent=j - 1, **extra) for j, extra in enumerate(fields, 1))
    cut = tf.Joint(name="pin", antecedent=9, mu=0)
    loop = tf.Loop(joint=cut, frame=tf.Joint(name="eye", antecedent=0, sigma=2, mu=0))
    bodies = tuple(tf.Body(name=f"link{j}") for j in range(1, 10))
    robot = tf.Robot(name="odd", joints=joints, bodies=bodies, loops=(loop,))
    rows = [re.split(r"  +", line.strip("│├└ ")) for line in str(tree(describe(robot))).splitlines()[2:]]
    said = [row[2:] for row in rows[:9]]
    assert said[0] == ["revolute", "parallel", "0 kg"]
    assert said[1] == ["revolute", "perpendicular, intersecting", "0 kg"]
    assert said[2] == ["revolute", "perpendicular", "0 kg", "passive"]
    assert said[3] == ["revolute", "in line", "0 kg"]
    assert said[4] == ["revolute", "parallel", "-inf … 1 rad", "0 kg"]
    assert said[5] == ["revolute", "at 28.65°, intersecting", "0 kg", "elastic"]
    assert said[6] == ["revolute", "at a", "9 N m", "0 kg"]
    assert said[7] == ["spherical", "0 kg"]
    assert said[8] == ["prismatic", "parallel", "0 kg"]
    assert rows[9] == ["loop pin (revolute about z): link9 meets base"]
    assert "9 joints, 6 degrees of freedom" in text(robot)
    assert "closed loops: 1" in text(robot)
    assert " with the loops open; tauforge base counts " in base_count(robot)


def test_a_joint_that_follows_zero_times_has_a_constant_in_its_table():
    arm = tf.robots.planar2r()
    follower = replace(arm.joints[1], mimic=Mimic(joint=1, ratio=0.0, offset=0.25))
    geometry = sheets(replace(arm, joints=(arm.joints[0], follower)))[0]
    assert dict(zip(geometry.columns, geometry.rows[1], strict=True))["theta"] == "0.25"
