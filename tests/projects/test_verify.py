"""Generated C is checked again: as it is, changed, for another robot, and not ours."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app
from tauforge.models.registry import MODELS
from tauforge.projects import verify as module
from tauforge.targets.c import CERTIFICATE, MADE, digest
from tauforge.targets.c_arithmetic import evaluate_in_c, unit_roundoff
from tauforge.targets.read_c import nearest_single, read_c

from ..random_robots import random_robot

SIGN = "(q[0] > 0.0 ? 1.0 : q[0] < 0.0 ? -1.0 : 0.0)"


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("rrp", "c"),
        ("planar2r", "c:float"),
        *(pytest.param(x, "c", marks=pytest.mark.slow) for x in ("puma560", "fivebar")),
        pytest.param("puma560", "c:float", marks=pytest.mark.slow),
    ],
)
def test_what_was_written_is_proved(name, target, tmp_path):
    robot = tf.robots.bundled(name, symbolic=name == "rrp")
    torques = tf.inverse_dynamics(robot)
    for program in (torques, torques.derivative("tau", "q"), tf.regressor(robot), tf.direct_dynamics(robot)):
        found = tf.verify(program.write(tmp_path / "arm.c", target=target), robot)
        assert found.unchanged
        assert found.proved
        assert found.difference <= found.rounding
        assert found.difference < (1e-4 if target == "c:float" else 1e-12)


@pytest.mark.parametrize("parameters", ["standard", "base", "least"])
def test_options_of_the_model_are_in_the_head(tmp_path, parameters):
    robot = tf.robots.puma560(symbolic=True)
    file = tf.inverse_dynamics(robot, parameters=parameters, external_wrenches=True).write(tmp_path / "arm.c")
    assert tf.verify(file, robot).proved


def test_names_of_joints_in_the_head(tmp_path):
    names = "left-" * 40, "*/ a  b /*/ ??/ \\ é"
    robot = tf.robots.planar2r()
    robot = replace(robot, joints=tuple(replace(x, name=name) for x, name in zip(robot.joints, names, strict=True)))
    for known in (names[:1], names[1:], names):
        file = tf.hybrid_dynamics(robot, accelerated=known).write(tmp_path / "arm.c")
        assert tf.verify(file, robot).proved


@pytest.mark.parametrize("change", [("planar2r", "panda"), ("9.81", "1.62"), ("void", "\nvoid")])
def test_a_changed_file_is_told(tmp_path, change):
    robot = tf.robots.planar2r()
    file = tf.gravity(robot).write(tmp_path / "arm.c")
    head, code = file.read_text().split("*/", 1)
    file.write_text(head.replace(*change) + "*/" + code.replace(*(change if "void" in change else ("", ""))))
    found = tf.verify(file, robot)
    assert (found.unchanged, found.proved) == (False, True)
    assert str(found).startswith("changed since it was written; proved equal to gravity() of planar2r: ")


def test_what_is_not_proved_is_said(tmp_path):
    robot = tf.robots.planar2r()
    file = tf.inverse_dynamics(robot).write(tmp_path / "arm.c")
    assert CliRunner().invoke(app, ["verify", str(file), "planar2r"]).exit_code == 0
    file.write_text(file.read_text().replace("9.81*", "9.8100000001*"))
    assert CliRunner().invoke(app, ["verify", str(file), "planar2r"]).exit_code == 1
    found = tf.verify(file, robot)
    assert not found.proved
    assert "not proved, but close to inverse_dynamics() of planar2r" in str(found)


def test_friction_has_signs_and_products_are_verified_too(tmp_path):
    robot = tf.robots.planar2r()
    joints = tuple(replace(joint, FS=0.3, FV=0.1) for joint in robot.joints)
    robot = replace(robot, joints=joints)
    torques = tf.inverse_dynamics(robot)
    for program in (torques, torques.jvp("tau", "q"), torques.vjp("tau", "qd")):
        for target in ("c", "c:float"):
            assert tf.verify(program.write(tmp_path / "arm.c", target=target), robot).unchanged
    setup, rest = tf.inertia_matrix(symbolic := robot.symbolic()).split()
    for program in (setup, rest):
        assert tf.verify(program.write(tmp_path / "arm.c"), symbolic).proved


def test_a_changed_file(tmp_path):
    robot = tf.robots.puma560()
    file = tf.inverse_dynamics(robot).write(tmp_path / "arm.c")
    text = file.read_text()
    file.write_text(text.replace("/* Results */", "/* results */"))
    found = tf.verify(file, robot)
    assert found.unchanged is False
    assert found.proved
    file.write_text(text.replace("tau[2] = ", "tau[2] = 1.0000001*"))
    with pytest.raises(tf.TargetError, match=r"it is not this model of puma560: tau\[2\] is "):
        tf.verify(file, robot)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("    tau[1] = ", "    while (1) tau[1] = "), "not a statement of generated C"),
        (lambda text: text.replace("    tau[1] = ", "    tau[0] = "), r"tau\[0\] is written twice"),
        (lambda text: text.replace("    tau[1] = N32;", ""), r"tau\[1\] is never written"),
        (lambda text: text.replace("qd[1]", "qd[7]"), r"it uses qd\[7\], which this model does not have"),
        (lambda text: text.replace("sin(q[0])", "system(q[0])"), "it calls system"),
        (lambda text: text.replace("sin(q[0])", "sinf(q[0])"), "it calls sinf"),
        (lambda text: text.replace("= N31", "= N31 + abs(qd[0]) - fabs(qd[0])"), "it calls abs"),
        (lambda text: text.replace("0.5*", "1/2*"), "1 is not a number of type double"),
        (lambda text: text.replace("0.5*", "0.5f*"), "0.5f is not a number of type double"),
        (lambda text: text.replace("const double S1", "const float S1"), "not a statement of generated C"),
        (lambda text: text.replace("q[2], const double qd[2]", "qd[2], const double q[2]"), "its arguments are"),
        (lambda text: text.replace("double", "real_t"), "its numbers are of type real_t"),
        (lambda text: text.replace("/* Results */", "const double S1 = 0.0;"), "S1 has a value already"),
        (lambda text: text.replace("    tau[1] = ", "    tau[2] = "), r"tau\[2\] is not a result"),
        (lambda text: text.replace("    tau[1] = ", "    q[0] = 1.0;\n    tau[1] = "), r"q\[0\] is not a result"),
        (lambda text: text.replace("/* Results */", "(void)remove(0);"), "not a statement of generated C"),
        (lambda text: text.replace("/* Results */", "memset(tau, 0, sizeof(double[9]));"), "not a statement"),
        (lambda text: text[:-2] + "    memset(tau, 0, sizeof(double[2]));\n}\n", "not a statement"),
        (lambda text: text.replace("= N32", "= N32 + (q[0] > 4.0 ? 1.0 : 0.0)"), "not an expression of generated C"),
        (lambda text: text.replace("= N32", f"= N32 + 1.0 + {SIGN}"), "it is not this model of planar2r"),
        (lambda text: text.replace("= N31", "= N31 //* 2.0 */ + 1.0\n"), "a comment after //"),
        (lambda text: text.replace("/* Results */", "/* *\\\n/ tau[0] = 1; /* */"), "a backslash before white space"),
        (lambda text: text.replace("#include", "#define sin cos\n#include"), "not a line of generated C: #define"),
        (lambda text: "#define sin cos\n" + text, "not a line of generated C: #define"),
        (
            lambda text: text + text.replace("void arm", "void other"),
            "one function of generated C, and nothing after it",
        ),
        (lambda text: "int main(void) { return 0; }\n", "its head does not say how it was made"),
        (lambda text: text.replace("inverse_dynamics", "__import__"), "does not say how it was made in our words"),
        (lambda text: text.replace("{}]]", '{"nonsense": 1}]]'), "does not say how it was made in our words"),
        (lambda text: text.replace('[["inv', "[" * 10_000), "does not say how it was made in our words"),
        (lambda text: text.replace('[["inv', "[" * 100_000), "does not say how it was made in at most 20,000"),
        (lambda text: text[: text.index("void ")], "one function of generated C"),
        (lambda text: text[:-2], "not a statement of generated C: the end"),
    ],
)
def test_what_is_not_ours_is_refused(change, message, tmp_path):
    robot = tf.robots.planar2r()
    file = tf.inverse_dynamics(robot).write(tmp_path / "arm.c")
    text = change(file.read_text())
    assert text != file.read_text()
    file.write_text(text)
    with pytest.raises(tf.TauforgeError, match=message):
        tf.verify(file, robot)


def test_another_robot(tmp_path):
    file = tf.inverse_dynamics(tf.robots.puma560()).write(tmp_path / "arm.c")
    with pytest.raises(tf.TargetError, match="it is not this model of rx90"):
        tf.verify(file, tf.robots.rx90())
    with pytest.raises(tf.TargetError, match="is this another model, or another robot"):
        tf.verify(file, tf.robots.rx90(symbolic=True))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "c:float"])
@pytest.mark.parametrize("name", ["rrp", "stanford", "puma560", "panda", "fivebar", "sr400", "delta"])
def test_every_model_is_read(name, target):
    for symbolic in (False, True):
        robot = tf.robots.bundled(name, symbolic=symbolic)
        for model in MODELS.values():
            try:
                program = model.function(robot)
            except (tf.TauforgeError, TypeError):  # it needs an option, or is not for this robot
                continue
            if not program.repeat:
                assert read_c(program.code(target), program).program(program).results.keys() == program.results.keys()


def changed(tmp_path: Path, change: Callable[[str], str], target: str = "c") -> Path:
    """Return a file of planar2r's inverse dynamics with another text."""
    file = tf.inverse_dynamics(tf.robots.planar2r()).write(tmp_path / "arm.c", target=target)
    text = change(file.read_text())
    assert text != file.read_text()
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ("1e+17*(0.1 + 0.2 - 0.3)", "it is not this model of planar2r"),
        ("1e+17*(q[0]*0.1 + q[0]*0.2 - q[0]*0.3)", "it is not this model of planar2r"),
        ("1e+17*(q[0] + 3.141592653589793 - q[0] - 3.141592653589793)", "it is not this model of planar2r"),
        ("1e+17*(1e+17 + q[0] - 1e+17 - q[0])", "it is not this model of planar2r"),
        ("1e+300*(S1*S1 + C1*C1 - 1.0)", "it is not this model of planar2r"),
        ("(q[0] + 100000000000000.0) - (q[0] + 100000000000000.0)", "it is not this model of planar2r"),
        ("1e+17*sin(3.141592653589793)", "there is the sin of constants, which generated C never has"),
        ("1e+300*cos(1.5707963267948966)", "there is the cos of constants"),
        ("1.0/3.0*q[0]", "there is a quotient of constants"),
    ],
)
def test_terms_that_vanish_in_exact_arithmetic_only(term, message, tmp_path):
    file = changed(tmp_path, lambda text: text.replace("tau[0] = N31", f"tau[0] = N31 + {term}"))
    with pytest.raises(tf.TargetError, match=message):
        tf.verify(file, tf.robots.planar2r())


