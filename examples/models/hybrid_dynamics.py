"""An arm whose elbow has no motor: the torque that accelerates the shoulder, and how the elbow responds."""

import numpy as np

import tauforge as tf

robot = tf.robots.planar2r()
program = tf.hybrid_dynamics(robot, accelerated=["joint1"])
print(program)

q, qd = np.array([0.3, -0.5]), np.array([1.0, 0.0])
efforts, accelerations = program.compile()(q, qd, [2.0], [0.0])  # acceleration of joint 1, torque of joint 2
print("shoulder torque:", efforts.round(4))
print("elbow acceleration:", accelerations.round(4))

tau = tf.inverse_dynamics(robot).compile()(q, qd, [2.0, accelerations[0]])
print("by inverse dynamics:", tau.round(4) + 0.0)
