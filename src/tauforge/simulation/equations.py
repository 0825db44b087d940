"""The equations of motion as Programs: rates of the state from the state, and their exact derivatives.

The torques are an input, or come from a controller's Program, which then becomes a part of the graph: the derivatives
are those of robot and controller together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ..errors import ProgramError
from ..graph.functions import absolute
from ..graph.node import ONE, ZERO, Node, Scalar, as_node
from ..graph.rewrite import replaced
from ..models.configuration import integrate
from ..models.coordinates import ALL, INDEPENDENT
from ..models.direct_dynamics import direct_dynamics
from ..models.loops.motors import TORQUES, torque_action
from ..program.array import Array, Shape, outputs
from ..program.fuse import fuse
from ..program.program import Program
from ..robot.robot import Robot
from .balance import power
from .constrained import accelerations, independent_places, opened
from .friction import Bristles, Stiction, slides, smooth_friction, sticking_friction
from .stops import Stops, stop_torques

STATE = ("q", "qd", "integral")
"""Inputs that are integrated; the last holds a controller's integral, then the bristles of joints that stick."""


@lru_cache(maxsize=32)
def equations(
    robot: Robot,
    controller: Program | None = None,
    *,
    whole: bool = False,
    wrenches: bool = False,
    smoothing: float = 0.0,
    saturation: tuple[float, ...] | None = None,
    stiction: Stiction | None = None,
    stops: Stops | None = None,
    efforts: str = INDEPENDENT,
) -> Program:
    """Return the Program ``q, qd, tau -> rate, qdd, power, tau_applied``, where ``rate`` is the time derivative of q.

    With ``efforts="motors"``, ``tau`` are the torques of the motors. With a controller, its other inputs take the place
    of ``tau``, and its rate of the integral is an output too. ``rate`` is absent if it is qd. In all coordinates, as
    ``whole`` asks for, qd and qdd are those of the tree; torques and what a controller reads are those of the
    independent joints, or of the motors.
    """
    sliding = (smoothing > 0.0 or stiction is not None) and slides(robot)
    rubbed = robot.neglect("FS", "FB") if sliding else robot
    action = action_of(robot, efforts, whole)
    if whole:
        direct, places, robot = accelerations(rubbed, wrenches), independent_places(robot), opened(robot)
    else:
        direct, places = direct_dynamics(rubbed, external_wrenches=wrenches), None
    acting = direct.arguments["tau"]
    given = action.arguments["tau"] if action else acting
    tau, arguments, more = list(given.nodes), {**direct.arguments, "tau": given}, dict[str, Array]()
    if controller:
        if places is not None:
            controller = _reading(controller, direct.arguments["qd"], places)
        _check(direct.inputs, controller, given, None if places is None else len(places))
        tau = list(controller.results["tau"].nodes)
        del arguments["tau"]
        arguments |= {name: array for name, array in controller.arguments.items() if name not in arguments}
        more = {name: array for name, array in controller.results.items() if name != "tau"}
    if saturation is not None:
        tau = [limited(x, bound) for x, bound in zip(tau, saturation, strict=True)]
    driving: list[Scalar] = [*tau]
    if action:
        made = replaced(action.results["tau"].nodes, dict(zip(given.nodes, tau, strict=True)))
        driving = [made[node] for node in action.results["tau"].nodes]
    if sliding:
        rubbing = sticking_friction(robot, stiction) if stiction else smooth_friction(robot, smoothing)
        driving = [x - f for x, f in zip(driving, rubbing.torques, strict=True)]
        _integrate(rubbing, arguments, more)
    if stops:
        driving = [x + push for x, push in zip(driving, stop_torques(robot, stops), strict=True)]
    by = dict(zip(acting.nodes, map(as_node, driving), strict=True))
    new = replaced(direct.results["qdd"].nodes, by)
    qdd = replace(direct.results["qdd"], nodes=tuple(new[node] for node in direct.results["qdd"].nodes))
    outside = arguments["wrenches"].nodes if wrenches else ()
    left = [as_node(x) for x in driving]
    results = {
        "qdd": qdd,
        "power": outputs(
            [power(opened(rubbed) if whole else rubbed, left, outside)],
            [],
            [],
            "power of all that is not in the energy",
        ),
        "tau_applied": replace(given, nodes=tuple(tau), meaning="torques that act"),
        "tau_left": replace(acting, nodes=tuple(left), meaning="torques that friction leaves"),
        **more,
    }
    if whole:
        closing = direct.results["multipliers"]
        new = replaced(closing.nodes, by)
        results["multipliers"] = replace(closing, nodes=tuple(new[node] for node in closing.nodes))
    if rate := _rate(direct):
        results = {"rate": rate, **results}
    return Program(f"{robot.name}_equations", arguments, results, heading=direct.heading)


def slopes(program: Program) -> Program:
    """Return the Program of all derivatives that a Jacobian needs: of each rate by each part of the state, and by
    torques and wrenches if these are inputs.
    """
    by = [name for name in (*STATE, "tau", "wrenches") if name in program.arguments]
    rates = [name for name in ("rate", "qdd", "integral_rate") if name in program.results]
    return fuse(*(program.derivative(name, by) for name in rates), name=f"{program.name}_slopes")


@lru_cache(maxsize=32)
def tangent(robot: Robot) -> Program | None:
    """Return the Program ``q -> T``: how the coordinates of the tree change with its velocities; None if T is one."""
    q = integrate(robot.expanded().derived(loops=())).arguments["q"]
    if q.tangent is None:
        return None
    return Program(f"{robot.name}_tangent", {"q": replace(q, tangent=None)}, {"T": q.tangent})


def limited(x: Scalar, bound: float) -> Node:
    """Return a value cut off at plus and minus a bound."""
    if bound == float("inf"):
        return as_node(x)
    return as_node((absolute(x + bound) - absolute(x - bound)) * 0.5)


def _integrate(rubbing: Bristles, arguments: dict[str, Array], results: dict[str, Array]) -> None:
    """Add the deflections of bristles to what is integrated."""
    if not rubbing.states:
        return
    none = Array(Shape([0]), ())
    nodes = (*arguments.get("integral", none).nodes, *rubbing.states)
    rates = (*results.get("integral_rate", none).nodes, *rubbing.rates)
    arguments["integral"] = Array(Shape([len(nodes)]), nodes, "a controller's integral, and bristles of friction")
    results["integral_rate"] = Array(Shape([len(rates)]), rates, "its time derivative")


def action_of(robot: Robot, efforts: str, whole: bool) -> Program | None:
    """Return torques along the velocities of the state from those that drive; None where they are the same."""
    if efforts == INDEPENDENT and not whole:
        return None
    return torque_action(robot, efforts, ALL if whole else INDEPENDENT)


def _reading(controller: Program, qd: Array, places: Sequence[int]) -> Program:
    """Return a controller that reads the velocities of independent joints among those of all."""
    if "qd" not in controller.arguments or len(controller.arguments["qd"].nodes) != len(places):
        return controller
    by = dict(zip(controller.arguments["qd"].nodes, (qd.nodes[k] for k in places), strict=True))
    results = {}
    for name, array in controller.results.items():
        new = replaced(array.nodes, by)
        results[name] = replace(array, nodes=tuple(new[node] for node in array.nodes))
    return replace(controller, arguments={**controller.arguments, "qd": qd}, results=results)


def _check(known: Mapping[str, Shape], controller: Program, tau: Array, velocities: int | None) -> None:
    """Refuse a controller that belongs to another robot, or to its joints instead of its motors."""
    for name in ("q", "qd"):
        if name in controller.arguments and controller.inputs[name].shape != known[name].shape:
            sizes = list(known[name]) if name == "q" or velocities is None else [velocities]
            raise ProgramError(
                f"the controller {controller.name} takes {name}{list(controller.inputs[name])}, but the robot has "
                f"{name}{sizes}; make the controller for this robot"
            )
    if controller.outputs["tau"].shape != tau.shape.shape:
        raise ProgramError(
            f"the controller {controller.name} gives tau{list(controller.outputs['tau'])}, but the robot takes "
            f"tau{list(tau.shape)}: {', '.join(tau.shape.labels[0])}"
        )
    check_torque_names(controller, "tau", tau)


def check_torque_names(controller: Program, name: str, tau: Array) -> None:
    """Refuse a controller of joints where motors are driven, and the other way round."""
    (made,), (taken,) = controller.outputs[name].labels or ((),), tau.shape.labels
    meanings = controller.results[name].meaning, tau.meaning
    if made and made != taken and TORQUES in meanings:
        whose = ["motors" if meaning == TORQUES else "joints" for meaning in meanings]
        raise ProgramError(
            f"the controller {controller.name} gives torques of the {whose[0]} ({', '.join(made)}), but the robot "
            f"takes those of the {whose[1]} ({', '.join(taken)}); make and simulate with the same efforts=…"
        )


def _rate(direct: Program) -> Array | None:
    """Return the time derivative of q, or None if it is qd."""
    q, qd = direct.arguments["q"], direct.arguments["qd"].nodes
    if q.tangent is None:
        return None
    count, rates = len(qd), list[Scalar]()
    for i in range(len(q.nodes)):
        row = q.tangent.nodes[i * count : (i + 1) * count]
        parts = [v if x is ONE else x * v for x, v in zip(row, qd, strict=True) if x is not ZERO]
        rates.append(sum(parts[1:], start=parts[0]) if parts else 0.0)
    return outputs(rates, [len(rates)], q.shape.labels, "time derivative of q")
