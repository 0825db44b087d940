"""Velocities and accelerations of all links, each in its own frame."""

from __future__ import annotations

from collections.abc import Sequence

from ..program.array import Array, outputs
from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.screw import Twist
from ..spatial.vector import ZERO
from .energy import velocities
from .outward import Choices, Motion, forward, moving
from .prepare import prepare
from .registry import model
from .results import program
from .routes import frame_number
from .state import State

VELOCITY = ("vx", "vy", "vz", "wx", "wy", "wz")
"""Names of a twist's components: linear, then angular."""


@model("q, qd -> V", "velocities of all links, each in its own frame")
def link_velocities(robot: Robot) -> Program:
    """Return the Program ``q, qd -> V``: velocity of each link's origin and its angular velocity, in its frame.

    A motion of the base that the description prescribes is included.
    """
    links = [body.name for body in robot.expanded().bodies]
    robot, arrays, state = prepare(robot, ("q", "qd"), frames=links)
    V = _by_link(robot, links, velocities(robot, state), "velocities of the links, in their frames")
    return program("link_velocities", robot, arrays, {"V": V})


@model("q, qd, qdd -> Vd", "accelerations of all links, each in its own frame")
def link_accelerations(robot: Robot) -> Program:
    """Return the Program ``q, qd, qdd -> Vd``: acceleration of each link's origin and its angular acceleration.

    Both are in the link's frame. The linear part is what an observer at rest sees, V̇ of equation (21), and no rate of
    components; gravity is not in it. A motion of the base that the description prescribes is included.
    """
    links = [body.name for body in robot.expanded().bodies]
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"), frames=links)
    twists = [Twist(link.VP, link.WP) for link in motions(robot, state)]
    Vd = _by_link(robot, links, twists, "accelerations of the links, in their frames")
    return program("link_accelerations", robot, arrays, {"Vd": Vd})


def motions(robot: Robot, state: State) -> list[Motion]:
    """Return the motion of the base and of each link, without gravity: equations (18)-(21)."""
    base = robot.base
    at = [moving(ZERO, base.W0, base.WP0, base.VP0)]
    for joint, q, qd, qdd in zip(robot.joints, state.q[1:], state.qd[1:], state.qdd[1:], strict=True):
        at.append(forward(at[joint.antecedent], joint, joint.pose(q), q, qd, qdd, Choices(columns=False)))
    return at


def _by_link(robot: Robot, links: Sequence[str], twists: Sequence[Twist], meaning: str) -> Array:
    """Return an output with a row for each link."""
    chosen = (twists[frame_number(robot, name)] for name in links)
    entries = [x for v, w in chosen for x in (*v, *w)]
    return outputs(entries, [len(links), 6], [links, VELOCITY], meaning)
