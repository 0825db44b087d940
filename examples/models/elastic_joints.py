"""An arm with an elastic elbow: its natural frequencies, and the motor torque for a given acceleration."""

from dataclasses import replace

import numpy as np

import tauforge as tf

rigid = tf.robots.planar2r()
shoulder, elbow = rigid.joints
elastic = replace(elbow, eta=1, mu=0, k=300.0, FV=0.5)  # spring and damper, no motor
robot = replace(rigid, joints=(shoulder, elastic))

slope = tf.direct_dynamics(robot).derivative("qdd", "q").compile()
hanging, rest = [-np.pi / 2, 0.0], [0.0, 0.0]
squares = -np.linalg.eigvals(slope(hanging, rest, rest)).real  # of the angular frequencies
print("natural frequencies without friction", np.sort(np.sqrt(squares) / (2 * np.pi)).round(3), "Hz")

program = tf.hybrid_dynamics(robot, accelerated="rigid")
print(program.inputs, program.outputs)
torque, swing = program.compile()([0.0, -0.02], rest, [1.0], [0.0])  # the shoulder's acceleration is given
print("motor torque", torque.round(4), "elbow acceleration", swing.round(4))
