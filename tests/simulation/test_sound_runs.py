"""Runs of random robots, methods, tolerances and drives, none of which the check of energy may stop."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.geometry.close_loops import on_manifold
from tauforge.robot.joint import Limits
from tests.random_loops import random_mechanism
from tests.random_robots import random_robot

COMPILED = ("Tsit5", "DOP8", "Rodas4", "Rodas5P")
METHODS = (*COMPILED, "RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
SLOPED = ("Rodas4", "Radau", "BDF", "LSODA")
"""Methods for friction that sticks."""
PER_ROBOT = 10


def sound(seed):
    """Return a robot, times and options; runs in a row share a robot and what drives it."""
    group, own, rng = Random(seed // PER_ROBOT), Random(seed), np.random.default_rng(seed // PER_ROBOT)
    method = METHODS[seed % len(METHODS)]
    kind = group.choice(["tree", "tree", "floating", "loop", "arm"])
    if kind == "loop":
        robot, q0 = random_mechanism(seed // PER_ROBOT, planar=group.random() < 0.6)
    elif kind == "arm":
        robot = getattr(tf.robots, group.choice(["planar2r", "puma560", "kuka_lwr"]))()
        q0 = rng.uniform(-1.0, 1.0, robot.dof)
    else:
        robot = random_robot(
            seed // PER_ROBOT, rotors=True, several=True, floating=kind == "floating", equipped=True, largest=4
        )
        joints = (replace(x, IA=group.uniform(0.05, 0.5)) if len(x.axes) == 1 else x for x in robot.joints)
        robot = replace(robot, joints=tuple(joints))
        q0 = on_manifold(robot, rng.normal(size=(1, len(robot.coordinate_names))))[0]
    n, options = robot.dof, {}
    if not n:
        return None
    drive = group.choice(["none", "torque", "pd", "sampled", "python"])
    if drive in ("pd", "sampled") and kind != "loop":
        options["controller"] = tf.pd_control(robot, 20.0, 9.0, q0)
        options |= {"rate": 1000.0, "delay": group.choice([0, 1])} if drive == "sampled" and kind != "arm" else {}
    elif drive == "python" and method not in COMPILED:
        options["torque"] = lambda t, q, qd: 3.0 * np.sin(5.0 * t) - 0.1 * qd
    else:
        options["torque"] = rng.normal(size=n) * 5.0 * (drive == "torque")
    if group.random() < 0.3:
        options["saturation"] = group.uniform(0.5, 5.0)
    if group.random() < 0.3 and method in SLOPED:
        options["stiction"] = 1.3
    if group.random() < 0.3 and kind != "loop":
        options["wrenches"] = rng.normal(size=(len(robot.expanded().bodies), 6))
    if group.random() < 0.3 and kind == "tree":
        ends = Limits(lower=-0.4, upper=0.6)
        joints = (replace(x, limits=ends) if len(x.axes) == 1 else x for x in robot.joints)
        robot = replace(robot, joints=tuple(joints))
        options |= {"stops": 1e3} if any(len(x.axes) == 1 for x in robot.joints) else {}
    rtol = 10.0 ** -own.uniform(3.0, 7.0 if method in ("RK23", "Rodas4") else 10.0)
    options |= {"rtol": rtol, "atol": rtol * 10.0 ** -own.uniform(0.0, 3.0), "method": method}
    speed = 0.1 if kind == "loop" else group.choice([0.0, 0.5, 5.0])
    duration = 0.1 if kind == "loop" else own.choice([0.01, 0.2, 0.5])
    t = np.linspace(0.0, duration, own.choice([2, 11, 51])) + own.choice([0.0, 0.0, 1.7e9])
    return robot, t, {"q0": q0, "qd0": speed * rng.normal(size=n), **options}


def near_singular(robot, error):
    """Return whether a mechanism was driven into a singular state: the independent joints do not move the others."""
    G = tf.joint_motion(robot).derivative("velocities", "qd").compile()
    none = np.zeros(robot.dof)
    return np.abs(G(*({"q": error.trajectory.q[-1]}.get(name, none) for name in G.inputs))).max() > 30.0


def stay_sound(seeds):
    for seed in seeds:
        given = sound(seed)
        if given:
            robot, t, options = given
            try:
                run = tf.simulate(robot, t, **options)
            except tf.SimulationError as error:
                if robot.loops and near_singular(robot, error):
                    continue
                raise
            assert run.status == "done", seed
            assert np.isfinite(run.energy_error), seed


@pytest.mark.parametrize("group", range(2))
def test_some_sound_runs(group):
    stay_sound(range(PER_ROBOT * group, PER_ROBOT * (group + 1)))


@pytest.mark.slow
@pytest.mark.parametrize("group", range(2, 100))
def test_many_sound_runs(group):
    stay_sound(range(PER_ROBOT * group, PER_ROBOT * (group + 1)))
