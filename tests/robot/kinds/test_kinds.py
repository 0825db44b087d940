"""What must hold of every kind of joint: its parts agree with each other, and nothing else is known of it."""

import math
import re
from dataclasses import replace
from inspect import signature
from pathlib import Path
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.link_motion import VELOCITY
from tauforge.models.registry import MODELS
from tauforge.robot.kinds import FIXED, KINDS
from tauforge.spatial.screw import Wrench
from tauforge.spatial.vector import ZERO, Vector

STEP = 1e-6
GEOMETRY = {"gamma": 0.3, "b": 0.2, "alpha": -1.1, "d": 0.4, "e": 0.1, "theta": 0.7, "r": -0.3}

JOINTS = [
    tf.Joint(name="j", antecedent=0, sigma=kind.number, **GEOMETRY, **dict.fromkeys(kind.parameters, 0.23))
    for kind in KINDS
]
every = pytest.mark.parametrize("joint", JOINTS, ids=[kind.word for kind in KINDS])


def state(joint, seed=1):
    """Return coordinates, away from the neutral ones, and a velocity."""
    random, kind = Random(seed), joint.kind
    q, v = ([random.uniform(-1, 1) for _ in kind.velocities] for _ in range(2))
    return kind.step(kind.neutral, q), v


def matrix(joint, q):
    """Return the homogeneous matrix of the link at coordinates."""
    pose = joint.pose(q)
    columns = [pose.R.forth(Vector(*row)) for row in np.eye(3)]
    return np.vstack([np.column_stack([*columns, pose.P]), [0, 0, 0, 1]])


def slope(function):
    """Return the derivative at zero, by central differences."""
    return (np.array(function(STEP)) - np.array(function(-STEP))) / (2 * STEP)


def scaled(v, x):
    return [a * x for a in v]


def test_each_has_the_place_of_its_number_and_its_own_word():
    assert [kind.number for kind in KINDS] == list(range(len(KINDS)))
    assert len({kind.word for kind in KINDS}) == len(KINDS)


@every
def test_neutral_coordinates_leave_the_link_at_the_constant_frame(joint):
    np.testing.assert_allclose(matrix(joint, joint.kind.neutral), matrix(joint, ()), atol=1e-15)


@every
def test_the_names_count_what_there_is(joint):
    kind, (q, v) = joint.kind, state(joint)
    assert len(q) == len(kind.coordinates) == len(kind.neutral)
    assert len(kind.screws(q)) == len(kind.velocities)
    assert len(kind.screw_rates(q, v)) in (0, len(kind.velocities))
    assert np.shape(kind.tangent(q)) == (len(q), len(v)) or not q


@every
def test_the_screws_are_how_the_pose_moves(joint):
    q, v = state(joint)
    rate = np.linalg.inv(matrix(joint, q)) @ slope(lambda h: matrix(joint, joint.kind.step(q, scaled(v, h))))
    linear, angular = joint.kind.screw(q, v)
    np.testing.assert_allclose(rate[:3, 3], linear, atol=1e-9)
    np.testing.assert_allclose([rate[2, 1], rate[0, 2], rate[1, 0]], angular, atol=1e-9)


@every
def test_the_screws_change_at_their_rates(joint):
    (q, v), kind = state(joint), joint.kind
    rates = kind.screw_rates(q, v) or [(ZERO, ZERO)] * len(v)
    found = slope(lambda h: [[*s.v, *s.w] for s in kind.screws(kind.step(q, scaled(v, h)))])
    np.testing.assert_allclose(found, [[*s[0], *s[1]] for s in rates], atol=1e-9)
    summed = sum((np.array([*s[0], *s[1]]) * x for s, x in zip(rates, v, strict=True)), start=np.zeros(6))
    np.testing.assert_allclose([*kind.drift(q, v).v, *kind.drift(q, v).w], summed, atol=1e-15)


@every
def test_short_cuts_are_what_the_screws_say(joint):
    (q, v), kind = state(joint), joint.kind
    wrench = Wrench(Vector(1.0, -2.0, 3.0), Vector(0.5, 0.7, -0.9))
    assert kind.along(q, wrench) == pytest.approx(tuple(s.dot(wrench) for s in kind.screws(q)))
    total = sum((np.array([*s.v, *s.w]) * x for s, x in zip(kind.screws(q), v, strict=True)), start=np.zeros(6))
    assert [*kind.screw(q, v).v, *kind.screw(q, v).w] == pytest.approx(total)


