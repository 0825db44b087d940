"""The equations of motion as Programs: rates of the state from the state, and their exact derivatives.

The torques are an input, or come from a controller's Program, which then becomes a part of the graph: the derivatives
are those of robot and controller together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from ..errors import ProgramError
from ..graph.functions import absolute, sqrt
from ..graph.node import ONE, ZERO, Node, Scalar, as_node
from ..graph.operations import SIGN
from ..graph.rewrite import built_anew, replaced, rewrite
from ..models.bias import friction
from ..models.configuration import integrate
from ..models.direct_dynamics import direct_dynamics
from ..program.fuse import fuse
from ..program.program import Array, Program, outputs
from ..robot.robot import Robot

STATE = ("q", "qd", "integral")
"""Inputs that are integrated; the last is a controller's."""


@lru_cache(maxsize=32)
def equations(
    robot: Robot,
    controller: Program | None = None,
    *,
    wrenches: bool = False,
    smoothing: float = 0.0,
    saturation: tuple[float, ...] | None = None,
) -> Program:
    """Return the Program ``q, qd, tau -> rate, qdd, tau_applied``, where ``rate`` is the time derivative of q.

    With a controller, its other inputs take the place of ``tau``, and its rate of the integral is an output too.
    ``rate`` is absent if it is qd.
    """
    sliding = smoothing > 0.0 and _slides(robot)
    direct = direct_dynamics(robot.neglect("FS") if sliding else robot, external_wrenches=wrenches)
    given = direct.arguments["tau"]
    tau, arguments, more = list(given.nodes), dict(direct.arguments), dict[str, Array]()
    if controller:
        _check(direct, controller)
        tau = list(controller.results["tau"].nodes)
        del arguments["tau"]
        arguments |= {name: array for name, array in controller.arguments.items() if name not in arguments}
        more = {name: array for name, array in controller.results.items() if name != "tau"}
    if saturation is not None:
        tau = [limited(x, bound) for x, bound in zip(tau, saturation, strict=True)]
    driving = tau
    if sliding:
        driving = [x - f for x, f in zip(tau, smooth_friction(robot, smoothing), strict=True)]
    by = dict(zip(given.nodes, driving, strict=True))
    new = replaced(direct.results["qdd"].nodes, by)
    qdd = replace(direct.results["qdd"], nodes=tuple(new[node] for node in direct.results["qdd"].nodes))
    results = {
        "qdd": qdd,
        "tau_applied": replace(given, nodes=tuple(tau), meaning="torques that act"),
        "tau_left": replace(given, nodes=tuple(as_node(x) for x in driving), meaning="torques that friction leaves"),
        **more,
    }
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


def smooth_friction(robot: Robot, width: float) -> list[Node]:
    """Return the torques of Coulomb friction with sign(v) replaced by v / √(v² + width²)."""
    made = friction(robot.neglect("FV"))

    def smooth(node: Node, new: Mapping[Node, Node]) -> Node:
        if node.op is not SIGN:
            return built_anew(node, new)
        v = new[node.args[0]]
        return as_node(v / sqrt(v * v + width * width))

    f = made.results["f"].nodes
    new = rewrite(made.order, smooth)
    return [new[node] for node in f]


def _slides(robot: Robot) -> bool:
    """Tell whether there is Coulomb friction."""
    amounts = [*(joint.FS for joint in robot.joints), *(tendon.FS for tendon in robot.tendons)]
    return any(as_node(x) is not ZERO for x in amounts)


def _check(direct: Program, controller: Program) -> None:
    """Refuse a controller that belongs to another robot."""
    for name in ("q", "qd"):
        if name in controller.arguments and controller.inputs[name].shape != direct.inputs[name].shape:
            raise ProgramError(
                f"the controller {controller.name} takes {name}{list(controller.inputs[name])}, but the robot has "
                f"{name}{list(direct.inputs[name])}; make the controller for this robot"
            )
    if controller.outputs["tau"].shape != direct.inputs["tau"].shape:
        raise ProgramError(
            f"the controller {controller.name} gives tau{list(controller.outputs['tau'])}, but the robot takes "
            f"tau{list(direct.inputs['tau'])}: {', '.join(direct.inputs['tau'].labels[0])}"
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
