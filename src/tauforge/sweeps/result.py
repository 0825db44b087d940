"""Sweep: the results of many cases, labelled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np

from ..errors import TauforgeError
from ..files import as_path
from .batch import Fault
from .outputs import TIME, TIMES
from .store import DONE, FAILED, HEAD, NOT_RUN, check_chunks, damaged, head_of, need, telling_damage


class Failure(NamedTuple):
    """A case that failed.

    Attributes
    ----------
    parameters
        Its parameters, as the coordinates of the Dataset show them.
    error
        What went wrong.
    traceback
        Where, as Python prints it; empty if the function itself did not raise.
    """

    parameters: dict[str, Any]
    error: str
    traceback: str


@final
@dataclass(frozen=True, eq=False)
class Sweep:
    """The results of a sweep, complete or not.

    Attributes
    ----------
    data
        An xarray Dataset with the outputs of all cases. Parameters are its coordinates. ``status`` is 0 for cases that
        have not run, 1 for those that are done and 2 for those that failed; results that are missing are NaN. If there
        is a store, arrays are read from it when they are used.
    path
        The store; None if the results are in memory.
    """

    data: Any
    path: Path | None = None

    @classmethod
    def load(cls, path: str | Path) -> Sweep:
        """Return the sweep in a store, as far as it is done."""
        path = as_path(path)
        head_of(path)
        with telling_damage(path):
            sweep = cls(dataset(path), path)
            sweep.data[["status", *Fault._fields]].compute()
            check_chunks(need().open_group(path, mode="r"), path)
        return sweep

    @cached_property
    def _status(self) -> Any:
        return self.data["status"].values

    @property
    def done(self) -> int:
        """How many cases are done."""
        return int(np.sum(self._status == DONE))

    @property
    def failed(self) -> int:
        """How many cases have failed."""
        return int(np.sum(self._status == FAILED))

    @property
    def remaining(self) -> int:
        """How many cases have not run."""
        return int(np.sum(self._status == NOT_RUN))

    @cached_property
    def errors(self) -> tuple[Failure, ...]:
        """The cases that failed."""
        found = list[Failure]()
        dimensions = self.data["status"].dims
        known = [name for name, values in self.data.coords.items() if {*values.dims} & {*dimensions}]
        table = self.data[[*Fault._fields, *known]].load()
        for place in np.argwhere(self._status == FAILED):
            one = table.isel(dict(zip(dimensions, place.tolist(), strict=True)))
            told = {str(name): _plain(one[name].values) for name in known}
            found.append(Failure(told, *(str(one[name].values) for name in Fault._fields)))
        return tuple(found)

    def __repr__(self) -> str:
        sizes = " × ".join(f"{name} {size}" for name, size in self.data["status"].sizes.items())
        variables = ", ".join(str(x) for x in self.data.data_vars if x not in ("status", *Fault._fields))
        place = f"; {self.path}" if self.path else ""
        counts = f"{self.done} done, {self.failed} failed, {self.remaining} remaining"
        return f"Sweep({sizes}: {counts}; {variables or 'no results'}{place})"


def _plain(value: Any) -> Any:
    return value.item() if value.ndim == 0 else value


def dataset(store: Any) -> Any:
    """Return the Dataset in a store, with common times as a coordinate."""
    need()
    import xarray

    try:
        found = xarray.open_zarr(store, chunks=None, consolidated=False)
    except Exception as error:
        raise TauforgeError(f"{store}: cannot be read ({error})") from None
    layout = found.attrs.pop(HEAD)["layout"]
    order = [*(name for name, _ in (layout[0] if layout else ())), "status", *Fault._fields]
    if missing := [name for name in order if name not in found]:
        raise damaged(store, f"it lacks {missing[0]}")
    found = xarray.Dataset({name: found[name] for name in order}, found.coords, found.attrs)
    if TIME in found.coords and TIMES in found:
        found = found.drop_vars(TIMES)
    return found
