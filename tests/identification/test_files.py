"""Recordings from files: tables, archives and bags, whatever they call their columns."""

import warnings

import numpy as np
import pytest

import tauforge as tf

from .known import filled, recorded


@pytest.fixture(scope="module")
def planar():
    robot = filled(tf.robots.planar2r())
    return robot, recorded(robot, 6.0, noise=0.01)


def write(path, recording, header, order=(0, 1, 2, 3)):
    """Write a table of positions and torques, in some order."""
    table = np.column_stack([recording.t, np.column_stack([recording.q, recording.tau])[:, list(order)]])
    if path.suffix == ".parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table(dict(zip(header.split(","), table.T, strict=True))), path)
    else:
        separator = ";" if ";" in header else ","
        np.savetxt(path, table, delimiter=separator, header=header, comments="")
    return path


def same(found, recording):
    assert found.q == pytest.approx(recording.q)
    assert found.tau == pytest.approx(recording.tau)
    assert found.t == pytest.approx(recording.t)


def test_tables_and_archives(planar, tmp_path):
    _, recording = planar
    np.savez(tmp_path / "a.npz", t=recording.t, q=recording.q, tau=recording.tau)
    same(tf.Recording.read(tmp_path / "a.npz"), recording)
    same(tf.Recording.read(write(tmp_path / "a.csv", recording, "t,q1,q2,tau1,tau2")), recording)
    same(tf.Recording.read(write(tmp_path / "b.csv", recording, "# time;q_l;q_r;tau_l;tau_r")), recording)
    same(tf.Recording.read(write(tmp_path / "c.csv", recording, "t,q[1],q[0],tau2,tau1", (1, 0, 3, 2))), recording)
    same(tf.Recording.read(write(tmp_path / "d.parquet", recording, "t,q1,q2,tau1,tau2")), recording)
    np.savez(tmp_path / "e.npz", stamp=0.002, position=recording.q, effort=recording.tau)
    called = {"t": "stamp", "q": "position", "tau": "effort"}
    same(tf.Recording.read(tmp_path / "e.npz", columns=called), recording)


def test_other_names(planar, tmp_path):
    _, recording = planar
    path = write(tmp_path / "a.csv", recording, "stamp,pos_1,pos_2,A2,A1", (0, 1, 3, 2))
    same(tf.Recording.read(path, columns={"t": "stamp", "q": "pos", "tau": ["A1", "A2"]}), recording)
    for columns, message in (
        ({}, "there is no t; it has stamp, pos_1"),
        ({"t": "stamp"}, "there is no q"),
        ({"t": "stamp", "q": "pos", "tau": ["A1", "A3"]}, "no column 'A3'"),
        ({"position": "pos"}, "'position' is not an array of a recording"),
    ):
        with pytest.raises(tf.IdentificationError, match=message):
            tf.Recording.read(path, columns=columns)


def test_columns_with_the_names_of_joints_are_put_into_the_order_of_the_robot(planar, tmp_path):
    robot, recording = planar
    plain = tf.identify(robot, recording, friction=("FV",))
    path = write(tmp_path / "a.csv", recording, "t,q_joint2,q_joint1,tau_joint1,tau_joint2", (1, 0, 2, 3))
    found = tf.identify(robot, tf.Recording.read(path), friction=("FV",))
    assert found.values == pytest.approx(plain.values, rel=1e-9, abs=1e-12)
    path = write(tmp_path / "b.csv", recording, "t,q_left,q_right,tau_left,tau_right")
    with pytest.raises(tf.IdentificationError, match="called left, right; planar2r has joint1, joint2"):
        tf.identify(robot, tf.Recording.read(path), friction=("FV",))
    gains = tf.Gains(("joint1", "joint2"), np.array([2.0, 3.0]), np.ones(2))
    path = write(tmp_path / "c.csv", recording, "t,q_joint2,q_joint1,tau_joint2,tau_joint1", (1, 0, 3, 2))
    assert gains.applied(tf.Recording.read(path)).tau == pytest.approx(recording.tau[:, ::-1] * [3.0, 2.0])


def test_degrees_and_motors(planar, tmp_path):
    _, recording = planar
    R = np.array([[10.0, 0.0], [5.0, -20.0]])
    on_motors = recording.changed(q=np.rad2deg((recording.q - [0.1, 0.2]) @ R.T), tau=recording.tau @ np.linalg.inv(R))
    path = write(tmp_path / "a.csv", on_motors.changed(tau=on_motors.tau / 0.5), "t,q1,q2,tau1,tau2")
    same(tf.Recording.read(path, degrees=True, motors=R, zero=[0.1, 0.2], gains=0.5), recording)
    path = write(tmp_path / "b.csv", recording.changed(q=recording.q * [180.0 / np.pi, 1.0]), "t,q1,q2,tau1,tau2")
    same(tf.Recording.read(path, degrees=[True, False]), recording)


