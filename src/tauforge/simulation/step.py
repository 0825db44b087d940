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
from ..graph.functions import absolute
from ..graph.node import Node, as_node, symbol
from ..graph.rewrite import replaced
from ..llvm.march.tables import AHEAD
from ..models.configuration import integrate
from ..models.direct_dynamics import direct_dynamics
from ..program.array import Array, Shape, inputs, outputs
from ..program.program import Program
from ..robot.entries import owners
from ..robot.robot import Robot
from .balance import power
from .constrained import accelerations, independent_places, margin_of, opened, projection
from .equations import action_of, check_torque_names

Nodes = Sequence[Node]
STATE, INTEGRAL, COUNTER, WORK, MARGIN = "state", "integral", "counter", "work", "margin"
"""The carried arrays: coordinates and velocities, a controller's integral, the number of steps done, the work, and how
well the independent joints describe the state: at the least so far, and now."""
CARRIED = {f"{name}_next": name for name in (STATE, INTEGRAL, COUNTER, WORK, MARGIN)}
"""Outputs of a step, and the inputs that they become."""
STEP = "dt"
"""The input that holds the time step."""
TIME = "t"
"""A controller's input that is the time since the start."""
RATE = "integral_rate"
"""A controller's output that is the time derivative of its input ``integral``."""
METHODS = ("semi-implicit", "rk4")
"""The methods of integration."""


class Motion(NamedTuple):
    """What the methods are made of.

    Attributes
    ----------
    accelerate
        Returns the rates of speeds from coordinates, speeds, and the part of the step that has passed. Speeds are
        velocities, and then the controller's integral, which is integrated as they are.
    move
        Returns the coordinates to which speeds times a duration lead.
    dt
        The time step.
    flat
        Whether all velocities are the rates of coordinates.
    """

    accelerate: Callable[[Nodes, Nodes, float], Nodes]
    move: Callable[[Nodes, Nodes], Nodes]
    dt: Node
    flat: bool


def step(
    robot: Robot,
    method: str,
    controller: Program | None,
    hold: bool,
    efforts: str,
    work: bool = False,
    whole: bool = False,
    watched: bool = False,
) -> tuple[Program, tuple[str, ...]]:
    """Return the Program of one step, the state, the time step and the other inputs -> the next state, and the names of
    the torques.

    Parameters
    ----------
    method
        One of METHODS.
    controller
        Computes the torques; without one they are an input.
    hold
        Whether the controller's torques are those at the beginning of the step throughout.
    efforts
        Whose torques they are.
    work
        Whether the work of all that is not in the energy is integrated too.
    whole
        Whether the velocities in the state are those of all joints, not only of the independent ones.
    watched
        Whether the margin of the independent joints is carried on.
    """
    if whole:
        dynamics, moving, places = accelerations(robot, False), integrate(opened(robot)), independent_places(robot)
    else:
        dynamics, moving = direct_dynamics(robot), integrate(robot)
        places = tuple(range(len(dynamics.arguments["qd"].nodes)))
    q, qd, acting = (dynamics.arguments[name] for name in ("q", "qd", "tau"))
    action = action_of(robot, efforts, whole)
    tau, along = (action.arguments["tau"], action.results["tau"].nodes) if action else (acting, acting.nodes)
    integral = _integral(controller)
    dt, counter, count = symbol(STEP), symbol(COUNTER), len(qd.nodes)
    names = [qd.shape.labels[0][k] for k in places]
    state_of = {"q": q, "qd": inputs("qd", names, qd.meaning) if whole else qd, INTEGRAL: integral}
    control = _control(controller, robot, state_of, tau) if controller else None
    total = (symbol(WORK),) if work else ()
    wanted = [*_with(dynamics.results["qdd"].nodes, (acting, along))]
    wanted += [power(opened(robot) if whole else robot, along)] if work else []
    known = count + len(integral.nodes)
    speeds = (*qd.nodes, *integral.nodes, *total)

    def read(now: Nodes) -> Nodes:
        return [*(now[k] for k in places), *now[count:known]]

    held = control(q.nodes, read(speeds), counter) if control and hold else tau.nodes

    def accelerate(at: Nodes, now: Nodes, passed: float) -> Nodes:
        made = control(at, read(now), counter + passed) if control and not hold else held
        torques = len(tau.nodes)
        rates = _with(wanted, (q, at), (qd, now[:count]), (tau, made[:torques]))
        return [*rates[:count], *made[torques:], *rates[count:]]

    def move(at: Nodes, way: Nodes) -> Nodes:
        return _with(moving.results["q_next"].nodes, (moving.arguments["q"], at), (moving.arguments["v"], way[:count]))

    tree = robot.expanded()
    flat = all(tree.joints[j - 1].kind.is_flat for j in owners(tree))
    method_step = _semi_implicit if method == METHODS[0] else _runge_kutta
    reached, after = method_step(Motion(accelerate, move, dt, flat), q.nodes, speeds)
    if whole:
        made = projection(robot)
        back = _with(
            [*made.results["q_closed"].nodes, *made.results["qd_closed"].nodes], (q, reached), (qd, after[:count])
        )
        reached, after = back[: len(q.nodes)], [*back[len(q.nodes) :], *after[count:]]
    state = (*q.nodes, *qd.nodes)
    own = own_inputs(controller) if controller else {"tau": tau}
    arguments = {STATE: Array(Shape([len(state)]), state), **own, STEP: Array(Shape([]), (dt,))}
    results = {"state_next": outputs([*reached, *after[:count]], [len(state)], [], "")}
    if integral.nodes:
        arguments[INTEGRAL] = integral
        results["integral_next"] = outputs(after[count:known], integral.shape, [], "")
    if controller and any(name == TIME for name in controller.arguments):
        arguments[COUNTER] = Array(Shape([]), (counter,))
        results["counter_next"] = outputs([counter + 1.0], [], [], "")
    if work:
        arguments[WORK] = Array(Shape([1]), total)
        results["work_next"] = outputs(after[known:], [1], [], "")
    if watched:
        least, last = symbol(f"{MARGIN}[0]"), symbol(f"{MARGIN}[1]")
        margin = margin_of(robot, reached)
        arguments[MARGIN] = Array(Shape([2]), (least, last))
        expected = margin - AHEAD * (last - margin)
        results["margin_next"] = outputs([_least(_least(least, margin), expected), margin], [2], [], "")
    return Program("rollout", arguments, results), tuple(tau.shape.labels[0])


