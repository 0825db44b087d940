"""The fastest link of a moving robot, for a safety limit on speed."""

import numpy as np

import tauforge as tf

robot = tf.robots.kuka_lwr()
program = tf.link_velocities(robot)
print(program.outputs["V"], program.outputs["V"].labels[1])
print(program.count())

random = np.random.default_rng(1)
q, qd = random.uniform(-2, 2, (1000, 7)), random.uniform(-1, 1, (1000, 7))
V = program.compile()(q, qd)
speeds = np.linalg.norm(V[..., :3], axis=-1)  # of each link's origin, in any of a thousand states
for body, speed in zip(robot.bodies, speeds.max(axis=0), strict=True):
    print(body.name, f"{speed:.3f} m/s")
