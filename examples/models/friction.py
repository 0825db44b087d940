"""Coulomb and viscous friction of two joints: what the motors lose."""

from dataclasses import replace

import numpy as np

import tauforge as tf

plain = tf.robots.planar2r()
frictions = ({"FS": 2.0, "FV": 0.5}, {"FS": 1.0, "FV": "b2"})  # a number, or a symbol for later
robot = replace(plain, joints=tuple(replace(j, **f) for j, f in zip(plain.joints, frictions, strict=True)))

program = tf.friction(robot)
print(program, *program.results["f"].nodes, sep="\n")
friction = program.compile()
for qd in ([1.0, -1.0], [2.0, 0.0]):
    print(qd, friction(qd, {"b2": 0.2}), "power", np.dot(friction(qd, {"b2": 0.2}), qd))

state = [0.0, 0.0], [1.0, -1.0], [0.0, 0.0]
tau, smooth = (tf.inverse_dynamics(r.bind(b2=0.2)).compile()(*state) for r in (robot, robot.neglect("FS")))
print("Coulomb's part of the torques:", (tau - smooth).round(6))
