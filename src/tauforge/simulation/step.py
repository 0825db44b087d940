"""One step of a simulation as a Program: direct dynamics, the controller, and the motion on the manifold.

Both methods are written with two functions of the graph: ``accelerate``, direct dynamics with the torques in it, and
``move``, where a velocity leads. For joints whose velocities are the rates of their coordinates, ``move`` adds, and the
fourth-order method is the classical one of Runge and Kutta. Rotations and poses do not add. There, the method without
commutators of Celledoni, Marthinsen and Owren (2003) is of the fourth order too; it moves twice in the last stage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..errors import ProgramError
from ..graph.node import Node, as_node, symbol
from ..graph.rewrite import replaced
from ..models.configuration import integrate
from ..models.direct_dynamics import direct_dynamics
from ..program.program import Array, Program, Shape, outputs
from ..robot.entries import owners
from ..robot.robot import Robot

Nodes = Sequence[Node]
STATE, COUNTER = "state", "counter"
"""The carried arrays: coordinates and velocities, and the number of steps done."""
CARRIED = {"state_next": STATE, "counter_next": COUNTER}
"""Outputs of a step, and the inputs that they become."""
STEP = "dt"
"""The input that holds the time step."""
TIME = "t"
"""A controller's input that is the time since the start."""
METHODS = ("semi-implicit", "rk4")
"""The methods of integration."""


class Motion(NamedTuple):
    """What the methods are made of.

    Attributes
    ----------
    accelerate
        Returns the accelerations from coordinates, velocities, and the part of the step that has passed.
    move
        Returns the coordinates to which a velocity times a duration leads.
    dt
        The time step.
    flat
        Whether all velocities are the rates of coordinates.
    """

    accelerate: Callable[[Nodes, Nodes, float], Nodes]
    move: Callable[[Nodes, Nodes], Nodes]
    dt: Node
    flat: bool


def step(robot: Robot, method: str, controller: Program | None, hold: bool) -> Program:
    """Return the Program of one step: the state, the time step and the other inputs -> the next state.

    Parameters
    ----------
    method
        One of METHODS.
    controller
        Computes the torques; without one they are an input.
    hold
        Whether the controller's torques are those at the beginning of the step throughout.
    """
    dynamics, moving = direct_dynamics(robot), integrate(robot)
    q, qd, tau = (dynamics.arguments[name] for name in ("q", "qd", "tau"))
    dt, counter = symbol(STEP), symbol(COUNTER)
    control = _torques(controller, robot, q, qd, tau, counter) if controller else None
    held = control(q.nodes, qd.nodes, 0.0) if control and hold else tau.nodes

    def accelerate(at: Nodes, velocity: Nodes, passed: float) -> Nodes:
        torques = control(at, velocity, passed) if control and not hold else held
        return _with(dynamics.results["qdd"].nodes, (q, at), (qd, velocity), (tau, torques))

    def move(at: Nodes, way: Nodes) -> Nodes:
        return _with(moving.results["q_next"].nodes, (moving.arguments["q"], at), (moving.arguments["v"], way))

    whole = robot.expanded()
    flat = all(whole.joints[j - 1].kind.is_flat for j in owners(whole))
    motion = Motion(accelerate, move, dt, flat)
    reached, speed = (_semi_implicit if method == METHODS[0] else _runge_kutta)(motion, q.nodes, qd.nodes)
    state = Array(Shape([len(q.nodes) + len(qd.nodes)]), (*q.nodes, *qd.nodes), "coordinates and velocities")
    arguments = {STATE: state, **_inputs(controller, tau), STEP: Array(Shape([]), (dt,), "time step")}
    results = {"state_next": outputs([*reached, *speed], state.shape, [], state.meaning)}
    if controller and TIME in controller.arguments:
        arguments[COUNTER] = Array(Shape([]), (counter,), "number of steps done")
        results["counter_next"] = outputs([counter + 1.0], [], [], "number of steps done")
    return Program("rollout", arguments, results)


def own_inputs(controller: Program) -> dict[str, Array]:
    """Return those inputs of a controller that its caller gives: all but the state, the time and the time step."""
    return {name: array for name, array in controller.arguments.items() if not _is_known(name)}


def _is_known(name: str) -> bool:
    return name.partition("[")[0] in ("q", "qd") or name in (TIME, STEP)


def _inputs(controller: Program | None, tau: Array) -> dict[str, Array]:
    return own_inputs(controller) if controller else {"tau": tau}


