"""From an identification to a possible robot: base parameters to consistent standard ones."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import IdentificationError, RobotWarning
from ..graph.node import is_zero
from ..parameters.linear import LinearForm
from ..robot.robot import Robot
from ..spatial.inertia import NAMES, Inertia
from .bounds import Bounds
from .columns import Columns
from .consistent import Consistent, Reduced, consistent, reduced_to_rank
from .estimate import Fit
from .prior import prior_of
from .problem import Inequality
from .pseudo_inertia import Floats

if TYPE_CHECKING:
    from .result import Identification

COSTLY = 0.02
"""By how much the residual may be longer than that of impossible parameters before you are told."""


def possible(result: Identification, prior: Robot | None, bounds: Bounds | None) -> Consistent:
    """Return consistent standard parameters for what was identified."""
    columns = result.columns
    robot, shift = columns.robot, _shift(columns.robot)
    bounds = _checked(bounds)
    known = robot if prior is None else _like(prior, robot)
    found = consistent(
        reduced(columns, result.fit, result.covariance),
        forms(columns),
        prior_of(known, tuple(bounds.mass)),
        first=1 - shift,
        others={f"IA{j}": float(joint.IA) for j, joint in enumerate(known.joints, 1) if _is_number(joint.IA)},
        bounds=[*bounds.rows(robot), *_dissipation(columns)],
    )
    if found.least_harm > COSTLY:
        _warn(found, robot, bounds)
    return found


def reduced(columns: Columns, fit: Fit, covariance: Floats) -> Reduced:
    """Return the information of a fit about its own values, whatever the method that found them.

    Each torque is divided by its noise, so the sum of squares of what is left is the number of equations.
    """
    R, rest = fit.information, float(fit.R[-1, -1] ** 2)
    covariance = np.where(np.outer(fit.determined, fit.determined), covariance, 0.0)
    return reduced_to_rank(columns.names, R, R @ fit.values, rest, covariance)


def forms(columns: Columns) -> dict[str, LinearForm]:
    """Return each inertial column as a form in the standard parameters."""
    named = zip(columns.keys, columns.names, strict=True)
    return {name: columns.base.forms[key] for key, name in named if key in columns.base.forms}


def consistent_robot(robot: Robot, found: Consistent) -> Robot:
    """Return a robot with consistent links and rotors."""
    values = dict(zip(found.names, map(float, found.values), strict=True))

    def inertia(j: int) -> Inertia:
        return Inertia(*(values[f"{name}{j}"] for name in NAMES))

    bodies = tuple(replace(body, inertia=inertia(j)) for j, body in enumerate(robot.bodies, 1))
    joints = tuple(replace(joint, IA=values.get(f"IA{j}", 0.0)) for j, joint in enumerate(robot.joints, 1))
    base = robot.base
    if _shift(robot) and base.body:
        base = replace(base, body=replace(base.body, inertia=inertia(0)))
    return replace(robot, bodies=bodies, joints=joints, base=base)


def _shift(robot: Robot) -> int:
    return len(robot.expanded().joints) - len(robot.joints)


def _is_number(x: object) -> bool:
    return isinstance(x, float) and x > 0.0


def _checked(bounds: Bounds | None) -> Bounds:
    if bounds is not None and not isinstance(bounds, Bounds):
        raise IdentificationError(f"bounds is {bounds!r}; give tf.Bounds(mass=..., centre=..., total=...)")
    return bounds or Bounds()


def _like(prior: Robot, robot: Robot) -> Robot:
    """Return the prior if it describes the same links, in the same frames."""
    if not isinstance(prior, Robot):
        raise IdentificationError(f"prior is {prior!r}; give a Robot with the values that you expect")
    if len(prior.expanded().bodies) != len(robot.expanded().bodies):
        raise IdentificationError(
            f"the prior {prior.name} has {len(prior.bodies)} links and {robot.name} {len(robot.bodies)}; "
            "give the same robot with other values"
        )
    for one, other in zip(prior.joints, robot.joints, strict=True):
        places = [[getattr(x, key) for key in ("gamma", "b", "alpha", "d", "e", "theta", "r")] for x in (one, other)]
        if one.antecedent != other.antecedent or any(not is_zero(a - b) for a, b in zip(*places, strict=True)):
            raise IdentificationError(
                f"joint {other.name!r} of {robot.name} is elsewhere in the prior {prior.name}; "
                "give the same robot with other values, in the same frames"
            )
    return prior


def _dissipation(columns: Columns) -> list[Inequality]:
    """Return that friction never drives: the asymmetric part is less than the viscous one, breakaway and Coulomb
    friction together oppose the motion.
    """
    names: Mapping[tuple[str, int], str] = dict(zip(columns.keys, columns.names, strict=True))
    found = []
    for (key, j), name in names.items():
        if key == "FA" and ("FV", j) in names:
            found += [Inequality({names["FV", j]: 1.0, name: sign}) for sign in (1.0, -1.0)]
        if key == "FB" and ("FS", j) in names:
            found.append(Inequality({names["FS", j]: 1.0, name: 1.0}))
    return found


def _warn(found: Consistent, robot: Robot, bounds: Bounds) -> None:
    massless = [body.name for body, P in zip(robot.expanded().bodies, found.prior.matrices, strict=True) if P is None]
    hints = [f"{', '.join(massless)} have no mass in the description"] * bool(massless)
    hints += ["the bounds may be too tight"] * bool(found.problem.offset.size and bounds != Bounds())
    warnings.warn(
        f"{robot.name}: no possible robot fits as well as impossible parameters do; the residual grows by "
        f"{100 * found.least_harm:.1f} %. " + ("; ".join(hints) or "Look for what the model lacks") + ".",
        RobotWarning,
        stacklevel=5,
    )
