"""A robot drawn in SVG: links as bars and plates, joints as marks, cuts of closed loops as rings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..files import as_path, write_text
from ..graph.node import Node, Scalar, is_zero
from ..models.loops.closure import with_sides
from ..models.loops.freedom import freedom
from ..models.registry import check_robot
from ..robot.entries import by_joint, owners
from ..robot.joint import Joint
from ..robot.robot import Robot
from . import shapes

Floats = NDArray[np.float64]
WIDTH, MARGIN = 480.0, 48.0
"""Size of the drawing's longer side and the space around it, in pixels."""
MANY = 14
"""Joints beyond which names are shown only where the pointer is, and axes not at all."""
NEAR = 1e-6
"""Distance of points that count as one, as a part of the robot's size."""
FARTHEST = 1e12
"""Lengths that can be drawn, in metres: squares of larger ones leave the range of the numbers that pictures use."""
TURNED, RAISED = -50.0, 24.0
"""Where a robot that is not flat is seen from, in degrees: about the vertical, and above the horizontal."""


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
        if as_path(path).suffix != ".svg":
            raise ProgramError(f"{path}: a drawing is written as .svg")
        write_text(path, self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Drawing({len(self.svg)} characters of SVG)"


class Mark(NamedTuple):
    """Something drawn at a point: a joint, or the cut of a loop."""

    name: str
    kind: str
    driven: bool
    at: Floats
    axis: Floats | None


class Piston(NamedTuple):
    """A prismatic joint along the link that it makes longer."""

    mark: Mark
    start: Floats


class Figure(NamedTuple):
    """What is drawn, in space: points of each link, those of the base first; pistons, marks, and gaps of open loops.

    There is at least one mark: a body on which no joint is drawn has its own.
    """

    links: list[list[Floats]]
    pistons: list[Piston]
    marks: list[Mark]
    gaps: list[tuple[Floats, Floats]]

    @property
    def points(self) -> Floats:
        """All points."""
        return np.array([p for link in self.links for p in link] + [mark.at for mark in self.marks])


def draw(robot: Robot, q: ArrayLike | None = None) -> Drawing:
    """Return a drawing of a robot: its links, joints and loops.

    A link with three joints or more is a plate, and any other is a bar. Actuated joints are filled, and a ring marks
    the joint at which a loop is cut. If a loop is open at ``q``, a dashed line joins its two sides. A flat robot is
    drawn in its plane, any other seen from above, with gravity downward. Joints on which a platform moves freely are
    not drawn.

    Parameters
    ----------
    q
        Coordinates of all joints; by default zero, or with loops a closed state near it.
    """
    check_drawable(robot)
    whole = robot.expanded()
    if q is None:
        q = freedom(whole).home if whole.loops else [x for j in owners(whole) for x in whole.joints[j - 1].kind.neutral]
    try:
        values = np.asarray(q, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"q is {q!r}; it must be an array of numbers") from None
    if not np.isfinite(values).all():
        raise ProgramError("q has entries that are not finite")
    if values.shape != (len(robot.coordinate_names),):
        raise ProgramError(
            f"q has the shape {values.shape}; {robot.name} has {len(robot.coordinate_names)} coordinates"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        figure = figure_of(whole, values)
    check_reach(robot, figure.points)
    right, up = _view(whole, figure)
    return Drawing(_svg(robot.name, figure, np.array([right, up, np.cross(right, up)])))


def figure_of(robot: Robot, q: Floats) -> Figure:
    """Return what is drawn of a robot on a fixed base, in the base frame."""
    tree, sides = with_sides(robot)
    values = by_joint(robot, q.tolist())
    T = [np.eye(4)]
    for j, joint in enumerate(tree.joints, 1):
        T.append(T[joint.antecedent] @ matrix(joint, values[j] if j < len(values) else ()))
    at, hidden = [pose[:3, 3] for pose in T], guides(robot)
    links: list[list[Floats]] = [[] for _ in range(len(robot.joints) + 1)]
    marks, pistons = list[Mark](), list[Piston]()
    for j, joint in enumerate(robot.joints, 1):
        if j in hidden:
            continue
        links[j].append(at[j])
        mark = Mark(joint.name, joint.kind.word, bool(joint.mu), at[j], _axis(joint, T[j]))
        if joint.antecedent and _lengthens(mark, at[joint.antecedent]):
            pistons.append(Piston(mark, at[joint.antecedent]))
            continue
        links[joint.antecedent].append(at[j])
        if joint.axes:
            marks.append(mark)
    for frame in robot.frames:
        links[frame.antecedent].append((T[frame.antecedent] @ matrix(frame, ()))[:3, 3])
    for side in sides:
        for end in (side.a, side.b):
            links[tree.joints[end - 1].antecedent if end > len(robot.joints) else end].append(at[end])
        cut = side.loop.joint
        marks.append(Mark(cut.name, "cut", False, at[side.a], _axis(cut, T[side.a])))
    if not marks and not any(links):
        marks.append(Mark(robot.bodies[-1].name if robot.bodies else robot.name, "body", False, at[-1], None))
    return Figure(links, pistons, marks, [(at[side.a], at[side.b]) for side in sides])


def matrix(joint: Joint, q: Sequence[Scalar]) -> Floats:
    return np.array([float(x) for x in joint.pose(tuple(q)).homogeneous]).reshape(4, 4)


def guides(robot: Robot) -> set[int]:
    """Return the passive joints that only say how a platform moves: free ones, and slides without mass."""
    found = set[int]()
    for j, joint in enumerate(robot.joints, 1):
        if joint.mu or (joint.antecedent and joint.antecedent not in found):
            continue
        carried = [k for k, other in enumerate(robot.joints, 1) if other.antecedent == j]
        slide = joint.kind.word == "prismatic" and all(map(is_zero, robot.bodies[j - 1].inertia))
        alone = len(carried) == 1 and robot.joints[carried[0] - 1].kind.word == "prismatic"
        last = joint.antecedent in found and joint.kind.word == "prismatic"
        if joint.kind.word in ("floating", "planar") or (slide and alone) or last:
            found.add(j)
    return found


def _lengthens(mark: Mark, start: Floats) -> bool:
    """Whether a prismatic joint moves along the way from its parent's frame, as the rod of a piston does."""
    way = mark.at - start
    if mark.kind != "prismatic" or mark.axis is None:
        return False
    length = float(np.linalg.norm(way))
    return length > 0.0 and abs(float(mark.axis @ way)) > (1.0 - NEAR) * length


def _axis(joint: Joint, T: Floats) -> Floats | None:
    return T[:3, 2] if len(joint.axes) == 1 else None


def check_drawable(robot: Robot) -> None:
    """Refuse what is not a robot, and a robot whose geometry has no values or is too large."""
    check_robot(robot)
    cuts = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    for joint in (*robot.joints, *robot.frames, *cuts):
        values = {key: getattr(joint, key) for key in ("gamma", "b", "alpha", "d", "e", "theta", "r")}
        if any(isinstance(x, Node) for x in values.values()):
            raise ProgramError(
                f"{robot.name} has symbols in its geometry; give them values with bind(…) before drawing it"
            )
        lengths = [float(values[key]) for key in "bder"]
        if max(map(abs, lengths)) > FARTHEST:
            raise ProgramError(
                f"{robot.name}: {joint.name} has a length of {max(lengths, key=abs):g} m; "
                f"drawings take lengths of up to {FARTHEST:g} m"
            )


def check_reach(robot: Robot, points: Floats) -> None:
    """Refuse points that are too far away to be drawn."""
    if not np.abs(points).max(initial=0.0) <= FARTHEST:
        raise ProgramError(
            f"{robot.name} reaches beyond {FARTHEST:g} m, too far to be drawn; check coordinates, lengths and shapes"
        )


def upward(robot: Robot) -> Floats:
    """Return the direction against gravity; z if there is none, or if it has no value."""
    g = np.array([0.0 if isinstance(x, Node) else float(x) for x in robot.gravity])
    if not g.any():
        return np.array([0.0, 0.0, 1.0])
    g = g / np.abs(g).max()  # squares of very large or small numbers would be infinite or zero
    return np.asarray(-g / np.linalg.norm(g))


def _view(robot: Robot, figure: Figure) -> tuple[Floats, Floats]:
    """Return the directions that are drawn to the right and upward."""
    z, points = upward(robot), figure.points - figure.points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points)
    flat = len(sizes) == 3 and sizes[1] > NEAR * sizes[0] >= sizes[2]
    if flat and abs(axes[2] @ z) > 1.0 - NEAR:  # horizontal, seen from above
        right = np.eye(3)[int(np.argmin(np.abs(z)))]
        right = right - (right @ z) * z
        right = right / np.linalg.norm(right)
        return right, np.cross(z, right)
    if flat and abs(axes[2] @ z) < NEAR:
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
    """Return the drawing as text. The rows of the view are the directions to the right, upward and to the viewer."""
    flat = figure.points @ view[:2].T
    low, high = flat.min(axis=0), flat.max(axis=0)
    size = float(max((high - low).max(), 1e-9))
    scale = (WIDTH - 2 * MARGIN) / size
    width, height = (high - low) * scale + 2 * MARGIN

    def place(p: Floats) -> Floats:
        x, y = (view[:2] @ p - low) * scale + MARGIN
        return np.array([x, height - y])

    drawn = _base([place(p) for p in figure.links[0]])
    solid = [  # how near to the viewer, and the shapes
        (float(np.mean(points, axis=0) @ view[2]), shapes.body([place(p) for p in points]))
        for points in figure.links[1:]
        if len(points) > 1 and np.ptp(np.array(points), axis=0).max() > NEAR * size
    ]
    for mark, start in figure.pistons:
        piston = shapes.piston(place(start), place(mark.at), mark.name, mark.driven)
        solid.append((float(0.5 * (mark.at + start) @ view[2]), piston))
    for _, parts in sorted(solid, key=lambda part: part[0]):
        drawn += parts
    drawn += [shapes.line("open", place(a), place(b)) for a, b in figure.gaps if np.linalg.norm(b - a) > NEAR * size]
    few, stub = len(figure.marks) + len(figure.pistons) <= MANY, 0.07 * size
    axes = [(m.at - stub * m.axis, m.at + stub * m.axis) for m in figure.marks if m.axis is not None and few]
    drawn += [shapes.line("axis", place(a), place(b)) for a, b in axes if np.hypot(*(place(b) - place(a))) > 1.0]
    for mark in figure.marks:
        drawn += _mark(mark, place)
    if few:
        every = [*figure.marks, *(mark for mark, _ in figure.pistons)]
        named, end = shapes.labels([(mark.name, place(mark.at)) for mark in every])
        drawn, width = [*drawn, *named], max(width, end + 6.0)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
    return "\n".join([head, f"<title>{escape(name)}</title>", f"<style>{shapes.STYLE}</style>", *drawn, "</svg>", ""])


def _base(points: Sequence[Floats]) -> list[str]:
    """Return the ground: a plate below three joints or more, or a stand below each."""
    corners = shapes.hull(points)
    if len(corners) > 2:
        return [shapes.polygon("base", corners)]
    return [part for point in corners for part in shapes.ground(point)]


def _mark(mark: Mark, place: Callable[[Floats], Floats]) -> list[str]:
    """Return the mark of a joint; that of a cut has a ring around it."""
    at = place(mark.at)
    if mark.kind == "cut":
        return [shapes.dot(at, mark.name, "pin"), shapes.dot(at, mark.name, "cut")]
    if mark.kind == "prismatic" and mark.axis is not None:
        return [shapes.slider(at, place(mark.at + mark.axis) - at, mark.name, mark.driven)]
    return [shapes.dot(at, mark.name, "joint driven" if mark.driven else "joint")]
