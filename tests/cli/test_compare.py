"""The comparison of formulations as shown."""

import sys
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import tauforge as tf
from tauforge.bench.formulations import Costs, Row, growth, rows
from tauforge.cli import compare
from tauforge.cli.main import app

from .test_cli import run


def test_the_command():
    result = run("compare", "planar2r")
    assert result.returncode == 0, result.stderr
    for part in ("uicker-kahn", "66271/51548", "n^4", "proved", "agreement"):
        assert part in result.stdout


def test_generated_by_another_formulation():
    result = run("generate", "inverse-dynamics", "planar2r", "--formulation", "waters", "-t", "python")
    assert result.returncode == 0, result.stderr
    assert "def planar2r_inverse_dynamics" in result.stdout
    refused = run("generate", "transforms", "planar2r", "--formulation", "waters")
    assert refused.returncode == 2
    assert "only one formulation" in refused.stderr


def test_parameters_are_refused_where_there_are_none_to_choose():
    refused = run("generate", "transforms", "planar2r", "--parameters", "base")
    assert refused.returncode == 2
    assert "transforms takes no --parameters" in refused.stderr


def test_the_plot(tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "growth", partial(growth, range(2, 8)))
    compare.plot(tmp_path / "growth.svg")
    text = (tmp_path / "growth.svg").read_text()
    assert "<svg" in text
    with pytest.raises(tf.TauforgeError, match="cannot be written"):
        compare.plot(tmp_path / "no" / "growth.svg")


def test_the_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tf.TauforgeError, match=r"tauforge\[plot\]"):
        compare.plot(Path("growth.png"))


def test_a_floating_robot_is_compared_on_a_fixed_base(tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "rows", partial(rows, seconds=0.001))
    path = tmp_path / "arm.toml"
    tf.robots.planar2r().with_base("floating").save(path)
    drawing = tmp_path / "growth.svg"
    refused = CliRunner().invoke(app, ["compare", str(path), "--plot", "--output", str(drawing)])
    assert "is floating" in str(refused.exception)
    assert not drawing.exists()
    assert CliRunner().invoke(app, ["compare", str(path), "--base", "fixed"]).exit_code == 0


def test_how_rows_say_that_they_agree():
    known = Costs(None, None, None)
    found = (
        Row("a", known, (1, 2), (3, 4), 5.0, proved=True, error=2e-16),
        Row("b", known, (1, 2), (3, 4), 15.0, proved=False, error=2e-16),
        Row("c", known, (1, 2), None, 5.0, error=0.01, points=8, memory=2**20),
        Row("d", known, reason="needs numbers"),
    )
    console = Console(width=120)
    with console.capture() as captured:
        console.print(compare.table(tf.robots.planar2r(), found))
    lines = captured.get().splitlines()
    ends = ("proved, 2e-16", "3.0  undecided, 2e-16", "1e-02 on 8 points, 1.0 MB", "needs numbers")
    assert all(line.rstrip().endswith(end) for line, end in zip(lines[2:6], ends, strict=True))
