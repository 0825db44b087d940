"""A robot drawn as a stick figure in SVG: links as lines, joints as marks, cuts of closed loops as rings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..files import write_text
from ..graph.node import Node
from ..models.loops.closure import with_sides
from ..models.loops.freedom import freedom
from ..models.registry import check_robot
from ..robot.entries import by_joint, owners
from ..robot.joint import Joint
from ..robot.robot import Robot

Floats = NDArray[np.float64]
WIDTH, MARGIN, LABEL = 480.0, 60.0, 60.0
"""Size of the drawing's longer side, the space around it, and more for names on the right, in pixels."""
MANY = 14
"""Joints beyond which names are shown only where the pointer is."""
NEAR = 1e-6
"""Distance of points that count as one, as a part of the robot's size."""
TURNED, RAISED = -60.0, 20.0
"""Where a robot that is not flat is seen from, in degrees: about the vertical, and above the horizontal."""
STYLE = """
  line { stroke: #6e7781; stroke-width: 5; stroke-linecap: round }
  line.base { stroke: #d0d7de }
  line.axis { stroke-width: 1.5; stroke: #afb8c1 }
  line.open { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 4 4 }
  .joint { fill: #ffffff; stroke: #24292f; stroke-width: 2 }
  .driven { fill: #1a7f9c }
  .cut { fill: none; stroke: #cf222e; stroke-width: 2.5 }
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  @media (prefers-color-scheme: dark) {
    line.base { stroke: #30363d }
    .joint { fill: #0d1117; stroke: #e6edf3 }
    .driven { fill: #35b5d6 }
    .cut, line.open { stroke: #ff7b72 }
    text { fill: #e6edf3 }
  }
"""


@dataclass(frozen=True)
class Drawing:
    """A drawing as SVG text, which notebooks show.

    Attributes
    ----------
    svg
        The text.
    """

    svg: str

    def save(self, path: str | Path) -> None:
        """Write the drawing to an .svg file."""
        if Path(path).suffix != ".svg":
            raise ProgramError(f"{path}: a drawing is written as .svg")
        write_text(path, self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Drawing({len(self.svg)} characters of SVG)"


class Mark(NamedTuple):
    """Something drawn at a point: a joint, or one side of a cut."""

    name: str
    kind: str
    at: Floats
    axis: Floats | None


class Figure(NamedTuple):
    """What is drawn, in space: lines with their class, and marks, those of joints before those of cuts."""

    lines: list[tuple[str, Floats, Floats]]
    marks: list[Mark]


def draw(robot: Robot, q: ArrayLike | None = None) -> Drawing:
    """Return a drawing of a robot: its links, joints and loops.

    Actuated joints are filled, and a ring marks the joint at which a loop is cut. If a loop is open at ``q``, a dashed
    line joins its two sides. A flat robot is drawn in its plane, any other seen from above, with gravity downward.

    Parameters
    ----------
    q
        Coordinates of all joints; by default zero, or with loops a closed state near it.
    """
    check_robot(robot)
    if any(isinstance(x, Node) for x in _lengths(robot)):
        raise ProgramError(f"{robot.name} has symbols in its geometry; give them values with bind(…) before drawing it")
    whole = robot.expanded()
    if q is None:
        q = freedom(whole).q if whole.loops else [x for j in owners(whole) for x in whole.joints[j - 1].kind.neutral]
    values = np.asarray(q, dtype=float)
    if values.shape != (len(robot.coordinate_names),):
        raise ProgramError(
            f"q has the shape {values.shape}; {robot.name} has {len(robot.coordinate_names)} coordinates"
        )
    figure = figure_of(whole, values)
    right, up = _view(whole, figure)
    return Drawing(_svg(robot.name, figure, np.array([right, up])))


def figure_of(robot: Robot, q: Floats) -> Figure:
    """Return what is drawn of a robot on a fixed base, in the base frame."""
    tree, sides = with_sides(robot)
    values = by_joint(robot, q.tolist())
    T = [np.eye(4)]
    for j, joint in enumerate(tree.joints, 1):
        own = values[j] if j < len(values) else ()
        T.append(T[joint.antecedent] @ np.array([float(x) for x in joint.pose(own).homogeneous]).reshape(4, 4))
    at = [pose[:3, 3] for pose in T]
    lines = [("link", at[joint.antecedent], at[j]) for j, joint in enumerate(tree.joints, 1) if joint.antecedent]
    lines += _ground([at[j] for j, joint in enumerate(tree.joints, 1) if not joint.antecedent and len(joint.axes) < 3])
    for frame in robot.frames:
        pose = np.array([float(x) for x in frame.pose().homogeneous]).reshape(4, 4)
        lines.append(("link", at[frame.antecedent], (T[frame.antecedent] @ pose)[:3, 3]))
    lines += [("open", at[side.a], at[side.b]) for side in sides]
    marks = [Mark(x.name, _kind(x), at[j], _axis(x, T[j])) for j, x in enumerate(robot.joints, 1) if x.axes]
    marks += [Mark(side.loop.joint.name, "cut", at[side.a], _axis(side.loop.joint, T[side.a])) for side in sides]
    return Figure(lines, marks)


def _ground(points: Sequence[Floats]) -> list[tuple[str, Floats, Floats]]:
    """Return the lines of the base: between the joints on it, or from its frame to the only one."""
    if len(points) < 2:
        return [("base", np.zeros(3), point) for point in points]
    around = points if len(points) > 2 else points[1:]
    return [("base", points[k - 1], point) for k, point in enumerate(around, len(points) - len(around))]


def _kind(joint: Joint) -> str:
    shape = "square" if joint.kind.word == "prismatic" else "dot"
    return f"{shape} driven" if joint.mu else shape


def _axis(joint: Joint, T: Floats) -> Floats | None:
    return T[:3, 2] if len(joint.axes) == 1 else None


def _lengths(robot: Robot) -> list[object]:
    cuts = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    keys = ("gamma", "b", "alpha", "d", "e", "theta", "r")
    return [getattr(joint, key) for joint in (*robot.joints, *robot.frames, *cuts) for key in keys]


def _view(robot: Robot, figure: Figure) -> tuple[Floats, Floats]:
    """Return the directions that are drawn to the right and upward."""
    g = np.array([0.0 if isinstance(x, Node) else float(x) for x in robot.gravity])
    z = -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0.0, 1.0])
    points = np.array([p for _, a, b in figure.lines for p in (a, b)])
    points = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points)
    if len(sizes) == 3 and sizes[1] > NEAR * sizes[0] >= sizes[2] and abs(axes[2] @ z) < NEAR:
        right = np.cross(z, axes[2])
        toward = axes[2] if right[np.argmax(np.abs(right))] > 0 else -axes[2]
    else:
        first = np.eye(3)[int(np.argmin(np.abs(z)))]
        first = first - (first @ z) * z
        first = first / np.linalg.norm(first)
        a, b = np.radians([TURNED, RAISED])
        level = np.cos(a) * first + np.sin(a) * np.cross(z, first)
        toward = np.cos(b) * level + np.sin(b) * z
    right = np.cross(z, toward)
    right = right / np.linalg.norm(right)
    return right, np.cross(toward, right)


