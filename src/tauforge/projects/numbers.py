"""The numbers that a project's test compares with: random states, and what the compiled function finds there."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..program.program import PARAMETERS, Program

STATES = 8


class Numbers(NamedTuple):
    """Inputs and outputs by name, each of shape (states, entries)."""

    given: dict[str, NDArray[Any]]
    wanted: dict[str, NDArray[Any]]


def numbers(program: Program, single: bool = False) -> Numbers:
    """Return states with the same parameters and their results, for code in double or in single precision."""
    random = Random(program.name)
    given = {}
    for name, array in program.arguments.items():
        rows = [[random.uniform(-1.0, 1.0) for _ in array.nodes] for _ in range(STATES)]
        if name == PARAMETERS:
            rows = [[random.uniform(0.2, 1.2) for _ in array.nodes]] * STATES
        values = np.array(rows).reshape(STATES, len(array.nodes))
        given[name] = values.astype(np.float32).astype(float) if single else values
    found = program.compile()(
        *(x.reshape(STATES, *a.shape) for x, a in zip(given.values(), program.arguments.values(), strict=True))
    )
    several = found if len(program.results) > 1 else (found,)
    wanted = {key: np.reshape(x, (STATES, -1)) for key, x in zip(program.results, several, strict=True)}
    if not all(np.isfinite(x).all() for x in wanted.values()):
        raise ProgramError(f"{program.name} has no numbers at random states, so that no project can test it")
    return Numbers(given, wanted)


def braces(values: NDArray[Any], suffix: str = "", brackets: str = "{}") -> str:
    """Return an array as nested lists of a language, one row per line."""
    rows = [", ".join(f"{x!r}{suffix}" for x in row) for row in values.tolist()]
    inner = ",\n".join(f"    {brackets[0]}{row}{brackets[1]}" for row in rows)
    return f"{brackets[0]}\n{inner}\n{brackets[1]}"


def c_test(program: Program, name: str, scalar: str = "double", tolerance: float = 1e-12) -> str:
    """Return a main program in C that compares the function with the numbers, and says by how much it is off."""
    found = numbers(program, scalar == "float")
    suffix = "f" if scalar == "float" else ""
    lines = ["#include <float.h>", "#include <math.h>", "#include <stdio.h>", "", f'#include "{name}.h"', ""]
    for group, arrays in (("GIVEN", found.given), ("WANTED", found.wanted)):
        for key, values in arrays.items():
            size = max(values.shape[1], 1)
            lines.append(f"static const {scalar} {group}_{key}[{STATES}][{size}] = {braces(values, suffix)};")
    calls = [f"GIVEN_{key}[k]" for key in found.given] + [f"{key}_" for key in found.wanted]
    lines += [
        "",
        "int main(void)",
        "{",
        "    double worst = 0.0;",
        f"    for (int k = 0; k < {STATES}; k++) {{",
        *(f"        {scalar} {key}_[{max(x.shape[1], 1)}];" for key, x in found.wanted.items()),
        f"        {name}({', '.join(calls)});",
    ]
    for key, values in found.wanted.items():
        scale = float(np.abs(values).max(initial=0.0)) or 1.0
        lines += [
            f"        for (int i = 0; i < {values.shape[1]}; i++) {{",
            f"            const double off = fabs((double){key}_[i] - (double)WANTED_{key}[k][i])/{scale!r};",
            "            if (!(off <= worst) && worst <= DBL_MAX) worst = off; /* a NaN stays */",
            "        }",
        ]
    return "\n".join(
        [
            *lines,
            "    }",
            f'    printf("{name}: worst relative difference %g of {STATES} states\\n", worst);',
            f"    return worst <= {tolerance!r} ? 0 : 1;",
            "}",
            "",
        ]
    )
