"""A robot's models here and in other libraries: compare the results, then time them in turn."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import io
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..robot.robot import Robot
from .peer import DIRECT, INERTIA, INVERSE, MODELS, Peer, Unfit, Work
from .prepare import states
from .timing import PROCESSOR, best_times
from .with_casadi import CasADi
from .with_drake import Drake
from .with_frax import Frax
from .with_mujoco import MuJoCo
from .with_pinocchio import Pinocchio
from .with_tauforge import Tauforge
from .with_toolbox import Toolbox

PEERS: tuple[type[Peer], ...] = (Pinocchio, MuJoCo, CasADi, Drake, Toolbox, Frax)
ONE_THREAD = {
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")},
    "NPROC": "1",
}
"""Environment variables that libraries with their own threads read at import."""
_ZERO = 1e-3  # smaller results are compared as if their largest entry were this


@dataclass(frozen=True)
class Row:
    """The times of one library for one model, in nanoseconds per state; ratios are to our times.

    Attributes
    ----------
    batch
        Time per state of a batch; None if it was not measured.
    single
        Time of a call from Python with one state; None if it was not measured.
    mode
        How the library computed the batch, in words.
    error
        Largest difference from our results, relative to the largest of them.
    reason
        Why there are no times.
    """

    model: str
    peer: str
    version: str = ""
    batch: float | None = None
    batch_ratio: float | None = None
    single: float | None = None
    single_ratio: float | None = None
    mode: str = ""
    error: float | None = None
    reason: str = ""


def rows(
    robot: Robot,
    models: Sequence[str] = MODELS,
    *,
    batch: int = 4096,
    seconds: float = 1.0,
    peers: Sequence[type[Peer]] = PEERS,
    effort: str | float | None = None,
    progress: Callable[[str], object] = lambda words: None,
) -> Iterator[Row]:
    """Yield, for each model, our row and then one per peer; ``robot`` must come from ``prepared``.

    Parameters
    ----------
    batch
        The number of states per batch.
    seconds
        How long to time each model, half of it with batches; at least three rounds are made.
    effort
        That of ``Program.optimise`` for our models; None takes them as made.
    progress
        Called with a description of each step.
    """
    ours = Tauforge(robot, effort)
    built: list[tuple[type[Peer], Peer | str]] = [(Tauforge, ours)]
    for kind in peers:
        progress(f"building {robot.name} in {kind.name}")
        built.append((kind, _built(kind, robot)))
    q, qd, qdd = states(robot, batch)
    efforts = ours.function(INVERSE)(q, qd, qdd) if DIRECT in models else qdd
    inputs = {INERTIA: [q], DIRECT: [q, qd, efforts]}
    for model in models:
        progress(f"timing {model}")
        yield from _compared(model, built, inputs.get(model, [q, qd, qdd]), seconds)


def _built(kind: type[Peer], robot: Robot) -> Peer | str:
    """Return a library's robot, or the reason why there is none."""
    if not importlib.util.find_spec(kind.module):
        return f"not installed: pip install {kind.install}"
    try:
        for name, value in (ONE_THREAD | kind.environment()).items():
            os.environ.setdefault(name, value)
        with _quiet():
            importlib.import_module(kind.module)
    except Exception as error:  # a broken installation can raise anything
        return f"{kind.module} cannot be imported: {_line(error)}"
    try:
        with _quiet():
            return kind(robot)
    except Unfit as error:
        return str(error)
    except Exception as error:  # so can a library that cannot represent a robot
        return f"cannot represent this robot: {_line(error)}"


def _compared(
    model: str, built: Sequence[tuple[type[Peer], Peer | str]], arrays: Sequence[Any], seconds: float
) -> Iterator[Row]:
    expected: Any = None
    works: dict[str, tuple[Work, Work, float]] = {}
    reasons: dict[str, str] = {}
    for kind, peer in built:
        if isinstance(peer, str):
            reasons[kind.name] = peer
            continue
        try:
            with _quiet():
                many, one = peer.batch(model, arrays), peer.single(model, arrays)
                many.run()
                few = [x[: many.states] for x in arrays]
                found = peer.ours(model, few, many.result())
        except Unfit as lack:
            reasons[kind.name] = str(lack)
            continue
        except Exception as failure:
            reasons[kind.name] = f"fails: {_line(failure)}"
            continue
        if expected is None:
            expected = np.array(found)
        error = _difference(found, expected[: many.states])
        if error > kind.tolerance:
            reasons[kind.name] = f"results differ by {error:.1g}"
        else:
            works[kind.name] = many, one, error
    of_batch = best_times({name: many.run for name, (many, _, _) in works.items()}, seconds / 2, clock=PROCESSOR)
    of_call = best_times({name: one.run for name, (_, one, _) in works.items()}, seconds / 2, clock=PROCESSOR)
    batch = {name: 1e9 * took / works[name][0].states for name, took in of_batch.items()}
    single = {name: 1e9 * took for name, took in of_call.items()}
    for kind, _ in built:
        if kind.name in reasons:
            yield Row(model, kind.name, _version(kind), reason=reasons[kind.name])
            continue
        many, _, error = works[kind.name]
        yield Row(
            model,
            kind.name,
            _version(kind),
            batch[kind.name],
            batch[kind.name] / batch[Tauforge.name],
            single[kind.name],
            single[kind.name] / single[Tauforge.name],
            many.words,
            error,
        )


def _difference(found: Any, expected: Any) -> float:
    """Return the largest difference relative to the largest entry; infinite if something is not finite."""
    error = np.abs(found - expected).max() / max(np.abs(expected).max(), _ZERO)
    return float(error) if np.isfinite(error) else float("inf")


def _version(kind: type[Peer]) -> str:
    try:
        return importlib.metadata.version(kind.install)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress what libraries print and warn about."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield
