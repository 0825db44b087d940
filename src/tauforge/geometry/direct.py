"""Direct geometry: where a frame is, from the coordinates."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..models.registry import check_robot
from ..models.routes import tip
from ..models.transforms import transforms
from ..robot.robot import Robot
from ..runtime.function import Function
from .close_loops import refuse_symbols

Floats = NDArray[np.float64]


def direct_geometry(
    robot: Robot, q: ArrayLike, *, frame: str = "", relative_to: str | None = None, threads: int | None = None
) -> Floats:
    """Return the poses of a frame, (..., 4, 4), in states q, (..., robot.coordinate_names).

    Parameters
    ----------
    frame
        Name of a link or of a constant frame; by default the end of the arm.
    relative_to
        Name of a link or of a constant frame; by default the base.
    threads
        How many threads share the batch; by default as many as pay off.
    """
    check_robot(robot)
    for name, given in (("frame", frame), ("relative_to", relative_to)):
        if not isinstance(given, str) and (given is not None or name == "frame"):
            raise ProgramError(f"{name}={given!r}; give the name of a link or of a constant frame")
    return np.asarray(_compiled(robot, frame or tip(robot), relative_to)(q, threads=threads))[..., 0, :, :]


@lru_cache(maxsize=64)
def _compiled(robot: Robot, frame: str, relative_to: str | None) -> Function:
    program = transforms(robot, frames=frame, relative_to=relative_to)
    refuse_symbols(robot, program)
    return program.compile()
