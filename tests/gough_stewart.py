"""A Gough-Stewart platform, built from a floating platform and six legs, each closed by a ball joint."""

import numpy as np

import tauforge as tf
from tauforge.robot.kinds import FIXED, FLOATING, PRISMATIC, UNIVERSAL

BASE, TOP, HEIGHT = 0.6, 0.35, 0.9


def corners(radius, spread):
    """Return six points on a circle, in pairs."""
    angle = np.repeat(2 * np.pi / 3 * np.arange(3), 2) + spread * np.tile([-1.0, 1.0], 3)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def gough_stewart(driven="legs"):
    """Return the platform, driven at its legs or at the platform itself, and a closed state.

    A leg's universal joint turns about the ground's -y, then about x of the frame so turned; its slide is then upright.
    """
    light, heavy = (
        tf.Inertia(0.02, 0, 0, 0.02, 0, 0.01, 0, 0, 0.05, 0.5),
        tf.Inertia(0.4, 0, 0, 0.4, 0, 0.7, 0, 0, 0, 5),
    )
    joints, bodies, frames, q = [], [], [], []
    for k, ((x, y), (u, v)) in enumerate(zip(corners(BASE, 0.3), corners(TOP, 0.75), strict=True), 1):
        joints += [
            tf.Joint(name=f"u{k}", antecedent=0, sigma=UNIVERSAL, mu=0, d=x, e=y, alpha=np.pi / 2),
            tf.Joint(name=f"p{k}", antecedent=2 * k - 1, sigma=PRISMATIC, mu=int(driven == "legs"), alpha=-np.pi / 2),
        ]
        bodies += [tf.Body(name=f"{part}{k}", inertia=light) for part in ("lower", "upper")]
        frames += [
            tf.Joint(name=f"tip{k}", antecedent=2 * k, sigma=FIXED, mu=0),
            tf.Joint(name=f"top{k}", antecedent=13, sigma=FIXED, mu=0, d=u, e=v),
        ]
        across = np.hypot(u - x, HEIGHT)
        q += [np.arctan2(x - u, HEIGHT), np.arctan2(y - v, across), np.hypot(v - y, across)]
    joints.append(tf.Joint(name="platform", antecedent=0, sigma=FLOATING, mu=int(driven == "platform")))
    bodies.append(tf.Body(name="top", inertia=heavy))
    robot = tf.Robot(name="gough_stewart", joints=tuple(joints), bodies=tuple(bodies), frames=tuple(frames))
    for k in range(1, 7):
        robot = robot.with_loop(f"top{k}", f"tip{k}", kind="spherical", name=f"leg{k}")
    return robot, np.array([*q, 0.0, 0.0, HEIGHT, 0.0, 0.0, 0.0, 1.0])
