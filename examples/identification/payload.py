import numpy as np

import tauforge as tf

rng = np.random.default_rng(0)
arm = tf.robots.kuka_lwr()
arm = arm.lock(dict.fromkeys(arm.joint_names[4:], 0.3))  # the first four joints
tool = arm.bodies[-1].name
known = {"mass": 2.0, "com": (0.05, 0.0, 0.1), "inertia": np.diag([0.02, 0.03, 0.015]).tolist(), "at": tool}


def measured(robot):
    """Return a recording of a robot along a random motion, with noise."""
    motion = tf.fourier_motion(*2.0 * rng.normal(size=(2, 4, 5)), 10.0)
    t, q, qd, qdd = motion.sample(0.004)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    return tf.Recording(t, q, tau + 0.01 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape))


unloaded, loaded = measured(arm), measured(arm.payload(**known))
load = tf.identify_payload(arm, unloaded, loaded, at=tool, friction=())
print(load.table())

per_ampere = np.array([12.0, 15.0, 9.0, 7.0])  # N m; the last line finds them
pair = [tf.Recording(x.t, x.q, x.tau / per_ampere) for x in (unloaded, loaded)]
print(tf.identify_gains(arm, *pair, **known, friction=()).table())
