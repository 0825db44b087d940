"""The choices that make a Program cheap, in the order in which they are made.

1. frames: a robot with free frames, as it is or re-framed, whichever costs less;
2. grouping: which inertial parameters the model uses;
3. method: a model that can be computed in several ways takes the ``cheapest``;
4. passes: rewrites of the finished graph, when ``Program.optimise`` asks for them.

A model makes the first three by itself, so you count, write and compile the same Program.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import index
from typing import TYPE_CHECKING

from ..errors import CertificationError, ProgramError, TauforgeError
from ..graph.collector import collector_paused
from ..graph.node import Node
from ..graph.text import to_text
from .program import Program
from .recipe import Recipe, derived
from .reciprocals import with_reciprocals, with_sums_divided
from .ways import AUTO, LEAST, BaseSet, ways

if TYPE_CHECKING:
    from ..robot.robot import Robot
    from .accuracy import Accuracy
    from .certify import Certificate

LARGE = 20_000
"""Number of values in a Program beyond which only the way in which it was made is searched from."""
NEAR = 1.05
"""How much more than the cheapest way another one may cost to be tried too: it can lead to less in the end."""
TRIED = 3
"""How many ways are tried, by a short search each."""


@collector_paused()
def made(
    recipe: Recipe,
    build: Callable[..., Program],
    groups: str | None,
    reframes: bool,
    of: Callable[[Robot], Robot] | None = None,
) -> Program:
    """Return the cheapest Program of a recipe.

    Base parameters that you asked for by a word become a part of the Program's recipe: what is made from it, such as a
    derivative, takes the same ones.

    Parameters
    ----------
    build
        Builds the model's Program from a robot, once all choices but the method have been made.
    groups
        When the model takes grouped parameters: "auto", by itself; "asked", on request; "never"; or None if ``build``
        handles the option ``parameters``.
    reframes
        Whether the model has the option ``reframe``.
    of
        Returns what the model uses of the recipe's robot; by default the whole robot.
    """
    found = [
        (_noted(build(way.robot, **way.options), way.notes, way.base), way.base)
        for way in ways(recipe.robot, recipe.options, recipe.model, groups, reframes, of)
    ]
    best, base = found[0] if len(found) == 1 else min(found, key=lambda each: each[0].count().total)
    best = best.with_symbol_order((base.robot if base else recipe.robot).symbols)
    return best.marked(recipe=recipe.choosing(parameters=base) if base else recipe)


def _noted(program: Program, notes: tuple[str, ...], base: BaseSet | None = None) -> Program:
    """Return the Program with notes at the head of its code, and how its base parameters follow from others."""
    heading = partial(_heading, program.heading, notes, base, program.parameters)
    return program.marked(heading=heading) if notes else program


def _heading(
    heading: Callable[[], tuple[str, ...]], notes: tuple[str, ...], base: BaseSet | None, parameters: tuple[str, ...]
) -> tuple[str, ...]:
    relations = base.relations.items() if base else ()
    return (
        *notes,
        *(f"  {name} = {to_text(expression)}" for name, expression in relations if name in parameters),
        "",
        *heading(),
    )


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
    from .search import LONG_ENOUGH, effort_of, searched

    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise ProgramError(f"objective is {objective!r}; it must be one of {', '.join(map(repr, OBJECTIVES))}")
    try:
        seed = index(seed)
    except TypeError:
        raise ProgramError(f"seed is {seed!r}; it must be a whole number, which gives the same Program again") from None
    aim, limits, accuracy = OBJECTIVES[objective], effort_of(effort), Accuracy(program)
    long = limits.rounds >= LONG_ENOUGH and len(program.order) > 1
    starts = _starts(program, aim.measure, accuracy)[: TRIED if long else 1]
    proof: Certificate | None = None

    def search() -> tuple[Program, bool]:
        nonlocal proof
        ways, complete = _until_interrupted(searched(starts, limits, aim, seed, accuracy))
        best, proof = certified(program, ways)
        return best, complete

    best = kept(program, starts, (limits, objective, seed), search) if long else search()[0]
    if aim.measure(best) >= aim.measure(program):
        return program
    proof = proof or _proof(program, best)  # it was kept before
    if proof is None:
        return program
    before, after = program.count().total, best.count().total
    note = f"Optimised for {objective}: {before} operations became {after}. Certified against those before: {proof}."
    options = {"effort": effort, "objective": objective, "seed": seed}
    return _noted(best, (note,)).marked(recipe=derived(Program.optimise, program, options=options))


def _until_interrupted(ways: Iterator[Program]) -> tuple[list[Program], bool]:
    """Return all that a search yields, and whether it came to its end; Ctrl-C ends it earlier."""
    found: list[Program] = []
    try:
        found.extend(ways)
    except KeyboardInterrupt:
        warnings.warn("the search was interrupted; you get what it found so far", RuntimeWarning, stacklevel=7)
        return found, False
    return found, True


def _starts(program: Program, measure: Callable[[Program], float], accuracy: Accuracy) -> list[Program]:
    """Return Programs to search from, the cheapest first: this one, made in all ways that its recipe leaves open, and
    with divisions shared where that costs less.
    """
    ways = {_outputs(way): way for way in [program, *_made_again(program)]}
    for change in (with_sums_divided, with_reciprocals):
        changed = [(way, change(way)) for way in ways.values()]
        ways |= {_outputs(new): new for way, new in changed if measure(new) < measure(way)}
    ways[_outputs(program)] = program  # as given, if a way leads to the same graph
    least = min(map(measure, ways.values()))
    near = sorted((way for way in ways.values() if measure(way) <= NEAR * least), key=measure)
    return [way for way in near if way is program or accuracy.allows(way)] or [program]


def certified(program: Program, ways: Iterable[Program]) -> tuple[Program, Certificate | None]:
    """Return the last of several Programs that is proved equal to another one, with the proof, or that one if none is.

    Proofs of what has many roots can take longer than the search, so each is made once.
    """
    for way in reversed([*ways]):
        if way is program:
            break
        if proof := _proof(program, way):
            return way, proof
    return program, None


def _proof(program: Program, way: Program) -> Certificate | None:
    """Return the proof that two Programs are equal in all states, those in which loops are open too; None if there is
    none.
    """
    way.check()
    try:
        return program.within(None).certify(way.within(None))
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
