"""Stores on disk: whole or absent, resumed or refused."""

import errno
import os
import signal
import sys
import threading
from functools import partial

import numpy as np
import pytest
import scipy.stats
import xarray

import tauforge as tf
from tauforge import progress
from tauforge.sweeps import run
from tauforge.sweeps.batch import Finished, Pack
from tauforge.sweeps.cases import Space, grid
from tauforge.sweeps.fingerprint import fingerprint
from tauforge.sweeps.lock import locked
from tauforge.sweeps.outputs import Layout
from tauforge.sweeps.store import created

X = np.arange(30)


class Counted:
    """A square, with a count of calls, that fails at some values and stops at another."""

    def __init__(self, fails=(), stops=None):
        self.calls, self.fails, self.stops = [], fails, stops

    def __call__(self, x, y=0, z=0):
        self.calls.append(x)
        if x == self.stops:
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(0.2)  # the caller notices meanwhile
        if x in self.fails:
            raise ValueError(f"not {x}")
        return x * x + y + z


def test_xarray_opens_a_store(tmp_path):
    found = tf.sweep(lambda x: {"y": x, "z": [x, 1.0]}, {"x": X}, store=tmp_path / "runs.zarr")
    opened = xarray.open_zarr(tmp_path / "runs.zarr", chunks=None, consolidated=False)
    np.testing.assert_array_equal(opened.y, X)
    assert opened.status.attrs["flag_meanings"] == "not_run done failed"
    xarray.testing.assert_identical(opened[["y", "z"]].drop_attrs(), found.data[["y", "z"]])
    assert repr(tf.Sweep.load(tmp_path / "runs.zarr")) == repr(found)
    assert [path.name for path in tmp_path.iterdir()] == ["runs.zarr"]


def test_what_is_done_is_not_repeated(tmp_path):
    path, function = tmp_path / "runs.zarr", Counted(fails=(3, 4))
    first = tf.sweep(function, {"x": X}, store=path)
    assert sorted(function.calls) == X.tolist()
    again = tf.sweep(function, {"x": X}, store=path)
    assert len(function.calls) == len(X)
    xarray.testing.assert_identical(again.data.load(), first.data.load())
    assert [failure.error for failure in again.errors] == ["ValueError: not 3", "ValueError: not 4"]
    function.fails = (4,)
    retried = tf.sweep(function, {"x": X}, store=path, resume="failed")
    assert sorted(function.calls[len(X) :]) == [3, 4]
    assert (retried.done, retried.failed) == (29, 1)
    assert retried.data.value.sel(x=3) == 9.0
    with pytest.raises(tf.TauforgeError, match="exists; choose another store, or leave out resume=False"):
        tf.sweep(function, {"x": X}, store=path, resume=False)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT ends a process there")
def test_an_interrupt_keeps_what_is_done(tmp_path):
    path, function = tmp_path / "runs.zarr", Counted(stops=12)
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with pytest.raises(KeyboardInterrupt) as interrupt:
            tf.sweep(function, {"x": X}, store=path, jobs=1, batch=1)
    finally:
        signal.signal(signal.SIGINT, usual)
    part = interrupt.value.sweep
    assert part.done == len(function.calls)
    assert part.remaining == len(X) - part.done > 0
    function.stops = None
    whole = tf.sweep(function, {"x": X}, store=path)
    assert sorted(function.calls) == X.tolist()
    np.testing.assert_array_equal(whole.data.value, X**2)


@pytest.mark.parametrize(
    ("change", "differ"),
    [
        ({"parameters": {"x": X + 1}}, "values of x"),
        ({"parameters": {"x": X, "z": [0, 1]}}, "values of z"),
        ({"function": partial(Counted(), z=5)}, "function"),
        ({"fixed": {"y": 2}}, "argument y"),
    ],
)
def test_the_store_of_another_sweep_is_refused(change, differ, tmp_path):
    given = {"function": Counted(), "parameters": {"x": X}, "fixed": {"y": 1}, "store": tmp_path / "runs.zarr"}
    tf.sweep(**given)
    with pytest.raises(tf.TauforgeError, match=f"runs.zarr holds another sweep, with other {differ}; choose another"):
        tf.sweep(**given | change)


