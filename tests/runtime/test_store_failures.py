"""The store of compiled code where writing fails or is cut off: processes that are killed, disks that are full."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tauforge
from tauforge import store

from .reference import plain
from .test_store import DATA, KEY, OTHER, POSIX, aged, names

A, B = np.random.default_rng(7).normal(size=(2, 6, 3))
START = """
import os, sys, time
from pathlib import Path
from tauforge import store
place = Path(sys.argv[1])
"""


def script(text, *arguments, before=(), **environment):
    """Start a Python of its own that has ``store`` and ``place``, its first argument."""
    return subprocess.Popen(
        [*before, sys.executable, "-c", START + text, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": str(Path(tauforge.__file__).parents[1]), **environment},
    )


WAIT = """
store.os.replace = lambda *_: (print("there", flush=True), time.sleep(60))
store.write(place, sys.argv[2], b"x")
"""


@POSIX
def test_a_process_killed_while_it_writes(place):
    """Half an entry stays behind under a name of its own, and goes once it is old."""
    process = script(WAIT, place, KEY)
    assert process.stdout.readline() == "there\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (left,) = place.iterdir()
    assert left.name.startswith(f"{KEY}.")
    assert left.suffix == ".part"
    store.write(place, OTHER, DATA)
    assert left.exists()  # it may still be in use
    aged(left, store.STALE + 60)
    store._written = store.LIMIT
    store.write(place, OTHER, DATA)
    assert names(place) == [f"{OTHER}.code"]


@POSIX
def test_processes_killed_at_any_time_leave_whole_entries(place):
    forever = "print('there', flush=True)\nwhile True:\n    store.write(place, sys.argv[2], b'code' * 1000000)"
    for delay in (0.05, 0.1):
        process = script(forever, place, KEY)
        assert process.stdout.readline() == "there\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert store.read(place, KEY) in (None, b"code" * 1000000)


COMPILE = """
import numpy as np
from tests.runtime.reference import plain
print(plain().compile()(np.arange(3.0), np.arange(3.0)))
"""


def compiles(before=(), **environment):
    """Return what a Python of its own says on stderr where it compiles; it must succeed."""
    process = script(COMPILE, "/", before=before, **environment)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert out == f"{plain().compile()(np.arange(3.0), np.arange(3.0))}\n"
    return error


LIMITED = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"


@POSIX
def test_a_write_that_ends_halfway_leaves_nothing(place):
    process = script(LIMITED + "store.write(place, sys.argv[2], b'x' * 5000)", place, KEY)
    assert process.communicate()[1] == ""
    assert names(place) == []


NAMESPACE = ("unshare", "--user", "--mount")
CAN_MOUNT = pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode,
    reason="may not mount a file system, or be another user",
)


@CAN_MOUNT
@pytest.mark.parametrize("options", ["size=4k", "nr_inodes=1", "ro"])
def test_a_full_and_a_read_only_file_system(tmp_path, options):
    mount = f'mount -t tmpfs -o mode=700,{options} tmpfs {tmp_path} && "$@" && ls {tmp_path} >&2'
    left = compiles((*NAMESPACE, "--map-root-user", "sh", "-c", mount, "sh"), TAUFORGE_CACHE=str(tmp_path))
    assert ".part" not in left
    assert left.count("\n") == (options == "size=4k")  # where the smaller of two entries finds room


@CAN_MOUNT
def test_a_user_without_a_home():
    unset = [word for name in ("HOME", "TAUFORGE_CACHE", "XDG_CACHE_HOME") for word in ("-u", name)]
    assert compiles((*NAMESPACE, "--map-user=12345", "env", *unset)) == ""


@pytest.mark.parametrize(
    "function", ["tempfile.mkstemp", "os.replace", "os.scandir", "os.unlink", "os.utime", "os.open"]
)
def test_whatever_fails_the_function_works(place, monkeypatch, function):
    monkeypatch.setenv("TAUFORGE_CACHE", str(place))
    module, name = function.split(".")
    really = getattr(getattr(store, module), name)

    def fail(first, *more, **options):
        if ".part" in str(first) or ".code" in str(first) or str(first) == str(place):
            raise OSError("no")
        return really(first, *more, **options)

    expected = plain().compile(cache=False)(A, B)
    monkeypatch.setattr(getattr(store, module), name, fail)
    for _ in range(2):
        np.testing.assert_array_equal(plain().compile()(A, B), expected)


def test_a_directory_that_vanishes_in_use(place, monkeypatch):
    (place / "code").mkdir(mode=0o700)
    monkeypatch.setenv("TAUFORGE_CACHE", str(place / "code"))
    expected = plain().compile()(A, B)
    found = store.directory()
    shutil.rmtree(place / "code")
    monkeypatch.setattr(store, "directory", lambda: found)
    np.testing.assert_array_equal(plain().compile()(A, B), expected)
    monkeypatch.undo()
    assert not (place / "code").exists()
