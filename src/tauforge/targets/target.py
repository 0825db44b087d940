"""What makes a target: a language, the printer of its functions, and the files in which these are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .language import Language
from .statements import Listing


@dataclass(frozen=True)
class Target:
    """A language and the printer of its functions.

    Attributes
    ----------
    ending
        The ending of its files, if that ending means this target.
    typed
        Returns the same target for another type of numbers, such as "float"; None if there is only one type.
    misplaced
        Returns why the language's tools would not take a function from a file, given the name of the file without its
        ending and that of the function; empty if they would.
    """

    language: Language
    render: Callable[[Listing], str]
    ending: str = ""
    typed: Callable[[str], Target] | None = None
    misplaced: Callable[[str, str], str] = lambda stem, name: ""
