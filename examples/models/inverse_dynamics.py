"""The torques of a motion, all samples at once, and the additional torques when the hand pushes."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
program = tf.inverse_dynamics(robot, parameters="base")
print(program.count())

t = np.linspace(0.0, 1.0, 101)[:, None]
start, way = np.array([0.0, -1.0, 0.5, 0.0, 0.5, 0.0]), np.array([1.5, 1.0, -0.5, 0.0, 0.0, 0.0])
q = start + way * (10 * t**3 - 15 * t**4 + 6 * t**5)  # rest to rest within a second
qd = way * (30 * t**2 - 60 * t**3 + 30 * t**4)
qdd = way * (60 * t - 180 * t**2 + 120 * t**3)
tau = program.compile()(q, qd, qdd)
print("largest torques", abs(tau).max(axis=0).round(2).tolist())

pushing = tf.inverse_dynamics(robot, parameters="base", external_wrenches=True).compile()
wrenches = np.zeros((6, 6))
wrenches[5, 2] = 20.0  # the hand, link 6, pushes with 20 N along its own z axis
more = pushing(q[0], qd[0], qdd[0], wrenches) - tau[0]
print("for the push   ", (more.round(2) + 0.0).tolist())
