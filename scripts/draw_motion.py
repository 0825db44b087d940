"""Draw docs/simulation/robots.gif, bundled robots that move: python scripts/draw_motion.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tauforge as tf
from tauforge.view.picture import encoded
from tauforge.view.raster import Renderer

DOCS = Path(__file__).parents[1] / "docs"
SIZE, FRAMES, PAUSE = (300, 240), 40, 8
"""Size of each robot's picture, their number, and the time of each in hundredths of a second."""


def swing(middle: list[float], reach: list[float]) -> NDArray[np.float64]:
    """Return joints that swing about a state, each a little later than the one before."""
    turn = 2 * np.pi * np.arange(FRAMES) / FRAMES
    found: NDArray[np.float64] = np.array(middle) + np.array(reach) * np.sin(
        turn[:, None] - 0.9 * np.arange(len(middle))
    )
    return found


def motions() -> dict[str, NDArray[np.float64]]:
    """Return how the independent joints of each robot move."""
    return {
        "panda": swing([0.3, -0.5, 0.2, -1.9, 0.1, 1.6, 0.4], [0.8, 0.35, 0.3, 0.4, 0.6, 0.5, 1.0]),
        "gough_stewart": swing([0.12] * 6, [0.12] * 6),
        "delta": swing([0.35] * 3, [0.3] * 3),
        "sr400": swing([0.2, -1.4, 0.2, 0.3, 0.0, 2.7], [0.6, 0.25, 0.5, 0.5, 1.0, 0.25]),
    }


def picture() -> bytes:
    """Return the robots side by side, two above two."""
    drawn = []
    for name, q in motions().items():
        shown = tf.animate(tf.robots.bundled(name), q).scene
        draw = Renderer(shown, *SIZE).render
        drawn.append([draw(T) for T in shown.T])
    rows = [[np.concatenate(pair, axis=1) for pair in zip(*drawn[k : k + 2], strict=True)] for k in (0, 2)]
    return encoded([np.concatenate(pair, axis=0) for pair in zip(*rows, strict=True)], PAUSE)


if __name__ == "__main__":
    (DOCS / "simulation" / "robots.gif").write_bytes(picture())
