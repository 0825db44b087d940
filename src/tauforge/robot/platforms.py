"""Bundled parallel robots, each with the source of its numbers.

All are assembled where every coordinate is zero; platforms then have their frames at the stated place. With
``symbolic=True`` the inertial parameters of all links that have some are symbols. Lengths remain numbers, since the
directions of axes follow from them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..graph.node import is_zero
from ..spatial.inertia import Inertia
from .body import Body
from .leg import leg
from .parallel import parallel_robot
from .parameters import symbols
from .robot import Robot
from .solids import solid


def gough_stewart(*, symbolic: bool = False) -> Robot:
    """Return a Gough-Stewart platform on six UPS legs, with the joint centres of the example in Tsai, "Solving the
    inverse dynamics of a Stewart-Gough manipulator by the principle of virtual work", Journal of Mechanical Design 122
    (2000). The platform is at (-1.5, 0, 1) at zero, and a leg is that much longer than at zero as its coordinate tells.

    The masses are an example in round numbers: a platform of 1.5 kg, and legs of a cylinder and a rod, each 0.1 kg,
    with their centres of mass 0.5 m from the ends of the leg.
    """
    base = [(-2.12, 1.374), (-2.38, 1.224), (-2.38, -1.224), (-2.12, -1.374), (0.0, -0.15), (0.0, 0.15)]
    top = [(0.17, 0.595), (-0.6, 0.15), (-0.6, -0.15), (0.17, -0.595), (0.43, -0.445), (0.43, 0.445)]
    slim = (0.0, 0.00625, 0.00625)
    links = [solid(0.1, (0.5, 0.0, 0.0), slim), solid(0.1, (-0.5, 0.0, 0.0), slim)]
    ends = [((x, y, 0.0), (round(u - 1.5, 12), v, 0.6)) for (x, y), (u, v) in zip(base, top, strict=True)]
    legs = [leg("UPS", points, links=links) for points in ends]
    platform = Body(name="platform", inertia=solid(1.5, (0.0, 0.0, 0.0), (0.08, 0.08, 0.08)))
    robot = parallel_robot(platform, legs, home=(-1.5, 0.0, 1.0), name="gough_stewart")
    return _symbolic(robot) if symbolic else robot


def delta(*, symbolic: bool = False) -> Robot:
    """Return a Delta robot with RRPaR legs and the lengths of the ABB IRB 360-1/1600 in Williams, "The Delta Parallel
    Robot: Kinematics Solutions" (Ohio University, 2016): arms of 0.524 m, parallelograms of 1.244 m by 0.131 m.

    The masses are an example: uniform arms of 1.5 kg, bars of 0.25 kg each, and a platform of 0.5 kg. At zero the arms
    are horizontal and the platform is at (0, 0, -1.0645).
    """
    arm, bar, width, base, top = 0.524, 1.244, 0.131, 0.567 * math.sqrt(3.0) / 6.0, 0.076 * math.sqrt(3.0) / 3.0
    height = -math.sqrt(bar**2 - (base + arm - top) ** 2)
    legs = []
    for k in range(3):
        elbow = _around(k, base + arm)
        points = [_around(k, base), elbow, elbow, _around(k, top, height)]
        links = [_rod(arm, 1.5), None, _rod(bar, 0.25)]
        legs.append(leg("RRPaR", points, axes=[_across(k)], links=links, width=width))
    platform = Body(name="platform", inertia=Inertia(M=0.5))
    robot = parallel_robot(platform, legs, joint="translation", home=(0.0, 0.0, height), name="delta")
    return _symbolic(robot) if symbolic else robot


def planar_3rrr(*, symbolic: bool = False) -> Robot:
    """Return a planar 3-RRR robot. Its round numbers are an example: motors 0.5 m from the centre, uniform links of
    0.4 m and 0.3 m, 1 kg and 0.75 kg, and a platform of 1 kg, a disc with its joints 0.1 m from its centre.

    The robot is horizontal. At zero, the platform is at the centre and its joints are ahead of the motors.
    """
    legs = []
    for k in range(3):
        start, end = _around(k, 0.5), _around(k, 0.1)
        along = (0.4**2 - 0.3**2 + 0.4**2) / 0.8  # from the motor to the foot of the elbow
        elbow = _around(k, 0.5 - along, 0.0, math.sqrt(0.4**2 - along**2))
        links = [_rod(0.4, 1.0), _rod(0.3, 0.75)]
        legs.append(leg("RRR", [start, elbow, end], axes=[(0.0, 0.0, 1.0)], links=links))
    platform = Body(name="platform", inertia=solid(1.0, (0.0, 0.0, 0.0), (0.0025, 0.0025, 0.005)))
    robot = parallel_robot(platform, legs, joint="planar", name="planar_3rrr")
    return _symbolic(robot) if symbolic else robot


def orthoglide(*, symbolic: bool = False) -> Robot:
    """Return an Orthoglide: three sliders along x, y and z that carry a platform by PRPaR legs (Wenger and Chablat,
    2000). The round numbers are an example, near to the size of the prototype in Nantes: parallelograms of 0.31 m by
    0.08 m, sliders of 3 kg, bars of 0.4 kg each, and a platform of 1.5 kg with its joints 0.03 m from its centre.

    At zero, the legs are along the axes, where the robot is isotropic, and the platform is at the origin.
    """
    legs, length, arm = [], 0.31, 0.03
    for k in range(3):
        axis, across = _unit(k), _unit((k + 1) % 3)
        start, end = tuple(-(length + arm) * x for x in axis), tuple(-arm * x for x in axis)
        links = [solid(3.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), None, _rod(length, 0.4)]
        legs.append(leg("PRPaR", [start, start, end], axes=[axis, across], links=links, width=0.08))
    platform = Body(name="platform", inertia=Inertia(M=1.5))
    robot = parallel_robot(platform, legs, joint="translation", name="orthoglide")
    return _symbolic(robot) if symbolic else robot


def _around(k: int, radius: float, height: float = 0.0, side: float = 0.0) -> tuple[float, float, float]:
    """Return a point of leg k of three, at a distance from the middle and to the left."""
    c, s = math.cos(2.0 * math.pi * k / 3.0), math.sin(2.0 * math.pi * k / 3.0)
    return c * radius - s * side, s * radius + c * side, height


def _across(k: int) -> tuple[float, float, float]:
    """Return the horizontal direction across leg k of three."""
    return _around(k, 0.0, side=1.0)


def _unit(k: int) -> tuple[float, float, float]:
    return float(k == 0), float(k == 1), float(k == 2)


def _rod(length: float, mass: float) -> Inertia:
    """Return a uniform thin rod along x, from the frame's origin."""
    about_com = mass * length * length / 12.0
    return solid(mass, (length / 2.0, 0.0, 0.0), (0.0, about_com, about_com))


def _symbolic(robot: Robot) -> Robot:
    """Return the robot with symbols for the inertial parameters of links that have some."""

    def named(j: int, body: Body) -> Body:
        return body if all(map(is_zero, body.inertia)) else replace(body, inertia=symbols(j))

    bodies: Sequence[Body] = [named(j, body) for j, body in enumerate(robot.bodies, 1)]
    return replace(robot, bodies=tuple(bodies))
