"""Control in the space of the hand: how heavy it feels, and the torques for a given acceleration."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.array([1.0, -2.0, 0.5, 1.0, 0.0, 3.0])
program = tf.operational_space(robot, frame="link6", parameters="base")
print(program.count())
inertia, mu, p = program.compile()(q, qd)

mobility = np.linalg.inv(inertia)
print("mass felt along x, y, z:", (1 / np.diag(mobility)[:3]).round(2), "kg")

wanted = np.array([1.0, 0.0, -0.5, 0.0, 0.0, 0.0])
J = tf.jacobian(robot, frame="link6").compile()(q)
tau = J.T @ (inertia @ wanted + mu + p)
qdd = tf.direct_dynamics(robot).compile()(q, qd, tau)
reached = J @ qdd + tf.jacobian_bias(robot, frame="link6").compile()(q, qd)
print("acceleration:", reached.round(6) + 0.0)
