"""Random robots: trees of revolute, prismatic and fixed joints, with the special cases that break formulas."""

import math
from random import Random

from tauforge import Body, Inertia, Joint, Robot, symbol
from tauforge.robot.joint import COORDINATES, FLOATING, SPHERICAL
from tauforge.spatial.vector import Vector

ANGLES = (0.0, 0.0, math.pi / 2, -math.pi / 2, math.pi)
GRAVITIES = ((0.0, 0.0, -9.81), (9.81, 0.0, 0.0), (0.0, 0.0, 0.0))


def random_robot(
    seed: int,
    *,
    largest: int = 8,
    symbolic: bool = False,
    fixed: bool = True,
    rotors: bool = False,
    branch_by_branch: bool = False,
    several: bool = False,
) -> Robot:
    """Return a robot that depends on the seed alone, its axes often parallel, perpendicular or meeting.

    ``several`` gives it joints of several degrees of freedom. ``branch_by_branch`` numbers each branch through before
    the next, as Pinocchio's matrices need it.
    """
    random = Random(seed)
    count = random.randint(1, largest)
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
        if branch_by_branch:
            path = [j - 1]
            while path[-1]:
                path.append(joints[path[-1] - 1].antecedent)
            antecedent = min(path, key=lambda i: abs(i - antecedent))
        kind = 2 if fixed and random.random() < 0.08 else 1 if random.random() < prismatic else 0
        if several and random.random() < 0.3:
            kind = random.choice((SPHERICAL, FLOATING))
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
                theta=angle(f"TH{j}"),
                r=length(f"RL{j}"),
                IA=(symbol(f"IA{j}") if symbolic else random.uniform(0.1, 1))
                if rotors and random.random() < 0.7
                else 0.0,
            )
        )
        bodies.append(Body(name=f"link{j}", inertia=_symbols(j) if symbolic else _solid(random)))
    gravity = random.choice((*GRAVITIES, *([tuple(random.uniform(-9, 9) for _ in range(3))] * 2)))
    return Robot(name=f"random{seed}", joints=tuple(joints), bodies=tuple(bodies), gravity=Vector(*gravity))


def _symbols(j: int) -> Inertia:
    return Inertia(*(symbol(f"{name}{j}") for name in Inertia._fields))


def _solid(random: Random) -> Inertia:
    """Return the inertia of a few point masses: always one that a body can have."""
    total = Inertia()
    for _ in range(5):
        total = total.plus(
            Inertia(M=random.uniform(0.1, 2)).shifted(Vector(*(random.uniform(-0.5, 0.5) for _ in range(3))))
        )
    return total


def random_state(robot: Robot, seed: int) -> tuple[list[float], list[float], list[float]]:
    """Return coordinates, with unit quaternions, velocities and accelerations."""
    random = Random(seed)
    qd, qdd = ([random.uniform(-2, 2) for _ in range(robot.dof)] for _ in range(2))
    q: list[float] = []
    for joint in robot.joints:
        own = [random.uniform(-2, 2) for _ in COORDINATES[joint.sigma]]
        if joint.sigma in (SPHERICAL, FLOATING):
            length = math.hypot(*own[-4:])
            own[-4:] = [x / length for x in own[-4:]]
        q += own
    return q, qd, qdd
