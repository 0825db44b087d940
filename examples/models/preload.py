"""Torques that load a planar robot with one leg too many from within, and do not move it."""

import numpy as np

import tauforge as tf

legs = []
for angle in np.arange(4) * np.pi / 2:
    c, s = np.cos(angle), np.sin(angle)
    points = [(x * c - y * s, x * s + y * c, 0.0) for x, y in ((0.5, 0.0), (0.3, 0.3), (0.1, 0.02))]
    legs.append(tf.leg("RRR", points, axes=[(0, 0, 1)]))
plate = tf.Body(name="platform", inertia=tf.Inertia(ZZ=0.02, M=2.0))
robot = tf.parallel_robot(plate, legs, joint="planar").with_independent("platform")

q = tf.close_loops(robot, [0.05, 0.0, 0.1])
tau = tf.inverse_dynamics(robot, efforts="motors").compile()(q, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0])
N = tf.preload(robot).compile()(q)
print("least torques:", tau.round(4))
print("preload:", N[0].round(4))
direct = tf.direct_dynamics(robot, efforts="motors").compile()
print("the same acceleration:", direct(q, [0.0, 0.0, 0.0], tau + 3.0 * N[0]).round(4) + 0.0)
