"""What runs code in languages that print their numbers: a main program around the functions, by a table."""

import ast
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from tauforge import Program
from tauforge.targets import TARGETS
from tauforge.targets.go import exported

from .programs import Values, states
from .runners import Programs, Results, read, require, run_scilab, tool


@dataclass(frozen=True)
class Driver:
    """How a language's main program is written and run.

    In the templates, {name} is the function, {Name} the same with a capital, {package} without underscores; {var} is a
    variable, {size} its size, {numbers} its values; {all} are the variables of a call, {inputs} and {outputs} apart.

    Attributes
    ----------
    needs
        The tools and modules without which the test is skipped.
    file
        The main program: ``start``, then for each Program ``opening``, its statements, ``closing``, then ``end``.
        IMPORTS and CALLS in them stand for a line for each Program, ``imported`` and ``called``.
    pointer, filled
        How an input and an output are passed.
    array, made, call, show
        Declare an input and an output, call the function, and print {label} and the numbers of an output.
    run
        The commands; the last one prints.
    """

    needs: Sequence[str]
    file: str
    run: Sequence[Sequence[str]]
    array: str
    call: str
    show: str
    made: str = ""
    start: str = ""
    end: str = ""
    opening: str = ""
    closing: str = ""
    imported: str = ""
    called: str = ""
    number: Callable[[float], str] = repr
    pointer: str = "{0}"
    filled: str = ""
    packaged: bool = False
    environment: dict[str, str] = field(default_factory=dict)


def run_driver(folder: Path, programs: Programs, target: str, driver: Driver) -> Results:
    """Write the functions and the main program, run it, and read what it prints."""
    require(*driver.needs)
    ending = TARGETS[target.partition(":")[0]].ending
    for name, program in programs.items():
        place = folder / _names(name)["package"] if driver.packaged else folder
        place.mkdir(exist_ok=True)
        program.write(place / f"{name}{ending}", target=target)
    lines = [driver.start, *(x for name, program in programs.items() for x in _part(name, program, driver)), driver.end]
    text = "\n".join(lines)
    for word, template in (("IMPORTS", driver.imported), ("CALLS", driver.called)):
        text = text.replace(word, "\n".join(template.format(**_names(name)) for name in programs))
    (folder / driver.file).write_text(text)
    printed = ""
    for first, *rest in driver.run:
        command = [str(folder / first) if first.startswith("./") else first, *rest]
        printed = tool(command, folder, env={**os.environ, **driver.environment})
    return read(printed, programs)


def _names(name: str) -> dict[str, str]:
    return {"name": name, "Name": exported(name), "package": name.replace("_", "").lower()}


def _part(name: str, program: Program, driver: Driver) -> Iterator[str]:
    """Yield the lines of the main program about one Program."""
    yield driver.opening.format(**_names(name))
    for k, state in enumerate(states(name, program)):
        given = {f"g{k}x{i}": state[key] for i, key in enumerate(program.arguments)}
        made = {f"m{k}x{i}": array for i, array in enumerate(program.results.values())}
        for variable, values in given.items():
            numbers = ", ".join(map(driver.number, values))
            yield driver.array.format(var=variable, size=len(values), numbers=numbers)
        for variable, array in made.items():
            yield driver.made.format(var=variable, size=len(array.nodes))
        inputs = [driver.pointer.format(x) for x in given]
        outputs = [(driver.filled or driver.pointer).format(x) for x in made]
        known = {"inputs": ", ".join(inputs), "outputs": ", ".join(outputs), "all": ", ".join([*inputs, *outputs])}
        yield driver.call.format(**_names(name), **known)
        for variable, key in zip(made, program.results, strict=True):
            yield driver.show.format(label=f"{name} {k} {key}", var=variable)
    yield driver.closing.format(**_names(name))


