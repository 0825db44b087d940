"""Base inertial parameters: the fewest that determine the dynamics.

Closed-form grouping after Gautier and Khalil (1990) and Khalil and Bennis (1994), from the tips to the base. Parameters
that a joint's motion does not change can be moved to the parent: YY, MZ and M of a revolute link, the whole inertia
matrix of a prismatic one. Parameters that have no effect because a link cannot move freely (``mobility.py``) are
dropped. Exact arithmetic checks that the result is minimal; columns that the rules left dependent are then grouped too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..errors import RobotError
from ..graph.evaluate import evaluate, symbols
from ..graph.functions import atan2, sqrt
from ..graph.node import Node, Scalar, as_node, is_zero, symbol
from ..graph.operations import CONST, SYMBOL
from ..models.registry import check_robot
from ..program.program import Program
from ..robot.robot import Robot
from ..robot.variables import unused
from ..spatial.inertia import NAMES, Inertia
from ..spatial.rotation import Rotation, about
from .given import numbers_of
from .minimal import Forms, Key, group_dependent
from .rules import closed_form


@dataclass(frozen=True)
class BaseParameters:
    """The base inertial parameters of a robot.

    Attributes
    ----------
    of
        The robot that they belong to.
    forms
        Each base parameter, by name and link, as a linear form in the standard parameters.
    suffix
        What marks the names of grouped parameters: R in the classical form, L in the least one, and others in other
        sets, so that a name has one meaning only.
    plates
        Links whose ZZ is XX + YY, see ``least.py``. This and what follows is empty in the classical form.
    turned
        Links whose frames are turned about z so that MY vanishes; an angle takes its place.
    shifted
        Links whose frames are shifted along z so that r vanishes.
    of_tree
        Whether they are those of the tree, with the loops open, as models in all coordinates take them.
    """

    of: Robot
    forms: Forms
    suffix: str = "R"
    plates: frozenset[int] = frozenset()
    turned: frozenset[int] = frozenset()
    shifted: frozenset[int] = frozenset()
    of_tree: bool = False

    def __repr__(self) -> str:
        grouped = sum(name.endswith(self.suffix) for name in self.names)
        return (
            f"BaseParameters({self.of.name}: {self.count} of {10 * len(self._whole.bodies)}, {grouped} of them grouped)"
        )

    @cached_property
    def _whole(self) -> Robot:
        """The robot with a floating base as its first link, which is how the forms number links."""
        return self.of.expanded()

    def _plain(self, parameter: str, link: int) -> str:
        """Return a standard parameter's name; a floating base is link 0."""
        return f"{parameter}{link - len(self._whole.joints) + len(self.of.joints)}"

    @cached_property
    def _names(self) -> dict[tuple[str, int], str]:
        taken = set(self.of.symbols)
        names = {}
        turned = {(name, k) for j in self.turned for k in turning_with(self._whole, j) for name in _TURNED}
        for key in self._values:
            plain = self._plain(*key)
            same = key in self.forms and self.forms[key].is_only(plain) and key not in turned
            names[key] = plain if same else unused(f"{plain}{self.suffix}", taken)
        return names

    def name(self, parameter: str, link: int) -> str:
        """Return the name of a base parameter: XX2R if others are grouped with XX2."""
        return self._names[parameter, link]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the links' base parameters; R or L marks those that others are grouped with. Rotors are not
        included.
        """
        return tuple(name for key, name in self._names.items() if key[0] != "IA")

    @property
    def count(self) -> int:
        """Number of base parameters of the links: the rank of the regressor, whatever the parameters' values."""
        return len(self.names)

    @property
    def rotors(self) -> tuple[str, ...]:
        """Names of the rotor inertias that cannot be grouped with a link's parameters."""
        return tuple(name for key, name in self._names.items() if key[0] == "IA")

    @cached_property
    def _standard(self) -> dict[str, Scalar]:
        """The robot's own values of the standard parameters, by name."""
        bodies, joints = self._whole.bodies, self._whole.joints
        links = {
            self._plain(name, j): x for j, body in enumerate(bodies, 1) for name, x in body.inertia._asdict().items()
        }
        return links | {self._plain("IA", j): joint.IA for j, joint in enumerate(joints, 1)}

    @cached_property
    def _values(self) -> dict[tuple[str, int], Node]:
        return self._computed(self.forms, self._standard)

    def _computed(self, forms: Forms, of: Mapping[str, Scalar]) -> dict[tuple[str, int], Node]:
        """Return the parameters from values of the standard ones."""
        found = {key: form.value(of) for key, form in forms.items()}
        for j in sorted(self.turned):
            x, y = found["MX", j], found["MY", j]
            angle = as_node(atan2(y, x))
            for k in turning_with(self._whole, j):
                found |= _turned(found, k, angle)
            del found["MY", j]
            found |= {("MX", j): as_node(sqrt(x * x + y * y)), ("TH", j): angle}
        return found

    @property
    def filled(self) -> set[Key]:
        """The parameters that are not zero, by name and link."""
        return {key for key, value in self._values.items() if not is_zero(value)}

    @property
    def expressions(self) -> dict[str, Node]:
        """Each base parameter by its name, as an expression of the robot's own symbols and numbers."""
        return {self._names[key]: value for key, value in self._values.items()}

    @cached_property
    def relations(self) -> dict[str, Node]:
        """How each grouped parameter follows from the standard ones."""
        tidy = {key: form.tidy() for key, form in self.forms.items()}
        named = self._computed(tidy, {name: symbol(name) for form in tidy.values() for name, _ in form})
        of_values = self._computed(tidy, self._standard)
        return {
            name: (named if self._values[key].op is CONST else of_values)[key]
            for key, name in self._names.items()
            if name != self._plain(*key)
        }

    @cached_property
    def robot(self) -> Robot:
        """A Robot that uses the base parameters. Grouped ones that depend on symbols are symbols themselves."""
        values: dict[tuple[str, int], Scalar] = {}
        for key, value in self._values.items():
            grouped = value.op not in (CONST, SYMBOL) and self._names[key] != self._plain(*key)
            values[key] = symbol(self._names[key]) if grouped else value
        return self._with(values)

    def _with(self, values: dict[tuple[str, int], Scalar]) -> Robot:
        """Return the robot with values of its base parameters in place of the standard ones."""
        shift = len(self._whole.joints) - len(self.of.joints)
        turns = {k: values["TH", j] for j in self.turned for k in turning_with(self._whole, j)}
        for j in self.plates:
            values["ZZ", j] = as_node(values["XX", j]) + as_node(values["YY", j])
        bodies = tuple(
            replace(body, inertia=Inertia(*(values.get((name, j), 0.0) for name in NAMES)))
            for j, body in enumerate(self._whole.bodies, 1)
        )
        joints = tuple(
            replace(
                joint,
                IA=values.get(("IA", j), 0.0),
                theta=joint.theta + (turns.get(j, 0.0) - turns.get(joint.antecedent + shift, 0.0)),
                r=0.0 if j in self.shifted else joint.r,
            )
            for j, joint in enumerate(self.of.joints, 1 + shift)
        )
        base = replace(self.of.base, body=bodies[0]) if shift else self.of.base
        return self.of.derived(name=f"{self.of.name}base", bodies=bodies[shift:], joints=joints, base=base)

    def values(self, given: Mapping[str, Scalar | str] | None = None, /, **more: Scalar | str) -> dict[str, float]:
        """Return the values of the base parameters, given values for the robot's symbols if it has any."""
        numbers = numbers_of(self.of.name, {**(given or {}), **more}, self.of.symbols)
        missing = [name for name in self.of.symbols if name not in numbers]
        needed = {name for value in self._values.values() for name in _symbols(value)}
        if lacking := [name for name in missing if name in needed]:
            raise RobotError(f"{self.of.name}: no value given for {', '.join(lacking)}")
        return {name: self._number(key, numbers) for key, name in self._names.items()}

    def bind(self, given: Mapping[str, Scalar | str] | None = None, /, **more: Scalar | str) -> Robot:
        """Return the robot that uses the base parameters, with numbers for its symbols or for base parameters.

        Values of base parameters, by their names, are those that an identification finds. They take the place of what
        the robot's own numbers give; the friction of its joints stays.

        >>> base.bind(ZZ1R=1.2, XX2R=0.3)                                       # doctest: +SKIP
        """
        chosen = {**(given or {}), **more}
        own = {name: x for name, x in chosen.items() if name in self.of.symbols}
        found = {name: x for name, x in chosen.items() if name not in own}
        identified = numbers_of(self.of.name, found, (*self._names.values(), *self.of.symbols))
        names = {name: key for key, name in self._names.items()}
        if len(identified) < len(names):
            lacking = symbols(self._values[key] for name, key in names.items() if name not in identified)
            if missing := [name for name in lacking if name not in own]:
                raise RobotError(f"{self.of.name}: no value given for {', '.join(missing)}")
        numbers = numbers_of(self.of.name, own, self.of.symbols)
        computed = {
            key: identified[name] if name in identified else self._number(key, numbers) for name, key in names.items()
        }
        robot = self._with({**computed})
        return robot.bind({name: x for name, x in own.items() if name in robot.symbols})

    def _number(self, key: tuple[str, int], numbers: Mapping[str, float]) -> float:
        """Return the value of a base parameter."""
        try:
            return evaluate([self._values[key]], numbers)[0]
        except ZeroDivisionError:
            zeros = ", ".join(name for name in symbols([self._values[key]]) if not numbers[name])
            raise RobotError(
                f"{self.of.name}: {self._names[key]} is divided by a length that is zero here (zeros: {zeros}). "
                "Give the robot this value first, with bind, or take the classical base parameters"
            ) from None

    def in_standard(self, program: Program) -> Program:
        """Return a Program rewritten from base to standard parameters, so that you can compare or differentiate it."""
        return program.bind({name: x for name, x in self.relations.items() if name in program.parameters})

    def least(self, *, tips: bool = True, masses: bool = True) -> BaseParameters:
        """Return equivalent parameters that need fewer operations; ``parameters/least.py`` explains the options."""
        from .least import least

        return least(self, tips=tips, masses=masses)

    def sets(self, *, tips: bool = True) -> list[BaseParameters]:
        """Return the equivalent sets from which ``parameters="least"`` takes the one that costs a model least."""
        from .least import sets

        return sets(self, tips=tips)

    def table(self) -> str:
        """Return geometry, standard parameters, grouping relations and base parameters as text."""
        from .table import table

        return table(self)

    def _repr_latex_(self) -> str | None:
        from ..equations.notebook import of_relations

        return of_relations(self.relations)

    def _repr_html_(self) -> str:
        from .table import in_html

        return in_html(self)


