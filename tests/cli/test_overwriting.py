"""Nothing that a command has read or written is overwritten by it, whatever the file is called."""

import os

import numpy as np
import pytest

import tauforge as tf
from tauforge.files import note_reading, nothing_overwritten, read_bytes, write_text

from .test_cli import run

XACRO = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINK = (
    '<xacro:macro name="link" params="n"><link name="${n}"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro>'
)
JOINT = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
ARM = f'<xacro:link n="a"/><xacro:link n="b"/>{JOINT}'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give a folder with a robot under several names, which is the current one."""
    monkeypatch.chdir(tmp_path)
    tf.robots.planar2r().save("arm.toml")
    tf.robots.puma560().neglect("IA", "FV", "FS").save("arm.urdf")
    os.symlink("arm.toml", "symbolic.c")
    os.link("arm.toml", "hard.c")
    (tmp_path / "inner").mkdir()
    return tmp_path


@pytest.mark.parametrize("output", ["arm.toml", "./arm.toml", "symbolic.c", "hard.c", "inner/../arm.toml"])
def test_generated_code_does_not_replace_the_robot(folder, output):
    before = (folder / "arm.toml").read_bytes()
    done = run("generate", "inverse-dynamics", "arm.toml", "-t", "c", "-o", output)
    assert done.returncode == 2
    assert "this command has read the same file" in done.stderr.replace("\n", " ")
    assert (folder / "arm.toml").read_bytes() == before


def test_an_absolute_name_is_the_same_file(folder):
    before = (folder / "arm.toml").read_bytes()
    assert run("generate", "inverse-dynamics", "arm.toml", "-t", "c", "-o", folder / "arm.toml").returncode == 2
    assert (folder / "arm.toml").read_bytes() == before


def test_what_a_former_command_wrote_is_replaced(folder):
    for _ in range(2):
        assert run("generate", "inverse-dynamics", "arm.toml", "-o", "arm.c").returncode == 0


def test_robots_that_are_saved(folder):
    before = (folder / "arm.urdf").read_bytes()
    assert run("base", "arm.urdf", "-o", "arm.urdf").returncode == 2
    assert (folder / "arm.urdf").read_bytes() == before
    assert run("base", "arm.toml", "-o", "base.toml").returncode == 0


def test_side_files(folder):
    (folder / "side.yaml").write_text("# nothing closes\n")
    before = (folder / "side.yaml").read_bytes()
    run("generate", "inverse-dynamics", "arm.urdf", "--loops", "side.yaml", "-t", "c", "-o", "side.yaml")
    assert (folder / "side.yaml").read_bytes() == before


def test_what_a_xacro_file_includes(folder):
    pytest.importorskip("xacro")
    (folder / "inner" / "part.xacro").write_text(f"{XACRO}{LINK}</robot>")
    (folder / "arm.xacro").write_text(f'{XACRO}<xacro:include filename="inner/part.xacro"/>{ARM}</robot>')
    assert run("generate", "inverse-dynamics", "arm.xacro", "-o", "arm.c").returncode == 0
    done = run("generate", "inverse-dynamics", "arm.xacro", "-t", "c", "-o", "inner/part.xacro")
    assert (done.returncode, "has read the same file" in done.stderr.replace("\n", " ")) == (2, True)
    assert (folder / "inner" / "part.xacro").read_text() == f"{XACRO}{LINK}</robot>"


def test_recordings_and_trajectories(folder):
    """What the functions that commands call read is noted by themselves."""
    run_ = tf.simulate(tf.robots.planar2r(), np.linspace(0.0, 0.1, 3), q0=[0.1, 0.2])
    for ending in ("npz", "csv"):
        run_.save(f"run.{ending}")
        with nothing_overwritten():
            tf.Trajectory.load(f"run.{ending}")
            with pytest.raises(tf.TauforgeError, match=f"run.{ending}: this command has read the same file"):
                write_text(f"run.{ending}", "")
    np.savez("data.npz", t=np.arange(20.0), q=np.zeros((20, 2)), tau=np.zeros((20, 2)))
    with nothing_overwritten():
        tf.Recording.read("data.npz")
        with pytest.raises(tf.TauforgeError, match="has read the same file"):
            write_text("data.npz", "")


def test_one_output_does_not_replace_another(folder):
    with nothing_overwritten():
        write_text("figures.json", "first")
        with pytest.raises(tf.TauforgeError, match="this command has written the same file"):
            write_text("./figures.json", "second")
        note_reading("inner")
        write_text("another.json", "third")
        os.remove("another.json")
        write_text("another.json", "fourth")
    assert (folder / "figures.json").read_text() == "first"
    write_text("figures.json", "outside commands, saving again is editing")


def test_files_in_folders_that_are_read_and_places_that_are_no_files(folder):
    (folder / "inner" / "bag.db3").write_text("bag")
    with nothing_overwritten():
        note_reading("inner")
        note_reading("nowhere\0")
        with pytest.raises(tf.TauforgeError, match="has read the same file"):
            write_text("inner/bag.db3", "")
        read_bytes("arm.toml")
        write_text(os.devnull, "a device loses nothing")
        write_text(os.devnull, "even twice")


def test_it_ends_with_the_command(folder):
    run("info", "arm.toml")
    tf.load("arm.toml").save("arm.toml")
