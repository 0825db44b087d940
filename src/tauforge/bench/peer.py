"""What is compared, and what a library must provide for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import TauforgeError
from ..robot.robot import Robot

INVERSE, DIRECT, INERTIA, DERIVATIVES = MODELS = (
    "inverse-dynamics",
    "direct-dynamics",
    "inertia-matrix",
    "derivatives",
)
"""What is timed: torques, accelerations, the inertia matrix, and the derivatives of the torques by q and qd."""
FEW = 128
"""How many states of a batch are given to a library that must be called for each state."""

Call = Callable[..., Any]
"""Takes the arrays of one state and returns its result."""


class Unfit(TauforgeError):
    """A library cannot represent a robot, or has no such model."""


class Work(NamedTuple):
    """Something to time.

    Attributes
    ----------
    words
        The mode of the library, in words.
    run
        Runs it once.
    result
        The result, an array with one row per state.
    states
        The number of states per run.
    """

    words: str
    run: Callable[[], object]
    result: Callable[[], Any]
    states: int


class Peer(ABC):
    """A robot in another library, made from our description of it.

    Attributes
    ----------
    name
        Name of the library.
    module
        Name of its Python module.
    install
        Name of its package for pip.
    tolerance
        How much results may differ from ours, relative to the largest.
    """

    name: ClassVar[str]
    module: ClassVar[str]
    install: ClassVar[str]
    tolerance: ClassVar[float] = 1e-9

    @classmethod
    def environment(cls) -> dict[str, str]:
        """Return environment variables to set, if they are not set yet, before the library is imported."""
        return {}

    @abstractmethod
    def __init__(self, robot: Robot) -> None:
        """Build the robot, which has numbers and no fixed joints or friction; raise Unfit if that is impossible."""

    @abstractmethod
    def call(self, model: str) -> tuple[str, Call]:
        """Return the library's call for one state and its name; raise Unfit if it has none."""

    def own(self, model: str, arrays: Sequence[Any]) -> list[Any]:
        """Return the states of a model in the library's conventions."""
        return list(arrays)

    def ours(self, model: str, arrays: Sequence[Any], result: Any) -> Any:
        """Return the library's results for some states, both in our conventions."""
        return result

    def single(self, model: str, arrays: Sequence[Any]) -> Work:
        """Return the work of a call from Python with the first of some states."""
        words, function = self.call(model)
        row = [x[0] for x in self.own(model, [x[:1] for x in arrays])]
        return Work(words, lambda: function(*row), lambda: np.array(function(*row))[None], 1)

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        """Return the work for many states in the library's fastest way; by default a loop in Python."""
        words, function = self.call(model)
        rows = [*zip(*self.own(model, [x[:FEW] for x in arrays]), strict=True)]

        def run() -> None:
            for row in rows:
                function(*row)

        return Work(
            f"{words}: a call from Python for each state",
            run,
            lambda: np.array([np.array(function(*row)) for row in rows]),
            len(rows),
        )


def lacks(peer: Peer, model: str, but: str = "") -> Unfit:
    """Return the error of a library that lacks a model."""
    return Unfit(f"no {model.replace('-', ' ')} in {peer.name}{but}")
