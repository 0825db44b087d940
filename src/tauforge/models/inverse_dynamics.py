"""Inverse dynamics: joint torques from coordinates, velocities and accelerations.

The recursive Newton-Euler method in link frames: W. Khalil, "Dynamic modeling of robots using recursive Newton-Euler
techniques" (ICINCO 2010), equations (12)-(31). ``outward.py`` has the motion of the links, (12)-(21). Letters as in
Khalil's programs: F and N are force and moment, E the wrench of a link and everything it carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import ProgramError
from ..graph.node import Scalar
from ..program.array import Array, outputs
from ..program.optimise import cheapest
from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.robot import Robot
from ..spatial.inertia import Inertia
from ..spatial.pose import Pose
from ..spatial.screw import UNLOADED, Wrench
from ..spatial.vector import ZERO, Vector, cross, times
from .classical import DEFAULT, classical
from .coordinates import ALL, INDEPENDENT
from .hybrid_dynamics import free_base_dynamics
from .joint_law import resistances, rotors
from .labels import Labels
from .loops.motors import AUTO, MOTORS, TORQUES, Motors, torques, whose
from .outward import CHOICES, Choices, Motion, forward, moving
from .prepare import entries, prepare
from .registry import SUMS, model
from .results import program
from .singular import warn_if_singular
from .state import INPUTS, State


def inertial_wrench(j: Motion, body: Inertia) -> tuple[Wrench, Vector]:
    """Return a link's force F (22), its moment N (23), and No, the part of N from the inertia matrix."""
    XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = body
    WP, U = j.WP, j.U
    D11, D22, D33, D12, D13, D23 = j.DV
    S = Vector(MX, MY, MZ)
    F = j.VP * M + times(U, S)
    if XX + YY == ZZ:  # a plate in the plane xy: each moment has one product less
        turning = Vector(U[2][1] * XX, -U[2][0] * YY, U[1][0] * YY - U[0][1] * XX)
    else:
        turning = Vector(WP[0] * XX + D23 * (ZZ - YY), WP[1] * YY + D13 * (XX - ZZ), WP[2] * ZZ + D12 * (YY - XX))
    No = turning + Vector(
        U[1][0] * XZ - U[2][0] * XY + (D22 - D33) * YZ,
        U[2][1] * XY - U[0][1] * YZ + (D33 - D11) * XZ,
        U[0][2] * YZ - U[1][2] * XZ + (D11 - D22) * XY,
    )
    return Wrench(F, No + cross(S, j.VP)), No


def newton_euler(robot: Robot, state: State, labels: Labels | None = None, choices: Choices = CHOICES) -> list[Scalar]:
    """Return the joint torques; scalars can be numbers or expressions. ``labels`` collects the papers' names."""
    _, _, E = loads(robot, state, labels, choices)
    efforts: list[Scalar] = []
    rotor, against = rotors(robot, state), resistances(robot, state)
    for j, joint in enumerate(robot.joints, 1):
        own = zip(joint.along(state.q[j], E[j]), rotor[j], against[j], strict=True)
        efforts += [x + inertia + resistance for x, inertia, resistance in own]  # (31)
    return efforts


def loads(
    robot: Robot, state: State, labels: Labels | None = None, choices: Choices = CHOICES
) -> tuple[list[Motion], list[Pose], list[Wrench]]:
    """Return the motion of each link, its pose, and the wrench on it and everything it carries; the base comes first
    among motions and wrenches.
    """
    label = labels or Labels()
    base = robot.base
    at: list[Motion] = [moving(ZERO, base.W0, base.WP0, base.VP0 - robot.gravity)]
    poses, E = list[Pose](), [UNLOADED]
    for j, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
        pose = joint.pose(state.q[j])
        link = forward(at[joint.antecedent], joint, pose, state.q[j], state.qd[j], state.qdd[j], choices)
        F, No = inertial_wrench(link, body.inertia)
        label.motion(j, link, F.f, No)
        at.append(link)
        poses.append(pose)
        E.append(F + Wrench(state.f[j], state.m[j]))  # (26), (27)
    for j in range(len(robot.joints), 0, -1):
        label.wrench(j, *E[j])
        i = robot.joints[j - 1].antecedent
        E[i] = E[i] + E[j].inward(poses[j - 1])  # (28)-(30)
    return at, poses, E


