"""Sweeps: one function, many cases, one labelled result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ProgramError, TauforgeError
from ..files import as_path
from ..robot.robot import Robot
from ..simulation.simulate import simulate
from .batch import Work, takes_rng
from .cases import Space, grid, listed, sampled
from .cluster import Cluster, client_of
from .fingerprint import fingerprint, name_of
from .pool import Pool, Processes, Threads
from .result import Sweep, dataset
from .run import run
from .store import FAILED, NOT_RUN, Store, created, head_of, need, opened


# fmt: off
def sweep(
    function: Callable[..., Any] | Robot, parameters: Mapping[str, Any] | None = None, *,
    cases: Mapping[str, Any] | None = None, samples: Mapping[str, Any] | None = None, count: int | None = None,
    fixed: Mapping[str, Any] | None = None, seed: int | None = None, store: str | Path | None = None,
    workers: Any = "threads", jobs: int | None = None, batch: int | None = None, resume: bool | str = True,
) -> Sweep:
    # fmt: on
    """Call a function for many cases, and return all results with their labels. It needs the extra "sweep".

    Parameters
    ----------
    function
        Called with the parameters of a case by name. It returns a Trajectory, a number, an array, a dictionary of
        these, or an xarray Dataset. Arrays whose lengths differ from case to case are padded with NaN. If it has a
        parameter ``rng``, each case gets its own random generator. A Robot is simulated: parameters that are its
        symbols get values, the others are arguments of ``tf.simulate``.
    parameters
        A grid: for each parameter its values, which become a dimension. Values are numbers, texts, rows of an array,
        or any objects, such as controllers; ``{"label": object}`` gives these labels.
    cases
        Instead of a grid, or for each of its points: values of each parameter, one per case.
    samples, count
        Instead of ``cases``: distributions of ``scipy.stats``, or functions of a random generator, and how many cases
        to draw. The samples depend on the seed alone.
    fixed
        Arguments that all cases share.
    seed
        Makes samples and generators reproducible. By default it is random, and kept in the store.
    store
        A folder for the results, such as "runs.zarr"; by default they stay in memory.
    workers
        "threads", "processes", or a Dask cluster: its client, the cluster itself, or the address of its scheduler.
    jobs
        How many threads or processes; by default one per processor.
    batch
        How many cases a worker gets at once; by default about as many as take a quarter of a second.
    resume
        True goes on with a store that exists, "failed" also repeats cases that failed, and False refuses the store.

    Raises
    ------
    ProgramError
        If an argument is wrong.
    TauforgeError
        If the store holds another sweep, or a library is missing. Errors of cases are not raised: see ``Sweep.errors``.
        A KeyboardInterrupt carries what is done as its attribute ``sweep``.
    """
    _check(function, cases, samples, jobs, batch, resume)
    path = None if store is None else as_path(store)
    exists = _exists(path, resume)
    entropy = _entropy(seed, path if exists else None)
    space = Space((*grid(parameters), *listed(cases), *sampled(samples, count, entropy)))
    work, identity = _work(function, space, dict(fixed or {}), entropy, bool(samples))
    with opened(path, space, identity) if path and exists else created(path, entropy, space, identity) as made:
        try:
            _run(made, work, space, workers, jobs, batch, resume)
        except KeyboardInterrupt as interrupt:
            interrupt.sweep = _result(made, path)  # type: ignore[attr-defined]
            raise
    return _result(made, path)


def _exists(path: Path | None, resume: bool | str) -> bool:
    """Tell whether there is something to go on with."""
    if path is None or not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return False
    if resume is False:
        raise TauforgeError(f"{path} exists; choose another store, or leave out resume=False to go on with it")
    return True


def _work(
    function: Callable[..., Any] | Robot, space: Space, fixed: dict[str, Any], entropy: int, drawn: bool
) -> tuple[Work, dict[str, str]]:
    """Return what all cases have in common, and what makes this sweep differ from others."""
    _check_call(function, space, fixed)
    called = partial(simulated, function) if isinstance(function, Robot) else function
    noise = takes_rng(called) and "rng" not in {*fixed, *(axis.name for axis in space.axes)}
    work = Work(called, fixed, space.objects, entropy if noise else None)
    identity = _identity(function, space, fixed)
    return work, identity | ({"seed": str(entropy)} if drawn or noise else {})


def _run(
    store: Store, work: Work, space: Space, workers: Any, jobs: int | None, batch: int | None, resume: bool | str
) -> None:
    """Compute what is left."""
    wanted = (NOT_RUN, FAILED) if resume == "failed" else (NOT_RUN,)
    todo = np.flatnonzero(np.isin(store.status, wanted))
    if len(todo):
        pool = _pool(work, space, workers, None if jobs is None else int(jobs))
        try:
            run(pool, store, todo, None if batch is None else int(batch))
        finally:
            pool.close()


def _result(store: Store, path: Path | None) -> Sweep:
    return Sweep(dataset(store.group.store).load() if path is None else dataset(path), path)


def _pool(work: Work, space: Space, workers: Any, jobs: int | None) -> Pool:
    """Return the workers that are meant."""
    if isinstance(workers, str) and workers == "threads":
        return Threads(work, space, jobs)
    if isinstance(workers, str) and workers == "processes":
        return Processes(_packed(work), space, jobs)
    client, own = client_of(workers)
    if client is None:
        raise ProgramError(
            f"workers is {workers!r}; choose among 'threads', 'processes', a Dask client or cluster, and the "
            "address of a scheduler such as 'tcp://10.0.0.1:8786'"
        )
    return Cluster(client, own, _packed(work), space)


def _packed(work: Work) -> bytes:
    """Return the work as bytes for other processes."""
    try:
        import cloudpickle
    except ImportError:
        raise TauforgeError("workers in other processes need cloudpickle: pip install 'tauforge[sweep]'") from None
    try:
        data: bytes = cloudpickle.dumps(work)
    except Exception as error:
        raise ProgramError(
            f"the function, or an object that it uses, cannot be sent to other processes ({error}); "
            "use workers='threads', or make that object inside the function"
        ) from None
    return data


def simulated(robot: Robot, /, **arguments: Any) -> Any:
    """Return a simulation of a robot with values for its symbols, and arguments of ``tf.simulate``."""
    values = {name: arguments.pop(name) for name in robot.symbols if name in arguments}
    return simulate(robot.bind(values) if values else robot, **arguments)


def _entropy(seed: int | None, path: Path | None) -> int:
    """Return the seed, that of the store, or a new one."""
    if seed is not None:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise ProgramError(f"seed is {seed!r}; give an integer that is not negative")
        return int(seed)
    if path is not None:
        return int(head_of(path)["seed"])
    fresh = np.random.SeedSequence().entropy
    assert isinstance(fresh, int)
    return fresh


def _identity(function: Any, space: Space, fixed: dict[str, Any]) -> dict[str, str]:
    """Return fingerprints of what a sweep is given, each under a name that an error can use."""
    found = {"function": f"{name_of(function)} {fingerprint(function)}"}
    found |= {f"argument {name}": fingerprint(value) for name, value in fixed.items()}
    for axis in space.axes:
        values = axis.values if axis.labels is None else [axis.labels, axis.values]
        found[f"values of {axis.name}"] = f"{axis.dimension} {fingerprint(values)}"
    return found


def _check(function: Any, cases: Any, samples: Any, jobs: Any, batch: Any, resume: Any) -> None:
    need()
    if not callable(function) and not isinstance(function, Robot):
        raise ProgramError(f"the first argument is {type(function).__name__}; give a function or a Robot")
    if cases is not None and samples is not None:
        raise ProgramError("give cases or samples, not both: each is the dimension 'case'")
    for name, value in (("jobs", jobs), ("batch", batch)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1):
            raise ProgramError(f"{name} is {value!r}; give a positive number, or None")
    if not isinstance(resume, bool) and resume != "failed":
        raise ProgramError(f"resume is {resume!r}; choose among True, False and 'failed'")


def _check_call(function: Any, space: Space, fixed: dict[str, Any]) -> None:
    """Refuse parameters that the function does not take, before any case runs."""
    if not space.axes:
        raise ProgramError("there is nothing to sweep; give parameters, cases or samples")
    names = [*(axis.name for axis in space.axes), *fixed]
    if double := sorted({name for name in names if names.count(name) > 1}):
        raise ProgramError(f"{double[0]} is given twice; give it in one of parameters, cases, samples, fixed")
    if isinstance(function, Robot):
        if missing := [name for name in function.symbols if name not in names]:
            told = ", ".join(missing[:6])
            raise ProgramError(f"{function.name} has symbols without values: {told}; bind or sweep them")
        names = ["robot", *(name for name in names if name not in function.symbols)]
        function = simulate
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    more = ["rng"] if "rng" in signature.parameters and "rng" not in names else []
    try:
        signature.bind(**dict.fromkeys([*names, *more]))
    except TypeError as error:
        known = ", ".join(signature.parameters)
        raise ProgramError(f"{name_of(function)}({known}) does not fit the parameters: {error}") from None
