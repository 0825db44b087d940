"""Tables as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .tables import Sheet


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table as HTML, with its title in bold; every text is escaped."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    caption = f"<caption><b>{escape(title)}</b></caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def sheet(part: Sheet) -> str:
    """Return one of a robot's tables as HTML, with numbered rows."""
    head, *rows = part.numbered
    return table(part.title, head, rows)
