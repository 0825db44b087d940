"""Docstrings are written as the documentation reads them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "tauforge"
HEADING = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)
NAMES = {"Parameters": re.compile(r"\*{0,2}\w+(, \*{0,2}\w+)*"), "Attributes": re.compile(r"\w+")}


def misread(docstring: str) -> Iterator[str]:
    """Yield the lines of its lists that are neither names alone nor an indented description."""
    _, *parts = HEADING.split(docstring)
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        if heading in NAMES:
            lines = text.strip("\n").split("\n")
            yield from (line for line in lines if line and line[0] != " " and not NAMES[heading].fullmatch(line))


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_names_and_descriptions_have_their_own_lines(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            assert [*misread(ast.get_docstring(node) or "")] == []


def test_what_would_be_read_as_a_type_is_found():
    text = "Do it.\n\nParameters\n----------\na, b\n    What.\n\nc : which\nd: how\n\nRaises\n------\nan error"
    assert [*misread(text)] == ["c : which", "d: how"]
    assert [*misread("It.\n\nAttributes\n----------\na, b\n    What.\nc\n    Which.")] == ["a, b"]
