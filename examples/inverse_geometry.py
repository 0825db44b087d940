"""Every state in which the flange of an arm has a pose."""

import numpy as np

import tauforge as tf

arm = tf.robots.ur5()
ik = tf.inverse_geometry(arm, frame="link6")
print(ik.explain())

q = np.array([0.3, -1.2, 1.5, 0.4, 0.9, -0.5])
T = tf.transforms(arm, frames="link6").compile()(q)[0]
found = ik(T, near=q)
print(f"\n{found.count} solutions, the nearest first, in degrees:")
for row in np.degrees(found.q):
    print("  ", " ".join(f"{angle + 0.0:8.2f}" for angle in row))

q[4] = 0.0  # the axes of joints 2, 3, 4 and 6 are parallel: one of these joints can move alone
T = tf.transforms(arm, frames="link6").compile()(q)[0]
found = ik(T, near=q)
print(f"\nsingular: {found.count} solutions, {int(found.family.sum())} of them represent infinitely many")

T[0, 3] += 2.0
print(f"too far: {ik(T).reason}")
