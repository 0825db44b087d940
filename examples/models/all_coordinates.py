"""A five-bar beside and at a state in which its motors hold nothing in one direction."""

import numpy as np

import tauforge as tf

robot = tf.robots.fivebar()
direct = tf.direct_dynamics(robot, coordinates="all", multipliers=True)
inverse = tf.inverse_dynamics(robot, coordinates="all")
print(direct.inputs["qd"].labels[0], "tau:", direct.inputs["tau"].labels[0])
print(direct.outputs["multipliers"].labels[0])

# the forearms in line: the point between them can move with both motors locked
reach = np.arccos((0.8 - 0.3) / 2 / 0.3)
singular = [np.pi - reach, reach - np.pi, reach, np.pi - reach]

print(tf.singularity(robot, singular).kind)

qdd, multipliers = direct.compile()(singular, np.zeros(4), [0.0, 0.0])
print("accelerations", qdd.round(3) + 0.0)
print("forces in the loop", multipliers.round(3) + 0.0)
tau, unbalanced = inverse.compile()(singular, np.zeros(4), np.zeros(4))
print("torques that hold it", tau.round(3), "and what is missing", unbalanced.round(3) + 0.0)
