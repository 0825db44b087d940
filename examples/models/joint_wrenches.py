"""What the pivots of a four-bar linkage carry while its crank turns."""

import numpy as np

import tauforge as tf

robot = tf.robots.fourbar()
program = tf.joint_wrenches(robot)
print(program)

turn = np.linspace(0.0, 2 * np.pi, 200)
q = [tf.close_loops(robot, [0.0], guess=[0.0, 0.8, 1.9])]
for angle in turn[1:]:
    q.append(tf.close_loops(robot, [angle], guess=q[-1]))
F = program.compile()(np.array(q), [10.0], [0.0])  # at 10 rad/s
load = np.linalg.norm(F[..., :2], axis=-1)
for name, most in zip(program.outputs["F"].labels[0], load.max(axis=0), strict=True):
    print(f"{name:8} {most:6.2f} N at most")

torque = tf.inverse_dynamics(robot).compile()(np.array(q), [10.0], [0.0])
print("torques about the axes are the motor's and zero:", np.allclose(F[:, :3, 5], torque * [1, 0, 0]))
