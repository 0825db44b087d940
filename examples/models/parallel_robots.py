"""A Gough-Stewart platform from scratch: points of the joints, where the robot is assembled."""

import numpy as np

import tauforge as tf

angles = np.arange(6) * np.pi / 3
base = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
angles += np.tile([0.35, -0.35], 3)
top = np.stack([0.5 * np.cos(angles), 0.5 * np.sin(angles), 1.2 + 0 * angles], axis=1)

cylinder, rod = tf.Inertia(YY=0.2, ZZ=0.2, MX=0.6, M=2.0), tf.Inertia(YY=0.1, ZZ=0.1, MX=-0.3, M=1.0)
plate = tf.Body(name="platform", inertia=tf.Inertia(XX=0.6, YY=0.6, ZZ=1.2, M=10.0))
legs = [tf.leg("UPS", [a, b], links=[cylinder, rod]) for a, b in zip(base, top, strict=True)]
robot = tf.parallel_robot(plate, legs, home=(0, 0, 1.2), name="hexapod")
print(robot.independent)

q = tf.close_loops(robot, [0.05, 0.0, 0.0, 0.0, 0.0, 0.0])  # forward geometry: the first leg is 5 cm longer
names = robot.coordinate_names
print("platform at", q[names.index("platform.px") :].round(4))

robot = robot.with_independent("platform")  # platform motion in, forces of the legs out
inverse = tf.inverse_dynamics(robot, efforts="motors")
lift = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
forces = inverse.compile()(q, np.zeros(6), lift)
print("forces:", forces.round(3))
direct = tf.direct_dynamics(robot, efforts="motors").compile()
print("acceleration:", direct(q, np.zeros(6), forces).round(3) + 0.0)
