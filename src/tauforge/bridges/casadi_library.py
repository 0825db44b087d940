"""Program -> a C library as CasADi's ``external`` reads it: a function, and its derivatives by CasADi's names.

CasADi looks for ``jac_f``, the derivatives of all outputs with respect to all inputs; ``fwd1_f`` and ``adj1_f``,
products with a direction and with weights; and ``jac_adj1_f``, from which Hessians are made. Matrices are sparse,
column by column. Long functions are cut into parts, as the time that C compilers take grows with the square of a
function's length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..graph.collector import collector_paused
from ..graph.derivative import forward_product, jacobian, reverse_product
from ..graph.node import ZERO, Node, symbol
from ..program.array import Array, Shape
from ..program.program import Program
from ..targets import c
from ..targets.parts import parts, written
from ..targets.statements import listing

Pattern = tuple[int, int, tuple[tuple[int, int], ...]]
"""Rows, columns, and the places of entries, column by column."""


@dataclass(frozen=True)
class Matrices:
    """Named matrices: for each, its pattern and its entries."""

    patterns: Mapping[str, Pattern]
    nodes: Mapping[str, tuple[Node, ...]]

    def arrays(self) -> dict[str, Array]:
        """Return them as arrays of a Program, whose parameters are known by their labels."""
        return {
            name: Array(Shape([len(nodes)], [[str(node.value) for node in nodes]]), nodes)
            for name, nodes in self.nodes.items()
        }


_C = replace(c.LANGUAGE, reserved=c.RESERVED | {"kept"})
_LONGEST = 1_000
"""Operations in one C function: with all 13,790 of a Panda's Hessian in one, gcc takes three times as long."""


@collector_paused()
def library(program: Program, derivatives: int) -> str:
    """Return the text of the library."""
    inputs = _whole({name: _columns(array) for name, array in program.arguments.items()})
    outputs = _sparse({name: _columns(array) for name, array in program.results.items()})
    functions = [(program.name, inputs, outputs)]
    if derivatives:
        nominal = _seeds("out_", outputs)
        functions.append((f"jac_{program.name}", _joined(inputs, nominal), _jacobians(inputs, outputs)))
        forward = _seeds("fwd_", inputs)
        functions.append(
            (f"fwd1_{program.name}", _joined(inputs, nominal, forward), _forward(inputs, outputs, forward))
        )
        weights = _seeds("adj_", outputs)
        given = _joined(inputs, nominal, weights)
        adjoint = _reverse(inputs, outputs, weights)
        functions.append((f"adj1_{program.name}", given, adjoint))
        if derivatives > 1:
            more = _joined(given, _seeds("out_", adjoint))
            functions.append((f"jac_adj1_{program.name}", more, _jacobians(given, adjoint)))
    return "\n".join([_HEAD, *(line for function in functions for line in _function(*function))])


def _columns(array: Array) -> tuple[int, int, list[Node]]:
    """Return rows, columns and entries column by column; arrays with more than two axes are one column."""
    rows, columns = (array.shape[0], array.shape[1]) if len(array.shape) == 2 else (array.shape.size, 1)
    return rows, columns, [array.nodes[i * columns + j] for j in range(columns) for i in range(rows)]


def _whole(given: Mapping[str, tuple[int, int, list[Node]]]) -> Matrices:
    """Return matrices without zeros left out."""
    return Matrices(
        {name: (r, c, tuple((i, j) for j in range(c) for i in range(r))) for name, (r, c, _) in given.items()},
        {name: tuple(nodes) for name, (_, _, nodes) in given.items()},
    )


