"""``identify``: from recordings to a robot, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import IdentificationError
from ..models.registry import check_robot
from ..robot.robot import Robot
from .bounds import Bounds
from .checks import Finding, check_accept, doubts, suspicions, warn
from .columns import Columns, columns
from .direct import Motion
from .essential import essential as needed
from .estimate import Flags, weighted
from .methods import METHODS, Estimate, by_recording
from .motors import with_motors
from .options import AUTO, check_work, terms
from .recording import Recording, listed
from .result import Identification
from .samples import Samples
from .sources import sources_of
from .states import Source
from .threads import one_thread_each

Floats = NDArray[np.float64]
PLAIN, RICH = ("FV", "FS", "FO"), ("FA", "FB")
"""The terms of friction that are always there, and those that are kept where the data support them."""
TUNED = 32768
"""Samples on which the speeds of breakaway friction are tried."""
SPEEDS = (0.02, 0.05, 0.1, 0.2)
"""Speeds of breakaway friction that are tried, relative to the largest speed of each axis."""
SIGNIFICANT = 3.0
"""Standard errors from zero at which a richer term of friction is kept."""
LOADED = 3
"""Rounds in which load-dependent friction and the load that it depends on are estimated in turn."""


def identify(
    robot: Robot,
    recordings: Recording | Sequence[Recording],
    *,
    friction: Sequence[str] | str = AUTO,
    rotors: bool = True,
    springs: bool = False,
    coupling: ArrayLike | None = None,
    method: str = "weighted",
    essential: bool = False,
    controller: Any = None,
    cutoff: float | str | None = AUTO,
    decimate: int | None = None,
    rest: float = 0.0,
    workers: Any = None,
    consistent: bool = False,
    prior: Robot | None = None,
    bounds: Bounds | None = None,
    accept: Sequence[str] = (),
) -> Identification:
    """Return the parameters of a robot that recordings of its motion tell, with standard errors.

    Parameters
    ----------
    robot
        Its geometry; inertias and friction need no values, and only consistent parameters are drawn to them. It can
        have a floating base, closed loops, and joints that follow others.
    recordings
        One or several, on the joints' side.
    friction
        Terms of each joint's friction: "FV" viscous, "FS" Coulomb, "FO" an offset, "FA" asymmetric viscous, "FB"
        breakaway (Stribeck), "FL" load-dependent. By default the first three, and FA and FB where the data support
        them.
    rotors, springs
        Whether joints have rotor inertias, and springs; FO holds the springs' rest position.
    coupling
        The matrix R of motor = R joint; by default that of the recordings. Rotor inertia and friction of a motor that
        several joints move are identified along its own coordinate.
    method
        "weighted" least squares, each torque by the inverse of its noise; "ordinary"; "huber", which withstands
        outliers; "total" least squares; "iv", instrumental variables; "didim", from the simulated robot's torques.
    essential
        Whether to leave out parameters that the data cannot tell from zero.
    controller
        For "iv" and "didim": what drove the robot, as for ``simulate``; a list has one for each recording.
    cutoff, decimate
        Frequency up to which positions are used, in Hz, by default from their spectrum; None does not filter them. Of
        so many samples one is kept after filtering, by default as many as the motion allows.
    rest
        Samples of a torque whose joint is slower than this do not count.
    workers
        A number of threads, or an executor or Dask client whose ``submit`` runs parts of the work.
    consistent, prior, bounds
        Whether the result is to be a possible robot; the robot with the values that you expect, by default ``robot``;
        what is known of masses and centres of mass.
    accept
        Codes of findings that you know of, such as "saturated", or "sign:joint2" for one joint: they are not warned of.
    """
    accept = check_accept(accept)
    _check_consistent(consistent, prior, bounds, essential)
    check_robot(robot)
    given = listed(recordings)
    check_work(rest, workers)
    if not isinstance(method, str) or method not in METHODS:
        raise IdentificationError(f"the method is {method!r}; it must be one of {', '.join(METHODS)}")
    robot = coupled(robot, given, coupling)
    wanted = (*PLAIN, *RICH) if friction == AUTO else terms(friction)
    found = columns(robot, wanted, rotors, springs)
    sources = sources_of(found, given, cutoff=cutoff, decimate=decimate)
    fit = partial(_fit, method=method, controllers=_controllers(controller, given))
    samples, estimate, found_late = _estimated(given, sources, fit, rest, workers, method, friction == AUTO, essential)
    findings, late = found_late
    warn(findings, accept)
    options: dict[str, Any] = {"cutoff": cutoff, "decimate": decimate}
    hows = tuple(source.filters for source in sources)
    weights = tuple(part.sources[0].weights for part in samples.recordings())
    result = Identification(
        samples.columns,
        *estimate,
        samples.speeds,
        hows,
        method,
        late,
        options,
        tuple(given),
        findings=findings,
        weights=weights,
    )
    return result.made_consistent(prior, bounds) if consistent else result


def _estimated(
    given: Sequence[Recording],
    sources: Sequence[Source],
    fit: Callable[..., tuple[Samples, Estimate]],
    rest: float,
    workers: Any,
    method: str,
    rich: bool,
    essential: bool,
) -> tuple[Samples, Estimate, tuple[tuple[Finding, ...], tuple[float, ...]]]:
    """Return the estimate of sources with its samples, and what looks wrong, with the delays of torques."""
    found = sources[0].columns
    _check_length(found, sources)
    findings = [
        x for source, own in zip(sources, given, strict=True) for x in suspicions(source.recording, found.robot, own)
    ]
    with ExitStack() as stack:
        stack.enter_context(one_thread_each())
        if isinstance(workers, int):
            executor = stack.enter_context(ThreadPoolExecutor(workers)) if workers > 1 else None
        else:
            executor = workers
        parts = [part for source in sources for part in source.split(_parts(workers, method))]
        samples = _tuned(Samples(found, parts, np.ones(len(found.rubbing)), rest=rest, executor=executor))
        samples = samples if method == "ordinary" else by_recording(samples)
        samples, estimate = fit(samples, np.ones(len(found.names), dtype=bool))
        if rich or essential:
            samples, estimate = _fewer(samples, estimate, fit, rich, essential)
        more, late = doubts(samples, estimate.fit, estimate.covariance)
    return samples, estimate, ((*findings, *more), late)


def _check_consistent(consistent: bool, prior: Robot | None, bounds: Bounds | None, essential: bool) -> None:
    """Refuse what goes only with consistent parameters, or not with them."""
    if not consistent and (prior is not None or bounds is not None):
        raise IdentificationError("prior and bounds are for consistent parameters: give consistent=True too")
    if consistent and essential:
        raise IdentificationError(
            "a possible robot has all parameters: leave essential=True out, or consistent=True; "
            "what the data cannot tell from zero is drawn to the prior"
        )


def _fit(samples: Samples, use: Flags, method: str, controllers: Sequence[Any]) -> tuple[Samples, Estimate]:
    """Return the estimate, and the samples with the load that it depends on."""
    known = any(x is not None for x in controllers) or all(x.recording.reference is not None for x in samples.sources)
    for _ in range(LOADED if samples.columns.loaded else 1):
        simulate = Motion(samples, controllers) if known else None
        estimate = METHODS[method](samples, use, simulate)
        if samples.columns.loaded:
            samples = samples.changed(rigid=np.where(samples.columns.inertial, estimate.fit.values, 0.0))
    return samples, estimate


def _fewer(
    samples: Samples, estimate: Estimate, fit: Callable[..., tuple[Samples, Estimate]], rich: bool, essential: bool
) -> tuple[Samples, Estimate]:
    """Return samples and estimate without columns that the data do not support."""
    errors = np.sqrt(np.maximum(np.diag(estimate.covariance), 1e-300))
    keep = np.ones(len(errors), dtype=bool)
    if rich:
        more = np.array([key[0] in RICH for key in samples.columns.keys])
        keep = ~more | (np.abs(estimate.fit.values) > SIGNIFICANT * errors)
    if essential:
        keep = needed(samples.factor(), samples.columns, estimate.covariance, keep)
    if keep.all():
        return samples, estimate
    fewer = samples.columns.only(keep)
    sources = [source.of(fewer) for source in samples.sources]
    return fit(samples.changed(columns=fewer, sources=sources), np.ones(len(fewer.names), dtype=bool))


def coupled(robot: Robot, recordings: Sequence[Recording], coupling: ArrayLike | None) -> Robot:
    """Return the robot with tendons for coupled motors."""
    own = [x.coupling for x in recordings if x.coupling is not None]
    if coupling is None and own:
        if any(x.shape != own[0].shape or not np.allclose(x, own[0]) for x in own):
            raise IdentificationError("the recordings have different couplings of motors; identify from one robot's")
        coupling = own[0]
    return robot if coupling is None else with_motors(robot, coupling)


def _controllers(given: Any, recordings: Sequence[Recording]) -> list[Any]:
    found = list(given) if isinstance(given, list | tuple) else [given] * len(recordings)
    if len(found) != len(recordings):
        raise IdentificationError(
            f"there are {len(found)} controllers for {len(recordings)} recordings; give one for each"
        )
    return found


def _parts(workers: Any, method: str) -> int:
    """Return into how many parts a recording is split; one that is simulated stays whole."""
    if workers is None or method in ("iv", "didim"):
        return 1
    return workers if isinstance(workers, int) else 8


def _check_length(found: Columns, sources: Sequence[Source]) -> None:
    """Refuse recordings that are too short for so many parameters."""
    samples = sum(len(source.recording) for source in sources)
    if samples * len(found.rows) < 2 * len(found.names):
        raise IdentificationError(
            f"{samples} samples of {len(found.rows)} torques are too few for {len(found.names)} parameters; "
            "record longer"
        )


def _tuned(samples: Samples) -> Samples:
    """Return the samples with the speeds of breakaway friction with which some of them fit best."""
    if "speeds" not in samples.columns.program.inputs:
        return samples
    some = [source.start_of(TUNED // len(samples.sources)) for source in samples.sources]
    largest = np.maximum(np.max([source.fastest() for source in some], axis=0), 1e-9)
    best, least = samples.speeds, np.inf
    for part in SPEEDS:
        tried = samples.changed(sources=some, speeds=part * largest)
        score = float(np.sum(np.log(weighted(tried.factor(), tried.columns).noise)))
        if score < least:
            best, least = tried.speeds, score
    return samples.changed(speeds=best)
