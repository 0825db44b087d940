"""Energy balance: the power of the motors is the rate at which kinetic and potential energy grow."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
program = tf.energy(robot, parameters="base")
print(program.count())

q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.array([1.0, -2.0, 0.5, 1.0, 0.0, 3.0])
qdd = np.array([0.5, 1.0, -2.0, 0.0, 1.0, 0.0])
kinetic, potential = program.compile()(q, qd)
print(f"kinetic {kinetic:.4f} J, potential {potential:.4f} J")

gain = 0.0
for energy in ("kinetic", "potential"):
    by_q, by_qd = (program.derivative(energy, x).compile()(q, qd) for x in ("q", "qd"))
    gain += by_q @ qd + by_qd @ qdd
tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
print(f"gain {gain:.6f} W, motors {tau @ qd:.6f} W")
