"""The letters of a derivation: the goal's s, n, a and P, joint coordinates, and vectors that get a name on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...equations.closed import Closed, closed, written
from ...equations.factor import leaves
from ...equations.polynomial import TooLong
from ...graph.evaluate import symbols
from ...graph.functions import cos, sin
from ...graph.node import Node, Scalar, as_node, symbol
from ...models.routes import frame_number, path
from ...program.array import Array, inputs, outputs
from ...program.program import Program
from ...robot.robot import Robot
from ...spatial.pose import HERE, Pose
from ...spatial.vector import Vector
from .chain import Chain, Motion, clean
from .loop import GOAL, Loop, Way
from .plan import Step

COLUMNS = ("s", "n", "a", "P")
"""The columns of the goal, as Khalil and Dombre call them."""
SHORT, LONG = 2, 8
"""Names and numbers that a component shows before it gets a name: at the goal, and after a joint."""
ENDLESS = 10_000
"""The size of a component that cannot be written out."""


@dataclass(frozen=True)
class Definition:
    """A vector that gets a name: what it is, the names of its components, and what they are."""

    meaning: str
    entries: tuple[tuple[str, Node], ...]


@dataclass(eq=False)
class Letters:
    """The letters of one derivation, none of them a symbol of the robot.

    Attributes
    ----------
    robot
        The robot.
    chain
        Its axes up to the frame.
    frames
        The frame of each link of the chain, if all joints are at zero.
    numbers
        What each link is called: its number in the robot's table, or E for the frame.
    """

    robot: Robot
    chain: Chain
    frame: str
    frames: list[Pose] = field(init=False)
    numbers: list[str] = field(init=False)
    q: Array = field(init=False)
    goal: Pose = field(init=False)
    new: list[Definition] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._taken = {*self.robot.symbols}
        self._known: dict[tuple[Node, ...], tuple[str, ...]] = {}
        self._sizes: dict[Node, tuple[int, Node]] = {}
        self._count, self._upper = 0, list[list[str]]()
        self.q = inputs("q", self.robot.coordinate_names, "joint coordinates")
        self._places()
        self.columns = [[self.free(f"{c}{row}") for row in "xyz"] for c in COLUMNS]
        entries = [symbol(self.columns[c][r]) for r in range(3) for c in range(4)]
        self.goal = Pose.of(entries)

    def _places(self) -> None:
        robot = self.robot.expanded().with_frames(self.frame).map(as_node)
        pose, self.frames, self.numbers, last = HERE, [HERE], ["0"], "0"
        for j in path(robot, frame_number(robot, self.frame)):
            joint = robot.joints[j - 1]
            pose, last = pose.then(joint.pose()), f"{j}" if j <= len(self.robot.joints) else "E"
            if joint.axes:
                self.frames.append(_tidy(pose))
                self.numbers.append(str(j))
        beyond = len(self.chain.axes) - len(self.chain.real)
        self.frames += [_tidy(pose)] * beyond
        self.numbers += [last] * beyond
        self.end = last

    def free(self, name: str) -> str:
        """Return a name that the robot does not have."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def wave(self, letter: str, place: int) -> str:
        """Return the name of the sine or cosine, S or C, of a joint that is solved for."""
        name = f"{letter}{place + 1}"
        return f"{name}_" if name in self.robot.symbols else name

    def epsilon(self, number: int) -> str:
        """Return the name of a sign that is chosen."""
        name = f"epsilon{number}"
        return f"{name}_" if name in self.robot.symbols else name

    def upper(self) -> list[list[str]]:
        """Return the letters of the rotation of the upper arm, which an arm angle gives: rows of its matrix."""
        if not self._upper:
            self._upper = [[self.free(f"K{r}{c}") for c in "xyz"] for r in "xyz"]
        return self._upper

    def motion(self, k: int) -> Motion:
        """Return the motion of a joint whose coordinate is known."""
        axis = self.chain.axes[k]
        own = self.q.nodes[axis.place]
        return Motion(d=own) if axis.slides else Motion(cos(own), sin(own))

    def program(self, values: Mapping[str, Scalar]) -> Program:
        """Return some values as a Program over these letters."""
        results = {name: outputs([x], [], [], "") for name, x in values.items()}
        name = f"{self.robot.name}_inverse_geometry"
        return Program(name, {"q": self.q}, results, symbol_order=self.robot.symbols)

    def closed(self, values: Mapping[str, Scalar]) -> Closed:
        """Return the closed forms of some values, proved."""
        return closed(self.program(values), capital=True)

    def simple(self, x: Scalar) -> Node:
        """Return a value without what cancels in its closed form."""
        return self._written(x)[1]

    def size(self, x: Scalar) -> int:
        """Return how many names and numbers the closed form of a value shows."""
        return self._written(x)[0]

    def _written(self, x: Scalar) -> tuple[int, Node]:
        node = as_node(x)
        if node not in self._sizes:
            try:
                form = written(self.program({"x": node}), capital=True)
                self._sizes[node] = leaves(form.outputs["x"][0]), form.as_program().results["x"].nodes[0]
            except TooLong:
                self._sizes[node] = ENDLESS, node
        return self._sizes[node]

    def named(self, v: Vector, is_point: bool, link: int, limit: int, what: str) -> Vector:
        """Return a vector with names for those of its components, in the link's frame, that show more than a limit."""
        at = self.frames[link]
        own = [self.simple(x) for x in (at.back(v) if is_point else at.R.back(v))]
        if max(map(self.size, own)) <= limit:
            return v
        key = tuple(own)
        if key not in self._known:
            self._count += 1
            letter = "P" if is_point else "d"
            names = tuple(self.free(f"{letter}{self._count}{c}") for c in "xyz")
            self._known[key] = tuple(name if self.size(x) > SHORT else "" for name, x in zip(names, own, strict=True))
            pairs = zip(self._known[key], own, strict=True)
            where = f"in frame {self.numbers[link]}"
            self.new.append(Definition(f"{what} {where}", tuple((n, x) for n, x in pairs if n)))
        local = Vector(*(symbol(n) if n else x for n, x in zip(self._known[key], own, strict=True)))
        return at.forth(local) if is_point else at.R.forth(local)

    def varies(self, parts: Sequence[Scalar]) -> bool:
        """Tell whether some values depend on more than the robot's own lengths and angles."""
        return not {*symbols(map(self.simple, parts))} <= {*self.robot.symbols}


def _tidy(pose: Pose) -> Pose:
    rows = [clean(row) for row in pose.R.rows]
    return Pose.of([x for row, p in zip(rows, clean(pose.P), strict=True) for x in (*row, p)])


@dataclass(frozen=True)
class Told(Loop):
    """A loop whose vectors get names on the way, where they become long."""

    letters: Letters

    @classmethod
    def of(cls, letters: Letters, step: Step) -> Told:
        """Return the loop that a step sees: the joints that it needs have moved."""
        return cls(letters.chain, letters.goal, {k: letters.motion(k) for k in sorted(step.needs)}, letters)

    def told(self, way: Way, v: Vector, is_point: bool, what: str) -> Vector:
        """Return a feature of the link at a way's end as seen at its start, with names on the way."""
        for k, sign in reversed(way):
            v = self.carried(((k, sign),), v, is_point)
            link = 0 if (k, sign) == (GOAL, 1) else len(self.chain.axes) if k == GOAL else k if sign > 0 else k + 1
            if k == GOAL or k in self.known:
                v = self.letters.named(v, is_point, link, SHORT if k == GOAL else LONG, what)
        return v
