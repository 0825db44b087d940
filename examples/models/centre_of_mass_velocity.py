"""The recoil of a swinging arm: its momentum, and the force that stops it."""

import numpy as np

import tauforge as tf

robot = tf.robots.scara()
program = tf.centre_of_mass_velocity(robot)
print(program.count())
q, qd = np.array([0.0, 0.5, 0.0, 0.1]), np.array([2.0, -1.0, 0.0, 0.3])
v = program.compile()(q, qd)
print("velocity", v.round(4))

mass = sum(body.inertia.M for body in robot.bodies)
print("momentum", (mass * v).round(4), "kg m/s")
print("force on the floor to stop within 0.1 s", (mass * v / 0.1).round(2), "N")
