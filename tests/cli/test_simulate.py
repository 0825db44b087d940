"""The commands simulate and torques: what they print and write, with and without a task file."""

import numpy as np
import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_a_simulation_from_options_alone(tmp_path):
    found = run("simulate", "planar2r", "--time", 1, "--q0", "pi/2,0.1", "--torque", "-qd1, atan2(q2, 1)", "-o",
                tmp_path / "run.npz", "--rtol", "1e-6", "--atol", "1e-8", "--dt", 0.1)  # fmt: skip
    assert found.exit_code == 0, found.output
    for word in (
        "joint1",
        "peak torque",
        "RMS torque",
        "energy: kinetic 0 to ",
        "DOP853: ",
        " steps, ",
        " evaluations",
    ):
        assert word in found.output
    saved = tf.Trajectory.load(tmp_path / "run.npz")
    np.testing.assert_allclose(saved.t, np.linspace(0, 1, 11))
    np.testing.assert_allclose(saved.q[0], [np.pi / 2, 0.1])
    np.testing.assert_allclose(saved.tau[:, 1], np.arctan(saved.q[:, 1]), atol=1e-12)


def test_options_replace_values_of_the_file(tmp_path):
    task = tmp_path / "task.toml"
    task.write_text('[controller]\nlaw = "gravity-compensation"\n[simulation]\nduration = 1\nmethod = "RK45"\n')
    assert "RK45: " in run("simulate", "planar2r", "--task", task).output
    found = run("simulate", "planar2r", "--task", task, "--method", "RK23", "--time", 0.5, "--torque", "1,0")
    assert "planar2r: 0 to 0.5 s" in found.output
    assert "RK23: " in found.output


def test_torques_from_options_alone(tmp_path):
    out = tmp_path / "torques.csv"
    found = run("torques", "planar2r", "--points", "0,0; 1,pi/4", "--time", 2, "--payload", 1.5, "-o", out, "--dt", 0.5)
    assert found.exit_code == 0, found.output
    assert "peak power" in found.output
    expected = tf.required_torques(tf.robots.planar2r(), tf.motion([[0, 0], [1, np.pi / 4]], 2), payload=1.5, dt=0.5)
    np.testing.assert_allclose(np.loadtxt(out, delimiter=",", skiprows=1)[:, -2:], expected.tau)


def test_one_expression_moves_all_joints(tmp_path):
    picture = tmp_path / "torques.svg"
    found = run("torques", "planar2r", "--motion", "sin(t)", "--time", 2, "--plot", picture)
    assert found.exit_code == 0, found.output
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


def test_torques_of_motors(tmp_path):
    """Motors have lines of their own where they are not the joints."""
    arm = tf.robots.planar2r().bind(dict.fromkeys(tf.robots.planar2r().symbols, 0.5))
    arm.with_coupling([[10.0, 0.0], [8.0, 8.0]], names=["hip", "belt"]).save(tmp_path / "belts.toml")
    options = [str(tmp_path / "belts.toml"), "--time", "0.2", "--efforts", "motors"]
    result = CliRunner().invoke(app, ["simulate", *options, "--torque", "0.25,0.125"])
    assert result.exit_code == 0, result.output
    lines = {line.split()[0]: line.split()[1:] for line in result.output.splitlines() if line.split()}
    assert lines["hip"] == ["0.25", "0.25"]
    assert lines["belt"] == ["0.125", "0.125"]
    assert len(lines[arm.joint_names[0]]) == 5
    result = CliRunner().invoke(app, ["torques", *options, "--points", "0,0; 1,0.5"])
    assert "belt" in result.output, result.output
    result = CliRunner().invoke(
        app, ["generate", "hybrid-dynamics", options[0], "--accelerated", arm.joint_names[0], "--efforts", "motors"]
    )
    assert result.exit_code
    assert "its torques are those of joints" in str(result.exception) + result.output


def test_events_and_closed_loops_are_told(tmp_path):
    task = tmp_path / "task.toml"
    task.write_text('[[event]]\nname = "half way"\nvalue = "t - 0.25"\nstop = true\n[simulation]\nduration = 1\n')
    found = run("simulate", "fourbar", "--q0", 1, "--task", task)
    assert "half way at t = 0.25 s" in found.output
    assert "stopped there" in found.output
    assert "closed loops: open by at most " in found.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("simulate", "planar2r"), "how long"),
        (("simulate", "planar2r", "--time", "x"), "duration"),
        (("simulate", "planar2r", "--time", 1, "--q0", "1,2,3"), "q0"),
        (("simulate", "planar2r", "--task", "none.toml"), "none.toml: no such file"),
        (("torques", "planar2r"), "there is no motion"),
        (("torques", "planar2r", "--points", "0,0;1", "--time", 1), "points"),
    ],
)
def test_errors_are_those_of_tauforge(arguments, message):
    found = run(*arguments)
    assert isinstance(found.exception, tf.TauforgeError)
    assert message in str(found.exception)


def test_the_part_computed_before_a_failure_is_saved(tmp_path):
    out = tmp_path / "part.npz"
    found = run("simulate", "planar2r", "--time", 1, "--torque", "1/(t - 0.5)**2, 0", "--rtol", "1e-3", "-o", out)
    assert isinstance(found.exception, tf.SimulationError)
    assert tf.Trajectory.load(out).status == "failed"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-o", "nowhere/a.csv"], "there is no folder nowhere"),
        (["--plot", "nowhere/a.svg"], "there is no folder nowhere"),
        (["-o", "a.txt"], "it must end with one of .npz, .csv, .parquet"),
        (["--animate", "a.mp4"], "it must end with one of .html, .gif, .png"),
    ],
)
def test_files_are_refused_before_the_work(options, said):
    found = run("simulate", "planar2r", "--time", "1", *options)
    assert isinstance(found.exception, tf.TauforgeError)
    assert said in str(found.exception)
    assert "energy" not in found.output


def test_a_motion_that_the_joints_no_longer_describe_is_an_error():
    fall = ("simulate", "fivebar", "--q0", "2.0,-1.2159,1.1,1.2382", "--time", "0.45", "--method", "DOP8")
    assert not run(*fall).exit_code
    assert not run(*fall, "--coordinates", "all", "--through", "inertia").exit_code
    found = run(*fall, "--coordinates", "independent")
    assert found.exit_code
    assert "arm1, arm2 no longer describe" in " ".join(str(found.exception or found.output).split())
