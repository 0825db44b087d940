"""A robot in free fall: whatever its motors do, only gravity changes its momentum, and its spin is constant."""

import numpy as np

import tauforge as tf

body = tf.Body(name="trunk", inertia=tf.Inertia(XX=2.0, YY=2.0, ZZ=1.0, M=20.0))
robot = tf.robots.planar2r().with_base("floating", body)
program = tf.centroidal_momentum(robot)
print(program.outputs["h"].labels[0], program.count())

q = np.array([0.0, 0.0, 3.0, 0.1, 0.2, 0.3, 0.9, 0.5, -1.0])
qd = np.array([0.1, 0.0, 1.0, 0.3, -0.2, 0.5, 2.0, -3.0])
tau = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, -2.0])  # no wrench on the trunk
print("h    ", program.compile()(q, qd).round(4))

qdd = tf.direct_dynamics(robot).compile()(q, qd, tau)
by_q, by_qd = (program.derivative("h", x).compile()(q, qd) for x in ("q", "qd"))
print("dh/dt", (by_q @ qd + by_qd @ qdd).round(6) + 0.0)
print("weight", round(22.0 * robot.gravity[1], 3), "N")