_TURNED = ("XX", "XY", "XZ", "YY", "YZ", "MX", "MY")
"""The parameters that change as a frame is turned about z."""


def turning_with(robot: Robot, j: int) -> list[int]:
    """Return a link and those that turn about its axis together with it."""
    together = [j]
    for k, joint in enumerate(robot.joints, 1):
        if joint.antecedent in together and is_zero(joint.kind.turn):
            together.append(k)
    return together


def _turned(values: Mapping[tuple[str, int], Node], j: int, angle: Node) -> dict[tuple[str, int], Node]:
    """Return a link's parameters in a frame that is turned about z."""
    own = Inertia(*(values.get((name, j), as_node(0.0)) for name in NAMES))
    own = own.rotated(Rotation((about(2, -angle),)))
    return {(name, j): as_node(x) for name, x in zip(NAMES, own, strict=True) if not is_zero(as_node(x))}


def _symbols(value: Node) -> set[str]:
    return set(symbols([value]))


CLASSICAL, LEAST = "classical", "least"


def base_parameters(
    robot: Robot | Program, *, form: str = CLASSICAL, guess: Sequence[float] | None = None, rotors: bool = False
) -> BaseParameters:
    """Return the base inertial parameters, with the relations that group them.

    Parameters
    ----------
    robot
        A Robot; or a Program that was made with ``parameters="base"`` or ``"least"``, for those that it takes.
    form
        "classical", as Gautier and Khalil group them; or "least", the equivalent set for which the inverse dynamics
        takes the fewest operations. Its ``robot`` can have other frames on last links, and is meant for torques only.
    guess
        Coordinates of all joints of a robot with closed loops, near a closed state. Some mechanisms can be assembled in
        ways that do not lead into one another, such as a parallelogram and the same bars crossed. With a guess, the
        parameters are those of the way that it leads to; without, those that are right for all ways.
    rotors
        Whether every moving joint has a rotor inertia to group, even if it is zero in the description, as when it is to
        be identified. By default only those that are not zero count.
    """
    if isinstance(robot, Program):
        return _taken_by(robot)
    check_robot(robot)
    whole = robot.expanded()
    if not rotors and all(
        map(is_zero, (*(x for body in whole.bodies for x in body.inertia), *(joint.IA for joint in whole.joints)))
    ):
        raise RobotError(
            f"{robot.name}: no link has any inertia, so there are no parameters to group; "
            "give its links numbers or symbols"
        )
    if form not in (CLASSICAL, LEAST):
        raise RobotError(f"form is {form!r}; it must be 'classical' or 'least'")
    found = grouped(robot, guess, rotors)
    if form == CLASSICAL:
        return found
    from .least import cheapest

    return cheapest(found)


