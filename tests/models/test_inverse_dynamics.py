"""Inverse dynamics: the recursion on numbers, its options, published results and counts."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.inverse_dynamics import newton_euler
from tauforge.models.state import State
from tauforge.spatial.vector import Vector

from ..interpret import interpret
from ..random_robots import random_robot, random_state


def on_numbers(robot, q, qd, qdd):
    """Run the same recursion on floats."""

    def spread(values):
        full = [[] for _ in range(len(robot.joints) + 1)]
        for j, x in zip(robot.moving, values, strict=True):
            full[j] = [x]
        return full

    return newton_euler(robot, State.zero(robot, q=spread(q), qd=spread(qd), qdd=spread(qdd)))


def test_the_recursion_takes_floats_and_nodes_alike():
    for seed in range(30):
        robot = random_robot(seed, rotors=True)
        state = random_state(robot, seed)
        result = on_numbers(robot, *state)
        assert all(isinstance(x, float) for x in result)
        assert result == pytest.approx(list(interpret(tf.inverse_dynamics(robot), *state)), rel=1e-9, abs=1e-9)


def test_friction_and_rotor_inertia_follow_equation_31():
    robot = tf.robots.planar2r()
    joints = tuple(replace(joint, IA=0.5, FV=0.3, FS=0.2) for joint in robot.joints)
    q, qd, qdd = [0.1, 0.2], [0.7, -0.8], [0.9, 1.1]
    extra = interpret(tf.inverse_dynamics(replace(robot, joints=joints)), q, qd, qdd) - interpret(
        tf.inverse_dynamics(robot), q, qd, qdd
    )
    assert extra == pytest.approx([0.5 * a + 0.3 * v + 0.2 * np.sign(v) for v, a in zip(qd, qdd, strict=True)])
    assert tf.inverse_dynamics(replace(robot, joints=joints).neglect("IA", "FV", "FS")).certify(
        tf.inverse_dynamics(robot)
    )


def test_external_wrenches_of_the_description():
    robot = tf.robots.planar2r()
    loaded = replace(robot, bodies=(robot.bodies[0], replace(robot.bodies[1], wrench=(0.0, 2.0, 0.0, 0.0, 0.0, 3.0))))
    state = [0.4, 0.5], [0.0, 0.0], [0.0, 0.0]
    extra = interpret(tf.inverse_dynamics(loaded, external_wrenches="robot"), *state) - interpret(
        tf.inverse_dynamics(loaded), *state
    )
    assert extra == pytest.approx([3.0 + 2.0 * math.cos(0.5), 3.0])


def test_a_turning_and_accelerating_base_is_one_more_joint():
    """A base with prescribed motion equals a first revolute and a prismatic joint that move so."""
    arm = tf.robots.rx90(symbolic=True).map(lambda x: x)
    arm = arm.bind({name: 0.1 + 0.01 * k for k, name in enumerate(arm.symbols)})
    w, wd, vd = 0.6, -0.4, 1.3
    moved = replace(arm, base=tf.Base(W0=Vector(0.0, 0.0, w), WP0=Vector(0.0, 0.0, wd), VP0=Vector(0.0, 0.0, vd)))
    lift = tf.Joint(name="lift", antecedent=0, sigma=1)
    turn = tf.Joint(name="turn", antecedent=1, sigma=0)
    joints = (lift, turn, *(replace(joint, antecedent=joint.antecedent + 2) for joint in arm.joints))
    bodies = (tf.Body(name="l"), tf.Body(name="t"), *arm.bodies)
    whole = replace(arm, joints=joints, bodies=bodies)
    q, qd, qdd = random_state(arm, 3)
    expected = interpret(tf.inverse_dynamics(whole), [0.0, 0.0, *q], [0.0, w, *qd], [vd, wd, *qdd])[2:]
    assert interpret(tf.inverse_dynamics(moved), q, qd, qdd) == pytest.approx(expected, rel=1e-12)
    assert tf.inverse_dynamics(moved, parameters="base").certify(tf.inverse_dynamics(moved).bind())


def test_planar_arm_by_hand():
    """Two rods in a vertical plane, the textbook's closed form."""
    q1, q2, v1, v2, a1, a2 = 0.3, -0.7, 0.5, 1.1, -0.2, 0.4
    c2, s2 = math.cos(q2), math.sin(q2)
    m22, m12, m11 = 1 / 3, 1 / 3 + c2 / 2, 1 / 3 + 1 + 1 / 3 + c2
    g1, g2 = 9.81 * (1.5 * math.cos(q1) + 0.5 * math.cos(q1 + q2)), 9.81 * 0.5 * math.cos(q1 + q2)
    expected = [
        m11 * a1 + m12 * a2 - s2 / 2 * (2 * v1 * v2 + v2 * v2) + g1,
        m12 * a1 + m22 * a2 + s2 / 2 * v1 * v1 + g2,
    ]
    assert interpret(tf.inverse_dynamics(tf.robots.planar2r()), [q1, q2], [v1, v2], [a1, a2]) == pytest.approx(
        expected, rel=1e-12
    )


