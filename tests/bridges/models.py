"""The Programs with which every bridge is tried, and states for them."""

from functools import cache

import numpy as np

import tauforge as tf


def programs(robot: tf.Robot) -> dict[str, tf.Program]:
    """Return inverse and direct dynamics, a derivative and a regressor of a robot."""
    inverse = tf.inverse_dynamics(robot)
    made = {"inverse": inverse, "direct": tf.direct_dynamics(robot), "derivative": inverse.derivative("tau", "q")}
    if not robot.loops:
        made["regressor"] = tf.regressor(robot)
    return {name: program for name, program in made.items() if not program.repeat}


def states(program: tf.Program, count: int, seed: int = 0) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [random.uniform(0.3, 1.3, (count, *shape)) for shape in program.inputs.values()]


@cache
def small() -> dict[str, tf.Program]:
    """Return short Programs of several shapes: matrices, numbers, parameters, several outputs."""
    arm = tf.robots.planar2r()
    return {
        "torques": tf.inverse_dynamics(arm),
        "symbolic": tf.inverse_dynamics(tf.robots.planar2r(symbolic=True)),
        "matrix": tf.inertia_matrix(arm),
        "energy": tf.energy(arm),
        "wrenches": tf.inverse_dynamics(arm, external_wrenches=True),
        "functions": tf.Program.of(y=["atan2(a, b)", "asin(a/2)*acos(b/2)", "sqrt(a)/b", "abs(a - b)"], z="sign(a)*b"),
    }
