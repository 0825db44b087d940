"""The kinds of joints, one file each, and the list of them by number."""

from __future__ import annotations

from .fixed import Fixed
from .floating import Floating
from .helical import Helical
from .kind import Kind
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .spherical import Spherical
from .universal import Universal

KINDS: tuple[Kind, ...] = (
    Revolute(),
    Prismatic(),
    Fixed(),
    Spherical(),
    Floating(),
    Planar(),
    Helical(),
    Universal(),
)
"""The kinds; the index of each is its number."""
(
    REVOLUTE,
    PRISMATIC,
    FIXED,
    SPHERICAL,
    FLOATING,
    PLANAR,
    HELICAL,
    UNIVERSAL,
) = (kind.number for kind in KINDS)
WORDS = tuple(kind.word for kind in KINDS)
"""The names of the kinds; the index of each is its number."""
PARAMETERS = tuple(dict.fromkeys(key for kind in KINDS for key in kind.parameters))
"""Fields of a joint that only some kinds take."""
