"""Gains of drives from a known load: how much torque a unit of the measured signal stands for.

A drive reports a current, or a torque in units of its own: v = κ τ with an unknown factor κ, one over its gain. Motion
alone leaves a common factor of all gains open; a load whose mass is known closes it. The noise is in v, so the factors
and the robot's parameters are the ones for which κ times the computed torques fit v best: least squares in both, by
Gauss and Newton's method on the triangular factors of the recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from ..errors import IdentificationError
from ..models.registry import check_robot
from ..robot.robot import Robot
from .columns import Columns, columns
from .consistent import standard_errors
from .factor import Factor
from .identify import AUTO, PLAIN, sources_of
from .load import effect, in_frame, listed
from .pseudo_inertia import Floats
from .recording import Recording
from .samples import Samples

ROUNDS = 50
"""Steps of the search, at most; ten are usual."""


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
    """

    names: tuple[str, ...]
    values: Floats
    errors: Floats

    def applied(self, recording: Recording) -> Recording:
        """Return a recording with torques in place of the drives' signals."""
        if recording.tau.shape[1] != len(self.values):
            raise IdentificationError(
                f"{recording.name} has {recording.tau.shape[1]} torques, and there are {len(self.values)} gains"
            )
        if np.any(np.isnan(self.values)):
            unknown = [name for name, x in zip(self.names, self.values, strict=True) if np.isnan(x)]
            raise IdentificationError(f"the gains of {', '.join(unknown)} are not determined; record another motion")
        return replace(recording, tau=recording.tau * self.values)

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
    cutoff, decimate
        As in ``identify``.
    """
    check_robot(robot)
    cols = columns(robot, tuple(friction), rotors)
    empty = replace(robot, bodies=tuple(replace(x, inertia=type(x.inertia)()) for x in robot.bodies))
    load = effect(cols, at) @ in_frame(empty, empty.payload(mass, com, inertia, at=at), at)
    factors = [
        Samples(cols, sources_of(cols, listed(given, what), cutoff=cutoff, decimate=decimate)).factor()
        for given, what in ((unloaded, "unloaded"), (loaded, "loaded"))
    ]
    return _Search(cols, factors, load).gains()


@dataclass(frozen=True)
class _Search:
    """The factors of both recordings, and what the load adds to the columns' values."""

    columns: Columns
    factors: Sequence[Factor]
    load: Floats

    def gains(self) -> Gains:
        names, p = self.columns.torques, len(self.columns.names)
        values, inverse = self._start()
        for _ in range(ROUNDS):
            noise = self._noise(values, inverse)
            residual, slope = self._linear(values, inverse, noise)
            scale = np.linalg.norm(slope, axis=0)
            scale[scale == 0.0] = 1.0
            step = np.linalg.lstsq(slope / scale, -residual, rcond=1e-9)[0] / scale
            values, inverse = values + step[:p], inverse + step[p:]
            if np.all(np.abs(step[p:]) <= 1e-10 * np.abs(inverse)):
                break
        residual, slope = self._linear(values, inverse, self._noise(values, inverse))
        unit = np.eye(p + len(names))[p:] / scale
        errors = standard_errors(slope / scale, unit, np.eye(len(residual)))
        lost = np.isinf(errors) | (inverse == 0.0)
        found = 1.0 / np.where(lost, 1.0, inverse)
        return Gains(names, np.where(lost, np.nan, found), np.where(lost, np.inf, errors * found**2))

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
        matrix = np.vstack(rows)
        scale = np.linalg.norm(matrix, axis=0)
        scale[scale == 0.0] = 1.0
        found = np.linalg.lstsq(matrix / scale, np.concatenate(right), rcond=1e-9)[0] / scale
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
            size = max(factor.torque(k) for factor in self.factors)
            found.append(max(np.sqrt(squares / sum(f.count for f in self.factors)), 1e-9 * size, 1e-300))
        return np.array(found)

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
