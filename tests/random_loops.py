"""Random mechanisms with closed loops: a random tree, closed in a random state by a joint of a random kind."""

from dataclasses import replace
from random import Random

import numpy as np

import tauforge as tf
from tauforge.robot.joint import Joint
from tauforge.robot.kinds import FIXED, KINDS, PRISMATIC, REVOLUTE
from tauforge.robot.loop import Loop
from tauforge.robot.placement import placement
from tauforge.spatial.pose import Pose
from tests.interpret import interpret

HELD = {"revolute": 5, "prismatic": 5, "spherical": 3, "universal": 4, "fixed": 6}
"""How many motions a cut joint takes away."""


def random_mechanism(seed, planar=False):
    """Return a chain of joints that a cut joint closes, and a state in which it is closed."""
    random = Random(seed)
    word = random.choice(["revolute", "prismatic", "fixed"] if planar else list(HELD))
    count = (3 if planar else HELD[word]) + random.randint(1, 2)
    if planar and word != "fixed":
        count -= 1
    split = random.randint(1, count - 1)
    joints, bodies = [], []
    for k in range(count):
        sigma = REVOLUTE if random.random() < 0.8 else PRISMATIC
        geometry = {key: random.uniform(-1.0, 1.0) for key in ("d", "theta", "r")}
        geometry["alpha"] = 0.0 if planar and k != 0 else random.uniform(-2.0, 2.0)
        if planar:
            sigma, geometry["r"] = REVOLUTE, 0.0
            geometry["alpha"] = 0.0
        antecedent = 0 if k in (0, split) else k
        mass = random.uniform(0.5, 2.0)
        inertia = tf.Inertia(
            *(mass * x for x in (1.2, 0.1, -0.1, 1.4, 0.2, 1.1)), *(random.uniform(-0.3, 0.3) for _ in range(3)), mass
        )
        friction = {key: random.uniform(0.0, 0.3) for key in ("IA", "FV")}
        joints.append(
            Joint(name=f"j{k}", antecedent=antecedent, sigma=sigma, mu=int(k != count - 1), **geometry, **friction)
        )
        bodies.append(tf.Body(name=f"l{k}", inertia=inertia))
    tree = tf.Robot(
        name=f"loop{seed}",
        joints=tuple(joints),
        bodies=tuple(bodies),
        gravity=tuple(random.uniform(-9, 9) for _ in range(3)),
    )
    q = np.array([random.uniform(-1.5, 1.5) for _ in joints])
    T = interpret(tf.transforms(tree), q).reshape(-1, 4, 4)
    free = {} if planar else {"alpha": random.uniform(-1, 1), "r": random.uniform(-0.5, 0.5)}
    sigma = next(kind.number for kind in KINDS if kind.word == word)
    if planar and word == "prismatic":
        free = {"alpha": 1.5707963267948966}
    cut = Joint(
        name="cut",
        antecedent=split,
        sigma=sigma,
        mu=0,
        d=random.uniform(-0.5, 0.5),
        theta=random.uniform(-1, 1),
        **free,
    )
    kind = cut.kind
    where = [random.uniform(-1.0, 1.0) for _ in kind.coordinates]
    if word == "spherical":
        where = [x / np.linalg.norm(where) for x in where]
    B = (
        np.linalg.inv(T[count - 1])
        @ T[split - 1]
        @ np.array([float(x) for x in cut.pose(where).homogeneous]).reshape(4, 4)
    )
    frame = placed("cut_frame", count, B)
    return replace(tree, loops=(Loop(joint=cut, frame=frame),)), q


def placed(name, antecedent, T):
    """Return a constant frame at a pose in numbers."""
    return Joint(name=name, antecedent=antecedent, sigma=FIXED, mu=0, **placement(Pose.of(T.ravel().tolist())))
