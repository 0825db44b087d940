"""Inverse geometry in every language: all branches and flags as `ik` has them."""

from functools import cache

import numpy as np
import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app
from tauforge.targets import TARGETS

from ..geometry.inverse.arms import poses
from . import drivers
from .programs import FIXED
from .runners import RUNNERS

LENGTHS = {"D3": 0.43, "D4": -0.02, "RL3": 0.15, "RL4": 0.41}
ARMS = {
    "ik_puma": lambda: tf.robots.puma560(),
    "ik_ur5": lambda: tf.robots.ur5(),
    "ik_stanford": lambda: tf.robots.stanford(),
    "ik_letters": lambda: tf.robots.puma560(symbolic=True),
}
"""Names of functions, and arms; the last one has its lengths as inputs."""
STAND_IN = "maple"
"""Giac, which stands in for Maple, has no arc tangent of two numbers."""
QUICK = ("python", "javascript")
SLOW_TOOLS = ("mathematica",)
"""Mathics takes minutes for a Program of this size; it runs on the smallest arm."""


@cache
def program(name):
    made = tf.inverse_geometry(ARMS[name](), frame="link6").program
    FIXED[name] = [{"T": T.ravel().tolist(), "near": [0.0] * 6, "blur": [1e-40], **lengths(made)} for T in goals(name)]
    return made


def lengths(made):
    return {"parameters": [LENGTHS[x] for x in made.parameters]} if made.parameters else {}


@cache
def bound(name):
    robot = ARMS[name]()
    return robot.bind(**{x: LENGTHS.get(x, 0.1) for x in robot.symbols}) if robot.symbols else robot


@cache
def goals(name):
    random = np.random.default_rng(len(name))
    q = random.uniform(-1.2, 1.2, (3, 6))
    T = poses(bound(name), q, "link6")
    T[2, :3, 3] *= 5.0  # out of reach
    return T


def check(found, name):
    ik = tf.inverse_geometry(bound(name), frame="link6")
    for T, one in zip(goals(name), found[name], strict=True):
        wanted = ik(T, limits=False)
        valid, q = np.array(one["valid"]), np.array(one["q"]).reshape(-1, 6)
        assert set(valid) <= {0.0, 1.0}
        assert one["doubt"] == pytest.approx([0.0])
        assert int(valid.sum()) == wanted.count
        if wanted.count:
            off = q[valid == 1.0] - wanted.q
            assert np.abs(off - 2.0 * np.pi * np.round(off / (2.0 * np.pi))).max() < 1e-10
        else:
            assert max(one["margin"]) < 0.0
        assert abs(one["skew"][0]) < 1e-20


def targets():
    every = [x for x in (*RUNNERS, *drivers.RUNNERS) if (":" not in x or x == "c:real_t") and x != STAND_IN]
    return [pytest.param(x, marks=[pytest.mark.slow] * (x not in QUICK)) for x in every]


@pytest.mark.parametrize("target", targets())
def test_all_branches_in_every_language(target, tmp_path):
    names = ["ik_stanford"] if target in SLOW_TOOLS else [*ARMS]
    if target in QUICK:
        names = ["ik_stanford", "ik_letters"]
    found = (RUNNERS | drivers.RUNNERS)[target](tmp_path, {name: program(name) for name in names})
    for name in names:
        check(found, name)


@pytest.mark.parametrize("target", [x for x in TARGETS if x != "header"])
def test_the_head_says_what_flags_mean(target, tmp_path):
    text = program("ik_stanford").code(target)
    words = " ".join(text.split())
    for word in ("valid", "doubt", "near", "singular pose", "Geometric parameters"):
        assert word in words


@pytest.mark.slow
def test_the_command_line_writes_every_ending(tmp_path):
    for ending in ("c", "m", "f90", "py", "hpp", "rs", "go", "java", "cs", "js", "ts", "sci", "mac", "tex"):
        path = tmp_path / f"ik.{ending}"
        options = ["generate", "inverse-geometry", "scara", "--frame", "link4", "-o", str(path)]
        done = CliRunner().invoke(app, options)
        assert done.exit_code == 0, done.output or done.exception
        assert path.stat().st_size > 1000
