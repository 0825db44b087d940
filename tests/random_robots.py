"""Random robots: trees of any joints, with the special cases that break formulas; their states; how many are tried."""

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tauforge import Base, Body, Inertia, Joint, Robot, Tendon, symbol
from tauforge.robot.body import NO_LIFT
from tauforge.robot.kinds import FIXED, FLOATING, KINDS, REVOLUTE, SPHERICAL
from tauforge.spatial.vector import Vector

ANGLES = (0.0, 0.0, math.pi / 2, -math.pi / 2, math.pi)
GOLDEN = (math.sqrt(5) - 1) / 2
OTHERS = tuple(kind.number for kind in KINDS if kind.number > FIXED)
"""Kinds of joints that are not in the papers' tables."""
GRAVITIES = ((0.0, 0.0, -9.81), (9.81, 0.0, 0.0), (0.0, 0.0, 0.0))


def random_robot(
    seed: int,
    *,
    smallest: int = 1,
    largest: int = 8,
    symbolic: bool = False,
    fixed: bool = True,
    rotors: bool = False,
    several: bool = False,
    floating: bool = False,
    equipped: bool = False,
) -> Robot:
    """Return a robot that depends on the seed alone, its axes often parallel, perpendicular or meeting.

    ``several`` gives it joints of all kinds and frames at any pose, ``floating`` a floating base,
    ``equipped`` friction and springs.
    """
    random = Random(seed)
    count = random.randint(smallest, largest)
    serial = random.random() < 0.5
    prismatic = random.choice((0.0, 0.2, 0.5))
    special = random.choice((0.3, 0.7, 1.0))  # how often an angle is special and a length zero

    def angle(name: str) -> object:
        if random.random() < special:
            return random.choice(ANGLES)
        return symbol(name) if symbolic and random.random() < 0.3 else random.uniform(-3, 3)

    def length(name: str) -> object:
        if random.random() < special * 0.7:
            return 0.0
        return symbol(name) if symbolic else random.uniform(-1, 1)

    joints, bodies = [], []
    for j in range(1, count + 1):
        antecedent = j - 1 if serial else random.randint(max(0, j - 4), j - 1)
        kind = 2 if fixed and random.random() < 0.08 else 1 if random.random() < prismatic else 0
        if several and random.random() < min(0.3, 2 / count):
            kind = random.choice(OTHERS)
        in_line = serial and random.random() < 0.7
        joints.append(
            Joint(
                name=f"joint{j}",
                antecedent=antecedent,
                sigma=kind,
                gamma=0.0 if in_line else angle(f"GA{j}"),
                b=0.0 if in_line else length(f"B{j}"),
                alpha=angle(f"AL{j}"),
                d=length(f"D{j}"),
                e=length(f"E{j}") if several else 0.0,
                theta=angle(f"TH{j}"),
                r=length(f"RL{j}"),
                **{key: length(f"{key}{j}") for key in KINDS[kind].parameters},
                IA=(symbol(f"IA{j}") if symbolic else random.uniform(0.1, 1))
                if rotors and random.random() < 0.7
                else 0.0,
            )
        )
        bodies.append(Body(name=f"link{j}", inertia=_symbols(j) if symbolic else _solid(random)))
    gravity = random.choice((*GRAVITIES, *([tuple(random.uniform(-9, 9) for _ in range(3))] * 2)))
    robot = Robot(name=f"random{seed}", joints=tuple(joints), bodies=tuple(bodies), gravity=Vector(*gravity))
    if equipped:
        robot = _equipped(robot, random)
    trunk = Body(name="trunk", inertia=_symbols(0) if symbolic else _solid(random))
    return replace(robot, base=Base(floating=True, body=trunk)) if floating else robot


def random_tree(seed: int, largest: int = 25) -> Robot:
    """Return a tree of two or more bodies, most often few, with joints of all kinds; each third has a floating base.

    Seeds in a row are spread evenly over all sizes, by multiples of the golden ratio. Something can move, as Pinocchio
    fails on models that cannot.
    """
    size = 2 + int((largest - 1) * (seed * GOLDEN % 1) ** 4)
    robot = random_robot(seed, smallest=size, largest=size, rotors=True, several=True, floating=seed % 3 == 0)
    return robot if robot.dof else replace(robot, joints=(replace(robot.joints[0], sigma=REVOLUTE), *robot.joints[1:]))


def _symbols(j: int) -> Inertia:
    return Inertia(*(symbol(f"{name}{j}") for name in Inertia._fields))


