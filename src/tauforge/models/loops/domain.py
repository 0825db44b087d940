"""The states for which the models of a robot with closed loops are meant: those in which the loops are closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from ...errors import RobotError, TauforgeError
from ...graph.node import Node, as_node, symbol
from ...graph.normal import literal
from ...graph.rewrite import substitute
from ...program.domain import Solution, Turn
from ...program.program import Program
from ...robot.robot import Robot
from ...robot.scalars import randomised
from .closed_form.exact import exact_solution
from .closing import active_places
from .closure import loop_closure
from .freedom import DRAWS, freedom
from .newton import is_closed
from .search import Mechanism, mechanism_of

Floats = NDArray[np.float64]
REVOLUTE = "revolute"
STATES, STEPS = 12, 4
"""How many closed states are tried, and steps from one to the next."""
STEP = 0.15
"""Size of a random step, in radians and in parts of the longest length; short, so that the assembly stays as it is."""
WHOLE = 1e-7
"""What a factor or an angle may differ from the number that it is taken for, before the proof."""
FACTORS = (-2, -1, 1, 2)
"""Factors in sums of angles that are tried."""


@dataclass(frozen=True, eq=False)
class ClosedStates:
    """The closed states of a robot, in the assembly near zero that all other rooms start from.

    Attributes
    ----------
    robot
        The robot.
    inputs
        Names of the inputs that hold coordinates of all joints, as ``difference`` has two.
    """

    robot: Robot
    inputs: tuple[str, ...] = ("q",)

    def __reduce__(self) -> tuple[object, ...]:
        return ClosedStates, (self.robot, self.inputs)  # all else is found again

    @property
    def text(self) -> str:
        """What holds in these states."""
        return f"the loops of {self.robot.name} are closed"

    @cached_property
    def equations(self) -> tuple[Node, ...]:
        """What is zero where the loops are closed, and where quaternions have the length one."""
        program = loop_closure(self.robot)
        q = program.arguments["q"].nodes
        cosines = [as_node(x - 1.0) for x in program.results["cosine"].nodes]
        lengths = list[Node]()
        for j, own, _ in self._mechanism[0].places:
            kind = self.robot.expanded().joints[j - 1].kind
            if not kind.is_flat:
                lengths.append(sum((q[k] * q[k] for k in [*own][-4:]), start=as_node(-1.0)))
        found = (*program.results["error"].nodes, *cosines, *lengths)
        return tuple(node for node in dict.fromkeys(self._of_inputs(found)) if node is not as_node(0.0))

    def _of_inputs(self, nodes: Sequence[Node]) -> list[Node]:
        """Return expressions of q for each of the inputs."""
        q = [f"q[{k}]" for k in range(len(self.robot.coordinate_names))]
        renamed = [{name: symbol(name.replace("q", own, 1)) for name in q} for own in self.inputs]
        return [node for names in renamed for node in substitute(nodes, names)]

    def bound(self, values: Mapping[str, Node]) -> ClosedStates | None:
        """Return the closed states of the robot with values for some of its symbols."""
        own = {name: x for name, x in values.items() if name in self.robot.symbols}
        try:  # not with bind: these values are those of a Program, and need not be checked as those of a robot are
            given = self.robot.map(lambda x: literal(substitute([x], own)[0]) if isinstance(x, Node) else x)
        except RobotError:  # values that no joint can have
            return None
        return ClosedStates(given, self.inputs) if own else self

    @cached_property
    def _mechanism(self) -> tuple[Mechanism, dict[str, float], Floats]:
        """The robot with numbers for its symbols, these numbers, and a closed state."""
        whole = self.robot.expanded()
        q = freedom(whole).q
        for draw in range(1, DRAWS + 1):
            mechanism, random = mechanism_of(randomised(whole, Random(draw))), Random(draw)
            if is_closed(mechanism.error(q)[None]).all():
                break
        return mechanism, {name: random.uniform(0.5, 1.5) for name in whole.symbols}, q

    @cached_property
    def _walked(self) -> list[Floats]:
        """Closed states along a random way from the first one."""
        mechanism, _, q = self._mechanism
        random, found = np.random.default_rng(0), list[Floats]()
        straight = np.full(mechanism.axes, STEP)
        for j, _, axes in mechanism.places:
            if mechanism.robot.joints[j - 1].kind.word != REVOLUTE:
                straight[list(axes)] *= min(1.0, mechanism.length)
        for _ in range(3 * STATES):
            for _ in range(STEPS):
                near = mechanism.step(q[None], random.normal(size=(1, mechanism.axes)) * straight)[0]
                reached = mechanism.closed_from(near)
                if reached is not None and np.abs(reached - near).max() < 10.0 * STEP:
                    q = reached
            if not found or np.abs(q - found[-1]).max() > WHOLE:
                found.append(q)
            if len(found) == STATES:
                break
        return found

    @property
    def coordinates(self) -> Sequence[Floats]:
        """The coordinates of all joints in some of these states."""
        return self._walked

    def states(self) -> Sequence[Mapping[str, float]]:
        """Return some closed states: the coordinates, and numbers for the symbols of the geometry."""
        try:
            symbols, walked = self._mechanism[1], self._walked
        except TauforgeError:  # no closed state was found
            return []
        n = len(walked)
        own = [[(name, walked[(i + 5 * k) % n]) for k, name in enumerate(self.inputs)] for i in range(n)]
        return [{**symbols, **{f"{name}[{k}]": float(x) for name, q in each for k, x in enumerate(q)}} for each in own]

    def solutions(self) -> Sequence[Solution]:
        """Return the dependent coordinates, exactly, as functions of the independent ones, if they have such a form.

        First triangles, each with both ways in which it can be assembled; then with joints that turn along with others
        in the assembly near zero, as those of a parallelogram do.
        """
        found = list[Solution]()
        for ways in (dict, self._together):
            try:
                together = ways()
                if together or not found:
                    solution = exact_solution(self.robot.expanded().map(as_node), active_places(self.robot), together)
                    found += [self._for_inputs(solution)] if solution else []
            except TauforgeError:  # no closed state, or a form that has no value
                continue
        return found

    def _for_inputs(self, solution: Solution) -> Solution:
        """Return a solution for each of the inputs."""
        steps: dict[str, Node | Turn] = {}
        for name, step in solution.steps.items():
            parts = self._of_inputs(step if isinstance(step, Turn) else [step])
            size = len(parts) // len(self.inputs)
            for k, own in enumerate(self.inputs):
                each = parts[k * size : (k + 1) * size]
                steps[name.replace("q", own, 1)] = Turn(*each) if isinstance(step, Turn) else each[0]
        return Solution(steps, solution.text)

    def _together(self) -> dict[int, tuple[dict[int, int], float]]:
        """Return joints that turn along with others in all states walked to: by places, their factors and an angle."""
        mechanism, _, _ = self._mechanism
        q = np.array(self._walked)
        turning = [own[0] for j, own, _ in mechanism.places if mechanism.robot.joints[j - 1].kind.word == REVOLUTE]
        active = set(active_places(self.robot))
        order = sorted(turning, key=lambda place: place not in active)
        found: dict[int, tuple[dict[int, int], float]] = {}
        basis = [place for place in order if place in active]
        for place in order[len(basis) :]:
            A = np.column_stack([q[:, basis], np.ones(len(q))])
            factors, *_ = np.linalg.lstsq(A, q[:, place], rcond=None)
            whole = np.round(factors[:-1])
            angle = float(np.mean(q[:, place] - q[:, basis] @ whole))
            if (
                len(q) > len(basis) + 2
                and np.abs(q[:, place] - q[:, basis] @ whole - angle).max() < WHOLE
                and all(x == 0 or x in FACTORS for x in whole)
            ):
                found[place] = ({k: int(x) for k, x in zip(basis, whole, strict=True) if x}, angle)
            else:
                basis.append(place)
        return found


def within_closed_states(robot: Robot, program: Program) -> Program:
    """Return a model's Program for those states in which the robot's loops are closed."""
    arrays = program.arguments
    names = tuple(name for name, array in arrays.items() if array.shape.labels == (robot.coordinate_names,))
    return program.within(ClosedStates(robot, names)) if robot.loops and "q" in names else program
