"""Checks of an MJCF file before MuJoCo's compiler opens it: the files it reads, its depth and its size."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from os.path import exists, isfile
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from ...errors import RobotError
from ...files import note_reading, regular
from ...limits import spend
from ..source import Source, read_text
from ..wording import said

DEEPEST = 490
"""How deep elements may be nested; MuJoCo's own reader allows a few more levels."""
_SIZES = {"hfield": "nrow ncol", "texture": "width height", "numeric": "size", "mesh": "params", "text": "size"}
"""Attributes whose product is the number of values that an element asks for; in <size> each counts separately."""
_EACH = ("dim", "actdim", "nsample")
"""Attributes of sensors and actuators that give a number of values."""
_TABLES = re.compile("nkey|nuser.*")
_QUICK = {"elements": 2000, "depth": 64, "storage": 2_000_000, "outside": 10_000_000}
"""Numbers of elements, levels, values and bytes of other files up to which MuJoCo's compiler is quick."""
_ROOM = 4_000_000
"""Elements times characters of the longest attribute up to which it is quick, even if every element had that attribute.
"""
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:")  # also a Windows drive
_FOLDERS = {"texture": ("texturedir", "assetdir"), "mesh": ("meshdir", "assetdir"), "hfield": ("meshdir", "assetdir")}


class Reference(NamedTuple):
    """A file that an element names."""

    tag: str
    file: str
    line: int


@dataclass
class Document:
    """The relevant contents of one XML file."""

    source: Source
    root: str = ""
    references: list[Reference] = field(default_factory=list)
    settings: list[tuple[str, str]] = field(default_factory=list)
    """Attributes of its compiler elements."""
    elements: int = 0
    """How many there are, with all copies."""
    storage: int = 0
    """Numbers that its elements ask for by a size."""
    depth: int = 0
    longest: int = 0
    """Characters of its longest attribute, which every element could inherit from a class or need space for."""
    outside: int = 0
    """Bytes of the meshes, pictures and other files that it names."""
    attaches: bool = False

    def add(self, tag: str, attributes: dict[str, str], line: int, copies: list[int]) -> None:
        """Add an element; ``copies`` gives the number of copies of each element around it."""
        copies.append(copies[-1] * math.prod(_counts(attributes.get("count", ""))))
        place = f"{self.source.path}:{line}"
        spend("elements", copies[-1] - 1, place)
        self.elements += copies[-1]
        self.depth = max(self.depth, len(copies))
        self.longest = max(self.longest, *map(len, attributes.values()), 0)
        self.attaches |= tag in ("attach", "model")
        storage = sum(n for key in _EACH for n in _counts(attributes.get(key, "")))
        if tag == "size":
            sizes = [n for key, value in attributes.items() if _TABLES.fullmatch(key) for n in _counts(value)]
            self.elements += sum(sizes)
            storage += sum(sizes)
        else:
            keys = _SIZES.get(tag, "").split()
            storage += math.prod(n for key in keys for n in _counts(attributes.get(key, "")))
        spend("storage", storage, place)
        self.storage += storage
        if tag == "compiler":
            self.settings += attributes.items()
        files = (value for key, value in attributes.items() if key.startswith("file"))
        self.references += [Reference(tag, value, line) for value in files]

    def add_file(self, reference: Reference, path: Path) -> None:
        """Count a file that MuJoCo will read; a picture by its points."""
        try:
            self.outside += regular(path, path.stat())
            note_reading(path)
            with path.open("rb") as file:
                head = file.read(24)
        except OSError as error:
            raise self.source.fault(reference.line, f"{reference.file!r} cannot be read ({error.strerror})") from None
        if head.startswith(b"\x89PNG"):
            points = int.from_bytes(head[16:20]) * int.from_bytes(head[20:24])
            spend("storage", points, f"{self.source.path}:{reference.line}")
            self.storage += points


def scan(path: Path, folders: Sequence[str | Path] = ()) -> list[Document]:
    """Return a model's XML files, itself first, or raise an error if it refers to something it must not.

    Every file that it names must be below its folder or another allowed one. Document types are not allowed, and so
    neither are entities.
    """
    documents = [_document(path, first=True)]  # which refuses anything that is not a file
    try:
        allowed = [path.parent.resolve(), *(Path(folder).resolve() for folder in folders)]
    except (OSError, RuntimeError, ValueError):  # as for a file
        raise RobotError(f"{path}: one of the folders {list(map(str, folders))} is not a folder; remove it") from None
    seen = {path.resolve()}
    return documents if documents[0].root != "mujoco" else _whole(documents, allowed, seen)


def is_heavy(documents: list[Document]) -> bool:
    """Tell whether MuJoCo's compiler could need much time or memory for a model."""
    if any(document.attaches for document in documents):  # which makes copies of copies
        return True
    if sum(document.elements for document in documents) * max(document.longest for document in documents) > _ROOM:
        return True
    return any(sum(getattr(document, key) for document in documents) > most for key, most in _QUICK.items())


