"""Poses and inertias as other libraries take them: matrices, and moments about the centre of mass."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..robot.joint import Joint
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector


def pose(joint: Joint) -> tuple[Any, Any]:
    """Return the rotation matrix and origin of a joint's frame relative to its parent's, at coordinate zero."""
    at = joint.pose()
    units = (Vector(1.0, 0.0, 0.0), Vector(0.0, 1.0, 0.0), Vector(0.0, 0.0, 1.0))
    columns = [[float(x) for x in at.R.forth(unit)] for unit in units]
    return np.array(columns).T, np.array([float(x) for x in at.P])


def about_centre(body: Inertia) -> tuple[float, Any, Any]:
    """Return mass, centre of mass, and the inertia matrix about it."""
    XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = map(float, body)
    centre = np.array([MX, MY, MZ]) / M if M else np.zeros(3)
    about_origin = np.array([[XX, XY, XZ], [XY, YY, YZ], [XZ, YZ, ZZ]])
    return M, centre, about_origin - M * (centre @ centre * np.eye(3) - np.outer(centre, centre))
