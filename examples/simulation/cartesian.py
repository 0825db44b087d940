"""The hand of a Puma along lines and arcs, with and without rest at the corners, as fast as its drives allow."""

import numpy as np

import tauforge as tf

robot = tf.robots.puma560()
start = np.array([0.3, -0.6, 0.5, 0.2, 0.8, -0.1])
where = tf.transforms(robot, frames="link6").compile()
here = where(start)[0]
there = here.copy()
there[:3, 3] += [0.0, -0.3, 0.0]
top = here[:3, 3] + [0.0, -0.15, 0.15]

print(tf.reach(robot, there, frame="link6", q0=start).q.round(4))

limits = {"velocity": 2.0, "acceleration": 20.0, "torque": [60, 90, 50, 10, 10, 10], "payload": 2.0}
for kind in ("quintic", "trapezoidal", "time-optimal"):
    motion = tf.cartesian_motion(
        robot, [here, there, here], frame="link6", q0=start, via=[None, top], kind=kind, **limits
    )
    print(f"{kind:12}  {motion.duration:.2f} s")

torques = tf.required_torques(robot, motion, payload=2.0)
print("peaks", torques.peak.round(1))
hand = where(motion(np.linspace(0.0, motion.duration, 200)).q)[:, 0, :3, 3]
print(f"x changes by {np.ptp(hand[:, 0]):.9f} m, z by {np.ptp(hand[:, 2]):.3f} m")

corner = there.copy()
corner[:3, 3] += [0.0, 0.0, 0.15]
for radius in (0.0, 0.02, 0.1):
    motion = tf.cartesian_motion(
        robot, [here, there, corner], frame="link6", q0=start, radius=radius, kind="time-optimal", **limits
    )
    hand = where(motion(np.linspace(0.0, motion.duration, 2000)).q)[:, 0, :3, 3]
    nearest = np.linalg.norm(hand - there[:3, 3], axis=1).min()
    print(f"radius {radius:4.2f} m: {motion.duration:.2f} s, passes at {1000 * nearest:.1f} mm")

away = there.copy()
away[:3, 3] += [1.0, 0.0, 0.0]
try:
    tf.cartesian_motion(robot, [here, away], 2.0, frame="link6", q0=start)
except tf.SimulationError as error:
    print(str(error).partition(" m and")[0], "m out of reach")
    print("until then:", error.trajectory)