def test_sines_of_what_means_pi(tmp_path):
    term = "1e+17*(sin(q[0] + 3.141592653589793) + S1)"
    file = changed(tmp_path, lambda text: text.replace("tau[0] = N31", f"tau[0] = N31 + {term}"))
    with pytest.raises(tf.TargetError, match="it is not this model of planar2r"):
        tf.verify(file, tf.robots.planar2r())


def test_errors_at_other_states_than_those_that_are_tried(tmp_path):
    """A quotient that is tiny but near one state hides a term that vanishes in exact arithmetic only."""
    bump = "1e+25*((q[0] + 0.3) - (q[0] + 0.1) - 0.2)/(1.0 + 1e+30*(q[0] - 0.777)*(q[0] - 0.777))"
    found = tf.verify(
        changed(tmp_path, lambda text: text.replace("tau[0] = N31", f"tau[0] = N31 + {bump}")), tf.robots.planar2r()
    )
    assert found.exact
    assert not found.proved
    assert "not proved, but equal in exact arithmetic to inverse_dynamics() of planar2r" in str(found)


@given(st.integers(0, 10**6))
@settings(max_examples=8, deadline=None)
def test_random_robots_are_proved_within_their_bounds(tmp_path_factory, seed):
    robot = random_robot(seed, largest=4, equipped=seed % 3 == 0)
    program = (tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix)[seed % 3](robot)
    file = program.write(tmp_path_factory.mktemp("c") / "arm.c", target=("c", "c:float")[seed % 2])
    found = tf.verify(file, robot)
    assert found.unchanged
    assert found.proved
    assert found.difference <= found.rounding


