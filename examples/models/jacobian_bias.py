"""Resolved acceleration: the joint accelerations that keep a moving hand on a straight line at constant speed."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.array([1.0, -2.0, 0.5, 1.0, 0.0, 3.0])

J = tf.jacobian(robot, frame="link6").compile()
program = tf.jacobian_bias(robot, frame="link6")
print("Jd qd", program.count())
print("Jd   ", tf.jacobian_rate(robot, frame="link6").count())

bias = program.compile()(q, qd)
print(bias.round(4))
qdd = np.linalg.solve(J(q), -bias)  # J qdd + Jd qd = 0
print(qdd.round(3))

accelerations = tf.link_accelerations(robot).compile()(q, qd, qdd)
print("the hand accelerates by", np.linalg.norm(accelerations[5]).round(9) + 0.0)
