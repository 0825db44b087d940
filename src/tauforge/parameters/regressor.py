"""Regressor: the joint torques as a linear function of the inertial parameters, τ = Y(q, q̇, q̈) φ.

A parameter's column holds the torques of a robot in which that parameter is one and all others are zero: the wrench of
one link, equations (22) and (23), passed down to the base.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ProgramError
from ..graph.functions import sign
from ..graph.node import Node, Scalar, as_node, is_zero
from ..models.energy import twice_kinetic, velocities
from ..models.inertia_matrix import first_degrees
from ..models.inverse_dynamics import inertial_wrench
from ..models.joint_law import along
from ..models.outward import Motion, forward, moving
from ..models.prepare import prepare
from ..models.registry import model
from ..models.results import program
from ..models.state import State
from ..program.array import outputs
from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.inertia import NAMES, Inertia
from ..spatial.pose import Pose
from ..spatial.vector import ZERO, Vector, dot

ACTUATOR = ("IA", "FV", "FS", "FO")
"""Parameters of a joint itself: rotor inertia, viscous and Coulomb friction, and an offset of the latter."""


class Regressor:
    """The motion of a robot's links, from which each parameter's column follows."""

    def __init__(self, robot: Robot, state: State) -> None:
        self.robot, self.state, self.first = robot, state, first_degrees(robot)
        base = robot.base
        self.at: list[Motion] = [moving(ZERO, base.W0, base.WP0, base.VP0 - robot.gravity)]
        self.poses: list[Pose] = []
        for j, joint in enumerate(robot.joints, 1):
            q, qd, qdd = state.q[j], state.qd[j], state.qdd[j]
            self.poses.append(joint.pose(q))
            self.at.append(forward(self.at[joint.antecedent], joint, self.poses[-1], q, qd, qdd))

    def column(self, parameter: str, link: int, lowest: int = 1) -> dict[int, Node]:
        """Return the torques due to a parameter of a link, by index in τ, for the joints from ``lowest`` on."""
        return self.state.coordinates.gathered_some(self._by_axis(parameter, link, lowest))

    def _by_axis(self, parameter: str, link: int, lowest: int) -> dict[int, Node]:
        """Return the torques by index among the axes of all joints."""
        if parameter in ACTUATOR:
            return self._actuator(parameter, link)
        F, _ = inertial_wrench(self.at[link], unit_inertia(parameter))
        efforts: dict[int, Node] = {}
        j = link
        while j >= lowest:
            joint, pose = self.robot.joints[j - 1], self.poses[j - 1]
            efforts |= {place: as_node(x) for place, x in enumerate(joint.along(self.state.q[j], F), self.first[j])}
            F = F.inward(pose)
            j = joint.antecedent
        return efforts

    def _actuator(self, parameter: str, link: int) -> dict[int, Node]:
        """Return the factor of a joint's own parameter in equation (31)."""
        count = len(self.robot.joints)
        if link > count:
            tendon = self.robot.tendons[link - count - 1]
            own = _factor(parameter, along(tendon, self.state.qd), along(tendon, self.state.qdd))
            return {self.first[j]: as_node(own * x) for j, x in tendon.joints}
        axes = zip(self.state.qd[link], self.state.qdd[link], strict=True)
        factors = [_factor(parameter, qd, qdd) for qd, qdd in axes]
        return {place: as_node(x) for place, x in enumerate(factors, self.first[link])}


def _factor(parameter: str, qd: Scalar, qdd: Scalar) -> Scalar:
    return {"IA": qdd, "FV": qd, "FS": sign(qd), "FO": 1.0}[parameter]


@model("q, qd, qdd -> Y", "torques are Y times the inertial parameters")
def regressor(
    robot: Robot,
    *,
    parameters: str = "standard",
    actuators: Sequence[str] | None = None,
    guess: Sequence[float] | None = None,
) -> Program:
    """Return the Program ``q, qd, qdd -> Y``, whose columns the labels of ``outputs["Y"]`` name.

    Parameters
    ----------
    parameters
        "standard", ten per link, or "base", which gives a regressor of full rank. Friction of joints that follow others
        is then added to theirs: FV8R.
    actuators
        Which of IA, FV, FS and FO (an offset of Coulomb friction) have columns too; by default those that some joint of
        the robot has. Tendons have columns for IA, FV and FS in the same way: FV_rope for the tendon "rope".
    guess
        As in ``base_parameters``, for base parameters of a robot with closed loops.
    """
    columns = chosen(robot, parameters, actuators, guess)
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    found = Regressor(robot, state)
    efforts, names = [found.column(*key) for key in columns], state.coordinates.names
    entries = [column.get(place, 0.0) for place in range(len(names)) for column in efforts]
    Y = outputs(entries, [len(names), len(columns)], [names, [*columns.values()]], "regressor")
    return program("regressor", robot, arrays, {"Y": Y})


