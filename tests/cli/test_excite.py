"""The command excite: what it prints and writes, and what it refuses."""

import numpy as np
from typer.testing import CliRunner

from tauforge.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, ["excite", *map(str, arguments)])


def test_a_motion_for_a_controller(tmp_path):
    found = run("planar2r", "--time", 4, "--harmonics", 3, "--starts", 1, "--position", "-2,-1.5;2,1.5", "--velocity",
                "2,3", "--acceleration", 20, "--friction", "FV", "--no-rotors", "--start", "0.1,0.2",
                "--dt", 0.01, "-o", tmp_path / "excite.csv")  # fmt: skip
    assert found.exit_code == 0, found.output
    assert "condition number" in found.output
    assert "acceleration" in found.output
    table = np.loadtxt(tmp_path / "excite.csv", delimiter=",", skiprows=1)
    assert table.shape == (401, 7)
    np.testing.assert_allclose(table[[0, -1], 1:3], [[0.1, 0.2]] * 2, atol=1e-9)
    np.testing.assert_allclose(table[[0, -1], 3:], 0.0, atol=1e-9)


def test_what_is_wrong_is_said():
    assert "nothing limits the motion" in str(run("planar2r").exception)
    assert "give numbers" in str(run("planar2r", "--velocity", "fast").exception)
