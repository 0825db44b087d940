"""The robot for a command, by its file or its bundled name, and the warnings about it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tauforge as tf

from ..errors import suggestion
from ..formats.angles import SNAP
from .options import Base


def find(
    name: str,
    symbolic: bool = False,
    base: Base | None = None,
    snap: float | None = None,
    lenient: bool = False,
    folders: list[Path] | None = None,
    loops: Path | None = None,
) -> tf.Robot:
    """Return a robot from a file, or a bundled one by name."""
    if name in tf.robots.names() and not os.path.isfile(name):
        if snap is not None or lenient or folders or loops:
            raise tf.RobotError(
                f"{name}: --snap, --lenient, --folder and --loops are for files; bundled robots are exact and complete"
            )
        robot = tf.robots.bundled(name, symbolic=symbolic)
        return robot.with_base(base.value) if base else robot
    if not Path(name).suffix and not os.path.exists(name):
        raise tf.RobotError(f"{name}: neither a file nor a bundled robot; {suggestion(name, tf.robots.names())}")
    tolerance = SNAP if snap is None else snap
    chosen = base.value if base else None
    robot = tf.load(name, base=chosen, snap=tolerance, lenient=lenient, folders=folders or (), loops=loops)
    return robot.symbolic(lengths=True).neglect("IA", "FV", "FS") if symbolic else robot


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect warnings about a robot, to show with it; other warnings are not affected."""
    found: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", tf.RobotWarning)
        usual = warnings.showwarning

        def hear(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
            if not issubclass(category, tf.RobotWarning):
                usual(message, category, *rest, **more)
            elif str(message) not in found:
                found.append(str(message))

        warnings.showwarning = hear
        yield found
