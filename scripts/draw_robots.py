"""Draw the robots on the pages about closed loops: python scripts/draw_robots.py"""

from __future__ import annotations

from pathlib import Path

import tauforge as tf
from tauforge.geometry.close_loops import close_loops
from tauforge.view.drawing import draw

DOCS = Path(__file__).parents[1] / "docs"
GUESSES = {"sr400": [0.0, -1.2, 0.0, 0.0, 0.4, 0.0, -2.9, 1.6]}
"""About where each robot is drawn: the independent joints are there, and the others where its loops are closed."""


def pictures() -> dict[Path, str]:
    """Return the text of each picture by its file."""
    found = {}
    for name, guess in GUESSES.items():
        robot = tf.robots.bundled(name)
        active = [guess[robot.coordinate_names.index(joint)] for joint in robot.independent]
        found[DOCS / f"{name}.svg"] = draw(robot, close_loops(robot, active, guess=guess)).svg
    return found


if __name__ == "__main__":
    for path, text in pictures().items():
        path.write_text(text, encoding="utf-8")
