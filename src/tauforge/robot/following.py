"""Joints that follow others: names as numbers, and chains of followers as sums of the joints that lead them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..errors import RobotError, suggestion
from .joint import Joint, Mimic

if TYPE_CHECKING:
    from .robot import Robot
    from .tendon import Tendon


def numbered(robot: Robot) -> tuple[tuple[Joint, ...], tuple[Tendon, ...]]:
    """Return joints and tendons with numbers in place of the names of the joints that they follow or act on."""
    named = [joint.mimic.of for joint in robot.joints if joint.mimic] + [tendon.joints for tendon in robot.tendons]
    if not any(isinstance(key, str) for pairs in named for key, _ in pairs):
        return robot.joints, robot.tendons
    numbers = {joint.name: j for j, joint in enumerate(robot.joints, 1)}

    def number(what: str, key: int | str) -> int:
        if isinstance(key, int):
            return key
        if key not in numbers:
            raise RobotError(f"{robot.name}: {what} {key!r}, which is not a joint; {suggestion(key, (*numbers,))}")
        return numbers[key]

    def with_numbers(joint: Joint) -> Joint:
        what = f"joint {joint.name!r} follows"
        return replace(joint, mimic=joint.mimic and joint.mimic.renumbered(partial(number, what)))

    tendons = (x.renumbered(partial(number, f"tendon {x.name!r} acts on")) for x in robot.tendons)
    return tuple(map(with_numbers, robot.joints)), tuple(tendons)


def led(robot: Robot) -> tuple[Joint, ...]:
    """Return the joints, each follower following joints that follow none; refuse joints that follow each other."""
    joints = robot.joints
    waiting = {j: joint.mimic for j, joint in enumerate(joints, 1) if joint.mimic}
    if not any(j in waiting for mimic in waiting.values() for j, _ in mimic.of):
        return joints
    followers: dict[int, list[int]] = {}
    for number, mimic in waiting.items():
        for j, _ in mimic.of:
            followers.setdefault(j, []).append(number)
    open_terms = {number: sum(j in waiting for j, _ in mimic.of) for number, mimic in waiting.items()}
    ready, found = [number for number, count in open_terms.items() if not count], list(joints)
    while ready:
        number = ready.pop()
        mimic = _through(waiting.pop(number), [joint.mimic for joint in found])
        found[number - 1] = replace(joints[number - 1], mimic=mimic)
        for other in followers.get(number, ()):
            open_terms[other] -= 1
            if not open_terms[other]:
                ready.append(other)
    if waiting:
        raise RobotError(f"{robot.name}: joints follow each other: {_circle(robot, waiting)}; let one of them lead")
    return tuple(found)


def _through(mimic: Mimic, masters: Sequence[Mimic | None]) -> Mimic:
    """Return how a joint follows the joints that lead those which it follows."""
    offset, terms = mimic.offset, dict[int, float]()
    for j, ratio in mimic.of:
        further = masters[j - 1] or Mimic(joint=j)
        offset += ratio * further.offset
        for k, x in further.of:
            terms[k] = terms.get(k, 0.0) + ratio * x
    return Mimic(tuple(sorted(terms.items())), offset)


def _circle(robot: Robot, waiting: Mapping[int, Mimic]) -> str:
    """Return joints that follow each other, by name."""
    way = [next(iter(waiting))]
    while way[-1] not in way[:-1]:
        way.append(next(j for j, _ in waiting[way[-1]].of if j in waiting))
    circle = way[way.index(way[-1]) :]
    return " follows ".join(repr(robot.joints[j - 1].name) for j in circle)
