"""The store of compiled code: where it is, whose files it trusts, and which it removes."""

import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path

import pytest

from tauforge import store

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="rights and signals as POSIX has them")
KEY, OTHER = "0" * 32, "f" * 32
DATA = b"code" * 1000


def names(place):
    return sorted(path.name for path in place.iterdir())


def aged(path, age=1e6):
    os.utime(path, (time.time() - age,) * 2)


def test_what_is_written_is_read(place):
    assert store.read(place, KEY) is None
    store.write(place, KEY, DATA)
    assert store.read(place, KEY) == DATA
    assert names(place) == [f"{KEY}.code"]


def test_a_name_belongs_to_the_content(place):
    for key in (KEY, OTHER):
        store.write(place, key, DATA + key.encode())
    first, second = (place / f"{key}.code" for key in (KEY, OTHER))
    first.rename(place / "swapped")
    second.rename(first)
    (place / "swapped").rename(second)
    assert store.read(place, KEY) is None
    assert store.read(place, OTHER) is None


def test_entries_that_are_not_whole_are_none(place):
    store.write(place, KEY, DATA)
    path = place / f"{KEY}.code"
    sound = path.read_bytes()
    checksum = blake2b(DATA, digest_size=16).digest()  # without the key
    for damaged in (b"", store.MAGIC, sound[:-1], sound + b"x", b"x" + sound[1:], checksum + DATA):
        path.write_bytes(damaged)
        assert store.read(place, KEY) is None
    path.write_bytes(sound)
    assert store.read(place, KEY) == DATA


@POSIX
def test_links_pipes_and_directories_are_not_entries(place):
    path, away = place / f"{KEY}.code", place / "away"
    store.write(place, KEY, DATA)
    path.rename(away)
    path.symlink_to(away)
    assert store.read(place, KEY) is None
    store.write(place, KEY, DATA)  # takes the link's place
    assert not path.is_symlink()
    assert store.read(place, KEY) == DATA
    path.unlink()
    os.mkfifo(path)
    assert store.read(place, KEY) is None
    path.unlink()
    path.mkdir()
    assert store.read(place, KEY) is None
    store.write(place, KEY, DATA)
    assert names(place) == [path.name, "away"]


@POSIX
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_entries_that_others_may_write_are_not_read(place, mode):
    store.write(place, KEY, DATA)
    (place / f"{KEY}.code").chmod(mode)
    assert store.read(place, KEY) is None
    store.write(place, KEY, DATA)
    assert store.read(place, KEY) == DATA


@POSIX
def test_what_belongs_to_another_user_is_not_read(place, monkeypatch):
    store.write(place, KEY, DATA)
    monkeypatch.setenv("TAUFORGE_CACHE", str(place))
    assert store.directory() == place
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    assert store.read(place, KEY) is None
    with pytest.warns(RuntimeWarning, match=re.escape(f"{place} is not used as a cache: it belongs to another user")):
        assert store.directory() is None


@POSIX
def test_a_directory_by_a_link(place, monkeypatch):
    """One's own link to one's own directory is as good as that."""
    (place / "there").mkdir(mode=0o700)
    (place / "link").symlink_to(place / "there")
    monkeypatch.setenv("TAUFORGE_CACHE", str(place / "link"))
    assert store.directory() == place / "link"
    if os.getuid() == 0:
        os.lchown(place / "link", 12345, 12345)
        with pytest.warns(RuntimeWarning, match="another user"):
            assert store.directory() is None


def test_only_our_own_files_are_removed(place, monkeypatch):
    theirs = [place / name for name in ("thesis.pdf", "thesis.code", f"{OTHER[:-1]}.code", f"{OTHER}.code", "x.part")]
    theirs += [place / f"{OTHER}.{name}.part" for name in ("mp4", "download")]
    for path in theirs:
        path.write_bytes(b"x" * 10 * len(DATA))
        aged(path)
    (place / f"{OTHER[:-1]}0.code").mkdir()
    if sys.platform != "win32":
        (place / f"{OTHER[:-1]}1.code").symlink_to(theirs[0])
    before = names(place)
    keys = [f"{i:032x}" for i in range(5)]
    for age, key in enumerate(keys):
        store.write(place, key, DATA)
        aged(place / f"{key}.code", 100 - age)
    size = (place / f"{KEY}.code").stat().st_size
    monkeypatch.setattr(store, "LIMIT", 3 * size)
    monkeypatch.setattr(store, "_written", store.LIMIT)
    assert store.read(place, keys[0]) == DATA  # now the last used
    store.write(place, keys[4], DATA)
    assert names(place) == sorted([*before, *(f"{keys[i]}.code" for i in (0, 3, 4))])


def test_what_would_not_be_read_is_not_written(place, monkeypatch):
    """Else it would be written again and again, and never removed."""
    monkeypatch.setattr(store, "LIMIT", len(DATA))
    store.write(place, KEY, DATA)
    assert names(place) == []


def test_many_write_read_and_trim_at_once(place, monkeypatch):
    monkeypatch.setattr(store, "LIMIT", 5 * len(DATA))

    def work(i):
        key = f"{i % 9:032x}"
        store._written = store.LIMIT
        store.write(place, key, DATA + key.encode())
        return store.read(place, key) in (None, DATA + key.encode())

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(400)))
    assert {path.suffix for path in place.iterdir()} == {".code"}


def test_the_usual_place(monkeypatch, tmp_path):
    monkeypatch.delenv("TAUFORGE_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store._usual() == tmp_path / "tauforge"
    assert store.directory() == tmp_path / "tauforge"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert store._usual() == Path.home() / ".cache" / "tauforge"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert store._usual() == Path.home() / "Library" / "Caches" / "tauforge"


def test_a_usual_place_that_cannot_be_used_is_done_without(monkeypatch, tmp_path, recwarn):
    monkeypatch.delenv("TAUFORGE_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert store.directory() is None
    monkeypatch.delenv("XDG_CACHE_HOME")

    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    assert store.directory() is None
    assert not recwarn


@POSIX
def test_a_home_by_its_sign(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TAUFORGE_CACHE", "~/code")
    assert store.directory() == tmp_path / "code"


@pytest.mark.parametrize("named", ["0", "code", "./code", "~nobody-of-that-name/code"])
def test_a_relative_place_is_refused(monkeypatch, tmp_path, named):
    """Else each directory that a program runs in would get a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TAUFORGE_CACHE", named)
    store._warn.cache_clear()
    with pytest.warns(RuntimeWarning, match=re.escape(f"{named} is not used as a cache: ") + ".*its absolute path"):
        assert store.directory() is None
    assert names(tmp_path) == []


def test_a_place_that_was_asked_for_and_cannot_be_made(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for named in (tmp_path / "file", tmp_path / "file" / "code"):
        monkeypatch.setenv("TAUFORGE_CACHE", str(named))
        with pytest.warns(RuntimeWarning, match="is not used as a cache: "):
            assert store.directory() is None
    assert (tmp_path / "file").read_text() == "in the way"
