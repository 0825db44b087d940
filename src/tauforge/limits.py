"""Limits on the size of robot files: all are defined here, and ``load(…, limits=…)`` raises them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from .errors import RobotError

_MEANING = {
    "bytes": "bytes in the file and those that it includes",
    "toml": "characters in a .toml file",
    "elements": "elements, entries, values or lines",
    "links": "links, frames, tendons and loops",
    "expressions": "characters of expressions",
    "storage": "numbers that its counts and sizes ask for",
}


@dataclass(frozen=True, kw_only=True)
class FileLimits:
    """Limits on what a file may hold. With the defaults, any file loads within 10 s and 1 GB on an ordinary computer.

    ``tf.load(path, limits=tf.FileLimits(links=20_000))`` raises one of them; ``math.inf`` lifts it.

    Attributes
    ----------
    bytes
        Size of the file and of the files that it includes.
    toml
        Characters of a .toml file, which takes longer to read.
    elements
        XML elements, entries of the lists in .par, values in .toml; for MJCF also the copies that
        ``<replicate>``, ``<composite>`` and ``<attach>`` make.
    links
        Links (fixed ones too, but not the base), frames, tendons and loops; in MJCF bodies, sites, tendons and
        equalities.
    expressions
        Characters in all expressions that are not plain numbers.
    storage
        Numbers for which an MJCF file gives a size: keyframes, user data, height fields, textures, sensors.
    seconds
        Time for xacro, and for MuJoCo's compiler on larger MJCF files; both run in a separate process.
    memory
        Bytes of memory for that process; limited on Linux only.
    """

    bytes: float = 50_000_000
    toml: float = 10_000_000
    elements: float = 300_000
    links: float = 10_000
    expressions: float = 200_000
    storage: float = 20_000_000
    seconds: float = 8.0
    memory: float = 1e9

    def __post_init__(self) -> None:
        for key, value in asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise RobotError(f"the limit {key} is {value!r}; it must be a number above 0")


_left: ContextVar[dict[str, float] | None] = ContextVar("left", default=None)
"""What is left of each limit while a file is loaded."""
_began: ContextVar[float] = ContextVar("began")
"""When loading began."""
_limits: ContextVar[FileLimits] = ContextVar("limits", default=FileLimits())  # noqa: B039


@contextmanager
def limited(limits: FileLimits | None) -> Iterator[None]:
    """Count everything read inside against these limits, or against those in force if none are given."""
    now = limits or _limits.get()
    before = _limits.set(now), _left.set(asdict(now)), _began.set(monotonic())
    try:
        yield
    finally:
        _limits.reset(before[0])
        _left.reset(before[1])
        _began.reset(before[2])


def limit(what: str) -> float:
    """Return a limit that is in force."""
    return float(getattr(_limits.get(), what))


def spare_seconds() -> float:
    """Return the time that is left."""
    return limit("seconds") - (monotonic() - _began.get())


def left(what: str) -> float:
    """Return how much of a limit is left."""
    counts = _left.get()
    return limit(what) if counts is None else counts[what]


def spend(what: str, amount: float, where: str | Path) -> None:
    """Count against a limit; if it is exceeded, refuse the file and name the place."""
    rest = left(what) - amount
    if rest < 0:
        raise RobotError(
            f"{where}: more than {limit(what):,.0f} {_MEANING[what]}; if you trust it, raise the limit: "
            f"limits=tf.FileLimits({what}=…)"
        )
    if (counts := _left.get()) is not None:
        counts[what] = rest
