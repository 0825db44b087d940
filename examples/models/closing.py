"""A slider-crank closed by a Program: where the slider is for some angles of the crank, and how it moves with them."""

import numpy as np

import tauforge as tf

rod = tf.Inertia(ZZ=0.02, MX=0.1, M=1.0)
links = [
    tf.Joint(name="crank", antecedent=0),
    tf.Joint(name="rod", antecedent=1, d=0.2, mu=0),
    tf.Joint(name="slider", antecedent=0, sigma=1, gamma=np.pi / 2, alpha=np.pi / 2, mu=0),
]
tree = tf.Robot(
    name="slider_crank",
    joints=tuple(links),
    bodies=tuple(tf.Body(name=f"{joint.name}_link", inertia=rod) for joint in links),
    frames=(tf.Joint(name="pin", antecedent=2, sigma=2, d=0.5),),
)
robot = tree.with_loop("slider_link", "pin", kind="spherical")
program = tf.closing(robot)
print(program.count())

close = program.compile()
crank = np.linspace(0.0, 3.0, 4)[:, None]
q, closed = close(crank, [0.0, 0.0, 0.7])
print("slider:", q[:, 2].round(4), "closed:", closed)
print("slope:", program.derivative("q", "q_active").compile()(crank, q)[:, 2, 0].round(4))
