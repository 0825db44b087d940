"""A scene: the solids of a robot's links, where they are at each time, the floor and the camera."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..robot.robot import Robot
from . import solids
from .drawing import check_reach, matrix, upward
from .meshes import solid_of
from .solids import Solid
from .standin import BASE, stand_ins
from .states import link_names, matrices, states, times

Floats = NDArray[np.float64]
TURNED, RAISED, LENS = -52.0, 20.0, 30.0
"""Where the camera is, in degrees about the vertical and above the horizontal, and its opening angle."""
MARGIN = 1.03
"""Space around the robot."""
BELOW = 0.02
"""Part of the robot's size that may be below the level of its base before the floor is lowered."""
HANGING = 0.45
"""Part of its size from which on a base above the floor hangs, and needs no post."""


@dataclass(frozen=True, eq=False)
class Scene:
    """What is shown. Lengths are in metres, in the base frame.

    Attributes
    ----------
    title
        Name of the robot.
    names
        Names of the base and of the links.
    links
        The solid of each, in its frame.
    t
        Times.
    T
        Homogeneous matrices of the links' frames, (times, links, 4, 4), as ``tf.transforms`` gives them.
    up
        Rows: two horizontal directions, and the one upward.
    floor
        Height of the floor.
    centre
        The point that the camera looks at.
    radius
        Radius of the ball around it that holds the robot at all times.
    eye
        Direction from it to the camera.
    size
        Size of the robot at the first time.
    """

    title: str
    names: tuple[str, ...]
    links: tuple[Solid, ...]
    t: Floats
    T: Floats
    up: Floats
    floor: float
    centre: Floats
    radius: float
    eye: Floats
    size: float


def scene(
    robot: Robot,
    q: ArrayLike | None = None,
    t: ArrayLike | None = None,
    *,
    title: str | None = None,
    spread: tuple[Floats, Floats] | None = None,
) -> Scene:
    """Return the scene of a robot at some states.

    Parameters
    ----------
    q, t
        Coordinates, (times, n) or (n), and their times; by default the neutral state.
    title
        By default the robot's name.
    spread
        Lowest and highest coordinates for which rods must be long enough; by default those of q.
    """
    values = states(robot, q)
    at, T = times(t, len(values)), matrices(robot, values)
    low, high = spread or (values.min(axis=0), values.max(axis=0))
    shown = links(robot, tuple(low.tolist()), tuple(high.tolist()))
    corners = [_box(solid.points) for solid in shown]
    seen = T[:: max(1, len(T) // 200)]
    placed = [seen[:, k, :3, :3] @ box.T + seen[:, k, :3, 3:] for k, box in enumerate(corners) if len(box)]
    cloud = np.concatenate([part.transpose(0, 2, 1) for part in placed], axis=1) if placed else np.zeros((1, 1, 3))
    check_reach(robot, cloud)
    axes = _axes(upward(robot))
    size = float(np.linalg.norm(np.ptp(cloud[0], axis=0))) or 1.0
    centre, radius = _ball(cloud.reshape(-1, 3))
    a, b = np.radians([TURNED, RAISED])
    eye = np.array([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)]) @ axes
    floor = _floor(robot, cloud, axes[2], size)
    if robot.base.body is None or not robot.base.body.visuals:
        shown = (_on_post(shown[0], axes, floor, size), *shown[1:])
    name = robot.name if title is None else title
    return Scene(name, link_names(robot), shown, at, T, axes, floor, centre, radius, eye, size)


def _box(points: Floats) -> Floats:
    """Return a few points of a solid that reach as far as it does."""
    if len(points) <= 64:
        return points
    ways = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], dtype=float)
    found: Floats = points[np.unique((points @ ways.T).argmax(axis=0))]
    return found