@model("q, qd -> kinetic, potential", "energies are these rows times the inertial parameters")
def energy_regressor(robot: Robot, *, parameters: str = "standard") -> Program:
    """Return the Program ``q, qd -> kinetic, potential``: rows that give the energies from the inertial parameters.

    Their labels name the parameters, including rotor inertias if the robot has any. With base parameters the potential
    energy is off by a constant, which cancels in identification from power or from energy differences.
    """
    heavy = not all(map(is_zero, [*(joint.IA for joint in robot.joints), *(tendon.IA for tendon in robot.tendons)]))
    columns = chosen(robot, parameters, ("IA",) if heavy else (), asked=False)
    robot, arrays, state = prepare(robot, ("q", "qd"))
    links, falls = velocities(robot, state), drops(robot, state)
    rows: dict[str, list[Scalar]] = {"kinetic": [], "potential": []}
    for name, j in columns:
        if name == "IA":
            tendons = robot.tendons[j - len(robot.joints) - 1 :][:1] if j > len(robot.joints) else ()
            rates = [along(x, state.qd) for x in tendons] or state.qd[j]
            rows["kinetic"].append(sum((x * x for x in rates), start=as_node(0.0)) * 0.5)
            rows["potential"].append(0.0)
        else:
            rows["kinetic"].append(twice_kinetic(links[j], unit_inertia(name)) * 0.5)
            rows["potential"].append(falls[j].get(name, 0.0))
    labels = [[*columns.values()]]
    results = {key: outputs(row, [len(row)], labels, f"{key} energy by the parameters") for key, row in rows.items()}
    return program("energy_regressor", robot, arrays, results)


def drops(robot: Robot, state: State) -> list[dict[str, Scalar]]:
    """Return the potential energies of unit mass and unit first moments of each link; entry 0 is the base's."""
    at: list[tuple[Scalar, Vector]] = [(0.0, robot.gravity)]  # minus the potential of gravity at the origin; gravity
    for joint, q in zip(robot.joints, state.q[1:], strict=True):
        pose = joint.pose(q)
        depth, g = at[joint.antecedent]
        own = pose.R.back(g)
        at.append((depth + dot(g, pose.arm) + own[2] * pose.r, own))
    return [{"M": -depth, "MX": -g[0], "MY": -g[1], "MZ": -g[2]} for depth, g in at]


def chosen(
    robot: Robot,
    parameters: str,
    actuators: Sequence[str] | None,
    guess: Sequence[float] | None = None,
    asked: bool = True,
) -> dict[tuple[str, int], str]:
    """Return the parameters that have columns, by name and link of the expanded robot, with their labels.

    Rotors that are ``asked`` for have columns even if they have no inertia.
    """
    from .base import grouped
    from .friction import dependent_friction

    unknown = [name for name in actuators or () if name not in ACTUATOR]
    if unknown:
        raise ProgramError(f"{unknown[0]!r} is not a parameter of an actuator; choose among {', '.join(ACTUATOR)}")
    if parameters not in ("standard", "base"):
        raise ProgramError(f"parameters is {parameters!r}; it must be 'standard' or 'base'")
    whole = robot.expanded()
    shift = len(whole.joints) - len(robot.joints)  # a floating base is link 0
    moving = whole.moving
    given = asked and actuators is not None
    pulled = [(key, t) for key in ACTUATOR[:3] if key in (actuators or ()) for t in whole.tendons]
    if actuators is None:
        actuators = [key for key in ACTUATOR[:3] if any(not is_zero(getattr(whole.joints[j - 1], key)) for j in moving)]
        used = [key for key in ACTUATOR[:3] if any(not is_zero(getattr(tendon, key)) for tendon in whole.tendons)]
        pulled = [(key, t) for key in used for t in whole.tendons]
    links = {(name, j): f"{name}{j - shift}" for j in range(1, len(whole.joints) + 1) for name in NAMES}
    rotors = [("IA", j) for j in moving if "IA" in actuators]
    if parameters == "base":
        base = grouped(robot, guess, given and "IA" in actuators)
        links = {key: base.name(*key) for key in base.forms if key[0] in NAMES}
        rotors = [key for key in base.forms if key[0] == "IA" and key in rotors]
    rubbing = [(key, j) for key in actuators if key != "IA" for j in moving]
    marked = set[tuple[str, int]]()
    if parameters == "base":
        dependent = dependent_friction(whole, rubbing, guess)
        rubbing = [key for key in rubbing if key not in dependent]
        marked = {key for others in dependent.values() for key in others}
    others = {key: f"{key[0]}{key[1] - shift}{'R' * (key in marked)}" for key in (*rotors, *rubbing)}
    places = {tendon.name: j for j, tendon in enumerate(whole.tendons, len(whole.joints) + 1)}
    tendons = {(key, places[tendon.name]): f"{key}_{tendon.name}" for key, tendon in pulled}
    return links | others | tendons


def unit_inertia(parameter: str) -> Inertia:
    """Return a body with one parameter equal to one and all others zero."""
    return Inertia(**{name: as_node(float(name == parameter)) for name in NAMES})
