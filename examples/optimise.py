"""Fewer operations: the gravity torques of two links, as in a textbook."""

import tauforge as tf

robot = tf.robots.planar2r(symbolic=True).bind(MY1=0.0, MY2=0.0)
program = tf.gravity(robot, parameters="base")
best = program.optimise()

print("before:", program.count())
print("after: ", best.count())
print("proof: ", program.certify(best, seed=0))
print()
code = best.code("python").splitlines()
print("\n".join(code[code.index("    C1 = cos(q[0])") :]))
