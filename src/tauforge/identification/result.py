"""Identification: the estimates, what they are worth, and the robot that they make."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import IdentificationError, RobotWarning
from ..robot.robot import Robot
from .bounds import Bounds
from .checks import Finding
from .columns import Columns
from .consistent import Consistent
from .estimate import Fit, sums
from .options import number
from .possible import consistent_robot, possible
from .recording import SHORTEST, Recording, listed, numbers
from .samples import loads
from .signals import Filters
from .slip import along
from .sources import sources_of
from .validation import Validation, compared

Floats = NDArray[np.float64]
LONG = 200_000
"""Samples whose torques are predicted to show how well they fit."""


@final
@dataclass(frozen=True, eq=False)
class Identification:
    """Identified parameters of a robot.

    Attributes
    ----------
    columns
        The columns of the regressor.
    fit
        The estimate in its own terms: values, noise, and the triangular factor of the weighted regressor.
    covariance
        Covariance of the values, with the noise's correlation over time and between joints.
    speeds
        The speed of breakaway friction for each axis with friction.
    filters
        How each recording was filtered.
    method
        How the values were estimated.
    delays
        By how much the torques of each recording lag behind the motion, in seconds.
    options
        The options that also a validation needs.
    recordings
        What was identified from.
    findings
        What looks wrong with the recordings, or with the estimate.
    weights
        By which the samples of each recording and torque were multiplied, more where there was less noise.
    consistent
        The standard parameters of a possible robot, if they were asked for; the values then follow from these.
    """

    columns: Columns
    fit: Fit
    covariance: Floats
    speeds: Floats
    filters: tuple[Filters, ...]
    method: str
    delays: tuple[float, ...]
    options: dict[str, Any]
    recordings: tuple[Recording, ...] = ()
    findings: tuple[Finding, ...] = ()
    weights: tuple[Floats, ...] = ()
    consistent: Consistent | None = None

    @property
    def delay(self) -> float:
        """The largest delay of a recording, in seconds."""
        return max(self.delays, key=abs)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters: base parameters, rotor inertias, friction."""
        return self.columns.names

    @property
    def values(self) -> Floats:
        """Their values, in the order of ``names``; zero for those that the data do not determine."""
        return self.fit.values

    @cached_property
    def errors(self) -> Floats:
        """Standard errors of the values; infinite for those that the data do not determine."""
        found = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return np.asarray(np.where(self.fit.determined, found, np.inf), dtype=float)

    @property
    def correlations(self) -> Floats:
        """Correlations between the estimates."""
        scale = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return np.asarray(self.covariance / np.outer(scale, scale))

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of the parameters that the data do not determine."""
        return tuple(name for name, known in zip(self.names, self.fit.determined, strict=True) if not known)

    @cached_property
    def sums(self) -> dict[str, dict[str, float]]:
        """The values that are those of a sum, as the data do not tell its terms apart: the other terms of each, with
        their factors. ``{"M3R": {"FO3": 0.1}}`` is the value of M3R + 0.1 FO3.
        """
        found = sums(self.fit.information, self.fit.determined)
        return {self.names[k]: {self.names[j]: x for j, x in terms.items()} for k, terms in found.items()}

    def of_sum(self, name: str) -> str:
        """Return whose sum's value a parameter has, such as "of M3R + 0.1 FO3"; nothing for one that is told alone."""
        terms = (f" {'-' if x < 0 else '+'} {abs(x):.4g} {other}" for other, x in self.sums.get(name, {}).items())
        told = "".join(terms)
        return f"of {name}{told}" if told else ""

    @property
    def noise(self) -> dict[str, float]:
        """Standard deviation of the residuals of each torque."""
        return dict(zip(self.columns.torques, map(float, self.fit.noise), strict=True))

    def __getitem__(self, name: str) -> float:
        """Return the value of a parameter."""
        return float(self.values[self._place(name)])

    def error(self, name: str) -> float:
        """Return the standard error of a parameter."""
        return float(self.errors[self._place(name)])

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise IdentificationError(f"no parameter {name!r} was identified; there are {', '.join(self.names)}")
        return self.names.index(name)

    @cached_property
    def robot(self) -> Robot:
        """The robot with the identified values: every model, target and simulation takes it.

        If its parameters are consistent, its links are possible bodies. Otherwise they have base parameters, which give
        the same torques but are not the masses and inertias of single links. Load-dependent friction has no place in
        it, of which you are warned.
        """
        if self.columns.loaded:
            warnings.warn(
                f"{self.columns.robot.name}: a Robot has no load-dependent friction, so the torques of result.robot "
                "lack that of FL; result.predict has it",
                RobotWarning,
                stacklevel=3,
            )
        if self.consistent is None:
            return robot_of(self.columns, self.values, self.speeds)
        known = dict(zip(self.columns.keys, map(float, self.values), strict=True))
        return with_friction(self.columns, consistent_robot(self.columns.robot, self.consistent), known, self.speeds)

    def predict(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, step: float | None = None) -> Floats:
        """Return the torques (..., n) of states, with friction.

        Parameters
        ----------
        q, qd, qdd
            Coordinates, velocities and accelerations (..., n).
        step
            The time between samples, if they are a measured motion (samples, n): near rest, where the sign of a
            velocity is noise, friction then stays as the motion left it, as in ``validate``.
        """
        arrays = [np.atleast_2d(numbers(x, name)) for name, x in (("q", q), ("qd", qd), ("qdd", qdd))]
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        flat = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in arrays]
        slip = None
        if step is not None:
            if np.ndim(qd) != 2:
                raise IdentificationError(f"step is for a motion (samples, n), not for qd of shape {np.shape(qd)}")
            number("step", step, "the time between samples")
            velocities = self.columns.velocities(*map(np.ascontiguousarray, flat[:2]))
            slip = along(velocities, self.filters[0], step)
        tau = self.torque(flat[0], flat[1], flat[2], slip)
        return tau.reshape(*(lead if np.ndim(q) > 1 or np.ndim(qd) > 1 or np.ndim(qdd) > 1 else ()), tau.shape[-1])

    def torque(self, q: Floats, qd: Floats, qdd: Floats, slip: Floats | None = None) -> Floats:
        """Return the torques (samples, n), by default with the direction of friction that the velocities have."""
        more = {"speeds": self.speeds}
        if self.columns.loaded:
            more["load"] = np.zeros((len(q), len(self.columns.rubbing)))
            rigid = np.where(self.columns.inertial, self.values, 0.0)
            parts = self.columns.by_torque(q, qd, qdd, slip, **more)
            more["load"] = loads(self.columns, self.columns.torque(rigid, parts))
        return self.columns.torque(self.values, self.columns.by_torque(q, qd, qdd, slip, **more))

    def validate(self, recordings: Recording | Sequence[Recording]) -> Validation:
        """Return how well the identified robot predicts the torques of recordings that it was not identified from."""
        return compared(
            sources_of(self.columns, listed(recordings), **self.options),
            lambda x: self.torque(x.q, x.qd, x.qdd, x.slip),
        )

    def table(self) -> str:
        """Return the parameters with standard errors as text."""
        width = max(map(len, self.names))
        lines = [f"{'parameter':<{max(width, 9)}}  {'value':>12}  {'error':>10}  {'relative':>8}"]
        for name, x, error in zip(self.names, self.values, self.errors, strict=True):
            if np.isinf(error):
                lines.append(f"{name:<{max(width, 9)}}  {'not determined by these recordings':>34}")
                continue
            relative = f"{100 * error / abs(x):.1f} %" if x else "-"
            line = f"{name:<{max(width, 9)}}  {x:>12.5g}  {error:>10.2g}  {relative:>8}  {self.of_sum(name)}"
            lines.append(line.rstrip())
        return "\n".join(lines)

    def made_consistent(self, prior: Robot | None = None, bounds: Bounds | None = None) -> Identification:
        """Return the same identification with consistent parameters: those of a possible robot.

        Parameters
        ----------
        prior
            The robot with the values that you expect, to which what the data do not determine is drawn; by default the
            one that was identified, with the values of its description.
        bounds
            What is known of masses and centres of mass.
        """
        found = possible(self, prior, bounds)
        return replace(self, fit=replace(self.fit, values=found.base), consistent=found)

    @cached_property
    def training(self) -> Validation | None:
        """How well the result fits the recordings that it was identified from: the first samples, if there are many."""
        few, left = [], LONG
        for recording in self.recordings:
            if left > SHORTEST:
                few.append(recording[:left])
                left -= len(recording)
        return self.validate(few) if few else None

    def plot(self, recordings: Recording | Sequence[Recording] | None = None) -> Any:
        """Return a Matplotlib figure of measured and predicted torques.

        They are those of the recordings that were identified from, or of others.
        """
        from .plots import torques

        found = self.training if recordings is None else self.validate(recordings)
        if found is None:
            raise IdentificationError("the result has no recordings of its own; give some, result.plot(recording)")
        return torques(found)

    def report(self, path: str | Path, recordings: Recording | Sequence[Recording] = ()) -> Path:
        """Write all results, with figures, to one HTML file that needs nothing else.

        Parameters
        ----------
        recordings
            Others than those that were identified from, to show how well these are predicted.
        """
        from .report import write

        given = isinstance(recordings, Recording) or len(recordings)
        return write(path, self, self.training, self.validate(recordings) if given else None)

    def __repr__(self) -> str:
        known = int(self.fit.determined.sum())
        return f"Identification({self.columns.robot.name}: {known} parameters, {self.method})"


