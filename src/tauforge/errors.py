"""Every error that Tauforge raises on purpose. A message says what is wrong, where, and what to do."""

from collections.abc import Sequence
from typing import Any

_LONGEST = 4000
"""Characters of a message; the middle of a longer one is left out."""
_SHOWN = 60
"""How many characters of a word, or words of a list, a suggestion considers or shows."""
_MANY = 1000
"""How many known words are searched for a suggestion."""


def printable(text: str) -> str:
    """Return a text that is safe to show in a terminal: control characters and direction marks are escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def suggestion(word: object, known: Sequence[str]) -> str:
    """Return the end of an error about an unknown word; if there are very many known words, only the first are
    considered.
    """
    from difflib import get_close_matches  # errors are rare

    near = {name.lower()[:_SHOWN]: name for name in known[:_MANY]}
    found = get_close_matches(str(word).lower()[:_SHOWN], near, n=1)
    return f"did you mean {near[found[0]]}?" if found else f"choose among {', '.join(known[:_SHOWN])}"


def _message(text: object) -> str:
    """Return a message of one line, whatever a file or another library has put into it."""
    full = str(text)
    half = _LONGEST // 2
    return printable(full if len(full) <= _LONGEST else f"{full[:half]} … {full[-half:]}")


class TauforgeError(Exception):
    """Base of all errors raised by Tauforge."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_message(message))


class RobotError(TauforgeError, ValueError):
    """A robot's description is wrong or cannot be read."""


class RobotWarning(UserWarning):
    """A robot's description is legal but looks wrong; the message says why it matters."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_message(message))


class ExpressionError(TauforgeError, ValueError):
    """The parser does not accept a text as an expression."""


class ProgramError(TauforgeError, ValueError):
    """A Program was asked for something that it cannot do."""


class LoopError(ProgramError):
    """No state was found in which all loops of a mechanism are closed.

    Attributes
    ----------
    loop
        Name of the loop that stays open even by itself; empty if each closes by itself, but not all together.
    open_by
        By how much at least, in metres or radians.
    """

    def __init__(self, message: object, loop: str = "", open_by: float = 0.0) -> None:
        super().__init__(message)
        self.loop, self.open_by = loop, open_by


class CertificationError(ProgramError):
    """Two Programs are not equal; the message gives a counterexample.

    Attributes
    ----------
    state
        A value for each symbol for which the Programs differ in real numbers; None if no such state is known.
    """

    state: dict[str, float] | None = None


class Undecided(CertificationError):
    """Two Programs could be neither proved equal nor shown to differ; the message names the obstacle."""


class TargetError(TauforgeError, ValueError):
    """Code generation was asked for an unknown target or an impossible name."""


class ReachError(ProgramError):
    """A frame does not reach a goal; the message says how far away it stays.

    Attributes
    ----------
    reached
        The states that were found, as ``Reached``.
    """

    reached: Any = None


class IdentificationError(ProgramError):
    """Parameters cannot be identified from what was given; the message says what is missing."""


class RecordingWarning(UserWarning):
    """A recording can be used but looks wrong; the message says why."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_message(message))


class SimulationError(ProgramError):
    """A simulation could not go on; the message says when and why.

    Attributes
    ----------
    trajectory
        The Trajectory that was computed before; None if there is none.
    """

    trajectory: Any = None


class SimulationWarning(UserWarning):
    """A simulation went on, but its result looks wrong; the message says why."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_message(message))
