"""The choices that make a Program cheap, in the order in which they are made.

1. frames: a robot with free frames, as it is or re-framed, whichever costs less;
2. grouping: which inertial parameters the model uses;
3. method: a model that can be computed in several ways takes the ``cheapest``;
4. passes: rewrites of the finished graph, when ``Program.optimise`` asks for them.

A model makes the first three by itself, so you count, write and compile the same Program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import CertificationError, ExpressionError, ProgramError, TauforgeError
from ..graph.collector import collector_paused
from ..graph.node import Node, is_zero
from .program import Program
from .recipe import Recipe, derived

if TYPE_CHECKING:
    from ..robot.robot import Robot
    from .accuracy import Accuracy
    from .certify import Certificate

AUTO, STANDARD, BASE, LEAST = "auto", "standard", "base", "least"
"""The sets of inertial parameters that a model can use."""

LONG = 24
"""Number of links in a chain beyond which grouping does not pay: it adds up the masses of all links that follow, which
costs digits and time; it makes links differ that a loop could have computed; and 30 links were no faster."""

LARGE = 20_000
"""Number of values in a Program beyond which only the way in which it was made is searched from."""
NEAR = 1.05
"""How much more than the cheapest way another one may cost to be tried too: it can lead to less in the end."""
TRIED = 3
"""How many ways are tried, by a short search each."""

REFRAMED = "Links have different frames from those in the description, which saves operations; torques are the same."
MOVED = (
    "The base parameters are those in these frames, tf.base_parameters(robot.reframed). With reframe=False they are "
    "those of tf.base_parameters(robot) and of the regressor's columns."
)
GROUPED = "Inertial parameters are grouped, which saves operations; torques are the same."


class Way(NamedTuple):
    """A robot, the options for its model, and notes for the head of its code."""

    robot: Robot
    options: dict[str, Any]
    notes: tuple[str, ...] = ()


@collector_paused()
def made(
    recipe: Recipe, build: Callable[..., Program], groups: str | None, reframes: bool, robot: Robot | None = None
) -> Program:
    """Return the cheapest Program of a recipe.

    Parameters
    ----------
    build
        Builds the model's Program from a robot, once all choices but the method have been made.
    groups
        When the model takes grouped parameters: "auto", by itself; "asked", on request; "never"; or None if ``build``
        handles the option ``parameters``.
    reframes
        Whether the model has the option ``reframe``.
    robot
        What the model uses of the recipe's robot; by default the whole robot.
    """
    ways = [Way(robot or recipe.robot, dict(recipe.options))]
    if reframes:
        ways = frames(ways[0])
    if groups:
        ways = [each for way in ways for each in groupings(way, groups, recipe.model)]
    return cheapest(_noted(build(way.robot, **way.options), way.notes) for way in ways).marked(recipe=recipe)


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
    moved = (MOVED,) if REFRAMED in way.notes and parameters == BASE else ()
    ways = [
        Way(grouped, options, (*way.notes, GROUPED, *moved)) if grouped is not robot else as_given
        for grouped in _grouped(robot, parameters, tips)
    ]
    return ways if parameters != AUTO or ways[0].robot is robot else _worth_trying([*ways, as_given])


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


def _noted(program: Program, notes: tuple[str, ...]) -> Program:
    """Return the Program with notes at the head of its code."""
    return program.marked(heading=partial(_heading, program.heading, notes)) if notes else program


def _heading(heading: Callable[[], tuple[str, ...]], notes: tuple[str, ...]) -> tuple[str, ...]:
    return (*notes, "", *heading())


def cheapest(programs: Iterable[Program]) -> Program:
    """Return the cheapest of several equal Programs."""
    ways = list(programs)
    return ways[0] if len(ways) == 1 else min(ways, key=lambda way: way.count().total)


@collector_paused()
def optimised(program: Program, effort: str | float, objective: str, seed: int) -> Program:
    """Do what ``Program.optimise`` promises."""
    from .accuracy import Accuracy
    from .network.cost import OBJECTIVES
    from .saved import kept
    from .search import EFFORTS, LONG_ENOUGH, effort_of, found

    if objective not in OBJECTIVES:
        raise ProgramError(f"objective is {objective!r}; it must be one of {', '.join(map(repr, OBJECTIVES))}")
    aim, limits, accuracy = OBJECTIVES[objective], effort_of(effort), Accuracy(program)
    long = limits.rounds >= LONG_ENOUGH and len(program.order) > 1
    starts = _starts(program, aim.measure, accuracy)[: TRIED if long else 1]

    def search() -> Program:
        start = starts[0]
        if len(starts) > 1:
            tried = ([way, *found(way, EFFORTS["quick"], aim, seed, accuracy)][-1] for way in starts)
            start = min(tried, key=aim.measure)
        return certified(program, [starts[0], start, *found(start, limits, aim, seed, accuracy)])

    best = kept(program, starts, (limits, objective, seed), search) if long else search()
    proof = None if best is program else _proof(program, best)
    if proof is None:
        return program
    before, after = program.count().total, best.count().total
    note = f"Optimised for {objective}: {before} operations became {after}. Certified against those before: {proof}."
    options = {"effort": effort, "objective": objective, "seed": seed}
    return _noted(best, (note,)).marked(recipe=derived(Program.optimise, program, options=options))


def _starts(program: Program, measure: Callable[[Program], float], accuracy: Accuracy) -> list[Program]:
    """Return Programs to search from, the cheapest first: this one, made in all ways that its recipe leaves open."""
    ways = {
        _outputs(way): way for way in [*_made_again(program), program]
    }  # as given, if a way leads to the same graph
    least = min(map(measure, ways.values()))
    near = sorted((way for way in ways.values() if measure(way) <= NEAR * least), key=measure)
    return [way for way in near if way is program or accuracy.allows(way)] or [program]


def certified(program: Program, ways: Iterable[Program]) -> Program:
    """Return the last of several Programs that is proved equal to another one, or that one if none is."""
    return next((way for way in reversed([*ways]) if way is program or _proof(program, way)), program)


def _proof(program: Program, way: Program) -> Certificate | None:
    """Return the proof that two Programs are equal; None if there is none."""
    way.check()
    try:
        return program.certify(way)
    except CertificationError:
        return None


def _made_again(program: Program) -> Iterator[Program]:
    """Yield the Program as its recipe can make it too: with values given to the robot, by other algorithms."""
    recipe = program.recipe if len(program.order) <= LARGE else None
    try:
        bound = recipe and recipe.bound()
    except TauforgeError:  # values that no robot can have
        bound = recipe
    more = {"parameters": (AUTO, LEAST)} if bound and not program.parameters and not bound.robot.loops else {}
    for way in [bound, *bound.ways(more)] if bound else []:
        try:
            made = program if way is recipe else way.program()
        except TauforgeError:  # there is no such way for this robot
            continue
        if _arrays(made) == _arrays(program):
            yield made


def _outputs(program: Program) -> tuple[Node, ...]:
    return tuple(node for array in program.results.values() for node in array.nodes)


def _arrays(program: Program) -> list[list[tuple[str, tuple[int, ...], tuple[tuple[str, ...], ...]]]]:
    """Return names, shapes and labels of a Program's inputs and outputs."""
    return [[(name, tuple(x), x.labels) for name, x in arrays.items()] for arrays in (program.inputs, program.outputs)]


def _grouped(robot: Robot, parameters: str, tips: bool) -> list[Robot]:
    """Return the robot with base parameters; for "auto", grouped by the closed-form rules if that pays, both ways."""
    name = f"{parameters} {tips}"
    if name not in robot.known:
        from ..parameters.base import base_parameters, by_rules

        if parameters == AUTO and not _is_groupable(robot):
            return [robot]
        try:
            found = by_rules(robot) if parameters == AUTO else base_parameters(robot)
            forms = [found] if parameters == BASE else [found.least(tips=tips, masses=parameters == LEAST)]
            forms += [found] if parameters == AUTO else []
            robot.known[name] = [form.robot.derived(name=robot.name) for form in forms]
        except ExpressionError:  # sums of parameters are too large for a float
            if parameters != AUTO:
                raise
            return [robot]
    return robot.known[name]


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
