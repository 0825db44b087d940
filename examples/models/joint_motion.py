"""How fast the slider of a slider-crank moves, and how its speed depends on that of the crank."""

import numpy as np

import tauforge as tf

robot = tf.robots.slider_crank()
program = tf.joint_motion(robot)
print(program)
angle = np.radians([30.0, 60.0, 90.0])
q = tf.close_loops(robot, angle[:, None], guess=np.stack([angle, -angle, 0.0 * angle + 0.3], axis=1))
velocities, accelerations = program.compile()(q, [100.0], [0.0])  # the crank turns at 100 rad/s
print("slider:", velocities[:, 2].round(3), "m/s,", accelerations[:, 2].round(1), "m/s²")

G = program.derivative("velocities", "qd")
print(
    "dq/dt of",
    G.outputs["dvelocities_dqd"].labels[0],
    "by the crank's:",
    G.compile()(q[0], [0.0], [0.0])[:, 0].round(4),
)
