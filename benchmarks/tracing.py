"""How tracing grows with the number of joints, what a humanoid takes, and how the matrices of many free bodies grow.

Absolute times depend on the machine; that the time for each joint stays the same does not. Run it with ``make bench``.
"""

from __future__ import annotations

import math
from functools import partial
from random import Random

import tauforge as tf
from tauforge.robot.kinds import FLOATING
from tauforge.robot.robot import DOWN

from .startup import best

SIZES = (5, 10, 20, 40, 70, 100)
BODIES = (10, 40, 160)
HUMANOID = ((0, 6), (0, 6), (0, 2), (14, 7), (14, 7), (14, 4))
"""Limbs: the joint that each stands on, and how many it has: 32 joints and the six freedoms of the base."""


def limbs(name: str, chains: tuple[tuple[int, int], ...], floating: bool) -> tf.Robot:
    """Return a robot of chains of revolute joints at odd angles, every inertial parameter a number."""
    random, joints = Random(1), []
    for root, count in chains:
        for k in range(count):
            geometry = {key: random.uniform(-1, 1) for key in ("alpha", "d", "r")}
            geometry["alpha"] = random.choice([0.0, math.pi / 2, -math.pi / 2])
            antecedent = len(joints) if k else root
            joints.append(tf.Joint(name=f"joint{len(joints) + 1}", antecedent=antecedent, **geometry))
    bodies = tuple(_body(f"link{j}", random) for j in range(1, len(joints) + 1))
    base = tf.Base(floating=floating, body=_body("trunk", random)) if floating else tf.Base()
    return tf.Robot(name=name, joints=tuple(joints), bodies=bodies, gravity=DOWN, base=base)


def _body(name: str, random: Random) -> tf.Body:
    return tf.Body(name=name, inertia=tf.Inertia(*(random.uniform(0.1, 1) for _ in tf.Inertia._fields)))


def growth() -> tuple[dict[int, float], float]:
    """Return the milliseconds of tracing inverse dynamics by number of joints, and the fitted exponent."""
    times = {n: best(lambda n=n: tf.inverse_dynamics(limbs("chain", ((0, n),), False)), 5) for n in SIZES}  # type: ignore[misc]
    logs = [(math.log(n), math.log(t)) for n, t in times.items()]
    x, y = (sum(pair[k] for pair in logs) / len(logs) for k in (0, 1))
    return times, sum((a - x) * (b - y) for a, b in logs) / sum((a - x) ** 2 for a, _ in logs)


def free_bodies(count: int) -> tf.Robot:
    """Return bodies that move freely, each by itself: all but a few entries of their matrices are zero."""
    random = Random(1)
    joints = tuple(tf.Joint(name=f"joint{j}", antecedent=0, sigma=FLOATING) for j in range(count))
    bodies = tuple(_body(f"link{j}", random) for j in range(count))
    return tf.Robot(name="bodies", joints=joints, bodies=bodies, gravity=DOWN)


def many_bodies() -> None:
    """Print what models of many free bodies take for each body: the same, however many there are."""
    tf.inertia_matrix(free_bodies(1)).compile(cache=False)  # the kernel, once in a process
    models = {
        "inertia matrix": tf.inertia_matrix,
        "regressor": tf.regressor,
        "derivative by q": lambda robot: tf.inverse_dynamics(robot).derivative("tau", "q"),
    }
    for name, model in models.items():
        for count in BODIES:
            robot = free_bodies(count)
            program = model(robot)
            works = (partial(model, robot), partial(program.compile, cache=False), partial(program.code, "c"))
            times = [best(work, 1) / count for work in works]
            print(f"{name}, {count:3d} bodies: {times[0]:5.1f} + {times[1]:5.1f} + {times[2]:5.1f} ms a body", end="")
            print(" to trace, to compile, for C")


def main() -> None:
    times, exponent = growth()
    for n, t in times.items():
        print(f"inverse dynamics, {n:3d} joints: {t:8.1f} ms, {t / n:5.2f} ms a joint")
    print(f"time grows as the number of joints to the power {exponent:.2f}")
    humanoid = limbs("humanoid", HUMANOID, True)
    print(f"humanoid, {humanoid.expanded().dof} degrees of freedom:")
    for model in (tf.inverse_dynamics, tf.direct_dynamics):
        print(f"  {model.__name__.replace('_', ' ')}: {best(lambda m=model: m(humanoid), 3):.0f} ms")  # type: ignore[misc]
    many_bodies()


if __name__ == "__main__":
    main()
