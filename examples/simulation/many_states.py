"""The same arm from a thousand states at once, each with its own steps, by a method that is compiled with the model."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
rng = np.random.default_rng(0)
q0 = rng.uniform(-1.0, 1.0, (1000, 6))
motion = tf.motion([np.zeros(6), [0.4, 0.6, -0.5, 0.3, 0.2, 0.1]], [0.0, 1.5])
control = tf.computed_torque(robot, 100, 20, motion)

t = np.linspace(0.0, 2.0, 5)
run = tf.simulate(robot, t, controller=control, q0=q0, method="DOP8", rtol=1e-8)
print("q", run.q.shape, *np.unique(run.states.status))
for k, time in enumerate(t):
    print(f"{time:4.1f} s  largest error {np.abs(run.q[:, k] - motion(time).q).max():.1e} rad")

one = run[17]  # a Trajectory of one state, to plot or save
print(f"\nstate 17, at the end {one.q[-1].round(4)}, {one.status}")

# gains that make the equations stiff
control = tf.pd_control(robot, 1000.0, 3000.0, motion)
steps = {}
for method in ("Tsit5", "Rodas5P"):
    steps[method] = tf.simulate(robot, [0.0, 0.5], controller=control, method=method, rtol=1e-6, atol=1e-6).steps
print("\nRodas5P needs less than a hundredth of the steps:", steps["Rodas5P"] < 0.01 * steps["Tsit5"])
