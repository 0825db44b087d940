"""Links and joints have numbers: loops, mimic joints, frames and tendons mean the same ones in each derived robot."""

from dataclasses import replace
from pathlib import Path
from random import Random

import tauforge as tf
from tauforge.robot.joint import FIXED, Mimic
from tests.random_robots import random_robot, seeds, with_tendons

SR400 = Path(__file__).parents[1] / "formats/data/SR400.par"


def linked(seed, prefix=""):
    """Return a tree with loops, frames, tendons and a joint that follows another."""
    random = Random(seed)
    robot = with_tendons(random_robot(seed, smallest=4, largest=8, several=seed % 2 == 1, floating=seed % 4 == 0), seed)
    count, joints = len(robot.joints), list(robot.joints)
    single = [j for j, joint in enumerate(joints, 1) if len(joint.axes) == 1]
    if len(single) > 1:
        joints[single[0] - 1] = replace(joints[single[0] - 1], mimic=Mimic(joint=single[-1], ratio=2.0, offset=0.1))

    def place():
        return {"antecedent": random.randint(0, count), "d": random.uniform(-1, 1), "alpha": random.uniform(-1, 1)}

    def fixed(name):
        return tf.Joint(name=prefix + name, sigma=FIXED, mu=0, **place())

    loops = [
        tf.Loop(joint=tf.Joint(name=f"{prefix}cut{k}", mu=0, **place()), frame=fixed(f"end{k}"))
        for k in range(random.randint(1, 3))
    ]
    base = replace(robot.base, body=robot.base.body or tf.Body(name="trunk"))
    frames = (fixed("tool"), fixed("camera"))
    return replace(robot, joints=tuple(joints), loops=tuple(loops), frames=frames, base=base)


def meant(robot):
    """Return what each number stands for: by the name of what has it, the name of the joint or the link."""
    links = [robot.base.body.name if robot.base.body else "base", *(body.name for body in robot.bodies)]
    joints = ["", *(joint.name for joint in robot.joints)]
    cuts = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    found = {("stands on", joint.name): links[joint.antecedent] for joint in (*robot.joints, *cuts)}
    found |= {("is on", frame.name): links[frame.antecedent] for frame in robot.frames}
    found |= {("follows", joint.name): joints[joint.mimic.joint] for joint in robot.joints if joint.mimic}
    return found | {("pulls", t.name): tuple(joints[j] for j, _ in t.joints) for t in robot.tendons}


def kept(robot, but=()):
    """Return what is meant, fixed links and those of some joints being part of those that they stand on."""
    gone = {joint.name for joint in robot.joints if joint.sigma == FIXED} | set(but)
    found, links = meant(robot), {body.name: joint.name for joint, body in zip(robot.joints, robot.bodies, strict=True)}

    def owner(link):
        return owner(found["stands on", links[link]]) if links.get(link) in gone else link

    on_links = ("stands on", "is on")
    return {key: owner(x) if key[0] in on_links else x for key, x in found.items() if key[1] not in gone}


@seeds(quick=30, all=300)
def test_a_floating_base(seed):
    robot = linked(seed)
    floating = robot.with_base("floating")
    assert meant(floating) == meant(robot)
    if floating is robot and not robot.base.floating:  # its first link floats already
        assert meant(robot.with_base("fixed")).items() >= kept(robot, [robot.joints[0].name]).items()
        return
    assert meant(floating.with_base("fixed")) == meant(robot)
    whole = floating.expanded()
    assert meant(whole) == meant(robot) | {("stands on", "base"): "base"}
    replace(whole)  # which checks it


@seeds(quick=30, all=300)
def test_merging_and_locking(seed):
    robot = linked(seed)
    assert meant(robot.merged()).items() >= kept(robot).items()
    followed = {joint.mimic.joint for joint in robot.joints if joint.mimic}
    free = [joint.name for j, joint in enumerate(robot.joints, 1) if len(joint.axes) == 1 and not joint.mimic]
    held = [name for name in free if robot.joints[min(followed, default=1) - 1].name != name][:1]
    locked = replace(robot, tendons=()).lock(dict.fromkeys(held, 0.3))
    assert meant(locked).items() >= kept(replace(robot, tendons=()), held).items()


@seeds(quick=30, all=300)
def test_attaching_and_frames_as_links(seed):
    robot, other = linked(seed), linked(seed + 1, prefix="own_")
    other = replace(other, base=tf.Base(), gravity=robot.gravity)
    whole, place = robot.attach(other, at="tool", name="second"), meant(robot)["is on", "tool"]
    assert meant(whole).items() >= meant(robot).items()
    taken = {x.name for x in (*robot.joints, *robot.bodies, *robot.tendons, *robot.frames)}

    def name(x):
        return f"second_{x}" if x in taken else x

    for (what, own), x in meant(other).items():
        expected = tuple(map(name, x)) if what == "pulls" else place if x == "base" else name(x)
        assert meant(whole)[what, name(own)] == expected
    assert meant(robot.with_frames("tool")).items() >= meant(robot).items()
    tree = meant(robot.tree())
    assert tree == {key: x for key, x in meant(robot).items() if key in tree}


def test_the_loops_of_the_sr400():
    robot = tf.load(SR400)
    assert [(loop.joint.antecedent, loop.frame.antecedent) for loop in robot.loops] == [(8, 3)]
    whole = robot.with_base("floating").expanded()
    assert [(loop.joint.antecedent, loop.frame.antecedent) for loop in whole.loops] == [(9, 4)]
