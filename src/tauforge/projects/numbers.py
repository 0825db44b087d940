"""The numbers that a project's test compares with: random states, and what the compiled function finds there."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..program.program import PARAMETERS, Program
from ..robot.robot import Robot

STATES = 8
TRIED = 64
"""States among which those of a test in single precision are chosen."""
ROUNDING = 1e-6
"""How much rounding may amount to in these, relative to a state's largest result: a tenth of the tolerance."""


class Numbers(NamedTuple):
    """Inputs and outputs by name, each of shape (states, entries)."""

    given: dict[str, NDArray[Any]]
    wanted: dict[str, NDArray[Any]]


def numbers(program: Program, single: bool = False, robot: Robot | None = None) -> Numbers:
    """Return states with the same parameters and their results, for code in double or in single precision.

    The robot's loops are closed in them. In single precision states are left out, as long as there are enough others,
    where rounding alone takes a part of the tolerance: near singular ones, and those where large terms cancel.
    """
    random = Random(program.name)
    count = TRIED if single and not program.repeat else STATES
    given = {}
    for name, array in program.arguments.items():
        rows = [[random.uniform(-1.0, 1.0) for _ in array.nodes] for _ in range(count)]
        if name == PARAMETERS:
            rows = [[random.uniform(0.2, 1.2) for _ in array.nodes]] * count
        values = np.array(rows).reshape(count, len(array.nodes))
        given[name] = values.astype(np.float32).astype(float) if single else values
    if robot is not None and robot.loops and "q" in given and given["q"].shape[1] == len(robot.coordinate_names):
        given["q"] = _closed(robot, given["q"])
        given["q"] = given["q"].astype(np.float32).astype(float) if single else given["q"]
    wanted = _results(program, given, "float64")
    if not all(np.isfinite(x).all() for x in wanted.values()):
        raise ProgramError(f"{program.name} has no numbers at random states, so that no project can test it")
    if count == STATES:
        return Numbers(given, wanted)
    found = _results(program, given, "float32")
    off = np.zeros(count)
    for name, values in wanted.items():
        scale = np.abs(values).max(axis=1, initial=0.0)
        worst = np.abs(found[name] - values).max(axis=1, initial=0.0)
        off = np.maximum(off, np.divide(worst, scale, out=np.zeros(count), where=scale > 0.0))
    order = np.argsort(np.where(off <= ROUNDING, 0.0, off), kind="stable")[:STATES]
    return Numbers({key: x[order] for key, x in given.items()}, {key: x[order] for key, x in wanted.items()})


def _results(program: Program, given: dict[str, NDArray[Any]], dtype: str) -> dict[str, NDArray[Any]]:
    arrays = (
        x.astype(dtype).reshape(-1, *a.shape) for x, a in zip(given.values(), program.arguments.values(), strict=True)
    )
    with np.errstate(all="ignore"):
        found = program.compile(dtype=dtype)(*arrays)
    several = found if len(program.results) > 1 else (found,)
    return {
        key: np.reshape(np.asarray(x, float), (-1, len(array.nodes)))
        for (key, array), x in zip(program.results.items(), several, strict=True)
    }


def _closed(robot: Robot, near: NDArray[Any]) -> NDArray[Any]:
    """Return closed states, each from a guess between the usual one and a random one."""
    from ..geometry.close_loops import close_loops

    usual = np.asarray(close_loops(robot, None), float)
    rows = []
    for row in near:
        try:
            rows.append(np.asarray(close_loops(robot, None, guess=usual + 0.5 * row), float))
        except ProgramError:
            rows.append(usual)
    return np.array(rows)


def braces(values: NDArray[Any], suffix: str = "", brackets: str = "{}") -> str:
    """Return an array as nested lists of a language, one row per line."""
    rows = [", ".join(f"{x!r}{suffix}" for x in row) for row in values.tolist()]
    inner = ",\n".join(f"    {brackets[0]}{row}{brackets[1]}" for row in rows)
    return f"{brackets[0]}\n{inner}\n{brackets[1]}"


def c_test(
    program: Program, name: str, scalar: str = "double", tolerance: float = 1e-12, robot: Robot | None = None
) -> str:
    """Return a main program in C that compares the function with the numbers, and says by how much it is off."""
    found = numbers(program, scalar == "float", robot)
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
