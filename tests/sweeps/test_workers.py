"""Threads, processes and a Dask cluster give the same result, whoever is killed on the way."""

import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import xarray

import tauforge as tf

from .studies import deadly, fall, first, grid, noted

ROOT = Path(__file__).parents[2]
COUNTS = [24, pytest.param(2000, marks=pytest.mark.slow)]
CALLERS = [pytest.param(x, 2000, marks=pytest.mark.slow) for x in ("threads", "processes")]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")


@pytest.fixture(scope="module")
def cluster():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made,
        Client(made) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def expected():
    """Return the results by plain calls, one after another, for a number of cases."""

    def made(count):
        parameters, _ = grid(count)
        runs = [[fall(float(angle), speed) for speed in parameters["speed"]] for angle in parameters["angle"]]
        dims = (*parameters, "time", "joint")
        names = ("angle", "speed", "time")
        coordinates = dict(zip(names, (*parameters.values(), runs[0][0].t), strict=True))
        q = np.array([[run.q for run in row] for row in runs])
        return xarray.DataArray(q, {**coordinates, "joint": ["joint1", "joint2"]}, dims)

    return made


@pytest.mark.parametrize("count", COUNTS)
def test_all_workers_give_the_same_and_one_that_is_killed_is_replaced(count, cluster, expected, tmp_path):
    parameters, middle = grid(count)
    results = {"threads": tf.sweep(fall, parameters, jobs=2)}
    for workers in ("processes", cluster):
        name = "processes" if workers == "processes" else "cluster"
        fixed = {"log": str(tmp_path / name), "killed_at": middle}
        found = tf.sweep(noted, parameters, fixed=fixed, store=tmp_path / f"{name}.zarr", workers=workers, jobs=2)
        assert (tmp_path / f"{name}.killed").exists()
        calls = (tmp_path / name).read_text().splitlines()
        assert count < len(calls) < 1.05 * count + 10
        assert len(set(calls)) == count
        results[name] = found
    for found in results.values():
        assert (found.done, found.failed, found.remaining) == (count, 0, 0)
        xarray.testing.assert_identical(found.data.load(), results["threads"].data)
    q, wanted = results["threads"].data.q, expected(count)
    np.testing.assert_array_equal(q.values, wanted.values)
    assert q.dims == wanted.dims
    for name in q.dims:
        assert q[name].values.tolist() == wanted[name].values.tolist()


@pytest.mark.parametrize(("workers", "count"), CALLERS)
def test_a_killed_caller_resumes_and_repeats_little(workers, count, expected, tmp_path):
    """With threads, the case kills the caller; with processes, the test does."""
    command = [sys.executable, "-m", "tests.sweeps.studies", str(tmp_path), str(count), workers]
    if workers == "threads":
        assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    else:
        first(tmp_path / "log.killed")
        caller = subprocess.Popen(command, cwd=ROOT)
        while not (tmp_path / "log").exists() or (tmp_path / "log").read_text().count("\n") < count // 2:
            assert caller.poll() is None
            time.sleep(0.01)
        caller.kill()
        caller.wait()
        time.sleep(1.0)  # its processes end with their batches
    left = tf.Sweep.load(tmp_path / "runs.zarr")
    assert 0 < left.remaining < count
    whole = ~np.isnan(left.data.q).any(("time", "joint"))
    np.testing.assert_array_equal(whole.values[left.data.status.values == 1], True)
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert f"{count} done, 0 failed, 0 remaining" in done.stdout
    calls = (tmp_path / "log").read_text().splitlines()
    assert len(set(calls)) == count
    assert len(calls) - count < max(0.05 * count, 16)
    found = tf.Sweep.load(tmp_path / "runs.zarr").data.q.values
    np.testing.assert_array_equal(found, expected(count).values)


def test_a_case_that_kills_its_process_fails_alone():
    found = tf.sweep(deadly, {"x": [7, 11]}, workers="processes", jobs=1, batch=2)
    assert (found.done, found.failed) == (1, 1)
    assert found.errors[0].parameters == {"x": 7}
    assert found.errors[0].error == "the worker died 3 times of this case: it was ended by SIGKILL"
    assert found.data.value.sel(x=11) == 121


def test_addresses_and_clusters_are_workers_too(cluster):
    grid = {"x": [1, 2, 3]}
    for workers in (cluster.scheduler.address, cluster.cluster):
        assert tf.sweep(lambda x: 2 * x, grid, workers=workers).data.value.values.tolist() == [2, 4, 6]


def test_functions_of_a_script_reach_processes_without_a_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import tauforge as tf\n"
        "def half(x):\n"
        "    print('never in the answer')\n"
        "    return x / 2\n"
        "print(tf.sweep(half, {'x': [1, 2]}, workers='processes', jobs=1).data.value.values)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[0.5 1. ]\n"


def test_what_cannot_be_sent_is_refused():
    lock = threading.Lock()
    with pytest.raises(tf.ProgramError, match=r"cannot be sent to other processes .* use workers='threads'"):
        tf.sweep(lambda x: x * lock.locked(), {"x": [1]}, workers="processes")


class Unloadable:
    def __init__(self):
        self.known = True

    def __call__(self, x):
        return x

    def __reduce__(self):
        return partial(int, "no number"), ()


def test_what_cannot_be_loaded_is_refused():
    with pytest.raises(tf.ProgramError, match="could not load the function: ValueError: invalid literal"):
        tf.sweep(Unloadable(), {"x": [1]}, workers="processes", jobs=1)


def test_unknown_workers_are_refused():
    with pytest.raises(tf.ProgramError, match="choose among 'threads', 'processes', a Dask client"):
        tf.sweep(lambda x: x, {"x": [1]}, workers="threds")
