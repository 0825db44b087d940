"""A scene as one HTML page with its player: nothing is loaded from elsewhere.

Names come from files and can be hostile. They enter the page as escaped text or as JSON without "<", and the page's
security policy allows only its own script, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .scene import LENS, MARGIN, Scene
from .solids import Solid

Floats = NDArray[np.float64]
LIGHT = (-0.45, -0.55, 1.0)
"""Direction to the light, as seen with the camera on the x axis."""
PACE, MOST = 60.0, 3000
"""States per second that are kept, and how many."""
FAR = 1.5
"""The camera follows a base that moves this far, in sizes of the robot."""


def page(scene: Scene, events: Sequence[tuple[str, float]] = (), live: dict[str, Any] | None = None) -> str:
    """Return the page.

    Parameters
    ----------
    events
        Names and times of what is marked on the bar of time.
    live
        For a view with sliders: their names, limits and units, and the first state.
    """
    kept = keys(scene.t)
    script = _file("renderer.js") + _file("player.js")
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    reach = "'self'" if live else "'none'"
    policy = f"default-src 'none'; script-src 'sha256-{own}'; style-src 'unsafe-inline'; connect-src {reach}"
    about = json.dumps(_about(scene, len(kept), events, live), ensure_ascii=True).replace("<", "\\u003c")
    return Template(_file("page.html")).substitute(
        policy=policy, title=escape(scene.title), scene=about, data=_packed(scene, kept), script=script
    )


def keys(t: Floats) -> NDArray[np.int64]:
    """Return which states are kept: all, or those nearest to 60 per second; the last in any case."""
    span = float(t[-1] - t[0])
    count = int(min(MOST, max(2, math.ceil(span * PACE) + 1)))
    if len(t) <= count:
        return np.arange(len(t))
    wanted = np.linspace(t[0], t[-1], count)
    after = np.clip(np.searchsorted(t, wanted), 1, len(t) - 1)
    return np.unique(np.where(wanted - t[after - 1] < t[after] - wanted, after - 1, after))


def _about(
    scene: Scene, count: int, events: Sequence[tuple[str, float]], live: dict[str, Any] | None
) -> dict[str, Any]:
    follow = follows(scene)
    turn = math.atan2(*(scene.up @ scene.eye)[1::-1])
    c, s = math.cos(turn), math.sin(turn)
    x, y, z = LIGHT
    return {
        "links": [
            {"name": name, "points": len(solid.points), "faces": len(solid.faces), "low": low, "extent": extent}
            for name, solid, (low, extent) in zip(scene.names, scene.links, map(_range, scene.links), strict=True)
        ],
        "keys": count,
        "up": scene.up.tolist(),
        "floor": scene.floor,
        "centre": (scene.up @ scene.centre).tolist(),
        "radius": scene.radius,
        "size": scene.size,
        "eye": (scene.up @ scene.eye).tolist(),
        "lens": math.radians(LENS),
        "margin": MARGIN,
        "grid": grid(scene.radius),
        "light": [c * x * -1 - s * y, s * x * -1 + c * y, z],
        "follow": follow,
        "start": (scene.up @ scene.T[0, max(follow, 0), :3, 3]).tolist(),
        "events": [[name, float(t)] for name, t in events],
        "live": live,
    }


def follows(scene: Scene) -> int:
    """Return the number of the link that the camera follows; -1 if it does not move."""
    if len(scene.names) < 2:
        return -1
    way = scene.T[:, 1, :3, 3]
    return 1 if float(np.ptp(way, axis=0).max()) > FAR * scene.size else -1


def grid(radius: float) -> float:
    """Return the width of the grid's squares: 1, 2 or 5 times a power of ten."""
    exponent = math.floor(math.log10(max(radius / 3.0, 1e-9)))
    return float(min((m * 10.0**exponent for m in (1, 2, 5, 10)), key=lambda x: abs(math.log(x * 3.0 / radius))))


def _range(solid: Solid) -> tuple[list[float], list[float]]:
    if not len(solid.points):
        return [0.0] * 3, [0.0] * 3
    low = solid.points.min(axis=0)
    return low.tolist(), (solid.points.max(axis=0) - low).tolist()


def _packed(scene: Scene, kept: NDArray[np.int64]) -> str:
    """Return solids, times and poses as compressed text, each array padded to four bytes."""
    data = bytearray()

    def put(values: NDArray[Any]) -> None:
        data.extend(values.tobytes())
        data.extend(b"\0" * (-len(data) % 4))

    for solid in scene.links:
        low, extent = map(np.array, _range(solid))
        order, faces = _in_order(solid)
        points = np.round((solid.points - low) / np.where(extent > 0, extent, 1.0) * 65535).astype("<u2")
        put(_differences(points[order]))
        put(np.round(solid.normals[order] * 127).astype("i1"))
        put(np.round(solid.colors[order] * 255).astype("u1"))
        put(_differences(faces.ravel().astype("<u4")))
    put(scene.t[kept].astype("<f4"))
    put(poses(scene.T[kept]).astype("<f4"))
    return base64.b64encode(zlib.compress(bytes(data), 9)).decode()


def _in_order(solid: Solid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the corners in the order in which the faces use them, and the faces with their new numbers."""
    used, first = np.unique(solid.faces, return_index=True)
    order = used[np.argsort(first)]
    number = np.zeros(len(solid.points), dtype=np.int64)
    number[order] = np.arange(len(order))
    rest = np.setdiff1d(np.arange(len(solid.points)), order)
    number[rest] = np.arange(len(order), len(solid.points))
    return np.concatenate([order, rest]), number[solid.faces]


def _differences(values: NDArray[Any]) -> NDArray[Any]:
    """Return each row less the one before, modulo the size of its numbers."""
    found = values.copy()
    found[1:] -= values[:-1]
    return found


def poses(T: Floats) -> Floats:
    """Return homogeneous matrices (..., 4, 4) as positions and unit quaternions, (..., 7)."""
    from scipy.spatial.transform import Rotation

    flat = T.reshape(-1, 4, 4)
    turns = Rotation.from_matrix(flat[:, :3, :3]).as_quat()
    return np.concatenate([flat[:, :3, 3], turns], axis=1).reshape(*T.shape[:-2], 7)


@cache
def _file(name: str) -> str:
    return (files(__package__) / "player" / name).read_text(encoding="utf-8")