@pytest.mark.parametrize("target", ["c", "c:float"])
def test_the_text_is_computed_as_c_computes_it(target, tmp_path):
    program = tf.inverse_dynamics(tf.robots.puma560())
    reading = read_c(program.code(target), program)
    kind = np.float32 if target == "c:float" else np.float64
    state = {name: np.random.default_rng(0).uniform(-3, 3, (20, 6)).astype(kind) for name in ("q", "qd", "qdd")}
    found, bound = evaluate_in_c(reading, state)["tau"]
    wanted = program.compile()(*(state[name].astype(float) for name in ("q", "qd", "qdd")))
    assert (np.abs(found - wanted) <= bound + 1e-13).all()
    assert np.abs(found - wanted).max() > 10 * unit_roundoff("float") * (target == "c:float")


def test_decimals_are_rounded_to_float_once():
    assert nearest_single("0.1") == float(np.float32(0.1))
    tie = "1.000000298023223876953125"  # between two floats; as a double, a bit more than that is rounded to it
    assert nearest_single(tie) == 1 + 2**-22
    assert nearest_single(tie + "0000001") == 1 + 3 * 2**-23
    assert nearest_single("1e39") == float("inf")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xef\xbb\xbf", "byte order mark"),
        (b"\xff", "is not UTF-8"),
        (b"/* \xc0\xaf */", "is not UTF-8"),
        ("/* \u202e */".encode(), r"there is '\\u202e' in a comment"),
        (b"/* \r */", r"there is '\\r' in a comment"),
        (b"/* ??/ */", "trigraph"),
        (b"/* \\\f\n*/", "a backslash before white space"),
        (b"/* \\ \n*/", "a backslash before white space"),
        (b"\f", r"generated C has no '\\x0c' outside comments"),
        (b"\r ", r"generated C has no '\\r' outside comments"),
    ],
)
def test_bytes_that_compilers_take_otherwise(data, message, tmp_path):
    file = tf.inverse_dynamics(tf.robots.planar2r()).write(tmp_path / "arm.c")
    file.write_bytes(data + b"\n" + file.read_bytes())
    with pytest.raises(tf.TargetError, match=message):
        tf.verify(file, tf.robots.planar2r())


