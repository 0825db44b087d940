"""Projects of libraries: CMake, Cargo, ROS 2, a Python extension."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import ProgramError
from ..models.bias import friction, gravity
from ..program.array import Array
from .numbers import STATES, braces, c_test, numbers
from .project import Files, Order, filled, together


def cmake(order: Order) -> Files:
    name, program = order.name, order.program
    code = {
        f"src/{name}.c": f'#include "{name}.h"\n' + program.code("c", name),
        f"include/{name}.h": program.code("header", name),
        f"include/{name}.hpp": program.code("cpp", f"{name}_cpp"),
        "tests/numbers.c": c_test(program, name, robot=order.robot),
    }
    return together(filled("cmake", order), code)


def cargo(order: Order) -> Files:
    name, program = order.name, order.program
    code = {
        "src/lib.rs": f"//! {order.title}.\n#![no_std]\n\nmod {name};\npub use {name}::{name};\n",
        f"src/{name}.rs": program.code("rust", name),
        "tests/numbers.rs": _rust_test(order),
    }
    return together(filled("cargo", order), code)


def _rust_test(order: Order) -> str:
    name, found = order.name, numbers(order.program, robot=order.robot)
    lines = []
    for group, arrays in (("GIVEN", found.given), ("WANTED", found.wanted)):
        for key, values in arrays.items():
            kind = f"[[f64; {values.shape[1]}]; {STATES}]"
            lines.append(f"const {group}_{key.upper()}: {kind} = {braces(values, brackets='[]')};")
    given = [f"&GIVEN_{key.upper()}[k]" for key in found.given]
    made = [f"&mut {key}" for key in found.wanted]
    lines += ["", "#[test]", "#[allow(non_snake_case)]", "fn numbers() {", f"    for k in 0..{STATES} {{"]
    lines += [f"        let mut {key} = [0.0_f64; {x.shape[1]}];" for key, x in found.wanted.items()]
    lines.append(f"        {name}::{name}({', '.join([*given, *made])});")
    for key, values in found.wanted.items():
        scale = float(abs(values).max(initial=0.0)) or 1.0
        lines += [
            f"        for (found, wanted) in {key}.iter().zip(WANTED_{key.upper()}[k].iter()) {{",
            f"            assert!((found - wanted).abs() <= 1e-12*{scale!r});",
            "        }",
        ]
    return "\n".join([*lines, "    }", "}", ""])


def ros2(order: Order) -> Files:
    """Return a package with the function, the torques that hold the robot, and a plugin."""
    name, program = order.name, order.program
    if [*program.arguments] != ["q", "qd", "qdd"] or [*program.results] != ["tau"]:
        raise ProgramError("a ROS 2 package has the inverse dynamics of a robot whose parameters all have values")
    parts = {name: program, f"{name}_gravity": gravity(order.robot), f"{name}_friction": friction(order.robot)}
    more = {
        "dof": str(len(program.results["tau"].nodes)),
        "positions": str(len(program.arguments["q"].nodes)),
        "start": ", ".join(map(repr, order.start())),
        "read": ", ".join(f"{key}.data()" for key in parts[f"{name}_friction"].arguments),
    }
    files = filled("ros2", order, more)
    for key, part in parts.items():
        test = "numbers" if key == name else key.removeprefix(f"{name}_")
        code = {
            f"src/{key}.c": f'#include "{name}/{key}.h"\n' + part.code("c", key),
            f"include/{name}/{key}.h": part.code("header", key),
            f"test/{test}.c": c_test(part, key, robot=order.robot).replace(f'"{key}.h"', f'"{name}/{key}.h"'),
        }
        files = together(files, code)
    return files


def python_extension(order: Order) -> Files:
    name, program = order.name, order.program
    inputs, outputs = [*program.arguments.items()], [*program.results.items()]
    found = numbers(program, robot=order.robot)
    rows = [f"    {key!r}: {values.tolist()!r}," for key, values in (*found.given.items(), *found.wanted.items())]
    words = {
        "pointers": ", ".join(
            [f"(const double *)views[{i}].buf + k*{len(a.nodes)}" for i, (_, a) in enumerate(inputs)]
            + [f"(double *)views[{i}].buf + k*{len(a.nodes)}" for i, (_, a) in enumerate(outputs, len(inputs))]
        ),
        "inputs": str(len(inputs)),
        "arrays": str(len(inputs) + len(outputs)),
        "sizes": ", ".join(str(len(a.nodes)) for _, a in (*inputs, *outputs)),
        "arguments": ", ".join(key for key, _ in inputs),
        "given": _shapes(inputs),
        "made": _shapes(outputs),
        "numbers": "\n".join(rows),
    }
    code = {
        f"src/{name}/_{name}_code.c": program.code("c", f"{name}_code"),
        f"src/{name}/_{name}_code.h": program.code("header", f"{name}_code"),
    }
    return together(filled("python-extension", order, words), code)


def _shapes(arrays: Iterable[tuple[str, Array]]) -> str:
    return "{" + ", ".join(f"{key!r}: {tuple(array.shape)!r}" for key, array in arrays) + "}"
