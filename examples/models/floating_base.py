"""A robot arm on a satellite of 100 kg: when it moves, the satellite turns, though no wrench acts on it."""

from dataclasses import replace

import numpy as np

import tauforge as tf

satellite = tf.Body(name="satellite", inertia=tf.Inertia(XX=10.0, YY=10.0, ZZ=10.0, M=100.0))
robot = replace(tf.robots.puma560(), gravity=(0.0, 0.0, 0.0)).with_base("floating", satellite)
q = np.array([0, 0, 0, 0, 0, 0, 1, 0.0, -0.8, 0.5, 0.0, 0.5, 0.0])  # position, quaternion (x, y, z, w), joints
qd, qdd = np.zeros(12), np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # at rest; joint 1 accelerates

program = tf.inverse_dynamics(robot, free_base=True)
print(program.inputs, "->", program.outputs)
tau, base = program.compile()(q, qd, qdd)
print("torques", (tau.round(3) + 0.0).tolist())
print("linear acceleration of the satellite ", base[:3].round(4) + 0.0)
print("angular acceleration of the satellite", base[3:].round(4) + 0.0)

efforts = tf.inverse_dynamics(robot).compile()(q, qd, np.concatenate([base, qdd]))
print("wrench on the base", efforts[:6].round(9) + 0.0)
print("base parameters:", tf.base_parameters(robot).count, "= 7 * 6 + 10")
