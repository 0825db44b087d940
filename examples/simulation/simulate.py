"""A seven-joint arm follows a motion under stiff joint controllers (Woliński and Malczyk 2015)."""

import numpy as np

import tauforge as tf

robot = tf.robots.kuka_lwr()
k = [10, 1000, 200, 100, 10, 10, 10]  # N m/rad
c = [1000, 10000, 1000, 1000, 10, 10, 10]  # N m s/rad


def reference(t):
    w = np.pi / 7
    return np.full(7, np.pi / 2 * np.cos(w * t)), np.full(7, -np.pi / 2 * w * np.sin(w * t))


control = tf.pd_control(robot, k, c, reference)
t = np.linspace(0, 14, 8)
run = tf.simulate(robot, t, controller=control, q0=reference(0)[0], method="BDF", rtol=1e-6, atol=1e-6)
print(f"BDF: {run.evaluations} evaluations, {run.jacobians} of them Jacobians")
for time, q, tau in zip(run.t, run.q, run.tau, strict=True):
    print(f"{time:4.0f} s  q2 {q[1]:7.4f} rad  tau2 {tau[1]:8.3f} N m")

control = tf.computed_torque(robot, 100, 20, [0.3, 0.5, 0, -1, 0, 0.5, 0])
run = tf.simulate(robot, [0, 0.5, 1, 2], controller=control, rate=200, saturation=80)
print("\ncomputed torque, 200 samples per second")
for time, q in zip(run.t, run.q, strict=True):
    print(f"{time:4.1f} s  q {q[:4].round(3) + 0.0}")

fourbar = tf.robots.fourbar()
run = tf.simulate(fourbar, np.linspace(0, 10, 101), q0=[1.0], rtol=1e-10, atol=1e-12)
print("\na four-bar linkage falls for 10 s")
print("energy kept to 1e-8:", bool(np.ptp(run.total) < 1e-8 * run.kinetic.max()))
print("loop closed to 1e-12:", bool(run.residual.max() < 1e-12))
