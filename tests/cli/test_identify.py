"""The commands that compare a robot with measurements."""

import numpy as np
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app
from tests.identification.known import filled, recorded


def test_identify_saves_a_robot_that_validate_takes(tmp_path):
    robot = filled(tf.robots.planar2r())
    robot.save(tmp_path / "arm.toml")
    for name, seed in (("first", 1), ("second", 2)):
        recording = recorded(robot, 6.0, seed=seed)
        table = np.column_stack([recording.t, recording.q, recording.tau])
        np.savetxt(tmp_path / f"{name}.csv", table, delimiter=",", header="t,q1,q2,tau1,tau2", comments="")
    arm, first, second = (str(tmp_path / name) for name in ("arm.toml", "first.csv", "second.csv"))
    saved = str(tmp_path / "identified.toml")
    run = CliRunner().invoke(app, ["identify", arm, first, "--validate", second, "-o", saved, "--friction", "FV,FS,FO"])
    assert run.exit_code == 0, run.output
    assert "ZZ1R" in run.output
    assert "overall" in run.output
    again = CliRunner().invoke(app, ["validate", saved, second])
    assert again.exit_code == 0, again.output
    assert "joint2" in again.output
    bad = CliRunner().invoke(app, ["identify", arm, str(tmp_path / "none.csv")])
    assert bad.exit_code != 0
