"""Two arms on a torso: joints of different arms have no inertia in common, and these zeros cost nothing."""

import numpy as np

import tauforge as tf

joints = (
    tf.Joint(name="torso", antecedent=0),
    tf.Joint(name="left shoulder", antecedent=1, d=0.2),
    tf.Joint(name="left elbow", antecedent=2, d=0.4),
    tf.Joint(name="right shoulder", antecedent=1, d=-0.2),
    tf.Joint(name="right elbow", antecedent=4, d=0.4),
)
rod = tf.Inertia(YY=0.1, ZZ=0.1, MX=0.4, M=2.0)
links = tuple(tf.Body(name=f"link of {joint.name}", inertia=rod) for joint in joints)

program = tf.inertia_matrix(tf.Robot(name="torso", joints=joints, bodies=links))
print(program.count())
M = program.compile()([0.0, 0.3, 0.5, -0.2, 0.4])
print(M.round(3) + 0.0)
print("positive definite:", bool(np.linalg.eigvalsh(M).min() > 0))
