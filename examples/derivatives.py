"""Derivatives of the torques for a linearised controller: counted, proved equal and compiled."""

import numpy as np

import tauforge as tf

torques = tf.inverse_dynamics(tf.robots.planar2r())
print(torques.derivative("tau", "q").results["dtau_dq"].nodes[3])  # row 2, column 2
print(torques.derivative("tau", "qdd").results["dtau_dqdd"].nodes[1])  # an element of the inertia matrix

arm = tf.inverse_dynamics(tf.robots.kuka_lwr(), parameters="base")
for mode in ("forward", "reverse"):
    print(mode, arm.derivative("tau", "q", mode=mode).count().total, "operations")
print(arm.derivative("tau", "q", mode="forward").certify(arm.derivative("tau", "q", mode="reverse")).points, "points")

linear = arm.derivative("tau", "q", values=True).derivative("tau", "qd", values=True)
print(linear)
tau, stiffness, damping = linear.compile()(np.full(7, 0.5), np.ones(7), np.zeros(7))
print(stiffness[1].round(3).tolist())

print(arm.derivative("tau", "q").derivative("dtau_dq", "qd").outputs)
