"""A payload from two recordings, with and without it.

Both share the robot: its base parameters, and its friction if you say so. The load changes the base parameters by a
linear map of its own ten, which the columns of its link give. So the factors of both recordings, stacked, are all that
is needed, and the load's errors include those of the robot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import final

import numpy as np

from ..errors import IdentificationError
from ..robot.assemble import with_load
from ..robot.body import Body
from ..robot.frames import frame
from ..robot.robot import Robot
from ..spatial.inertia import NAMES, Inertia
from .checks import Finding, check_accept, warn
from .columns import Columns
from .consistent import Consistent, Reduced, consistent, reduced_to_rank, standard_errors
from .estimate import QUIET, independent
from .factor import Factor, triangle
from .identify import PLAIN, SIGNIFICANT
from .load import doubts_of_both, effect, inverse_root, least, lengths, recorded
from .noise import products, residual_at, score_covariance, scores_at
from .options import AUTO
from .possible import COSTLY
from .prior import Prior
from .pseudo_inertia import COUNT, Floats, body
from .recording import Recording
from .samples import Samples

ROUNDS = 20
"""Rounds of weighting, at most."""
PULL = 0.2
"""By how much the shape of that body may pull the load from the estimate, in standard errors."""
RADIUS = 0.1
"""Radius of gyration of the body that an unknown load is drawn to, in metres."""


@final
@dataclass(frozen=True, eq=False)
class Payload:
    """A rigid load at a frame: its mass, its centre of mass and its inertia, with standard errors.

    What the recordings do not determine is NaN, and its error infinite.

    Attributes
    ----------
    at
        Name of the frame.
    consistent
        The ten parameters of a possible body, in that frame and about its origin.
    covariance
        Covariance of the ten parameters.
    findings
        What looks wrong with the recordings, or with the load.
    """

    at: str
    consistent: Consistent
    covariance: Floats
    findings: tuple[Finding, ...] = ()

    @property
    def parameters(self) -> Floats:
        """The ten parameters ``XX XY XZ YY YZ ZZ MX MY MZ M`` in the frame; NaN where they are not determined."""
        return np.where(np.isinf(self.errors), np.nan, self.consistent.values)

    @property
    def errors(self) -> Floats:
        """Standard errors of the ten parameters; infinite where they are not determined."""
        return self.consistent.errors

    @property
    def mass(self) -> float:
        """Its mass in kg."""
        return float(self.parameters[9])

    @property
    def mass_error(self) -> float:
        """Standard error of its mass."""
        return float(self.errors[9])

    @property
    def centre(self) -> Floats:
        """Its centre of mass in the frame, in m."""
        return self._central[0][:3]

    @property
    def centre_errors(self) -> Floats:
        """Standard errors of the centre of mass."""
        return self._central[1][:3]

    @property
    def inertia(self) -> Floats:
        """Its 3x3 inertia matrix about the centre of mass, in the axes of the frame, in kg m²."""
        return _symmetric(self._central[0][3:])

    @property
    def inertia_errors(self) -> Floats:
        """Standard errors of the inertia matrix."""
        return _symmetric(self._central[1][3:])

    @cached_property
    def _central(self) -> tuple[Floats, Floats]:
        """Centre and inertia about it, and their errors to first order."""
        x = self.consistent.values
        value = _about_centre(x)
        steps = np.diag(1e-6 * np.maximum(np.abs(x), 1e-3 * x[9]))
        slopes = np.array([(_about_centre(x + s) - _about_centre(x - s)) / (2.0 * s.sum()) for s in steps]).T
        lost = np.isinf(self.errors)
        covariance = np.where(lost[:, None] | lost, 0.0, self.covariance)
        errors = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slopes, covariance, slopes), 0.0))
        open_ = np.abs(slopes[:, lost]) > 1e-9 * np.abs(slopes).max(axis=1, keepdims=True)
        unknown = np.any(open_, axis=1)
        return np.where(unknown, np.nan, value), np.where(unknown, np.inf, errors)

    def on(self, robot: Robot) -> Robot:
        """Return a robot with this load. What is not determined has the value of a possible body."""
        load = Body(name="payload", inertia=Inertia(*map(float, self.consistent.values)))
        return with_load(robot, frame(robot, self.at), load)

    def table(self) -> str:
        """Return mass, centre and inertia with their standard errors as text."""
        names = ("mass", "centre x", "centre y", "centre z", *(f"inertia {key}" for key in NAMES[:6]))
        units = ("kg", *["m"] * 3, *["kg m²"] * 6)
        values, errors = (
            np.append(first, x) for first, x in zip((self.mass, self.mass_error), self._central, strict=True)
        )
        lines = [f"{'':<12}  {'value':>11}  {'error':>9}"]
        for name, unit, x, error in zip(names, units, values, errors, strict=True):
            shown = "undetermined".rjust(22) if np.isinf(error) else f"{x:>11.5g}  {error:>9.2g}"
            lines.append(f"{name:<12}  {shown}  {unit}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Payload(at {self.at!r}: {self.mass:.4g} ± {self.mass_error:.2g} kg)"


def identify_payload(
    robot: Robot,
    unloaded: Recording | Sequence[Recording],
    loaded: Recording | Sequence[Recording],
    *,
    at: str,
    friction: Sequence[str] = PLAIN,
    rotors: bool = True,
    same_friction: bool = True,
    cutoff: float | str | None = AUTO,
    decimate: int | None = None,
    accept: Sequence[str] = (),
) -> Payload:
    """Return the load that a robot carries in some recordings and not in others.

    Parameters
    ----------
    unloaded, loaded
        Recordings without and with the load. Motions that turn the load about every axis, and fast enough, tell its
        inertia; slow ones tell its mass and its centre only.
    at
        Name of a frame, or of a link, on which the load is fixed.
    friction
        Terms of friction, as in ``identify``.
    rotors
        Whether joints have rotor inertias.
    same_friction
        Whether friction is the same with and without the load. If it is not, it has parameters of its own in each.
    cutoff, decimate, accept
        As in ``identify``.
    """
    accept = check_accept(accept)
    cols, both, findings = recorded(robot, unloaded, loaded, friction, rotors, cutoff=cutoff, decimate=decimate)
    more = effect(cols, at)
    if not np.any(more):
        raise IdentificationError(f"a load at {at!r} has no effect on any torque of {robot.name}")
    if not same_friction:
        more = np.column_stack([more, np.eye(len(cols.names))[:, ~cols.inertial]])
    factors = [samples.factor() for samples in both]
    T, values, noise = _joint_fit(cols, factors, more)
    covariance = _covariance(cols, both, more, T, values, noise)
    p = len(cols.names)
    own = covariance[p : p + COUNT, p : p + COUNT]
    reduced = _of_load(T, slice(p, p + COUNT), own)
    prior = Prior((_guess(reduced.R, reduced.z),), scaled=True)
    found = consistent(reduced, {}, prior, harm=PULL**2 / (2.0 * reduced.freedom))
    findings += _doubts(cols, both, more, T, values, noise, covariance)
    findings += _no_body(reduced, found, prior)
    warn(findings, accept, level=3)
    return Payload(at, found, own, tuple(findings))


def _doubts(
    cols: Columns, both: Sequence[Samples], more: Floats, T: Floats, values: Floats, noise: Floats, covariance: Floats
) -> list[Finding]:
    """Return what looks wrong with the fit of both recordings."""
    p = len(cols.names)
    A = T[:-1, :-1] / lengths(T[:-1, :-1])
    known = np.isfinite(standard_errors(A, np.eye(len(A))[:p], np.eye(len(A))))
    errors = np.where(known, np.sqrt(np.maximum(np.diag(covariance)[:p], 0.0)), np.inf)
    return doubts_of_both(both, (values[:p], values[:p] + more @ values[p:]), noise, errors)


def _no_body(reduced: Reduced, found: Consistent, prior: Prior) -> Iterator[Finding]:
    """Yield what is said of a load that no body is, or that is none."""
    estimate = least(reduced.R, reduced.z)
    mass, error = float(estimate[9]), float(found.errors[9])
    if np.isfinite(error) and abs(mass) < SIGNIFICANT * error:
        sentence = f"the mass of the load is {mass:.2g} ± {error:.1g} kg, which is not told from none"
        yield Finding("load", "", sentence, "was it attached, and are the angles in radians and the torques in N m?")
    if found.least_harm <= COSTLY:
        return
    other = consistent(replace(reduced, z=-reduced.z), {}, prior, harm=PULL**2 / (2.0 * reduced.freedom))
    sentence = f"with a possible load the residual is {100 * found.least_harm:.0f} % longer than with an impossible one"
    if other.least_harm < max(COSTLY, 0.1 * found.least_harm):
        fix = "are the recordings with and without it exchanged? identify_payload(robot, loaded, unloaded, …)"
    else:
        fix = "is it rigid and at this frame, and are both recordings of the same robot, in the same units?"
    yield Finding("load", "", sentence, fix)


def _of_load(T: Floats, load: slice, covariance: Floats) -> Reduced:
    """Return what a triangle of all columns and the torque says of the load's, whatever the others' values.

    Other columns come first, and only those that are independent: the rows of the others would take something of the
    load with them.
    """
    before = np.ones(len(T) - 1, dtype=bool)
    before[load] = False
    others = np.flatnonzero(independent(T[:, :-1], before))
    block = triangle(np.column_stack([T[:, others], T[:, load], T[:, -1]]))[len(others) :, len(others) :]
    lengths = np.linalg.norm(T[:, load], axis=0)
    names = tuple(f"{name}1" for name in NAMES)
    rest = float(block[-1, -1] ** 2)
    return reduced_to_rank(names, block[:COUNT, :COUNT], block[:COUNT, -1], rest, covariance, lengths)


def _joint_fit(cols: Columns, factors: Sequence[Factor], more: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the triangle of robot, load and torque, their values, and the noise of each torque."""
    count = len(cols.names)
    sizes = np.array([max(factor.torque(k) for factor in factors) for k in range(len(cols.rows))])
    noise = np.maximum(sizes, QUIET * float(sizes.max()))
    for _ in range(ROUNDS):
        empty, full = (factor.whole(cols.rows, count, 1.0 / noise) for factor in factors)
        above = np.column_stack([empty[:, :count], np.zeros((len(empty), more.shape[1])), empty[:, count]])
        below = np.column_stack([full[:, :count], full[:, :count] @ more, full[:, count]])
        T = triangle(np.vstack([above, below]))
        values = least(T[:-1, :-1], T[:-1, -1])
        before = noise
        each = (values[:count], values[:count] + more @ values[count:])
        squares = [
            sum(
                factor.counts[k] * factor.residual(k, x[list(own)]) ** 2
                for factor, x in zip(factors, each, strict=True)
            )
            for k, own in enumerate(cols.rows)
        ]
        noise = np.sqrt(np.array(squares) / sum(factor.counts for factor in factors))
        noise = np.maximum(noise, QUIET * float(sizes.max()))
        if np.allclose(before, noise, rtol=1e-3):
            break
    return T, values, noise


