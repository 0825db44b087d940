"""The task files among the examples: the two papers' problems, run as their first lines say."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app
from tauforge.papers import grigorov, wolinski

TASKS = Path(__file__).parents[3] / "examples/tasks"


def commands():
    lines = [line for path in sorted(TASKS.glob("*.toml")) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line.removeprefix("#   tauforge ") for line in lines if line.startswith("#   tauforge ")]


@pytest.mark.parametrize("command", commands())
def test_the_command_in_a_task_file_runs(command, tmp_path, monkeypatch):
    for path in TASKS.glob("*.toml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == 0, result.output
    assert Path(command.split()[-1]).stat().st_size > 10_000


def test_every_task_file_has_its_command():
    assert len(commands()) == len([*TASKS.glob("*.toml")]) - 1  # one is a robot


def test_the_heavy_arm_is_the_one_of_the_report_and_of_the_example():
    scope = {}
    exec((TASKS.parent / "simulation/heavy_arm.py").read_text(encoding="utf-8"), scope)
    assert tf.load(TASKS / "heavy_arm.toml") == grigorov.arm() == scope["robot"]
    task = tf.Task.load(TASKS / "heavy_arm_torques.toml")
    np.testing.assert_allclose(task.torques(grigorov.arm()).tau, scope["torques"].tau, rtol=1e-9)


def test_the_valves_close_as_in_the_report():
    found = tf.Task.load(TASKS / "heavy_arm_valves.toml").simulate(grigorov.arm())
    np.testing.assert_allclose(found.q, grigorov.closure().q, atol=1e-9)


def test_the_forward_problem_is_the_one_of_the_report():
    found = tf.Task.load(TASKS / "lwr_forward.toml").simulate(tf.robots.kuka_lwr())
    np.testing.assert_array_equal(found.q, wolinski.forward(1e-6).q)
