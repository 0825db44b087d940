"""Identification without accelerations: the motors' work is a gain in energy, which is linear in the parameters."""

import numpy as np

import tauforge as tf

robot = tf.robots.planar2r()
program = tf.energy_regressor(robot, parameters="base")
names = program.outputs["kinetic"].labels[0]
print(names, program.count())

t = np.linspace(0.0, 5.0, 5001)[:, None]
k, amplitude = np.array([2.0, 3.0]), np.array([1.0, 0.8])
q, qd, qdd = amplitude * np.sin(k * t), amplitude * k * np.cos(k * t), -amplitude * k**2 * np.sin(k * t)
tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)  # "measured"
power = (tau * qd).sum(axis=1)
work = np.concatenate([[0.0], np.cumsum(power[1:] + power[:-1]) * (t[1, 0] - t[0, 0]) / 2])

kinetic, potential = program.compile()(q, qd)
rows = kinetic + potential
found, *_ = np.linalg.lstsq(rows - rows[0], work, rcond=None)
true = tf.base_parameters(robot).values()
for name, x in zip(names, found, strict=True):
    print(f"{name:5} {round(x, 3) + 0.0:6.3f}   true {true[name]:.3f}")
