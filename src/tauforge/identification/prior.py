"""What is known of the links before anything is measured: the values in the robot's file, or its shape alone.

A link with values is its own prior. What its values leave open (a point mass has no inertia, some published tables no
mass) comes from a stand-in: a body that fills the space between the link's joints. Where no link has values, neither
has the stand-ins' density; it is then found from the measurements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import ExpressionError, RobotError
from ..graph.node import Scalar
from ..robot.joint import Joint
from ..robot.robot import Robot
from .pseudo_inertia import Floats, body, pseudo_inertia

THICK = 0.2
"""Radius of gyration of a stand-in across its length, as a part of the links' mean length."""
OPEN = 1e-4
"""Second moments smaller than this part of the stand-in's are taken as not given."""
DENSITY = 1000.0
"""Density that stand-ins start from, in kg/m³, where no link has a mass."""


@dataclass(frozen=True)
class Prior:
    """The pseudo-inertia that each link is drawn to.

    Attributes
    ----------
    matrices
        One for each link of the expanded robot, in order; None for a link without mass, which stays so.
    scaled
        Whether only the links' shapes are known, so that a common factor is to be found from the data.
    """

    matrices: tuple[Floats | None, ...]
    scaled: bool = False

    @cached_property
    def heavy(self) -> tuple[int, ...]:
        """Indices of the links that have mass."""
        return tuple(k for k, P in enumerate(self.matrices) if P is not None)

    def link(self, k: int) -> Floats:
        """Return the pseudo-inertia of a link that has mass."""
        P = self.matrices[k]
        assert P is not None
        return P

    def times(self, factor: float) -> Prior:
        """Return the prior with every link's mass times a factor."""
        return Prior(tuple(None if P is None else P * factor for P in self.matrices), self.scaled)


def prior_of(robot: Robot, needed: Sequence[str] = ()) -> Prior:
    """Return the prior that a robot's own values make.

    Parameters
    ----------
    needed
        Names of links that have mass even if the robot's file gives them none.
    """
    whole = robot.expanded()
    stands = _stand_ins(whole)
    values = [_numbers(link.inertia) for link in whole.bodies]
    floating = len(whole.bodies) - len(robot.bodies)
    masses = [x[-1] if x is not None and x[-1] > 0.0 else 0.0 for x in values]
    volumes = [_volume(P) for P in stands]
    known = [k for k, mass in enumerate(masses) if mass]
    density = sum(masses[k] for k in known) / sum(volumes[k] for k in known) if known else DENSITY
    matrices: list[Floats | None] = []
    for k, (link, x, P) in enumerate(zip(whole.bodies, values, stands, strict=True)):
        stand_in = P * (masses[k] or density * volumes[k])
        if x is not None and not np.any(x):
            stays = known and k >= floating and link.name not in needed
            matrices.append(None if stays else stand_in)
        else:
            matrices.append(stand_in if x is None else filled(pseudo_inertia(x), stand_in))
    return Prior(tuple(matrices), scaled=not known)


def filled(P: Floats, stand_in: Floats, least: float = OPEN) -> Floats:
    """Return a positive pseudo-inertia: directions in which the given one has less than a part of the moments of the
    stand-in come from that.
    """
    L = np.linalg.cholesky(stand_in)
    inverse = np.linalg.inv(L)
    values, vectors = np.linalg.eigh(inverse @ P @ inverse.T)
    S = (vectors * np.where(values > least, values, 1.0)) @ vectors.T
    return np.asarray(L @ S @ L.T)


def _numbers(inertia: Sequence[Scalar]) -> Floats | None:
    """Return a link's parameters, or None if some of them have no value."""
    try:
        return np.array([float(x) for x in inertia])
    except ExpressionError:
        return None


def _volume(stand_in: Floats) -> float:
    """Return the volume of a uniform ellipsoid with the same second moments: its half-axes are √5 times the radii."""
    centred = stand_in[:3, :3] - np.outer(stand_in[:3, 3], stand_in[:3, 3])
    return float(4.0 / 3.0 * np.pi * 5.0**1.5 * np.sqrt(np.linalg.det(centred)))


def _stand_ins(robot: Robot) -> list[Floats]:
    """Return bodies of unit mass that fill the space between each link's joints and frames."""
    points = [[np.zeros(3)] for _ in range(len(robot.joints) + 1)]
    cuts = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    for joint in (*robot.joints, *cuts, *robot.frames):
        points[joint.antecedent].append(_origin(robot, joint))
    lengths = [length for own in points[1:] if (length := max(float(np.linalg.norm(p)) for p in own))]
    thick = THICK * float(np.mean(lengths or [0.5]))
    found = []
    for own in points[1:]:
        centre = np.mean(own, axis=0)
        about = np.array(own) - centre
        spread = about.T @ about / len(own) / 3.0 + thick**2 * np.eye(3)
        found.append(body(1.0, centre, spread))
    return found


def _origin(robot: Robot, joint: Joint) -> Floats:
    try:
        return np.array([float(x) for x in joint.pose().P])
    except ExpressionError:
        raise RobotError(
            f"{robot.name}: the place of {joint.name!r} has symbols; give its lengths and angles numbers with bind(...)"
        ) from None
