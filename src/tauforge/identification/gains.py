"""Gains of drives from a known load: how much torque a unit of the measured signal means.

A drive reports a current, or a torque in units of its own: v = κ τ with an unknown factor κ, one over its gain. Motion
alone leaves a common factor of all gains open; a load whose mass is known closes it. The noise is in v, so the factors
and the robot's parameters are the ones for which κ times the computed torques fit v best: least squares in both, by
Gauss and Newton's method on the triangular factors of the recordings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError
from ..robot.robot import Robot
from .checks import Finding, check_accept, warn
from .columns import Columns
from .consistent import standard_errors
from .factor import Factor
from .identify import PLAIN
from .load import doubts_of_both, effect, in_frame, inverse_root, least, lengths, recorded
from .noise import products, score_covariance, scores
from .options import AUTO
from .pseudo_inertia import Floats
from .recording import Recording
from .samples import Block, Samples

ROUNDS = 50
"""Steps of the search, at most; ten are usual."""
TOLD = 3.0
"""Standard errors from zero at which a drive's signal is known to follow its torque."""


@final
@dataclass(frozen=True, eq=False)
class Gains:
    """Gains of a robot's drives, with standard errors.

    Attributes
    ----------
    names
        Names of the torques.
    values
        Torque per unit of the signal; NaN for a drive whose gain the recordings do not determine.
    errors
        Standard errors of the gains; infinite where they are not determined.
    findings
        What looks wrong with the recordings, or with the gains.
    """

    names: tuple[str, ...]
    values: Floats
    errors: Floats
    findings: tuple[Finding, ...] = ()

    def applied(self, recording: Recording) -> Recording:
        """Return a recording with torques in place of the drives' signals."""
        if recording.tau.shape[1] != len(self.values):
            raise IdentificationError(
                f"{recording.name} has {recording.tau.shape[1]} torques, and there are {len(self.values)} gains"
            )
        if np.any(np.isnan(self.values)):
            unknown = [name for name, x in zip(self.names, self.values, strict=True) if np.isnan(x)]
            raise IdentificationError(f"the gains of {', '.join(unknown)} are not determined; record another motion")
        by_name = dict(zip(self.names, self.values, strict=True))
        labels = recording.labels.get("tau", self.names)
        if unknown := [name for name in labels if name not in by_name]:
            raise IdentificationError(f"{recording.name} has a torque of {unknown[0]}, for which there is no gain")
        return replace(recording, tau=recording.tau * [by_name[name] for name in labels])

    def table(self) -> str:
        """Return the gains with their standard errors as text."""
        width = max(5, *map(len, self.names))
        lines = [f"{'drive':<{width}}  {'gain':>11}  {'error':>9}  {'relative':>8}"]
        for name, x, error in zip(self.names, self.values, self.errors, strict=True):
            known = f"{x:>11.5g}  {error:>9.2g}  {100 * error / abs(x):>6.2f} %"
            lines.append(f"{name:<{width}}  {'undetermined' if np.isinf(error) else known}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Gains({', '.join(f'{name}: {x:.4g}' for name, x in zip(self.names, self.values, strict=True))})"


def identify_gains(
    robot: Robot,
    unloaded: Recording | Sequence[Recording],
    loaded: Recording | Sequence[Recording],
    *,
    mass: float,
    com: Sequence[float] = (0.0, 0.0, 0.0),
    inertia: Sequence[Sequence[float]] | None = None,
    at: str,
    friction: Sequence[str] = PLAIN,
    rotors: bool = True,
    cutoff: float | str | None = AUTO,
    decimate: int | None = None,
    accept: Sequence[str] = (),
) -> Gains:
    """Return the gains of a robot's drives, from recordings with and without a load that is known.

    Parameters
    ----------
    unloaded, loaded
        Recordings without and with the load; their ``tau`` are the drives' signals, such as currents.
    mass, com, inertia, at
        The load, as in ``robot.payload``.
    friction, rotors
        What joints have, as in ``identify``.
    cutoff, decimate, accept
        As in ``identify``.
    """
    accept = check_accept(accept)
    cols, both, findings = recorded(robot, unloaded, loaded, friction, rotors, cutoff=cutoff, decimate=decimate)
    empty = replace(robot, bodies=tuple(replace(x, inertia=type(x.inertia)()) for x in robot.bodies))
    load = effect(cols, at) @ in_frame(empty, empty.payload(mass, com, inertia, at=at), at)
    found = _Search(cols, both, [samples.factor() for samples in both], load).gains()
    found = replace(found, findings=(*findings, *found.findings))
    warn(found.findings, accept, level=3)
    return found


def _undetermined(names: Sequence[str], lost: NDArray[np.bool_]) -> Finding:
    """Return what is said of gains that the recordings do not determine."""
    some = ", ".join(name for name, x in zip(names, lost, strict=True) if x)
    fix = "does the load act on them, and was it attached in one of the recordings only?"
    return Finding("load", "", f"the recordings do not determine the gains of {some}", fix)


@dataclass(frozen=True)
class _Search:
    """The samples of both recordings, their factors, and what the load adds to the columns' values."""

    columns: Columns
    samples: Sequence[Samples]
    factors: Sequence[Factor]
    load: Floats

    def gains(self) -> Gains:
        names, p = self.columns.torques, len(self.columns.names)
        values, inverse = self._start()
        for _ in range(ROUNDS):
            residual, slope = self._linear(values, inverse, self._noise(values, inverse))
            step = least(slope, -residual)
            values, inverse = values + step[:p], inverse + step[p:]
            if np.all(np.abs(step[p:]) <= 1e-10 * np.abs(inverse)):
                break
        every = self._errors(values, inverse, slope)
        every[np.isinf(standard_errors(slope / lengths(slope), np.eye(slope.shape[1]), np.eye(len(slope))))] = np.inf
        errors = every[p:]
        lost = np.isinf(errors) | (np.abs(inverse) <= TOLD * errors)
        found = 1.0 / np.where(lost, 1.0, inverse)
        doubts = (*self._doubts(values, inverse, every[:p]),) if not lost.any() else (_undetermined(names, lost),)
        return Gains(names, np.where(lost, np.nan, found), np.where(lost, np.inf, errors * found**2), doubts)

    def _doubts(self, values: Floats, inverse: Floats, errors: Floats) -> Iterator[Finding]:
        """Yield what looks wrong with the fit, once signals are torques."""
        both = []
        for samples in self.samples:
            recordings = (source.recording.changed(tau=source.recording.tau / inverse) for source in samples.sources)
            sources = [replace(x, recording=rec) for x, rec in zip(samples.sources, recordings, strict=True)]
            both.append(samples.changed(sources=sources))
        noise = self._noise(values, inverse) / np.abs(inverse)
        found = doubts_of_both(both, (values, values + self.load), noise, errors)
        if np.all(inverse < 0.0) or any(x.code == "sign" and not x.joint for x in found):
            found = [x for x in found if x.code not in ("sign", "scale")]
            yield Finding(
                "load",
                "",
                "with these gains the load pulls upwards, or friction drives every joint",
                "are the recordings with and without it exchanged? identify_gains(robot, loaded, unloaded, …)",
            )
        yield from found

    def _errors(self, values: Floats, inverse: Floats, slope: Floats) -> Floats:
        """Return the standard errors of values and factors under noise that is correlated over time and between
        channels.
        """
        noise, root = self._noise(values, inverse), inverse_root(slope)
        parts = [
            score_covariance(
                samples,
                products(samples, partial(self._residual, values=x, inverse=inverse, noise=noise)),
                partial(self._scores, values=x, inverse=inverse, noise=noise, root=root),
            )
            for samples, x in zip(self.samples, (values, values + self.load), strict=True)
        ]
        return np.asarray(np.sqrt(np.maximum(np.diag(root @ (parts[0] + parts[1]) @ root.T), 0.0)))

    def _residual(self, block: Block, values: Floats, inverse: Floats, noise: Floats) -> Floats:
        """Return the residuals of the signals relative to their noise."""
        return np.asarray((block.tau - inverse * self.columns.torque(values, block.parts)) / noise)

    def _scores(self, block: Block, values: Floats, inverse: Floats, noise: Floats, root: Floats) -> Floats:
        """Return each sample's part of the gradient by values and factors, whitened by an inverse root."""
        torque = self.columns.torque(values, block.parts)
        weighted = self._residual(block, values, inverse, noise) / noise
        rigid = scores(self.columns, block.parts, weighted * inverse, np.ones(len(noise)))
        return np.asarray(np.column_stack([rigid, torque * weighted]) @ root)

    def _parts(self, k: int) -> Any:
        """Yield a torque's triangle of each recording, with what the load adds to its values."""
        own = list(self.columns.rows[k])
        for factor, share in zip(self.factors, (0.0, 1.0), strict=True):
            T = factor.triangles[k]
            yield T[:, :-1], T[:, -1], share * self.load[own]

    def _start(self) -> tuple[Floats, Floats]:
        """Return values and factors by linear least squares in values and gains, scaled by each signal's size."""
        p, count = len(self.columns.names), len(self.columns.rows)
        rows, right = [], []
        for k, own in enumerate(self.columns.rows):
            size = max(factor.torque(k) for factor in self.factors) or 1.0
            for Y, v, more in self._parts(k):
                block = np.zeros((len(v), p + count))
                block[:, list(own)] = Y
                block[:, p + k] = -v / size
                rows.append(block)
                right.append(-Y @ more)
        found = least(np.vstack(rows), np.concatenate(right))
        sizes = np.array([max(factor.torque(k) for factor in self.factors) or 1.0 for k in range(count)])
        gains = found[p:] / sizes
        return found[:p], 1.0 / np.where(gains == 0.0, 1.0, gains)

    def _noise(self, values: Floats, inverse: Floats) -> Floats:
        """Return the standard deviation of each signal's noise."""
        found = []
        for k, own in enumerate(self.columns.rows):
            squares = sum(
                float(np.sum((v - inverse[k] * (Y @ (values[list(own)] + more))) ** 2)) for Y, v, more in self._parts(k)
            )
            found.append(np.sqrt(squares / sum(f.counts[k] for f in self.factors)))
        sizes = [factor.torque(k) for factor in self.factors for k in range(len(found))]
        return np.maximum(found, 1e-9 * max(sizes))

    def _linear(self, values: Floats, inverse: Floats, noise: Floats) -> tuple[Floats, Floats]:
        """Return the residuals of all signals relative to their noise, and their slopes by values and factors."""
        p = len(values)
        residuals, slopes = [], []
        for k, own in enumerate(self.columns.rows):
            for Y, v, more in self._parts(k):
                torque = Y @ (values[list(own)] + more)
                slope = np.zeros((len(v), p + len(inverse)))
                slope[:, list(own)] = inverse[k] * Y
                slope[:, p + k] = torque
                residuals.append((inverse[k] * torque - v) / noise[k])
                slopes.append(slope / noise[k])
        return np.concatenate(residuals), np.vstack(slopes)
