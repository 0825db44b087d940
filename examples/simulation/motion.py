"""The inverse problem of Woliński and Malczyk: torques of the KUKA LWR along (28) and (29), then as fast as it can."""

import tauforge as tf

robot = tf.robots.kuka_lwr()
motion = tf.motion(["pi/2*cos(pi/7*t)"] * 7, 14.0)
torques = tf.required_torques(robot, motion, dt=0.05)
print(torques)
print(f"joint 2 needs most: {torques.peak[1]:.2f} N m")

fast = motion.scaled(robot, torque=[60, 60, 30, 30, 5, 5, 5], velocity=2.0)
print(fast)

loaded = motion.scaled(robot, torque=[60, 60, 30, 30, 5, 5, 5], velocity=2.0, payload=0.5)
print(f"with a load, {loaded.duration:.3f} s")
print(tf.required_torques(robot, loaded, payload=0.5).peak[:4].round(2))
