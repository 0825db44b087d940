"""What a case returns, as named arrays with named dimensions."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError

if TYPE_CHECKING:
    from ..simulation.trajectory import Trajectory

VALUE = "value"
"""The variable of a function that returns one number or one array."""
TIME, TIMES = "time", "t"
"""The dimension and the variable of time in a trajectory."""

Dimensions = tuple[tuple[str, tuple[str, ...]], ...]
Labels = tuple[tuple[str, tuple[Any, ...]], ...]


class Layout(NamedTuple):
    """The dimensions of each variable, and the labels along dimensions that have some."""

    dimensions: Dimensions
    labels: Labels


class Outputs(NamedTuple):
    """Arrays by the names of variables, and their layout."""

    layout: Layout
    arrays: dict[str, NDArray[Any]]


def outputs_of(result: Any) -> Outputs:
    """Return the arrays of whatever a function returns, or say why it cannot be kept."""
    simulation, xarray = map(sys.modules.get, ("tauforge.simulation.trajectory", "xarray"))  # who returns one has it
    if simulation is not None and isinstance(result, simulation.Trajectory):
        return _of_trajectory(result)
    if xarray is not None and isinstance(result, xarray.DataArray):
        result = result.to_dataset(name=result.name or VALUE)
    if xarray is not None and isinstance(result, xarray.Dataset):
        return _of_dataset(result)
    if isinstance(result, tuple) and hasattr(result, "_asdict"):
        result = result._asdict()
    if not isinstance(result, Mapping):
        result = {VALUE: result}
    if not result:
        raise ProgramError("the case returned nothing; return numbers, arrays, or a dictionary of these")
    arrays = {_name(name): _numbers(str(name), value) for name, value in result.items()}
    dimensions = tuple((name, tuple(f"{name}_{k}" for k in range(x.ndim))) for name, x in arrays.items())
    return Outputs(Layout(dimensions, ()), arrays)


def _of_trajectory(run: Trajectory) -> Outputs:
    """Return a trajectory with the names of its joints."""
    from ..simulation.storage import BY_COORDINATE, BY_TIME, BY_VELOCITY, names_of

    columns = {name: tuple(getattr(run, names_of(name))) for name in (*BY_COORDINATE, *BY_VELOCITY)}
    named: dict[tuple[str, ...], str] = {}  # the first name of what has the same labels
    for name, along in (("qd", "joint"), ("q", "coordinate"), ("qd_all", "axis"), ("tau", "motor")):
        named.setdefault(columns[name], along)
    many = tuple(f"state_{k}" for k in range(len(run.shape))) if len(run.shape) != 1 else ("state",)
    dimensions: dict[str, tuple[str, ...]] = {TIMES: (TIME,)}
    dimensions |= {name: (*many, TIME, named[names]) for name, names in columns.items()}
    dimensions |= dict.fromkeys(BY_TIME[1:], (*many, TIME)) | {"evaluations": (), "steps": ()}
    labels = {along: names for names, along in named.items()}
    arrays = {name: np.asarray(getattr(run, name), dtype=float) for name in dimensions}
    return Outputs(Layout(tuple(dimensions.items()), tuple(labels.items())), arrays)


def _of_dataset(result: Any) -> Outputs:
    """Return the variables of an xarray Dataset, with the labels along its dimensions."""
    arrays = {_name(name): _numbers(str(name), array.values) for name, array in result.data_vars.items()}
    if not arrays:
        raise ProgramError("the case returned a Dataset without variables")
    dimensions = tuple((str(name), tuple(map(str, array.dims))) for name, array in result.data_vars.items())
    labels = list[tuple[str, tuple[Any, ...]]]()
    for dimension in sorted({each for _, dims in dimensions for each in dims}):
        if dimension in result.coords:
            along = result.coords[dimension].values
            if along.dtype.kind not in "biufUTO" or not all(isinstance(x, str | int | float) for x in along.tolist()):
                raise ProgramError(f"the labels along {dimension} must be numbers or texts, not {along.dtype}")
            labels.append((dimension, tuple(along.tolist())))
    return Outputs(Layout(dimensions, tuple(labels)), arrays)


def _name(name: object) -> str:
    if not isinstance(name, str) or not name or "/" in name or name.startswith((".", "_")):
        raise ProgramError(
            f"the case returned an output called {name!r}; a name is a text without / that starts with a letter"
        )
    return name


def _numbers(name: str, value: Any) -> NDArray[Any]:
    """Return an array of floating-point or complex numbers, which can be NaN where a case is missing."""
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise ProgramError(f"the output {name} is not an array of numbers: {error}") from None
    kind = found.dtype.kind
    if kind in "biu" or found.dtype == np.float16:
        return found.astype(float)
    if kind == "f" and found.dtype.itemsize <= 8:
        return found
    if kind in "fc":
        return found.astype(complex if kind == "c" else float)
    told = type(value).__name__ if kind == "O" else str(found.dtype)
    raise ProgramError(f"the output {name} is {told}; return numbers, arrays of numbers, or a dictionary of these")
