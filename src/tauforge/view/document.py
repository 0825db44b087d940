"""Documents: one HTML file that needs nothing else, no network and no scripts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from pathlib import Path


def document(title: str, body: Iterable[str], style: str = "") -> str:
    """Return a whole page, with the style of all documents and one of its own."""
    common = (Path(__file__).parent / "document.css").read_text(encoding="utf-8")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{common}{style}</style></head><body>",
            *body,
            "</body></html>\n",
        ]
    )


def figure(title: str, caption: str, svg: str) -> str:
    """Return a picture with what it shows below it."""
    data = b64encode(svg.encode()).decode()
    name = escape(title, quote=True)
    return (
        f"<figure><img alt='{name}' src='data:image/svg+xml;base64,{data}'>"
        f"<figcaption><b>{name}.</b> {escape(caption)}</figcaption></figure>"
    )
