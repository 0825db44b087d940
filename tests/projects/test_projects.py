"""Each project builds at once with its real tool, and its own test passes."""

import os
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import tauforge as tf
from tauforge.projects import PROJECTS
from tauforge.projects.fmu import rates
from tauforge.projects.numbers import numbers
from tauforge.projects.project import Order

from ..targets.runners import require

COMMANDS = {
    "cmake": (["cmake"], "cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure"),
    "cargo": (["cargo"], "cargo test --offline"),
    "simulink": (["make", "gcc"], "make"),
    "arduino": (["make", "gcc"], "make -C test"),
    "wasm": (["node", "wasm-ld"], "node test.mjs"),
    "fmu": (["cmake"], "cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure"),
    "ros2": (
        ["colcon", "/usr/share/ament_cmake/cmake"],
        "colcon build --cmake-args -DPython3_EXECUTABLE=/usr/bin/python3 && "
        "colcon test && colcon test-result --verbose",
    ),
    "python-extension": (
        ["setuptools", "gcc"],
        f"{sys.executable} -m pip wheel --quiet --no-deps --no-build-isolation --no-index . && "
        f"{sys.executable} -m pip install --quiet --no-deps --no-index --target site *.whl && "
        f"PYTHONPATH=site {sys.executable} tests/test_arm.py",
    ),
}
QUICK = ("simulink", "arduino", "wasm")


def run(command: str, folder: Path) -> str:
    environment = {key: x for key, x in os.environ.items() if key not in ("PYTHONPATH", "CFLAGS")}
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def made(kind: str, robot: tf.Robot, folder: Path, program: tf.Program | None = None) -> Path:
    tools, _ = COMMANDS[kind]
    require(*tools)
    return tf.write_project(robot, folder / "project", kind, program, "arm")


def test_every_kind_is_built():
    assert {*COMMANDS} == {*PROJECTS}


@pytest.mark.parametrize("kind", [pytest.param(x, marks=[pytest.mark.slow] * (x not in QUICK)) for x in COMMANDS])
def test_it_builds_and_its_test_passes(kind, tmp_path):
    folder = made(kind, tf.robots.puma560(), tmp_path)
    text = run(COMMANDS[kind][1], folder)
    if kind == "ros2":
        assert "3 tests, 0 errors, 0 failures" in text
    assert (folder / "README.md").read_text().startswith("# arm\n")


@pytest.mark.parametrize("name", [name for name in tf.robots.names() if tf.robots.bundled(name).loops])
def test_float_is_fine_enough_for_every_parallel_robot(name, tmp_path):
    """The states of the test are closed and not near singular ones, where float has few digits."""
    robot = tf.robots.bundled(name)
    folder = made("arduino", robot, tmp_path)
    worst = float(re.search(r"worst relative difference (\S+) of 8 states", run(COMMANDS["arduino"][1], folder))[1])
    assert worst < 5e-6
    found = numbers(tf.inverse_dynamics(robot), robot=robot)
    for q in found.given["q"]:
        np.testing.assert_allclose(tf.close_loops(robot, None, guess=q), q, atol=1e-9)
    assert len(np.unique(found.given["q"], axis=0)) == 8


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cmake", "cargo", "simulink", "python-extension", "wasm", "arduino"])
@pytest.mark.parametrize("name", ["rrp", "fivebar"])
def test_other_models_of_other_robots(kind, name, tmp_path):
    robot = tf.robots.bundled(name, symbolic=name == "rrp")
    program = tf.fuse(tf.inertia_matrix(robot), tf.inverse_dynamics(robot), name="both")
    run(COMMANDS[kind][1], made(kind, robot, tmp_path, program))


