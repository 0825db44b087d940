"""Base parameters: published sets and relations, special cases, and grouping by elimination alone."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.node import as_node, symbol
from tauforge.parameters.base import BaseParameters, grouped
from tauforge.parameters.linear import LinearForm
from tauforge.parameters.minimal import group_dependent, rank, regular_rows, solved
from tauforge.robot.joint import Mimic
from tauforge.spatial.inertia import NAMES
from tauforge.spatial.vector import Vector

from ..random_robots import random_robot

GRAVITIES = {"along z0": (0.0, 0.0, -9.81), "horizontal": (9.81, 0.0, 0.0), "absent": (0.0, 0.0, 0.0)}
PUBLISHED = {
    "puma560": (36, 38, 34),
    "rx90": (36, 38, 34),
    "ur5": (36, 38, 34),
    "stanford": (33, 35, 31),
    "panda": (43, 45, 39),
    "kuka_lwr": (43, 45, 39),
    "scara": (8, 10, 8),
}


def test_rrp_as_in_figure_4():
    base = tf.base_parameters(tf.robots.rrp(symbolic=True))
    assert {name: str(x) for name, x in base.relations.items()} == {
        "ZZ1R": "YY2 + ZZ1 + ZZ3",
        "MY1R": "MY1 - MZ2",
        "XX2R": "XX2 + XX3 - YY2 - ZZ3",
        "XY2R": "XY2 - XZ3",
        "XZ2R": "XY3 + XZ2",
        "YZ2R": "YZ2 - YZ3",
        "ZZ2R": "YY3 + ZZ2",
    }
    assert list(base.relations) == ["ZZ1R", "MY1R", "XX2R", "XY2R", "XZ2R", "YZ2R", "ZZ2R"]
    rows = [["0" if x == 0.0 else str(x) for x in body.inertia] for body in base.robot.bodies]
    assert rows == [
        ["0", "0", "0", "0", "0", "ZZ1R", "MX1", "MY1R", "0", "0"],
        ["XX2R", "XY2R", "XZ2R", "0", "YZ2R", "ZZ2R", "MX2", "MY2", "0", "0"],
        ["0", "0", "0", "0", "0", "0", "MX3", "MY3", "MZ3", "M3"],
    ]


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers(name, symbolic):
    robot = tf.robots.bundled(name, symbolic=symbolic)
    counts = tuple(tf.base_parameters(replace(robot, gravity=Vector(*g))).count for g in GRAVITIES.values())
    assert counts == PUBLISHED[name]


def test_puma_groups_as_published():
    """Armstrong's frames, gravity along z0; the rotors of joints 1 and 2 join ZZ1R and ZZ2R."""
    robot = tf.robots.puma560(symbolic=True, d2="kept")
    rotors = tuple(replace(joint, IA=symbol(f"IA{j}")) for j, joint in enumerate(robot.joints, 1))
    base = tf.base_parameters(replace(robot, joints=rotors))
    assert " ".join(base.names) == (
        "ZZ1R XX2R XY2 XZ2R YZ2 ZZ2R MX2R MY2 XX3R XY3R XZ3 YZ3 ZZ3R MX3R MY3R XX4R XY4 XZ4 YZ4 ZZ4R MX4 MY4R "
        "XX5R XY5 XZ5 YZ5 ZZ5R MX5 MY5R XX6R XY6 XZ6 YZ6 ZZ6 MX6 MY6"
    )
    assert base.rotors == ("IA3", "IA4", "IA5", "IA6")
    assert str(base.relations["ZZ5R"]) == "YY6 + ZZ5"
    assert str(base.relations["XX4R"]) == "XX4 + YY5 - YY4"
    assert str(base.relations["MY5R"]) == "MY5 - MZ6"
    assert "IA1" in str(base.relations["ZZ1R"])
    assert "IA2" in str(base.relations["ZZ2R"])


def test_zero_values_do_not_change_the_count():
    robot = tf.robots.puma560()
    empty = replace(robot, bodies=tuple(tf.Body(name=body.name) for body in robot.bodies))
    assert tf.base_parameters(empty).count == tf.base_parameters(robot).count == 36


def test_numeric_robots_have_numbers():
    robot = tf.robots.puma560()
    base = tf.base_parameters(robot)
    assert not base.robot.symbols
    assert base.values()["MX2R"] == pytest.approx(17.4 * 0.068 + 0.4318 * (4.8 + 0.82 + 0.34 + 0.09))
    nonzero = [name for name, x in base.values().items() if x and not name.startswith("IA")]
    assert len(nonzero) == 20  # Armstrong's pattern of zeros


