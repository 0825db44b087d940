"""Animation: a robot that moves, as one HTML page with a player, or as a GIF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from numpy.typing import ArrayLike

from ..errors import ProgramError
from ..files import as_path, write_bytes, write_text
from ..robot.robot import Robot
from .page import page
from .picture import MOVING, Picture, checked_size, gif
from .raster import Renderer
from .scene import Scene, scene

ENDINGS = (".html", ".gif", ".png")


@dataclass(frozen=True, eq=False)
class Animation:
    """A robot that moves. Notebooks show it with its player; ``save`` writes it to a file.

    Attributes
    ----------
    scene
        The solids, where they are at each time, and the camera.
    events
        Names and times of what is marked on the bar of time.
    """

    scene: Scene
    events: tuple[tuple[str, float], ...] = field(default=())

    @property
    def html(self) -> str:
        """The page: one file that opens from disk without a network."""
        return page(self.scene, self.events)

    def save(self, path: str | Path, *, size: tuple[int, int] = MOVING, rate: float = 20.0, speed: float = 1.0) -> Path:
        """Write an .html page with a player, a .gif, or the first state as .png.

        Parameters
        ----------
        path
            The file; its ending chooses the format. A .gif needs the extra "view", and no browser.
        size
            Width and height of a .gif or .png, in pixels.
        rate
            Pictures per second of a .gif, up to 50.
        speed
            How much faster than in reality a .gif shows the motion.
        """
        path = as_path(path)
        ending = path.suffix.lower()
        if ending == ".html":
            return write_text(path, self.html)
        if ending not in ENDINGS:
            raise ProgramError(f"{path}: an animation's file ends with {', '.join(ENDINGS)}")
        width, height = checked_size(size)
        if ending == ".png":
            return Picture(Renderer(self.scene, width, height).render(self.scene.T[0])).save(path)
        for name, value in (("rate", rate), ("speed", speed)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < float("inf"):
                raise ProgramError(f"{name} is {value!r}; it must be a number above 0")
        return write_bytes(path, gif(self.scene, (width, height), float(rate), float(speed)))

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: 480px; border: 0"></iframe>'

    def __repr__(self) -> str:
        t = self.scene.t
        return f"Animation({self.scene.title}: {t[0]:g} to {t[-1]:g} s, {len(t)} states)"


def animate(
    robot: Robot,
    q: ArrayLike | None = None,
    t: ArrayLike | None = None,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    events: Sequence[tuple[str, float]] = (),
) -> Animation:
    """Return an animation of a robot, and write it to an .html or .gif file if asked.

    Links have the shapes and meshes of the robot's file. Meshes need the extra "view"; one that cannot be read is left
    out with a RobotWarning. Links of a robot without any, or whose own meshes are all missing, have stand-in shapes.

    Parameters
    ----------
    q
        Coordinates, (times, n); with closed loops all coordinates, or those of the independent joints. One state (n) is
        a picture that does not move, and None the neutral one.
    t
        Times of the states; by default 30 per second.
    path
        A file that ends with .html, .gif or .png; ``Animation.save`` has more options.
    title
        By default the robot's name.
    events
        Names and times to mark on the bar of time.
    """
    marked = tuple((str(name), float(at)) for name, at in events)
    if not all(math.isfinite(at) for _, at in marked):
        raise ProgramError("events have times that are not finite")
    found = Animation(scene(robot, q, t, title=title), marked)
    if path is not None:
        found.save(path)
    return found