@pytest.mark.parametrize("fault", [("tau[1] = ", "tau[1] = 1.0001f*"), ("tau[0] = ", "tau[0] = NAN + ")])
@pytest.mark.parametrize("kind", ["arduino", "simulink"])
def test_a_test_can_fail(kind, fault, tmp_path):
    folder = made(kind, tf.robots.planar2r(), tmp_path)
    (source,) = folder.rglob("arm.c")
    source.write_text("#include <math.h>\n" + source.read_text().replace(*fault))
    with pytest.raises(AssertionError, match="worst relative difference"):
        run(COMMANDS[kind][1], folder)


def test_a_microcontroller_tells_instructions_and_stack(tmp_path):
    require("arm-none-eabi-gcc", "qemu-system-arm")
    text = run("make -C test arm 2>&1", made("arduino", tf.robots.puma560(), tmp_path))
    assert 300 < int(re.search(r"arm: at most (\d+) instructions per call", text)[1]) <= 740
    assert 0 < int(re.search(r"arm: (\d+) bytes of stack", text)[1]) < 1000


BOARD = (
    "arduino-builder -compile -hardware /usr/share/arduino/hardware -hardware /usr/share/arduino-builder "
    "-tools /usr/bin -prefs=runtime.tools.avr-gcc.path=/usr -prefs=compiler.cpp.extra_flags=-DDECIMAL_DIG=17 "
    "-libraries . -fqbn arduino:avr:mega:cpu=atmega2560 -build-path $PWD/build arm/examples/arm/arm.ino"
)


@pytest.mark.slow
def test_arduinos_own_tools_build_the_sketch_and_a_simulated_board_runs_it(tmp_path):
    require("arduino-builder", "avr-gcc", "simavr", "/usr/share/arduino/hardware/arduino/avr/cores")
    robot = tf.robots.puma560()
    made("arduino", robot, tmp_path).rename(tmp_path / "arm")
    (tmp_path / "build").mkdir()
    run(BOARD, tmp_path)
    text = run("timeout 10 simavr -m atmega2560 -f 16000000 build/arm.ino.elf 2>&1 | head -7", tmp_path)
    values = [float(x) for x in re.findall(r"m(-?\d+\.\d+)\.", text)]
    wanted = numbers(tf.inverse_dynamics(robot), single=True).wanted["tau"][0]
    np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-5)
    assert 1000 < int(re.search(r"(\d+) microseconds per call", text)[1]) < 20_000  # it was not computed in advance


