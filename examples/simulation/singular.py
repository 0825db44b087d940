"""A five-bar without motor torques passes a state in which its motors say nothing about its motion."""

import numpy as np

import tauforge as tf

robot = tf.robots.fivebar()
start = tf.close_loops(robot, None, guess=[2.0, -1.2159, 1.1, 1.2382])
run = tf.simulate(robot, np.linspace(0.0, 0.45, 10), q0=start)
change = run.coordinate_changes[0]
print(f"at {change.t:.2f} s from {change.before} to {change.after} coordinates")
print(f"arm1 at the end: {run.q[-1, 0]:.3f} rad; velocities of {', '.join(run.velocity_names_all)}")
print("energy kept to a millionth of the kinetic energy:", run.energy_error < 1e-6 * run.kinetic.max())

try:
    tf.simulate(robot, 0.45, q0=start, coordinates="independent")
except tf.SimulationError as error:
    print("independent joints alone:", str(error).partition(":")[2].split(";")[0].strip()[:60], "…")

many = tf.rollout(robot, np.tile(start, (3, 1)), [0.0, 0.0], None, 1e-3, steps=450, method="rk4", every=None)
print(f"a rollout: {many.q[0, 0]:.3f} rad")
