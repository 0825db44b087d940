"""What a report says about a paper: entries with a published value beside ours, figures, and parts that hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How our value compares with the published one. ``DIFFERS`` is the only one that fails a report."""

    AGREES = "agrees"
    BETTER = "better"
    SHOWN = "shown"
    DIFFERS = "differs"


@dataclass(frozen=True)
class Entry:
    """One published value beside ours.

    Attributes
    ----------
    what
        What is compared.
    where
        The paper's table, figure, equation or section.
    published
        The value there.
    ours
        The value that Tauforge computes now.
    compared
        Their ratio or difference.
    verdict
        What follows.
    """

    what: str
    where: str
    published: str
    ours: str
    compared: str
    verdict: Verdict


@dataclass(frozen=True)
class Figure:
    """A picture, as SVG, with what it shows."""

    title: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Part:
    """A part of a paper: a few sentences, entries, figures, and code to read."""

    title: str
    text: str
    entries: tuple[Entry, ...] = ()
    figures: tuple[Figure, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Paper:
    """A publication, and how its tables and figures are made again.

    Attributes
    ----------
    key
        A short name, to choose it by.
    source
        Authors, year, title and where it appeared.
    about
        What it is about.
    parts
        Computes the parts, one after another.
    """

    key: str
    source: str
    about: str
    parts: Callable[[], Iterator[Part]]


def same(what: str, where: str, published: object, ours: object) -> Entry:
    """Return an entry whose values must be equal."""
    equal = published == ours
    return Entry(what, where, str(published), str(ours), "equal" if equal else "not equal", _verdict(equal))


def close(what: str, where: str, published: float, ours: float, tolerance: float, unit: str = "") -> Entry:
    """Return an entry whose values must agree within a tolerance, relative to the published one."""
    difference = abs(ours - published)
    relative = difference / abs(published) if published else difference
    compared = f"differs by {relative:.1e}, allowed {tolerance:g}"
    return Entry(
        what, where, _number(published, 10, unit), _number(ours, 10, unit), compared, _verdict(relative <= tolerance)
    )


def at_most(what: str, where: str, published: float, ours: float, unit: str = "") -> Entry:
    """Return an entry whose value must not exceed the published one."""
    verdict = Verdict.BETTER if ours < published else _verdict(ours == published)
    texts = _number(published, 6, unit), _number(ours, 6, unit)
    return Entry(what, where, texts[0], texts[1], _ratio(published, ours), verdict)


def fewer(what: str, where: str, published: tuple[int, int], ours: tuple[int, int]) -> Entry:
    """Return an entry for multiplications and additions, whose sum must not exceed the published one."""
    verdict = Verdict.BETTER if sum(ours) < sum(published) else _verdict(ours == published)
    return Entry(what, where, _pair(published), _pair(ours), _ratio(sum(published), sum(ours)), verdict)


def beside(what: str, where: str, published: tuple[int, int], ours: tuple[int, int]) -> Entry:
    """Return an entry for multiplications and additions that are counted in different ways, to look at."""
    verdict = Verdict.AGREES if published == ours else Verdict.SHOWN
    return Entry(what, where, _pair(published), _pair(ours), _ratio(sum(published), sum(ours)), verdict)


def holds(what: str, where: str, claim: str, found: str, true: bool) -> Entry:
    """Return an entry for a statement that must be true."""
    return Entry(what, where, claim, found, "holds" if true else "does not hold", _verdict(true))


def shown(what: str, where: str, published: str, ours: str, compared: str = "") -> Entry:
    """Return an entry to look at."""
    return Entry(what, where, published, ours, compared, Verdict.SHOWN)


def _verdict(true: bool) -> Verdict:
    return Verdict.AGREES if true else Verdict.DIFFERS


def _number(x: float, digits: int, unit: str) -> str:
    return f"{x:.{digits}g} {unit}".strip()


def _pair(count: tuple[int, int]) -> str:
    return f"{count[0]} mul, {count[1]} add"


def _ratio(published: float, ours: float) -> str:
    return f"ratio {ours / published:.3g}" if published else ""
