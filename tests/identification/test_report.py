"""The report: one file with all results, which loads nothing."""

import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app
from tests.identification.motions import recorded, rubbing

pytest.importorskip("clarabel")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def result():
    robot = tf.robots.planar2r()
    recordings = [recorded(rubbing(robot)), replace(recorded(rubbing(robot), seed=2), name="<b>motion 2")]
    return tf.identify(robot, recordings, consistent=True, cutoff=None)


def test_the_report_has_everything_and_loads_nothing(result, tmp_path):
    other = recorded(rubbing(tf.robots.planar2r()), seed=1)
    path = result.report(tmp_path / "report.html", other)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert not re.search(r"(src|href)=['\"](?!data:|#)", text)
    assert "http" not in re.sub(r"base64,[A-Za-z0-9+/=]*", "", text)
    for name in result.names:
        assert f"<td>{name}</td>" in text
    assert "motion 0" in text
    assert "&lt;b&gt;motion 2" in text
    assert "<b>motion" not in text
    assert f"{100 * result.validate(other).overall:.2f} %" in text
    assert text.count("<figure>") == 5
    undetermined = result.consistent.undetermined
    assert "M1" in undetermined
    row = re.search(r"<tr><td>M1</td>(.*?)</tr>", text)[1]
    assert "undetermined" in row
    assert not re.search(rf"{result.robot.bodies[0].inertia.M:.3g}", row), "no value that nothing tells"


def test_plots_are_figures(result):
    figure = result.plot()
    assert len(figure.axes) == 2
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert np.allclose(lines["measured"].get_ydata()[:50], result.training.measured[:50, 0])
    assert len(result.plot(result.recordings[0]).axes) == 2


def test_only_html_is_written(result, tmp_path):
    with pytest.raises(tf.TauforgeError, match=r"is written as \.html"):
        result.report(tmp_path / "report.pdf")


def test_the_command_writes_a_possible_robot_and_its_report(tmp_path):
    robot = tf.robots.planar2r()
    robot.save(tmp_path / "arm.toml")
    recording = recorded(rubbing(robot), seconds=6.0)
    np.savez(tmp_path / "data.npz", t=recording.t, q=recording.q, tau=recording.tau)
    files = [str(tmp_path / name) for name in ("arm.toml", "data.npz")]
    report, output = tmp_path / "report.html", tmp_path / "found.toml"
    options = ["--consistent", "--friction", "FV,FS", "--report", str(report), "-o", str(output)]
    done = CliRunner().invoke(app, ["identify", *files, *options])
    assert done.exit_code == 0, done.output
    assert "possible" in report.read_text(encoding="utf-8")
    assert all(float(body.inertia.M) > 0.0 for body in tf.load(output).bodies)