def _svg(name: str, figure: Figure, view: Floats) -> str:
    """Return the drawing as text, the view having the directions to the right and upward as its rows."""
    points = np.array([view @ p for _, a, b in figure.lines for p in (a, b)] + [view @ m.at for m in figure.marks])
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(max((high - low).max(), 1e-9))
    scale = (WIDTH - 2 * MARGIN) / size
    width, height = (high - low) * scale + 2 * MARGIN + [LABEL, 0.0]

    def place(p: Floats) -> tuple[float, float]:
        x, y = (view @ p - low) * scale + MARGIN
        return x, height - y

    def line(word: str, a: Floats, b: Floats) -> str:
        (x1, y1), (x2, y2) = place(a), place(b)
        return f'<line class="{word}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'

    order = {"base": 0, "link": 1, "open": 2}
    drawn = [
        line(word, a, b)
        for word, a, b in sorted(figure.lines, key=lambda x: order[x[0]])
        if np.linalg.norm(b - a) > NEAR * size
    ]
    stub = 0.06 * size
    drawn += [line("axis", m.at - stub * m.axis, m.at + stub * m.axis) for m in figure.marks if m.axis is not None]
    drawn += [_mark(m, *place(m.at)) for m in figure.marks]
    if len(figure.marks) <= MANY:
        drawn += _labels([(m.name, place(m.at)) for m in figure.marks])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
    return "\n".join([head, f"<title>{escape(name)}</title>", f"<style>{STYLE}</style>", *drawn, "</svg>", ""])


def _mark(mark: Mark, x: float, y: float) -> str:
    name = f"<title>{escape(mark.name)}</title>"
    if mark.kind == "cut":
        return f'<circle class="cut" cx="{x:.1f}" cy="{y:.1f}" r="10">{name}</circle>'
    word = "joint driven" if mark.kind.endswith("driven") else "joint"
    if mark.kind.startswith("square"):
        return f'<rect class="{word}" x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12">{name}</rect>'
    return f'<circle class="{word}" cx="{x:.1f}" cy="{y:.1f}" r="6">{name}</circle>'


def _labels(named: Sequence[tuple[str, tuple[float, float]]]) -> list[str]:
    """Return the names, those at one point in one text."""
    together: dict[tuple[int, int], tuple[float, float, list[str]]] = {}
    for name, (x, y) in named:
        key = (round(x / 4), round(y / 4))
        together.setdefault(key, (x, y, []))[2].append(name)
    return [
        f'<text x="{x + 13:.1f}" y="{y - 9:.1f}">{escape(", ".join(names))}</text>' for x, y, names in together.values()
    ]
