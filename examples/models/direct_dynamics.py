"""A falling double pendulum, simulated by the Runge-Kutta method; its energy stays constant."""

import numpy as np

import tauforge as tf

robot = tf.robots.planar2r()
composite, articulated = (tf.direct_dynamics(robot, method=method) for method in ("composite", "articulated"))
print("both methods compute the same:", composite.certify(articulated).points, "exact random points")
accelerations, energies = composite.compile(), tf.energy(robot).compile()


def rate(x):
    """Return the time derivative of the state (q, qd) when no motor acts."""
    return np.concatenate([x[2:], accelerations(x[:2], x[2:], np.zeros(2))])


x, h = np.array([0.5, 0.0, 0.0, 0.0]), 0.001  # both rods in line, at rest
for step in range(1001):
    if step % 500 == 0:
        energy = sum(energies(x[:2], x[2:])).round(6) + 0.0
        print(f"{step * h:.1f} s  q {x[:2].round(3)}  energy {energy} J")
    a = rate(x)
    b = rate(x + a * h / 2)
    c = rate(x + b * h / 2)
    d = rate(x + c * h)
    x = x + (a + 2 * b + 2 * c + d) * h / 6
