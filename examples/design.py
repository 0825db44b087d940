"""An arm redesigned by the method of Yang and Tzeng: counterweights make its equations linear."""

import math

import tauforge as tf


def rod(length, mass):
    return tf.Inertia(YY=mass * length**2 / 3, ZZ=mass * length**2 / 3, MX=mass * length / 2, M=mass)


arm = tf.Robot(
    name="elbow",
    joints=(
        tf.Joint(name="waist", antecedent=0),
        tf.Joint(name="shoulder", antecedent=1, alpha=math.pi / 2),
        tf.Joint(name="elbow", antecedent=2, d=0.4),
    ),
    bodies=(
        tf.Body(name="post", inertia=tf.Inertia(XX=0.1, YY=0.1, ZZ=0.02, MZ=-0.5, M=5.0)),
        tf.Body(name="upper", inertia=rod(0.4, 4.0)),
        tf.Body(name="fore", inertia=rod(0.3, 2.0)),
    ),
)
design = tf.yang_tzeng(arm, reach=0.3)
print(design.report())
print(f"the simple equations agree with the full ones within 1e-12: {design.difference() < 1e-12}")

q, qd, qdd = [0.3, -0.8, 1.1], [1.0, -2.0, 3.0], [0.0, 0.0, 0.0]
print("torques of a motion without acceleration, before and after:")
for robot in (arm, design.robot):
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    print("  ", [round(x, 3) + 0.0 for x in tau.tolist()])