def test_bad_files(tmp_path):
    for name, text, message in (
        ("a.csv", "t,q1,tau1\n1,2,hello\n", "cannot be read"),
        ("b.csv", "", "cannot be read"),
        ("c.csv", "t,q1,tau1\n1,2,3,4\n", "3 names, and there are 4 columns"),
        ("d.csv", "t,q1,q1,tau1,tau2\n1,2,3,4,5\n", "two columns 'q1'"),
        ("e.npz", "not an archive", "cannot be read"),
        ("f.txt", "", "are read from"),
        ("g.mcap", "not a bag", "cannot be read as a ROS 2 bag"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(tf.IdentificationError, match=message):
            tf.Recording.read(tmp_path / name)
    with pytest.raises(tf.IdentificationError, match="no such file"):
        tf.Recording.read(tmp_path / "none.csv")


@pytest.mark.parametrize("ending", ["npz", "csv", "parquet"])
def test_damaged_files(planar, tmp_path, ending):
    """Whatever the libraries that read them raise, the error is ours and names the file."""
    _, recording = planar
    t, q, tau = recording.t[:200], recording.q[:200], recording.tau[:200]
    path, bad, rng = tmp_path / f"run.{ending}", tmp_path / f"bad.{ending}", np.random.default_rng(0)
    if ending == "npz":
        np.savez_compressed(path, t=t, q=q, tau=tau)
    else:
        columns = np.column_stack([t, q, tau])
        if ending == "csv":
            np.savetxt(path, columns, delimiter=",", header="t,q1,q2,tau1,tau2", comments="")
        else:
            arrow = pytest.importorskip("pyarrow.parquet")
            table = __import__("pyarrow").table(dict(zip(("t", "q1", "q2", "tau1", "tau2"), columns.T, strict=True)))
            arrow.write_table(table, path)
    good, said = path.read_bytes(), list[str]()
    for _ in range(60):
        data, at, length = bytearray(good), int(rng.integers(len(good))), int(rng.integers(1, 100))
        data[at : at + length] = (b"", rng.bytes(length))[rng.integers(2)]
        bad.write_bytes(data if rng.random() < 0.7 else data[:at])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", tf.RecordingWarning)
                tf.Recording.read(bad)
        except tf.IdentificationError as error:
            said.append(str(error))
    assert len(said) > 30
    assert all(text.startswith(f"{bad}: ") for text in said)


@pytest.fixture
def bag(tmp_path):
    """Return a function that writes joint states to a bag; joints are in another order than the robot's."""
    rosbag2, typesys = pytest.importorskip("rosbags.rosbag2"), pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    State, Header, Time = (
        store.types[name]
        for name in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header", "builtin_interfaces/msg/Time")
    )

    def written(recording, plugin, topics=("/joint_states",), effort=True):
        folder = tmp_path / f"{plugin.name}{len(topics)}{effort}"
        with rosbag2.Writer(folder, version=9, storage_plugin=plugin) as writer:
            for topic in topics:
                connection = writer.add_connection(topic, State.__msgtype__, typestore=store)
                for t, q, tau in zip(recording.t, recording.q, recording.tau, strict=True):
                    stamp = round(1e9 * (t + 1.7e9))
                    header = Header(stamp=Time(sec=stamp // 10**9, nanosec=stamp % 10**9), frame_id="")
                    efforts = np.array([*tau[::-1], 9.0]) if effort else np.array([])
                    message = State(header, ["joint2", "joint1", "finger"], np.array([*q[::-1], 9.0]), efforts, efforts)
                    message.velocity = np.array([])
                    writer.write(connection, stamp, store.serialize_cdr(message, State.__msgtype__))
        return folder

    return written


@pytest.mark.parametrize("plugin", ["SQLITE3", "MCAP"])
def test_bags(planar, bag, plugin):
    from rosbags.rosbag2 import StoragePlugin

    robot, recording = planar
    folder = bag(recording, StoragePlugin[plugin])
    found = tf.Recording.read(folder)
    assert found.q[:, [1, 0]] == pytest.approx(recording.q)
    assert found.qd is None
    result = tf.identify(robot, found, friction=("FV",))
    assert result.values == pytest.approx(tf.identify(robot, recording, friction=("FV",)).values, rel=1e-3, abs=1e-4)
    (file,) = (path for path in folder.iterdir() if path.suffix in (".db3", ".mcap"))
    assert tf.Recording.read(file).tau == pytest.approx(found.tau)


def test_bags_that_are_not_clear(planar, bag):
    from rosbags.rosbag2 import StoragePlugin

    short, plugin = planar[1][:20], StoragePlugin.SQLITE3
    with pytest.raises(tf.IdentificationError, match="choose one with topic=…: /a, /b"):
        tf.Recording.read(bag(short, plugin, ("/a", "/b")))
    with pytest.raises(tf.IdentificationError, match=r"no sensor_msgs.* on /c; it has /joint_states"):
        tf.Recording.read(bag(short, plugin), topic="/c")
    with pytest.raises(tf.IdentificationError, match="message 0 has no effort"):
        tf.Recording.read(bag(short, plugin, effort=False))
