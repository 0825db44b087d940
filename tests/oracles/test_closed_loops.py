"""Dynamics, joint motions and joint wrenches of robots with closed loops against MuJoCo and Pinocchio, at random closed
states.

The engines know trees: their dynamics are projected on the motions that their own Jacobians of the cuts allow. Direct
dynamics are those of ``pin.constraintDynamics`` as well.
"""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.entries import axis_names

from ..interpret import interpret
from ..random_loops import random_mechanism
from ..random_robots import seeds
from .agree import agree
from .loops import ENGINES, InPinocchio, closed_states

PARALLEL = ("gough_stewart", "delta", "planar_3rrr", "orthoglide")
"""Robots with a platform, which test_parallel.py moves within their reach."""
LOOPED = [name for name in tf.robots.names() if tf.robots.bundled(name).loops and name not in PARALLEL]
SLOW = pytest.mark.slow
FAR = 1e3
"""Condition number of the loops' equations beyond which a state counts as singular."""


def compare(robot, states, seed, loaded=False):
    """Compare the models at some states with both engines."""
    rng, n = np.random.default_rng(seed), len(robot.velocity_names)
    qd, qdd, tau = rng.normal(size=(3, len(states), n))
    more = []
    if loaded:
        more = [rng.normal(size=(len(states), len(robot.expanded().bodies), 6))]
    programs = (model(robot, external_wrenches=loaded) for model in (tf.inverse_dynamics, tf.direct_dynamics))
    inverse, direct = (
        np.array([interpret(program, *state) for state in zip(states, qd, last, *more, strict=True)])
        for program, last in zip(programs, (qdd, tau), strict=True)
    )
    everywhere, back = (
        model(robot, external_wrenches=loaded, coordinates="all", efforts="independent")
        for model in (tf.direct_dynamics, tf.inverse_dynamics)
    )
    motion, carried = tf.joint_motion(robot), tf.joint_wrenches(robot, external_wrenches=loaded)
    for i, q in enumerate(states):
        wrenches = more[0][i] if loaded else None
        velocities, accelerations = interpret(motion, q, qd[i], qdd[i])
        F = interpret(carried, q, qd[i], qdd[i], *(x[i] for x in more))
        for engine in (known(robot, q, qd[i], wrenches) for known in ENGINES):
            agree(inverse[i], engine.inverse(qdd[i]), 1e-8)
            agree(direct[i], engine.direct(tau[i])[0][engine.free], 1e-8)
            whole = engine.direct(tau[i])[0]
            places = [axis_names(engine.robot).index(name) for name in everywhere.outputs["qdd"].labels[0]]
            loads = [x[i] for x in more]
            agree(interpret(everywhere, q, engine.v[places], tau[i], *loads), whole[places], 1e-8)
            torques, unbalanced = interpret(back, q, engine.v[places], whole[places], *loads)
            agree(torques, tau[i], 1e-8)
            agree(tau[i] + unbalanced[engine.free], tau[i], 1e-8)
            agree(velocities, engine.v, 1e-8)
            agree(accelerations, engine.accelerations(qdd[i]), 1e-8)
            cuts = engine.cut_wrenches(engine.direct(inverse[i])[1])
            agree(F[-len(cuts) :], cuts, 1e-8)
        agree(F[: -len(cuts)], engine.joint_wrenches(accelerations, cuts, wrenches), 1e-8)
        found = engine.constraint_dynamics(q, tau[i], wrenches)
        if found is not None:
            agree(direct[i], found[engine.free], 1e-8)


def equipped(robot, seed):
    """Return a robot with rotors, friction and springs in its joints, and gravity in any direction."""
    random = Random(seed)
    joints = [
        replace(joint, eta=1, k=random.uniform(0, 20), rest=random.uniform(-1, 1))
        if joint.kind.is_axial and random.random() < 0.5
        else joint
        for joint in robot.joints
    ]
    names = ("IA", "FV", "FS")
    resisting = (replace(joint, **{key: random.uniform(0, 0.5) for key in names}) for joint in joints)
    return replace(robot, joints=tuple(resisting), gravity=tuple(random.uniform(-9, 9) for _ in range(3)))


