"""Gravity compensation: the torques that hold an arm, and their code for a controller."""

import numpy as np

import tauforge as tf

program = tf.gravity(tf.robots.kuka_lwr(), parameters="base")
print(program.count())
hold = program.compile()
print("upright  ", hold(np.zeros(7)).round(3) + 0.0)
print("stretched", hold(np.eye(7)[1] * np.pi / 2).round(3) + 0.0)

code = tf.gravity(tf.robots.planar2r()).code("c", name="hold")
print(code[code.index("void hold") :])