EIGEN = "/usr/include/eigen3"
WARNINGS = ["-O1", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
_SHOW = """
template <class X> static void show(const char* label, const X& x) {
    std::printf("%s", label);
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); i++) std::printf(" %.17g", double(x.data()[i]));
    std::printf("\\n");
}
"""
_CPP = {
    "file": "main.cpp",
    "start": "#include <cstdio>\n#include <Eigen/Core>\nIMPORTS\n" + _SHOW,
    "opening": "static void run_{name}() {{",
    "closing": "}}",
    "end": "int main() {\nCALLS\n}\n",
    "imported": '#include "{name}.hpp"',
    "called": "    run_{name}();",
    "show": '    show("{label}", {var});',
}


_TSC = shutil.which("tsc") or str(Path(sys.prefix, "node", "node_modules", ".bin", "tsc"))


def _c(compiler: Sequence[str], run: Sequence[str], scalar: str = "double") -> Driver:
    show = (
        f"static void show(const char *label, const {scalar} *x, int size) {{\n"
        '    printf("%s", label);\n'
        '    for (int i = 0; i < size; i++) printf(" %.17g", (double)x[i]);\n'
        '    printf("\\n");\n}'
    )
    return Driver(
        needs=(compiler[0], run[0]) if run[0] != "./run" else (compiler[0],),
        file="main.c",
        run=([*compiler, "-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", "main.c", "-lm", "-o", "run"], run),
        start=f"#include <stdio.h>\nIMPORTS\n{show}",
        imported='#include "{name}.c"',
        opening="static void run_{name}(void) {{",
        closing="}}",
        called="    run_{name}();",
        end="int main(void) {\nCALLS\n    return 0;\n}\n",
        array=f"    static const {scalar} {{var}}[{{size}}] = {{{{{{numbers}}}}}};",
        made=f"    {scalar} {{var}}[{{size}}];",
        call="    {name}({all});",
        number="{0!r}f".format if scalar == "float" else repr,
        show='    show("{label}", {var}, (int)(sizeof {var}/sizeof *{var}));',
    )


RUSTC = "rustc>=1.82"
"""The first that takes `unsafe extern`, which edition 2024 asks for."""


def _rust(edition: str) -> Driver:
    return Driver(
        needs=(RUSTC,),
        file="main.rs",
        run=(["rustc", f"--edition={edition}", "-Dwarnings", "-Copt-level=1", "main.rs", "-o", "run"], ["./run"]),
        start="IMPORTS\nfn show(label: &str, x: &[f64]) {\n"
        '    print!("{}", label);\n    for v in x { print!(" {:e}", v); }\n    println!();\n}',
        imported='#[path = "{name}.rs"] mod m_{name};',
        opening="#[allow(non_snake_case)] fn run_{name}() {{",
        closing="}}",
        called="run_{name}();",
        end="fn main() {\nCALLS\n}\n",
        array="    let {var}: [f64; {size}] = [{numbers}];",
        made="    let mut {var} = [0.0_f64; {size}];",
        pointer="&{0}",
        filled="&mut {0}",
        call="    m_{name}::{name}({all});",
        show='    show("{label}", &{var});',
    )


ARM64 = _c(["aarch64-linux-gnu-gcc", "-static"], ["qemu-aarch64", "./run"])
RISCV64 = _c(["riscv64-linux-gnu-gcc", "-static"], ["qemu-riscv64", "./run"])
SINGLE = _c(["gcc", "-Wdouble-promotion", "-Wconversion"], ["./run"], "float")
OWN = _c(["gcc", "-Wconversion", "-I", str(Path(__file__).parent)], ["./run"], "real_t")
DRIVERS = {
    "c aarch64": ARM64,
    "c riscv64": RISCV64,
    "c:float": SINGLE,
    "c:real_t": OWN,
    "cpp": Driver(
        needs=("g++", EIGEN),
        run=(["g++", "-std=c++17", *WARNINGS, "-isystem", EIGEN, "main.cpp", "-o", "run"], ["./run"]),
        array="    const std::array<double, {size}> {var}{{{numbers}}};",
        made="    std::array<double, {size}> {var}{{}};",
        pointer="{0}.data()",
        call="    {name}::evaluate({all});",
        **_CPP,
    ),
    "cpp span": Driver(
        needs=("clang++", EIGEN),
        run=(["clang++", "-std=c++20", *WARNINGS, "-isystem", EIGEN, "main.cpp", "-o", "run"], ["./run"]),
        array="    const std::array<double, {size}> {var}{{{numbers}}};",
        made="    std::array<double, {size}> {var}{{}};",
        pointer="std::span({0})",
        call="    {name}::evaluate({all});",
        **_CPP,
    ),
    "javascript": Driver(
        needs=("node",),
        file="main.mjs",
        run=(["node", "main.mjs"],),
        start="import fs from 'fs';\n"
        "const load = name =>\n"
        "    import('data:text/javascript;base64,' + fs.readFileSync(`${name}.js`).toString('base64'));",
        opening="{{ const {{ {name} }} = await load('{name}');",
        closing="}}",
        array="const {var} = [{numbers}];",
        made="const {var} = new Float64Array({size});",
        call="{name}({all});",
        show="console.log(['{label}', ...{var}].join(' '));",
    ),
    "typescript": Driver(
        needs=("node", _TSC),
        file="main.ts",
        run=(
            [
                _TSC,
                "--strict",
                "--noUnusedLocals",
                "--target",
                "es2022",
                "--module",
                "es2022",
                "--outDir",
                "out",
                "main.ts",
            ],
            ["node", "--experimental-default-type=module", "out/main.js"],
        ),
        start="declare const console: { log(text: string): void };\nIMPORTS",
        imported="import {{ {name} }} from './{name}.js';",
        array="const {{var}}: number[] = [{numbers}];".replace("{{var}}", "{var}"),
        made="const {var} = new Float64Array({size});",
        opening="{{",
        closing="}}",
        call="{name}({all});",
        show="console.log(['{label}', ...{var}].join(' '));",
    ),
    "rust": _rust("2021"),
    "rust 2024": _rust("2024"),
    "go": Driver(
        needs=("go",),
        file="main.go",
        run=(["go", "mod", "init", "conformance"], ["go", "build", "-o", "run", "."], ["./run"]),
        packaged=True,
        environment={"GOPROXY": "off"},
        start='package main\n\nimport (\n    "fmt"\nIMPORTS\n)\n\n'
        "func show(label string, x []float64) {\n    fmt.Print(label)\n    for _, v := range x {\n"
        '        fmt.Printf(" %.17g", v)\n    }\n    fmt.Println()\n}\n',
        imported='    "conformance/{package}"',
        opening="func run_{name}() {{",
        closing="}}\n",
        called="    run_{name}()",
        end="func main() {\nCALLS\n}\n",
        array="    {var} := [{size}]float64{{{numbers}}}",
        made="    var {var} [{size}]float64",
        pointer="&{0}",
        call="    {package}.{Name}({all})",
        show='    show("{label}", {var}[:])',
    ),
    "java": Driver(
        needs=("javac", "java"),
        file="Main.java",
        run=(["javac", "-Xlint:all", "-Werror", "-d", "out", "Main.java"], ["java", "-cp", "out", "Main"]),
        start="class Main {\n    static void show(String label, double[] x) {\n"
        "        StringBuilder line = new StringBuilder(label);\n"
        "        for (double v : x) line.append(' ').append(v);\n        System.out.println(line);\n    }",
        opening="    static void run_{name}() {{",
        closing="    }}",
        called="        run_{name}();",
        end="    public static void main(String[] arguments) {\nCALLS\n    }\n}\n",
        array="        double[] {var} = {{{numbers}}};",
        made="        double[] {var} = new double[{size}];",
        call="        {name}.evaluate({all});",
        show='        show("{label}", {var});',
    ),
    "csharp": Driver(
        needs=("mcs", "mono"),
        file="Main.cs",
        run=(["mcs", "-warnaserror", "-out:run.exe", "-recurse:*.cs"], ["mono", "run.exe"]),
        start="static class EntryPoint {\n    static void show(string label, double[] x) {\n"
        "        System.Console.Write(label);\n"
        "        var neutral = System.Globalization.CultureInfo.InvariantCulture;\n"
        '        foreach (var v in x) System.Console.Write(" " + v.ToString("R", neutral));\n'
        "        System.Console.WriteLine();\n    }",
        opening="    static void run_{name}() {{",
        closing="    }}",
        called="        run_{name}();",
        end="    public static void Main() {\nCALLS\n    }\n}\n",
        array="        double[] {var} = {{{numbers}}};",
        made="        double[] {var} = new double[{size}];",
        call="        {name}.Evaluate({all});",
        show='        show("{label}", {var});',
    ),
}


def _nested(values: list[float], shape: tuple[int, ...], brackets: str, number: Callable[[float], str]) -> str:
    """Spell an array as lists of lists."""
    if not shape:
        return number(values[0])
    size = len(values) // shape[0] if shape[0] else 0
    rows = (values[i * size : (i + 1) * size] for i in range(shape[0]))
    return brackets[0] + ", ".join(_nested(row, shape[1:], brackets, number) for row in rows) + brackets[1]


def _calls(programs: Programs, brackets: str, number: Callable[[float], str]) -> Iterator[tuple[str, int, list[str]]]:
    """Yield each Program and state with its arguments as lists."""
    for name, program in programs.items():
        for k, state in enumerate(states(name, program)):
            yield name, k, [_nested(state[x], a.shape, brackets, number) for x, a in program.arguments.items()]


def _several(text: str, program: Program) -> Values:
    """Return the numbers of lists that were printed, one list if there is one output."""
    made = ast.literal_eval(re.sub(r"\s", "", text).replace("System`Indeterminate", "1e999"))
    return {
        key: [float("nan") if abs(v) == float("inf") else v for v in np.ravel(x).tolist()]
        for key, x in zip(program.results, made if len(program.results) > 1 else [made], strict=True)
    }


def run_maxima(folder: Path, programs: Programs) -> Results:
    require("maxima")
    script = ["linel: 1000000$"]
    for name, program in programs.items():
        program.write(folder / f"{name}.mac")
        script.append(f'load("{name}.mac")$')
    for name, k, given in _calls(programs, "[]", repr):
        script.append(f"R: {name}({', '.join(given)})$")
        several = len(programs[name].results) > 1
        for i, key in enumerate(programs[name].results):
            script.append(f'printf(true, "{name} {k} {key}~{{ ~a~}}~%", flatten([R{f"[{i + 1}]" * several}]))$')
    (folder / "everything.mac").write_text("\n".join(script))
    text = tool(["maxima", "--very-quiet", "--batch-string", 'load("everything.mac")$'], folder)
    return read("\n".join(text.splitlines()[2:]), programs)


def run_mathematica(folder: Path, programs: Programs) -> Results:
    """Run everything in Mathics."""
    require("mathics")
    from mathics.core.load_builtin import import_and_load_builtins
    from mathics.session import MathicsSession

    import_and_load_builtins()
    session = MathicsSession(add_builtin=True, catch_interrupt=False)
    for name, program in programs.items():
        session.evaluate(f'Get["{program.write(folder / f"{name}.wl")}"]')
    found: Results = {name: [] for name in programs}
    for name, _, given in _calls(programs, "{}", lambda x: repr(x).replace("e", "*^")):
        made = str(session.evaluate(f"{name.replace('_', '$')}[{', '.join(given)}]"))
        found[name].append(_several(made.translate(str.maketrans("{}", "[]")), programs[name]))
    return found


def run_maple(folder: Path, programs: Programs) -> Results:
    """Run everything in Giac, in its Maple mode, where signum has another name."""
    require("giac")
    script = ["maple_mode(1);", "Digits:=17;", "signum:=sign;"]
    for name, program in programs.items():
        program.write(folder / f"{name}.mpl")
        script.append(f'read("{name}.mpl");')
    for name, _, given in _calls(programs, "[]", repr):
        script.append(f'fprint(made,"{name} "+string({name}({", ".join(given)}))+"\\n");')
    script = [*script[:3], 'made:=fopen("made.txt");', *script[3:], "fclose(made);"]
    tool(["giac"], folder, input="\n".join(script))
    found: Results = {name: [] for name in programs}
    for line in (folder / "made.txt").read_text().replace('"', "").splitlines():
        name, made = line.split(maxsplit=1)
        found[name].append(_several(re.sub(r"0\.-0+", "0.0", made), programs[name]))  # how it writes a negative zero
    return found


RUNNERS = {name: partial(run_driver, target=name.split()[0], driver=driver) for name, driver in DRIVERS.items()} | {
    "scilab": run_scilab,
    "maxima": run_maxima,
    "maple": run_maple,
    "mathematica": run_mathematica,
}

STANDINS = {
    "maple": {"awkward", "hostile", "every_function"},  # names and functions that Maple has and Giac has not
    "mathematica": {"awkward", "endless"},  # minutes in Mathics
    "c:float": {"every_function", "endless", "awkward"},  # numbers that a float cannot hold, and long sums
}
"""Programs that a type, or the stand-in for a language's own tool, cannot run."""
FLOAT = 1e-5
"""How right code in float is."""
