"""The shapes of a drawing as SVG: bars, plates, pistons, marks of joints, the ground, and names."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
RADIUS, RING = 5.5, 9.5
"""Radii of a joint's mark and of the ring around a cut, in pixels."""
LETTER = 6.6
"""Width of a letter, about, in pixels."""
STYLE = """
  .rim { fill: #57606a; stroke: #57606a; stroke-width: 9; stroke-linecap: round; stroke-linejoin: round }
  .link { fill: #c3cbd4; stroke: #c3cbd4; stroke-width: 6; stroke-linecap: round; stroke-linejoin: round }
  .rod { stroke-width: 3 }
  .rod.rim { stroke-width: 6 }
  .base { fill: #8c959f; fill-opacity: 0.16; stroke: #8c959f; stroke-width: 2; stroke-linejoin: round }
  .hatch { stroke: #8c959f; stroke-width: 1.5; stroke-linecap: round }
  .axis { stroke-width: 1.5; stroke: #8c959f; stroke-dasharray: 7 3 1.5 3 }
  .open { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 4 4 }
  .joint, .pin { fill: #ffffff; stroke: #24292f; stroke-width: 1.8; stroke-linejoin: round }
  .driven { fill: #1a7f9c }
  .cut { fill: none; stroke: #cf222e; stroke-width: 2 }
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  @media (prefers-color-scheme: dark) {
    .rim { fill: #0d1117; stroke: #0d1117 }
    .link { fill: #6e7781; stroke: #6e7781 }
    .joint, .pin { fill: #0d1117; stroke: #e6edf3 }
    .driven { fill: #35b5d6 }
    .cut, .open { stroke: #ff7b72 }
    text { fill: #e6edf3 }
  }
"""


def line(word: str, a: Floats, b: Floats) -> str:
    """Return a straight line."""
    return f'<line class="{word}" x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"/>'


def polygon(word: str, points: Sequence[Floats], name: str = "") -> str:
    """Return a closed polygon."""
    title = f"<title>{escape(name)}</title>" if name else ""
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon class="{word}" points="{corners}">{title}</polygon>'


def body(points: Sequence[Floats]) -> list[str]:
    """Return a link: a plate around its points, or a bar if they lie on a line."""
    corners = hull(points)
    if len(corners) > 2:
        return [polygon(word, corners) for word in ("rim", "link")]
    return [line(word, corners[0], corners[-1]) for word in ("rim", "link")]


def piston(a: Floats, b: Floats, name: str, driven: bool) -> list[str]:
    """Return a cylinder and its rod, from one end to the other."""
    along = (b - a) / max(float(np.hypot(*(b - a))), 1e-9)
    side = RADIUS * np.array([-along[1], along[0]])
    start, end = a + 0.1 * (b - a), a + 0.55 * (b - a)
    cylinder = polygon(
        "joint driven" if driven else "joint", [start + side, end + side, end - side, start - side], name
    )
    return [line("rod rim", a, b), line("rod link", a, b), cylinder]


def slider(at: Floats, along: Floats, name: str, driven: bool) -> str:
    """Return the mark of a prismatic joint: a block along its axis."""
    x = along / max(float(np.hypot(*along)), 1e-9)
    u, v = 1.6 * RADIUS * x, RADIUS * np.array([-x[1], x[0]])
    return polygon("joint driven" if driven else "joint", [at + u + v, at + u - v, at - u - v, at - u + v], name)


def dot(at: Floats, name: str, word: str) -> str:
    """Return the mark of any other joint, or the ring around a cut."""
    radius = RING if word == "cut" else RADIUS
    title = f"<title>{escape(name)}</title>"
    return f'<circle class="{word}" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}">{title}</circle>'


def ground(at: Floats) -> list[str]:
    """Return the sign of the ground below a joint: a triangle above a hatched line."""
    x, y = at
    stand = polygon("base", [at, np.array([x - 10, y + 16]), np.array([x + 10, y + 16])])
    floor = line("hatch", np.array([x - 17, y + 16]), np.array([x + 17, y + 16]))
    marks = [line("hatch", np.array([x + k, y + 16]), np.array([x + k - 6, y + 23])) for k in (-10, -2, 6, 14)]
    return [stand, floor, *marks]


def labels(named: Sequence[tuple[str, Floats]]) -> tuple[list[str], float]:
    """Return the names, those at one point in one text, and where they end on the right."""
    together: dict[tuple[int, int], tuple[Floats, list[str]]] = {}
    for name, at in named:
        together.setdefault((round(at[0] / 4), round(at[1] / 4)), (at, []))[1].append(name)
    texts = [(x + 12.0, y - 10.0, ", ".join(names)) for (x, y), names in together.values()]
    drawn = [f'<text x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>' for x, y, text in texts]
    return drawn, max((x + LETTER * len(text) for x, _, text in texts), default=0.0)


def hull(points: Sequence[Floats]) -> list[Floats]:
    """Return the corners of the convex hull of points in the plane; of points on a line, its two ends."""
    ordered = sorted({(round(float(x), 2), round(float(y), 2)) for x, y in points})
    if len(ordered) < 3:
        return [np.array(p) for p in ordered]

    def half(way: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for p in way:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 1.0:
                kept.pop()
            kept.append(p)
        return kept

    return [np.array(p) for p in (*half(ordered)[:-1], *half(ordered[::-1])[:-1])]


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
