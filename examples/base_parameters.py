"""The base inertial parameters of the RRP arm of Lemoine and Khalil, figure 4."""

import tauforge as tf

base = tf.base_parameters(tf.robots.rrp(symbolic=True))
print(base.table())
print(base.count, "base parameters:", *base.names)