def with_friction(robot: tf.Robot) -> tf.Robot:
    terms = [{"FV": 0.2 * j, "FS": 0.1, "FO": 0.3, "FA": 0.05} for j in range(1, len(robot.joints) + 1)]
    return replace(robot, joints=tuple(replace(x, **more) for x, more in zip(robot.joints, terms, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "robot",
    [tf.robots.puma560(), tf.robots.planar2r().with_base("floating"), tf.robots.fourbar()],
    ids=lambda x: x.name,
)
def test_the_plugin_is_loaded_as_ros_does_it(robot, tmp_path):
    require("colcon", "/usr/share/ament_cmake/cmake", "/usr/share/pluginlib/cmake", "/usr/include/eigen3")
    robot = with_friction(robot)
    made("ros2", robot, tmp_path).rename(tmp_path / "arm")
    shutil.copytree(Path(__file__).parent / "ros" / "inverse_dynamics_solver", tmp_path / "inverse_dynamics_solver")
    flags = "-DPython3_EXECUTABLE=/usr/bin/python3 -DCMAKE_CXX_FLAGS=-Wall"
    run(f"ROS_VERSION=2 colcon build --merge-install --cmake-args {flags}", tmp_path)
    listed = tmp_path / "install/share/ament_index/resource_index/inverse_dynamics_solver__pluginlib__plugin/arm"
    assert listed.read_text().strip() == "share/arm/plugin.xml"
    parts = ("class_loader", "console_bridge", "rcpputils", "rcutils")
    headers = " ".join(f"-I/usr/include/{part}" for part in parts) + " -Iinstall/include"
    libraries = " ".join(f"-l{part}" for part in parts)
    source = Path(__file__).parent / "ros" / "load.cpp"
    run(f"g++ -std=c++17 {headers} {source} -o load {libraries}", tmp_path)
    q = tf.close_loops(robot, None) if robot.loops else np.linspace(0.1, 0.9, len(robot.coordinate_names))
    qd, qdd = np.linspace(-0.5, 1.0, robot.dof), np.linspace(1.0, -2.0, robot.dof)
    state = " ".join(map(repr, map(float, (*q, *qd, *qdd))))
    text = run(
        f"LD_LIBRARY_PATH=install/lib ./load install/lib/libarm_solver.so {len(q)} {robot.dof} {state} 2>&1", tmp_path
    )
    found = np.array([[float(x) for x in line.split()] for line in text.splitlines()[: robot.dof + 4]])
    friction = tf.friction(robot).compile()(*((q, qd) if robot.loops else (qd,)))
    np.testing.assert_allclose(found[:-4], tf.inertia_matrix(robot).compile()(q), atol=1e-12)
    np.testing.assert_allclose(found[-4], tf.coriolis_matrix(robot).compile()(q, qd) @ qd, atol=1e-12)
    np.testing.assert_allclose(found[-3], tf.gravity(robot).compile()(q), atol=1e-12)
    np.testing.assert_allclose(found[-2], friction, atol=1e-12)
    np.testing.assert_allclose(found[-1], tf.inverse_dynamics(robot).compile()(q, qd, qdd) - friction, atol=1e-12)
    np.testing.assert_allclose(found[-1], found[:-4] @ qdd + found[-4] + found[-3], atol=1e-12)
    assert "arm: wrong number of joints" in text


def test_a_project_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "arm").mkdir()
    monkeypatch.chdir(tmp_path / "arm")
    tf.write_project(tf.robots.planar2r(), ".", "cmake")
    assert (Path.cwd() / "src" / "arm.c").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["arm"]


def test_what_exists_is_not_overwritten(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "mine.txt").write_text("keep")
    with pytest.raises(tf.TauforgeError, match="there is something already"):
        tf.write_project(tf.robots.planar2r(), tmp_path / "project", "cmake")
    assert [x.name for x in tmp_path.rglob("*")] == ["project", "mine.txt"]


@pytest.mark.parametrize(
    ("kind", "robot", "message"),
    [
        ("fmi", "planar2r", "did you mean fmu"),
        ("fmu", "panda", "an FMU needs numbers"),
        ("ros2", "panda", "whose parameters all have values"),
    ],
)
def test_what_is_refused(kind, robot, message, tmp_path):
    with pytest.raises(tf.TauforgeError, match=message):
        tf.write_project(tf.robots.bundled(robot, symbolic=robot == "panda"), tmp_path / "project", kind)
    assert not list(tmp_path.iterdir())


def test_a_folders_name_becomes_a_functions(tmp_path):
    folder = tf.write_project(tf.robots.planar2r(), tmp_path / "my arm-2", "cmake")
    assert folder.name == "my arm-2"
    assert "void my_arm_2(" in (folder / "src" / "my_arm_2.c").read_text()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("cmake", "test"),
        ("fmu", "model"),
        ("cargo", "core"),
        ("python-extension", "numbers"),
        ("arduino", "printf"),
        ("arduino", "millis"),
        ("wasm", "memory"),
        ("simulink", "y1"),
    ],
)
def test_names_that_a_project_needs_itself_are_refused(kind, name, tmp_path):
    with pytest.raises(tf.TargetError, match=f"'{name}' cannot be the name of a project of kind {kind}"):
        tf.write_project(tf.robots.planar2r(), tmp_path / name, kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["test", "numbers", "Test", "NUMBERS"])
def test_a_projects_files_do_not_take_each_others_place(name, tmp_path):
    require("wasm-ld")
    with pytest.raises(tf.TargetError, match=r"the project needs its file \w+.mjs for itself; choose another name"):
        tf.write_project(tf.robots.planar2r(), tmp_path / "project", "wasm", name=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["bytes", "env", "instance"])
