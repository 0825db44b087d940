"""Computed torque: with the inertia matrix and the bias, a controller makes an arm behave like six unit masses."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
program = tf.bias(robot, parameters="base")
print(program.count())
M, h = tf.inertia_matrix(robot).compile(), program.compile()

q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.array([1.0, -2.0, 0.5, 1.0, 0.0, 3.0])
wanted = np.array([1.0, 2.0, 3.0, 0.0, 0.0, -1.0])
tau = M(q) @ wanted + h(q, qd)
print(tf.direct_dynamics(robot).compile()(q, qd, tau).round(6) + 0.0)

rest = h(q, 0 * qd)
once, twice = h(q, qd) - rest, h(q, 2 * qd) - rest
print("doubling the speed multiplies them by", (twice[:3] / once[:3]).round(6))
