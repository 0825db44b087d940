"""A report as one HTML file that needs nothing else: no network, no scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ..files import write_text
from ..view.document import document, figure
from .entry import Entry, Paper, Part, Verdict

SIGNS = {Verdict.AGREES: "✓", Verdict.BETTER: "✓", Verdict.SHOWN: "·", Verdict.DIFFERS: "✗"}
HEAD = ("", "what", "where", "published", "Tauforge", "comparison")


class Made(NamedTuple):
    """A paper with its parts, computed."""

    paper: Paper
    parts: tuple[Part, ...]

    @property
    def counts(self) -> Counter[Verdict]:
        """How many entries have each verdict."""
        return Counter(entry.verdict for part in self.parts for entry in part.entries)

    @property
    def differing(self) -> list[Entry]:
        """The entries that do not agree."""
        return [entry for part in self.parts for entry in part.entries if entry.verdict is Verdict.DIFFERS]


def write(path: str | Path, made: Sequence[Made], version: str) -> Path:
    """Write the report, whole or not at all."""
    return write_text(path, html(made, version))


def html(made: Sequence[Made], version: str) -> str:
    """Return the report as HTML."""
    style = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    body = [*_top(made, version), *(line for each in made for line in _paper(each))]
    return document("Tauforge beside the papers", body, style)


def _top(made: Sequence[Made], version: str) -> Iterable[str]:
    """Yield title, totals and contents."""
    total = sum((each.counts for each in made), Counter[Verdict]())
    differs = total[Verdict.DIFFERS]
    yield "<header><h1>Tauforge beside the papers</h1>"
    yield (
        "<p>Tables and figures of the publications that Tauforge builds on, computed again by this version "
        f"({escape(version)}), next to the published values.</p>"
    )
    yield "<p class='totals'>"
    for verdict, words in (
        (Verdict.AGREES, "agree"),
        (Verdict.BETTER, "are better than published"),
        (Verdict.SHOWN, "are shown for comparison"),
        (Verdict.DIFFERS, "differ"),
    ):
        if total[verdict] or verdict is Verdict.DIFFERS:
            kind = verdict if verdict is not Verdict.DIFFERS or differs else Verdict.SHOWN
            yield f"<span class='{kind}'><b>{total[verdict]}</b> {words}</span>"
    yield "</p><nav><ol>"
    for each in made:
        yield (
            f"<li><a href='#{each.paper.key}'>{escape(each.paper.source)}</a><br><small>{escape(each.paper.about)}"
            f"</small>{_badge(each)}</li>"
        )
    yield "</ol></nav></header>"


def _badge(made: Made) -> str:
    counts = made.counts
    good = counts[Verdict.AGREES] + counts[Verdict.BETTER]
    bad = counts[Verdict.DIFFERS]
    return f"<span class='badge {Verdict.DIFFERS if bad else Verdict.AGREES}'>{good} of {good + bad}</span>"


def _paper(made: Made) -> Iterable[str]:
    """Yield a paper with its parts."""
    title, _, rest = made.paper.source.partition(": ")
    yield f"<section id='{made.paper.key}'><h2>{escape(title)}</h2><p class='source'>{escape(rest)}</p>"
    for part in made.parts:
        yield f"<article><h3>{escape(part.title)}</h3><p>{escape(part.text)}</p>"
        yield from (figure(x.title, x.caption, x.svg) for x in part.figures)
        if part.entries:
            yield from _table(part.entries)
        if part.code:
            yield f"<details><summary>the program</summary><pre>{escape(part.code)}</pre></details>"
        yield "</article>"
    yield "</section>"


def _table(entries: Sequence[Entry]) -> Iterable[str]:
    yield "<div class='scroll'><table><thead><tr>" + "".join(f"<th>{x}</th>" for x in HEAD) + "</tr></thead><tbody>"
    for entry in entries:
        cells = (entry.what, entry.where, entry.published, entry.ours, entry.compared)
        yield (
            f"<tr class='{entry.verdict}'><td title='{entry.verdict}'>{SIGNS[entry.verdict]}</td>"
            + "".join(f"<td>{escape(x)}</td>" for x in cells)
            + "</tr>"
        )
    yield "</tbody></table></div>"
