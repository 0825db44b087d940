"""Robots with closed loops, built from nothing: a five-bar, and a Gough-Stewart platform on six UPS legs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tauforge as tf
from tauforge.robot.kinds import FIXED, FLOATING, PRISMATIC, UNIVERSAL

BASE, TOP, HEIGHT = 0.6, 0.35, 0.9
QUARTER = np.pi / 2
LIGHT, HEAVY = tf.Inertia(XX=0.02, YY=0.02, ZZ=0.01, MZ=0.05, M=0.5), tf.Inertia(XX=0.4, YY=0.4, ZZ=0.7, M=5.0)
State = NDArray[np.float64]


def five_bar() -> tuple[tf.Robot, State]:
    """Return a five-bar, driven at both of its bars on the ground, and a closed state."""
    joints = (
        tf.Joint(name="arm1", antecedent=0),
        tf.Joint(name="fore1", antecedent=1, d=0.3, mu=0),
        tf.Joint(name="arm2", antecedent=0, d=0.25),
        tf.Joint(name="fore2", antecedent=3, d=0.3, mu=0),
    )
    ends = tuple(tf.Joint(name=f"end{k}", antecedent=2 * k, sigma=FIXED, d=0.4, mu=0) for k in (1, 2))
    bodies = tuple(tf.Body(name=f"{joint.name}_link", inertia=LIGHT) for joint in joints)
    robot = tf.Robot(name="five_bar", joints=joints, bodies=bodies, frames=ends)
    robot = robot.with_loop("end1", "end2", kind="revolute")
    return robot, tf.close_loops(robot, [2.3, 0.9], guess=[2.3, -1.2, 0.9, 1.2])


def corners(radius: float, spread: float) -> State:
    """Return six points on a circle, in pairs."""
    angle = np.repeat(2 * np.pi / 3 * np.arange(3), 2) + spread * np.tile([-1.0, 1.0], 3)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def gough_stewart(driven: str = "legs", universal: bool = True) -> tuple[tf.Robot, State]:
    """Return the platform, driven at its legs or at the platform itself, and a closed state.

    A leg turns about the ground's -y, then about x of the frame so turned: a universal joint, or two joints with the
    same coordinates. Its slide is upright while both are zero.
    """
    joints: list[tf.Joint] = []
    frames: list[tf.Joint] = []
    q: list[float] = []
    motor = int(driven == "legs")
    for k, ((x, y), (u, v)) in enumerate(zip(corners(BASE, 0.3), corners(TOP, 0.75), strict=True), 1):
        foot = {"d": float(x), "e": float(y), "alpha": QUARTER, "mu": 0}
        if universal:
            joints.append(tf.Joint(name=f"u{k}", antecedent=0, sigma=UNIVERSAL, **foot))
            way = {"alpha": -QUARTER}
        else:
            way = {"gamma": QUARTER, "alpha": QUARTER}
            joints.append(tf.Joint(name=f"u{k}", antecedent=0, **foot))
            joints.append(tf.Joint(name=f"v{k}", antecedent=len(joints), mu=0, **way))
        joints.append(tf.Joint(name=f"p{k}", antecedent=len(joints), sigma=PRISMATIC, mu=motor, **way))
        frames.append(tf.Joint(name=f"tip{k}", antecedent=len(joints), sigma=FIXED, mu=0))
        across = np.hypot(u - x, HEIGHT)
        q += [np.arctan2(x - u, HEIGHT), np.arctan2(y - v, across), np.hypot(v - y, across)]
    joints.append(tf.Joint(name="platform", antecedent=0, sigma=FLOATING, mu=1 - motor))
    for k, (u, v) in enumerate(corners(TOP, 0.75), 1):
        frames.append(tf.Joint(name=f"top{k}", antecedent=len(joints), sigma=FIXED, mu=0, d=float(u), e=float(v)))
    masses = [HEAVY if joint.name == "platform" else LIGHT for joint in joints]
    bodies = tuple(tf.Body(name=f"{x.name}_link", inertia=mass) for x, mass in zip(joints, masses, strict=True))
    robot = tf.Robot(name="gough_stewart", joints=tuple(joints), bodies=bodies, frames=tuple(frames))
    for k in range(1, 7):
        robot = robot.with_loop(f"top{k}", f"tip{k}", kind="spherical", name=f"leg{k}")
    return robot, np.array([*q, 0.0, 0.0, HEIGHT, 0.0, 0.0, 0.0, 1.0])
