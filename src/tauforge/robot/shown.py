"""What a robot shows of itself: the methods that open the room of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..view.live import View
    from ..view.picture import Picture
    from .robot import Robot


class Shown:
    """The part of Robot that is for the eye."""

    @property
    def _whole(self) -> Robot:
        return cast("Robot", self)

    def plot(
        self, q: ArrayLike | None = None, path: str | Path | None = None, *, size: tuple[int, int] = (800, 600)
    ) -> Picture:
        """Return a picture of the robot at one state, and write it to a .png file if asked; notebooks show it.

        Parameters
        ----------
        q
            Coordinates; with closed loops those of all joints, or of the independent ones. By default zero, or with
            loops a closed state near it.
        size
            Width and height in pixels.
        """
        from ..view.picture import plot

        return plot(self._whole, q, path, size=size)

    def view(
        self,
        q: ArrayLike | None = None,
        t: ArrayLike | None = None,
        *,
        title: str | None = None,
        port: int = 0,
        browser: bool = True,
    ) -> View:
        """Show the robot in the browser, with a slider for each joint; closed loops are closed again when one moves.

        Links look as in ``tf.animate``. The page is served to this computer only, until ``View.close`` or the program's
        end.

        Parameters
        ----------
        q, t
            The first state, or a motion to play, as for ``tf.animate``.
        title
            By default the robot's name.
        port
            Port of the server; by default a free one.
        browser
            Whether to open the browser; otherwise open ``View.url`` yourself.
        """
        from ..view.live import view

        return view(self._whole, q, t, title=title, port=port, browser=browser)

    def _repr_latex_(self) -> str:
        from ..equations.notebook import of_robot

        return of_robot(self._whole)
