"""Words for messages that refuse something in a file: the value as it is shown, and the word that may be meant."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

_SHOWN = 60
"""How many characters of a value, and words of a list, a message shows."""
_MANY = 1000
"""How many words are searched for the one that may be meant."""


def suggestion(word: str, known: Sequence[str]) -> str:
    """Return the end of an error about an unknown word; of very many known words it considers only the first."""
    near = {name.lower()[:_SHOWN]: name for name in known[:_MANY]}
    found = get_close_matches(word.lower()[:_SHOWN], near, n=1)
    return f"did you mean {near[found[0]]}?" if found else f"known are {', '.join(known[:_SHOWN])}"


def said(value: object) -> str:
    """Return a value as a message shows it, truncated if it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of very many digits, or lists in lists in lists
        return f"a very large {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
