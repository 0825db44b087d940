"""Inverse dynamics in float on a Cortex-M4, in QEMU, which counts instructions: right, and far fewer than by hand."""

import struct
from pathlib import Path

import numpy as np
import pytest

import tauforge as tf

from .runners import require, tool

HERE = Path(__file__).parent / "cortex"
BOARD = Path(tf.__file__).parent / "projects" / "templates" / "arduino" / "test"
GCC = ["arm-none-eabi-gcc", "-O2", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-std=gnu11", "-Wall"]
QEMU = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-icount", "shift=0", "-semihosting-config"]
STATES, TURNS = 40, 25
TICK = 40  # instructions: SysTick runs at 25 MHz, an instruction takes a nanosecond
MAIN = """
#include <stdint.h>
#include <string.h>
#define N {n}
void show(const char *text);
void arm(const float q[N], const float qd[N], const float qdd[N], float tau[N]);
void recursion(const float q[N], const float qd[N], const float qdd[N], float tau[N]);
typedef void Function(const float *, const float *, const float *, float *);
static const float GIVEN[{states}][3][N] = {given};

static void number(uint32_t x, char end)
{{
    char text[10] = {{0}};
    for (int i = 7; i >= 0; i--, x >>= 4) text[i] = "0123456789abcdef"[x & 15];
    text[8] = end;
    show(text);
}}

static void nothing(const float *a, const float *b, const float *c, float *d)
{{
    __asm volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d));
}}

static uint32_t ticks(Function *function)
{{
    float tau[N];
    volatile uint32_t *clock = (volatile uint32_t *)0xE000E010;
    clock[1] = 0xFFFFFF;
    clock[2] = 0;
    clock[0] = 5;
    const uint32_t start = clock[2];
    for (int k = 0; k < {turns}; k++)
        for (int s = 0; s < {states}; s++) function(GIVEN[s][0], GIVEN[s][1], GIVEN[s][2], tau);
    return (start - clock[2]) & 0xFFFFFF;
}}

static void results(Function *function)
{{
    for (int s = 0; s < {states}; s++) {{
        float tau[N];
        uint32_t bits[N];
        function(GIVEN[s][0], GIVEN[s][1], GIVEN[s][2], tau);
        memcpy(bits, tau, sizeof bits);
        for (int i = 0; i < N; i++) number(bits[i], i == N - 1 ? '\\n' : ' ');
    }}
}}

int main(void)
{{
    number(ticks(nothing), ' ');
    number(ticks(arm), ' ');
    number(ticks(recursion), '\\n');
    results(arm);
    results(recursion);
    return 0;
}}
"""


def _c(values) -> str:
    if np.ndim(values):
        return "{" + ", ".join(map(_c, values)) + "}"
    return f"{float(values)!r}f"


def _header(robot: tf.Robot) -> str:
    """Return a chain of revolute joints as constants of C."""
    inertia = [body.inertia for body in robot.bodies]
    tensors = [[[i.XX, i.XY, i.XZ], [i.XY, i.YY, i.YZ], [i.XZ, i.YZ, i.ZZ]] for i in inertia]
    tables = {
        **{name.upper(): [getattr(joint, name) for joint in robot.joints] for name in ("d", "r", "theta")},
        "SA": [np.sin(float(joint.alpha)) for joint in robot.joints],
        "CA": [np.cos(float(joint.alpha)) for joint in robot.joints],
        "MASS": [i.M for i in inertia],
        "MOMENT": [[i.MX, i.MY, i.MZ] for i in inertia],
        "INERTIA": tensors,
        "GRAVITY": robot.gravity,
    }
    lines = [f"#define N {robot.dof}"]
    for name, values in tables.items():
        shape = "".join(f"[{size}]" for size in np.shape(values))
        lines.append(f"static const float {name}{shape} = {_c(np.array(values, dtype=float))};")
    return "\n".join(lines) + "\n"


def measure(robot: tf.Robot, folder: Path) -> tuple[int, int, np.ndarray, np.ndarray, np.ndarray]:
    """Return instructions of generated code and of the recursion, what they find, and what is right."""
    require("arm-none-eabi-gcc", "qemu-system-arm")
    program = tf.inverse_dynamics(robot)
    program.write(folder / "arm.c", target="c:float")
    given = np.random.default_rng(0).uniform(-3, 3, (STATES, 3, robot.dof)).astype(np.float32)
    (folder / "robot.h").write_text(_header(robot))
    (folder / "main.c").write_text(MAIN.format(n=robot.dof, states=STATES, turns=TURNS, given=_c(given)))
    files = [str(BOARD / "start.c"), str(HERE / "recursion.c"), "main.c", "arm.c"]
    linked = ["-I.", "-nostartfiles", "-T", str(BOARD / "mps2.ld"), "-lm", "-o", "arm.elf"]
    tool([*GCC, *files, *linked], folder)
    tool([*QEMU, "enable=on,chardev=out", "-chardev", "file,id=out,path=out.txt", "-kernel", "arm.elf"], folder)
    first, *rest = (folder / "out.txt").read_text().split("\n")
    nothing, generated, usual = (int(x, 16) for x in first.split())
    numbers = np.array([[struct.unpack("!f", bytes.fromhex(x))[0] for x in line.split()] for line in rest if line])
    expected = program.compile()(*(given[:, i].astype(float) for i in range(3)))
    found, by_hand = numbers[:STATES], numbers[STATES:]
    each = TICK / (STATES * TURNS)
    return round((generated - nothing) * each), round((usual - nothing) * each), found, by_hand, expected


@pytest.mark.parametrize(("name", "most"), [("puma560", 600), ("panda", 900)])
def test_instructions_and_numbers(name, most, tmp_path):
    generated, usual, found, by_hand, expected = measure(tf.robots.bundled(name), tmp_path)
    scale = np.abs(expected).max(axis=0)
    assert np.all(np.abs(found - expected) < 1e-5 * scale)
    assert generated <= most
    if name == "panda":  # the PUMA has friction and rotors, which the recursion leaves out
        assert np.all(np.abs(by_hand - expected) < 1e-4 * scale)
        assert 2 * generated <= usual
