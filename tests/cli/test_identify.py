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


def test_other_names_degrees_and_motors(tmp_path):
    robot = filled(tf.robots.planar2r())
    robot.save(tmp_path / "arm.toml")
    recording = recorded(robot, 6.0)
    R = np.array([[50.0, 0.0], [40.0, -40.0]])
    table = [recording.t, np.rad2deg((recording.q - [0.1, 0.2]) @ R.T), recording.tau @ np.linalg.inv(R) / 0.5]
    header = "stamp,pos_1,pos_2,current_1,current_2"
    np.savetxt(tmp_path / "log.csv", np.column_stack(table), delimiter=",", header=header, comments="")
    arm, log = str(tmp_path / "arm.toml"), str(tmp_path / "log.csv")
    names = ["--column", "t=stamp", "--column", "q=pos", "--column", "tau=current"]
    units = ["--degrees", "--motors", "50,0; 40,-40", "--zero", "0.1,0.2", "--gains", "0.5,0.5"]
    run = CliRunner().invoke(app, ["identify", arm, log, *names, *units, "--friction", "FV,FS,FO"])
    assert run.exit_code == 0, run.output
    assert "FV_motor2" in run.output
    again = CliRunner().invoke(app, ["validate", arm, log, *names, *units])
    assert again.exit_code == 0, again.output
    assert float(again.output.split("overall")[1].split("%")[0]) < 2.0
    for given, message in (
        ([], "there is no t"),
        (names[:4], "there is no tau"),
        ([*names, "--zero", "1,2"], "--zero and --gains go with data of motors"),
        ([*names, "--motors", "50,many"], "'many' is not a number"),
        ([*names, "--column", "q"], "give KEY=NAMES"),
    ):
        bad = CliRunner().invoke(app, ["validate", arm, log, *given])
        assert bad.exit_code != 0
        assert message in str(bad.exception) + bad.output, bad.output


def test_findings_are_shown_and_accepted(tmp_path):
    robot = filled(tf.robots.planar2r())
    robot.save(tmp_path / "arm.toml")
    recording = recorded(robot, 6.0).shifted(-0.02)
    table = np.column_stack([recording.t, recording.q, recording.tau])
    np.savetxt(tmp_path / "late.csv", table, delimiter=",", header="t,q1,q2,tau1,tau2", comments="")
    command = ["identify", str(tmp_path / "arm.toml"), str(tmp_path / "late.csv"), "--friction", "FV,FS,FO"]
    assert "rec.shifted(0.02" in CliRunner().invoke(app, command).output
    accepted = CliRunner().invoke(app, [*command, "--accept", "delay"])
    assert accepted.exit_code == 0
    assert "rec.shifted" not in accepted.output
