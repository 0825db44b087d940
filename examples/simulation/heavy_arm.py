"""A heavy arm with five joints carries 3200 N from start to end without a stop in the middle, as in Grigorov (2013)."""

from math import acos, atan2, cos, hypot, pi, sin

import numpy as np

import tauforge as tf

HEIGHT, OFFSET, BOOM, STICK, WRIST, ROPE = 1.2, 0.3, 2.4, 1.8, 0.4, 0.6  # m
rod = {
    length: tf.Inertia(XX=0.02 * mass, YY=mass * length**2 / 3, ZZ=mass * length**2 / 3, MX=mass * length / 2, M=mass)
    for length, mass in ((BOOM, 180.0), (STICK, 110.0), (WRIST, 35.0))
}
robot = tf.Robot(
    name="heavy_arm",
    joints=(
        tf.Joint(name="column", antecedent=0, r=HEIGHT),
        tf.Joint(name="boom", antecedent=1, alpha=pi / 2, d=OFFSET),
        tf.Joint(name="stick", antecedent=2, d=BOOM),
        tf.Joint(name="wrist", antecedent=3, d=STICK),
        tf.Joint(name="hook", antecedent=4, alpha=-pi / 2, d=WRIST),
    ),
    bodies=(
        tf.Body(name="column", inertia=tf.Inertia(ZZ=9.0, M=200.0)),
        tf.Body(name="boom", inertia=rod[BOOM]),
        tf.Body(name="stick", inertia=rod[STICK]),
        tf.Body(name="wrist", inertia=rod[WRIST]),
        tf.Body(name="hook", inertia=tf.Inertia(XX=0.5, YY=0.5, ZZ=0.3, M=20.0)),
    ),
)


def joints(x, y, z, turn):
    """Return the coordinates at which the load's centre is at a point, and the load level and turned."""
    reach, rise = hypot(x, y) - OFFSET - WRIST, z + ROPE - HEIGHT
    q3 = -acos((reach**2 + rise**2 - BOOM**2 - STICK**2) / (2 * BOOM * STICK))
    q2 = atan2(rise, reach) - atan2(STICK * sin(q3), BOOM + STICK * cos(q3))
    q1 = atan2(y, x)
    return [q1, q2, q3, -q2 - q3, turn - q1]


start, middle, end = joints(3.5, 0.5, 0.2, 0.0), joints(3.0, 2.0, 1.2, 0.6), joints(1.6, 3.0, 2.2, 1.5)
motion = tf.motion([start, middle, end], [0.0, 4.0, 8.0])
q, qd, qdd = motion(4.0)
hook = tf.transforms(robot).compile()(q)[-1]
print("middle point: the load is at", np.round(hook @ [0, 0, -ROPE, 1], 4)[:3])
print("it does not stop:", np.round(qd, 3), "rad/s")

mass = 3200.0 / 9.81
load = {"mass": mass, "com": [0, 0, -ROPE], "inertia": np.diag([20.0, 20.0, 15.0]), "at": "hook"}
torques = tf.required_torques(robot, motion, payload=load)
print(torques)
