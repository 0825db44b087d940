"""The consoles that the commands print to; they send only their own control characters to the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from ..errors import printable


class SafeConsole(Console):
    """A console that escapes control characters in names from a file or text from another library."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the pieces to print, none of which can control the terminal."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=_lines(segment.text))


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


console = SafeConsole(highlight=False, width=None if sys.stdout.isatty() else 120)  # piped output has no width
errors = SafeConsole(highlight=False, stderr=True)
