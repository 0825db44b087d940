"""The acceleration of a tool, J qdd + Jd qd, and a check of the rate by finite differences."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
q, qd = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0]), np.array([1.0, -2.0, 0.5, 1.0, 0.0, 3.0])
qdd = np.array([0.5, 1.0, -2.0, 0.0, 1.0, 0.0])

program = tf.jacobian_rate(robot, frame="link6")
print(program.count())
J, Jd = tf.jacobian(robot, frame="link6").compile(), program.compile()(q, qd)
print(Jd[:3].round(3) + 0.0)
print("acceleration:", (J(q) @ qdd + Jd @ qd)[:3].round(4))

h = 1e-5
differences = (J(q + h * qd) - J(q - h * qd)) / (2 * h)
print("differences agree to 1e-8:", np.allclose(differences, Jd, rtol=0.0, atol=1e-8))
