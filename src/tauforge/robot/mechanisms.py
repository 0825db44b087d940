"""Bundled robots with closed loops, each with the source of its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..graph.node import symbol
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector
from .body import Body
from .home import Home
from .joint import Joint, constant_frame
from .kinds import KINDS, PRISMATIC
from .loop import Loop
from .robot import Robot
from .solids import bar, solid
from .solids import symbolic as made_symbolic

_H = math.pi / 2
_FALL = Vector(0.0, -9.81, 0.0)
_WIDE = 0.02
"""Width of the bars of planar linkages."""
_CUBE = 0.0064 / 6
"""Moment of inertia of a cube of 1 kg and 8 cm."""


def fourbar(*, symbolic: bool = False) -> Robot:
    """Return a four-bar linkage in a vertical plane: crank 0.2 m, coupler 0.5 m and rocker 0.4 m, on pivots 0.45 m
    apart. The lengths are an example, a crank that can turn fully; the bars are uniform, 2 cm square, 2 kg per metre.

    The crank is actuated; the loop is cut between coupler and rocker, which are below the ground at home.
    """
    joints = [
        Joint(name="crank", antecedent=0),
        Joint(name="coupler", antecedent=1, d=0.2, mu=0),
        Joint(name="rocker", antecedent=0, d=0.45, mu=0),
    ]
    ends = constant_frame("coupler_end", 2, d=0.5), constant_frame("rocker_end", 3, d=0.4)
    home = {"coupler": -0.9147357358699766, "rocker": -1.4328593303765127}
    robot = _planar("fourbar", joints, [_bar(0.2), _bar(0.5), _bar(0.4)], ends, home)
    return made_symbolic(robot) if symbolic else robot


def slider_crank(*, symbolic: bool = False) -> Robot:
    """Return a slider-crank in a vertical plane: a crank of 0.1 m and a rod of 0.3 m that move a slider along x. The
    numbers are an example: uniform bars, 2 cm square and 2 kg per metre, and a cube of 1 kg and 8 cm as the slider.

    The crank is actuated; the loop is cut between rod and slider.
    """
    joints = [
        Joint(name="crank", antecedent=0),
        Joint(name="rod", antecedent=1, d=0.1, mu=0),
        Joint(name="slider", antecedent=0, gamma=_H, alpha=_H).as_kind(KINDS[PRISMATIC]),
    ]
    ends = constant_frame("rod_end", 2, d=0.3), constant_frame("pin", 3, alpha=-_H)
    inertias = [_bar(0.1), _bar(0.3), solid(1.0, (0.0, 0.0, 0.0), (_CUBE, _CUBE, _CUBE))]
    robot = _planar("slider_crank", joints, inertias, ends, {"slider": 0.4})
    return made_symbolic(robot) if symbolic else robot


def fivebar(*, symbolic: bool = False) -> Robot:
    """Return a five-bar linkage in a vertical plane: two arms of 0.3 m on motors 0.3 m apart, and two forearms of 0.4 m
    that meet at the tool. The lengths are an example; the bars are uniform, 2 cm square and 2 kg per metre.

    Both arms are actuated; the loop is cut where the forearms meet, which is below the arms at home.
    """
    joints = [
        Joint(name="arm1", antecedent=0),
        Joint(name="forearm1", antecedent=1, d=0.3, mu=0),
        Joint(name="arm2", antecedent=0, d=0.3),
        Joint(name="forearm2", antecedent=3, d=0.3, mu=0),
    ]
    ends = constant_frame("tool", 2, d=0.4), constant_frame("forearm2_end", 4, d=0.4)
    home = {"forearm1": -1.1863995522992596, "forearm2": -1.955193101290534}
    robot = _planar("fivebar", joints, [_bar(0.3), _bar(0.4)] * 2, ends, home)
    return made_symbolic(robot) if symbolic else robot


def sr400(*, symbolic: bool = False) -> Robot:
    """Return the ACMA SR400, six axes with a parallelogram that drives the forearm: frames from Khalil and Dombre,
    "Modeling, Identification and Control of Robots" (2002); lengths from SYMORO+'s sample file, read as decimetres.

    Joints 2 and 7 have the same axis: joint 7 turns the parallelogram's lever. At home the upper arm is upright and the
    parallelogram a rectangle; at zero, where it would be flat, it could also become a crossed one. No inertial values
    are published; these are an example: a column, beams as uniform bodies, and a small wrist, 143 kg in all.
    """
    alpha = [0, -_H, 0, -_H, _H, -_H, -_H, 0]
    d = [0, 0.4, 0.8, -0.2, 0, 0, 0.4, 1.0]
    passive = (3, 8)
    joints = tuple(
        Joint(
            name=f"joint{j}",
            antecedent=1 if j == 7 else j - 1,
            alpha=float(turn),
            d=float(length),
            r=1.0 if j == 4 else 0.0,
            mu=int(j not in passive),
        )
        for j, (turn, length) in enumerate(zip(alpha, d, strict=True), 1)
    )
    inertias = [
        solid(60.0, (0.1, 0.0, -0.3), (3.0, 3.0, 1.5)),
        solid(30.0, (0.4, 0.0, 0.0), (0.2, 1.8, 1.8)),
        solid(20.0, (-0.3, 0.0, 0.0), (0.2, 0.8, 0.8)),
        solid(12.0, (0.0, 0.0, -0.5), (1.0, 1.0, 0.05)),
        solid(4.0, (0.0, 0.0, 0.0), (0.02, 0.02, 0.02)),
        solid(2.0, (0.0, 0.0, 0.05), (0.004, 0.004, 0.003)),
        solid(9.0, (0.5, 0.0, 0.0), (0.01, 0.75, 0.75)),
        solid(6.0, (0.4, 0.0, 0.0), (0.01, 0.32, 0.32)),
    ]
    bodies = tuple(Body(name=f"link{j}", inertia=inertia) for j, inertia in enumerate(inertias, 1))
    cut = Loop(
        joint=Joint(name="joint9", antecedent=8, d=0.8, mu=0), frame=constant_frame("joint9_frame", 3, gamma=_H, d=-1.0)
    )
    home = {"joint2": -_H, "joint7": -2 * _H, "joint8": _H}
    robot = Robot(name="sr400", joints=joints, bodies=bodies, loops=(cut,), home=home)
    if not symbolic:
        return robot
    parallel = {"D7": symbol("D2"), "D9": symbol("D3"), "D10": -symbol("D8")}
    return made_symbolic(robot, parallel)


def _bar(length: float) -> Inertia:
    return bar(length, round(2 * length, 12), _WIDE)


def _planar(
    name: str, joints: Sequence[Joint], inertias: Sequence[Inertia], ends: tuple[Joint, Joint], home: Home
) -> Robot:
    """Build a linkage in a vertical plane; a revolute joint closes it between two frames, at home."""
    bodies = tuple(Body(name=f"{x.name}_link", inertia=own) for x, own in zip(joints, inertias, strict=True))
    tree = Robot(name=name, joints=tuple(joints), bodies=bodies, gravity=_FALL, frames=ends, home=home)
    return tree.with_loop(ends[0].name, ends[1].name, kind="revolute", name="pivot")
