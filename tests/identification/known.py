"""Motions and torques with known parameters, for the tests of identification."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

import tauforge as tf

Floats = NDArray[np.float64]


def fourier(count: int, t: Floats, seed: int, amplitude: float = 0.6, base: float = 0.2) -> tuple[Floats, ...]:
    """Return positions, velocities and accelerations of sums of five sines."""
    random = np.random.default_rng(seed)
    q, qd, qdd = np.zeros((3, len(t), count))
    for j in range(count):
        for k in range(1, 6):
            w, (a, b) = 2 * np.pi * base * k, random.normal(size=2) * amplitude / k
            s, c = np.sin(w * t), np.cos(w * t)
            q[:, j] += a * s + b * c
            qd[:, j] += w * (a * c - b * s)
            qdd[:, j] -= w * w * (a * s + b * c)
    return q, qd, qdd


def filled(robot: tf.Robot, seed: int = 0) -> tf.Robot:
    """Return a robot with possible inertias, rotors and friction."""
    random = np.random.default_rng(seed)

    def body(own: tf.Body) -> tf.Body:
        m, c = random.uniform(1, 4), random.normal(size=3) * 0.05
        turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
        J = turn @ np.diag(random.uniform(0.01, 0.05, 3)) @ turn.T + m * (c @ c * np.eye(3) - np.outer(c, c))
        ten = (J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(m * c), m)
        return replace(own, inertia=tf.Inertia(*map(float, ten)))

    joints = [
        replace(x, **{key: float(random.uniform(0.3, 1.0)) for key in ("IA", "FV", "FS", "FO")})
        if x.axes and not x.mimic
        else x
        for x in robot.joints
    ]
    return replace(robot, joints=tuple(joints), bodies=tuple(map(body, robot.bodies)))


def truth(robot: tf.Robot, names: tuple[str, ...]) -> Floats:
    """Return the true values of identified parameters."""
    base = tf.base_parameters(robot, rotors=True).values()
    return np.array([base[x] if x in base else float(getattr(robot.joints[int(x[2:]) - 1], x[:2])) for x in names])


@cache
def puma() -> tuple[tf.Robot, tf.Recording]:
    """Return a robot and a recording of it with noise and quantised positions."""
    robot = filled(tf.robots.puma560())
    return robot, recorded(robot, 10.0)


@cache
def planar() -> tuple[tf.Robot, tf.Recording]:
    """Return a small robot and a recording of it, for tests of what does not depend on the robot."""
    robot = filled(tf.robots.planar2r())
    return robot, recorded(robot, 10.0)


def recorded(
    robot: tf.Robot, duration: float, *, rate: float = 500.0, noise: float = 0.1, seed: int = 1
) -> tf.Recording:
    """Return a recording of a tree of joints with one axis."""
    t = np.arange(round(duration * rate)) / rate
    q, qd, qdd = fourier(robot.dof, t, seed)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    random = np.random.default_rng(seed)
    return tf.Recording(t, np.round(q / 2e-5) * 2e-5, tau + noise * random.normal(size=tau.shape))
