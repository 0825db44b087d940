"""The report: one file with all results, which loads nothing."""

import re
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
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
