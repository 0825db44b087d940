"""Draw the robots on the pages about mechanisms, as the examples there build them: python scripts/draw_robots.py"""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path

from tauforge.view.drawing import draw

ROOT = Path(__file__).parents[1]
PICTURES = {
    "docs/sr400.svg": "examples/closed_loops_from_nothing.py",
    "docs/gough_stewart.svg": "examples/gough_stewart_from_nothing.py",
    "docs/models/hexapod.svg": "examples/models/parallel_robots.py",
}
"""The example that builds the robot of each picture, and its state q."""
SEVERAL = {"docs/mechanisms": ("examples/mechanisms.py", "examples/mechanisms_with_loops.py")}
"""The examples that have made the drawings of a folder."""


def pictures() -> dict[Path, str]:
    """Return the text of each picture by its file."""
    found = {}
    for picture, example in PICTURES.items():
        with contextlib.redirect_stdout(io.StringIO()):
            names = runpy.run_path(str(ROOT / example))
        found[ROOT / picture] = draw(names["robot"], names["q"]).svg
    for folder, examples in SEVERAL.items():
        for example in examples:
            with contextlib.redirect_stdout(io.StringIO()):
                names = runpy.run_path(str(ROOT / example))
            found |= {ROOT / folder / f"{name}.svg": drawing.svg for name, drawing in names["drawings"].items()}
    return found


if __name__ == "__main__":
    for path, text in pictures().items():
        path.write_text(text, encoding="utf-8")
