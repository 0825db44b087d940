"""The best elbow angle of a planar arm, and the distance of a redundant arm from its singularities."""

import numpy as np

import tauforge as tf

arm = tf.robots.planar2r(symbolic=True)
program = tf.manipulability(arm, frame="link2", point=("L", 0, 0), rows=["vx", "vy"])
q2 = np.linspace(0.0, np.pi, 181)
w = program.compile()(np.stack([0 * q2, q2], axis=-1), {"D2": 1.0, "L": 1.0})
print("best with the elbow at", np.degrees(q2[w.argmax()]).round(), "degrees:", w.max().round(4))

program = tf.manipulability(tf.robots.kuka_lwr(), frame="link7")
print(program.count())
w = program.compile()
print(f"bent {w([0, 0.5, 0, -1.5, 0, 0.8, 0]):.4f}, stretched {w(np.zeros(7)):.4f}")
