"""Friction of joints that others move: columns of the regressor that depend on others.

A joint that follows another by a ratio adds its friction to the other's: FV times the ratio's square, FS times its
absolute value, the offset FO times the ratio. In closed loops, rates can be proportional too, as in a parallelogram;
this is found by rank, as for inertial parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..models.coordinates import Coordinates
from ..models.inertia_matrix import first_degrees
from ..robot.robot import Robot
from .minimal import Key

LINEAR = ("FV", "FO")
"""Parameters whose columns are smooth functions of the state; FS has those of sign(q̇)."""


def dependent_friction(
    robot: Robot, keys: Sequence[Key], guess: Sequence[float] | None = None
) -> dict[Key, tuple[Key, ...]]:
    """Return the parameters whose columns depend on others, each with those others."""
    return _in_loops(robot, keys, guess) if robot.loops else _of_followers(robot, keys)


def _of_followers(robot: Robot, keys: Sequence[Key]) -> dict[Key, tuple[Key, ...]]:
    tree, first = Coordinates.of_tree(robot), first_degrees(robot)
    if tree.is_identity:
        return {}
    moving = (j for j in tree.independent if robot.joints[j - 1].axes)
    own = {place: j for j in moving for place in tree.movers(first[j])}
    found = dict[Key, tuple[Key, ...]]()
    for name, j in keys:
        others = [(name, own[place]) for place in tree.movers(first[j])]
        if j not in tree.independent and all(key in keys for key in others):
            found[name, j] = tuple(others)
    return found


def _in_loops(robot: Robot, keys: Sequence[Key], guess: Sequence[float] | None) -> dict[Key, tuple[Key, ...]]:
    from .closed import closable, relations

    numeric = closable(robot)
    found = dict[Key, tuple[Key, ...]]()
    wanted = {name for name, _ in keys}
    for name in LINEAR:
        own = [j for key, j in keys if key == ("FS" if name == "FV" and "FV" not in wanted else name)]
        if not own:
            continue
        for (_, j), others in relations(numeric, [(name, j) for j in own], guess).items():
            if name in wanted:
                found[name, j] = tuple(others)
            if name == "FV" and "FS" in wanted and len(others) <= 1:  # the rates of the two joints are proportional
                found["FS", j] = tuple(("FS", i) for _, i in others)
    return found