def _solid(random: Random) -> Inertia:
    """Return the inertia of a few point masses, which is always physically possible."""
    total = Inertia()
    for _ in range(5):
        total = total.plus(
            Inertia(M=random.uniform(0.1, 2)).shifted(Vector(*(random.uniform(-0.5, 0.5) for _ in range(3))))
        )
    return total


def _equipped(robot: Robot, random: Random) -> Robot:
    """Return the robot with friction in its joints, some of which have a spring, and others no motor; something else
    carries a part of some links.
    """
    joints = []
    for joint in robot.joints:
        spring = {"eta": 1, "k": random.uniform(5, 50), "rest": random.uniform(-1, 1)} if len(joint.axes) == 1 else {}
        friction = {"FV": random.uniform(0, 1), "FS": random.choice((0.0, random.uniform(0, 1)))}
        joints.append(replace(joint, **friction, **random.choice(({}, spring, {"mu": 0}))))
    lifts = [random.choice((NO_LIFT, tuple(random.uniform(-1, 1) for _ in NO_LIFT))) for _ in robot.bodies]
    bodies = (replace(body, lift=lift) for body, lift in zip(robot.bodies, lifts, strict=True))
    return replace(robot, joints=tuple(joints), bodies=tuple(bodies))


def with_tendons(robot: Robot, seed: int, heavy: bool = True) -> Robot:
    """Return the robot with one or two tendons along up to three of its joints; the first has inertia if asked."""
    random = Random(seed)
    single = [j for j, joint in enumerate(robot.joints, 1) if len(joint.axes) == 1]

    def some() -> list[int]:
        return random.sample(single, random.randint(1, min(3, len(single))))

    tendons = [
        Tendon(
            name=f"tendon{t}",
            joints=tuple((j, random.uniform(-2, 2)) for j in some()),
            IA=random.uniform(0.1, 1) if heavy and not t else 0.0,
            FV=random.uniform(0, 1),
            FS=random.uniform(0, 1),
            k=random.uniform(1, 9),
            rest=random.uniform(-1, 1),
        )
        for t in range(random.randint(1, 2) if single else 0)
    ]
    return replace(robot, tendons=tuple(tendons))


def random_state(robot: Robot, seed: int) -> tuple[list[float], list[float], list[float]]:
    """Return coordinates, with unit quaternions, velocities and accelerations."""
    random, robot = Random(seed), robot.expanded()
    qd, qdd = ([random.uniform(-2, 2) for _ in range(robot.dof)] for _ in range(2))
    q: list[float] = []
    for joint in robot.joints:
        own = [random.uniform(-2, 2) for _ in joint.kind.coordinates]
        if joint.sigma in (SPHERICAL, FLOATING):
            length = math.hypot(*own[-4:])
            own[-4:] = [x / length for x in own[-4:]]
        q += own
    return q, qd, qdd


def seeds(quick: int, all: int) -> pytest.MarkDecorator:
    """Run a test with that many seeds, those beyond the quick ones in the long runs only."""
    slow = pytest.mark.slow
    return pytest.mark.parametrize("seed", [pytest.param(i, marks=[slow] if i >= quick else []) for i in range(all)])


def trees(
    quick: int, all: int, largest: int = 4, **options: object
) -> Callable[[Callable[[Robot], None]], Callable[[int], None]]:
    """Run a test on that many random robots, which Hypothesis chooses and makes simple where it fails.

    More than the quick ones are for the long runs. An option is a value or a strategy that gives one.
    """

    def sized(seed: int, size: int, **others: bool) -> Robot:
        return random_robot(seed, smallest=size, largest=size, **others)

    choices = {key: x if isinstance(x, st.SearchStrategy) else st.just(x) for key, x in options.items()}
    robots = st.builds(sized, st.sampled_from(range(10**6)), st.sampled_from(range(1, largest + 1)), **choices)

    def decorate(test: Callable[[Robot], None]) -> Callable[[int], None]:
        @pytest.mark.parametrize("examples", [quick, pytest.param(all, marks=pytest.mark.slow)])
        def run(examples: int) -> None:
            settings(max_examples=examples, deadline=None)(given(robots.filter(lambda robot: robot.dof))(test))()

        return run

    return decorate


def free_bodies(count: int) -> Robot:
    """Return bodies that move freely, each by itself."""
    joints = tuple(Joint(name=f"joint{j}", antecedent=0, sigma=FLOATING) for j in range(count))
    inertia = Inertia(0.2, 0.01, 0.02, 0.3, 0.01, 0.1, 0.05, 0.01, 0.02, 1.0)
    return Robot(name="bodies", joints=joints, bodies=tuple(Body(name=joint.name, inertia=inertia) for joint in joints))
