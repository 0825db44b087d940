"""Does a free-standing SCARA tip over? Its centre of mass must stay above its foot."""

import numpy as np

import tauforge as tf

robot = tf.robots.scara()
program = tf.centre_of_mass(robot)
print(program.count())
centre = program.compile()

foot = 0.5  # m, the radius of a round foot below the first axis
for name, q in {"stretched": [0, 0, 0, 0.1], "folded": [0, 2.5, 0, 0.1]}.items():
    com = centre(q)
    margin = foot - np.hypot(*com[:2])
    print(f"{name:10}", com.round(4), f"margin {margin:.3f} m")
