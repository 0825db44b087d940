"""The robot for a command, by its file or its bundled name, and the warnings about it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import tauforge as tf

from ..errors import suggestion
from ..formats.angles import SNAP
from .options import BaseOption, Folders, Lenient, Loops, RobotArgument, Snap, Symbolic

FindRobot = Callable[[], tf.Robot]
"""What a command gets as its robot: a function that finds it when the command is ready."""


def takes_robot(symbolic: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command with a parameter `robot` the argument ROBOT, and all options that say how to read it."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        own = signature(command, eval_str=True)
        shared = dict(signature(find, eval_str=True).parameters)
        if not symbolic:
            del shared["symbolic"]
        parameters = {name: shared.get(name, x) for name, x in own.parameters.items()} | shared

        @wraps(command)
        def run(**given: Any) -> None:
            robot = partial(find, **{name: given.pop(name) for name in shared})
            command(robot=robot, **given)

        run.__signature__ = own.replace(parameters=[*parameters.values()])  # type: ignore[attr-defined]
        run.__annotations__ = {name: x.annotation for name, x in parameters.items()}
        return run

    return decorated


def find(
    robot: RobotArgument,
    symbolic: Symbolic = False,
    base: BaseOption = None,
    snap: Snap = None,
    lenient: Lenient = False,
    folder: Folders = None,
    loops: Loops = None,
) -> tf.Robot:
    """Return a robot from a file, or a bundled one by name."""
    if robot in tf.robots.names() and not os.path.isfile(robot):
        if snap is not None or lenient or folder or loops:
            raise tf.RobotError(
                f"{robot}: --snap, --lenient, --folder and --loops are for files; bundled robots are exact and complete"
            )
        bundled = tf.robots.bundled(robot, symbolic=symbolic)
        return bundled.with_base(base.value) if base else bundled
    if not Path(robot).suffix and not os.path.exists(robot):
        raise tf.RobotError(f"{robot}: neither a file nor a bundled robot; {suggestion(robot, tf.robots.names())}")
    tolerance = SNAP if snap is None else snap
    chosen = base.value if base else None
    loaded = tf.load(robot, base=chosen, snap=tolerance, lenient=lenient, folders=folder or (), loops=loops)
    return loaded.symbolic(lengths=True).neglect("IA", "FV", "FS") if symbolic else loaded


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
