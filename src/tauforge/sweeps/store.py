"""The store of a sweep: a Zarr group that xarray opens as one Dataset.

Only the caller writes. Zarr replaces each chunk whole, and the status of a case is written after its results, so a case
that is "done" on disk is whole, whenever the caller is killed.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError, TauforgeError
from .batch import Fault, Finished, Pack
from .blocks import Blocks, Recent
from .cases import Axis, Ints, Space
from .lock import locked
from .outputs import TIME, TIMES, Layout

NOT_RUN, DONE, FAILED = 0, 1, 2
MEANINGS = "not_run done failed"
HEAD = "tauforge_sweep"
"""The attribute that says which sweep a store holds."""
VERSION = 1
WHOLE = {"write_empty_chunks": True}
"""A chunk that is not there is lost, not one without values: Zarr would read NaN or zeros in its place."""
FEW, LARGE = 4096, 2**19
"""Cases in a block of statuses, and about how many bytes a block of results has."""


def need() -> Any:
    """Return zarr, or say what to install."""
    try:
        import xarray  # noqa: F401
        import zarr
    except ImportError:
        raise TauforgeError("tf.sweep needs xarray and zarr: pip install 'tauforge[sweep]'") from None
    return zarr


@final
class Store:
    """The arrays of a sweep, on disk at a path or in memory."""

    def __init__(self, group: Any, space: Space, path: Path | None) -> None:
        self.path = path
        self.group, self._shape = group, tuple(space.sizes.values())
        self._dimensions, self._taken = tuple(space.sizes), {*space.sizes, *(axis.name for axis in space.axes)}
        self._about = Blocks(self._shape, FEW)
        self._arrays: dict[str, Any] = {}
        self._recent: Recent = {}
        self.status: NDArray[np.int8] = np.asarray(group["status"][...]).reshape(-1)
        head = group.attrs[HEAD]
        self._layout = _restored(head["layout"]) if head["layout"] else None
        self._blocks = Blocks(self._shape, head["block"] or 1)
        self._times: NDArray[np.float64] | None = np.asarray(group[TIME][...]) if TIME in group else None

    def write(self, finished: Finished) -> None:
        """Write the results of some cases, then their status."""
        try:
            self._write(finished)
        except OSError as error:  # a full disk, for example
            raise TauforgeError(
                f"{self.path}: results cannot be written ({error.strerror or error}); what is stored is whole: make "
                "room there, then call sweep again in the same way to go on"
            ) from None

    def _write(self, finished: Finished) -> None:
        faults, done = dict(finished.faults), list[Ints]()
        for pack in finished.packs:
            if self._layout is None:
                self._adopt(pack)
            if flaw := self._flaw(pack):
                faults |= dict.fromkeys(pack.places.tolist(), Fault(flaw))
                continue
            self._grow(pack)
            for name, values in pack.arrays.items():
                self._blocks.write(self._array(name), pack.places, values, self._recent)
            done.append(pack.places)
        if faults:
            places = np.array(sorted(faults))
            for name in Fault._fields:
                told = [getattr(faults[int(place)], name) for place in places]
                self._about.write(self._array(name), places, np.array(told, dtype=object), self._recent)
            self._mark(places, FAILED)
        if done:
            self._mark(np.concatenate(done), DONE)

    def _array(self, name: str) -> Any:
        if name not in self._arrays:
            with need().config.set({"array.write_empty_chunks": True}):  # where it is opened, not where it was made
                self._arrays[name] = self.group[name]
        return self._arrays[name]

    def _mark(self, places: Ints, status: int) -> None:
        self._about.write(self._array("status"), places, np.full(len(places), status, np.int8), self._recent)
        self.status[places] = status

    def _adopt(self, pack: Pack) -> None:
        """Make the variables that the first finished case has."""
        names = {*pack.arrays, *(dim for _, dims in pack.layout.dimensions for dim in dims)}
        if clash := sorted(names & {*self._taken, "status", *Fault._fields}):
            whose = "a parameter's name" if clash[0] in self._taken else "a name of its own in the results"
            raise ProgramError(f"the function returns {clash[0]!r}, which is also {whose}; rename it")
        largest = max(values[0].nbytes for values in pack.arrays.values())
        self._blocks = Blocks(self._shape, min(2**16, max(1, LARGE // max(1, largest))))
        for dimension, labels in pack.layout.labels:
            _coordinate(self.group, dimension, (dimension,), np.array(labels))
        for name, dims in pack.layout.dimensions:
            one = pack.arrays[name][0]
            self._create(name, dims, one.shape, one.dtype)
        if dict(pack.layout.dimensions).get(TIMES) == (TIME,) and TIME not in dict(pack.layout.labels):
            self._times = pack.arrays[TIMES][0]
            _coordinate(self.group, TIME, (TIME,), self._times)
        head = self.group.attrs[HEAD] | {"layout": list(pack.layout), "block": self._blocks.largest}
        self.group.attrs[HEAD] = head
        self._layout = pack.layout

    def _create(self, name: str, dims: tuple[str, ...], shape: tuple[int, ...], dtype: Any) -> None:
        self.group.create_array(
            name,
            shape=(*self._shape, *shape),
            chunks=(*self._blocks.box, *(max(1, n) for n in shape)),
            dtype=dtype,
            fill_value=complex(np.nan, np.nan) if dtype.kind == "c" else float("nan"),
            dimension_names=(*self._dimensions, *dims),
            overwrite=True,
        )

    def _flaw(self, pack: Pack) -> str:
        """Return why results do not fit beside the others; an empty text if they do."""
        assert self._layout
        if pack.layout.dimensions != self._layout.dimensions:
            now, first = (
                ", ".join(f"{name}[{', '.join(dims)}]" for name, dims in layout.dimensions)
                for layout in (pack.layout, self._layout)
            )
            return f"the case returned {now}, others returned {first}; return the same outputs in every case"
        labels = dict(self._layout.labels)
        for dimension, own in pack.layout.labels:
            if own != labels[dimension]:
                return f"the labels along {dimension} differ from those of other cases: {own}, not {labels[dimension]}"
        for name, values in pack.arrays.items():
            if not np.can_cast(values.dtype, self._array(name).dtype, "same_kind"):
                return f"{name} is {values.dtype}, in other cases it is {self._array(name).dtype}; return one type"
        return ""

    def _grow(self, pack: Pack) -> None:
        """Make room for arrays that are longer than all before, and forget common times that are not common."""
        if self._times is not None and not (
            pack.arrays[TIMES].shape[1:] == self._times.shape and (pack.arrays[TIMES] == self._times).all()
        ):
            del self.group[TIME]
            self._times = None
        outer = len(self._shape)
        for name, values in pack.arrays.items():
            array = self._array(name)
            needed = (*self._shape, *np.maximum(array.shape[outer:], values.shape[1:]).tolist())
            if needed != array.shape:
                array.resize(needed)


def _restored(layout: Any) -> Layout:
    dimensions, labels = layout
    return Layout(
        tuple((name, tuple(dims)) for name, dims in dimensions), tuple((dim, tuple(own)) for dim, own in labels)
    )


def _coordinate(group: Any, name: str, dims: tuple[str, ...], values: NDArray[Any]) -> None:
    """Write an array of numbers or texts."""
    text = values.dtype.kind not in "biufc"
    array = group.create_array(
        name,
        shape=values.shape,
        chunks=tuple(max(1, n) for n in values.shape),
        dtype="string" if text else values.dtype,
        fill_value="" if text else values.dtype.type(0).item(),
        dimension_names=dims,
        overwrite=True,
        config=WHOLE,
    )
    array[...] = values.astype(object) if text else values


@contextmanager
def created(path: Path | None, entropy: int, space: Space, identity: Mapping[str, Any]) -> Iterator[Store]:
    """Give a new store, which on disk appears whole."""
    zarr = need()
    head = {"version": VERSION, "identity": identity, "seed": str(entropy), "layout": None, "block": None}
    if path is None:
        yield Store(_skeleton(zarr.create_group(zarr.storage.MemoryStore()), space, head), space, None)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part"))
        try:
            part.chmod(0o777 & ~_umask())
            _skeleton(zarr.create_group(part, overwrite=True), space, head)
            part.rename(path)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as error:
        raise TauforgeError(f"{path}: cannot be written ({error.strerror or error}); choose another place") from None
    with locked(path):
        yield Store(zarr.open_group(path, mode="r+"), space, path)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _skeleton(group: Any, space: Space, head: dict[str, Any]) -> Any:
    """Write parameters and an empty status for each case."""
    shape, dims = tuple(space.sizes.values()), tuple(space.sizes)
    box = Blocks(shape, FEW).box
    flags = {"flag_values": [NOT_RUN, DONE, FAILED], "flag_meanings": MEANINGS}
    common = {"shape": shape, "chunks": box, "dimension_names": dims}
    group.create_array("status", dtype="int8", fill_value=NOT_RUN, attributes=flags, **common)
    for name in Fault._fields:
        group.create_array(name, dtype="string", fill_value="", **common)
    beside = [name for axis in space.axes for name in _parameter(group, axis)]
    group.attrs.update({"coordinates": " ".join(beside), HEAD: head} if beside else {HEAD: head})
    return group


def _parameter(group: Any, axis: Axis) -> list[str]:
    """Write the values of a parameter, and return the name of the array if it is not that of a dimension."""
    name, dims = axis.name, (axis.dimension,)
    if axis.labels is not None or isinstance(axis.values, list):
        labels = axis.labels if axis.labels is not None else np.arange(len(axis.values))
        _coordinate(group, name, dims, np.array(labels))
    elif axis.values.ndim == 1:
        _coordinate(group, name, dims, axis.values)
    else:
        entries = tuple(
            f"{name}_entry{k}" if axis.values.ndim > 2 else f"{name}_entry" for k in range(axis.values.ndim - 1)
        )
        if axis.dimension != name:
            _coordinate(group, name, (*dims, *entries), axis.values)
        else:
            _coordinate(group, name, dims, np.arange(len(axis.values)))
            _coordinate(group, f"{name}_values", (*dims, *entries), axis.values)
            return [f"{name}_values"]
    return [] if name == axis.dimension else [name]


@contextmanager
def telling_damage(path: Path) -> Iterator[None]:
    """Say which store is damaged where zarr fails in its own words."""
    try:
        yield
    except TauforgeError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise damaged(path, said) from None


def damaged(path: object, said: str) -> TauforgeError:
    """Return the error of a store that is damaged."""
    return TauforgeError(
        f"{path}: the store of this sweep is damaged ({said}); take a copy, or remove it and run the sweep again"
    )


def check_chunks(group: Any, path: Path) -> None:
    """Refuse a store that has lost files with results of cases that are done, or with values of parameters."""
    layout, status = group.attrs[HEAD]["layout"], np.asarray(group["status"][...])
    done, outputs = np.argwhere(status == DONE), {name for name, _ in (layout[0] if layout else ())}
    for name, array in group.arrays():
        if name in ("status", *Fault._fields) or array.size == 0:
            continue
        first = np.zeros((1, status.ndim), dtype=int)
        corners = np.unique(done // array.chunks[: status.ndim], axis=0) if name in outputs else first
        for corner in corners:
            place = [*map(str, corner), *"0" * array.ndim][: array.ndim]
            if not path.joinpath(name, "c", *place).exists():
                raise damaged(path, f"it lacks the file {'/'.join([name, 'c', *place])}")


def head_of(path: Path) -> dict[str, Any]:
    """Return what a store on disk says of itself, or refuse what is not a sweep's."""
    zarr = need()
    try:
        head = zarr.open_group(path, mode="r").attrs[HEAD]
        if head["version"] != VERSION:
            raise TauforgeError(f"{path}: this store has version {head['version']}; this Tauforge reads {VERSION}")
    except TauforgeError:
        raise
    except Exception as error:
        raise TauforgeError(f"{path}: this is not the store of a sweep ({error}); choose another name") from None
    found: dict[str, Any] = head
    return found


@contextmanager
def opened(path: Path, space: Space, identity: Mapping[str, Any]) -> Iterator[Store]:
    """Give a store that exists, or say in what it differs from this sweep."""
    before = head_of(path)["identity"]
    now = json.loads(json.dumps(identity))
    if before != now:
        differ = [key for key in {**before, **now} if before.get(key) != now.get(key)]
        raise TauforgeError(
            f"{path} holds another sweep, with other {' and '.join(differ)}; "
            "choose another store, or remove this one if you no longer need it"
        )
    with locked(path):
        for left in path.rglob("*.partial"):  # of a caller that was killed
            left.unlink(missing_ok=True)
        with telling_damage(path):
            group = need().open_group(path, mode="r+")
            check_chunks(group, path)
            store = Store(group, space, path)
        yield store