def test_line_ends_of_windows_and_comments_of_others(tmp_path):
    file = changed(tmp_path, lambda text: text.replace("/* Results */", "/* Ergebnisse, größer; \\sin x */"))
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert tf.verify(file, tf.robots.planar2r()).proved


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("qd[0] + qd[1]", "qd[0] - - qd[1]"),
        lambda text: text.replace("qd[0] + qd[1]", "qd[0] + + qd[1]"),
        lambda text: text.replace("qd[0] + qd[1]", "qd[00] + qd[1]"),
        lambda text: text.replace("qd[0] + qd[1]", "qd<:0:> + qd[1]"),
        lambda text: text.replace("qd[0] + qd[1]", "qd[0] + qd[1], 0.0"),
        lambda text: text.replace("\n\nvoid", "\n%:\nvoid"),
        lambda text: text.replace("\n\nvoid", "\n%:define sin cos\nvoid"),
        lambda text: text.replace("9.81*", "9.810*"),
        lambda text: text.replace("9.81*", "9.81L*"),
        lambda text: text.replace("9.81*", "0x9p0*"),
        lambda text: text.replace("W32", "linux"),
        lambda text: text.replace("W32", "__LINE__"),
        lambda text: text.replace("W32", "sin"),
        lambda text: text.replace("#include <math.h>\n", ""),
        lambda text: text.replace("#include <math.h>", "#include <math.h> /* x"),
        lambda text: text.replace("#include <math.h>", "# include <math.h>"),
        lambda text: text.replace("#include <math.h>", '#include "math.h"'),
        lambda text: text.replace("    tau[0]", '#pragma GCC optimize "fast-math"\n    tau[0]'),
        lambda text: text.replace("    tau[0]", "    return;\n    tau[0]"),
        lambda text: text.replace("    tau[0]", "    x: tau[0]"),
        lambda text: text.replace("    tau[0]", "    {} tau[0]"),
        lambda text: text.replace("void arm(", "static void arm("),
        lambda text: text.replace("void arm(", "__attribute__((constructor)) void arm("),
        lambda text: text.replace("void arm(", "void sin("),
        lambda text: text.replace("double tau[2])", "double tau[2], ...)"),
        lambda text: text.replace("const double q[2]", "double q[2]"),
        lambda text: text.replace("= N31", "= N31*" + "(" * 100 + "1.0" + ")" * 100),
        lambda text: text.replace("/* Results */", "const double K = 2.0;"),
        lambda text: text.replace("tau[1] = N32;", "tau[1] = N32; tau[1] = N32;"),
    ],
)
def test_c_that_the_printer_never_writes(change, tmp_path):
    with pytest.raises(tf.TargetError):
        tf.verify(changed(tmp_path, change), tf.robots.planar2r())


