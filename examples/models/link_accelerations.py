"""What an accelerometer and a gyroscope on the forearm of a robot measure."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
program = tf.link_accelerations(robot)
print(program.count())
q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.array([1.0, -2.0, 0.5, 1.0, 0.0, 3.0])
qdd = np.array([0.5, 1.0, -2.0, 0.0, 1.0, 0.0])

forearm = 3  # link 4
acceleration = program.compile()(q, qd, qdd)[forearm, :3]
turning = tf.link_velocities(robot).compile()(q, qd)[forearm, 3:]
R = tf.transforms(robot, frames="link4").compile()(q)[0, :3, :3]
print("accelerometer:", (acceleration - R.T @ robot.gravity).round(4))
print("gyroscope:    ", turning.round(4))
