"""How far a payload of unknown mass pulls an arm from its goal, under two controllers."""

from functools import partial

import numpy as np
import scipy.stats

import tauforge as tf

robot, goal = tf.robots.planar2r(), [0.5, 1.0]
laws = {"PD": tf.pd_control(robot, 400, 40, goal), "computed torque": tf.computed_torque(robot, 100, 20, goal)}


def reach(law, mass):
    """Return the distance from the goal after two seconds, in radians, and the largest torque of each joint."""
    if mass > 2.9:
        raise ValueError("the gripper cannot hold this")
    loaded = robot.payload(mass, at="link2")
    run = tf.simulate(loaded, np.linspace(0, 2, 21), controller=law, rtol=1e-6)
    return {"distance": np.abs(run.q[-1] - goal).max(), "torque": np.abs(run.tau).max(axis=0)}


runs = tf.sweep(reach, {"law": laws}, samples={"mass": scipy.stats.uniform(0, 3)}, count=20, seed=4)
print(runs)
for law in laws:
    distance = runs.data.distance.sel(law=law)
    print(f"{law:15}  mean {distance.mean().item():.3f} rad  largest {distance.max().item():.3f} rad")
failure = runs.errors[0]
print(f"{failure.parameters['law']}, {failure.parameters['mass']:.3f} kg: {failure.error}")

starts = np.random.default_rng(0).uniform(-1, 1, (40, 2))
falls = tf.sweep(partial(tf.simulate, robot, np.linspace(0, 0.5, 6)), {"q0": starts})
print(falls)
print("spread of joint 2:", falls.data.q.sel(joint="joint2").std("q0").values.round(3))
