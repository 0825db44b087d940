"""Code of inverse geometry: it agrees with the compiled function."""

import ctypes
from typing import Any

import numpy as np
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app

from ...targets.runners import C, tool
from .arms import poses, states


def test_c_code_agrees(tmp_path):
    robot = tf.robots.ur5()
    done = CliRunner().invoke(
        app, ["generate", "inverse-geometry", "ur5", "--frame", "link6", "-o", str(tmp_path / "ik.c")]
    )
    assert done.exit_code == 0, done.output
    tool([*C, "-O1", "-fPIC", "-shared", "ik.c", "-lm", "-o", "ik.so"], tmp_path)
    function = ctypes.CDLL(str(tmp_path / "ik.so")).ik
    ik = tf.inverse_geometry(robot, frame="link6")
    outputs = {name: np.empty(shape) for name, shape in ik.program.outputs.items()}
    near, blur = np.zeros(6), np.array([1e-40])
    for T in poses(robot, states(robot, 50), "link6"):
        arrays = [np.ascontiguousarray(T), near, blur, *outputs.values()]
        function(*(array.ctypes.data_as(ctypes.c_void_p) for array in arrays))
        own = outputs["q"][outputs["valid"] == 1.0]
        np.testing.assert_allclose(own, ik(T, limits=False).q, atol=1e-9)


def test_python_code_agrees_at_singular_poses():
    """Python raises an error where other languages divide by zero."""
    robot = tf.robots.ur5()
    program, names = tf.inverse_geometry(robot, frame="link6").program, dict[str, Any]()
    exec(program.code("python"), names)
    T = poses(robot, np.random.default_rng(2).choice(np.pi / 2 * np.arange(-1, 3), (40, 6)), "link6")
    _, valid, doubt, *_ = program.compile()(T, np.zeros(6), 1e-40)
    assert (doubt > 0.0).sum() > 20
    for pose, flags, count in zip(T.tolist(), valid, doubt, strict=True):
        _, own, doubted, *_ = names["ur5_inverse_geometry"](pose, [0.0] * 6, 1e-40)
        assert own == flags.tolist()
        assert doubted == count


def test_every_target_prints_it():
    from tauforge.targets import TARGETS

    program = tf.inverse_geometry(tf.robots.scara(), frame="link4").program
    for target in TARGETS:
        assert program.code(target)


def test_the_command_line_says_what_it_needs():
    tip = CliRunner().invoke(app, ["generate", "inverse-geometry", "scara", "-t", "python"])
    assert tip.exit_code == 0
    held = CliRunner().invoke(app, ["generate", "inertia-matrix", "ur5", "--fixed", "joint1"])
    assert held.exit_code
    assert "takes no --fixed" in str(held.exception)
    code = CliRunner().invoke(
        app, ["generate", "inverse-geometry", "kuka_lwr", "--frame", "link7", "--fixed", "joint3", "-t", "python"]
    )
    assert code.exit_code == 0
    assert "def kuka_lwr_inverse_geometry" in code.output
