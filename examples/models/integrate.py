"""A spherical pendulum: steps on the manifold of rotations keep its quaternion at unit length."""

import numpy as np

import tauforge as tf

rod = tf.Inertia(XX=1 / 3, YY=1 / 3, ZZ=0.01, MZ=-0.5, M=1.0)  # 1 m and 1 kg, hanging along -z
robot = tf.Robot(
    name="pendulum",
    joints=(tf.Joint(name="ball", antecedent=0, sigma=3),),
    bodies=(tf.Body(name="rod", inertia=rod),),
)
step, accelerate, energies = (model(robot).compile() for model in (tf.integrate, tf.direct_dynamics, tf.energy))

q, qd, h = np.array([0.0, 0.0, 0.0, 1.0]), np.array([2.0, 1.0, 5.0]), 1e-3  # quaternion (x, y, z, w)
for k in range(2001):
    if k % 1000 == 0:
        energy = sum(energies(q, qd)).round(4)
        print(f"{k * h:.0f} s  q {q.round(3)}  length {np.linalg.norm(q):.12f}  energy {energy} J")
    half = qd + accelerate(q, qd, np.zeros(3)) * h / 2  # the middle of the step
    middle = step(q, qd * h / 2)
    q, qd = step(q, half * h), qd + accelerate(middle, half, np.zeros(3)) * h
