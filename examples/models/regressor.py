"""Identification: the base parameters of an arm from torques along a motion, by least squares."""

import numpy as np

import tauforge as tf

robot = tf.robots.planar2r()
program = tf.regressor(robot, parameters="base")
names = program.outputs["Y"].labels[1]
print(names, program.count())

t = np.linspace(0.0, 5.0, 501)[:, None]
k, amplitude = np.array([2.0, 3.0]), np.array([1.0, 0.8])
q, qd, qdd = amplitude * np.sin(k * t), amplitude * k * np.cos(k * t), -amplitude * k**2 * np.sin(k * t)
noise = np.random.default_rng(1).normal(0.0, 0.1, (501, 2))
tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd) + noise  # "measured"

Y = program.compile()(q, qd, qdd).reshape(-1, len(names))
found, *_ = np.linalg.lstsq(Y, tau.ravel(), rcond=None)
true = tf.base_parameters(robot).values()
for name, x in zip(names, found, strict=True):
    print(f"{name:5} {round(x, 3) + 0.0:6.3f}   true {true[name]:.3f}")
