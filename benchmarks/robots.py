"""The robots of the benchmarks, with numbers for all parameters: a Panda, legged robots on a floating base, chains."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import tauforge as tf
from tauforge.bench.prepare import solid
from tauforge.robot.kinds import FLOATING


def panda() -> tf.Robot:
    """Return the bundled Panda with inertias."""
    robot, random = tf.robots.panda(), Random(1)
    return replace(robot, bodies=tuple(replace(body, inertia=solid(random)) for body in robot.bodies))


def legged(name: str, limbs: list[int]) -> tf.Robot:
    """Return limbs of so many revolute joints each on a floating base, their axes at right angles as in such robots."""
    random = Random(2)
    joints = [tf.Joint(name="base", antecedent=0, sigma=FLOATING)]
    for limb, count in enumerate(limbs):
        for k in range(count):
            joints.append(
                tf.Joint(
                    name=f"limb{limb}_{k}",
                    antecedent=len(joints) if k else 1,
                    gamma=0.0 if k else random.choice((0.0, math.pi / 2)),
                    b=0.0 if k else random.uniform(-0.3, 0.3),
                    alpha=random.choice((math.pi / 2, -math.pi / 2, math.pi / 2, 0.0)),
                    d=random.choice((0.0, random.uniform(0.05, 0.4))),
                    theta=random.choice((0.0, math.pi / 2)),
                    r=random.choice((0.0, random.uniform(0.05, 0.4))),
                )
            )
    bodies = tuple(tf.Body(name=f"{joint.name}_link", inertia=solid(random)) for joint in joints)
    return tf.Robot(name=name, joints=tuple(joints), bodies=bodies)


def humanoid() -> tf.Robot:
    """Return a robot with the joints of Talos: legs, torso, arms and head, each taken as a limb of the base."""
    return legged("humanoid", [6, 6, 2, 8, 8, 2])


def quadruped() -> tf.Robot:
    """Return a robot with the joints of ANYmal."""
    return legged("quadruped", [3, 3, 3, 3])


def chain(count: int) -> tf.Robot:
    """Return a snake of like links, its axes turned by a quarter from link to link."""
    inertia = solid(Random(3))
    joints = tuple(
        tf.Joint(name=f"joint{j}", antecedent=j - 1, alpha=math.pi / 2 * (-1) ** j, d=0.1, FV=0.1)
        for j in range(1, count + 1)
    )
    bodies = tuple(tf.Body(name=f"link{j}", inertia=inertia) for j in range(1, count + 1))
    return tf.Robot(name="chain", joints=joints, bodies=bodies)
