"""Every state of a planar 3-RRR robot, and the motors of a Gough-Stewart platform, for a pose of the platform."""

import numpy as np

import tauforge as tf

robot = tf.robots.planar_3rrr()
ik = tf.inverse_geometry(robot, frame="platform")
q = tf.close_loops(robot, [0.3, -0.2, 0.1])
T = tf.transforms(robot, frames="platform").compile()(q)[0]
found = ik(T, near=q)
motors = [robot.coordinate_names.index(name) for name in robot.actuated]
print(f"{found.count} closed states; their motors, in degrees:")
for row in np.degrees(found.q[:, motors]):
    print("  ", " ".join(f"{angle + 0.0:8.2f}" for angle in row))

hexapod = tf.robots.gough_stewart()
ik = tf.inverse_geometry(hexapod, frame="platform")
print(ik.legs["leg1_S"].explain())
T = tf.transforms(hexapod, frames="platform").compile()(tf.close_loops(hexapod, np.zeros(6)))[0]
T[2, 3] += 0.1
found = ik(T, combine=False)
lengths = found.q[0, [hexapod.coordinate_names.index(name) for name in hexapod.actuated]]
print("10 cm higher, the legs are longer by", " ".join(f"{x:.4f}" for x in lengths), "m")
