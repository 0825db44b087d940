"""Projects around a device: Simulink's block, a microcontroller's library, a page in the browser."""

from __future__ import annotations

import json

from ..program.program import PARAMETERS
from ..runtime.ahead import wasm as module
from .numbers import STATES, braces, c_test, numbers
from .project import Files, Order, filled, together


def simulink(order: Order) -> Files:
    name, program = order.name, order.program
    sizes = [[len(array.nodes) for array in arrays.values()] for arrays in (program.arguments, program.results)]
    signals = [f"(const double *)ssGetInputPortSignal(S, {i})" for i in range(len(sizes[0]))]
    signals += [f"(double *)ssGetOutputPortSignal(S, {i})" for i in range(len(sizes[1]))]
    words = {
        "inputs": str(len(sizes[0])),
        "outputs": str(len(sizes[1])),
        "in": ", ".join(map(str, sizes[0])),
        "out": ", ".join(map(str, sizes[1])),
        "signals": ", ".join(signals),
    }
    code = {
        f"{name}.c": f'#include "{name}.h"\n' + program.code("c", name),
        f"{name}.h": program.code("header", name),
        "test/harness.c": _harness(order),
    }
    return together(filled("simulink", order, words), code)


def _harness(order: Order) -> str:
    """Return the test of numbers with the S-function's ports between it and the function."""
    name, program = order.name, order.program
    call = f"        {name}("
    lines = []
    for line in c_test(program, name, robot=order.robot).splitlines():
        if line.startswith(call):
            arguments = line.removeprefix(call).removesuffix(");").split(", ")
            given = len(program.arguments)
            lines += [f"        S.given[{i}] = {x};" for i, x in enumerate(arguments[:given])]
            lines += [f"        S.made[{i}] = {x};" for i, x in enumerate(arguments[given:])]
            lines.append("        outputs(&S);")
        elif line.startswith(f'#include "{name}.h"'):
            lines.append(f'#include "{name}_sfun.c"')
        elif line.startswith("    double worst"):
            lines += [line, "    SimStruct S;", "    start(&S);"]
        elif line.startswith("    return"):
            lines += ["    terminate(&S);", line]
        else:
            lines.append(line)
    return "\n".join([*lines, ""])


def arduino(order: Order) -> Files:
    name, program = order.name, order.program
    found = numbers(program, single=True, robot=order.robot)
    given = [
        f"static const float GIVEN_{k}[{STATES}][{x.shape[1]}] = {braces(x, 'f')};" for k, x in found.given.items()
    ]
    made = [f"static float {key}_[{x.shape[1]}];" for key, x in found.wanted.items()]
    first = [
        f"static float {key}[] = {{{', '.join(f'{v!r}f' for v in x[0].tolist())}}};" for key, x in found.given.items()
    ]
    made_first = [f"static float {key}[{x.shape[1]}];" for key, x in found.wanted.items()]
    words = {
        "given": "\n".join(given),
        "made": "\n".join(made),
        "states": str(STATES),
        "arrays": "\n".join([*first, *made_first, ""]),
        "first": next(iter(found.wanted)),
        "touches": " ".join(f"touch({key});" for key in found.given),
    }
    calls = {
        "cortex": ", ".join([*(f"GIVEN_{key}[k]" for key in found.given), *(f"{key}_" for key in found.wanted)]),
        "sketch": ", ".join([*found.given, *found.wanted]),
    }
    files = filled("arduino", order, words | {"call": calls["cortex"]})
    sketch = f"examples/{name}/{name}.ino"
    files[sketch] = filled("arduino", order, words | {"call": calls["sketch"]})[sketch]
    code = {
        f"src/{name}.c": f'#include "{name}.h"\n' + program.code("c:float", name),
        f"src/{name}.h": program.code("header:float", name),
        "test/numbers.c": c_test(program, name, "float", 1e-5, order.robot),
    }
    return together(files, code)


def wasm(order: Order) -> Files:
    """Return a WebAssembly module, what loads it, and a page that runs and times it."""
    name, program = order.name, order.program
    found = numbers(program, robot=order.robot)
    arrays = {
        "inputs": {key: len(array.nodes) for key, array in program.arguments.items()},
        "outputs": {key: len(array.nodes) for key, array in program.results.items()},
    }
    given = {key: (x[0] if key == PARAMETERS else x).ravel().tolist() for key, x in found.given.items()}  # once for all
    wanted = {key: x.ravel().tolist() for key, x in found.wanted.items()}
    words = {
        "arrays": json.dumps(arrays),
        "numbers": json.dumps({"states": STATES, "given": given, "wanted": wanted}),
        "shared": json.dumps(PARAMETERS),
        "arguments": ", ".join(program.arguments),
    }
    return together(filled("wasm", order, words), {f"{name}.wasm": module(program, name)})
