"""Safe reading of XML: no entities, DTD, network or include; limits on size and depth; line numbers for messages.

Elements are lxml's. Comments and processing instructions are left out, and so is a default namespace, which URDF's own
tools do not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import RobotError
from ..files import read_bytes
from ..limits import spend
from .source import MISSING_LINE, Source

Element = Any
"""An element of lxml."""
_EXTRA = 'reading XML needs lxml; install it with: pip install "tauforge[urdf]"'
_LONGEST = 60
_DECLARATION = re.compile(rb"\A((?>\s+|<!--.*?-->)*+)(<\?xml\s[^>]*\?>)", re.DOTALL)
"""The line <?xml … ?>, even after blanks or comments, which URDF's own tools accept."""
_ENCODING = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"'>]*)")
_ASCII = re.compile(rb"utf-?8|us-ascii|ascii|latin-?1|iso-8859-\d+|windows-125\d|cp125\d", re.IGNORECASE)
"""Encodings in which ``<`` and ``=`` have their ASCII codes, so that they can be counted before the file is parsed."""
_BEGIN = 1000
"""Number of bytes that are searched for the declaration of the encoding."""
_ATTRIBUTES = 4
"""Number of attributes that elements may have on average."""


@dataclass(frozen=True)
class Document:
    """The root element of a file, and errors that name the file, the line and the element.

    ``lines`` is false if the text is not the file's own, but the result of macros. With ``lenient``, missing elements
    have a customary reading, and ``excused`` collects those that were read that way.
    """

    source: Source
    root: Element
    lines: bool = True
    lenient: bool = False
    excused: list[str] = field(default_factory=list)

    def fault(self, element: Element, what: str) -> RobotError:
        """Return the error for an element."""
        return self.source.fault(element.sourceline if self.lines else MISSING_LINE, f"{shown(element)}: {what}")

    def excuse(self, element: Element, what: str, fix: str, reading: str) -> None:
        """Refuse an element that lacks something; if lenient, note how it is read instead."""
        if not self.lenient:
            raise self.fault(element, f"{what}; {fix}, or load it with lenient=True (--lenient): {reading}")
        self.excused.append(str(self.fault(element, f"{what}: {reading}")))

    def text(self, element: Element, key: str) -> str:
        """Return an attribute that must be there."""
        text = (element.get(key) or "").strip()
        if not text:
            raise self.fault(element, f'{key} is missing; write {key}="…"')
        return str(text)

    def number(self, element: Element, key: str, default: float | None = None) -> float:
        """Return an attribute that is a finite number; it is required unless there is a default."""
        text = element.get(key)
        if text is None and default is not None:
            return default
        return self._number(element, key, self.text(element, key) if text is None else text)

    def numbers(self, element: Element, key: str, count: int, default: tuple[float, ...]) -> tuple[float, ...]:
        """Return an attribute that is a list of numbers, with blanks between them."""
        text = element.get(key)
        if text is None:
            return default
        words = text.split()
        if len(words) != count:
            raise self.fault(element, f"{key} is {short(text)}; it must be {count} numbers with blanks between them")
        return _floats(words) or tuple([self._number(element, key, word) for word in words])

    def each(self, element: Element, keys: tuple[str, ...]) -> tuple[float, ...]:
        """Return attributes that are finite numbers, all of which must be there."""
        given = dict(element.items())
        return _floats([given.get(key) for key in keys]) or tuple([self.number(element, key) for key in keys])

    def _number(self, element: Element, key: str, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in text:
            macro = "; a file with macros must end in .xacro" if "${" in text or "$(" in text else ""
            raise self.fault(element, f"{key} is {short(text)}; it must be a finite number{macro}")
        return value


def _floats(words: Sequence[str | None]) -> tuple[float, ...]:
    """Return words as finite numbers; nothing if one of them is not, so that each must be checked."""
    try:
        values = tuple(map(float, words))  # type: ignore[arg-type]
        return values if math.isfinite(sum(values)) and "_" not in "".join(words) else ()  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return ()


def document(path: Path) -> Document:
    """Read an XML file."""
    return parsed(path, read_bytes(path))


def parsed(path: Path, data: bytes, lines: bool = True) -> Document:
    """Return the document in a file's bytes."""
    try:
        from lxml import etree
    except ImportError:
        raise RobotError(f"{path}: {_EXTRA}") from None

    source = Source(path, "")
    _count(path, data)
    data = _DECLARATION.sub(_blank, data, count=1)

    def parse(recover: bool = False) -> Element:
        parser = etree.XMLParser(
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
            recover=recover,
        )
        try:
            return etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            if {entry.type_name for entry in parser.error_log} == {"NS_ERR_UNDEFINED_NAMESPACE"}:
                return parse(recover=True)  # complete except for an undeclared prefix
            if b"<!DOCTYPE" in data:
                raise no_dtd() from None
            what = str(error.msg).partition(", line ")[0].partition(", try XML_")[0].partition(", use XML_")[0]
            line = error.lineno if lines and error.lineno else MISSING_LINE
            raise source.fault(line, f"this is not XML that can be read: {what}") from None

    def no_dtd() -> RobotError:
        line = data[: max(0, data.find(b"<!DOCTYPE"))].count(b"\n") + 1
        return source.fault(line, "it has a <!DOCTYPE>, which is never read; remove it")

    root = parse()
    if root.getroottree().docinfo.internalDTD is not None:
        raise no_dtd()
    if None in root.nsmap:
        for element in root.iter():
            element.tag = etree.QName(element).localname
    return Document(source, root, lines)


def _count(path: Path, data: bytes) -> None:
    """Refuse too many elements or attributes before the tree is built."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise Source(path, "").fault(1, "this is not XML that can be read: it does not begin with <")
    declared = _ENCODING.search(data, 0, _BEGIN)
    if declared and not _ASCII.fullmatch(declared[1]):
        name = declared[1].decode("ascii", "replace")
        raise Source(path, "").fault(1, f"the encoding {name} is not read; save the file in UTF-8")
    elements = data.count(b"<") - data.count(b"</")
    spend("elements", max(elements, data.count(b"=") // _ATTRIBUTES), path)


def _blank(declaration: re.Match[bytes]) -> bytes:
    """Return blanks for <?xml … ?>, which may be in the wrong place or of another version, unless it says more."""
    text = declaration[2].lower()
    kept = b"encoding" in text and b"utf-8" not in text
    return declaration[0] if kept else declaration[1] + re.sub(rb"[^\n]", b" ", text)


class _Found(Exception):
    """Ends the search for the outermost element."""


def root_tag(path: Path) -> str:
    """Return the name of a file's outermost element; this needs the standard library only."""
    from xml.parsers import expat

    def start(name: str, _: dict[str, str]) -> None:
        raise _Found(name.rpartition(":")[2])

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    try:
        parser.Parse(read_bytes(path), True)
    except _Found as found:
        return str(found)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise Source(path, "").fault(getattr(error, "lineno", MISSING_LINE), f"this is not XML: {error}") from None
    raise AssertionError("a document without element is refused by the parser")


def shown(element: Element) -> str:
    """Return how a message refers to an element: by its name, or as inside the nearest element that has one."""
    name = element.get("name")
    if name is not None:
        return f"<{element.tag} name={short(name)}>"
    parent = element.getparent()
    return f"<{element.tag}>" if parent is None else f"<{element.tag}> of {shown(parent)}"


def short(text: str) -> str:
    """Return a text in quotes, truncated if it is long."""
    return f'"{text}"' if len(text) <= _LONGEST else f'"{text[:_LONGEST]}…"'


def children(element: Element) -> dict[str, Element]:
    """Return the first child of each kind."""
    return {child.tag: child for child in reversed(element)}
