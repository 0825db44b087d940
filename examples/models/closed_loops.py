"""Inverse and direct dynamics of a four-bar linkage in its one independent coordinate."""

import tauforge as tf

bar = tf.Inertia(ZZ=0.02, MX=0.1, M=1.0)
links = [
    tf.Joint(name="crank", antecedent=0),
    tf.Joint(name="coupler", antecedent=1, d=0.2, mu=0),
    tf.Joint(name="rocker", antecedent=0, d=0.5, mu=0),
]
tree = tf.Robot(
    name="fourbar",
    joints=tuple(links),
    bodies=tuple(tf.Body(name=f"{joint.name}_link", inertia=bar) for joint in links),
    gravity=(0.0, -9.81, 0.0),
    frames=(tf.Joint(name="tip", antecedent=2, sigma=2, d=0.5), tf.Joint(name="end", antecedent=3, sigma=2, d=0.4)),
)
robot = tree.with_loop("tip", "end", kind="revolute")
print(robot.independent, tf.inverse_dynamics(robot).count())

q = tf.close_loops(robot, [1.0], guess=[1.0, -0.5, 1.2])
print("closed:", q.round(4))
tau = tf.inverse_dynamics(robot).compile()(q, [2.0], [0.5])
print("torque of the crank:", tau.round(4))
print("its acceleration:", tf.direct_dynamics(robot).compile()(q, [2.0], tau).round(4))