@every
def test_the_tangent_is_how_a_step_begins(joint):
    q, v = state(joint)
    found = slope(lambda h: joint.kind.step(q, scaled(v, h)))
    np.testing.assert_allclose(found, np.array(joint.kind.tangent(q)).reshape(len(q), len(v)) @ v, atol=1e-9)
    assert not joint.kind.is_flat or np.allclose(found, v)


@every
def test_the_difference_undoes_a_step(joint):
    q, v = state(joint)
    np.testing.assert_allclose(joint.kind.difference(q, joint.kind.step(q, v)), v, atol=1e-14)


@every
def test_what_is_grouped_can_be_the_parents(joint):
    """Proved exactly, on a parent that moves freely."""
    for key, together in joint.kind.grouped:
        moved = tf.Inertia(**dict.fromkeys(together, 1.0))
        programs = []
        for inertias in ((tf.Inertia(), moved), (moved, tf.Inertia())):
            bodies = tuple(tf.Body(name=f"link{k}", inertia=inertia) for k, inertia in enumerate(inertias))
            given = {key: getattr(joint, key) for key in joint.kind.parameters}
            own = tf.Joint(name="j", antecedent=1, sigma=joint.sigma, **given)
            free = tf.Joint(name="free", antecedent=0, sigma=4)
            programs.append(tf.inverse_dynamics(tf.Robot(name="pair", joints=(free, own), bodies=bodies)))
        assert programs[0].certify(programs[1]), key


@every
def test_base_parameters_give_the_torques(joint):
    """Proved exactly, at the base, where most is grouped."""
    last = tf.Joint(name="last", antecedent=1, alpha=0.7, d=0.3, r=0.2)
    inertia = tf.Inertia(0.3, 0.01, 0.02, 0.4, 0.03, 0.5, 0.11, 0.12, 0.13, 1.5)
    bodies = tuple(tf.Body(name=f"link{k}", inertia=inertia) for k in range(2))
    robot = tf.Robot(name="two", joints=(joint, last), bodies=bodies)
    standard, auto, base = (tf.inverse_dynamics(robot, parameters=p) for p in ("standard", "auto", "base"))
    assert standard.certify(auto)
    assert standard.certify(base)


@every
def test_turn_and_slide_are_the_only_motion_or_none(joint):
    kind = joint.kind
    assert kind.is_axial == (kind.offsets([1.0] * len(kind.neutral)) == (kind.turn, kind.slide) != (0.0, 0.0))


@every
def test_a_cut_joint_holds_what_it_does_not_allow(joint):
    kind = joint.kind
    if kind.held is not None:
        allowed = np.array([[*s.v, *s.w] for s in kind.screws(kind.neutral)]).reshape(-1, 6)
        assert not allowed[:, list(kind.held)].any()
        assert len(kind.held) + kind.crossed + np.linalg.matrix_rank(allowed) == 6


@every
def test_every_model_takes_it(joint):
    """Between a revolute and a prismatic joint, with symbols."""
    first, last = (tf.Joint(name=f"joint{k}", antecedent=k, sigma=k // 2, alpha=math.pi / 2) for k in (0, 2))
    inertias = [tf.Inertia(*(tf.symbol(f"{key}{k}") for key in tf.Inertia._fields)) for k in range(3)]
    bodies = tuple(tf.Body(name=f"link{k}", inertia=inertia) for k, inertia in enumerate(inertias))
    robot = tf.Robot(name="three", joints=(first, replace(joint, antecedent=1), last), bodies=bodies)
    options = {"frame": "link2", "accelerated": ["joint0"]}
    for model in MODELS.values():
        known = signature(model.function).parameters
        asked = {key: x for key, x in options.items() if key in known}
        if "rows" in known:
            asked["rows"] = VELOCITY[: robot.dof] if robot.dof <= 6 else VELOCITY
        if model.name == "operational-space":
            asked["damping"] = 0.1
        if robot.dof <= 6 or model.name != "jacobian-determinant":  # which there is for a square matrix
            assert model.function(robot, **asked).results
    assert tf.base_parameters(robot).count


def test_the_page_on_joints_lists_every_kind():
    page = (Path(__file__).parents[3] / "docs" / "theory" / "joints.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \((?:`sigma` )?(\d+)\) \|.*\| (.*)\|$", page, re.MULTILINE)
    shown = [(word, int(number), tuple(re.findall(r"\w+", grouped))) for word, number, grouped in rows]
    others = [joint.kind for joint in JOINTS if joint.sigma > FIXED]
    assert shown == [(kind.word, kind.number, tuple(key for key, _ in kind.grouped)) for kind in others]
