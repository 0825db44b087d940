"""Counting operations, by the rules of the published comparisons."""

from collections.abc import Iterable, Set
from dataclasses import asdict, dataclass

from ..graph.node import Node
from ..graph.operations import ADD, COS, DIV, MUL, SIN, SQRT


@dataclass(frozen=True)
class Operations:
    """Numbers of operations: those of each evaluation, and as ``setup_…`` those that involve only constants."""

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    setup_mul: int = 0
    setup_add: int = 0

    @property
    def total(self) -> int:
        """Arithmetic operations, set-up included, as published figures count them; without sines and cosines."""
        return self.mul + self.add + self.div + self.sqrt + self.setup_mul + self.setup_add

    def __repr__(self) -> str:
        return f"Operations({self})"

    def __str__(self) -> str:
        parts = [f"{self.mul} mul", f"{self.add} add"]
        parts += [f"{n} {name}" for name, n in (("div", self.div), ("sqrt", self.sqrt)) if n]
        parts += [f"{self.trig} sin/cos", f"set-up {self.setup_mul} mul, {self.setup_add} add", f"total {self.total}"]
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        counts = asdict(self)
        head = "".join(f"<th>{name.replace('_', ' ').replace('setup', 'set-up')}</th>" for name in (*counts, "total"))
        cells = "".join(f"<td>{n}</td>" for n in (*counts.values(), self.total))
        return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{cells}</tr></tbody></table>"

    def _repr_latex_(self) -> str:
        return rf"$\text{{{self}}}$"


def count(order: Iterable[Node], setup: Set[Node]) -> Operations:
    """Count the operations of nodes; each node is computed once. Unary minus is free."""
    kinds = {MUL: "mul", ADD: "add", DIV: "div", SQRT: "sqrt", SIN: "trig", COS: "trig"}
    of_setup = {MUL: "setup_mul", DIV: "setup_mul", SQRT: "setup_mul", ADD: "setup_add"}
    numbers: dict[str, int] = {}
    for node in order:
        kind = (of_setup if node in setup else kinds).get(node.op)
        if kind:
            numbers[kind] = numbers.get(kind, 0) + 1
    return Operations(**numbers)
