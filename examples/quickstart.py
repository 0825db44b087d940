"""From a robot to its torques: count, prove, compile, generate code."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
program = tf.inverse_dynamics(robot, parameters="base")
print(program.count())
standard = tf.inverse_dynamics(robot, parameters="standard")
print(program.certify(standard).points, "exact random points: base equals standard")

torque = program.compile()
q, qd, qdd = np.zeros(6), np.ones(6), np.zeros(6)
print(torque(q, qd, qdd).round(3))
print(torque(np.zeros((1000, 6)), qd, qdd).shape)

print(program.code("c", name="puma_torques").splitlines()[-4])
