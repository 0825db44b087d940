"""Hooks of the documentation's build: the README is its first page, and the site loads nothing that is not in it.

Each reference that a page or a style sheet would load from elsewhere is a warning, which the strict build refuses; so
is one to a file that the site lacks, as MkDocs looks at Markdown's links only. Readers' links may lead anywhere else.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

log = logging.getLogger("mkdocs.hooks.offline_site")

_ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_IN_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s;]*)""", re.IGNORECASE)


class _References(HTMLParser):
    """Collect what a page loads, which is each reference but a reader's link, and the files it names, links too."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.named: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for key, value in attributes:
            reference = value or ""
            if key in ("src", "srcset", "poster", "data", "href", "xlink:href"):
                self.named += [reference] * (key != "srcset")
                self.loaded += [reference] * (tag != "a")


def references(path: Path) -> Iterator[str]:
    """Yield what a page or a style sheet loads from elsewhere."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        yield from filter(_ELSEWHERE.match, _read(text).loaded)
    yield from _IN_STYLE.findall(text)


def missing(path: Path) -> Iterator[str]:
    """Yield the files that a page names beside it and that are not there."""
    for reference in _read(path.read_text(encoding="utf-8")).named:
        parts = urlsplit(reference)
        if not (parts.scheme or parts.netloc) and parts.path and not (path.parent / unquote(parts.path)).exists():
            yield reference


def _read(text: str) -> _References:
    found = _References()
    found.feed(text)
    return found


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Put the README into the first page; its links into docs/ start there."""
    if not page.is_homepage:
        return markdown
    readme = Path(config.config_file_path).with_name("README.md").read_text(encoding="utf-8")
    return readme.replace("](docs/", "](")


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
    for path in sorted({*site.rglob("*.html")} - {site / "404.html"}):  # which has absolute paths, for a server
        for reference in missing(path):
            log.warning("%s names %s, which is not in the site: mend it or add it", path.relative_to(site), reference)
