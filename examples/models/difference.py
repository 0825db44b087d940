"""Between two poses of a drone: the velocity that leads from one to the other, and the path in between."""

import numpy as np

import tauforge as tf

drone = tf.Body(name="drone", inertia=tf.Inertia(XX=0.1, YY=0.1, ZZ=0.2, M=1.0))
robot = tf.robots.planar2r().with_base("floating", drone)  # with an arm of two joints
program = tf.difference(robot)
print(program.inputs, "->", program.outputs)

quarter = np.sin(np.pi / 4)
start = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])  # position, quaternion, joints
end = np.array([1.0, 1.0, 1.0, 0.0, 0.0, quarter, quarter, 0.5, -0.5])  # a quarter turn about z
v = program.compile()(start, end)
print("linear", v[:3].round(4), "angular", v[3:6].round(4) + 0.0, "joints", v[6:].round(4))

step = tf.integrate(robot).compile()
for t in (0.5, 1.0):
    q = step(start, t * v)
    print(t, q[:3].round(4), q[3:7].round(4) + 0.0)
print("back again:", np.allclose(program.compile()(end, start), -v))
