"""``identify``: from recordings to a robot, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError
from ..models.registry import check_robot
from ..robot.robot import Robot
from .bounds import Bounds
from .checks import fitting, suspicions, warn
from .columns import Columns, columns
from .estimate import Fit, inverse_of, weighted
from .noise import autocorrelation, long_run, memory, scores_of
from .recording import Recording
from .result import Identification
from .samples import Samples
from .signals import even, filters
from .states import Source

Floats = NDArray[np.float64]
PLAIN = ("FV", "FS", "FO")
RICH = (*PLAIN, "FA", "FB")
AUTO = "auto"
SPEEDS = (0.02, 0.05, 0.1, 0.2)
"""Speeds of breakaway friction that are tried, relative to the largest speed of each axis."""
SIGNIFICANT = 4.0
"""Standard errors from zero at which a richer term of friction is kept."""


def identify(
    robot: Robot,
    recordings: Recording | Sequence[Recording],
    *,
    friction: Sequence[str] | str = AUTO,
    rotors: bool = True,
    springs: bool = False,
    method: str = "weighted",
    cutoff: float | str | None = AUTO,
    decimate: int | None = None,
    consistent: bool = False,
    prior: Robot | None = None,
    bounds: Bounds | None = None,
) -> Identification:
    """Return the parameters of a robot that recordings of its motion tell.

    Parameters
    ----------
    consistent
        Whether the result is to be a possible robot: positive masses and inertias of all links, friction that brakes.
    prior
        The robot with the values that you expect, for what the data do not determine; by default ``robot`` itself.
    bounds
        What is known of masses and centres of mass.
    """
    if not consistent and (prior is not None or bounds is not None):
        raise IdentificationError("prior and bounds are for consistent parameters: give consistent=True too")
    check_robot(robot)
    given = [recordings] if isinstance(recordings, Recording) else list(recordings)
    if not given:
        raise IdentificationError("there is no recording; give one or several, tf.identify(robot, [recording])")
    wanted = RICH if friction == AUTO else tuple(friction)
    cols = columns(robot, wanted, rotors, springs)
    options: dict[str, Any] = {"cutoff": cutoff, "decimate": decimate}
    sources = sources_of(cols, given, **options)
    for source in sources:
        warn(suspicions(source.recording, robot), source.recording)
    samples = Samples(cols, sources)
    _speeds(samples)
    fit = weighted(samples.factor(), cols, weigh=method != "ordinary")
    covariance = robust(samples, fit)
    if friction == AUTO:
        size = np.abs(fit.values) / np.sqrt(np.maximum(np.diag(covariance), 1e-300))
        more = np.array([key[0] in ("FA", "FB") for key in cols.keys])
        keep = ~more | (size > SIGNIFICANT)
        cols = cols.only(keep)
        samples = Samples(cols, sources, samples.speeds)
        fit = weighted(samples.factor(), cols, weigh=method != "ordinary")
        covariance = robust(samples, fit)
    speeds = samples.speeds if samples.speeds is not None else np.ones(len(cols.rubbing))
    found = Identification(cols, fit, covariance, speeds, tuple(x.filters for x in sources), method, 0.0, options)
    return found.made_consistent(prior, bounds) if consistent else found


def robust(samples: Samples, fit: Fit) -> Floats:
    """Return the covariance of a fit under noise that is correlated over time and between joints."""
    cols = samples.columns
    correlation = autocorrelation(block.residual(cols, fit.values) for block in samples.blocks())
    scores = long_run(samples.blocks(), scores_of(cols, fit.values, fit.noise), memory(correlation))
    inverse = inverse_of(fit.information, fit.determined)
    bread = inverse @ inverse.T
    return bread @ scores @ bread


def _speeds(samples: Samples) -> None:
    """Choose the speeds of breakaway friction: those with which the torques fit best."""
    if "speeds" not in samples.columns.program.inputs:
        return
    largest = np.full(len(samples.columns.rubbing), 1e-9)
    for source in samples.sources:
        for states in source.blocks():
            largest = np.maximum(largest, np.abs(samples.columns.velocities(states.q, states.qd)).max(axis=0))
    best: tuple[float, Floats] | None = None
    for part in SPEEDS:
        samples.speeds, samples._kept = part * largest, None
        fit = weighted(samples.factor(), samples.columns)
        score = float(np.sum(np.log(fit.noise)))
        if best is None or score < best[0]:
            best = score, samples.speeds
    assert best is not None
    samples.speeds, samples._kept = best[1], None


def sources_of(
    cols: Columns, recordings: Sequence[Recording], *, cutoff: float | str | None, decimate: int | None
) -> list[Source]:
    """Return recordings with the way to filter each."""
    found = []
    for given in recordings:
        recording = even(fitting(given, cols.robot))
        how = filters(recording, cutoff, decimate)
        trim = min(how.halo // 2, len(recording) // 20)
        found.append(Source(recording, how, cols, trim))
    return found
