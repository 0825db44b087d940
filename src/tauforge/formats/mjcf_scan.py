"""A look at an MJCF file before MuJoCo's compiler opens it: what it may read, how deep and how large it may be."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from ..errors import RobotError
from .common import Source, read_text

DEEPEST = 490
"""Levels of elements within each other; MuJoCo's own reader takes a few more."""
MOST = 10_000
"""Copies that counts within each other may make of an element, and rows that a table may have."""
_SIZE = re.compile("nrow|ncol|nuser_.*")
_COMMENT = re.compile(r"(?<=<!--).*?(?=-->)", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:")  # also a drive of Windows
_FOLDERS = {"texture": ("texturedir", "assetdir"), "mesh": ("meshdir", "assetdir"), "hfield": ("meshdir", "assetdir")}


class Reference(NamedTuple):
    """A file that an element names."""

    tag: str
    file: str
    line: int


@dataclass
class Document:
    """What matters of one XML file."""

    source: Source
    root: str = ""
    references: list[Reference] = field(default_factory=list)
    settings: list[tuple[str, str]] = field(default_factory=list)
    """Attributes of its compiler elements."""


def scan(path: Path, folders: Sequence[str | Path] = ()) -> list[Document]:
    """Return a model's XML files, itself first, or refuse what it would do.

    Every file that it names must be below its folder or another one that is allowed. There may be no document type, so
    no entities either.
    """
    allowed = [path.parent.resolve(), *(Path(folder).resolve() for folder in folders)]
    seen = {path.resolve()}
    documents = [_document(path)]
    return documents if documents[0].root != "mujoco" else _whole(documents, allowed, seen)


def _whole(documents: list[Document], allowed: list[Path], seen: set[Path]) -> list[Document]:
    """Return the files of a model given its first: what it includes, and the models that it attaches."""
    for document in documents:  # grows
        for reference in document.references:
            if reference.tag == "include":
                places = _places(document, reference, allowed, [""])
                documents += _new(document, reference, places, seen)
    settings = [setting for document in documents for setting in document.settings]
    strip = {value for key, value in settings if key == "strippath"} == {"true"}
    attached: list[Document] = []
    for document in documents:
        for reference in document.references:
            if reference.tag == "include":
                continue
            keys = _FOLDERS.get(reference.tag, ("meshdir", "texturedir", "assetdir"))
            folders = [value for key, value in settings if key in keys]
            if not folders or reference.tag not in _FOLDERS:
                folders.append("")
            file = re.split(r"[/\\]", reference.file)[-1] if strip else reference.file
            places = _places(document, reference._replace(file=file), allowed, folders)
            if reference.tag == "model":
                attached += _whole(_new(document, reference, places, seen), allowed, seen)
    return [*documents, *attached]


def _new(document: Document, reference: Reference, places: list[Path], seen: set[Path]) -> list[Document]:
    """Return the documents that a reference leads to, each once."""
    found = [place for place in places if place.is_file()]
    if not found:
        raise document.source.fault(reference.line, f"{reference.tag}: there is no file {reference.file!r}")
    new = [place for place in found if place not in seen]
    if not new and reference.tag == "include":
        raise document.source.fault(reference.line, f"include: {reference.file!r} is included already")
    seen.update(new)
    return [_document(place) for place in new]


def _places(document: Document, reference: Reference, allowed: list[Path], folders: list[str]) -> list[Path]:
    """Return where in the allowed folders, of which the model's is the first, MuJoCo may look for a file; refuse one
    that it may find outside.
    """
    folder, own = allowed[0], document.source.path.parent.resolve()
    file, *parents = (name.replace("\\", "/") for name in (reference.file, *folders))
    ways = list(product((folder, own), parents, ("", os.path.relpath(own, folder)), (file,)))
    places = {base.joinpath(*way).resolve() for base, *way in ways}
    outside = {place for place in places if not any(map(place.is_relative_to, allowed))}
    inside = sorted(places - outside)
    found = not outside or (any(place.exists() for place in inside) and not any(place.exists() for place in outside))
    absolute = len(allowed) == 1 and any(Path(name).is_absolute() for name in (file, *parents))
    if not found or absolute or any(map(_SCHEME.match, (file, *parents))):
        raise document.source.fault(
            reference.line,
            f"{reference.tag}: {reference.file!r} is outside the folder of the model, from which alone files are read; "
            "move it there or below, or allow its folder: load(…, folders=[…]), --folder",
        )
    return inside


def _document(path: Path) -> Document:
    """Read one XML file's elements."""
    source = read_text(path, "utf-8-sig")
    document = Document(source)
    parser = expat.ParserCreate("utf-8")
    copies = [1]  # of each open element

    def start(tag: str, attributes: dict[str, str]) -> None:
        line = parser.CurrentLineNumber
        document.root = document.root or tag
        if len(copies) > DEEPEST:
            raise source.fault(line, f"elements are nested more than {DEEPEST} deep")
        copies.append(copies[-1] * math.prod(_counts(attributes.get("count", ""))))
        sizes = [n for key, value in attributes.items() if _SIZE.fullmatch(key) for n in _counts(value)]
        if max(copies[-1], *sizes, 0) > MOST:
            raise source.fault(line, f"{tag}: counts and sizes up to here ask for more than {MOST} pieces")
        if tag == "compiler":
            document.settings += attributes.items()
        files = (value for key, value in attributes.items() if key.startswith("file"))
        document.references += [Reference(tag, value, line) for value in files]

    def end(tag: str) -> None:
        copies.pop()

    def doctype(*_: object) -> None:
        raise source.fault(parser.CurrentLineNumber, "a document type, which brings entities, is not read; remove it")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = doctype
    try:
        # two hyphens in a comment are no XML, but MuJoCo takes them
        parser.Parse(_COMMENT.sub(lambda found: found[0].replace("-", "="), source.text), True)
    except expat.ExpatError as error:
        raise source.fault(error.lineno, f"this is no XML: {expat.ErrorString(error.code)}") from None
    return document


def _counts(text: str) -> Iterator[int]:
    return (max(int(word), 1) for word in text.split() if word.isdecimal())


def compiled_with(documents: list[Document], message: str) -> RobotError:
    """Return a refusal by MuJoCo's compiler with the file and the line that it is about, as far as these are known."""
    text = " ".join(message.split()).removeprefix("XML Error: ").removeprefix("Error: ")
    for document in documents:
        for reference in document.references:
            if f"{Path(reference.file).name}'" in text:
                return document.source.fault(reference.line, f"{reference.tag}: {text}")
    found = re.search(r"line (?:number=)?(\d+)", text, re.IGNORECASE)
    alone = len(documents) == 1
    return documents[0].source.fault(int(found.group(1)) if found and alone else 0, text)
