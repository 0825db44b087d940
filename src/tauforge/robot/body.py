"""Body: a link, its inertial parameters and its visuals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import RobotError
from ..graph.node import Node, Scalar
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector
from .joint import are_numbers, given

Wrench = tuple[Scalar, ...]
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
"""Names of a wrench's components: force, then moment."""
NO_WRENCH: Wrench = (0.0,) * 6
LIFT = Inertia._fields[6:]
"""Names of the first moments and mass on which gravity does not act."""
NO_LIFT: tuple[Scalar, ...] = (0.0,) * 4
NO_INERTIA = Inertia()
IDENTITY = tuple(float(i % 5 == 0) for i in range(16))
"""The pose of a frame relative to itself, 4x4, row by row."""
SHAPES = {"mesh": 3, "box": 3, "cylinder": 2, "sphere": 1, "capsule": 2, "ellipsoid": 3}
"""The shapes of links, and how many numbers give the size of each."""


@dataclass(frozen=True, kw_only=True)
class Visual:
    """A shape at a pose in the link's frame, for viewers.

    Attributes
    ----------
    shape
        "mesh", "box", "cylinder", "sphere", "capsule" or "ellipsoid".
    size
        The three edges of a box; radius and length of a cylinder or a capsule; the radius of a sphere; the three radii
        of an ellipsoid; the scale of a mesh along the three axes.
    file
        Path of a mesh, as written in the robot's file.
    pose
        Pose of the shape in the link's frame, 4x4, row by row.
    color
        Red, green, blue and opacity, from 0 to 1; empty if the file gives none.
    folders
        The folder of the robot's file, then others from which a mesh may be read; they do not count when robots are
        compared, and are not saved.
    """

    shape: str
    size: tuple[float, ...] = ()
    file: str = ""
    pose: tuple[float, ...] = IDENTITY
    color: tuple[float, ...] = ()
    folders: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.color) not in (0, 4) or not all(0.0 <= x <= 1.0 for x in self.color):
            raise RobotError(f"a {self.shape} has the colour {self.color}; it must be four numbers from 0 to 1")
        if not all(map(math.isfinite, (*self.size, *self.pose))):
            raise RobotError(f"a {self.shape} has the size {self.size} and the pose {self.pose}; all must be finite")


@dataclass(frozen=True, kw_only=True)
class Body:
    """A link: its name, its ten inertial parameters in its own frame, and the wrench that it exerts on its
    surroundings.

    The wrench is ``(FX, FY, FZ, CX, CY, CZ)``, in the link's frame and at its origin. ``lift`` is the part of its first
    moments and mass ``(MX, MY, MZ, M)`` on which gravity does not act, because something else carries it. ``visuals``
    are the shapes to draw.
    """

    name: str
    inertia: Inertia = NO_INERTIA
    wrench: Wrench = NO_WRENCH
    lift: tuple[Scalar, ...] = NO_LIFT
    visuals: tuple[Visual, ...] = ()

    def __post_init__(self) -> None:
        if len(self.inertia) != len(Inertia._fields):
            raise RobotError(f"link {self.name!r}: an inertia must have ten parameters, {', '.join(Inertia._fields)}")
        if not are_numbers(self.inertia):
            named = zip(Inertia._fields, self.inertia, strict=True)
            parameters = (given(x, f"{key} of link {self.name!r}") for key, x in named)
            object.__setattr__(self, "inertia", Inertia(*parameters))
        if len(self.wrench) != len(WRENCH):
            raise RobotError(f"link {self.name!r}: a wrench must have {len(WRENCH)} components, {', '.join(WRENCH)}")
        if self.wrench is not NO_WRENCH:
            object.__setattr__(self, "wrench", tuple(given(x, f"wrench of link {self.name!r}") for x in self.wrench))
        if len(self.lift) != len(LIFT):
            raise RobotError(f"link {self.name!r}: a lift must have {len(LIFT)} components, {', '.join(LIFT)}")
        if self.lift is not NO_LIFT:
            object.__setattr__(self, "lift", tuple(given(x, f"lift of link {self.name!r}") for x in self.lift))

    @classmethod
    def solid(
        cls,
        name: str,
        mass: Scalar | str,
        com: Sequence[Scalar | str] = (0.0, 0.0, 0.0),
        inertia: Sequence[Sequence[Scalar | str]] | None = None,
    ) -> Body:
        """Return a link from its mass, its centre of mass, and its 3x3 inertia matrix about that point.

        Both are in the axes of the link's frame. Leave the matrix out for a point mass.
        """
        M = given(mass, f"the mass of {name!r}")
        if not isinstance(M, Node) and not M > 0:
            raise RobotError(f"the mass of {name!r} must be positive, not {M}")
        try:
            c = [given(x, f"the com of {name!r}") for x in com]
        except TypeError:
            c = []
        if len(c) != 3:
            raise RobotError(f"the com of {name!r} is {com!r}; it must be three numbers or expressions")
        try:
            rows = [[0.0] * 3] * 3 if inertia is None else inertia
            J = [[given(x, f"the inertia of {name!r}") for x in row] for row in rows]
        except TypeError:
            J = []
        if [len(row) for row in J] != [3, 3, 3] or not all(
            _equal(J[i][k], J[k][i], J) for i in range(3) for k in range(i)
        ):
            raise RobotError(f"the inertia of {name!r} must be a symmetric 3x3 matrix, about its centre of mass")
        about_com = Inertia(J[0][0], J[0][1], J[0][2], J[1][1], J[1][2], J[2][2], 0.0, 0.0, 0.0, M)
        return cls(name=name, inertia=about_com.shifted(Vector(*c)))


def _equal(a: Scalar, b: Scalar, J: Sequence[Sequence[Scalar]]) -> bool:
    """Tell whether two entries of a matrix are equal, numbers but for the rounding of a rotated matrix."""
    if isinstance(a, Node) or isinstance(b, Node):
        return a == b
    largest = max(abs(x) for row in J for x in row if not isinstance(x, Node))
    return abs(a - b) <= 1e-12 * largest