def _covariance(
    cols: Columns, both: Sequence[Samples], more: Floats, T: Floats, values: Floats, noise: Floats
) -> Floats:
    """Return the covariance of all values under noise that is correlated over time and between joints."""
    count, root = len(cols.names), inverse_root(T[:-1, :-1])
    total = np.zeros((root.shape[1], root.shape[1]))
    for samples, share in zip(both, (0.0, 1.0), strict=True):
        residual = partial(residual_at, columns=cols, values=values[:count] + share * (more @ values[count:]))
        loaded = root[:count] + share * (more @ root[count:])
        own = partial(scores_at, columns=cols, residual=residual, noise=noise, root=loaded)
        total += score_covariance(samples, products(samples, residual), own)
    return np.asarray(root @ total @ root.T)


def _guess(R: Floats, z: Floats) -> Floats:
    """Return a body of the mass and centre that the unconstrained estimate has, as far as it has them."""
    values, errors = least(R, z), standard_errors(R, np.eye(COUNT), np.eye(len(z)))
    mass = float(values[9]) if np.isfinite(errors[9]) and values[9] > 0.0 else 1.0
    centre = np.where(np.isfinite(errors[6:9]), values[6:9] / mass, 0.0)
    return body(mass, np.clip(centre, -1.0, 1.0), RADIUS**2 * np.eye(3))


def _about_centre(x: Floats) -> Floats:
    """Return the centre of mass and the six parameters of the inertia about it."""
    centre = x[6:9] / x[9]
    own = np.array([[x[0], x[1], x[2]], [x[1], x[3], x[4]], [x[2], x[4], x[5]]])
    own -= x[9] * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return np.array([*centre, own[0, 0], own[0, 1], own[0, 2], own[1, 1], own[1, 2], own[2, 2]])


def _symmetric(x: Floats) -> Floats:
    return x[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
