"""Random parallel robots: legs of any architecture at random points, with reduced mobility, with redundant motors."""

import math
from random import Random

import numpy as np

import tauforge as tf
from tauforge.models.loops.search import mechanism_of
from tauforge.spatial.vector import Vector

SPATIAL = ("UPS", "RUS", "PUS", "RRRS", "PRRS", "URS")
TRANSLATING = ("RRPaR", "PRPaR", "RUS", "PUS")
PLANAR = ("RRR", "PRR", "RPR")


def random_parallel(seed, mobility=None, more=0):
    """Return a parallel robot with "floating", "translation" or "planar" platform, and ``more`` legs than it needs."""
    random = Random(seed)
    joint = mobility or random.choice(("floating", "translation", "planar"))
    count = (6 if joint == "floating" else 3) + more
    height = 0.0 if joint == "planar" else 0.9
    legs = [_leg(random, joint, height, 2 * math.pi * k / count) for k in range(count)]
    platform = tf.Body(name="platform", inertia=_link(random))
    gravity = tuple(random.uniform(-9, 9) for _ in range(3))
    return tf.parallel_robot(platform, legs, joint=joint, home=(0.1, 0.0, height), name=f"p{seed}", gravity=gravity)


def _leg(random, joint, height, angle):
    words = {"floating": SPATIAL, "translation": TRANSLATING, "planar": PLANAR}[joint]
    word = random.choice(words)

    def near(radius, z, angle):
        spread = 0.08
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        if joint == "planar":
            return (x + random.uniform(-spread, spread), y + random.uniform(-spread, spread), 0.0)
        return tuple(c + random.uniform(-spread, spread) for c in (x, y, z))

    turned = angle + random.choice((-0.5, 0.5))
    letters = word.replace("_", "").replace("Pa", "Q")
    places = sum(letter != "P" for letter in letters)
    across = (-math.sin(angle), math.cos(angle), 0.0)
    rays = np.linspace(1.0, 0.0, places)
    points = [near(0.4 + 0.6 * t, height * (1 - t), turned * (1 - t) + angle * t) for t in rays]
    side = random.choice((-0.3, 0.3))  # so that the leg is bent
    points[1:-1] = [tuple(a + side * b for a, b in zip(point, across, strict=True)) for point in points[1:-1]]
    if "Q" in letters:  # the parallelogram is on the elbow
        points[-3 if letters[-1] != "Q" and places > 3 else 0] = points[-2]
    axes = [None] * len(letters)
    for k, letter in enumerate(letters):
        if letter == "R":
            axes[k] = (0.0, 0.0, 1.0) if joint == "planar" else across
            if joint == "floating":
                axes[k] = tuple(x + random.uniform(-0.6, 0.6) for x in across)
        if letter == "P" and k == 0:
            axes[k] = (math.cos(turned), math.sin(turned), 0.0 if joint == "planar" else random.uniform(-0.5, 1.0))
    links = [_link(random) for _ in letters[:-1]]
    motor = {key: random.uniform(0.0, 0.3) for key in ("IA", "FV")}
    return tf.leg(word, points, axes=axes, links=links, width=random.choice((0.0, 0.1)), **motor)


def _link(random):
    mass = random.uniform(0.2, 1.0)
    about_com = tf.Inertia(*(mass * x for x in (0.12, 0.01, -0.01, 0.14, 0.02, 0.11)), 0.0, 0.0, 0.0, mass)
    return about_com.shifted(Vector(*(random.uniform(-0.1, 0.2) for _ in range(3))))


def platform_of(robot):
    """Return the names of the joints that move the platform."""
    return tuple(name for name in robot.joint_names if name.startswith("platform"))


def states(robot, count, seed, reach=0.05):
    """Return closed states with the platform near home, for a robot whose platform's joints are independent."""
    rng, home = np.random.default_rng(seed), neutral(robot)
    axes = robot.tree().velocity_names
    places = [k for k, name in enumerate(axes) if name.startswith("platform")]
    found = []
    for _ in range(count):
        step = np.zeros(len(axes))
        step[places] = rng.uniform(-reach, reach, len(places))
        found.append(mechanism_of(robot).step(home[None], step[None])[0])
    guess = np.array(found)
    kept = [k for k, name in enumerate(robot.coordinate_names) if name.startswith("platform")]
    return tf.close_loops(robot, guess[:, kept], guess=guess)


def neutral(robot):
    """Return the coordinates where every joint is at zero."""
    return np.array([x for joint in robot.joints if not joint.mimic for x in joint.kind.neutral])
