"""Describe a robot in Python, with symbols, save it, and give it numbers later."""

import tempfile
from pathlib import Path

import tauforge as tf

L, m = tf.symbol("L"), tf.symbol("m")
rod = tf.Inertia(YY=m * L * L / 3, ZZ=m * L * L / 3, MX=m * L / 2, M=m)
robot = tf.Robot(
    name="pendulum",
    joints=(
        tf.Joint(name="shoulder", antecedent=0),
        tf.Joint(name="elbow", antecedent=1, d=L),
    ),
    bodies=(tf.Body(name="upper", inertia=rod), tf.Body(name="lower", inertia=rod)),
    gravity=(0.0, -9.81, 0.0),
)
print(robot, robot.symbols)

program = tf.inverse_dynamics(robot)
print(program)
print(program.compile()([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], parameters={"L": 1.0, "m": 1.0}))

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "pendulum.toml"
    robot.bind(L=0.5, m=2.0).save(path)
    print(path.read_text())
    print(tf.load(path) == robot.bind(L=0.5, m=2.0))
