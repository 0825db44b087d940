"""The comparison of formulations, as shown and as computed."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli import compare
from tauforge.cli.main import app

from .test_cli import run


@pytest.fixture(autouse=True, scope="module")
def quick():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "_SECONDS", 0.001)
        yield


@pytest.fixture(scope="module")
def planar():
    return {row.name: row for row in compare.rows(tf.robots.planar2r())}


def test_every_formulation_has_a_row(planar):
    assert set(planar) == {"newton-euler", "configuration-space", *tf.formulations()}
    assert all(row.agreement.startswith("proved") for name, row in planar.items() if name != "configuration-space")
    assert all(row.nanoseconds > 0 for row in planar.values())
    assert planar["waters"].published == (7051, 5652)
    assert planar["newton-euler-link"].general == (150 * 2 - 48, 128 * 2 - 51)
    assert sum(planar["newton-euler"].optimised) == min(sum(r.optimised) for r in planar.values() if r.optimised)
    assert "points" in planar["configuration-space"].agreement


def test_a_symbolic_robot():
    found = {row.name: row for row in compare.rows(tf.robots.scara(symbolic=True))}
    assert found["configuration-space"].agreement == "needs numbers"
    assert all(row.agreement.startswith("proved") for name, row in found.items() if name != "configuration-space")


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
    assert "one formulation only" in refused.stderr


def test_the_documented_table_is_the_present_one():
    """Counts only; times and rounding are another machine's."""
    text = (Path(__file__).parents[2] / "docs" / "formulations" / "puma560.txt").read_text()
    shown = {line.split()[0]: line for line in text.splitlines()[2:15]}
    puma = tf.robots.puma560()
    assert set(shown) == {"newton-euler", "configuration-space", *tf.formulations()}
    for name in ("newton-euler", *tf.formulations()):
        known = compare.costs(name, puma.dof)[1:3]
        made = [tf.inverse_dynamics(puma, parameters=p, formulation=name).count() for p in ("standard", "base")]
        for pair in (*known, *map(compare.operations, made)):
            assert pair is None or f" {pair[0]}/{pair[1]} " in shown[name]


def test_the_plot(tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "_GROWTH", range(2, 8))
    compare.plot(tmp_path / "growth.svg")
    text = (tmp_path / "growth.svg").read_text()
    assert "<svg" in text
    with pytest.raises(tf.TauforgeError, match="cannot be written"):
        compare.plot(tmp_path / "no" / "growth.svg")


def test_the_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tf.TauforgeError, match=r"tauforge\[plot\]"):
        compare.plot(Path("growth.png"))


def test_a_floating_robot_is_compared_on_a_fixed_base(tmp_path):
    path = tmp_path / "arm.toml"
    tf.robots.planar2r().with_base("floating").save(path)
    drawing = tmp_path / "growth.svg"
    refused = CliRunner().invoke(app, ["compare", str(path), "--plot", "--output", str(drawing)])
    assert "is floating" in str(refused.exception)
    assert not drawing.exists()
    assert CliRunner().invoke(app, ["compare", str(path), "--base", "fixed"]).exit_code == 0
