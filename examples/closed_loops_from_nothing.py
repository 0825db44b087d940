"""Build the SR400 from scratch: a tree of eight joints, and the ninth that closes its parallelogram."""

import math

import numpy as np

import tauforge as tf

# 1. The tree. Joints 3 and 8 have no motor: the parallelogram moves them.
H = math.pi / 2
joints = (
    tf.Joint(name="joint1", antecedent=0),
    tf.Joint(name="joint2", antecedent=1, alpha=-H, d=0.4),
    tf.Joint(name="joint3", antecedent=2, d=0.8, mu=0),
    tf.Joint(name="joint4", antecedent=3, alpha=-H, d=-0.2, r=1.0),
    tf.Joint(name="joint5", antecedent=4, alpha=H),
    tf.Joint(name="joint6", antecedent=5, alpha=-H),
    tf.Joint(name="joint7", antecedent=1, alpha=-H, d=0.4),  # a lever on the axis of joint 2
    tf.Joint(name="joint8", antecedent=7, d=1.0, mu=0),
)
ends = (
    tf.Joint(name="rod_end", antecedent=8, sigma=2, d=0.8),
    tf.Joint(name="elbow_end", antecedent=3, sigma=2, gamma=H, d=-1.0),
)
bodies = tuple(tf.Body(name=f"link{j}") for j in range(1, 9))
tree = tf.Robot(name="sr400", joints=joints, bodies=bodies, frames=ends)

# 2. What each link weighs: mass, centre of mass, moments of inertia about it.
for link, mass, centre, moments in (
    ("link1", 60.0, (0.1, 0.0, -0.3), (3.0, 3.0, 1.5)),
    ("link2", 30.0, (0.4, 0.0, 0.0), (0.2, 1.8, 1.8)),
    ("link3", 20.0, (-0.3, 0.0, 0.0), (0.2, 0.8, 0.8)),
    ("link4", 12.0, (0.0, 0.0, -0.5), (1.0, 1.0, 0.05)),
    ("link5", 4.0, (0.0, 0.0, 0.0), (0.02, 0.02, 0.02)),
    ("link6", 2.0, (0.0, 0.0, 0.05), (0.004, 0.004, 0.003)),
    ("link7", 9.0, (0.5, 0.0, 0.0), (0.01, 0.75, 0.75)),
    ("link8", 6.0, (0.4, 0.0, 0.0), (0.01, 0.32, 0.32)),
):
    tree = tree.payload(mass, centre, np.diag(moments).tolist(), at=link)

# 3. The loop: the rod's end turns in the elbow's.
robot = tree.with_loop("rod_end", "elbow_end", kind="revolute", name="joint9")
print(robot)
print("independent:", *robot.independent)

# 4. Close it. The motors are where you want them; the guess decides which way the bars fold.
q = tf.close_loops(robot, [0.0, -1.2, 0.0, 0.4, 0.0, -2.9], guess=[0.0, -1.2, 0.0, 0.0, 0.4, 0.0, -2.9, 1.6])
print("closed:", q.round(4))
print("opposite bars are parallel:", np.isclose(q[2], H - q[1] + q[6]))
drawing = tf.draw(robot, q)  # drawing.save("sr400.svg")

# 5. Its dynamics, in the six motors' coordinates.
inverse, still = tf.inverse_dynamics(robot), np.zeros(6)
print(inverse.count())
tau = inverse.compile()(q, still, still)
print("torques at rest:", tau.round(2) + 0.0)
qdd = tf.direct_dynamics(robot).compile()(q, still, tau * [1, 0, 1, 1, 1, 1])
print("accelerations if motor 2 fails:", qdd.round(2) + 0.0)  # no minus before zeros
F = tf.joint_wrenches(robot).compile()(q, still, still)
print("the pin of the parallelogram carries", F[-1, :2].round(1), "N")
