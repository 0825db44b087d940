"""A falling cat: how the trunk must turn while the limbs move, so that the momentum stays zero."""

import numpy as np

import tauforge as tf

body = tf.Body(name="trunk", inertia=tf.Inertia(XX=2.0, YY=2.0, ZZ=1.0, M=20.0))
robot = tf.robots.planar2r().with_base("floating", body)
program = tf.centroidal_matrix(robot)
print(program.outputs["A"], program.count())

q = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.5, -1.0])
A = program.compile()(q)
limbs = np.array([2.0, -3.0])
trunk = np.linalg.solve(A[:, :6], -A[:, 6:] @ limbs)
print("linear ", trunk[:3].round(4) + 0.0)
print("angular", trunk[3:].round(4) + 0.0)

h = tf.centroidal_momentum(robot).compile()(q, np.concatenate([trunk, limbs]))
print("momentum", h.round(9) + 0.0)
