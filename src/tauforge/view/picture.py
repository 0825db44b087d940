"""Pictures made without a browser: a still of a robot, or the frames of a GIF."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError, TauforgeError
from ..files import as_path, write_bytes
from ..robot.robot import Robot
from .raster import Renderer
from .scene import Scene, scene

Pixels = NDArray[np.uint8]
STILL, MOVING = (800, 600), (480, 360)
"""Width and height of a still, and of a GIF."""
COLORS = 192
"""Colours of a GIF."""
MOST = 10_000
"""Pictures of a GIF."""
LARGEST = 4000
"""Pixels along one side."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture, which notebooks show.

    Attributes
    ----------
    pixels
        Red, green and blue, (height, width, 3), from 0 to 255.
    """

    pixels: Pixels

    def save(self, path: str | Path) -> Path:
        """Write the picture to a .png file."""
        _check_ending(path)
        return write_bytes(path, png(self.pixels))

    def _repr_png_(self) -> bytes:
        return png(self.pixels)

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"Picture({width} x {height} pixels)"


def plot(robot: Robot, q: ArrayLike | None = None, path: str | Path | None = None, *, size: object = STILL) -> Picture:
    """Return a picture of a robot at one state; write it to a .png file if asked."""
    shown = scene(robot, q)
    if len(shown.t) > 1:
        raise ProgramError(f"q has {len(shown.t)} states; plot shows one, tf.animate shows them one after another")
    width, height = checked_size(size)
    if path is not None:
        _check_ending(path)  # before the seconds that a picture takes
    found = Picture(Renderer(shown, width, height).render(shown.T[0]))
    if path is not None:
        found.save(path)
    return found


def _check_ending(path: str | Path) -> None:
    if as_path(path).suffix.lower() != ".png":
        raise ProgramError(f"{path}: a picture is written as .png")


def checked_size(size: object) -> tuple[int, int]:
    """Return width and height, or say what is wrong with them."""
    try:
        width, height = (int(x) for x in size)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"size is {size!r}; it must be (width, height) in pixels") from None
    if not (16 <= width <= LARGEST and 16 <= height <= LARGEST):
        raise ProgramError(f"size is {size!r}; width and height must be from 16 to {LARGEST} pixels")
    return width, height


def png(pixels: Pixels) -> bytes:
    """Return a picture as PNG."""
    height, width = pixels.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b"")


def gif(shown: Scene, size: tuple[int, int], rate: float, speed: float) -> bytes:
    """Return the scene as a GIF that repeats, with states between those given where it needs them."""
    pause = max(2, round(100.0 / rate))  # in hundredths of a second, of which viewers refuse less than two
    span = float(shown.t[-1] - shown.t[0]) / speed
    if span * 100.0 / pause > MOST:
        raise ProgramError(
            f"a .gif would need {span * 100.0 / pause:.3g} pictures; at most {MOST}: raise speed, or lower rate"
        )
    at = shown.t[0] + speed * np.arange(max(1, round(span * 100.0 / pause) + 1)) * pause / 100.0
    draw = Renderer(shown, *size).render
    return encoded([draw(T) for T in between(shown, np.minimum(at, shown.t[-1]))], pause)


def encoded(pictures: Sequence[Pixels], pause: int) -> bytes:
    """Return pictures as a GIF that repeats, with a pause after each in hundredths of a second."""
    try:
        from PIL import Image
    except ImportError:
        raise TauforgeError("a .gif needs Pillow: pip install 'tauforge[view]'") from None
    frames, size = [Image.fromarray(each) for each in pictures], pictures[0].shape[1::-1]
    some = frames[:: max(1, len(frames) // 4)]
    sample = Image.new("RGB", (size[0], size[1] * len(some)))
    for k, frame in enumerate(some):
        sample.paste(frame, (0, k * size[1]))
    palette = sample.quantize(COLORS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    memory = io.BytesIO()
    drawn[0].save(memory, "GIF", save_all=True, append_images=drawn[1:], duration=10 * pause, loop=0, optimize=True)
    return memory.getvalue()


def between(shown: Scene, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrices of the links at other times, (times, links, 4, 4): straight lines and steady turns between
    the states.
    """
    from scipy.spatial.transform import Rotation

    if len(shown.t) == 1:
        return np.repeat(shown.T, len(t), axis=0)
    b = np.clip(np.searchsorted(shown.t, t, side="right"), 1, len(shown.t) - 1)
    gap = shown.t[b] - shown.t[b - 1]
    s = np.divide(t - shown.t[b - 1], gap, out=np.zeros_like(gap), where=gap > 0).clip(0.0, 1.0)
    A, B = shown.T[b - 1], shown.T[b]
    found = A.copy()
    found[..., :3, 3] += s[:, None, None] * (B - A)[..., :3, 3]
    flat = (A.shape[0] * A.shape[1], 3, 3)
    first, last = (Rotation.from_matrix(T[..., :3, :3].reshape(flat)) for T in (A, B))
    turn = (first.inv() * last).as_rotvec() * np.repeat(s, A.shape[1])[:, None]
    found[..., :3, :3] = (first * Rotation.from_rotvec(turn)).as_matrix().reshape(*A.shape[:2], 3, 3)
    return found
