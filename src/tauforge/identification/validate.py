"""``validate`` and ``cross_validate``: how well a robot, or an identification from other data, predicts recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError
from ..models.inverse_dynamics import inverse_dynamics
from ..models.registry import check_robot
from ..parameters.base import grouped
from ..robot.robot import Robot
from .columns import columns_of
from .identify import identify
from .options import AUTO, whole
from .recording import SHORTEST, Recording, listed
from .sources import sources_of
from .states import States
from .validation import Validation, compared

Floats = NDArray[np.float64]


def validate(
    robot: Robot,
    recordings: Recording | Sequence[Recording],
    *,
    cutoff: float | str | None = AUTO,
    decimate: int | None = None,
) -> Validation:
    """Return how well a robot with values predicts the torques of recordings.

    Parameters
    ----------
    robot
        A robot with numbers, such as one that was identified and saved.
    recordings
        One or several, on the joints' side.
    cutoff, decimate
        As in ``identify``.
    """
    check_robot(robot)
    if robot.symbols:
        raise IdentificationError(f"{robot.name} has symbols; give values to {', '.join(robot.symbols[:6])} with bind")
    every = robot.expanded()
    rubbing = [*((j, x) for j, x in enumerate(every.joints, 1) if x.axes and x.kind.is_axial)]
    amounts = {(key, j): float(getattr(x, key)) for j, x in rubbing for key in ("FS", "FB")}
    amounts |= {("FS", j): float(x.FS) for j, x in enumerate(every.tendons, len(every.joints) + 1)}
    signed = columns_of(robot, {key: f"{key[0]}{key[1]}" for key in amounts}, grouped(robot))
    speeds = dict.fromkeys(signed.rubbing, 1.0) | {j: float(x.VB) or 1.0 for j, x in rubbing}
    smooth = inverse_dynamics(robot.neglect("FS", "FB")).compile()

    def torque(states: States) -> Floats:
        state = states.q, states.qd, states.qdd
        parts = signed.by_torque(*state, states.slip, speeds=np.array(list(speeds.values())))
        return np.asarray(smooth(*state)) + signed.torque(np.array(list(amounts.values())), parts)

    return compared(sources_of(signed, listed(recordings), cutoff=cutoff, decimate=decimate), torque)


@final
@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Validations of parts of the data, each by an identification from all other parts.

    Attributes
    ----------
    folds
        One validation per part.
    """

    folds: tuple[Validation, ...]

    @property
    def relative(self) -> Floats:
        """‖residual‖/‖torque‖ of each torque over all parts."""
        residual, measured = (np.vstack([getattr(x, key) for x in self.folds]) for key in ("residual", "measured"))
        return np.asarray(np.linalg.norm(residual, axis=0) / np.maximum(np.linalg.norm(measured, axis=0), 1e-300))

    @property
    def overall(self) -> float:
        """‖residual‖/‖torque‖ over all torques and parts."""
        squares = [(np.sum(x.residual**2), np.sum(x.measured**2)) for x in self.folds]
        errors, torques = np.sum(squares, axis=0)
        return float(np.sqrt(errors / torques))

    def table(self) -> str:
        """Return the relative errors of each part and torque as text."""
        names = self.folds[0].torques
        lines = ["  ".join(["part", *(f"{name:>9}" for name in (*names, "overall"))])]
        rows = [(str(k), x.relative, x.overall) for k, x in enumerate(self.folds, 1)]
        for label, each, overall in (*rows, ("all", self.relative, self.overall)):
            cells = (f"{100 * x:>7.2f} %" for x in (*each, overall))
            lines.append("  ".join([f"{label:<4}", *cells]))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"CrossValidation({100 * self.overall:.2f} % overall, {len(self.folds)} parts)"


def cross_validate(
    robot: Robot, recordings: Recording | Sequence[Recording], folds: int = 5, **options: Any
) -> CrossValidation:
    """Return how well parts of the data are predicted by identifications from all other parts.

    Parameters
    ----------
    robot, recordings
        As in ``identify``.
    folds
        How many parts. If there are as many recordings, each part is some of them; otherwise each recording is cut in
        time.
    **options
        Options of ``identify``.
    """
    check_robot(robot)
    given = listed(recordings)
    whole("folds", folds, 2)
    if len(given) < folds and min(map(len, given)) < SHORTEST * folds:
        raise IdentificationError(
            f"folds is {folds}, but the shortest recording has {min(map(len, given))} samples; a part takes {SHORTEST}"
        )
    if len(given) >= folds:
        parts = [given[k::folds] for k in range(folds)]
    else:
        parts = [[_cut(rec, k, folds) for rec in given] for k in range(folds)]
    found = []
    for k, part in enumerate(parts):
        others = [rec for i, other in enumerate(parts) if i != k for rec in other]
        found.append(identify(robot, others, **options).validate(part))
    return CrossValidation(tuple(found))


def _cut(recording: Recording, k: int, folds: int) -> Recording:
    ends = [round(len(recording) * i / folds) for i in (k, k + 1)]
    return recording[ends[0] : ends[1]]
