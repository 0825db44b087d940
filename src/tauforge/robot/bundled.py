"""Robots that come with Tauforge, each with the source of its numbers.

``names()`` lists them. With ``symbolic=True`` every link's ten inertial parameters are symbols (XX1, …, M1) and so is
every length that is not zero (D3, RL4, …); rotors and friction are left out. These are the conditions of published
operation counts. Where no values are published the numbers are round examples, and the docstring says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..errors import RobotError, suggestion
from ..graph.node import as_node, symbol
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector
from .body import Body
from .joint import Joint
from .mechanisms import fivebar, fourbar, slider_crank, sr400
from .parameters import symbols
from .platforms import delta, gough_stewart, orthoglide, planar_3rrr
from .robot import DOWN, Robot
from .solids import rod, solid
from .solids import symbolic as made_symbolic

__all__ = [
    "delta",
    "fivebar",
    "fourbar",
    "gough_stewart",
    "kuka_lwr",
    "names",
    "orthoglide",
    "panda",
    "planar2r",
    "planar_3rrr",
    "puma560",
    "rrp",
    "rx90",
    "scara",
    "slider_crank",
    "sr400",
    "stanford",
    "ur5",
]

_H = math.pi / 2


def names() -> tuple[str, ...]:
    """Return the names of the bundled robots."""
    return tuple(_ROBOTS)


def bundled(name: str, *, symbolic: bool = False) -> Robot:
    """Return a bundled robot by its name."""
    if name not in _ROBOTS:
        raise RobotError(f"no bundled robot is called {name!r}; {suggestion(name, names())}")
    return _ROBOTS[name](symbolic=symbolic)


def rrp(*, symbolic: bool = False) -> Robot:
    """Return the three-joint example of Lemoine and Khalil, "Symbolic Dynamics", Encyclopedia of Robotics (2022),
    figure 3.

    The paper has no numbers. With ``symbolic=True`` everything is a symbol, as there, including the pose of the first
    axis and gravity. The round numbers are an example: a column, a hub, and a rod of 2 kg that slides through it.
    """
    inertias = [
        solid(5.0, (0.0, 0.0, -0.1), (0.05, 0.05, 0.02)),
        solid(3.0, (0.0, 0.0, 0.05), (0.02, 0.02, 0.01)),
        solid(2.0, (0.0, 0.0, -0.3), (0.06, 0.06, 0.001)),
    ]
    gravity = Vector(0.0, 0.0, symbol("G3")) if symbolic else DOWN
    robot = _arm("rrp", alpha=[0, _H, _H], sigma=[0, 0, 1], inertias=() if symbolic else inertias, gravity=gravity)
    pose: dict[str, Any] = {
        key: symbol(f"{name}1") for key, name in zip(("gamma", "b", "alpha", "d", "r"), "gbadr", strict=True)
    }
    first, *others = (replace(joint, variable=f"q{j}") for j, joint in enumerate(robot.joints, 1))
    return replace(robot, joints=(replace(first, **(pose if symbolic else {})), *others))


def planar2r(*, symbolic: bool = False) -> Robot:
    """Return the textbook double pendulum: two uniform thin rods of 1 m and 1 kg, moving in a vertical plane."""
    robot = _arm("planar2r", alpha=[0, 0], d=[0, 1.0], inertias=[rod(1.0, 1.0)] * 2, gravity=Vector(0.0, -9.81, 0.0))
    return made_symbolic(robot) if symbolic else robot


def scara(*, symbolic: bool = False) -> Robot:
    """Return a SCARA arm, with three vertical revolute axes and a quill. Its round numbers are an example: rods of 0.4
    m and 0.3 m, 4 kg and 3 kg, and a wrist that carries a quill of 1 kg.
    """
    inertias = [rod(0.4, 4.0), rod(0.3, 3.0), Inertia(ZZ=0.01, M=1.0), Inertia(M=1.0)]
    robot = _arm("scara", alpha=[0, 0, 0, 0], d=[0, 0.4, 0.3, 0], sigma=[0, 0, 0, 1], inertias=inertias)
    return made_symbolic(robot) if symbolic else robot


def stanford(*, symbolic: bool = False) -> Robot:
    """Return the Stanford arm, RRPRRR, with the lengths, masses, moments and rotor inertias in Paul, "Robot
    Manipulators" (1981), as in the first versions of Corke's Robotics Toolbox.

    That toolbox places the centres of mass of links 2 to 6 ten times too far out: with those, no link could have its
    moments of inertia. Here they are a tenth of that. The 0.263 m along the last axis belong to the tool.
    """
    inertias = [  # moments about the origin of each frame
        Inertia(XX=0.276, YY=0.071, ZZ=0.255, MY=-9.29 * 0.1105, MZ=-9.29 * 0.0175, M=9.29),
        Inertia(XX=0.108, YY=0.100, ZZ=0.018, MZ=-5.01 * 0.1054, M=5.01),
        Inertia(XX=2.51, YY=2.51, ZZ=0.006, MZ=-4.25 * 0.6447, M=4.25),
        Inertia(XX=0.002, YY=0.001, ZZ=0.001, MY=-1.08 * 0.0054, MZ=-1.08 * 0.0092, M=1.08),
        Inertia(XX=0.003, YY=0.0004, ZZ=0.003, MY=-0.63 * 0.0566, M=0.63),
        Inertia(XX=0.013, YY=0.013, ZZ=0.0003, MZ=0.51 * 0.1554, M=0.51),
    ]
    robot = _arm(
        "stanford",
        alpha=[0, -_H, _H, 0, -_H, _H],
        r=[0.412, 0.154, 0, 0, 0, 0],
        sigma=[0, 0, 1, 0, 0, 0],
        inertias=inertias,
        IA=[0.953, 2.193, 0.782, 0.106, 0.097, 0.020],
    )
    return made_symbolic(robot) if symbolic else robot


def rx90(*, symbolic: bool = False) -> Robot:
    """Return the Stäubli RX-90: frames from Khalil and Dombre, "Modeling, Identification and Control of Robots" (2002).

    D3 = RL4 = 0.45 m. No inertial values are published: the round numbers are an example, of the size that such an arm
    has, with 51 kg in motion.
    """
    inertias = [
        solid(20.0, (0.0, -0.05, -0.1), (0.5, 0.4, 0.4)),
        solid(15.0, (0.2, 0.0, 0.1), (0.1, 0.5, 0.5)),
        solid(10.0, (0.0, -0.02, -0.05), (0.15, 0.1, 0.15)),
        solid(4.0, (0.0, 0.01, -0.15), (0.06, 0.06, 0.01)),
        solid(1.5, (0.0, 0.03, 0.0), (0.004, 0.003, 0.004)),
        solid(0.5, (0.0, 0.0, 0.06), (0.0006, 0.0006, 0.0004)),
    ]
    robot = _arm(
        "rx90",
        alpha=[0, _H, 0, -_H, _H, -_H],
        d=[0, 0, 0.45, 0, 0, 0],
        r=[0, 0, 0, 0.45, 0, 0],
        inertias=inertias,
    )
    return made_symbolic(robot) if symbolic else robot


def puma560(*, symbolic: bool = False, d2: str = "moved") -> Robot:
    """Return the PUMA 560 with the values of Armstrong, Khatib and Burdick, ICRA 1986, tables 4 to 7 and A1.

    Axes 2 and 3 are parallel. With ``d2="moved"``, the shoulder's offset of 0.2435 m along them is in joint 3 alone
    (0.2435 - 0.0934 m), which saves operations and changes no torque; ``d2="kept"`` gives the paper's own frames.
    """
    if d2 not in ("moved", "kept"):
        raise RobotError(f"d2 is {d2!r}; it must be 'moved' or 'kept'")
    shoulder = 0.2435 if d2 == "moved" else 0.0
    inertias = [
        Inertia(ZZ=0.35),
        solid(17.40, (0.068, 0.006, float(as_node(-0.016) + shoulder)), (0.130, 0.524, 0.539)),
        solid(4.80, (0.0, -0.070, 0.014), (0.066, 0.0125, 0.086)),
        solid(0.82, (0.0, 0.0, -0.019), (1.80e-3, 1.80e-3, 1.30e-3)),
        solid(0.34, (0.0, 0.0, 0.0), (0.30e-3, 0.30e-3, 0.40e-3)),
        solid(0.09, (0.0, 0.0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
    ]
    robot = _arm(
        "puma560",
        alpha=[0, -_H, 0, _H, -_H, _H],
        d=[0, 0, 0.4318, -0.0203, 0, 0],
        r=[0, 0.2435 - shoulder, float(as_node(-0.0934) + shoulder), 0.4331, 0, 0],
        inertias=inertias,
        IA=[1.14, 4.71, 0.83, 0.200, 0.179, 0.193],
    )
    return made_symbolic(robot) if symbolic else robot


def kuka_lwr(*, symbolic: bool = False) -> Robot:
    """Return the KUKA LWR 4+ with the approximate values of Woliński and Malczyk, Archive of Mechanical Engineering
    2015, table 2.

    The paper's centroidal frames are converted to Khalil-Kleinfinger frames at the centres of wrist, elbow and
    shoulder; z0 points upward. The coordinates are the paper's.
    """
    slim, short = (1.27e-2, 1.27e-2, 5.4e-3), (1.017e-3, 4.5e-3, 4.5e-3)
    inertias = [
        solid(3.0, (0.0, 0.0, -0.1), slim),
        solid(3.0, (0.0, -0.1, 0.0), (slim[0], slim[2], slim[1])),
        solid(3.0, (0.0, 0.0, -0.1), slim),
        solid(2.5, (0.0, -0.0975, 0.0), (short[0], short[2], short[1])),
        solid(2.5, (0.0, 0.0, -0.0975), short),
        solid(1.0, (0.0, 0.0, 0.0), (1.44e-3, 1.44e-3, 1.44e-3)),
        solid(0.5, (0.0, 0.0, 0.0309), (3.66e-4, 3.66e-4, 2.25e-4)),
    ]
    alpha = [0, -_H, _H, -_H, _H, -_H, _H]
    robot = _arm("kuka_lwr", alpha=alpha, r=[0.3105, 0, 0.4, 0, 0.39, 0, 0], inertias=inertias)
    return made_symbolic(robot) if symbolic else robot


def ur5(*, symbolic: bool = False) -> Robot:
    """Return the Universal Robots UR5 with the manufacturer's lengths, as in Corke's Robotics Toolbox, and its masses
    and centres of mass, from "Parameters for calculations of kinematics and dynamics".

    Moments of inertia are not published; these are those of cylinders, as in the manufacturer's own description for ROS
    2 (config/ur5/physical_parameters.yaml). The flange's 0.0823 m along the last axis belongs to the tool.
    """
    inertias = [
        solid(3.7, (0.0, -0.00193, -0.02561), (0.014972358333333331, 0.014972358333333331, 0.01040625)),
        solid(8.393, (-0.2125, 0.0, 0.11336), (0.0151074, 0.13388583541666665, 0.13388583541666665)),
        solid(2.33, (-0.24225, 0.0, 0.0265), (0.004095, 0.031216803515624995, 0.031216803515624995)),
        solid(1.219, (0.0, -0.01634, -0.0018), (0.002013889583333333, 0.002013889583333333, 0.0021942)),
        solid(1.219, (0.0, 0.01634, -0.0018), (0.0018310395833333333, 0.0018310395833333333, 0.0021942)),
        solid(0.1879, (0.0, 0.0, -0.001159), (8.062475833333332e-05, 8.062475833333332e-05, 0.0001321171875)),
    ]
    robot = _arm(
        "ur5",
        alpha=[0, _H, 0, 0, _H, -_H],
        d=[0, 0, -0.425, -0.39225, 0, 0],
        r=[0.089459, 0, 0, 0.10915, 0.09465, 0],
        inertias=inertias,
    )
    return made_symbolic(robot) if symbolic else robot


def panda(*, symbolic: bool = False) -> Robot:
    """Return the Franka Emika Panda: the manufacturer's modified Denavit-Hartenberg lengths, and the inertial values
    that Gaz, Cognetti, Oliva, Robuffo Giordano and De Luca identified, IEEE Robotics and Automation Letters 2019, as in
    the manufacturer's franka_description; without a hand.

    The flange's 0.107 m along the last axis belongs to the tool.
    """
    alpha = [0, -_H, _H, _H, -_H, _H, _H]
    d, r = [0, 0, 0, 0.0825, -0.0825, 0, 0.088], [0.333, 0, 0.316, 0, 0.384, 0, 0]
    robot = _arm("panda", alpha=alpha, d=d, r=r, inertias=[solid(*link) for link in _PANDA])
    return made_symbolic(robot) if symbolic else robot


_PANDA = (  # mass, centre of mass, moments XX YY ZZ and products XY XZ YZ about it
    (4.970684, (0.003875, 0.002081, -0.04762), (0.70337, 0.70661, 0.009117), (-0.000139, 0.006772, 0.019169)),
    (0.646926, (-0.003141, -0.02872, 0.003495), (0.007962, 0.02811, 0.025995), (-0.003925, 0.010254, 0.000704)),
    (3.228604, (0.027518, 0.039252, -0.066502), (0.037242, 0.036155, 0.01083), (-0.004761, -0.011396, -0.012805)),
    (3.587895, (-0.05317, 0.104419, 0.027454), (0.025853, 0.019552, 0.028323), (0.007796, -0.001332, 0.008641)),
    (1.225946, (-0.011953, 0.041065, -0.038437), (0.035549, 0.029474, 0.008627), (-0.002117, -0.004037, 0.000229)),
    (1.666555, (0.060149, -0.014117, -0.010517), (0.001964, 0.004354, 0.005433), (0.000109, -0.001158, 0.000341)),
    (0.735522, (0.010517, -0.004252, 0.061597), (0.012516, 0.010027, 0.004815), (-0.000428, -0.001196, -0.000741)),
)

_ARMS = (rrp, planar2r, scara, stanford, rx90, puma560, kuka_lwr, ur5, panda)
_MECHANISMS = (fourbar, slider_crank, fivebar, sr400)
_PARALLEL = (gough_stewart, delta, planar_3rrr, orthoglide)
_ROBOTS: dict[str, Callable[..., Robot]] = {
    function.__name__: function for function in (*_ARMS, *_MECHANISMS, *_PARALLEL)
}


def _arm(
    name: str,
    *,
    alpha: Sequence[float],
    d: Sequence[float] = (),
    r: Sequence[float] = (),
    sigma: Sequence[int] = (),
    inertias: Sequence[Inertia] = (),
    IA: Sequence[float] = (),
    gravity: Vector = DOWN,
) -> Robot:
    """Build a serial arm; lengths that are not given are zero, inertias that are not given are symbols."""
    zeros = [0] * len(alpha)
    columns = zip(alpha, d or zeros, r or zeros, sigma or zeros, IA or zeros, strict=True)
    joints = tuple(
        Joint(name=f"joint{j + 1}", antecedent=j, alpha=float(a), d=float(x), r=float(z), sigma=s, IA=float(rotor))
        for j, (a, x, z, s, rotor) in enumerate(columns)
    )
    links = inertias or [symbols(j) for j in range(1, len(alpha) + 1)]
    bodies = tuple(Body(name=f"link{j}", inertia=inertia) for j, inertia in enumerate(links, 1))
    return Robot(name=name, joints=joints, bodies=bodies, gravity=gravity)
