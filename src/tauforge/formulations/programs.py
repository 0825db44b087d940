"""The classical formulations as Programs: a Chain from the robot, the formulation's own part, and the joints' law."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from ..graph.node import Scalar, is_zero
from ..models.joint_law import is_coupled, resistances, rotors, tendon_inertia
from ..models.prepare import prepare
from ..models.results import matrix, program, vector
from ..models.routes import poses_of
from ..models.singular import inertia_of
from ..models.state import INPUTS, State
from ..program.array import Array, outputs
from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.screw import Wrench
from ..spatial.solve import solve
from ..spatial.vector import Entry
from . import find
from .chain import Chain, check


def inverse_dynamics(robot: Robot, formulation: str, external_wrenches: bool | str) -> Program:
    """Return the Program ``q, qd, qdd -> tau``."""
    robot, chain, state, arrays, module = _prepared(robot, formulation, "", ("q", "qd", "qdd"), external_wrenches)
    own = joint_efforts(robot, state)
    tau = [x + y for x, y in zip(module.efforts(chain), own, strict=True)]
    return program("inverse_dynamics", robot, arrays, {"tau": vector(state.coordinates, tau, INPUTS["tau"][0])})


def inertia_matrix(robot: Robot, formulation: str) -> Program:
    """Return the Program ``q -> M``."""
    robot, chain, state, arrays, module = _prepared(robot, formulation, "inertia", ("q",))
    rows = state.coordinates.symmetric(with_rotors(robot, chain, module.inertia(chain)))
    M = matrix(state.coordinates, rows, "inertia matrix")
    return program("inertia_matrix", robot, arrays, {"M": M})


def coriolis_matrix(robot: Robot, formulation: str) -> Program:
    """Return the Program ``q, qd -> C``."""
    robot, chain, state, arrays, module = _prepared(robot, formulation, "coriolis", ("q", "qd"))
    rows = state.coordinates.coriolis(
        module.coriolis(chain), lambda: with_rotors(robot, chain, module.inertia(chain)), state.qd
    )
    C = matrix(state.coordinates, rows, "Coriolis matrix")
    return program("coriolis_matrix", robot, arrays, {"C": C})


def gravity(robot: Robot, formulation: str) -> Program:
    """Return the Program ``q -> g``."""
    robot, chain, state, arrays, module = _prepared(robot, formulation, "", ("q",))
    lifted = joint_efforts(robot.neglect("k", "FO"), state)
    g = [x + y for x, y in zip(module.efforts(chain), lifted, strict=True)]
    return program("gravity", robot, arrays, {"g": vector(state.coordinates, g, "gravity efforts")})


def bias(robot: Robot, formulation: str, external_wrenches: bool | str) -> Program:
    """Return the Program ``q, qd -> h``."""
    robot, chain, state, arrays, module = _prepared(robot, formulation, "", ("q", "qd"), external_wrenches)
    h = [x + y for x, y in zip(module.efforts(chain), joint_efforts(robot, state), strict=True)]
    meaning = "Coriolis, centrifugal, gravity and friction torques"
    return program("bias", robot, arrays, {"h": vector(state.coordinates, h, meaning)})


def direct_dynamics(robot: Robot, formulation: str, external_wrenches: bool | str) -> Program:
    """Return the Program ``q, qd, tau -> qdd``, by solving M q̈ = τ - h or in the formulation's own way."""
    robot, chain, state, arrays, module = _prepared(
        robot, formulation, "inertia", ("q", "qd", "tau"), external_wrenches
    )
    own, coordinates = joint_efforts(robot, state), state.coordinates
    tau, names = state.tau, coordinates.names
    if hasattr(module, "direct") and not is_coupled(robot, coordinates):
        inertias = [robot.joints[j - 1].IA for j in chain.moving]
        qdd = module.direct(chain, [x - y for x, y in zip(tau, own, strict=True)], inertias)
    else:
        M = coordinates.matrix(with_rotors(robot, chain, module.inertia(chain)))
        h = coordinates.gathered([x + y for x, y in zip(module.efforts(chain), own, strict=True)])
        qdd = solve(M, [x - y for x, y in zip(tau, h, strict=True)], inertia_of(names))
    found = outputs(qdd, [len(names)], [names], INPUTS["qdd"][0])
    return program("direct_dynamics", robot, arrays, {"qdd": found})


def _prepared(
    robot: Robot,
    formulation: str,
    wanted: str,
    inputs: Sequence[str],
    external_wrenches: bool | str = False,
) -> tuple[Robot, Chain, State, dict[str, Array], ModuleType]:
    found, module = find(formulation, wanted)
    robot, arrays, state = prepare(robot, inputs, external_wrenches)
    check(robot, formulation, found.paper)
    return robot, Chain.of(robot, state), state, arrays, module


def with_rotors(robot: Robot, chain: Chain, M: list[list[Entry]]) -> list[list[Entry]]:
    """Return the inertia matrix with rotor inertias on its diagonal, and what tendons add."""
    added = tendon_inertia(robot)
    for j in chain.moving:
        added[j, j] = robot.joints[j - 1].IA + added.get((j, j), 0.0)
    return [
        [x + added.get((i, k), 0.0) for k, x in zip(chain.moving, row, strict=True)]
        for i, row in zip(chain.moving, M, strict=True)
    ]


def joint_efforts(robot: Robot, state: State) -> list[Scalar]:
    """Return what rotors, friction, springs, tendons, lifts and external wrenches add to every formulation."""
    wrenches = [*map(Wrench, state.f, state.m)]
    poses = poses_of(robot, state)
    found: list[Scalar] = []
    rotor, against = rotors(robot, state), resistances(robot, state)
    for j in range(len(robot.joints), 0, -1):
        joint = robot.joints[j - 1]
        i, (f, n) = joint.antecedent, wrenches[j]
        if not all(is_zero(x) for x in (*f, *n)):
            wrenches[i] = wrenches[i] + wrenches[j].inward(poses[j - 1])
        own = zip(joint.along(state.q[j], wrenches[j]), rotor[j], against[j], strict=True)
        found[:0] = [x + inertia + resistance for x, inertia, resistance in own]
    return found
