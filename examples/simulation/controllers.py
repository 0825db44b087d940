"""A soft hand, a late controller, an integral that does not wind up, and a closed hydraulic valve."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
q0 = np.array([0.3, -0.6, 0.5, 0.2, 0.8, -0.1])
where = tf.transforms(robot, frames="link6").compile()
here = where(q0)[0]

soft = tf.impedance_control(
    robot, [400, 400, 400, 30, 30, 30], [120, 120, 120, 9, 9, 9], here, frame="link6", joint_damping=1.0
)


def pushed(t, q, qd):
    wrench = np.zeros((6, 6))
    wrench[5, :3] = where(q)[0, :3, :3].T @ [0.0, 0.0, 8.0]  # the hand pushes up, so it is pushed down
    return wrench


run = tf.simulate(robot, [0, 0.2, 3], controller=soft, q0=q0, wrenches=pushed, method="BDF", rtol=1e-6)
sunk = here[2, 3] - where(run.q)[:, 0, 2, 3]
print(f"8 N on 400 N/m: the hand sinks by {1000 * sunk[1]:.1f} mm at first, {1000 * sunk[2]:.1f} mm in the end")
print(soft)

arm = tf.robots.planar2r()
control = tf.computed_torque(arm, 100, 14, [0.5, -0.5])
for delay in (0, 2, 4):
    run = tf.simulate(arm, np.linspace(0, 2, 201), controller=control, rate=100, delay=delay, rtol=1e-6)
    print(f"{delay} samples late: joint 2 overshoots by {max(-0.5 - run.q[:, 1].min(), 0):.3f} rad")

for windup in (None, 0.1):
    pid = tf.pid_control(arm, 60, 40, 20, [1.5, 0.0], saturation=20, anti_windup=windup)
    run = tf.simulate(arm, np.linspace(0, 10, 501), controller=pid, q0=[-1.5, 0], method="BDF", rtol=1e-6)
    print(f"anti_windup={windup}: joint 1 overshoots by {max(run.q[:, 0].max() - 1.5, 0):.3f} rad")

k, d = np.array([4000.0, 2000.0]), np.array([8.0, 3.0])
held = np.array([0.3, 0.4])
free = held + tf.gravity(arm).compile()(held) / k  # so that the springs carry the arm where it is held
valve = tf.spring_drive(arm, k, d, free)
run = tf.simulate(arm, np.linspace(0, 0.25, 6), controller=valve, q0=held, qd0=[0.8, 0.0])
print("after the valves close:", (1000 * (run.q[:, 0] - held[0])).round(1) + 0.0, "mrad")
