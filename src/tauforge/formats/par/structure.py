"""The structure in a .par file: the numbers of links, joints and frames, their antecedents and their kinds.

Everything here is checked before any value is read, so errors can name the line.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...limits import spend
from ...robot.kinds import FIXED
from ..cycle import cycle
from ..source import MISSING_LINE
from .syntax import ACTUATOR, BASE, FLAGS, GEOMETRIC, INERTIAL, JOINT, WRENCH, Document

_REQUIRED = (*(key for key in GEOMETRIC if key != "mu"), *INERTIAL, "G")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_TYPES = ("Type 0, a serial chain", "Type 1, a tree", "Type 2, closed loops")


@dataclass(frozen=True)
class Structure:
    """NL, NJ and NF, whether the base moves, and the lists of integers."""

    links: int
    joints: int
    frames: int
    floating: bool
    mobile: bool
    antecedents: list[int]
    sigma: list[int]
    mu: list[int]
    eta: list[int]

    @property
    def first(self) -> int:
        """Index of link 1 in the lists of links: link 0 comes first if the base moves."""
        return int(self.floating or self.mobile)


def read_structure(document: Document) -> Structure:
    """Return the structure of the file's robot, or refuse it."""
    missing = [key for key in _REQUIRED if key not in document.sections]
    if missing:
        lists = f"the list{'s' * (len(missing) > 1)} {', '.join(missing)}"
        raise document.source.fault(MISSING_LINE, f"{lists} must be given; write for example {missing[0]} = {{0,0,0}}")
    floating, mobile = (_flag(document, key) for key in FLAGS)
    links, joints, frames = _sizes(document, floating or mobile)
    _lengths(document, links + (floating or mobile), joints)
    mu = document.integers("mu", [1] * frames)
    _among(document, "mu", mu, "1 (a motor drives the joint) or 0", 2)
    eta = document.integers("eta", [0] * joints)
    _among(document, "eta", eta, "1 (the joint is elastic) or 0", 2)
    sigma = document.integers("sigma", [])
    _among(document, "sigma", sigma, "0 (revolute), 1 (prismatic) or 2 (fixed)", 3)
    for number in range(joints + 1, frames + 1):
        if sigma[number - 1] != FIXED:
            raise document.entry_fault("sigma", number, f"frame {number} closes a loop and is constant; write 2")
    antecedents = document.integers("ant", [])
    for number in range(1, frames + 1):
        _antecedent(document, antecedents, number, links, joints)
    _type(document, antecedents[:links], joints > links)
    return Structure(links, joints, frames, floating, mobile, antecedents, sigma, mu, eta)


def _flag(document: Document, key: str) -> bool:
    if key not in document.sections:
        return False
    text = document.sections[key].values[0].text
    if text.lower() not in _TRUTH:
        raise document.entry_fault(key, 1, f"{text!r} is neither True nor False")
    return _TRUTH[text.lower()]


def _sizes(document: Document, base_moves: bool) -> tuple[int, int, int]:
    """Return NL, NJ and NF, from the header where there is one, and from the lists."""
    frames = _counted(document, "sigma", "NF", 0)
    links = _counted(document, "XX", "NL", int(base_moves))
    if "NJ" in document.sections:
        (joints,) = document.integers("NJ", [])
    else:
        joints = (frames + links) // 2
    line = document.line("NJ") or document.line("sigma")
    if not 0 < links <= joints or frames != 2 * joints - links:
        raise document.source.fault(
            line,
            f"{links} links, {joints} joints and {frames} frames do not fit: NF = 2 NJ - NL, as each cut joint needs a "
            "frame on its other side. A tool frame is a fixed joint (sigma 2) that carries a link without inertia",
        )
    spend("links", frames, document.source.path)
    if joints > links and "mu" not in document.sections:
        raise document.source.fault(
            line,
            f"sigma has {frames} entries and XX has {links}, so there are loops; mu must say which joints have motors",
        )
    return links, joints, frames


def _counted(document: Document, key: str, size: str, extra: int) -> int:
    """Return how many joints or links a list describes; the header's number must be the same."""
    count = len(document.sections[key].values) - extra
    if size in document.sections and document.integers(size, []) != [count]:
        (said,) = document.integers(size, [])
        also = " and link 0 comes first, as the base moves" if extra else ""
        raise document.source.fault(
            document.line(key),
            f"{key} has {count + extra} entries, but {size} (line {document.line(size)}) is {said}{also}; "
            f"write {said + extra} entries or correct {size}",
        )
    return count


def _lengths(document: Document, link_entries: int, joints: int) -> None:
    frames = len(document.sections["sigma"].values)
    sigma, first_inertial = (f"{key} (line {document.line(key)}) has" for key in ("sigma", "XX"))
    expected = [
        (GEOMETRIC, frames, sigma),
        ((*INERTIAL, *ACTUATOR, *WRENCH), link_entries, first_inertial),
        (JOINT, joints, "the number of joints is"),
        ((*BASE, "G"), 3, "a vector has"),
        (("Z",), 16, "a 4x4 matrix, row by row, has"),
    ]
    for keys, length, reason in expected:
        for key in keys:
            count = len(document.sections[key].values) if key in document.sections else length
            if count != length:
                entries = "1 entry" if count == 1 else f"{count} entries"
                raise document.source.fault(
                    document.line(key), f"{key} has {entries}, {reason} {length}; write {length}"
                )


def _among(document: Document, key: str, values: list[int], meaning: str, count: int) -> None:
    for number, value in enumerate(values, 1):
        if value not in range(count):
            raise document.entry_fault(key, number, f"{value} is not allowed; it must be {meaning}")


def _antecedent(document: Document, antecedents: list[int], number: int, links: int, joints: int) -> None:
    """Refuse an antecedent that is not a link, or that comes after its children."""
    antecedent = antecedents[number - 1]
    if 0 <= antecedent < min(number, links + 1) or joints < antecedent < number:
        return
    if not 0 <= antecedent <= links:
        raise document.entry_fault("ant", number, f"there is no link {antecedent}; give a number from 0 to {links}")
    if ring := cycle(antecedents[:links], number):
        raise document.entry_fault(
            "ant", number, f"a cycle of parents: link {' -> '.join(map(str, ring))}; attach one of them to the base, 0"
        )
    raise document.entry_fault(
        "ant", number, f"the parent of link {number} is the later link {antecedent}; number links outward from the base"
    )


def _type(document: Document, antecedents: list[int], loops: bool) -> None:
    """Refuse a Type that the lists contradict; a chain can also be called a tree."""
    if "Type" not in document.sections:
        return
    (given,) = document.integers("Type", [])
    _among(document, "Type", [given], "0 (serial chain), 1 (tree) or 2 (closed loops)", 3)
    serial = antecedents == list(range(len(antecedents)))
    found = 2 if loops else 0 if serial else 1
    if found != given and (found, given) != (0, 1):
        raise document.entry_fault(
            "Type", 1, f"this is {_TYPES[given]}, but the lists describe {_TYPES[found]}; write {found} or correct them"
        )