def _torques(
    controller: Program, robot: Robot, q: Array, qd: Array, tau: Array, counter: Node
) -> Callable[[Nodes, Nodes, float], Nodes]:
    """Return the controller's torques as a function of coordinates, velocities and the part of a step that has
    passed.
    """
    name = "tau" if "tau" in controller.results else next(iter(controller.results))
    made = controller.results[name]
    _check(controller, robot, {"q": q, "qd": qd}, made, tau, name)
    places = {node: ("q", i) for i, node in enumerate(q.nodes)} | {node: ("qd", i) for i, node in enumerate(qd.nodes)}
    nodes = [node for key, array in controller.arguments.items() if _is_known(key) for node in array.nodes]

    def torques(at: Nodes, velocity: Nodes, passed: float) -> Nodes:
        values = {"q": at, "qd": velocity}
        by = {node: values[places[node][0]][places[node][1]] for node in nodes if node in places}
        by[symbol(TIME)] = (counter + passed) * symbol(STEP)
        new = replaced(made.nodes, by)
        return [new[node] for node in made.nodes]

    return torques


def _check(controller: Program, robot: Robot, state: Mapping[str, Array], made: Array, tau: Array, name: str) -> None:
    """Refuse a controller that does not fit the robot."""
    what = f"the controller {controller.name}"
    if controller.repeat:
        raise ProgramError(f"{what} is repeated until it is done, which a step cannot contain")
    if "tau" not in controller.results and len(controller.results) > 1:
        raise ProgramError(f"{what} has the outputs {', '.join(controller.results)}; its torques must be called tau")
    if made.shape != tau.shape:
        raise ProgramError(
            f"{what} has the output {name}{list(made.shape)}; {robot.name} takes {tau.shape.size} torques, one for "
            f"each of {', '.join(tau.shape.labels[0])}"
        )
    entries = {node for array in state.values() for node in array.nodes} | {symbol(TIME), symbol(STEP)}
    for key, array in controller.arguments.items():
        if _is_known(key) and (
            not entries.issuperset(array.nodes) or (key in state and array.shape != state[key].shape)
        ):
            sizes = " and ".join(f"{known}[{a.shape.size}]" for known, a in state.items())
            raise ProgramError(f"{what} has the input {key}{list(array.shape)}; {robot.name} has {sizes}, t and dt")
    if COUNTER in own_inputs(controller) or STATE in own_inputs(controller):
        raise ProgramError(f"{what} has an input called {COUNTER} or {STATE}, which a step has already; rename it")


def _with(nodes: Nodes, *values: tuple[Array, Nodes]) -> Nodes:
    """Return nodes with the entries of arrays replaced."""
    by = {old: new for array, new_nodes in values for old, new in zip(array.nodes, new_nodes, strict=True)}
    new = replaced(nodes, by)
    return [new[node] for node in nodes]


def _semi_implicit(motion: Motion, q: Nodes, qd: Nodes) -> tuple[Nodes, Nodes]:
    speed = _sum((qd, 1.0), (motion.accelerate(q, qd, 0.0), motion.dt))
    return motion.move(q, _sum((speed, motion.dt))), speed


def _runge_kutta(motion: Motion, q: Nodes, qd: Nodes) -> tuple[Nodes, Nodes]:
    accelerate, move, h = motion.accelerate, motion.move, motion.dt
    half = h * 0.5
    a1 = accelerate(q, qd, 0.0)
    q2, v2 = move(q, _sum((qd, half))), _sum((qd, 1.0), (a1, half))
    a2 = accelerate(q2, v2, 0.5)
    q3, v3 = move(q, _sum((v2, half))), _sum((qd, 1.0), (a2, half))
    a3 = accelerate(q3, v3, 0.5)
    v4 = _sum((qd, 1.0), (a3, h))
    q4 = move(q, _sum((v3, h))) if motion.flat else move(q2, _sum((v3, h), (qd, -half)))
    a4 = accelerate(q4, v4, 1.0)
    sixth = h * (1.0 / 6.0)
    speed = _sum((qd, 1.0), (_sum((a1, 1.0), (_sum((a2, 1.0), (a3, 1.0)), 2.0), (a4, 1.0)), sixth))
    middle = _sum((_sum((v2, 1.0), (v3, 1.0)), 2.0))
    if motion.flat:
        return move(q, _sum((_sum((qd, 1.0), (middle, 1.0), (v4, 1.0)), sixth))), speed
    twelfth = h * (1.0 / 12.0)
    first = _sum((_sum((qd, 3.0), (middle, 1.0), (v4, -1.0)), twelfth))
    last = _sum((_sum((middle, 1.0), (v4, 3.0), (qd, -1.0)), twelfth))
    return move(move(q, first), last), speed


def _sum(*terms: tuple[Nodes, Node | float]) -> Nodes:
    """Return the sum of vectors times factors."""
    first, *others = ([x * as_node(factor) for x in vector] for vector, factor in terms)
    total = first
    for vector in others:
        total = [x + y for x, y in zip(total, vector, strict=True)]
    return total
