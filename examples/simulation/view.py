"""A motion and a simulation, as pages that open in any browser."""

import numpy as np

import tauforge as tf

robot = tf.robots.gough_stewart()
t = np.linspace(0, 4, 121)
legs = 0.12 + 0.1 * np.sin(np.pi / 2 * t[:, None] - np.arange(6))  # of the independent joints: the loops are closed
animation = tf.animate(robot, legs, t, "platform.html")
print(animation)

run = tf.simulate(tf.robots.planar2r(), np.linspace(0, 2, 61), q0=[1.0, 0.5])
run.animate("pendulum.html")
run.animate().save("pendulum.gif", size=(160, 120), rate=10)
tf.robots.planar2r().plot([0.4, 0.8], "arm.png", size=(320, 240))

with robot.view(browser=False) as view:  # leave browser out, and a page with sliders opens
    view.show(legs[30])
    print(view.url.startswith("http://127.0.0.1:"), view.q[robot.coordinate_names.index("leg1_P")].round(3))