def test_a_model_that_is_singular_wherever_it_is_tried(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LOST", 0.0)
    robot = tf.robots.planar2r()
    assert tf.verify(tf.inverse_dynamics(robot).write(tmp_path / "arm.c"), robot).proved
    file = changed(tmp_path, lambda text: text.replace("tau[1] = N32", "tau[1] = 2.0*N32"))
    with pytest.raises(tf.TargetError, match="not proved to be this model of planar2r, which is near-singular"):
        tf.verify(file, robot)


def recipe(tmp_path: Path, steps: str) -> Path:
    """Return a file whose head says that it was made in these steps, with a certificate of its own."""

    def signed(text: str) -> str:
        start, end = text.index(MADE), text.index(f" * {CERTIFICATE}")
        text = f"{text[:start]}{MADE}{steps}\n{text[end:]}"
        start = text.index(f" * {CERTIFICATE}")
        end = text.index("\n", start) + 1
        return f"{text[:start]} * {CERTIFICATE}{digest(text[:start] + text[end:])}\n{text[end:]}"

    return changed(tmp_path, signed)


def test_a_head_cannot_ask_for_a_long_search(tmp_path, monkeypatch):
    monkeypatch.setattr(tf.Program, "optimise", lambda *_, **__: pytest.fail("it searches"))
    file = recipe(tmp_path, '[["inverse_dynamics", {}], ["optimise", {"effort": 1e9}]]')
    found = tf.verify(file, tf.robots.planar2r())
    assert found.unchanged
    assert found.proved


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ('[["inverse_dynamics", {}]' + ', ["bind", {}]' * 9 + "]", "more than 8 steps"),
        ('[["inverse_dynamics", {"parameters": "' + "x" * 30_000 + '"}]]', "in at most 20,000 characters"),
        ('[["inverse_dynamics", {"frame": 5}]]', "in our words"),
        ('[["inverse_dynamics", {"parameters": 5}]]', "that cannot be repeated: parameters is 5"),
        ('[["inverse_dynamics", {}], ["certify", {}]]', "in our words"),
    ],
)
def test_heads_that_are_refused(steps, message, tmp_path):
    with pytest.raises(tf.TargetError, match=message):
        tf.verify(recipe(tmp_path, steps), tf.robots.planar2r())


