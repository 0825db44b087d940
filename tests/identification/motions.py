"""Recordings of robots whose parameters are known."""

from dataclasses import replace
from functools import cache

import numpy as np

import tauforge as tf
from tauforge.identification.pseudo_inertia import pseudo_inertia


def motion(count, *, seed=0, seconds=10.0, rate=250.0, size=1.0):
    """Return times, coordinates, velocities and accelerations of a Fourier series."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    k = np.arange(1, 6)
    w = 2.0 * np.pi * k / 10.0
    a, b = size * rng.normal(size=(2, 5, count)) / k[:, None]
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    return t, s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b


@cache
def torques(robot):
    return tf.inverse_dynamics(robot).compile()


def recorded(robot, *, seed=0, noise=0.005, **kind):
    """Return a recording of a robot along a random motion, with noise as a part of each torque's largest amount."""
    t, q, qd, qdd = motion(robot.dof, seed=seed, **kind)
    tau = torques(robot)(q, qd, qdd)
    rng = np.random.default_rng(seed + 100)
    tau = tau + noise * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    return tf.Recording(t, q, tau, qd, qdd, name=f"motion {seed}")


def rubbing(robot):
    """Return a robot with friction in its joints."""
    joints = (replace(joint, FV=1.0 + 0.1 * j, FS=2.0 - 0.1 * j) for j, joint in enumerate(robot.joints))
    return replace(robot, joints=tuple(joints))


@cache
def arm():
    """Return an arm with four joints whose torques depend on everything, and a flange."""
    whole = tf.robots.kuka_lwr()
    short = whole.lock(dict.fromkeys(whole.joint_names[4:], 0.3))
    flange = tf.Joint(name="flange", antecedent=4, sigma=2, mu=0, r=0.1, alpha=0.4)
    return replace(short, frames=(*short.frames, flange))


def links(robot):
    """Return the pseudo-inertia of each link."""
    return [pseudo_inertia([float(x) for x in body.inertia]) for body in robot.expanded().bodies]
