"""What closed forms are shown as: matrices where they fit, else one equation per entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..program.array import Array
from ..program.program import PARAMETERS, Program
from ..targets.expression import Element, Expression
from ..targets.language import Language
from ..targets.statements import indices
from .closed import Closed
from .shown import shown

_BETWEEN = 2
"""Columns between those of a matrix."""

_ZEROS = 3
"""How many zeros are left out."""


@dataclass(frozen=True)
class Matrix:
    """An output as a matrix: its name, and the texts of its entries."""

    name: str
    rows: list[list[str]]


@dataclass(frozen=True)
class Entries:
    """An output by its entries: names and texts; those that are not listed are zero if ``rest`` says so."""

    name: str
    equations: list[tuple[str, str]]
    rest: bool


def blocks(
    form: Closed, language: Language, letters: Callable[[str], str], width: Callable[[str], int], widest: int
) -> Iterator[Matrix | Entries]:
    """Yield each output as a matrix, if its rows are not wider than ``widest``, else by its entries."""
    for name, array in form.program.results.items():
        texts = [language.text(shown(x)) for x in form.outputs[name]]
        read = ", ".join(letters(x) for x in _arguments(form.program))
        whole = f"{letters(name)}({read})" if read else letters(name)
        rows = _rows(array, texts)
        if rows and _width(rows, width) + width(whole) <= widest:
            yield Matrix(whole, rows)
        else:
            yield _entries(name, array, form.outputs[name], texts, language)


def _arguments(program: Program) -> list[str]:
    """Return the inputs on which a Program depends, other than parameters."""
    present = set(program.order)
    return [x for x, a in program.arguments.items() if x != PARAMETERS and not present.isdisjoint(a.nodes)]


def _rows(array: Array, texts: list[str]) -> list[list[str]]:
    if len(array.shape) == 1:
        return [[x] for x in texts]
    if len(array.shape) != 2:
        return []
    columns = array.shape[1]
    return [texts[i : i + columns] for i in range(0, len(texts), columns)]


def _width(rows: Sequence[Sequence[str]], width: Callable[[str], int]) -> int:
    return sum(max(map(width, column)) + _BETWEEN for column in zip(*rows, strict=True))


def _entries(name: str, array: Array, forms: Sequence[Expression], texts: Sequence[str], language: Language) -> Entries:
    """Return the entries of an output, those that are equal to their mirror image together."""
    elements = {index: place for place, index in enumerate(indices(array))}
    zero = [text == "0" for text in texts]
    some = sum(zero) >= _ZEROS
    equations = []
    for index, place in elements.items():
        mirror = elements.get(index[::-1], place)
        if (zero[place] and some) or (mirror < place and forms[mirror] == forms[place]):
            continue
        same = [place] if mirror == place or forms[mirror] != forms[place] else [place, mirror]
        names = [language.text(Element(name, [*elements][k], k)) for k in same]
        equations.append((" = ".join(names), texts[place]))
    return Entries(name, equations, some)


def wave_texts(form: Closed, language: Language) -> Mapping[str, str]:
    """Return the short names of sines and cosines that are used, in order, with what they are."""
    ordered = sorted(form.waves, key=lambda x: (len(x), x[1:], x))
    return {name: language.text(form.waves[name]) for name in ordered}