def _axes(z: Floats) -> Floats:
    """Return two horizontal directions and the one upward, the first as near to x of the base as can be."""
    x = np.eye(3)[0] - z[0] * z
    if np.linalg.norm(x) < 0.1:
        x = np.eye(3)[1] - z[1] * z
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


def _ball(points: Floats) -> tuple[Floats, float]:
    """Return the centre and radius of a ball around points, nearly the smallest (Ritter 1990)."""
    a = points[np.linalg.norm(points - points[0], axis=1).argmax()]
    b = points[np.linalg.norm(points - a, axis=1).argmax()]
    centre, radius = 0.5 * (a + b), 0.5 * float(np.linalg.norm(a - b))
    for _ in range(100):
        away = np.linalg.norm(points - centre, axis=1)
        k = int(away.argmax())
        if away[k] <= radius * (1 + 1e-9):
            break
        radius, far = 0.5 * (radius + float(away[k])), float(away[k])
        centre = centre + (far - radius) / far * (points[k] - centre)
    return centre, max(radius, 1e-6)


def _floor(robot: Robot, cloud: Floats, up: Floats, size: float) -> float:
    """Return the level of the base, or if the robot reaches below it or moves freely, its lowest point."""
    lowest = float((cloud @ up).min())
    free = robot.base.floating or any(joint.kind.word == "floating" and not robot.loops for joint in robot.joints)
    if free or lowest < -BELOW * size:
        return lowest - (0.0 if free else BELOW * size)
    return min(lowest, 0.0)


def _on_post(base: Solid, axes: Floats, floor: float, size: float) -> Solid:
    """Return the base of an arm on a post, if it is a little above the floor; what is far above hangs."""
    if not len(base.points):
        return base
    local = base.points @ axes.T
    low, width = local.min(axis=0), float(np.ptp(local[:, :2], axis=0).max())
    gap = float(low[2]) - floor
    if not (BELOW * size < gap < HANGING * size and width < gap + 0.2 * size):
        return base
    middle = np.array([*(0.5 * (local.max(axis=0) + low))[:2], low[2]])
    foot, radius = 0.5 * width, 0.24 * width
    profile = [
        (0.0, 0.0),
        (radius, 0.0),
        (radius, 0.06 * width - gap),
        (foot, 0.06 * width - gap),
        (foot, -gap),
        (0.0, -gap),
    ]
    post = solids.turned(profile, BASE).moved(solids.facing(axes[2], middle @ axes))
    return solids.joined([base, post])


@lru_cache(maxsize=16)
def links(robot: Robot, low: tuple[float, ...], high: tuple[float, ...]) -> tuple[Solid, ...]:
    """Return the solid of each link in the frame that tf.transforms gives: its own shapes, or stand-ins."""
    whole = robot.expanded()
    base = [] if whole is not robot else [robot.base.body] if robot.base.body else []
    bodies = [base[0] if base else None, *whole.bodies]
    own = [[solid_of(visual) for visual in body.visuals] if body else [] for body in bodies]
    drawn = [solids.joined([solid for solid in some if solid is not None]) for some in own]
    missing = [
        any(solid is None for solid in some) and not len(made.faces) for some, made in zip(own, drawn, strict=True)
    ]
    if not any(len(solid.faces) for solid in drawn) or any(missing):
        spare = stand_ins(whole, np.array(low), np.array(high))
        nothing = not any(len(solid.faces) for solid in drawn)
        drawn = [b if nothing or lost else a for a, b, lost in zip(drawn, spare, missing, strict=True)]
    frames = {frame.name: frame for frame in whole.frames}
    placed = [drawn[0]]
    for j, body in enumerate(whole.bodies, 1):
        frame = frames.get(body.name)
        placed.append(
            drawn[j] if frame is None or frame.antecedent != j else drawn[j].moved(_inverse(matrix(frame, ())))
        )
    return tuple(placed)


def _inverse(T: Floats) -> Floats:
    found = np.eye(4)
    found[:3, :3] = T[:3, :3].T
    found[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return found