def robot_of(columns: Columns, values: Floats, speeds: Floats) -> Robot:
    """Return the robot with values of the columns' parameters."""
    known = dict(zip(columns.keys, map(float, values), strict=True))
    rigid = {columns.base.name(*key): known.get(key, 0.0) for key in columns.base.forms}
    return with_friction(columns, columns.base.bind(rigid), known, speeds)


def with_friction(columns: Columns, robot: Robot, known: dict[tuple[str, int], float], speeds: Floats) -> Robot:
    """Return a robot with identified friction, rotors of tendons and springs."""
    whole = columns.robot.expanded()
    shift = len(whole.joints) - len(columns.robot.joints)
    joints = []
    for j, joint in enumerate(robot.joints, 1 + shift):
        own = {key: known.get((key, j), 0.0) for key in ("FV", "FS", "FO", "FA", "FB")}
        if own["FB"]:
            own["VB"] = float(speeds[columns.rubbing.index(j)])
        if ("K", j) in known:
            own |= {"eta": 1, "k": known["K", j], "rest": 0.0}
        joints.append(replace(joint, **own))  # type: ignore[arg-type]
    tendons = [
        replace(tendon, **{key: known.get((key, j), 0.0) for key in ("IA", "FV", "FS")})  # type: ignore[arg-type]
        for j, tendon in enumerate(robot.tendons, 1 + len(whole.joints))
    ]
    named = f"{columns.robot.name}identified"
    return replace(robot, name=named, joints=tuple(joints), tendons=tuple(tendons))