def test_seeds_are_kept(tmp_path):
    samples, options = {"x": scipy.stats.norm()}, {"count": 5}
    first = tf.sweep(Counted(), samples=samples, **options, store=tmp_path / "a.zarr")
    again = tf.sweep(Counted(), samples=samples, **options, store=tmp_path / "a.zarr")
    np.testing.assert_array_equal(first.data.x, again.data.x)
    tf.sweep(Counted(), samples=samples, **options, seed=1, store=tmp_path / "b.zarr")
    with pytest.raises(tf.TauforgeError, match="with other values of x and seed"):
        tf.sweep(Counted(), samples=samples, **options, seed=2, store=tmp_path / "b.zarr")
    again = tf.sweep(Counted(), samples=samples, **options, store=tmp_path / "b.zarr")
    assert again.done == 5


def test_what_is_not_a_store(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("mine")
    for name in ("file", "folder"):
        with pytest.raises(tf.TauforgeError, match=f"{name}: this is not the store of a sweep"):
            tf.sweep(Counted(), {"x": X}, store=tmp_path / name)
    assert (tmp_path / "folder" / "mine").read_text() == "mine"
    with pytest.raises(tf.TauforgeError, match="this is not the store of a sweep"):
        tf.Sweep.load(tmp_path / "nothing")


def half(a):
    return 0.5 * a


def both(a, b):
    return {"y": np.array([a, b])}


def nothing(a):
    return {"y": np.array([a, np.nan])[1:]}


def test_a_damaged_store(tmp_path):
    """Whatever zarr and its codecs raise, the error is ours and names the store, also on the way to resume."""
    path = tmp_path / "sweep"
    tf.sweep(half, {"a": [1.0, 2.0]}, store=path)
    for part in (path / "status").rglob("c/*"):
        part.write_bytes(b"nonsense")
    for use in (tf.Sweep.load, lambda place: tf.sweep(half, {"a": [1.0, 2.0]}, store=place)):
        with pytest.raises(tf.TauforgeError, match=r"sweep: the store of this sweep is damaged \(.*remove it and run"):
            use(path)


@pytest.mark.parametrize("part", ["y/c/0/0/0", "a/c/0", "y/zarr.json", "error/zarr.json", "status/zarr.json"])
def test_a_store_that_has_lost_a_file(tmp_path, part):
    """Zarr reads NaN, or zeros, in the place of a file that is not there: results that are done would be lost."""
    path, cases = tmp_path / "sweep", {"a": np.arange(3.0), "b": [0.0, 1.0]}
    tf.sweep(both, cases, store=path)
    assert tf.Sweep.load(path).done == 6
    (path / part).unlink()
    for use in (tf.Sweep.load, lambda place: tf.sweep(both, cases, store=place)):
        with pytest.raises(tf.TauforgeError, match="the store of this sweep is damaged"):
            use(path)


def test_results_that_are_all_nan_or_zero(tmp_path):
    """Nothing is missing there."""
    path = tmp_path / "sweep"
    for _ in range(2):
        found = tf.sweep(nothing, {"a": [0.0, 0.0]}, store=path)
    assert found.done == 2
    assert tf.Sweep.load(path).data["y"].isnull().all()


def test_one_caller_at_a_time(tmp_path):
    path = tmp_path / "runs.zarr"
    tf.sweep(Counted(), {"x": X}, store=path)
    with locked(path), pytest.raises(tf.TauforgeError, match="another sweep is writing there"):
        tf.sweep(Counted(), {"x": X}, store=path)
    tf.sweep(Counted(), {"x": X}, store=path)


def pack(places, values):
    return Finished([Pack(np.array(places), Layout((("y", ("n",)),), ()), {"y": np.array(values, dtype=float)})])


def test_status_is_written_after_the_results(tmp_path):
    """A store that breaks between the two has no case that is done and not whole; the next caller writes it again."""
    space = Space(grid({"x": [1, 2, 3, 4]}))

    def broken(places, status):
        raise OSError("killed here")

    with created(tmp_path / "runs.zarr", 0, space, {}) as store:
        store.write(pack([0, 1], [[1.0], [2.0]]))
        store._mark = broken
        with pytest.raises(tf.TauforgeError, match="killed here"):
            store.write(pack([2], [[3.0, 4.0]]))
    left = tf.Sweep.load(tmp_path / "runs.zarr").data
    assert left.status.values.tolist() == [1, 1, 0, 0]
    np.testing.assert_array_equal(left.y.values[:2], [[1.0, np.nan], [2.0, np.nan]])


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    """The error says what to do, and the same call goes on where it stopped."""
    write, room = run.Store._mark, iter([True, True])

    def fills(store, places, status):
        if not next(room, False):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(store, places, status)

    monkeypatch.setattr(run, "BYTES", 1)  # every batch is written at once
    square = Counted()
    calls = partial(tf.sweep, square, {"x": X}, store=tmp_path / "runs.zarr", workers="threads", jobs=1, batch=5)
    with monkeypatch.context() as patch:
        patch.setattr(run.Store, "_mark", fills)
        with pytest.raises(tf.TauforgeError, match=r"runs.zarr: results cannot be written \(No space left"):
            calls()
    done = (tf.Sweep.load(tmp_path / "runs.zarr").data.status.values == 1).sum()
    assert 0 < done < len(X)
    square.calls.clear()
    sweep = calls()
    assert len(square.calls) == len(X) - done
    np.testing.assert_array_equal(sweep.data.value, X**2)


def test_blocks_are_rewritten_with_what_they_had(tmp_path):
    count = 9000  # more than one block of statuses
    space = Space(grid({"x": np.arange(count // 3), "z": [1, 2, 3]}))
    order = np.random.default_rng(0).permutation(count)
    with created(tmp_path / "runs.zarr", 0, space, {}) as store:
        for places in np.array_split(order, 7):
            store.write(pack(places, places[:, None] * [1.0, 2.0]))
    found = tf.Sweep.load(tmp_path / "runs.zarr")
    assert found.done == count
    np.testing.assert_array_equal(found.data.y.values.reshape(count, 2), np.arange(count)[:, None] * [1.0, 2.0])


def test_results_are_not_kept_in_memory(tmp_path, monkeypatch):
    """What is held is written as soon as it is much."""
    most = []
    write = run.Keeper.write

    def watched(self, now=False):
        write(self, now)
        assert self._cases == sum(x.count for x in self._held)
        most.append(self._cases)

    monkeypatch.setattr(run.Keeper, "write", watched)
    tf.sweep(Counted(), {"x": np.arange(1000)}, store=tmp_path / "runs.zarr", jobs=2)
    assert max(most) <= 1000 // run.HELD + 1000 // run.SHARE


def test_batches_fit_the_time_of_cases():
    plan = run.Plan(np.arange(100_000), room=4, batch=None)
    sizes = []
    for _ in range(8):
        places = plan.next()
        sizes.append(len(places))
        plan.learn(Finished(pack(places, np.zeros((len(places), 1))).packs, seconds=0.01 * len(places)))
    assert sizes == [1, 4, 16, 25, 25, 25, 25, 25]
    plan.learn(Finished(pack([0], [[1.0]]).packs, seconds=1e-7))
    plan.next()
    for _ in range(5):
        plan.learn(Finished(pack([0], [[1.0]]).packs, seconds=1e-7))
    assert len(plan.next()) == 100_000 // 400
    assert len(run.Plan(np.arange(10), 4, 3).next()) == 3


def test_fingerprints_are_those_of_contents():
    robot = tf.robots.planar2r()
    same = [
        (robot, tf.robots.planar2r()),
        (tf.gravity(robot), tf.gravity(tf.robots.planar2r())),
        (tf.gravity_compensation(robot), tf.gravity_compensation(robot)),
        (np.arange(3.0), np.arange(3.0)),
        ({"a": [1, 2]}, {"a": [1, 2]}),
        (partial(abs, 1), partial(abs, 1)),
        (object(), object()),
    ]
    assert [fingerprint(a) == fingerprint(b) for a, b in same] == [True] * len(same)
    different = [fingerprint(a) for a, _ in same]
    different += [fingerprint(x) for x in (robot.payload(1.0, at="link2"), tf.energy(robot), np.arange(3), 1, 1.0, "1")]
    assert len(set(different)) == len(different)


class Terminal:
    text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_progress_counts_cases_and_silences_them(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(progress, "SHOWN_EVERY", 0.0)
    robot = tf.robots.planar2r()
    tf.sweep(robot, {"qd0": [[0.0, 0.0], [1.0, 0.0]]}, fixed={"t": [0.0, 0.1]}, jobs=1)
    assert "] 100 %  2 of 2 cases, 0 failed" in stream.text
    assert stream.text.endswith(" \r")
    assert "simulating" not in stream.text


def test_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(tf.TauforgeError, match=r"tf.sweep needs xarray and zarr: pip install 'tauforge\[sweep\]'"):
        tf.sweep(Counted(), {"x": X})
