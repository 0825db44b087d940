"""Identify a Stäubli TX40 from nine seconds of measurements, and predict what was not used."""

from math import pi
from pathlib import Path

import numpy as np

import tauforge as tf

HERE = Path(__file__).parent

# what was measured, at 1 kHz: second differences of motor angles in 1e-5 rad, and motor torques in 1e-4 N m
data = np.load(HERE / "tx40.npz")
start, changes = data["start"].astype(int), data["changes"].astype(int)
steps = start[1] - start[0] + np.vstack([np.zeros((1, 6), int), np.cumsum(changes, axis=0)])
position = 1e-5 * np.vstack([start[0], start[0] + np.cumsum(steps, axis=0)])
torque = 1e-4 * data["torque"]

# from motors to joints: motor 6 turns with joint 5, too
coupling = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
coupling[5, 4] = 32.0
recording = tf.Recording.from_motors(1e-3, position, torque, coupling, zero=[0, -pi / 2, pi / 2, 0, 0, 0])

robot = tf.load(HERE / "tx40.toml")  # its geometry
count = len(recording)
result = tf.identify(robot, recording[: count * 60 // 100])
print(result)
for name in ("ZZ1R", "MX2R", "IA3", "FV1", "FS1", "FV_motor6", "FS_motor6"):
    print(f"{name:9} {result[name]:7.2f} ± {result.error(name):.2f}")

print("\nThe last 38 %, predicted from the first 60 %")
print(result.validate(recording[count * 62 // 100 :]).table())

print("\nThe first 38 %, predicted from the last 60 %")
other = tf.identify(robot, recording[count * 40 // 100 :])
print(other.validate(recording[: count * 38 // 100]).table())

# the identified robot is a Robot: every model takes it
code = tf.inverse_dynamics(result.robot).code("c", name="tx40_torques")
print("\n" + code[code.index("void tx40_torques") :].splitlines()[0])
