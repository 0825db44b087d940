"""Names of files, wherever a user gives one: what is no name is refused in words."""

import os

import numpy as np
import pytest

import tauforge as tf
from tauforge.files import as_path

ROBOT = tf.robots.planar2r()
PROGRAM = tf.gravity(ROBOT)
TIMES = np.linspace(0.0, 0.1, 3)


def trajectory():
    return tf.simulate(ROBOT, TIMES, q0=[0.1, 0.2])


TAKES_A_NAME = {
    "Program.write": PROGRAM.write,
    "Robot.save": ROBOT.save,
    "Trajectory.save": lambda name: trajectory().save(name),
    "Trajectory.load": tf.Trajectory.load,
    "RequiredTorques.save": lambda name: tf.required_torques(ROBOT, tf.motion([[0, 0], [1, 1]], [0, 1.0])).save(name),
    "Drawing.save": lambda name: tf.draw(ROBOT).save(name),
    "Picture.save": lambda name: ROBOT.plot().save(name),
    "Equations.save": lambda name: PROGRAM.equations().save(name),
    "Task.load": tf.Task.load,
    "Sweep.load": tf.Sweep.load,
    "sweep": lambda name: tf.sweep(lambda a: {"y": a}, {"a": [1.0]}, store=name),
    "verify": lambda name: tf.verify(name, ROBOT),
    "write_project": lambda name: tf.write_project(PROGRAM, "cmake", name),
    "load": tf.load,
    "load(loops=)": lambda name: tf.load("arm.urdf", loops=name),
}


@pytest.mark.parametrize("name", [b"x.toml", 3, ["x.toml"], "x\0.toml"])
@pytest.mark.parametrize("take", TAKES_A_NAME.values(), ids=TAKES_A_NAME)
def test_what_is_no_name_is_refused(take, name):
    with pytest.raises(tf.TauforgeError):
        take(name)


@pytest.mark.parametrize("take", [PROGRAM.write, ROBOT.save, tf.Task.load, tf.Sweep.load])
def test_none_is_refused(take):
    with pytest.raises(tf.TauforgeError, match=r"must be a text or a pathlib.Path, not None"):
        take(None)


def test_what_stands_for_a_path_is_one(tmp_path):
    class Named:
        def __fspath__(self):
            return str(tmp_path / "x.c")

    assert PROGRAM.write(Named()) == as_path(Named()) == tmp_path / "x.c"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize(
    ("read", "file"),
    [
        *((tf.Trajectory.load, f"trajectory{ending}") for ending in (".npz", ".csv", ".parquet")),
        *((tf.Recording.read, f"recording{ending}") for ending in (".npz", ".csv", ".db3")),
        (lambda name: tf.verify(name, ROBOT), "code.c"),
        (tf.Task.load, "task.toml"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_nobody_waits_for_a_pipe(read, file, tmp_path):
    """Who opens it waits for ever, for somebody who writes."""
    os.mkfifo(tmp_path / file)
    with pytest.raises(tf.TauforgeError, match="this is a pipe or a device"):
        read(tmp_path / file)