def test_values_bind_the_grouped_symbols():
    robot = tf.robots.rrp(symbolic=True)
    base = tf.base_parameters(robot)
    numbers = {name: 0.1 * k + 0.05 for k, name in enumerate(robot.symbols)}
    reduced = base.robot.bind(
        {name: x for name, x in {**numbers, **base.values(numbers)}.items() if name in base.robot.symbols}
    )
    assert not reduced.symbols
    assert base.values(numbers)["ZZ1R"] == pytest.approx(numbers["YY2"] + numbers["ZZ1"] + numbers["ZZ3"])
    with pytest.raises(tf.RobotError, match="XX2"):
        base.values({name: x for name, x in numbers.items() if name != "XX2"})


def test_grouped_names_avoid_the_users_symbols():
    robot = tf.robots.rrp(symbolic=True)
    renamed = replace(robot, joints=(replace(robot.joints[0], d=symbol("ZZ1R")), *robot.joints[1:]))
    base = tf.base_parameters(renamed)
    assert len(set(base.names)) == len(base.names)
    assert "ZZ1R" not in base.relations


@pytest.mark.parametrize("seed", range(12))
def test_elimination_alone_gives_as_many(seed):
    """Without any rule, dependent columns are found and grouped in exact arithmetic, with symbolic geometry too."""
    robot = random_robot(seed, largest=3, symbolic=seed % 2 == 0)
    every = {
        (name, j): LinearForm({f"{name}{j}": as_node(1.0)}) for j in range(1, len(robot.joints) + 1) for name in NAMES
    }
    base = BaseParameters(robot, group_dependent(robot.map(as_node), every))
    assert base.count == tf.base_parameters(robot).count
    reduced = tf.inverse_dynamics(base.robot)
    relations = {name: x for name, x in base.relations.items() if name in reduced.parameters}
    tf.inverse_dynamics(robot).certify(reduced.bind(relations))


@pytest.mark.parametrize("name", ["rx90", "puma560", "panda", "planar2r"])
def test_a_floating_robot_has_seven_for_each_revolute_joint_and_ten(name):
    robot = tf.robots.bundled(name, symbolic=True)
    base = tf.base_parameters(robot.with_base("floating"))
    assert base.count == 7 * robot.dof + 10
    assert base.names[:3] == ("XX0", "XY0", "XZ0") or base.names[0] == "XX0R"


def test_a_robot_without_inertia_is_refused_but_has_a_regressor():
    robot = tf.robots.rrp(symbolic=True).neglect(*tf.Inertia._fields)
    with pytest.raises(tf.RobotError, match="no link has any inertia"):
        tf.base_parameters(robot)
    assert tf.regressor(robot, parameters="base").outputs["Y"].labels[1]


@pytest.mark.parametrize("seed", range(8))
def test_joints_that_follow_others_leave_a_full_rank(seed):
    """Followers that stand before and behind their masters, on their branch and on others: where each block has full
    rank, and where not, the whole regressor of the base parameters has.
    """
    random = Random(seed)
    robot = random_robot(seed + 40, largest=7)
    moving = list(robot.moving)
    masters = moving[:: random.choice((2, 3))]
    ratios = (1.0, -1.0, 0.5)
    joints = tuple(
        joint
        if j in masters or j not in moving or random.random() < 0.4
        else replace(joint, mimic=Mimic(joint=random.choice(masters), ratio=random.choice(ratios)))
        for j, joint in enumerate(robot.joints, 1)
    )
    robot = replace(robot, joints=joints)
    base = grouped(robot)
    lifted = robot.map(as_node)
    assert rank(lifted, list(base.forms)) == base.count
    assert rank(lifted, [(name, j) for j in range(1, len(joints) + 1) for name in NAMES]) == base.count


def test_rotors_are_grouped_with_links_and_not_links_with_rotors():
    """A rotor on a slide that follows a hinge acts like the hinge's inertia, and comes before it in the tree."""
    slide = tf.Joint(name="slide", antecedent=0, sigma=1, IA=0.3, mimic=Mimic(joint=2, ratio=0.5))
    hinge = tf.Joint(name="hinge", antecedent=0, alpha=1.0, IA=0.2)
    inertia = tf.Inertia(ZZ=0.1, MX=0.2, MY=0.3, M=1.0)
    bodies = (tf.Body(name="slider", inertia=inertia), tf.Body(name="pendulum", inertia=inertia))
    robot = tf.Robot(name="pair", joints=(slide, hinge), bodies=bodies)
    base = tf.base_parameters(robot)
    assert base.names == ("M1", "ZZ2R", "MX2", "MY2")
    assert not base.rotors
    assert base.count == rank(robot.map(as_node), [(name, j) for j in (1, 2) for name in NAMES])
    assert tf.inverse_dynamics(base.robot).certify(tf.inverse_dynamics(robot, parameters="standard"))


