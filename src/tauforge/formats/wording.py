"""Words for error messages about files: values as they are shown, and suggestions for unknown words."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

_SHOWN = 60
"""How many characters of a value, or words of a list, a message shows."""
_MANY = 1000
"""How many known words are searched for a suggestion."""


def suggestion(word: str, known: Sequence[str]) -> str:
    """Return the end of an error about an unknown word; if there are very many known words, only the first are
    considered.
    """
    near = {name.lower()[:_SHOWN]: name for name in known[:_MANY]}
    found = get_close_matches(word.lower()[:_SHOWN], near, n=1)
    return f"did you mean {near[found[0]]}?" if found else f"choose among {', '.join(known[:_SHOWN])}"


def said(value: object) -> str:
    """Return a value as a message shows it, truncated if it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number with very many digits, or deeply nested lists
        return f"a very large {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