def _least(a: Node, b: Node) -> Node:
    return as_node((a + b - absolute(a - b)) * 0.5)


def own_inputs(controller: Program) -> dict[str, Array]:
    """Return those inputs of a controller that its caller gives: all but its state, the time and the time step."""
    return {name: array for name, array in controller.arguments.items() if not _is_known(controller, name)}


def _is_known(controller: Program, name: str) -> bool:
    integral = name == INTEGRAL and RATE in controller.results
    return integral or name.partition("[")[0] in ("q", "qd") or name in (TIME, STEP)


def _integral(controller: Program | None) -> Array:
    """Return the integral that a controller keeps, without entries if it keeps none."""
    if controller and INTEGRAL in controller.arguments and RATE in controller.results:
        return controller.arguments[INTEGRAL]
    return Array(Shape([0]), ())


def _control(
    controller: Program, robot: Robot, state: Mapping[str, Array], tau: Array
) -> Callable[[Nodes, Nodes, Node], Nodes]:
    """Return the torques, then the rate of the integral, as a function of coordinates, speeds, and steps done."""
    name = "tau" if "tau" in controller.results else next(iter(controller.results))
    _check(controller, robot, state, tau, name)
    made = [*controller.results[name].nodes]
    made += controller.results[RATE].nodes if state[INTEGRAL].nodes else ()

    def torques(at: Nodes, speeds: Nodes, done: Node) -> Nodes:
        values = dict(zip((node for array in state.values() for node in array.nodes), (*at, *speeds), strict=True))
        new = replaced(made, values | {symbol(TIME): done * symbol(STEP)})
        return [new[node] for node in made]

    return torques


def _check(controller: Program, robot: Robot, state: Mapping[str, Array], tau: Array, name: str) -> None:
    """Refuse a controller that does not fit the robot."""
    what, made = f"the controller {controller.name}", controller.results[name]
    if controller.repeat:
        raise ProgramError(f"{what} is repeated until it is done, which a step cannot contain")
    if "tau" not in controller.results and len(controller.results) > 1:
        raise ProgramError(f"{what} has the outputs {', '.join(controller.results)}; its torques must be called tau")
    if made.shape != tau.shape:
        raise ProgramError(
            f"{what} has the output {name}{list(made.shape)}; {robot.name} takes {tau.shape.size} torques, one for "
            f"each of {', '.join(tau.shape.labels[0])}"
        )
    check_torque_names(controller, name, tau)
    if state[INTEGRAL].nodes and controller.results[RATE].shape != state[INTEGRAL].shape:
        raise ProgramError(f"{what}: the shapes of {INTEGRAL} and {RATE} differ")
    entries = {node for array in state.values() for node in array.nodes} | {symbol(TIME), symbol(STEP)}
    for key, array in controller.arguments.items():
        fits = entries.issuperset(array.nodes) and (key not in state or array.shape == state[key].shape)
        if _is_known(controller, key) and not fits:
            sizes = ", ".join(f"{known}[{state[known].shape.size}]" for known in ("q", "qd"))
            raise ProgramError(f"{what} has the input {key}{list(array.shape)}; {robot.name} has {sizes}, t and dt")
    if taken := {STATE, COUNTER, WORK, MARGIN} & own_inputs(controller).keys():
        raise ProgramError(f"{what} has an input called {', '.join(taken)}, which a step has already; rename it")


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
