"""How fast a tool moves, and the torques that make it press with a given force."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.ones(6)
tool = (0.0, 0.0, 0.2)  # a point of the hand, in its frame

program = tf.jacobian(robot, frame="link6", point=tool)
print(program.count())
J = program.compile()(q)
print("velocity:", (J @ qd)[:3].round(4), " angular:", (J @ qd)[3:].round(4))

own = tf.jacobian(robot, frame="link6", point=tool, axes="frame").compile()(q)
print("in the tool's axes:", (own @ qd)[:3].round(4))

force = np.array([0.0, 0.0, -50.0, 0.0, 0.0, 0.0])  # the tool presses down with 50 N
print("torques:", (J.T @ force).round(2) + 0.0)
