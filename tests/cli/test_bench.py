"""tauforge bench: its table, its file, its drawing, and what it refuses."""

import json
import sys

import pytest
from rich.console import Console
from typer.testing import CliRunner

import tauforge as tf
from tauforge.bench.compare import Row
from tauforge.bench.with_mujoco import MuJoCo
from tauforge.bench.with_pinocchio import Pinocchio
from tauforge.cli import bench
from tauforge.cli.main import app

ROWS = [
    Row("inertia-matrix", "Tauforge", "0.1", 40.0, 1.0, 500.0, 1.0, "compiled", 0.0),
    Row("inertia-matrix", "Pinocchio", "4.1", 1200.0, 30.0, 1500.0, 3.0, "pin.crba", 1e-16),
    Row("inertia-matrix", "Drake", reason="not installed: pip install drake"),
    Row("derivatives", "Tauforge", "0.1", 400.0, 1.0, 500.0, 1.0, "compiled", 0.0),
    Row("derivatives", "Pinocchio", reason="results differ by 1"),
    Row("derivatives", "Drake", reason="not installed: pip install drake"),
]


@pytest.fixture
def two(monkeypatch):
    """Leave out libraries that take long to import."""
    rows = bench.rows
    monkeypatch.setattr(bench, "rows", lambda *a, **k: rows(*a, **k, peers=[Pinocchio, MuJoCo]))


def shown(renderable):
    with (console := Console(width=120)).capture() as capture:
        console.print(renderable)
    return capture.get()


def test_the_table_has_a_line_for_each_and_says_what_is_missing():
    text = shown(bench.table(tf.robots.planar2r(), ROWS, 64, ["loops are open"]))
    lines = text.splitlines()
    assert any("Pinocchio" in line and "30.0" in line and "pin.crba" in line for line in lines)
    assert "results differ by 1" in text
    assert text.count("pip install drake") == 1
    assert "64 at once" in text
    assert "loops are open" in text


@pytest.mark.usefixtures("two")
def test_the_command_writes_figures_and_a_drawing(tmp_path):
    figures, drawing = tmp_path / "figures.json", tmp_path / "ratios.svg"
    arguments = ["bench", "kuka_lwr", "--models", "inverse-dynamics,derivatives", "--batch", "16", "--seconds", "0"]
    result = CliRunner().invoke(app, [*arguments, "--json", str(figures), "--plot", str(drawing)])
    assert result.exit_code == 0, result.output
    assert "rneaInParallel" in result.output
    found = json.loads(figures.read_text())
    assert found["robot"] == "kuka_lwr"
    assert found["batch"] == 16
    assert [(row["model"], row["peer"]) for row in found["rows"]] == [
        (model, peer) for model in ("inverse-dynamics", "derivatives") for peer in ("Tauforge", "Pinocchio", "MuJoCo")
    ]
    assert all(row["reason"] or row["batch"] > 0 for row in found["rows"])
    assert "<svg" in drawing.read_text()


@pytest.mark.usefixtures("two")
def test_a_file_works_as_well_as_a_bundled_robot(tmp_path):
    path = tmp_path / "arm.urdf"
    tf.robots.planar2r().derived(gravity=tf.robots.kuka_lwr().gravity).save(path)
    result = CliRunner().invoke(app, ["bench", str(path), "--base", "floating", "--batch", "4", "--seconds", "0"])
    assert result.exit_code == 0, result.output
    assert "8 degrees of freedom" in result.output


def test_an_unknown_model_is_refused():
    with pytest.raises(tf.TauforgeError, match="no 'dynamics'; choose among inverse-dynamics"):
        bench.models("dynamics")


def test_a_drawing_without_matplotlib_is_refused_before_any_time_is_taken(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner().invoke(app, ["bench", "planar2r", "--plot", "ratios.svg"])
    assert "tauforge[plot]" in str(result.exception)
    assert result.output == ""


def test_a_drawing_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(tf.TauforgeError, match="cannot be written"):
        bench.plot(tmp_path / "nowhere" / "x.svg", tf.robots.planar2r(), ROWS)
