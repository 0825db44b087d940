"""Draw docs/readme.svg, the picture of the README: operations beside published counts, times beside other libraries.

Published counts are those of docs/formulations/puma560.txt and of SYMORO+, times those of docs/performance.md, and
our own counts are counted now: python scripts/draw_readme.py
"""

from __future__ import annotations

import re
from pathlib import Path

import tauforge as tf
from tauforge.robot.published import published

DOCS = Path(__file__).parents[1] / "docs"
FORMULATIONS = {
    "uicker-kahn": "Uicker and Kahn, 1965",
    "waters": "Waters, 1979",
    "hollerbach-3x3": "Hollerbach, 1980",
    "luh-walker-paul": "Luh, Walker, Paul, 1980",
}
OURS = "Tauforge"
OPERATIONS = "1965 to 1980: any six-joint arm, as published. Bars: square roots"
TIMES = "batch of 4096, one thread, in multiples of ours"
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 }
  .note { font-size: 11px; fill: #6e7781 }
  rect { fill: #afb8c1 }
  rect.ours { fill: #1a7f9c }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note { fill: #8d96a0 }
    rect { fill: #57606a }
    rect.ours { fill: #35b5d6 }
  }
"""
ROW, LABEL, LENGTH = 24, 175, 150
"""Height of a row, width of the labels, length of the longest bar."""


def operations() -> dict[str, float]:
    """Return how many multiplications and additions the inverse dynamics of a PUMA 560 takes."""
    text = (DOCS / "formulations" / "puma560.txt").read_text(encoding="utf-8")
    figures = dict(re.findall(r"^([\w-]+) +(\d+/\d+) +\d+/\d+", text, re.MULTILINE))
    counts = {label: float(sum(map(int, figures[name].split("/")))) for name, label in FORMULATIONS.items()}
    counts["SYMORO+"] = float(sum(published("puma560", "base") or ()))
    for label, symbolic in ((OURS, True), (f"{OURS}, with numbers", False)):
        robot = tf.robots.bundled("puma560", symbolic=symbolic)
        counts[label] = float(tf.inverse_dynamics(robot, parameters="base").count().total)
    return counts


def times() -> dict[str, float]:
    """Return the times for one of many states of a Panda's inverse dynamics, in multiples of ours, longest first."""
    text = (DOCS / "performance.md").read_text(encoding="utf-8")
    table = (
        r"^\| \| ours, batch (.*)\| ours, one call .*\n[-|]+\n\| Panda, inverse dynamics \| \d+ ns (.*)\| \d+ ns .*$"
    )
    head, row = re.findall(table, text, re.MULTILINE)[0]
    libraries, figures = ([cell.strip() for cell in line.strip(" |").split("|")] for line in (head, row))
    ratios = dict(zip(libraries, map(float, figures), strict=True)) | {OURS: 1.0}
    return dict(sorted(ratios.items(), key=lambda item: -item[1]))


def panel(x: int, title: str, note: str, bars: dict[str, float], power: float = 1.0, unit: str = "") -> list[str]:
    """Return one panel, with bars as long as that power of the value."""
    lines = [f'<text class="title" x="{x}" y="20">{title}</text>', f'<text class="note" x="{x}" y="37">{note}</text>']
    longest = max(bars.values()) ** power
    for k, (label, value) in enumerate(bars.items()):
        y, length = 50 + k * ROW, max(2.0, LENGTH * value**power / longest)
        kind = ' class="ours"' if label.startswith(OURS) else ""
        lines += [
            f'<text x="{x + LABEL - 8}" y="{y + 13}" text-anchor="end">{label}</text>',
            f'<rect{kind} x="{x + LABEL}" y="{y}" width="{length:.1f}" height="{ROW - 6}" rx="2"/>',
            f'<text x="{x + LABEL + length + 6:.1f}" y="{y + 13}">{value:,.0f}{unit}</text>',
        ]
    return lines


def picture() -> str:
    """Return the picture as SVG, readable on light and on dark pages."""
    left, right = operations(), times()
    height = 50 + ROW * max(len(left), len(right)) + 4
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 810 {height}" role="img">',
        f"<title>Operations and times of inverse dynamics</title>\n<style>{STYLE}</style>",
        *panel(0, "Operations of the PUMA 560's torques", OPERATIONS, left, power=0.5),
        *panel(425, "Time per state of a Panda's torques", TIMES, right, unit="×"),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (DOCS / "readme.svg").write_text(picture(), encoding="utf-8")
