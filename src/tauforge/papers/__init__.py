"""The papers behind Tauforge, made again: their tables and figures, each published value beside ours.

``PAPERS`` names them; a module is imported when it is used. Each has a ``PAPER`` whose parts are computed one by one.
"""

from __future__ import annotations

from importlib import import_module

from ..errors import TauforgeError
from .entry import Paper

PAPERS = {
    "khalil": "khalil",
    "meghdari": "meghdari",
    "grigorov": "grigorov",
    "lemoine": "lemoine",
    "wolinski": "wolinski",
    "iftomm": "iftomm.library",
}
"""The papers by their short names, with their modules."""


def paper(name: str) -> Paper:
    """Return a paper by its short name."""
    if name not in PAPERS:
        raise TauforgeError(f"there is no paper {name!r}; choose among {', '.join(PAPERS)}")
    found: Paper = import_module(f".{PAPERS[name]}", __name__).PAPER
    return found
