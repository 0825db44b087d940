"""The papers' names of intermediate values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..graph.node import Node
from ..graph.operations import CONST, NEG, SYMBOL
from ..spatial.vector import Vector

if TYPE_CHECKING:
    from .outward import Motion


@dataclass
class Labels:
    """Collects the papers' names of intermediate values: WI12 is component 1 of WI of link 2."""

    names: dict[Node, str] = field(default_factory=dict)

    def put(self, name: str, x: Any) -> None:
        if isinstance(x, Node) and x.op not in (CONST, SYMBOL) and not (x.op is NEG and x.args[0].op is SYMBOL):
            self.names.setdefault(x, name)

    def vector(self, name: str, v: Vector, j: int) -> None:
        for k, x in enumerate(v, 1):
            self.put(f"{name}{k}{j}", x)

    def motion(self, j: int, link: Motion, F: Vector, No: Vector) -> None:
        self.vector("WI", link.WI, j)
        self.vector("W", link.W, j)
        self.vector("WP", link.WP, j)
        for pair, x in zip(("11", "22", "33", "12", "13", "23"), link.DV, strict=True):
            self.put(f"DV{pair}{j}", -x if pair[0] == pair[1] else x)  # ŴŴ has the squares with a minus
        for k, row in enumerate(link.U, 1):
            self.vector(f"U{k}", row, j)
        self.vector("VP", link.VP, j)
        self.vector("F", F, j)
        self.vector("No", No, j)

    def wrench(self, j: int, f: Vector, n: Vector) -> None:
        """Name the wrench of a link and everything it carries: E and N. At a tip these are the link's own F and N."""
        self.vector("E", f, j)
        for k, x in enumerate(n, 1):
            if self.names.get(x) == f"No{k}{j}":
                del self.names[x]
            self.put(f"N{k}{j}", x)
