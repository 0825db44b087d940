"""Fusing several Programs into one that computes their common parts only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial, reduce

from ..errors import ProgramError
from ..graph.node import Node
from .array import Array
from .domain import common
from .program import PARAMETERS, Program
from .recipe import derived


def fuse(*programs: Program, name: str | None = None) -> Program:
    """Return one Program with the inputs and outputs of all given Programs, in their order.

    Inputs of the same name become one input and must be identical; all robots' parameters become one input too. Outputs
    of the same name become one if they are identical; otherwise each is prefixed with the name of its Program.

    Parameters
    ----------
    name
        The name of the new Program; by default the names of all Programs in a row.

    Raises
    ------
    ProgramError
        If inputs of the same name differ, or if the names of the Programs cannot tell their outputs apart.
    """
    if not programs:
        raise ProgramError("fuse() needs at least one Program")
    for given in programs:
        if not isinstance(given, Program):
            raise ProgramError(f"fuse() takes Programs, not {given!r}")
    if repeated := [program.name for program in programs if program.repeat]:
        raise ProgramError(f"{repeated[0]} is repeated until it is done, which the other Programs cannot share")
    arguments: dict[str, Array] = {}
    names: dict[Node, str] = {}
    for program in programs:
        for key, array in program.arguments.items():
            if key != PARAMETERS:
                _check(key, arguments.setdefault(key, array), array, program)
        for node, text in program.names.items():
            names.setdefault(node, text)
    called = name or "_".join(dict.fromkeys(program.name for program in programs))
    order = _merged([(*program.symbol_order, *program.parameters) for program in programs])
    heading = partial(_heading, programs)
    domain = reduce(common, (program.domain for program in programs))
    fused = Program(called, arguments, _outputs(programs), names, heading, symbol_order=order, domain=domain)
    return fused.marked(recipe=derived(fuse, *programs, options={"name": name}))


def _merged(orders: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return all names, as in the first order that has them; those of another one follow its name before them."""
    merged: list[str] = []
    for order in orders:
        place = 0
        for name in dict.fromkeys(order):
            if name in merged:
                place = merged.index(name) + 1
            else:
                merged.insert(place, name)
                place += 1
    return tuple(merged)


def _check(key: str, known: Array, array: Array, program: Program) -> None:
    """Refuse an input that differs from another of the same name."""
    if known.shape.labels != array.shape.labels or known.nodes != array.nodes:
        entries = [", ".join(map(str, labels)) for a in (known, array) for labels in a.shape.labels[:1]]
        raise ProgramError(
            f"{program.name}: its input {key}{list(array.shape)} differs from that of the Programs before it"
            + (f": {entries[1]} against {entries[0]}" if len({*entries}) == 2 else "")
            + "; only Programs of the same robot can be fused"
        )


def _outputs(programs: tuple[Program, ...]) -> dict[str, Array]:
    variants: dict[str, set[tuple[Node, ...]]] = {}
    for program in programs:
        for key, array in program.results.items():
            variants.setdefault(key, set()).add(array.nodes)
    results: dict[str, Array] = {}
    for program in programs:
        for key, array in program.results.items():
            own = key if len(variants[key]) == 1 else f"{program.name}_{key}"
            if own in results and results[own].nodes != array.nodes:
                many = Counter(p.name for p in programs)[program.name]
                raise ProgramError(
                    f"{many} Programs called {program.name} have different outputs {key}; "
                    "give each its own name: dataclasses.replace(program, name=...)"
                )
            results.setdefault(own, array)
    return results


def _heading(programs: tuple[Program, ...]) -> tuple[str, ...]:
    """Return the headings of all Programs without repeated lines."""
    lines: list[str] = []
    for program in programs:
        known = {*lines}
        lines += [line for line in program.heading() if line not in known]
    return tuple(lines)
