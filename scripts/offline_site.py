"""A hook of the documentation's build: the site loads nothing from the network.

Each reference that a page or a style sheet would load from elsewhere is a warning, which the strict build refuses.
Links for readers to follow may lead anywhere.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

log = logging.getLogger("mkdocs.hooks.offline_site")

_ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_IN_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s;]*)""", re.IGNORECASE)


class _Loaded(HTMLParser):
    """Collect what a page loads: every ``src``, ``srcset``, ``poster`` and ``data``, and the ``href`` of a ``link``."""

    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for key, value in attributes:
            if key in ("src", "srcset", "poster", "data") or (tag == "link" and key == "href"):
                self.references.append(value or "")


def references(path: Path) -> Iterator[str]:
    """Yield what a page or a style sheet loads from elsewhere."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        loaded = _Loaded()
        loaded.feed(text)
        yield from filter(_ELSEWHERE.match, loaded.references)
    yield from _IN_STYLE.findall(text)


def on_post_build(config: Any) -> None:
    """Warn of each reference."""
    site = Path(config.site_dir)
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        for reference in references(path):
            log.warning(
                "%s loads %s from the network: put the file under docs/vendor/, with its licence, and load that",
                path.relative_to(site),
                reference,
            )
