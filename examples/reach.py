"""Two aims of a redundant arm: the pose of its hand, and an elbow that stays up, for a thousand poses at once."""

import numpy as np

import tauforge as tf

arm = tf.robots.kuka_lwr()
random = np.random.default_rng(0)
T = tf.direct_geometry(arm, random.uniform(-2.0, 2.0, (1000, 7)), frame="link7")

found = tf.reach(arm, T, frame="link7")
print(f"{found.reached.sum()} of {found.reached.size} poses are reached")

elbow = tf.Goal("link4", [0.0, 0.0, 2.0], aim="position", level=1)  # as high as the hand allows
raised = tf.reach(arm, [tf.Goal("link7", T), elbow])
heights = [tf.direct_geometry(arm, q, frame="link4")[:, 2, 3].mean() for q in (found.q, raised.q)]
print(f"{raised.reached.sum()} are reached with the elbow raised, too")
print(f"the elbow is at {heights[0]:.2f} m, and raised at {heights[1]:.2f} m, on average")

spread = tf.reach(arm, T, frame="link7", q0=found.q, prefer="manipulability")
w = tf.manipulability(arm, frame="link7").compile()
print(f"manipulability {w(found.q).mean():.3f}, and preferred {w(spread.q).mean():.3f}, on average")

T[0, :3, 3] = 0.0, 0.9, 1.2
far = tf.reach(arm, T[0], frame="link7", strict=False)
print(f"reached: {far.reached}; {far.distance:.3f} m are missing")
