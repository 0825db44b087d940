"""Which stiffness brings an arm to its goal? Five hundred of them at once, each simulated for two seconds."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
q, qd = ([tf.symbol(f"{name}[{i}]") for i in range(6)] for name in ("q", "qd"))
goal, stiffness, damping = 0.5, tf.symbol("stiffness"), tf.symbol("damping")
controller = tf.Program.of("pd", tau=[stiffness * (goal - x) - damping * v for x, v in zip(q, qd, strict=True)])

values = np.linspace(10, 1000, 500)
options = {"dt": 5e-4, "steps": 4000, "inputs": {"stiffness": values[:, None], "damping": 40.0}}
t, angles, speeds = tf.rollout(robot, np.zeros(6), np.zeros(6), controller, every=40, **options)
print("coordinates", angles.shape, "until", t[-1], "s")
for k in (0, 100, 499):
    error, speed = np.abs(angles[k, -1] - goal).max(), np.abs(speeds[k, -1]).max()
    print(f"stiffness {values[k]:6.1f}: in the end {error:.3f} rad from the goal, at {speed:.3f} rad/s")

last = tf.rollout(robot, np.zeros(6), np.zeros(6), controller, method="rk4", every=None, **options)
print(f"the fourth-order method ends within {np.abs(last.q - angles[:, -1]).max():.4f} rad of these")
