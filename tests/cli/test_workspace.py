"""``tauforge workspace`` and ``tauforge singularities``."""

import pytest

from .test_cli import run


def test_a_section_in_a_file(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "reach.svg"
    few = ("--plane", "xy", "--samples", "500", "--cells", "12")
    done = run("workspace", "scara", "--frame", "link4", *few, "-o", file)
    assert done.returncode == 0
    assert "within reach" in done.stdout
    assert "section at z = 0 m" in file.read_text(encoding="utf-8")
    wrong = run("workspace", "scara", *few, "-o", tmp_path / "reach.foo")
    assert wrong.returncode == 2
    assert "a figure's file ends in" in wrong.stderr
    assert "no frame 'nose'" in run("workspace", "scara", "--frame", "nose").stderr


def test_singularities_in_the_terminal():
    done = run("singularities", "scara", "-s")
    assert done.stdout.startswith("det J = -D₂ D₃ s₂\nsingular where\n  s₂ = 0\nequal at 2 exact random points")
