"""Motors and degrees of freedom: motors need not be the joints that describe the motion, as in closed loops, or where
tendons and gears couple joints.

The velocities of the motors are q̇_m = G_m q̇, where G_m has the rows of G that belong to actuated joints, and those of
driven tendons: their coefficients times the rows of the joints that they act on. Their torques
τ_m act on the degrees of freedom as τ = G_mᵀ τ_m. With as many motors as degrees of freedom this has one solution: in
Khalil 2010, (66), τ is the bracket and G_m the inverse of the robot's Jacobian matrix. With more motors, the solution
of least norm is τ_m = G_m (G_mᵀ G_m)⁻¹ τ, and the torques (1 - G_m (G_mᵀ G_m)⁻¹ G_mᵀ) z only load the mechanism.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from ...errors import ProgramError
from ...graph.node import Node, Scalar, is_zero
from ...graph.operations import SYMBOL
from ...program.array import Array, inputs, outputs
from ...program.program import Program
from ...robot.robot import Robot
from ...spatial.least_squares import Equations
from ...spatial.solve import solve
from ..coordinates import ALL, INDEPENDENT, Coordinates, Row
from ..inertia_matrix import first_degrees
from ..prepare import prepare
from ..registry import model
from ..results import program
from ..state import INPUTS, State

AUTO, MOTORS = "auto", "motors"
"""Whose torques a model takes or gives: besides, those of the independent axes or of all."""
NONE: Mapping[str, Scalar] = {}
TORQUES = "torques (revolute) and forces (prismatic) of the motors"


@dataclass(frozen=True)
class Motors:
    """The axes and tendons that motors drive.

    Attributes
    ----------
    names
        Their names.
    rows
        How each moves with the degrees of freedom: the rows of G_m.
    degrees
        Names of the degrees of freedom.
    """

    robot: Robot
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    degrees: tuple[str, ...]

    @classmethod
    def of(cls, robot: Robot, coordinates: Coordinates, efforts: str = MOTORS) -> Motors:
        """Return the motors of a robot; or its independent axes or all axes, as if each had one."""
        if efforts in (INDEPENDENT, ALL):
            names = robot.velocity_names if efforts == INDEPENDENT else coordinates.names
            rows = tuple({coordinates.names.index(name): 1.0} for name in names)
            return cls(robot, names, rows, coordinates.names)
        driven = set(robot.actuated)
        places = first_degrees(robot)
        axes = {
            joint.name + part: axis
            for j, joint in enumerate(robot.joints, 1)
            if joint.name in driven
            for axis, part in enumerate(joint.axes, places[j])
        }
        G = coordinates.G
        moved = [{axis: 1.0} if G is None else G[axis] for axis in axes.values()]
        tendons = [tendon for tendon in robot.tendons if tendon.driven]
        moved += [coordinates.gathered_some({places[j]: x for j, x in tendon.joints}) for tendon in tendons]
        names = (*axes, *(tendon.name for tendon in tendons))
        return cls(robot, names, tuple(moved), coordinates.names)

    @property
    def is_square(self) -> bool:
        """Whether there are as many motors as degrees of freedom."""
        return len(self.names) == len(self.degrees)

    def with_rows(self, rows: Mapping[str, Row]) -> Motors:
        """Return the motors with other rows for some."""
        both = zip(self.names, self.rows, strict=True)
        return replace(self, rows=tuple(rows.get(name, row) for name, row in both))

    def speeds(self, qd: Sequence[Scalar]) -> list[Scalar]:
        """Return the motors' velocities, or small displacements, from those of the degrees of freedom: G_m q̇."""
        return [_dot(row, qd) for row in self.rows]

    def act(self, torques: Sequence[Scalar]) -> list[Scalar]:
        """Return what the motors' torques are along the degrees of freedom: G_mᵀ τ_m."""
        total: list[Scalar] = [0.0] * len(self.degrees)
        for row, x in zip(self.rows, torques, strict=True):
            for place, factor in row.items():
                total[place] = total[place] + x * factor
        return total

    def hold(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """Return the motors' torques that act as τ does, those of least norm if there is a choice."""
        self._check_motors()
        if not self.is_square:
            y = solve(self._gram, tau, lambda _, x: self._check(x))
            return [_dot(row, y) for row in self.rows]
        A: list[dict[int, Scalar]] = [{} for _ in self.degrees]
        for k, row in enumerate(self.rows):
            for place, x in row.items():
                A[place][k] = x
        found = Equations(A, range(len(self.names)), self._check).solved(dict(enumerate(tau)))
        return [found.get(k, 0.0) for k in range(len(self.names))]

    def preload(self) -> list[list[Scalar]]:
        """Return the projector on torques that do not act on the degrees of freedom, row by row."""
        count = len(self.names)
        unit = [[float(i == k) for k in range(count)] for i in range(count)]
        self._check_motors()
        if count == len(self.degrees):
            return [[0.0] * count for _ in unit]
        columns = []
        for row, own in zip(self.rows, unit, strict=True):
            y = solve(self._gram, [row.get(k, 0.0) for k in range(len(self.degrees))], lambda _, x: self._check(x))
            columns.append([a - _dot(other, y) for a, other in zip(own, self.rows, strict=True)])
        return [[columns[max(i, k)][min(i, k)] for k in range(count)] for i in range(count)]

    @property
    def _gram(self) -> list[list[Scalar]]:
        """The lower triangle of G_mᵀ G_m."""
        count = len(self.degrees)
        N: list[list[Scalar]] = [[0.0] * count for _ in range(count)]
        for row in self.rows:
            for i, a in row.items():
                for k, b in row.items():
                    if k <= i:
                        N[i][k] = N[i][k] + a * b
        return N

    def _check_motors(self) -> None:
        """Refuse motors that do not determine the motion in any state."""
        if len(self.names) < len(self.degrees):
            motors = f"{len(self.names)} motor{'s' * (len(self.names) != 1)}"
            raise ProgramError(
                f"{self.robot.name} has {len(self.degrees)} degrees of freedom and {motors}, which cannot cause every "
                f"motion; take efforts={INDEPENDENT!r}, or make more joints actuated"
            )
        own = not any(tendon.driven for tendon in self.robot.tendons)  # otherwise the rank decides
        if own and self.robot.loops and set(self.robot.derived(chosen=()).velocity_names) - set(self.names):
            self._refuse()

    def _check(self, divisor: Scalar) -> None:
        if is_zero(divisor):
            self._refuse()

    def _refuse(self) -> NoReturn:
        raise ProgramError(
            f"{self.robot.name}: the motors {', '.join(self.names)} cannot hold it anywhere: some motion leaves all of "
            f"them at rest; take efforts={INDEPENDENT!r}, or make other joints actuated"
        )


def motors_of(robot: Robot) -> Motors:
    """Return a robot's motors in the symbols of the models' input q."""
    robot, _, state = prepare(robot, ("q",))
    return Motors.of(robot, state.coordinates)


def torque_names(robot: Robot, efforts: str) -> tuple[str, ...]:
    """Return the names of the torques that drive a robot."""
    check_efforts(efforts)
    if efforts == INDEPENDENT:
        return robot.velocity_names
    if names := motors_of(robot).names:
        return names
    raise ProgramError(f"{robot.name} has no motors; take efforts={INDEPENDENT!r}")


def check_efforts(efforts: str) -> None:
    """Refuse an unknown choice of torques that drive a simulation."""
    if efforts not in (INDEPENDENT, MOTORS):
        raise ProgramError(f"efforts is {efforts!r}; it must be {INDEPENDENT!r} or {MOTORS!r}")


def whose(robot: Robot, efforts: str, coordinates: str = INDEPENDENT) -> str:
    """Return whose torques a model has: those of the independent axes by default, and in all coordinates the motors'.

    Refuse an unknown choice.
    """
    known = (INDEPENDENT, MOTORS, ALL)
    if efforts not in (AUTO, *known):
        raise ProgramError(f"efforts is {efforts!r}; it must be {', '.join(map(repr, known[:-1]))} or {ALL!r}")
    in_all = coordinates == ALL and bool(robot.loops)
    if efforts == ALL and robot.loops and not in_all:
        raise ProgramError(f"efforts={ALL!r} needs coordinates={ALL!r}: the loops' independent joints move all others")
    if efforts == AUTO:
        return MOTORS if in_all else INDEPENDENT
    return efforts if robot.loops or efforts == MOTORS else INDEPENDENT


def torques(
    coordinates: Coordinates, tau: Sequence[Scalar], motors: Motors | None, own: Mapping[str, Scalar] = NONE
) -> Array:
    """Return the output of an inverse model: torques along the degrees of freedom, or of motors.

    ``own`` has torques that motors give besides, by axis.
    """
    if motors is None:
        return outputs(tau, [len(coordinates.names)], [coordinates.names], INPUTS["tau"][0])
    found = [x + own.get(name, 0.0) for name, x in zip(motors.names, motors.hold(tau), strict=True)]
    return outputs(found, [len(motors.names)], [motors.names], TORQUES)


def driven(
    robot: Robot, efforts: str, external_wrenches: bool | str = False, coordinates: str = INDEPENDENT
) -> tuple[Robot, dict[str, Array], State]:
    """Return what a direct model starts with, as ``prepare`` does; its input ``tau`` can be that of the motors."""
    efforts = whose(robot, efforts, coordinates)
    if efforts == INDEPENDENT and coordinates == INDEPENDENT:
        return prepare(robot, ("q", "qd", "tau"), external_wrenches)
    robot, arrays, state = prepare(robot, ("q", "qd"), external_wrenches, coordinates=coordinates)
    motors = Motors.of(robot, state.coordinates, efforts)
    tau = inputs("tau", motors.names, TORQUES if efforts == MOTORS else INPUTS["tau"][0])
    fixed = {joint.name: joint.GAM for joint in robot.joints}
    given = (fixed.get(name) for name in motors.names)
    values = [x if isinstance(x, Node) and x.op is not SYMBOL else own for x, own in zip(given, tau.nodes, strict=True)]
    own = {"q": arrays.pop("q"), "qd": arrays.pop("qd"), "tau": tau}
    return robot, {**own, **arrays}, replace(state, tau=motors.act(values))


def torque_action(robot: Robot, efforts: str, coordinates: str = INDEPENDENT) -> Program:
    """Return the Program ``q, tau -> tau``: torques along all axes or degrees of freedom, from those that drive."""
    robot, arrays, state = prepare(robot, ("q",), coordinates=coordinates)
    motors = Motors.of(robot, state.coordinates, efforts)
    tau = inputs("tau", motors.names, TORQUES if efforts == MOTORS else INPUTS["tau"][0])
    along = outputs(motors.act(tau.nodes), [len(motors.degrees)], [motors.degrees], INPUTS["tau"][0])
    return program("torque_action", robot, {**arrays, "tau": tau}, {"tau": along})


def motor_speeds(robot: Robot) -> Program:
    """Return the Program ``q, qd -> speeds``: the velocities of the motors."""
    robot, arrays, state = prepare(robot, ("q", "qd"))
    motors = Motors.of(robot, state.coordinates)
    found = motors.speeds(arrays["qd"].nodes)
    speeds = outputs(found, [len(motors.names)], [motors.names], "velocities of the motors")
    return program("motor_speeds", robot, arrays, {"speeds": speeds})


@model("q -> N", "torques of motors that only load the mechanism: a projector")
def preload(robot: Robot) -> Program:
    """Return the Program ``q -> N``: the projector on the motors' torques that cause no motion.

    With more motors than degrees of freedom, as in a parallel robot with a redundant leg, ``tau + N z`` moves the robot
    as ``tau`` does, for every ``z``, and loads it from within. ``tau`` of ``inverse_dynamics(robot, efforts="motors")``
    has the least norm, N tau = 0. With no more motors than degrees of freedom, N is zero.
    """
    robot, arrays, state = prepare(robot, ("q",))
    motors = Motors.of(robot, state.coordinates)
    count = len(motors.names)
    entries = [x for row in motors.preload() for x in row]
    N = outputs(entries, [count, count], [motors.names, motors.names], "torques of motors that cause no motion")
    return program("preload", robot, arrays, {"N": N})


def _dot(row: Row, values: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for place, x in row.items():
        total = total + x * values[place]
    return total
