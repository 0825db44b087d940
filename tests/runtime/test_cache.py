"""The cache of compiled code: what is found again and what is not, damage, rights, and many at once."""

import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tauforge import inverse_dynamics, store
from tauforge.llvm import pieces as llvm
from tauforge.llvm.vectors import Vectors
from tauforge.program.array import inputs, outputs
from tauforge.program.program import Program
from tauforge.runtime import build, cache

from .reference import chain, mixed, plain

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="rights as POSIX has them")
A, B = np.random.default_rng(7).normal(size=(2, 6, 3))


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TAUFORGE_CACHE", str(tmp_path / "code"))
    monkeypatch.setattr(store, "_written", store.LIMIT)
    return tmp_path / "code"


@pytest.fixture
def compiled(monkeypatch):
    """Return the list of the modules that are compiled."""
    texts = []
    really = build.object_code
    monkeypatch.setattr(build, "object_code", lambda text: texts.append(text) or really(text))
    return texts


def entries(place):
    return sorted(path for path in place.iterdir() if path.suffix == ".code")


def test_code_is_compiled_once(place, compiled):
    first, second = plain().compile()(A, B), plain().compile()(A, B)
    assert len(compiled) == len(entries(place)) == 1
    np.testing.assert_array_equal(first, second)


def test_numbers_stand_beside_the_code(place, compiled):
    x = inputs("x", ["x"], "")
    for factor in (2.0, 3.0):
        function = Program("times", {"x": x}, {"y": outputs([x.nodes[0] * factor], [1], [["x"]], "")}).compile()
        assert function([5.0]) == 5 * factor
    assert len(compiled) == 1


def test_what_code_depends_on(monkeypatch):
    vectors = Vectors("double", 4)
    others = [
        cache.content(mixed(), v) for v in (Vectors("double", 2), Vectors("float", 4), Vectors("double", 4, False))
    ]
    reordered = mixed()
    reordered = type(reordered)(
        reordered.name, dict(reversed(reordered.arguments.items())), reordered.results, reordered.names
    )
    others += [cache.content(reordered, vectors), cache.content(plain(), vectors)]
    monkeypatch.setattr(llvm, "PIECE", 3)
    others.append(cache.content(mixed(), vectors))
    monkeypatch.undo()
    assert len({cache.content(mixed(), vectors), cache.content(mixed(), vectors), *others}) == len(others) + 1


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 5000, None])
def test_damaged_entries_are_compiled_anew(place, compiled, damage):
    result = plain().compile()(A, B)
    (path,) = entries(place)
    sound = path.read_bytes()
    path.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]) if damage is None else damage)
    np.testing.assert_array_equal(plain().compile()(A, B), result)
    assert len(compiled) == 2
    assert path.read_bytes() == sound


@pytest.mark.parametrize("data", [b"", b"x", b"\xff" * 100, bytes(8), (32).to_bytes(8, "little") + bytes(33)])
def test_what_is_no_code_is_compiled_anew(place, compiled, data):
    result = plain().compile()(A, B)
    (path,) = entries(place)
    store.write(place, path.stem, data)
    np.testing.assert_array_equal(plain().compile()(A, B), result)
    assert len(compiled) == 2


@pytest.mark.parametrize("how", ["option", "variable"])
def test_the_cache_can_be_left_out(place, compiled, how, monkeypatch):
    if how == "variable":
        monkeypatch.setenv("TAUFORGE_CACHE", "off")
    for _ in range(2):
        plain().compile(cache=how != "option")
    assert len(compiled) == 2
    assert not place.exists() or not entries(place)


@POSIX
def test_it_is_the_users_alone(place):
    plain().compile()
    assert place.stat().st_mode & 0o777 == 0o700
    assert entries(place)[0].stat().st_mode & 0o077 == 0


@POSIX
def test_a_directory_that_others_can_write_is_not_used(place, compiled):
    place.mkdir()
    place.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="others can write to it"):
        plain().compile()
    plain().compile()
    assert len(compiled) == 2
    assert not entries(place)


def work(_):
    return inverse_dynamics(chain(4)).compile()(*np.ones((3, 4)))


def test_processes_and_threads_compile_the_same_at_once(place):
    with multiprocessing.get_context("spawn").Pool(2) as pool, ThreadPoolExecutor(4) as threads:
        there = pool.map_async(work, range(4))
        results = [*threads.map(work, range(8)), *there.get()]
    for result in results:
        np.testing.assert_array_equal(result, results[0])
    assert {path.suffix for path in place.iterdir()} == {".code"}
