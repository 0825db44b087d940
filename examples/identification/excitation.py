"""A motion that excites the parameters of a SCARA, at rest at both ends and clear of its own column."""

import tauforge as tf

robot = tf.robots.scara()
limits = {
    "position": ([-2.2, -2.5, -0.1, -3.0], [2.2, 2.5, 0.2, 3.0]),
    "velocity": [4.0, 5.0, 0.8, 8.0],
    "acceleration": [20.0, 25.0, 6.0, 60.0],
}
hand, column = tf.Capsule(robot.bodies[-1].name, 0.06), tf.Capsule("base", 0.12)

found = tf.exciting_trajectory(
    robot, 6.0, limits, harmonics=4, friction=("FV", "FS"), rotors=False, apart=[(hand, column)], starts=2
)
print(found.names)
print("condition number below 80:", found.condition < 80.0)
print("rests at both ends:", abs(found.qd([0.0, 6.0])).max() < 1e-9, abs(found.qdd([0.0, 6.0])).max() < 1e-9)
for limit, parts in found.used.items():
    print(f"{limit:12} within its limit: {(parts <= 1.0).all()}, and near it: {parts.max() > 0.95}")

by_determinant = tf.exciting_trajectory(
    robot, 6.0, limits, harmonics=4, friction=("FV", "FS"), rotors=False, criterion="determinant", starts=2
)
print("more information:", by_determinant.determinant > found.determinant)
found.save("excite.csv", dt=0.002)