@model(
    "q, qd, qdd -> tau", "torques of a motion", groups="auto", watch=warn_if_singular("base_acceleration"), choices=SUMS
)
def inverse_dynamics(
    robot: Robot,
    *,
    parameters: str | BaseSet = "auto",
    formulation: str = DEFAULT,
    external_wrenches: bool | str = False,
    free_base: bool = False,
    coordinates: str = INDEPENDENT,
    efforts: str = AUTO,
    reframe: bool = True,
    sums: bool = False,
) -> Program:
    """Return the Program ``q, qd, qdd -> tau``.

    Parameters
    ----------
    parameters
        Which inertial parameters to use: "standard"; "base", the fewest, which need fewer operations; "least", the
        equivalent set that costs this model least; or "auto", which takes the cheapest ones if all are numbers, and the
        standard ones if some are symbols. ``base_parameters(program)`` has the values of those that were taken, and you
        can give such a set here too.
    formulation
        "newton-euler", the fastest, or one of the classical ones: ``formulations()`` lists them.
    external_wrenches
        True adds the input ``wrenches`` (links, 6): the force and moment that each link exerts on its surroundings, in
        its frame and at its origin; "robot" takes them from the robot's description.
    free_base
        For a robot on a floating base on which no wrench acts: take only the joints' accelerations, and return their
        ``tau`` and the resulting ``base_acceleration``.
    coordinates
        With closed loops, whose velocities and accelerations ``qd`` and ``qdd`` have: "independent", those of
        ``robot.independent``, or "all", those of every axis of the tree, which must be possible while the loops stay
        closed. With all of them, the output ``unbalanced`` has, by axis, what no torques in ``tau`` can balance: zero
        where these suffice.
    efforts
        Whose torques ``tau`` has: "independent", those of ``robot.independent``; "motors", those of ``robot.motors``,
        which differ where loops are closed, and where tendons or a coupling drive joints; or in all coordinates "all",
        those of every axis. By default they are those of the independent joints, and in all coordinates those of the
        motors. If there is a choice, they are the ones of least norm.
    reframe
        Whether links of a robot with free frames, such as one from URDF, can get other frames if that saves operations
        (see ``Robot.to_mdh``); torques, coordinates and wrenches keep their meaning.
    sums
        Whether to use sines and cosines of sums of angles where axes are parallel. This saves multiplications and
        additions, but takes more sines and cosines.
    """
    if formulation != DEFAULT:
        if free_base:
            raise ProgramError(f"free_base is for formulation={DEFAULT!r}; {formulation!r} has a base at rest")
        if efforts not in (AUTO, INDEPENDENT):
            raise ProgramError(f"efforts={efforts!r} is for formulation={DEFAULT!r}; {formulation!r} does not take it")
        return classical("inverse_dynamics", robot, formulation, external_wrenches, coordinates=coordinates)
    if free_base:
        if coordinates != INDEPENDENT and robot.loops:
            raise ProgramError(f"coordinates={coordinates!r} and free_base=True exclude each other; leave one out")
        if efforts not in (AUTO, INDEPENDENT):
            raise ProgramError(f"efforts={efforts!r} and free_base=True exclude each other; leave one out")
        return free_base_dynamics(robot, external_wrenches)
    efforts = whose(robot, efforts, coordinates)
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"), external_wrenches, coordinates=coordinates)
    labels = Labels()
    tau = state.coordinates.gathered(newton_euler(robot, state, labels, Choices(sums=sums)))
    if coordinates == ALL and robot.loops:
        return program("inverse_dynamics", robot, arrays, _in_all_coordinates(robot, state, tau, efforts), labels)
    motors = Motors.of(robot, state.coordinates) if efforts == MOTORS else None
    results = {"tau": torques(state.coordinates, tau, motors)}
    found = program("inverse_dynamics", robot, arrays, results, labels)
    return cheapest([found, *_through_loops(robot, arrays, state, efforts)]) if robot.loops else found


def _in_all_coordinates(robot: Robot, state: State, tau: Sequence[Scalar], efforts: str) -> dict[str, Array]:
    """Return torques of the motors, and what they cannot balance, in the place of torques of all axes."""
    from .loops.constraints import Constraints
    from .loops.motor_torques import motor_torques

    names, motors = state.coordinates.names, Motors.of(robot, state.coordinates, efforts)
    constraints = Constraints.of(robot, state.coordinates, state.q)
    found = motor_torques(tau, constraints, motors.rows)
    meaning = TORQUES if efforts == MOTORS else INPUTS["tau"][0]
    return {
        "tau": outputs(found.tau, [len(motors.names)], [motors.names], meaning),
        "unbalanced": outputs(found.unbalanced, [len(names)], [names], "torques that are missing"),
    }


def _through_loops(robot: Robot, arrays: dict[str, Array], state: State, efforts: str) -> Iterator[Program]:
    """Yield the Program without the map G, if there is one."""
    from .loops.through_loops import torques_through_loops

    if efforts == MOTORS and any(tendon.driven for tendon in robot.tendons):
        return  # their rows of G_m are sums
    labels = Labels()
    qd, qdd = (entries(robot, state.coordinates, arrays[name], name) for name in ("qd", "qdd"))
    motors = Motors.of(robot, state.coordinates) if efforts == MOTORS else None
    names, spared = (motors.names, motors.is_square) if motors else ((), False)
    found = torques_through_loops(robot, state, qd, qdd, names, spared, labels)
    if found is None:
        return
    motors = motors and motors.with_rows(found.rows)
    results = {"tau": torques(state.coordinates, found.tau, motors, found.own)}
    yield program("inverse_dynamics", robot, arrays, results, labels)


def _slopes(robot: Robot, variables: Sequence[str], **options: Any) -> Program | None:
    """Return the derivatives of the torques with respect to q or qd by composite bodies, if there is this way."""
    from .slopes import slopes

    return slopes(robot, variables, options)


inverse_dynamics.slopes = {"tau": _slopes}  # type: ignore[attr-defined]