def _sparse(given: Mapping[str, tuple[int, int, list[Node]]], vectors: bool = False) -> Matrices:
    """Return matrices without the entries that are always zero; single columns keep them unless ``vectors`` is true."""
    patterns, nodes = {}, {}
    for name, (rows, columns, entries) in given.items():
        kept = [(k, node) for k, node in enumerate(entries) if node is not ZERO or (columns == 1 and not vectors)]
        patterns[name] = (rows, columns, tuple((k % rows, k // rows) for k, _ in kept))
        nodes[name] = tuple(node for _, node in kept)
    return Matrices(patterns, nodes)


def _seeds(prefix: str, like: Matrices) -> Matrices:
    """Return new inputs with the patterns of others."""
    nodes = {
        f"{prefix}{name}": tuple(symbol(f"{prefix}{name}[{k}]") for k in range(len(entries)))
        for name, entries in like.nodes.items()
    }
    return Matrices({f"{prefix}{name}": pattern for name, pattern in like.patterns.items()}, nodes)


def _joined(*parts: Matrices) -> Matrices:
    return Matrices(
        {name: x for part in parts for name, x in part.patterns.items()},
        {name: x for part in parts for name, x in part.nodes.items()},
    )


def _jacobians(inputs: Matrices, outputs: Matrices) -> Matrices:
    """Return the derivatives of each output with respect to each input: rows and columns are all entries of these."""
    made: dict[str, tuple[int, int, list[Node]]] = {}
    flat = [x for nodes in inputs.nodes.values() for x in nodes]
    for output, nodes in outputs.nodes.items():
        slopes = jacobian(nodes, flat)
        start = 0
        for name, own in inputs.nodes.items():
            block = [row[start : start + len(own)] for row in slopes]
            start += len(own)
            rows, columns = _size(outputs.patterns[output]), _size(inputs.patterns[name])
            entries = [ZERO] * (rows * columns)
            for place, row in zip(_flat(outputs.patterns[output]), block, strict=True):
                for k, x in zip(_flat(inputs.patterns[name]), row, strict=True):
                    entries[k * rows + place] = x
            made[f"jac_{output}_{name}"] = rows, columns, entries
    return _sparse(made, vectors=True)


def _size(pattern: Pattern) -> int:
    return pattern[0] * pattern[1]


def _flat(pattern: Pattern) -> list[int]:
    return [j * pattern[0] + i for i, j in pattern[2]]


def _forward(inputs: Matrices, outputs: Matrices, seeds: Matrices) -> Matrices:
    flat, along = ([x for nodes in part.nodes.values() for x in nodes] for part in (inputs, seeds))
    nodes = {f"fwd_{name}": tuple(forward_product(entries, flat, along)) for name, entries in outputs.nodes.items()}
    return Matrices({f"fwd_{name}": pattern for name, pattern in outputs.patterns.items()}, nodes)


def _reverse(inputs: Matrices, outputs: Matrices, seeds: Matrices) -> Matrices:
    top, weights = ([x for nodes in part.nodes.values() for x in nodes] for part in (outputs, seeds))
    flat = [x for nodes in inputs.nodes.values() for x in nodes]
    slopes = iter(reverse_product(top, flat, weights))
    nodes = {f"adj_{name}": tuple(next(slopes) for _ in own) for name, own in inputs.nodes.items()}
    return Matrices({f"adj_{name}": pattern for name, pattern in inputs.patterns.items()}, nodes)


_HEAD = """#include <math.h>
#include <stddef.h>
#include <string.h>
typedef long long int casadi_int;
#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define NOINLINE __attribute__((noinline))
"""


def _function(name: str, given: Matrices, made: Matrices) -> list[str]:
    """Return the functions by which CasADi calls one and asks about it; it leaves out arrays of zeros and results."""
    statements = listing(Program(name, given.arrays(), made.arrays()), _C, None)
    cut, kept = parts(statements, _LONGEST, "kept")
    inputs, outputs = ([x.name for x in each] for each in (statements.inputs, statements.outputs))
    declared = ", ".join([*(f"const double *{x}" for x in inputs), *(f"double *{x}" for x in outputs)])
    lines = []
    for k, part in enumerate(cut):
        lines += [f"static NOINLINE void {name}_part{k}({declared}, double *restrict kept)", "{"]
        lines += [*written(part, _C, "    "), "}"]
    sizes = [len(nodes) for nodes in made.nodes.values()]
    most = max([1, *(len(nodes) for nodes in given.nodes.values())])
    results = [f"res[{k}] ? res[{k}] : w + {sum(sizes[:k])}" for k in range(len(sizes))]
    pointers = ", ".join([*(f"a{k}" for k in range(len(inputs))), *(f"r{k}" for k in range(len(outputs)))])
    return [
        *lines,
        f"EXPORT int {name}(const double **arg, double **res, casadi_int *iw, double *w, int mem) {{",
        f"    static const double zeros[{most}] = {{0}};",
        *(f"    const double *a{k} = arg[{k}] ? arg[{k}] : zeros;" for k in range(len(inputs))),
        *(f"    double *r{k} = {result};" for k, result in enumerate(results)),
        *(
            f"    memset(r{outputs.index(x.name)}, 0, sizeof(double[{x.array.shape.size}]));"
            for x in statements.cleared
        ),
        *(f"    {name}_part{k}({pointers}, w + {sum(sizes)});" for k in range(len(cut))),
        "    return 0;",
        "}",
        *_questions(name, given, made, sum(sizes) + kept),
    ]


def _questions(name: str, given: Matrices, made: Matrices, work: int) -> list[str]:
    """Return the functions that say what a function takes and gives, and how many numbers it needs to work with."""
    return [
        f"EXPORT casadi_int {name}_n_in(void) {{ return {len(given.nodes)}; }}",
        f"EXPORT casadi_int {name}_n_out(void) {{ return {len(made.nodes)}; }}",
        f"EXPORT int {name}_work(casadi_int *a, casadi_int *r, casadi_int *i, casadi_int *w) {{",
        f"    if (a) *a = {len(given.nodes)};",
        f"    if (r) *r = {len(made.nodes)};",
        "    if (i) *i = 0;",
        f"    if (w) *w = {work};",
        "    return 0;",
        "}",
        *_names(f"{name}_name_in", [*given.nodes]),
        *_names(f"{name}_name_out", [*made.nodes]),
        *_sparsities(f"{name}_sparsity_in", [*given.patterns.values()]),
        *_sparsities(f"{name}_sparsity_out", [*made.patterns.values()]),
    ]


def _names(function: str, names: Sequence[str]) -> list[str]:
    cases = [f'    case {k}: return "{name}";' for k, name in enumerate(names)]
    return [
        f"EXPORT const char *{function}(casadi_int k) {{",
        "    switch (k) {",
        *cases,
        "    default: return NULL;",
        "    }",
        "}",
    ]


def _sparsities(function: str, patterns: Sequence[Pattern]) -> list[str]:
    lines = [f"EXPORT const casadi_int *{function}(casadi_int k) {{"]
    for k, (rows, columns, places) in enumerate(patterns):
        starts = [sum(j < column for _, j in places) for column in range(columns + 1)]
        numbers = [rows, columns, *starts, *(i for i, _ in places)]
        lines.append(f"    static const casadi_int s{k}[] = {{{', '.join(map(str, numbers))}}};")
    cases = [f"    case {k}: return s{k};" for k in range(len(patterns))]
    return [*lines, "    switch (k) {", *cases, "    default: return NULL;", "    }", "}"]