def with_real_bodies(robot):
    """Return a robot whose inertias are those of bodies, which MuJoCo insists on."""
    spread = (
        body.inertia._replace(**{key: getattr(body.inertia, key) + 1.0 for key in ("XX", "YY", "ZZ")})
        for body in robot.bodies
    )
    bodies = zip(robot.bodies, spread, strict=True)
    return replace(robot, bodies=tuple(replace(body, inertia=inertia) for body, inertia in bodies))


def floating(robot):
    inertia = tf.Inertia(0.5, 0.02, 0.03, 0.6, -0.01, 0.7, 0.1, -0.2, 0.3, 4.0)
    return robot.with_base("floating", tf.Body(name="ground", inertia=inertia))


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=SLOW)])
@pytest.mark.parametrize("name", LOOPED)
def test_bundled_robots(name, count):
    robot = tf.robots.bundled(name)
    compare(robot, closed_states(robot, count, count), 1)


@pytest.mark.parametrize("on_ground", [True, False])
@pytest.mark.parametrize("name", LOOPED)
def test_with_rotors_friction_springs_and_wrenches(name, on_ground):
    robot = equipped(tf.robots.bundled(name), 2)
    robot = robot if on_ground else floating(robot)
    compare(robot, closed_states(robot, 2, 3), 4, loaded=True)


@seeds(quick=1, all=100)
@pytest.mark.parametrize("planar", [False, True])
def test_random_loops(seed, planar):
    while True:
        robot, q = random_mechanism(seed, planar)
        robot = with_real_bodies(robot)
        if InPinocchio(robot, q, np.zeros(len(robot.velocity_names))).condition < FAR:
            break
        seed += 1000
    compare(robot, q[None], seed, loaded=True)
    afloat = floating(robot)
    compare(afloat, np.array([[0.1, -0.2, 0.3, 0.1, 0.5, -0.1, np.sqrt(0.73), *q]]), seed, loaded=True)


@pytest.mark.parametrize(
    "file",
    [
        "models/loops/data/fourbar.xml",
        "formats/data/AKR3000.par",
        *(pytest.param(name, marks=SLOW) for name in ("models/loops/data/fivebar.xml", "formats/data/SR400.par")),
    ],
)
def test_robots_from_files(file):
    """Symbols have values, and wrenches are those in the links' own frames."""
    robot, random = tf.load(Path(__file__).parents[1] / file), Random(5)
    masses = [f"M{j}" for j in range(1, 1 + len(robot.bodies))]
    robot = robot.bind({name: random.uniform(0.1, 0.3) + 2.0 * (name in masses) for name in robot.symbols})
    robot = with_real_bodies(replace(robot, frames=()))
    compare(robot, closed_states(robot, 3, 6), 7, loaded=True)


@pytest.mark.parametrize("kind", ["spherical", *(pytest.param(word, marks=SLOW) for word in ("universal", "fixed"))])
def test_over_constrained_loops_in_any_axes(kind):
    """Redundant equations that are not zero one by one: the frames of the cut are not in the linkage's plane."""
    bars = tf.robots.fivebar()
    tilts = [{"alpha": 0.5, "theta": 0.3}, {"alpha": 0.5, "theta": 0.3}]
    if kind == "universal":
        tilts[0] = {"alpha": 0.5 + np.pi / 2, "theta": 0.3}
    frames = tuple(replace(frame, **tilt) for frame, tilt in zip(bars.frames, tilts, strict=True))
    if kind == "fixed":  # one more bar, so that something can move
        bars = replace(bars, joints=(*bars.joints[:3], replace(bars.joints[3], d=0.2)))
        tip = replace(bars.joints[1], name="tip", antecedent=2, d=0.4, variable="")
        bars = replace(
            bars,
            joints=(*bars.joints, tip),
            bodies=(*bars.bodies, replace(bars.bodies[1], name="tip_link")),
            loops=(),
        )
        frames = (replace(frames[0], antecedent=5, d=0.2), frames[1])
    ends = [frame.name for frame in frames]
    robot = replace(bars, frames=frames, loops=()).with_loop(*ends, kind=kind)
    compare(replace(robot, frames=()), closed_states(robot, 3, 8), 9, loaded=True)
