"""Paul's equations of a planar arm whose last link is to have a pose, step by step."""

import tauforge as tf

joints = [
    tf.Joint(name="shoulder", antecedent=0),
    tf.Joint(name="elbow", antecedent=1, d=tf.symbol("L1")),
    tf.Joint(name="wrist", antecedent=2, d=tf.symbol("L2")),
]
links = [tf.Body(name=name) for name in ("upper arm", "forearm", "hand")]
arm = tf.Robot(name="planar 3R", joints=tuple(joints), bodies=tuple(links))
print(tf.inverse_geometry(arm, frame="hand").equations().text(width=90))
