"""A load on a robot's link, seen by the columns of an identification; recordings with and without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ExpressionError, IdentificationError
from ..models.registry import check_robot
from ..robot.frames import frame
from ..robot.robot import Robot
from ..spatial.inertia import NAMES, Inertia
from .checks import Finding, doubts, suspicions
from .columns import Columns, columns
from .consistent import form_matrix
from .estimate import Fit
from .identify import coupled
from .options import terms
from .possible import forms
from .pseudo_inertia import COUNT, Floats
from .recording import Recording, listed
from .samples import Samples
from .sources import sources_of


def effect(columns: Columns, at: str) -> Floats:
    """Return by how much a load's ten parameters, in a frame, change the values of the columns (columns, 10)."""
    robot = columns.robot
    place = frame(robot, at)
    if not place.antecedent and not robot.base.floating:
        raise IdentificationError(f"{at!r} is a frame of the base, where a load has no effect; give one that moves")
    try:
        pose = place.pose().in_numbers()
    except ExpressionError:
        raise IdentificationError(f"the frame {at!r} has symbols; give them numbers with bind(...)") from None
    on_link = np.array([Inertia(*unit).inward(pose) for unit in np.eye(COUNT).tolist()]).T
    links = [f"{name}{place.antecedent}" for name in NAMES]
    _, K = form_matrix(columns.names, forms(columns), links)
    return np.asarray(K[:, :COUNT] @ on_link)


def recorded(
    robot: Robot,
    unloaded: Recording | Sequence[Recording],
    loaded: Recording | Sequence[Recording],
    friction: Sequence[str],
    rotors: bool,
    **filtering: Any,
) -> tuple[Columns, tuple[Samples, Samples], list[Finding]]:
    """Return the columns of a robot, the samples of recordings without and with a load, and what looks wrong there."""
    check_robot(robot)
    both = listed(unloaded), listed(loaded)
    robot = coupled(robot, [*both[0], *both[1]], None)
    cols = columns(robot, terms(friction), rotors)
    speeds = np.ones(len(cols.rubbing))
    empty, full = (Samples(cols, sources_of(cols, given, **filtering), speeds) for given in both)
    sources = [*empty.sources, *full.sources]
    pairs = zip(sources, [*both[0], *both[1]], strict=True)
    return cols, (empty, full), [x for source, own in pairs for x in suspicions(source.recording, cols.robot, own)]


def doubts_of_both(both: Sequence[Samples], values: Sequence[Floats], noise: Floats, errors: Floats) -> list[Finding]:
    """Return what looks wrong with the fits of recordings without and with a load.

    ``errors`` are those of the robot's values; infinite for values that the recordings do not determine.
    """
    known = np.isfinite(errors)
    covariance = np.diag(np.where(known, errors, 0.0) ** 2)
    found: dict[tuple[str, str, str], Finding] = {}
    for samples, x in zip(both, values, strict=True):
        fit = Fit(x, np.ones(len(x), dtype=bool), noise, np.zeros((len(x) + 1, len(x) + 1)))
        for finding in doubts(samples, fit, covariance)[0]:
            about = "" if finding.code == "delay" else finding.code  # each recording has a delay of its own
            found.setdefault((about or finding.recording, finding.code, finding.joint), finding)
    return [*found.values()]


def least(A: Floats, b: Floats) -> Floats:
    """Return the shortest least-squares solution, in units in which all columns are as long."""
    scale = lengths(A)
    return np.asarray(np.linalg.lstsq(A / scale, b, rcond=1e-9)[0] / scale)


def inverse_root(A: Floats) -> Floats:
    """Return a root B of the pseudo-inverse of AᵀA = (BBᵀ)⁺, in the same units."""
    scale = lengths(A)
    _, sizes, directions = np.linalg.svd(A / scale, full_matrices=False)
    seen = sizes > 1e-9 * sizes.max(initial=0.0)
    return np.asarray((directions[seen] / sizes[seen, None] / scale).T)


def lengths(A: Floats) -> Floats:
    """Return the lengths of columns; 1 for those that are zero."""
    found = np.linalg.norm(A, axis=0)
    return np.asarray(np.where(found == 0.0, 1.0, found))


def in_frame(robot: Robot, load: Robot, at: str) -> Floats:
    """Return the ten parameters of what a robot carries more than another, in a frame."""
    place = frame(robot, at)
    ours, theirs = (x.expanded().bodies for x in (robot, load))
    number = place.antecedent + len(ours) - len(robot.bodies) - 1
    more = [float(b) - float(a) for a, b in zip(ours[number].inertia, theirs[number].inertia, strict=True)]
    return np.array(Inertia(*more).inward(place.pose().in_numbers().inverse()))