def test_puma_has_the_published_constants():
    """Armstrong, Khatib and Burdick, table A3: gravity constants and the arm's inertias at the first joints."""
    program = tf.inverse_dynamics(tf.robots.puma560())
    zero = [0.0] * 6
    torque = interpret(program, zero, zero, zero)
    g1, g2, g4, g5 = (
        -37.2,
        -8.44,
        0.249,
        -2.82e-2,
    )  # at q = 0 the shoulder carries g1 + g4, the elbow g4, about the horizontal axis
    assert torque[2] == pytest.approx(g4, abs=0.01)
    assert torque[1] == pytest.approx(g1 + g4, rel=5e-3)
    up = interpret(program, [0.0, 0.0, math.pi / 2, 0.0, 0.0, 0.0], zero, zero)
    assert up[2] == pytest.approx(g2 + g5, rel=5e-3)


def test_kuka_has_the_published_torques():
    """Woliński and Malczyk's inverse problem: all joints follow (pi/2) cos(pi t/7) for 14 s."""
    program = tf.inverse_dynamics(tf.robots.kuka_lwr())
    w, peaks = math.pi / 7, np.zeros(7)
    for t in np.linspace(0, 14, 281):
        q, v, a = (math.pi / 2 * x for x in (math.cos(w * t), -w * math.sin(w * t), -w * w * math.cos(w * t)))
        peaks = np.maximum(peaks, abs(interpret(program, [q] * 7, [v] * 7, [a] * 7)))
    assert peaks == pytest.approx([1.9441, 43.7537, 15.3549, 13.5451, 0.12844, 0.11117, 0.00023050], rel=5e-5)


GENERAL = tf.Robot(
    name="general6r",
    joints=tuple(
        tf.Joint(name=f"j{j}", antecedent=j - 1, alpha=tf.symbol(f"AL{j}"), d=tf.symbol(f"D{j}"), r=tf.symbol(f"RL{j}"))
        for j in range(1, 7)
    ),
    bodies=tuple(
        tf.Body(name=f"l{j}", inertia=tf.Inertia(*(tf.symbol(f"{n}{j}") for n in tf.Inertia._fields)))
        for j in range(1, 7)
    ),
)
COUNTS = {  # robot: total with standard, base and least parameters. These may only fall.
    "rrp": (165, 124, 121),
    "planar2r": (42, 38, 30),
    "scara": (93, 71, 64),
    "stanford": (532, 423, 398),
    "rx90": (551, 462, 430),
    "puma560": (571, 483, 451),
    "kuka_lwr": (651, 547, 512),
    "ur5": (571, 483, 447),
    "panda": (684, 580, 542),
}


@pytest.mark.parametrize("name", COUNTS)
def test_operation_counts(name):
    robot = tf.robots.bundled(name, symbolic=True)
    counts = tuple(tf.inverse_dynamics(robot, parameters=p).count().total for p in ("standard", "base", "least"))
    assert counts == COUNTS[name]


def test_operation_counts_of_a_general_arm_and_of_the_puma_with_its_offset():
    assert tf.inverse_dynamics(GENERAL, parameters="base").count().total == 738
    assert tf.inverse_dynamics(GENERAL, parameters="least").count().total == 686
    assert tf.inverse_dynamics(tf.robots.puma560(symbolic=True, d2="kept"), parameters="base").count().total == 509


def test_moving_the_shoulder_offset_changes_no_torque():
    moved, kept = (tf.inverse_dynamics(tf.robots.puma560(d2=d2)) for d2 in ("moved", "kept"))
    for seed in range(5):
        state = random_state(tf.robots.puma560(), seed)
        assert interpret(moved, *state) == pytest.approx(interpret(kept, *state), rel=1e-12)


def test_clear_refusals():
    robot = tf.robots.planar2r()
    with pytest.raises(tf.ProgramError, match="formulation"):
        tf.inverse_dynamics(robot, formulation="magic")
    with pytest.raises(tf.ProgramError, match="'base' or 'least'"):
        tf.inverse_dynamics(robot, parameters="best")
    with pytest.raises(tf.ProgramError, match="external_wrenches"):
        tf.inverse_dynamics(robot, external_wrenches="some")
    loop = tf.Loop(joint=tf.Joint(name="cut", antecedent=2, mu=0), frame=tf.Joint(name="frame", antecedent=1, sigma=2))
    with pytest.raises(
        tf.ProgramError,
        match="frames of the loop 'cut' are 1 m or rad apart, and no joint between them can change that",
    ):
        tf.inverse_dynamics(replace(robot, loops=(loop,)))
