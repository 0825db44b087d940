"""Design by Yang and Tzeng: counterweights that remove gravity and velocity terms, and the linear program behind."""

import math

import numpy as np
import pytest

import tauforge as tf
from tauforge.design.linear_program import minimum
from tauforge.graph.evaluate import symbols

ELBOW = tf.Robot(  # waist, shoulder and elbow
    name="elbow",
    joints=(
        tf.Joint(name="waist", antecedent=0),
        tf.Joint(name="shoulder", antecedent=1, alpha=math.pi / 2, IA=0.3, FV=0.1),
        tf.Joint(name="elbow", antecedent=2, d=0.4),
    ),
    bodies=(
        tf.Body(name="post", inertia=tf.Inertia(XX=0.1, YY=0.1, ZZ=0.02, MZ=-0.5, M=5.0)),
        tf.Body(name="upper", inertia=tf.Inertia(XX=0.01, YY=0.22, ZZ=0.22, MX=0.8, M=4.0)),
        tf.Body(name="fore", inertia=tf.Inertia(XX=0.005, YY=0.06, ZZ=0.06, MX=0.3, MZ=0.02, M=2.0)),
    ),
)


def test_a_three_joint_arm_becomes_linear():
    design = tf.yang_tzeng(ELBOW, reach=0.3)
    assert {"G2", "G3", "M(1,1)", "M(2,2)", "M(2,3)"} <= set(design.vanished)
    assert design.remaining == ()
    tau = design.program.results["tau"].nodes
    assert not any(name.startswith("q[") for name in symbols(tau))  # constant inertia, no gravity
    assert design.program.count().trig == 0
    assert design.program.count().total < 15
    assert design.difference() < 1e-12
    assert "linear" in design.report()
    M = tf.inertia_matrix(design.robot).compile()(np.random.default_rng(0).uniform(-3, 3, (50, 3)))
    assert M.std(axis=0).max() < 1e-12 * M.max()
    zero = np.zeros((50, 3))
    full = tf.inverse_dynamics(design.robot.neglect("FV")).compile()
    assert np.abs(full(np.random.default_rng(1).uniform(-3, 3, (50, 3)), zero + 2.0, zero)).max() < 1e-11


def test_gravity_torques_of_the_puma_are_removed():
    puma = tf.robots.puma560()
    design = tf.yang_tzeng(puma, remove=("gravity",))
    assert design.vanished == ("G2", "G3", "G4", "G5")
    q = np.random.default_rng(0).uniform(-3, 3, (200, 6))
    before, after = (np.abs(tf.gravity(robot).compile()(q)).max() for robot in (puma, design.robot))
    assert after < 1e-12 * before
    assert design.difference() < 1e-12
    assert design.program.count().total < 0.7 * tf.inverse_dynamics(puma, parameters="base").count().total
    assert design.added_mass == pytest.approx(sum(each.mass for each in design.counterweights))
    assert design.added_mass < 11.0


def test_the_lightest_design_of_a_double_pendulum():
    """Each rod is balanced at its joint by half its mass' moment at half a metre; the first also carries the second."""
    design = tf.yang_tzeng(tf.robots.planar2r(), reach=0.5)
    assert [(each.link, each.mass) for each in design.counterweights] == [
        ("link1", pytest.approx(5.0)),
        ("link2", pytest.approx(1.0)),
    ]
    assert all(each.place == (-0.5, 0.0, 0.0) for each in design.counterweights)


def test_what_cannot_be_removed_stays():
    scara = tf.robots.scara()
    with pytest.raises(tf.ProgramError, match="remove G4;"):  # the weight of the quill, whatever is added
        tf.yang_tzeng(scara)
    design = tf.yang_tzeng(scara, strict=False)
    assert design.remaining == ("G4",)
    assert design.difference() < 1e-12
    assert tf.yang_tzeng(scara, remove=("velocity",)).remaining == ("G4",)


def test_bounds_are_kept():
    arm = tf.robots.planar2r()
    with pytest.raises(tf.ProgramError, match="remove G1"):
        tf.yang_tzeng(arm, mass=3.0)
    with pytest.raises(tf.ProgramError, match="remove G1, G2"):
        tf.yang_tzeng(arm, mass={"link1": 100.0})
    design = tf.yang_tzeng(arm, mass={"link1": 8.0, "link2": 2.0}, reach={"link2": 0.25})
    on = {name: sum(x.mass for x in design.counterweights if x.link == name) for name in ("link1", "link2")}
    assert on["link1"] <= 8.0 + 1e-9
    assert on["link2"] == pytest.approx(2.0)


def test_clear_refusals():
    with pytest.raises(tf.ProgramError, match="'gravity' and 'velocity'"):
        tf.yang_tzeng(ELBOW, remove=("friction",))
    with pytest.raises(tf.ProgramError, match="needs numbers"):
        tf.yang_tzeng(tf.robots.rx90(symbolic=True))
    with pytest.raises(tf.ProgramError, match=r"mass: elbow has no link 'hand'.*post, upper, fore"):
        tf.yang_tzeng(ELBOW, mass={"hand": 1.0})
    with pytest.raises(tf.ProgramError, match="floating"):
        tf.yang_tzeng(ELBOW.with_base("floating"))


def test_the_linear_program_against_all_vertices():
    """Small random programs, whose best vertex is found by trying every basis."""
    from itertools import combinations

    random = np.random.default_rng(3)
    seen = 0
    for _ in range(60):
        A = random.integers(-3, 4, (2, 5)).astype(float)
        b = random.integers(-3, 4, 2).astype(float)
        limits, most = np.ones((1, 5)), np.array([4.0])
        rows = np.vstack([np.hstack([A, np.zeros((2, 1))]), np.ones((1, 6))])
        best = None
        for chosen in combinations(range(6), 3):
            part = rows[:, chosen]
            if abs(np.linalg.det(part)) > 1e-9:
                x = np.linalg.solve(part, [*b, 4.0])
                if x.min() > -1e-9:
                    total = sum(v for v, k in zip(x, chosen, strict=True) if k < 5)
                    best = total if best is None else min(best, total)
        if np.linalg.matrix_rank(rows) < 3:
            continue
        found = minimum(A, b, limits, most)
        assert (found is None) == (best is None)
        if found is not None:
            seen += 1
            np.testing.assert_allclose(A @ found, b, atol=1e-9)
            assert found.min() >= 0
            assert found.sum() == pytest.approx(best, abs=1e-9)
    assert seen > 20


def test_of_several_solutions_the_first_entries_are_taken():
    """Two equal columns, a limit that binds, and nothing to be met."""
    one, none = np.ones((1, 3)), np.zeros((0, 3))
    np.testing.assert_allclose(minimum(one, np.array([2.0]), one, np.array([5.0])), [2.0, 0.0, 0.0], atol=1e-12)
    first = np.array([[1.0, 0.0, 0.0]])
    np.testing.assert_allclose(minimum(one, np.array([2.0]), first, np.array([0.5])), [0.5, 1.5, 0.0], atol=1e-12)
    np.testing.assert_allclose(minimum(none, np.zeros(0), one, np.array([5.0])), [0.0, 0.0, 0.0], atol=1e-12)
    assert minimum(one, np.array([-2.0]), one, np.array([5.0])) is None
    assert minimum(one, np.array([2.0]), one, np.array([2.0 - 1e-6])) is None
