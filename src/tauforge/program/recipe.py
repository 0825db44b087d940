"""How a Program was made, so that it can be made again, or better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .program import Program


UNGROUPED = ("auto", "standard")
"""The sets of inertial parameters that depend on no structure; others are grouped, whatever the values."""

CHOICES = {"derivative": {"mode": ("forward", "reverse")}}
"""The options of what makes Programs from others that change only how results are computed; models have their own."""


@dataclass(frozen=True)
class Recipe:
    """What made a Program, from what, and with which options.

    Attributes
    ----------
    make
        A model, or a function that makes a Program from others: ``Program.derivative``, ``Program.bind``, ``fuse``, ...
    of
        The model's Robot, or the recipes of the Programs that ``make`` took.
    options
        The options that ``make`` was given by name; lists and the like as tuples, which nobody can change.
    """

    make: Callable[..., Program]
    of: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", {key: _kept(x) for key, x in self.options.items()})

    @property
    def model(self) -> str:
        """Name of the model or of the method."""
        return self.make.__name__

    @property
    def robot(self) -> Any:
        """The Robot that everything came from; the first one if several Programs were fused."""
        return self.steps[0].of[0]

    @property
    def steps(self) -> tuple[Recipe, ...]:
        """All recipes that this one needs, each once, then itself. There may be hundreds, as of a loop of binds."""
        order: dict[int, Recipe] = {}
        stack: list[Recipe] = [self]
        while stack:
            step = stack[-1]
            waiting = [x for x in step.of if isinstance(x, Recipe) and id(x) not in order]
            if not waiting:
                order.setdefault(id(step), stack.pop())
            stack += reversed(waiting)
        return tuple(order.values())

    def program(self) -> Program:
        """Return the Program, made again."""
        made: dict[int, Program] = {}
        for step in self.steps:
            made[id(step)] = step.make(*(made.get(id(x), x) for x in step.of), **step.options)
        return made[id(self)]

    def choosing(self, **options: Any) -> Recipe:
        """Return the recipe with some options chosen."""
        return replace(self, options={**self.options, **options})

    def bound(self) -> Recipe:
        """Return the recipe with values given to the robot where ``Program.bind`` gave them to its model's Program.

        A robot with numbers leaves more choices than one with symbols. Base parameters stay grouped as they are: values
        given to the robot could group others. The two parts of a split Program stay as they are, too: the constants
        that one computes are those that the other takes.
        """
        new: dict[int, Recipe] = {}
        for step in self.steps:
            new[id(step)] = step._bound(tuple(new.get(id(x), x) for x in step.of))
        return new[id(self)]

    def ways(self, more: Mapping[str, Sequence[object]]) -> list[Recipe]:
        """Return the recipe with every combination of the choices that it leaves to its models and derivatives, and of
        more choices that its models have.

        A choice that was made by hand stays as it is: "articulated" bodies may have been asked for their accuracy. What
        has been optimised has made its choices.
        """
        left: dict[str, Sequence[object]] = {}
        if any(step.model == "optimise" for step in self.steps):
            return []
        for step in self.steps:
            left |= step._left(more)
        found = []
        for values in product(*left.values()):
            made, new = dict(zip(left, values, strict=True)), dict[int, Recipe]()
            for step in self.steps:
                options = {**step.options, **{key: made[key] for key in step._left(more)}}
                new[id(step)] = Recipe(step.make, tuple(new.get(id(x), x) for x in step.of), options)
            found.append(new[id(self)])
        return found if left else []

    def _left(self, more: Mapping[str, Sequence[object]]) -> Mapping[str, Sequence[object]]:
        """Return the options of this step that change only how results are computed, and are not chosen yet."""
        own: Mapping[str, Sequence[object]] = getattr(self.make, "choices", CHOICES.get(self.model, {}))
        taken = signature(self.make).parameters
        choices = {**own, **{key: values for key, values in more.items() if key in taken}}
        return {key: values for key, values in choices.items() if self.options.get(key, "auto") == "auto"}

    def _bound(self, parts: tuple[Any, ...]) -> Recipe:
        """Return the recipe with other ones in the place of its own, and values given to the robot if it can be."""
        if self.model.startswith("split"):
            return self
        first: Recipe = parts[0]
        if (
            self.model == "bind"
            and not isinstance(first.of[0], Recipe)
            and first.options.get("parameters", "auto") in UNGROUPED
        ):
            given, needed = first.robot, {*first.program().parameters}
            if needed <= {*given.symbols}:
                idle = {*given.symbols} - needed  # have no effect, whatever their value
                return replace(first, of=(given.bind({**dict.fromkeys(idle, 0.0), **self.options}),))
        same = all(one is other for one, other in zip(parts, self.of, strict=True))
        return self if same else replace(self, of=parts)

    def __repr__(self) -> str:
        steps = (f"{step.model}({', '.join(f'{key}={x!r}' for key, x in step.options.items())})" for step in self.steps)
        return f"Recipe({self.robot.name}: {', '.join(steps)})"

    def __reduce__(self) -> tuple[object, ...]:
        place = {id(step): i for i, step in enumerate(self.steps)}
        rows = [(step.make, [place.get(id(x), x) for x in step.of], step.options) for step in self.steps]
        return _restored, (rows,)


def _restored(rows: Iterable[tuple[Callable[..., Program], list[Any], Mapping[str, Any]]]) -> Recipe:
    """Return a recipe from its steps: what makes each, its robot or the places of the steps it needs, and options."""
    steps: list[Recipe] = []
    for make, of, options in rows:
        steps.append(Recipe(make, tuple(steps[x] if isinstance(x, int) else x for x in of), options))
    return steps[-1]


def _kept(option: Any) -> Any:
    """Return an option as a value that no later change to what was given can affect."""
    if isinstance(option, str):
        return option
    try:
        return tuple(option)
    except TypeError:  # a single value
        return option


def derived(make: Callable[..., Any], *programs: Program, options: Mapping[str, Any]) -> Recipe | None:
    """Return the recipe of something made from Programs; None if one of them was made by hand."""
    recipes = tuple(program.recipe for program in programs)
    return None if None in recipes else Recipe(make, recipes, options)
