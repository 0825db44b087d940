"""Random planar loops: any joints that turn or slide in a plane, which is tilted, closed in a random state."""

from dataclasses import replace
from random import Random

import numpy as np

import tauforge as tf
from tauforge.robot.kinds import KINDS, PRISMATIC, REVOLUTE
from tauforge.robot.loop import Loop
from tests.interpret import interpret
from tests.random_loops import placed

SLIDING, TURNED = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), np.diag([1.0, -1, -1])
CUTS = ["revolute", "prismatic", "fixed", "spherical"]


def planar_loop(seed, cuts=CUTS):
    """Return a planar loop with three unknown joints, the cut joint among them if it moves, and a closed state."""
    random = Random(seed)
    cut = random.choice(cuts)
    passive = 3 if cut == "fixed" else 2
    kinds = [random.choice([REVOLUTE, REVOLUTE, PRISMATIC]) for _ in range(passive)]
    if REVOLUTE not in kinds or cut == "prismatic":
        kinds[0] = REVOLUTE
    driven = random.randint(1, 2)
    kinds += [random.choice([REVOLUTE, REVOLUTE, PRISMATIC]) for _ in range(driven)]
    actuated = [0] * passive + [1] * driven
    order = random.sample(range(len(kinds)), len(kinds))
    split = random.randint(1, len(kinds) - 1)
    tilt = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    tilt *= np.sign(np.linalg.det(tilt))
    joints, ways = [], []
    for k, which in enumerate(order):
        parent = 0 if k in (0, split) else k
        before = tilt if parent == 0 else ways[-1].T
        ways.append(SLIDING if kinds[which] == PRISMATIC else random.choice([np.eye(3), TURNED]))
        T = np.eye(4)
        T[:3, :3] = before @ turn(random.uniform(-3, 3)) @ ways[-1]
        flat = [random.choice([-1, 1]) * random.uniform(0.3, 1.0) for _ in range(2)]
        T[:3, 3] = before @ [*flat, random.uniform(-0.3, 0.3)]
        joint = placed(f"j{which}", parent, T)
        joints.append(replace(joint, sigma=kinds[which], mu=actuated[which]))
    bodies = tuple(tf.Body(name=f"l{k}", inertia=tf.Inertia(1, 0, 0, 1, 0, 1, 0.1, 0, 0, 1)) for k in range(len(kinds)))
    tree = tf.Robot(name=f"planar{seed}", joints=tuple(joints), bodies=bodies)
    q = np.array([random.uniform(-2.5, 2.5) if x.sigma == REVOLUTE else random.uniform(-0.5, 0.5) for x in joints])
    poses = interpret(tf.transforms(tree), q).reshape(-1, 4, 4)
    return closed_by(tree, poses, split, cut, ways, random), q


def closed_by(tree, poses, split, cut, ways, random):
    """Return the tree with the loop between the last links of both its chains."""
    A = np.eye(4)
    A[:3, :3] = ways[split - 1].T @ turn(random.uniform(-3, 3)) @ (SLIDING if cut == "prismatic" else np.eye(3))
    A[:3, 3] = ways[split - 1].T @ [random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.3, 0.3)]
    joint = replace(placed("cut", split, A).as_kind(next(x for x in KINDS if x.word == cut)), name="cut")
    frame = np.linalg.inv(poses[-1]) @ poses[split - 1] @ A
    if cut == "spherical":
        frame[:3, :3] = np.linalg.qr(np.random.default_rng(len(tree.name)).normal(size=(3, 3)))[0]
        frame[:3, :3] *= np.sign(np.linalg.det(frame[:3, :3]))
    loop = Loop(joint=joint, frame=placed("cut_frame", len(tree.joints), frame))
    return replace(tree, loops=(loop,))


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
