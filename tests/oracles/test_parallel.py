"""Parallel robots against MuJoCo and Pinocchio: platform motion in, torques of the motors out, and back."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.entries import axis_names

from ..interpret import interpret
from ..random_parallel import platform_of, random_parallel, states
from ..random_robots import seeds
from .agree import agree
from .loops import ENGINES, InPinocchio
from .test_closed_loops import PARALLEL

FAR = 300.0
"""Condition number, of the legs or of the motors, beyond which a state counts as singular."""


def compare(robot, q, seed):
    """Compare both models, in the coordinates of the platform, with both engines."""
    rng, n = np.random.default_rng(seed), len(robot.velocity_names)
    qd, qdd = rng.normal(size=(2, len(q), n))
    inverse, direct = (model(robot, efforts="motors") for model in (tf.inverse_dynamics, tf.direct_dynamics))
    for i in range(len(q)):
        tau = interpret(inverse, q[i], qd[i], qdd[i])
        for engine in (known(robot, q[i], qd[i]) for known in ENGINES):
            driven = motors(robot, engine)
            agree(tau, np.linalg.lstsq(engine.G[driven].T, engine.inverse(qdd[i]))[0], 1e-8)
            whole = engine.M @ engine.accelerations(qdd[i]) + engine.h
            agree([tau @ engine.v[driven]], [whole @ engine.v], 1e-8)  # the power of the tree
        agree(interpret(direct, q[i], qd[i], tau), qdd[i], 1e-8)


def motors(robot, engine):
    names = axis_names(engine.robot)
    return [names.index(name) for name in robot.actuated]


def regular(seed, mobility, more):
    """Return a random robot in the coordinates of its platform, and a state that is far from singular ones."""
    while True:
        robot = random_parallel(seed, mobility, more)
        seed += 1000
        try:
            robot = robot.with_independent(*platform_of(robot))
            q = states(robot, 1, seed)
        except tf.ProgramError:  # out of reach
            continue
        engine = InPinocchio(robot, q[0], np.zeros(len(robot.velocity_names)))
        if max(engine.condition, np.linalg.cond(engine.G[motors(robot, engine)])) < FAR:
            return robot, q


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PARALLEL)
def test_bundled_robots(name, count):
    robot = tf.robots.bundled(name)
    robot = robot.with_independent(*platform_of(robot))
    compare(robot, states(robot, count, count), count)


@seeds(quick=1, all=60)
@pytest.mark.parametrize("mobility", ["floating", "translation", "planar"])
@pytest.mark.parametrize("more", [0, 1])
def test_random_robots(seed, mobility, more):
    compare(*regular(seed, mobility, more), seed)
