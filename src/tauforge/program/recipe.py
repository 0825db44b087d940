"""How a Program was made, so that it can be made again, or better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .program import Program


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
        The options that ``make`` was given by name.
    """

    make: Callable[..., Program]
    of: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def model(self) -> str:
        """Name of the model or of the method."""
        return self.make.__name__

    @property
    def robot(self) -> Any:
        """The Robot that everything came from; the first one if several Programs were fused."""
        first = self.of[0]
        return first.robot if isinstance(first, Recipe) else first

    def program(self) -> Program:
        """Return the Program, made again."""
        return self.make(*(each.program() if isinstance(each, Recipe) else each for each in self.of), **self.options)

    def bound(self) -> Recipe:
        """Return the recipe with values given to the robot where ``Program.bind`` gave them to its model's Program.

        A robot with numbers leaves more choices than one with symbols.
        """
        if not isinstance(self.of[0], Recipe):
            return self
        parts: tuple[Recipe, ...] = tuple(each.bound() for each in self.of)
        given = parts[0].of[0]
        if self.model == "bind" and not isinstance(given, Recipe) and {*self.options} <= {*given.symbols}:
            idle = {*given.symbols} - {*parts[0].program().parameters}  # have no effect, whatever their value
            return replace(parts[0], of=(given.bind({**dict.fromkeys(idle, 0.0), **self.options}),))
        same = all(new is old for new, old in zip(parts, self.of, strict=True))
        return self if same else replace(self, of=parts)


def derived(make: Callable[..., Any], *programs: Program, **options: Any) -> Recipe | None:
    """Return the recipe of something made from Programs; None if one of them was made by hand."""
    recipes = tuple(program.recipe for program in programs)
    return None if None in recipes else Recipe(make, recipes, options)