def test_a_head_cannot_ask_for_much(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_MODEL", 50)
    robot = tf.robots.planar2r()
    file = tf.inverse_dynamics(robot).derivative("tau", "q").write(tmp_path / "arm.c")
    with pytest.raises(tf.TargetError, match="a derivative could have more than 50 operations"):
        tf.verify(file, robot)
    program = tf.inverse_dynamics(robot).derivative("tau", "q")
    assert tf.verify(file, robot, program).proved


def test_unusual_heads_are_checked_in_another_process_for_a_limited_time(tmp_path, monkeypatch):
    robot = tf.robots.planar2r()
    file = tf.inverse_dynamics(robot, formulation="lagrange").write(tmp_path / "arm.c")
    assert tf.verify(file, robot).proved
    file.write_text(file.read_text().replace("tau[1] = ", "tau[1] = 2.0*"))
    with pytest.raises(tf.TargetError, match=r"it is not this model of planar2r: tau\[1\] is"):
        tf.verify(file, robot)
    monkeypatch.setattr(module, "SECONDS", 0.01)
    with pytest.raises(tf.TargetError, match="checking it takes longer than 0 s, since its head asks for much"):
        tf.verify(file, robot)


@pytest.mark.parametrize(
    "text", ["/*\n" * 200_000, "/*\n * Made by: [[\n" * 50_000, "/*\n*/" + "(" * 10**6, "/*" + "*" * 10**6]
)
def test_large_files_that_are_not_ours(text, tmp_path):
    file = tmp_path / "arm.c"
    file.write_text(text)
    with pytest.raises(tf.TargetError):
        tf.verify(file, tf.robots.planar2r())


def test_files_much_larger_than_the_model(tmp_path):
    robot = tf.robots.planar2r()
    with pytest.raises(tf.TargetError, match="characters, and our own code for this model only"):
        tf.verify(changed(tmp_path, lambda text: text + "\n" * 20_000), robot)
    with pytest.raises(tf.TargetError, match="operations, many more than this model"):
        tf.verify(changed(tmp_path, lambda text: text.replace("= N31", "= N31" + "+S1" * 3000)), robot)


def test_headers_are_read(tmp_path):
    robot = tf.robots.planar2r()
    program = tf.inverse_dynamics(robot)
    (tmp_path / "src").mkdir()
    (tmp_path / "include").mkdir()
    source, header = tmp_path / "src/arm.c", tmp_path / "include/arm.h"
    source.write_text('#include "arm.h"\n' + program.code("c", "arm"))
    with pytest.raises(tf.TargetError, match=r"it includes arm\.h, which is neither beside it nor in \.\./include"):
        tf.verify(source, robot)
    program.write(header, target="header")
    found = tf.verify(source, robot)
    assert found.unchanged
    assert found.proved
    header.write_text(header.read_text().replace("#define ARM_H\n", "#define ARM_H\n#define sin cos\n"))
    with pytest.raises(tf.TargetError, match=r"arm\.h is not the one that Tauforge writes for this function"):
        tf.verify(source, robot)
    source.write_text('#include "other.h"\n' + program.code("c", "arm"))
    with pytest.raises(tf.TargetError, match=r'not a line of generated C: #include "other\.h"'):
        tf.verify(source, robot)


def test_what_stands_above_the_head_is_not_unchanged(tmp_path):
    found = tf.verify(changed(tmp_path, lambda text: "\n" + text), tf.robots.planar2r())
    assert (found.unchanged, found.proved) == (False, True)


def test_backslashes_in_names_never_join_lines(tmp_path):
    for length in range(40, 100, 7):
        names = "a" * length + "\\", "\\" * length + " b"
        robot = tf.robots.planar2r()
        joints = tuple(replace(x, name=name) for x, name in zip(robot.joints, names, strict=True))
        robot = replace(robot, joints=joints)
        program = tf.hybrid_dynamics(robot, accelerated=names[:1])
        assert "\\\n" not in program.code("c")
        assert "\\ " not in program.code("c")
        assert tf.verify(program.write(tmp_path / "arm.c"), robot).proved
