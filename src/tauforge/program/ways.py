"""The ways to make a model that differ in frames and inertial parameters, all with the same results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..errors import ExpressionError, ProgramError
from ..graph.node import is_zero

if TYPE_CHECKING:
    from ..graph.node import Node
    from ..robot.robot import Robot

AUTO, STANDARD, BASE, LEAST = "auto", "standard", "base", "least"
"""The sets of inertial parameters that a model can use."""

LONG = 24
"""Number of links in a chain beyond which grouping does not pay: it adds up the masses of all links that follow, which
costs digits and time; it makes links differ that a loop could have computed; and 30 links were no faster."""

REFRAMED = "Links have different frames from those in the description, which saves operations; torques are the same."
MOVED = (
    "The base parameters are those in these frames, tf.base_parameters(robot.reframed). With reframe=False they are "
    "those of tf.base_parameters(robot) and of the regressor's columns."
)
GROUPED = "Inertial parameters are grouped, which saves operations; torques are the same."


class BaseSet(Protocol):
    """What a model needs of ``tf.BaseParameters``."""

    @property
    def of(self) -> Robot: ...
    @property
    def robot(self) -> Robot: ...
    @property
    def relations(self) -> Mapping[str, Node]: ...
    @property
    def turned(self) -> frozenset[int]: ...
    @property
    def shifted(self) -> frozenset[int]: ...
    @property
    def of_tree(self) -> bool: ...


class Way(NamedTuple):
    """A robot, the options for its model, notes for the head of its code, and its base parameters, if you asked for
    some.
    """

    robot: Robot
    options: dict[str, Any]
    notes: tuple[str, ...] = ()
    base: BaseSet | None = None


def ways(
    robot: Robot,
    options: Mapping[str, Any],
    model: str,
    groups: str | None,
    reframes: bool,
    of: Callable[[Robot], Robot] | None,
) -> list[Way]:
    """Return the ways to make a model; ``optimise.made`` explains the arguments."""
    used, given = of(robot) if of else robot, dict(options)
    if groups and _is_set(given.get("parameters", AUTO)):
        return [_chosen(robot, used, given, groups, model, of)]
    found = frames(Way(used, given)) if reframes else [Way(used, given)]
    return [each for way in found for each in groupings(way, groups, model)] if groups else found


def _is_set(parameters: object) -> bool:
    """Tell whether an option is a set of base parameters, and not the word for one."""
    if isinstance(parameters, str):
        return False
    from ..parameters.base import BaseParameters

    return isinstance(parameters, BaseParameters)


def _chosen(
    robot: Robot, used: Robot, options: dict[str, Any], groups: str, model: str, of: Callable[[Robot], Robot] | None
) -> Way:
    """Return the way with base parameters that were chosen beforehand."""
    base: BaseSet = options.pop("parameters")
    options.pop("reframe", None)
    _check(BASE, groups, model, used)
    if base.of not in (robot, used, robot.reframed, used.reframed):
        raise ProgramError(f"parameters are those of {base.of.name}, another robot than {robot.name}")
    if _in_all_coordinates(robot, options) and not base.of_tree:
        raise ProgramError(
            f"parameters are those of {base.of.name} with its loops closed; in all coordinates, {model} needs those of "
            f"the tree, which parameters={BASE!r} finds"
        )
    if options.get("external_wrenches") and (base.turned or base.shifted):
        raise ProgramError(
            f"parameters have other frames on last links of {robot.name}, in which external wrenches are given; take "
            "those of least(tips=False)"
        )
    notes = (REFRAMED, GROUPED, MOVED) if base.of in (robot.reframed, used.reframed) and base.of != used else (GROUPED,)
    grouped = base.robot.derived(name=robot.name)
    return Way(of(grouped) if of else grouped, options, notes, base)


def frames(way: Way) -> list[Way]:
    """Return the ways to place the links' frames: as given, and re-framed if that could cost less.

    Re-framing merges fixed links, so a robot that has some keeps its frames if each link has its own wrench.
    """
    robot, options = way.robot, {key: x for key, x in way.options.items() if key != "reframe"}
    as_given = Way(robot, options)
    if not way.options.get("reframe", True) or robot.reframed is robot:
        return [as_given]
    if options.get("external_wrenches") is True and len(robot.reframed.bodies) < len(robot.bodies):
        return [as_given]
    return [Way(robot.reframed, options, (REFRAMED,)), as_given]


def groupings(way: Way, groups: str, model: str) -> list[Way]:
    """Return the ways to choose inertial parameters: as asked for, or grouped if that may cost less.

    Grouping fills zeros, such as those of point masses. If it leaves no fewer parameters, those given are tried too.
    """
    robot, options = way.robot, {key: x for key, x in way.options.items() if key != "parameters"}
    parameters = way.options.get("parameters", AUTO)
    _check(parameters, groups, model, robot)
    as_given = Way(robot, options, way.notes)
    if parameters == STANDARD or (parameters == AUTO and groups != AUTO):
        return [as_given]
    tips = not options.get("external_wrenches")
    moved = (MOVED,) if REFRAMED in way.notes and parameters != AUTO else ()
    ways = [
        Way(grouped, options, (*way.notes, GROUPED, *moved), base if parameters != AUTO else None)
        for grouped, base in _grouped(robot, parameters, tips, _in_all_coordinates(robot, options))
    ]
    return ways if parameters != AUTO else _worth_trying([*ways, as_given])


def _check(parameters: object, groups: str, model: str, robot: Robot) -> None:
    """Refuse parameters that a model cannot use."""
    if parameters not in (AUTO, STANDARD, BASE, LEAST):
        raise ProgramError(f"parameters is {parameters!r}; it must be 'auto', 'standard', 'base' or 'least'")
    if parameters in (AUTO, STANDARD):
        return
    if groups == "never":
        raise ProgramError(
            f"{model} needs the standard parameters: base parameters shift mass between links, which leaves only "
            "torques unchanged"
        )
    if groups != AUTO and not robot.base.is_still:
        raise ProgramError(
            f"{model} needs the standard parameters where the base moves: base parameters are those of the torques, "
            "which do not distinguish that motion from gravity"
        )


def _worth_trying(ways: list[Way]) -> list[Way]:
    """Return those ways that have fewer parameters than all ways before them, or as many as none before: the first."""
    return [way for i, way in enumerate(ways) if all(_filled(way.robot) < _filled(x.robot) for x in ways[:i])]


def _filled(robot: Robot) -> int:
    """Return how many inertial parameters of a robot are not zero."""
    return sum(not is_zero(x) for body in robot.expanded().bodies for x in body.inertia)


def _in_all_coordinates(robot: Robot, options: Mapping[str, Any]) -> bool:
    return bool(robot.loops) and options.get("coordinates") == "all"


def _grouped(robot: Robot, parameters: str, tips: bool, opened: bool) -> list[tuple[Robot, BaseSet]]:
    """Return the robot with sets of base parameters, and these; for "auto", grouped by the closed-form rules, and
    nothing if that cannot pay.
    """
    name = f"{parameters} {tips} {opened}"
    if name not in robot.known:
        if parameters == AUTO and not _is_groupable(robot):
            return []
        try:
            robot.known[name] = [(x.robot.derived(name=robot.name), x) for x in _sets(robot, parameters, tips, opened)]
        except ExpressionError:  # sums of parameters are too large for a float
            if parameters != AUTO:
                raise
            return []
    return robot.known[name]


def _sets(robot: Robot, parameters: str, tips: bool, opened: bool) -> Sequence[BaseSet]:
    """Return the sets of base parameters that a word can mean: the model decides which of them costs least."""
    from ..parameters.base import base_parameters, by_rules, grouped

    if parameters == AUTO:
        found = by_rules(robot)
        return [found.least(tips=tips, masses=False), found]
    found = grouped(robot, of_tree=True) if opened else base_parameters(robot)
    return [found] if parameters == BASE else found.sets(tips=tips)


def _is_groupable(robot: Robot) -> bool:
    """Tell whether grouping the parameters of a robot pays: all are numbers, not all zero, and the chains are not too
    long.
    """
    if robot.symbols:
        return False
    whole = robot.expanded()
    depth = [0]
    for joint in whole.joints:
        depth.append(depth[joint.antecedent] + 1)
    return max(depth) <= LONG and any(not is_zero(x) for body in whole.bodies for x in body.inertia)
