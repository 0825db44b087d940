"""Sines and cosines in float: as accurate as the angle up to 1e7 rad, and no number beyond, whatever the int."""

import ctypes
import re

import numpy as np
import pytest

from tauforge import Program
from tauforge.graph.functions import cos, sin
from tauforge.program.array import inputs, outputs

from .runners import require, tool

LARGEST = 1e7
BEYOND = [1.0000001e7, 5e7, 1e8, 2.2e9, 3e9, 1e20, 3.4e38, np.inf, np.nan]


def program() -> Program:
    q = inputs("q", ["x"], "an angle")
    x = q.nodes[0]
    return Program("sines", {"q": q}, {"y": outputs([sin(x), cos(x)], [2], [], "its sine and cosine")})


@pytest.mark.parametrize("flags", [["-O0"], ["-O2", "-fsanitize=undefined", "-fno-sanitize-recover=all"], ["-O3"]])
def test_sines_in_float(flags, tmp_path):
    require("gcc")
    program().write(tmp_path / "sines.c", target="c:float")
    tool(["gcc", "-std=c99", *flags, "-shared", "-fPIC", "sines.c", "-lm", "-o", "sines.so"], tmp_path)
    function = ctypes.CDLL(str(tmp_path / "sines.so")).sines

    def found(values) -> np.ndarray:
        made = np.empty((len(values), 2), np.float32)
        for row, x in zip(made, np.float32(values), strict=True):
            function(np.array([x]).ctypes.data_as(ctypes.c_void_p), row.ctypes.data_as(ctypes.c_void_p))
        return made.astype(float)

    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-3.0, 7.0, 2000)
    angles = np.float32([*sizes, *-sizes, 0.0, LARGEST, -LARGEST, 9999999.0])
    wanted = np.stack([np.sin(angles.astype(float)), np.cos(angles.astype(float))], axis=1)
    allowed = 1.2e-7 + 0.6 * np.spacing(np.abs(angles)).astype(float)
    assert np.all(np.abs(found(angles) - wanted) <= allowed[:, None])
    assert np.isnan(found([*BEYOND, *(-x for x in BEYOND)])).all()


def test_where_an_int_has_16_bits(tmp_path):
    """An angle of 40 000 quarters and more, on a simulated ATmega2560."""
    require("avr-gcc", "simavr")
    program().write(tmp_path / "sines.c", target="c:float")
    (tmp_path / "main.c").write_text(
        "#include <avr/io.h>\n#include <avr/interrupt.h>\n#include <avr/sleep.h>\n#include <stdlib.h>\n"
        "void sines(const float q[1], float y[2]);\n"
        "static void show(float x)\n{\n    char text[20];\n    dtostrf(x, 12, 7, text);\n"
        "    for (char *c = text; *c; c++) { while (!(UCSR0A & (1 << UDRE0))) {} UDR0 = *c; }\n"
        "    while (!(UCSR0A & (1 << UDRE0))) {}\n    UDR0 = '\\n';\n}\n"
        "int main(void)\n{\n    volatile float q[1] = {65000.25f};\n    float y[2];\n    UCSR0B = 1 << TXEN0;\n"
        "    sines((const float *)q, y);\n    show(y[0]);\n    show(y[1]);\n    cli();\n    sleep_enable();\n"
        "    sleep_cpu();\n    return 0;\n}\n"
    )
    tool(["avr-gcc", "-mmcu=atmega2560", "-O2", "sines.c", "main.c", "-lm", "-o", "run.elf"], tmp_path)
    text = tool(["sh", "-c", "timeout 20 simavr -m atmega2560 -f 16000000 run.elf 2>&1"], tmp_path)
    numbers = [float(x) for x in re.findall(r"-?\d\.\d{7}", text)]
    np.testing.assert_allclose(numbers, [np.sin(65000.25), np.cos(65000.25)], atol=1e-5)
