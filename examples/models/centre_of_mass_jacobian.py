"""Balance: the joint velocities that move the centre of mass but not the hand."""

import numpy as np

import tauforge as tf

robot = tf.robots.kuka_lwr()
program = tf.centre_of_mass_jacobian(robot)
print(program.count())
q = np.array([0.2, 0.6, 0.1, -1.2, 0.3, 0.9, 0.0])
centre, hand = program.compile()(q), tf.jacobian(robot, frame="link7").compile()(q)

null = np.linalg.svd(hand)[2][-1]  # seven joints leave one motion that keeps the hand still
null *= np.sign(null[0])
print("joints ", null.round(3) + 0.0)
print("hand   ", np.linalg.norm(hand @ null).round(9) + 0.0)
print("centre ", (centre @ null).round(4))
