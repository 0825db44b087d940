"""How the models of mechanisms grow with the number of their closed loops: the time per loop should not.

Four-bars side by side share nothing. A ladder of four-bars is a chain of loops: each shares its rocker with the next,
and one crank moves them all. Run it with ``make bench``, or ``python -m benchmarks.loops 2 20 200``.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

import tauforge as tf
from tauforge.models.loops.freedom import freedom
from tauforge.robot.kinds import FIXED
from tauforge.robot.loop import Loop
from tauforge.robot.robot import DOWN

SIZES = (2, 20, 200)
CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.45
_BAR = tf.Inertia(0.01, 0, 0, 0.1, 0, 0.1, 0.2, 0.05, 0, 1.0)


def side_by_side(count: int) -> tf.Robot:
    """Return four-bars on one ground, each with a motor at its crank."""
    joints, loops = list[tf.Joint](), list[Loop]()
    for k in range(count):
        first = len(joints)
        joints += [
            tf.Joint(name=f"crank{k}", antecedent=0, theta=1.0, IA=0.1),
            tf.Joint(name=f"coupler{k}", antecedent=first + 1, mu=0, d=CRANK, theta=-0.5),
            tf.Joint(name=f"rocker{k}", antecedent=0, mu=0, d=GROUND, theta=1.2),
        ]
        loops.append(_pin(f"pin{k}", first + 2, COUPLER, first + 3, ROCKER))
    return _robot("side by side", joints, loops)


def ladder(count: int) -> tf.Robot:
    """Return four-bars in a row, on one ground: the rocker of each is the crank of the next."""
    joints = [tf.Joint(name="crank", antecedent=0, theta=1.0, IA=0.1)]
    loops, before, length = list[Loop](), 1, CRANK
    for k in range(count):
        first = len(joints)
        joints += [
            tf.Joint(name=f"coupler{k}", antecedent=before, mu=0, d=length, theta=-0.9),
            tf.Joint(name=f"rocker{k}", antecedent=0, mu=0, d=GROUND * (k + 1), theta=1.0),
        ]
        loops.append(_pin(f"pin{k}", first + 1, COUPLER * 0.9, first + 2, CRANK * 1.01))
        before, length = first + 2, CRANK * 1.01
    return _robot("ladder", joints, loops)


def _pin(name: str, a: int, d: float, b: int, e: float) -> Loop:
    joint = tf.Joint(name=name, antecedent=a, mu=0, d=d)
    return Loop(joint=joint, frame=tf.Joint(name=f"{name}_end", antecedent=b, sigma=FIXED, mu=0, d=e))


def _robot(name: str, joints: Sequence[tf.Joint], loops: Sequence[Loop]) -> tf.Robot:
    bodies = tuple(tf.Body(name=f"{joint.name}_link", inertia=_BAR) for joint in joints)
    return tf.Robot(name=name, joints=tuple(joints), bodies=bodies, loops=tuple(loops), gravity=DOWN)


def best(work: Callable[[], object], rounds: int) -> float:
    """Return the shortest of several runs in milliseconds of this thread, which a busy machine hardly changes."""
    found = []
    for _ in range(rounds):
        start = time.thread_time()
        work()
        found.append(time.thread_time() - start)
    return 1e3 * min(found)


def times(build: Callable[[int], tf.Robot], count: int, rounds: int = 0) -> dict[str, float]:
    """Return milliseconds per loop by what is done, each time with a robot that was not seen before."""
    rounds, number = rounds or (5 if count < 50 else 2), itertools.count()

    def fresh() -> tf.Robot:
        return replace(build(count), name=f"{build.__name__}{next(number)}")

    robots = [fresh() for _ in range(rounds)]
    rest = iter(robots)
    found = {"freedom": best(lambda: freedom(next(rest)), rounds)}
    q = freedom(robots[0]).q
    for model in (tf.inverse_dynamics, tf.direct_dynamics):
        word, again = model.__name__.partition("_")[0], iter([fresh() for _ in range(rounds)])
        found[f"trace {word}"] = best(lambda model=model, rest=again: model(next(rest)), rounds)  # type: ignore[misc]
        program = model(robots[0])
        found[f"compile {word}"] = best(lambda program=program: program.compile(cache=False), rounds)  # type: ignore[misc]
        function, qd = program.compile(), np.ones(program.inputs["qd"].size)
        states = np.tile(q, (64, 1))
        run = best(lambda f=function, v=qd, s=states: f(s, v, v, threads=1), 20)  # type: ignore[misc]
        found[f"run {word}, 1000 states"] = run / 64 * 1000
    return {what: time / count for what, time in found.items()}


def main(sizes: Sequence[int] = SIZES, rounds: int = 0) -> None:
    """Print milliseconds per loop for some numbers of loops."""
    for build in (side_by_side, ladder):
        found = {count: times(build, count, rounds) for count in sizes}
        print(f"{build(1).name}: milliseconds per loop for {', '.join(map(str, sizes))} loops")
        for what in found[sizes[0]]:
            row = [each[what] for each in found.values()]
            print(f"  {what:28}" + "".join(f"{x:10.3f}" for x in row) + f"   x {row[-1] / row[0]:.2f}")


if __name__ == "__main__":
    main([int(x) for x in sys.argv[1:]] or SIZES)
