"""The command line, run as users run it."""

import io
import os
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

import tauforge as tf
from tauforge.cli.main import main
from tauforge.targets import TARGETS

TAUFORGE = Path(sys.executable).parent / "tauforge"
SR400 = Path(__file__).parents[1] / "formats/data/SR400.par"
PENDULUM = """(* Robotname = 'pendulum' *)
sigma = {0}
ant = {0}
b = {0}
d = {0}
r = {0}
gamma = {0}
alpha = {Pi/2}
theta = {q1}
XX = {0}
XY = {0}
XZ = {0}
YY = {0}
YZ = {0}
ZZ = {J}
MX = {S}
MY = {0}
MZ = {0}
M = {1}
G = {0,0,-9.81}
"""


def process(*arguments):
    """Run a command in a process of its own."""
    environment = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    command = [TAUFORGE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def run(*arguments):
    """Run a command in this process, which starts quicker."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch("sys.argv", ["tauforge", *map(str, arguments)]),
        warnings.catch_warnings(action="default"),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return subprocess.CompletedProcess(arguments, ended.value.code or 0, out.getvalue(), err.getvalue())


@pytest.fixture
def par(tmp_path):
    path = tmp_path / "pendulum.par"
    path.write_text(PENDULUM)
    return path


def test_robots():
    result = process("robots")
    assert result.returncode == 0
    assert "puma560" in result.stdout
    assert "RRPRRR" in result.stdout
    assert "Kinematics" in result.stdout  # the title of a source is shown whole


def test_info(par):
    result = run("info", par)
    assert result.returncode == 0
    for part in (
        "pendulum: 1 joint,",
        "link1",
        "revolute",
        "pi/2",
        "symbols without a value: 2 (J, S)",
        "parameters: 3 of 10",
    ):
        assert part in result.stdout
    assert "[bold]" not in result.stdout


def test_base(par, tmp_path):
    shown = run("base", "rrp", "--symbolic").stdout
    assert "XX2R=XX2 + XX3 - YY2 - ZZ3" in shown
    written = tmp_path / "rrpbase.par"
    assert run("base", "rrp", "--symbolic", "-o", written).returncode == 0
    assert "XX2R" in written.read_text()
    again = run("count", written)
    assert again.returncode == 0
    assert " 124 " in again.stdout


def test_generate_writes_a_file_or_standard_output(par, tmp_path):
    file = tmp_path / "torque.c"
    assert run("generate", "inverse-dynamics", par, "-o", file).returncode == 0
    assert "void torque(" in file.read_text()
    for target in TARGETS:
        result = run("generate", "inverse_dynamics", par, "-t", target, "--name", "law")
        assert result.returncode == 0, result.stderr
        assert "law" in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["pendulum.par", "torque.c"] or len(
        list(tmp_path.iterdir())
    ) == 2


def test_the_default_parameters_are_those_of_python(tmp_path):
    for name, symbolic in (("puma560", False), ("rx90", True)):
        file = tmp_path / f"{name}.c"
        result = run("generate", "inverse-dynamics", name, "-o", file, *(["--symbolic"] if symbolic else []))
        robot = tf.robots.bundled(name, symbolic=symbolic)
        assert file.read_text() == tf.inverse_dynamics(robot).code("c", name=name)
        assert ("--parameters base" in result.stderr) == symbolic


def test_generate_optimises_and_writes_the_certificate():
    arguments = ("generate", "inertia-matrix", "scara", "--symbolic", "-p", "base", "--effort", "quick", "-t", "python")
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    assert "Optimised for operations: 34 operations became" in result.stdout
    assert "Certified against those before: equal at 2 exact random points" in " ".join(
        result.stdout.replace("#", " ").split()
    )
    for option in (("--objective", "operations"), ("--seed", "1")):  # each asks for a search, by the default effort
        assert "Optimised for operations" in run("generate", "gravity", "planar2r", "--symbolic", *option).stdout
    wrong = run(*arguments[:6], "--effort", "huge")
    assert wrong.returncode == 2
    assert "effort is 'huge'" in wrong.stderr


def test_generate_in_two_parts_compiles(tmp_path):
    file = tmp_path / "rrp.c"
    assert run("generate", "inverse-dynamics", "rrp", "--symbolic", "--split", "-o", file).returncode == 0
    assert "rrp_setup(" in (tmp_path / "rrp_setup.c").read_text()
    assert run("generate", "inverse-dynamics", "puma560", "--split", "-o", tmp_path / "x.c").returncode == 2
    subprocess.run(
        ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", file, "-o", tmp_path / "x.o"], check=True
    )


def test_models_and_their_options(par):
    assert "direct-dynamics" in run("generate", "--list").stdout
    assert "wrenches" in run("generate", "inverse-dynamics", par, "--wrenches", "input").stdout
    assert run("generate", "inertia-matrix", par, "--wrenches", "input").returncode == 2
    jacobian = run("generate", "jacobian", par, "--frame", "link1")
    assert jacobian.returncode == 0
    assert run("generate", "jacobian", par).stdout == jacobian.stdout
    assert run("generate", "hybrid-dynamics", "rrp", "--accelerated", "joint1,joint3").returncode == 0
    assert run("generate", "hybrid-dynamics", "rrp", "--accelerated", "rigid").returncode == 0
    refused = run("generate", "hybrid-dynamics", "rrp")
    assert refused.returncode == 2
    assert "--accelerated" in refused.stderr
    assert "link1" in run("generate", "jacobian", par, "--frame", "wrist").stderr
    assert run("generate", "inverse-dynamics", par, "--wrenches", "some").returncode == 2


def test_loops_are_opened_on_request():
    assert "XZ8" in run("base", SR400, "--open-loops").stdout
    assert "XZ2R=XZ2 + XZ8 - 8*MZ3" in run("base", SR400).stdout
    closed, opened = (run("generate", "gravity", SR400, *more).stdout for more in ([], ["--open-loops"]))
    assert "g (6)" in closed
    assert "g (8)" in opened


def test_some_rows_of_a_jacobian():
    command = ["generate", "jacobian-determinant", "delta", "--frame", "platform"]
    expected = tf.jacobian_determinant(tf.robots.delta(), frame="platform", rows=("vx", "vy", "vz"))
    assert run(*command, "--rows", "vx,vy,vz").stdout == expected.code("c")
    assert "rows=" in run(*command).stderr
    assert "takes no --rows" in run("generate", "gravity", "delta", "--rows", "vx").stderr


def test_motion_of_the_platform_and_torques_of_the_motors():
    command = ["generate", "inverse-dynamics", "planar_3rrr", "--independent", "platform"]
    robot = tf.robots.planar_3rrr().with_independent("platform")
    assert run(*command).stdout == tf.inverse_dynamics(robot).code("c")
    assert run(*command, "--efforts", "motors").stdout == tf.inverse_dynamics(robot, efforts="motors").code("c")
    assert "leg9" in run("generate", "gravity", "planar_3rrr", "--independent", "leg9,leg1_R1,leg2_R1").stderr
    everywhere = tf.inverse_dynamics(robot, coordinates="all").code("c")
    assert run(*command, "--coordinates", "all").stdout == everywhere
    assert "takes no --coordinates" in run("generate", "gravity", "planar_3rrr", "--coordinates", "all").stderr
    assert "takes no --efforts" in run("generate", "gravity", "planar_3rrr", "--efforts", "motors").stderr


def test_info_tells_how_a_mechanism_can_move():
    shown = run("info", SR400).stdout
    assert "mobility: 6, determined by joint1, joint2, joint4, joint5, joint6, joint7" in shown
    assert "passive joints: joint3, joint8" in shown


def test_count_beside_published():
    result = run("count", "rx90")
    assert result.returncode == 0
    assert "249+233 = 482" in result.stdout


def test_demo():
    result = process("demo")
    assert result.returncode == 0
    assert "Everything agrees" in result.stdout


def test_help_teaches():
    assert "ROBOT is a file" in process("--help").stdout
    assert "puma.c" in process("generate", "--help").stdout
    assert process("--version").stdout.startswith("tauforge 0.")


FAULTS = {
    "lists of different lengths": (lambda s: s.replace("theta = {q1}", "theta = {q1,q2}"), "theta"),
    "unknown key": (lambda s: s + "mass = {1}\n", "mass"),
    "missing section": (lambda s: s.replace("alpha = {Pi/2}\n", ""), "alpha"),
    "antecedent out of range": (lambda s: s.replace("ant = {0}", "ant = {3}"), "3"),
    "antecedent of itself": (lambda s: s.replace("ant = {0}", "ant = {1}"), "1"),
    "sigma of 7": (lambda s: s.replace("sigma = {0}", "sigma = {7}"), "7"),
    "theta without its variable": (lambda s: s.replace("{q1}", "{0}"), "theta"),
    "code as a value": (lambda s: s.replace("{J}", "{__import__('os')}"), "ZZ"),
    "deep expression": (lambda s: s.replace("{J}", "{" + "(" * 100_000 + "1" + ")" * 100_000 + "}"), "ZZ"),
    "not a number": (lambda s: s.replace("{J}", "{nan}"), "finite"),
    "infinite": (lambda s: s.replace("{J}", "{1e999}"), "finite"),
    "empty": (lambda s: "", "empty"),
    "binary": (lambda s: "\0\1\2", "binary"),
    "large": (lambda s: s + "(*" + "x" * 50_000_000 + "*)", "more than 50,000,000 bytes"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_files_are_refused_with_exit_code_2_and_nothing_written(fault, par, tmp_path):
    change, mentioned = FAULTS[fault]
    par.write_text(change(PENDULUM))
    target = tmp_path / "out.c"
    result = run("generate", "inverse-dynamics", par, "-o", target)
    assert result.returncode == 2
    assert "pendulum.par" in result.stderr
    assert mentioned in result.stderr
    assert "Traceback" not in result.stderr
    assert not target.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pendulum.par"]


def test_two_joints_with_one_variable_or_in_a_cycle(tmp_path):
    two = PENDULUM
    for line in PENDULUM.splitlines():
        key, _, value = line.partition(" = ")
        if value.startswith("{") and key != "G":
            two = two.replace(line, f"{key} = {{{value[1:-1]},{value[1:-1]}}}")
    path = tmp_path / "two.par"
    path.write_text(two.replace("ant = {0,0}", "ant = {0,1}"))
    result = run("info", path)
    assert result.returncode == 2
    assert "q1" in result.stderr
    path.write_text(two.replace("ant = {0,0}", "ant = {2,1}").replace("{q1,q1}", "{q1,q2}"))
    result = run("info", path)
    assert result.returncode == 2
    assert "cycle" in result.stderr


def test_missing_files_directories_and_unwritable_places(par, tmp_path):
    assert run("info", tmp_path / "none.par").returncode == 2
    assert "directory" in run("info", tmp_path).stderr
    result = run("generate", "inverse-dynamics", par, "-o", tmp_path / "no" / "where.c")
    assert result.returncode == 2
    assert "cannot be written" in result.stderr
    result = run("generate", "inverse-dynamics", par, "-o", "/proc/where.c")
    assert result.returncode == 2
    result = run("generate", "inverse-dynamics", par, "-o", tmp_path / "x.docx")
    assert result.returncode == 2
    assert ".f90" in result.stderr
    assert run("generate", "magic", par).returncode == 2
    assert run("info", "pumma560").returncode == 2


def test_negative_mass_is_a_warning_that_says_why(par):
    par.write_text(PENDULUM.replace("M = {1}", "M = {-1}"))
    result = run("count", par)
    assert result.returncode == 0
    assert "negative mass" in result.stderr
    assert "direct dynamics" in " ".join(result.stderr.split())


def test_pipes_are_written_to_and_links_followed(par, tmp_path):
    real = tmp_path / "real.c"
    real.write_text("")
    (tmp_path / "link.c").symlink_to(real)
    assert run("generate", "inverse-dynamics", par, "-o", tmp_path / "link.c", "--name", "law").returncode == 0
    assert "law" in real.read_text()
    assert (tmp_path / "link.c").is_symlink()
    assert run("generate", "inverse-dynamics", par, "-t", "c", "-n", "law", "-o", "/dev/null").returncode == 0
    assert not Path("/dev/null").is_file()
    with open("/dev/full", "w") as full:
        assert subprocess.run([TAUFORGE, "robots"], stdout=full, stderr=subprocess.PIPE, check=False).returncode == 2


def test_limits_of_files(par):
    result = process("--limit", "bytes=100", "info", par)
    assert result.returncode == 2
    assert "more than 100 bytes" in result.stderr
    for wrong, message in (("bytes", "write --limit NAME=NUMBER"), ("mass=1", "no limit mass; choose among bytes")):
        result = process("--limit", wrong, "info", par)
        assert result.returncode == 2
        assert message in result.stderr


def test_a_loop_of_links_as_output(tmp_path):
    (tmp_path / "loop.c").symlink_to(tmp_path / "loop.c")
    result = run("generate", "gravity", "rrp", "-o", tmp_path / "loop.c")
    assert (result.returncode, result.stdout) == (2, "")
    assert "cannot be written" in result.stderr
    assert "Traceback" not in result.stderr


def test_no_name_in_a_file_commands_the_terminal(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text('format = 1\nname = "a\\u001b[31m\\u0007\\u202e"\ngravity = [0, 0, 0]\n')
    result = run("info", path)
    assert result.returncode == 2
    assert "a\\x1b[31m\\x07\\u202e" in result.stderr
    assert not set("\x1b\x07\u202e") & set(result.stdout + result.stderr)