def _whole(documents: list[Document], allowed: list[Path], seen: set[Path]) -> list[Document]:
    """Return the files of a model, given its first: those that it includes, and the models that it attaches."""
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
            for place in filter(exists, places):
                document.add_file(reference, place)
            if reference.tag == "model":
                attached += _whole(_new(document, reference, places, seen), allowed, seen)
    return [*documents, *attached]


def _new(document: Document, reference: Reference, places: list[Path], seen: set[Path]) -> list[Document]:
    """Return the documents that a reference leads to, each once."""
    found = [place for place in places if isfile(place)]
    if not found:
        raise document.source.fault(reference.line, f"{reference.tag}: there is no file {reference.file!r}")
    new = [place for place in found if place not in seen]
    if not new and reference.tag == "include":
        raise document.source.fault(reference.line, f"include: {reference.file!r} is included already")
    seen.update(new)
    return [_document(place) for place in new]


def _places(document: Document, reference: Reference, allowed: list[Path], folders: list[str]) -> list[Path]:
    """Return where in the allowed folders (the model's is the first) MuJoCo could look for a file; refuse one that it
    could find outside.
    """
    folder, own = allowed[0], document.source.path.parent.resolve()
    file, *parents = (name.replace("\\", "/") for name in (reference.file, *folders))
    ways = list(product((folder, own), parents, ("", os.path.relpath(own, folder)), (file,)))
    try:
        places = {base.joinpath(*way).resolve() for base, *way in ways}
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name that no file can have
        raise document.source.fault(reference.line, f"{reference.tag}: {said(reference.file)} is not a file") from None
    outside = {place for place in places if not any(map(place.is_relative_to, allowed))}
    inside = sorted(places - outside)
    found = not outside or (any(map(exists, inside)) and not any(map(exists, outside)))
    absolute = len(allowed) == 1 and any(Path(name).is_absolute() for name in (file, *parents))
    if not found or absolute or any(map(_SCHEME.match, (file, *parents))):
        raise document.source.fault(
            reference.line,
            f"{reference.tag}: {reference.file!r} is outside the folder of the model, from which alone files are read; "
            "move it there or below, or allow its folder: load(…, folders=[…]), --folder",
        )
    return inside


def _document(path: Path, first: bool = False) -> Document:
    """Read the elements of one XML file; if the first file is not MJCF, only the outermost element."""
    source = read_text(path, "utf-8-sig")
    document = Document(source)
    parser = expat.ParserCreate("utf-8")
    copies = [1]  # for each open element

    def start(tag: str, attributes: dict[str, str]) -> None:
        line = parser.CurrentLineNumber
        document.root = document.root or tag
        if first and document.root != "mujoco":
            raise _Other
        if len(copies) > DEEPEST:
            raise source.fault(line, f"elements are nested more than {DEEPEST} deep")
        document.add(tag, attributes, line, copies)

    def end(tag: str) -> None:
        copies.pop()

    def doctype(*_: object) -> None:
        raise source.fault(parser.CurrentLineNumber, "a document type, which brings entities, is not read; remove it")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = doctype
    try:
        if not first or "<mujoco" in source.text:
            spend("elements", max(source.text.count("<"), source.text.count("=") // 4), path)
        parser.Parse(_strict(source.text), True)
    except _Other:
        pass
    except expat.ExpatError as error:
        raise source.fault(error.lineno, f"this is not XML: {expat.ErrorString(error.code)}") from None
    return document


class _Other(Exception):
    """Ends the reading of a file that is not MJCF."""


def _strict(text: str) -> str:
    """Return a text without hyphens in comments: XML forbids two in a row, but MuJoCo accepts them."""
    pieces, place = [], 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += [text[place : start + 4], text[start + 4 : end].replace("-", "=")]
        place = end
    return "".join([*pieces, text[place:]])


def _counts(text: str) -> Iterator[int]:
    for word in text.split():
        try:
            yield max(int(min(float(word), 1e18)), 1)
        except ValueError:  # not a number
            continue


def compiled_with(documents: list[Document], message: str) -> RobotError:
    """Return the error of MuJoCo's compiler, with the file and the line if these are known."""
    text = " ".join(message.split()).removeprefix("XML Error: ").removeprefix("Error: ")
    for document in documents:
        for reference in document.references:
            if f"{Path(reference.file).name}'" in text:
                return document.source.fault(reference.line, f"{reference.tag}: {text}")
    found = re.search(r"line (?:number=)?(\d+)", text, re.IGNORECASE)
    alone = len(documents) == 1
    return documents[0].source.fault(int(found.group(1)) if found and alone else 0, text)
