import numpy as np

import tauforge as tf

rng = np.random.default_rng(0)
arm = tf.robots.kuka_lwr()
arm = arm.lock(dict.fromkeys(arm.joint_names[4:], 0.3))  # the first four joints


def measured(seconds):
    """Return a recording of the arm along a random motion, with noise."""
    motion = tf.fourier_motion(*rng.normal(size=(2, 4, 5)), 10.0, duration=seconds)
    t, q, qd, qdd = motion.sample(0.004)
    tau = tf.inverse_dynamics(arm).compile()(q, qd, qdd)
    return tf.Recording(t, q, tau + 0.05 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape))


recording, other = measured(10.0), measured(10.0)
free = tf.identify(arm, recording, friction=(), rotors=False)
result = tf.identify(arm, recording, friction=(), rotors=False, consistent=True)
for name, x in (("any parameters", free), ("a possible robot", result)):
    print(f"{name}: another motion is predicted with an error of {100 * x.validate(other).overall:.1f} %")

found = result.consistent
print(f"the fit got worse by {100 * found.harm:.1f} %, for every possible robot by {100 * found.least_harm:.1f} %")
for link, P in zip(result.robot.bodies, found.pseudo_inertias(), strict=True):
    print(f"{link.name}: least eigenvalue of its pseudo-inertia {np.linalg.eigvalsh(P)[0]:.1g}")
for name in ("ZZ4", "M1", "M4"):
    value, error = found.values[found.names.index(name)], found.errors[found.names.index(name)]
    low, high = found.interval(name)
    shown = "undetermined" if name in found.undetermined else f"{value:.3f} ± {error:.3f}"
    print(f"{name}: {shown}, between {low:.2f} and {high:.2f}")
