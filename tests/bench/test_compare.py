"""Other libraries' results are ours, whatever the robot; what cannot be compared says why. No time matters here."""

import importlib.util
import math
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.bench import compare
from tauforge.bench.compare import PEERS, rows
from tauforge.bench.peer import DERIVATIVES, MODELS, Peer, Unfit
from tauforge.bench.prepare import depth_first, prepared, solid, states
from tauforge.bench.timing import best_times
from tauforge.bench.with_mujoco import MuJoCo
from tauforge.bench.with_pinocchio import Pinocchio
from tauforge.bench.with_tauforge import Tauforge

from ..random_robots import random_robot

QUICK = (Pinocchio, MuJoCo)
"""Those that the tests install."""


def physical(robot):
    """Return a robot with inertias that a body can have, which MuJoCo asks for."""
    source = Random(robot.dof)
    return replace(robot, bodies=tuple(replace(body, inertia=solid(source)) for body in robot.bodies))


def compared(robot, models=MODELS, peers=QUICK):
    return {(row.peer, row.model): row for row in rows(prepared(robot)[0], models, batch=5, seconds=0.0, peers=peers)}


def test_results_are_the_same_on_random_trees():
    for seed in range(6):
        robot = physical(random_robot(seed, largest=4, rotors=seed % 2 == 0))
        if not robot.dof:
            continue
        for (peer, model), row in compared(robot).items():
            if (peer, model) == ("MuJoCo", DERIVATIVES):
                assert "finite differences" in row.reason
            else:
                assert not row.reason, (robot, row)
                assert row.error < 1e-9
                assert min(row.batch, row.single, row.batch_ratio, row.single_ratio) > 0
                assert row.mode


def test_results_are_the_same_on_floating_bases_and_spherical_joints():
    trunk = tf.Body(name="trunk", inertia=solid(Random(3)))
    floating = physical(random_robot(2, largest=3, fixed=False)).with_base("floating", body=trunk)
    ball = tf.Joint(name="ball", antecedent=0, sigma=3, alpha=0.3, d=0.2)
    arm = tf.Joint(name="arm", antecedent=1, alpha=0.5, d=0.4, r=0.1)
    spherical = physical(
        tf.Robot(name="s", joints=(ball, arm), bodies=(tf.Body(name="a"), tf.Body(name="b")), gravity=(0, 0, -9.81))
    )
    for robot in (floating, spherical):
        for (peer, model), row in compared(robot).items():
            assert not row.reason or (peer, model) == ("MuJoCo", DERIVATIVES), row


@pytest.mark.parametrize(
    "kind",
    [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in PEERS],
    ids=lambda kind: kind.name,
)
def test_every_library_that_is_there_agrees_on_a_chain(kind):
    if kind not in QUICK and not importlib.util.find_spec(kind.module):
        pytest.skip(f"needs {kind.install}")
    found = compared(physical(tf.robots.rx90()), ("inverse-dynamics",), [kind])
    row = found[kind.name, "inverse-dynamics"]
    assert not row.reason, row


def test_the_page_on_performance_lists_every_library():
    page = (Path(__file__).parents[2] / "docs" / "performance.md").read_text(encoding="utf-8")
    table = page[page.index("| library | package |") :].split("\n\n")[0]
    assert re.findall(r"^\| (.*?) \| `(.*?)` \|", table, re.MULTILINE) == [(x.name, x.install) for x in PEERS]


def test_what_is_not_there_or_does_not_fit_says_why():
    class Missing(Pinocchio):
        name, module, install = "Missing", "no_such_module_at_all", "no-such-package"

    class Wrong(Pinocchio):
        name = "Wrong"

        def ours(self, model, arrays, result):
            return result + 1e-3

    class Failing(Pinocchio):
        name = "Failing"

        def batch(self, model, arrays):
            raise RuntimeError("out of order\nmore")

    class Small(Peer):
        name, module, install = "Small", "math", "small"

        def __init__(self, robot):
            raise Unfit("two joints at most")

        def call(self, model):
            raise NotImplementedError

    robot = prepared(tf.robots.planar2r())[0]
    found = rows(robot, ["inertia-matrix"], batch=3, seconds=0.0, peers=[Missing, Wrong, Failing, Small])
    ours, *others = found
    assert ours.batch_ratio == 1.0
    assert [row.reason.split(" by ")[0] for row in others] == [
        "not installed: pip install no-such-package",
        "results differ",
        "fails: out of order",
        "two joints at most",
    ]
    assert all(row.batch is None for row in others)
    assert math.isinf(compare._difference(np.array([np.nan]), np.ones(1)))


def test_a_robot_is_prepared_for_all():
    joints = (
        tf.Joint(name="a", antecedent=0, FV=0.5),
        tf.Joint(name="b", antecedent=0, d="L"),
        tf.Joint(name="c", antecedent=1, sigma=2, d=0.1),
    )
    bodies = (tf.Body(name="A", inertia=tf.Inertia(M=1.0, ZZ=1.0)), tf.Body(name="B", inertia=tf.Inertia(M="M2")))
    robot = tf.Robot(name="odd", joints=joints, bodies=(*bodies, tf.Body(name="C")))
    made, notes = prepared(robot)
    assert made.joint_names == ("a", "b")
    assert not made.symbols
    assert notes == ["without friction", "symbols have random values"]


def test_links_are_numbered_branch_by_branch():
    antecedents = [0, 0, 1, 2, 1]
    joints = tuple(tf.Joint(name=f"j{k}", antecedent=a) for k, a in enumerate(antecedents, 1))
    bodies = tuple(tf.Body(name=f"b{k}") for k in range(1, 6))
    made = depth_first(tf.Robot(name="tree", joints=joints, bodies=bodies))
    assert [joint.name for joint in made.joints] == ["j1", "j3", "j5", "j2", "j4"]
    assert [joint.antecedent for joint in made.joints] == [0, 1, 1, 0, 4]
    assert [body.name for body in made.bodies] == ["b1", "b3", "b5", "b2", "b4"]


def test_states_have_unit_quaternions():
    robot = tf.robots.planar2r().with_base("floating").expanded()
    q, qd, qdd = states(robot, 4)
    assert np.allclose(np.linalg.norm(q[:, 3:7], axis=1), 1.0)
    assert q.shape == (4, 9)
    assert qd.shape == qdd.shape == (4, 8)


def test_each_is_run_in_turn_and_some_rounds_at_least():
    ran = []
    times = best_times({"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}, seconds=0.0, rounds=2)
    assert times.keys() == {"a", "b"}
    assert min(times.values()) >= 0
    assert {"a", "b"} == set(ran)


def test_our_models_are_optimised_if_asked_for():
    robot = prepared(tf.robots.planar2r())[0]
    (ours,) = rows(robot, ["inverse-dynamics"], batch=3, seconds=0.0, peers=[], effort="quick")
    assert "optimised" in ours.mode
    made, best = (Tauforge(robot, effort).function("inverse-dynamics").program for effort in (None, "quick"))
    assert best.count().total < made.count().total
    assert made.certify(best)