def _taken_by(program: Program) -> BaseParameters:
    """Return the base parameters that a Program was made with."""
    steps = program.recipe.steps if program.recipe else ()
    chosen = {id(x): x for step in steps if isinstance(x := step.options.get("parameters"), BaseParameters)}
    if len(chosen) != 1:
        how = "several sets of base parameters" if chosen else "no base parameters"
        raise RobotError(f"{program.name} takes {how}; ask for those of one model with parameters='base' or 'least'")
    return next(iter(chosen.values()))


def by_rules(robot: Robot) -> BaseParameters:
    """Return parameters grouped by the closed-form rules alone: quick to find, and nearly always the base
    parameters.
    """
    lifted = robot.expanded().map(as_node)
    return BaseParameters(robot, closed_form(lifted, 1 - len(lifted.joints) + len(robot.joints)))


def grouped(
    robot: Robot, guess: Sequence[float] | None = None, rotors: bool = False, of_tree: bool = False
) -> BaseParameters:
    """Return the base inertial parameters, whatever their values, even if all are zero; rotors only if asked for.

    ``of_tree`` asks for those of the tree of a robot with closed loops.
    """
    lifted = robot.expanded().map(as_node)
    opened = lifted.derived(loops=())
    forms = group_dependent(opened, closed_form(opened, 1 - len(lifted.joints) + len(robot.joints), rotors))
    if robot.loops and not of_tree:
        from .closed import group_closed

        if guess is not None and len(guess) != len(robot.coordinate_names):
            raise RobotError(
                f"the guess has {len(guess)} coordinates; {robot.name} has {len(robot.coordinate_names)}: "
                + ", ".join(robot.coordinate_names)
            )
        forms = group_closed(robot.expanded(), forms, guess)
    elif guess is not None:
        raise RobotError(f"{robot.name} has no closed loops, so a guess of a closed state does not apply")
    return BaseParameters(robot, forms, of_tree=of_tree and bool(robot.loops))
