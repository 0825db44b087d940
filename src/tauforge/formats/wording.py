"""Values as error messages about files show them."""

from __future__ import annotations

_SHOWN = 60
"""How many characters of a value a message shows."""


def said(value: object) -> str:
    """Return a value as a message shows it, truncated if it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number with very many digits, or deeply nested lists
        return f"a very large {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
