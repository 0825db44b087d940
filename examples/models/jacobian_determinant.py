"""Where a six-joint arm is singular: the zeros of a short expression."""

import numpy as np

import tauforge as tf

program = tf.jacobian_determinant(tf.robots.rx90(symbolic=True), frame="link6")
print(program.count())
print(program.results["det"].nodes[0])

determinant = program.compile()
lengths = {"D3": 0.45, "RL4": 0.45}
poses = {
    "regular": [0.1, 0.5, -0.8, 0.5, 1.0, 0.0],
    "wrist stretched": [0.1, 0.5, -0.8, 0.5, 0.0, 0.0],
    "elbow stretched": [0.1, 0.5, np.pi / 2, 0.5, 1.0, 0.0],
}
for name, q in poses.items():
    print(f"{name:16}{determinant(q, lengths):9.5f}".replace("-0.00000", " 0.00000"))