def test_names_in_a_modules_loader(name, tmp_path):
    require(*COMMANDS["wasm"][0])
    run("node test.mjs", tf.write_project(tf.robots.planar2r(), tmp_path / "project", "wasm", name=name))


def test_fmus_smooth_coulomb_friction():
    robot = tf.robots.planar2r()
    robot = replace(robot, joints=tuple(replace(joint, FS=0.3) for joint in robot.joints))
    found = rates(Order(robot, tf.inverse_dynamics(robot), "arm")).compile()
    q, tau = np.array([0.2, 0.3]), np.zeros(2)
    one, rest, other, fast = (found(q, np.array([v, -v]), tau).qdd for v in (-1e-6, 0.0, 1e-6, 0.1))
    np.testing.assert_allclose([one, other], [rest, rest], atol=0.01)
    np.testing.assert_allclose(fast, tf.direct_dynamics(robot).compile()(q, np.array([0.1, -0.1]), tau), rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_fmus_pass_validation_and_fall_as_the_simulation_does(version, tmp_path):
    require("fmpy", "cmake")
    from fmpy import simulate_fmu
    from fmpy.validation import validate_fmu

    robot, start, times = tf.robots.planar2r(), [-0.6, 0.4], np.linspace(0.0, 10.0, 101)
    folder = made("fmu", robot, tmp_path)
    run(COMMANDS["fmu"][1], folder)
    file = str(folder / "build" / f"arm_fmi{version}.fmu")
    assert validate_fmu(file) == []
    wanted = tf.simulate(robot, times, q0=start, rtol=1e-11, atol=1e-12).q
    for kind in ("ModelExchange", "CoSimulation"):
        options = {"q[1]": start[0], "q[2]": start[1]}
        found = simulate_fmu(
            file, fmi_type=kind, stop_time=10.0, output_interval=0.1, start_values=options, relative_tolerance=1e-10
        )
        np.testing.assert_allclose(found["time"], times, atol=1e-9)
        np.testing.assert_allclose(np.stack([found["q[1]"], found["q[2]"]], axis=1), wanted, atol=1e-6)


@pytest.mark.slow
def test_a_page_runs_the_panda(tmp_path):
    require("playwright", "chromium", "gcc")
    from playwright.sync_api import sync_playwright

    robot = tf.robots.panda()
    folder = made("wasm", robot, tmp_path)
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    quiet.extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
            page.wait_for_function("document.getElementById('time').value != '…'", timeout=60_000)
            worst, time = (float(page.locator(f"#{name}").inner_text()) for name in ("worst", "time"))
            browser.close()
    finally:
        server.shutdown()
    assert worst <= 1e-12
    assert time <= 2.0 * native(robot, tmp_path)


def native(robot: tf.Robot, folder: Path) -> float:
    """Return nanoseconds per state of the C code of inverse dynamics, one state at a time."""
    n = robot.dof
    tf.inverse_dynamics(robot).write(folder / "arm.c")
    (folder / "main.c").write_text(
        "#include <stdio.h>\n#include <time.h>\n#include <math.h>\n"
        "void arm(const double *, const double *, const double *, double *);\n"
        f"static double x[4][1000][{n}];\n"
        f"int main(void) {{\n    for (int i = 0; i < 3000*{n}; i++) x[0][0][i] = sin(1.0 + i);\n"
        "    double best = 1e9;\n"
        "    for (int k = 0; k < 40; k++) {\n        const clock_t start = clock();\n"
        "        for (int j = 0; j < 20; j++) for (int s = 0; s < 1000; s++) arm(x[0][s], x[1][s], x[2][s], x[3][s]);\n"
        "        const double each = 1e9*(clock() - start)/CLOCKS_PER_SEC/20000;\n"
        "        best = each < best ? each : best;\n"
        '    }\n    printf("%g\\n", best);\n    return 0;\n}\n'
    )
    return float(run("gcc -O2 arm.c main.c -lm -o run && ./run", folder))
