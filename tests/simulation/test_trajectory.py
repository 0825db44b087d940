"""Trajectories: what they hold, plots, and files that give back what was saved."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Limits


@pytest.fixture(scope="module")
def falling():
    robot = tf.robots.planar2r()
    first, second = robot.joints
    robot = replace(robot, joints=(replace(first, limits=Limits(lower=-1.0)), second))
    return tf.simulate(robot, np.linspace(0.0, 2.0, 21), [0.1, 0.2], events="limits")


def test_what_it_holds(falling):
    count = len(falling)
    assert {name: getattr(falling, name).shape for name in ("q", "qd", "qdd", "tau")} == dict.fromkeys(
        ("q", "qd", "qdd", "tau"), (count, 2)
    )
    kinetic, potential = tf.energy(tf.robots.planar2r()).compile()(falling.q, falling.qd)
    np.testing.assert_allclose(falling.kinetic, kinetic, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(falling.potential, potential, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(falling.total, falling.kinetic + falling.potential)
    work = np.array([0.1, 0.2]) @ (falling.q[-1] - falling.q[0])
    assert falling.total[-1] - falling.total[0] == pytest.approx(work, abs=1e-7)
    with pytest.raises(ValueError, match="read-only"):
        falling.q[0, 0] = 1.0
    with pytest.raises(AttributeError):
        falling.q = 0


def test_repr(falling):
    assert repr(falling) == (
        f"Trajectory(planar2r: 0 to {falling.t[-1]:g} s, {len(falling)} times, event; "
        f"DOP853, {falling.steps} steps, {falling.evaluations} evaluations)"
    )
    assert repr(falling.events[0]) == f"Event('lower limit of joint1', t={falling.t[-1]:.6g})"


def same(a, b):
    for each in fields(a):
        one, other = getattr(a, each.name), getattr(b, each.name)
        if each.name == "robot":
            assert other in (one, None)  # files do not hold it
        elif each.name == "events":
            assert [(e.name, e.t, *e.q, *e.qd) for e in one] == [(e.name, e.t, *e.q, *e.qd) for e in other]
        elif isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
        else:
            assert one == other
            assert type(one) is type(other)


@pytest.mark.parametrize("ending", ["npz", "csv", "parquet"])
def test_files_give_back_what_was_saved(falling, tmp_path, ending):
    path = falling.save(tmp_path / f"fall.{ending}")
    same(falling, tf.Trajectory.load(path))
    assert [p.name for p in tmp_path.iterdir()] == [f"fall.{ending}"]


def test_csv_is_a_table(falling, tmp_path):
    path = falling.save(tmp_path / "fall.csv")
    table = np.genfromtxt(path, delimiter=",", skip_header=2)
    head = path.read_text().splitlines()[1].split(",")
    assert head[:4] == ["t", "q joint1", "q joint2", "qd joint1"]
    np.testing.assert_array_equal(table[:, head.index("tau joint2")], falling.tau[:, 1])


def test_files_that_are_refused(falling, tmp_path):
    with pytest.raises(tf.TauforgeError, match=r"ends with \.npz, \.csv, \.parquet"):
        falling.save(tmp_path / "fall.txt")
    with pytest.raises(tf.TauforgeError, match="cannot be read"):
        tf.Trajectory.load(tmp_path / "none.npz")
    for ending, text in (("csv", "a,b\n1,2\n"), ("csv", ""), ("npz", "nothing"), ("parquet", "nothing")):
        (tmp_path / f"bad.{ending}").write_text(text)
        with pytest.raises(tf.TauforgeError, match="not a trajectory"):
            tf.Trajectory.load(tmp_path / f"bad.{ending}")


def damaged(good, rng):
    """Return the bytes of a file that was cut off, overwritten or pieced together wrongly."""
    data, at, length = bytearray(good), int(rng.integers(len(good))), int(rng.integers(1, 100))
    damage = rng.integers(4)
    if damage == 0:
        return bytes(data[:at])
    data[at : at + length] = (rng.bytes(length), b"", data[:length])[damage - 1]
    return bytes(data)


@pytest.mark.parametrize("ending", ["npz", "csv", "parquet"])
def test_damaged_files(falling, tmp_path, ending):
    """The error names the file and what to do; what loads is whole."""
    good, bad = falling.save(tmp_path / f"fall.{ending}").read_bytes(), tmp_path / f"bad.{ending}"
    rng, said = np.random.default_rng(0), list[str]()
    for _ in range(60):
        bad.write_bytes(damaged(good, rng))
        try:
            assert tf.Trajectory.load(bad).q.shape == falling.q.shape
        except tf.TauforgeError as error:
            said.append(str(error))
    assert len(said) > 30
    assert [text for text in said if not (text.startswith(f"{bad}: ") and "save it again" in text)] == []


def test_parquet_without_its_library(falling, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(tf.TauforgeError, match="needs pyarrow"):
        falling.save(tmp_path / "fall.parquet")


def test_plot(falling):
    figure = falling.plot()
    labels = [axis.get_ylabel() for axis in figure.axes]
    assert labels == ["coordinates (rad)", "velocities (rad/s)", "torques and forces (N m)", "energy (J)"]
    np.testing.assert_array_equal(figure.axes[0].lines[1].get_ydata(), falling.q[:, 1])
    assert [text.get_text() for text in figure.axes[3].get_legend().get_texts()] == ["kinetic", "potential", "total"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(falling.velocity_names)
    assert [text.get_text() for text in figure.axes[0].texts] == [event.name for event in falling.events]


def test_many_joints_have_lines_that_can_be_told_apart(falling):
    names = tuple(f"joint{k}" for k in range(30))
    many = {key: np.zeros((len(falling), 30)) for key in ("q", "qd", "qdd", "tau")}
    figure = replace(falling, coordinate_names=names, velocity_names=names, robot=None, **many).plot()
    assert len({line.get_color() for line in figure.axes[0].lines[:30]}) == 30
    assert len(figure.legends[0].get_texts()) == 30
    assert figure.axes[1].get_ylabel() == "velocities (rad/s, m/s)"


def test_it_can_be_sent_to_another_process(falling):
    same(falling, pickle.loads(pickle.dumps(falling)))
