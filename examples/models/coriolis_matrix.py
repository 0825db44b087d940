"""The matrix that passivity-based control needs: C qd are the Coriolis torques, and Mdot - 2C is skew-symmetric."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.array([1.0, -2.0, 0.5, 1.0, 0.0, 3.0])

program = tf.coriolis_matrix(robot, parameters="base")
print(program.count())
C = program.compile()(q, qd)
print(*(C[:3, :3].round(3) + 0.0).tolist(), sep="\n")

bias, gravity = (model(robot).compile() for model in (tf.bias, tf.gravity))
print("C qd + g = h:", np.allclose(C @ qd + gravity(q), bias(q, qd)))

rate = tf.inertia_matrix(robot).derivative("M", "q").compile()(q) @ qd
skew = rate - 2 * C
print("skew:", np.allclose(skew, -skew.T))