def hand(seed):
    """Return an arm whose gripper has two fingers of two links each, all of which follow one joint."""
    random, joints = Random(seed), []

    def add(name, antecedent, alpha, **more):
        d, r = random.uniform(0.02, 0.3), random.uniform(0.02, 0.3)
        joints.append(tf.Joint(name=name, antecedent=antecedent, alpha=alpha, d=d, r=r, **more))

    for j in range(3):
        add(f"arm{j}", j, random.choice((np.pi / 2, -np.pi / 2)))
    add("driven", 3, 1.5)
    for side in range(2):
        add(f"inner{side}", 3, 1.5, mimic=Mimic(joint=4, ratio=1.0))
        add(f"tip{side}", len(joints), 0.0, mimic=Mimic(joint=4, ratio=-1.0))
    inertias = [tf.Inertia(*(random.uniform(0.1, 1) for _ in NAMES)) for _ in joints]
    bodies = tuple(tf.Body(name=joint.name, inertia=x) for joint, x in zip(joints, inertias, strict=True))
    return tf.Robot(name="hand", joints=tuple(joints), bodies=bodies)


@pytest.mark.parametrize("seed", range(2))
def test_a_hand_whose_joints_all_follow_one_keeps_its_torques(seed):
    robot = hand(seed)
    base = tf.base_parameters(robot)
    assert base.count == rank(robot.expanded().map(as_node), list(base.forms)) == 27
    state = np.random.default_rng(seed).uniform(-2, 2, (3, 50, robot.dof))
    torques, same = (tf.inverse_dynamics(x, parameters="standard").compile()(*state) for x in (robot, base.robot))
    np.testing.assert_allclose(same, torques, rtol=0, atol=1e-12 * np.abs(torques).max())
    tf.inverse_dynamics(robot).certify(tf.inverse_dynamics(base.robot))


@pytest.mark.parametrize("seed", range(2))
def test_followers_share_the_columns_of_friction(seed):
    robot = hand(seed)
    program = tf.regressor(robot, parameters="base", actuators=("FV", "FS", "FO"))
    labels = program.outputs["Y"].labels[1]
    assert labels[-4:] == ("FO1", "FO2", "FO3", "FO4R")
    Y = np.vstack(program.compile()(*np.random.default_rng(seed).uniform(-1, 1, (3, 60, robot.dof))))
    assert np.linalg.matrix_rank(Y / np.linalg.norm(Y, axis=0)) == len(labels)


def test_systems_of_numbers_are_solved_with_large_pivots():
    given = [[0.0, 0.0, 7.0], [1e-20, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 2.0, 4.0]]
    rows = regular_rows([list(map(as_node, row)) for row in given], 2)
    assert [float(row[0]) for row in rows] == [2.0, 1e-20]
    assert [float(x) for x in solved(rows)[0]] == [1.0, 1.0]


def test_systems_with_too_few_rows_are_not_regular():
    rows = [[as_node(1.0), symbol("L"), as_node(2.0)], [symbol("L"), symbol("L") * symbol("L"), as_node(1.0)]]
    assert len(regular_rows(rows, 2)) == 1


def test_friction_of_followers_beside_joints_that_do_not_move():
    """Fixed joints have no place among the velocities: they changed which friction depends on which."""
    inertia = tf.Inertia(M=1.0, MX=0.1, XX=0.1, YY=0.2, ZZ=0.3)

    def regressor(order):
        given = {"a": {}, "b": {"d": 0.5, "mimic": Mimic(joint=order.index("a") + 1, ratio=2.0)}, "c": {"d": 0.3}}
        joints = (tf.Joint(name=f"{x}{k}", antecedent=k, **given.get(x, {"sigma": 2})) for k, x in enumerate(order))
        bodies = (tf.Body(name=f"link{k}", inertia=inertia) for k in range(len(order)))
        robot = tf.Robot(name="hand", joints=tuple(joints), bodies=tuple(bodies))
        return tf.regressor(robot, parameters="base", actuators=("IA", "FV", "FS")).outputs["Y"]

    assert {regressor(order) for order in ("abc", "abcf", "fabc", "afbc", "abfc", "afbfc")} == {(2, 11)}
