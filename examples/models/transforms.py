"""Where the tool of a robot is, and where its elbow is as seen from the hand."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
q = np.array([0.1, -0.8, 0.3, 0.5, 1.0, 0.0])

program = tf.transforms(robot)
print(program.outputs["T"], program.outputs["T"].labels[0])
print(program.count())

hand = tf.transforms(robot, frames="link6")
print(hand.count())
T = hand.compile()(q)[0]
print(T.round(4))
print("tool:", (T @ [0.0, 0.0, 0.2, 1.0])[:3].round(4))

seen = tf.transforms(robot, frames=["link3", "base"], relative_to="link6").compile()(q)
print("elbow and base seen from the hand:", seen[:, :3, 3].round(4).tolist())
