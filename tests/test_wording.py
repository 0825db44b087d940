"""Docstrings, messages and pages avoid turns of phrase that read as translated."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tauforge"
PAGES = [ROOT / "README.md", *(page for page in (ROOT / "docs").rglob("*.md") if "vendor" not in page.parts)]
ODD = {
    r"\bst(?:and|ands|anding) (?:on|in|at|for|beside|before|first|last|freely|alone)\b": "is attached to, is in, means",
    r"\bunless given\b": "by default",
    r"\b(?:is|are) no (?!longer|more|less|faster|slower|such)\w+(?<!ed)\b": "is not a",
    r"\b(?:it|this|each) may be ['\"]": "it must be",
    r"\bknown are\b": "choose among",
}
EXISTS = re.compile(r"\b(?:[Tt]here|[Ii]f|that) (?:is|are) no\b")


def odd(text: str) -> list[str]:
    """Return the phrases that read as translated; "there is no" does not."""
    return [found for phrase in ODD for found in re.findall(phrase, EXISTS.sub("", " ".join(text.split())))]


def texts(path: Path) -> list[str]:
    """Return a page, or the docstrings and messages of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [text]
    return [x.value for x in ast.walk(ast.parse(text)) if isinstance(x, ast.Constant) and isinstance(x.value, str)]


@pytest.mark.parametrize(
    "path", [*PAGES, *sorted(SOURCE.rglob("*.py"))], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_texts_read_as_native_english(path):
    assert [phrase for text in texts(path) for phrase in odd(text)] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("its frame stands on the\naxis", 1),
        ("the identity unless given", 1),
        ("this is no XML", 1),
        ("it may be 'moved'; known are a, b", 2),
        ("There is no file, and it is no longer than before", 0),
    ],
)
def test_odd_phrases_are_found(text, count):
    assert len(odd(text)) == count
