"""Where the hand of a robot is, how fast it moves, and how near it is to a singularity."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
hand = robot.bodies[-1].name
q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.ones(6)
tool = (0.0, 0.0, 0.2)  # a point of the hand, in its frame

T = tf.transforms(robot, frames=[hand]).compile()
print((T(q)[0] @ [*tool, 1.0])[:3].round(4))

J = tf.jacobian(robot, frame=hand, point=tool)
print(J.count())
print((J.compile()(q) @ qd).round(4))

bias = tf.jacobian_bias(robot, frame=hand, point=tool).compile()
print(bias(q, qd).round(4))

det = tf.jacobian_determinant(robot, frame=hand)
print(det.count())
print(det.compile()([q, [0.1, -0.8, 0.3, 0.5, 0.0, 0.0]]).round(4))

print(tf.centre_of_mass(robot).compile()(q).round(4))
