"""What a motion tells about the parameters: the information matrix WᵀW of the regressor, and two measures of it.

The determinant measures the volume of the estimates' confidence region (D-optimality), whatever the units of the
parameters. The condition number, the ratio of the largest to the smallest singular value of W, depends on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import IdentificationError
from ...graph.rewrite import replaced
from ...robot.robot import Robot
from ...simulation.motion.checks import bounds
from ..columns import FRICTION, Columns, columns
from .limits import MotionLimits
from .pullback import Pullback, smooth_sign

Floats = NDArray[np.float64]
LINEAR = tuple(key for key in FRICTION if key not in ("FB", "FL"))
"""Terms of friction whose columns depend on the motion alone."""
FLOOR = 1e-14
"""Smallest eigenvalue of the information matrix that counts, relative to the largest."""
DRAWN = 512
"""Random states within the limits from which the size of each column is found."""


class Information:
    """The information matrix of motions, per sample, and the slopes of its measures.

    Parameters
    ----------
    noise
        Standard deviation of each torque, by which rows are divided.
    width
        The velocity over which the sign of Coulomb friction turns, so that it has a slope.
    """

    def __init__(self, cols: Columns, noise: Floats, width: float) -> None:
        self.columns, self.noise = cols, noise
        program = cols.program
        smooth = [smooth_sign(v, width) for v in cols.rates.results["v"].nodes]
        slip = program.arguments["slip"].nodes if "slip" in program.arguments else ()
        nodes = [node for array in program.results.values() for node in array.nodes]
        new = replaced(nodes, dict(zip(slip, smooth, strict=True)) if slip else {})
        arguments = {key: array for key, array in program.arguments.items() if key != "slip"}
        self._entries = Pullback("excitation", arguments, [new[node] for node in nodes])
        self._row = np.concatenate([[k] * len(own) for k, own in enumerate(cols.rows)]).astype(int)
        self._column = np.concatenate([list(own) for own in cols.rows]).astype(int)

    @property
    def count(self) -> int:
        """How many parameters there are."""
        return len(self.columns.names)

    def rows(self, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """Return the regressor, (samples, torques, parameters)."""
        whole = np.zeros((len(q), len(self.noise), self.count))
        whole[:, self._row, self._column] = self._entries.values(q, qd, qdd) / self.noise[self._row]
        return whole

    def matrix(self, W: Floats) -> Floats:
        """Return the information matrix per sample."""
        return np.asarray(np.matmul(W.transpose(0, 2, 1), W).sum(axis=0)) / len(W)

    def slopes(self, W: Floats, by: Floats, q: Floats, qd: Floats, qdd: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the slopes of a number by the states from those by the information matrix."""
        weights = np.matmul(W, by)[:, self._row, self._column] * (2.0 / len(W)) / self.noise[self._row]
        return self._entries.slopes(np.ascontiguousarray(weights), q, qd, qdd)

    def drawn(self, limits: MotionLimits) -> Floats:
        """Return the regressor at states that are spread evenly within the limits."""
        random = np.random.default_rng(0)
        q, qd, qdd = (random.uniform(-1.0, 1.0, (DRAWN, len(limits.lower))) for _ in range(3))
        bounded = np.isfinite(limits.upper - limits.lower)
        half = np.where(bounded, 0.5 * (limits.upper - limits.lower), np.pi)
        speed = np.where(np.isfinite(limits.velocity), limits.velocity, 1.0)
        rise = np.where(np.isfinite(limits.acceleration), limits.acceleration, speed**2)
        return self.rows(limits.middle + half * q, speed * qd, rise * qdd)

    def sizes(self, limits: MotionLimits) -> Floats:
        """Return the root mean square of each column over these states."""
        W = self.drawn(limits)
        return np.asarray(np.sqrt(np.maximum((W * W).sum(axis=1).mean(axis=0), 1e-300)))


def columns_to_excite(robot: Robot, friction: object, rotors: bool | None) -> Columns:
    """Return the columns to be identified; by default rotors and friction that some joint of the robot has."""
    has = {key: any(getattr(joint, key, 0.0) != 0.0 for joint in robot.joints) for key in (*LINEAR, "IA")}
    chosen = tuple(key for key in LINEAR if has[key]) if friction is None else friction
    each = (chosen,) if isinstance(chosen, str) else tuple(chosen)  # type: ignore[arg-type]
    if wrong := [key for key in each if key not in LINEAR]:
        raise IdentificationError(
            f"friction: {wrong[0]!r} cannot be excited by design; choose among {', '.join(LINEAR)}"
        )
    return columns(robot, each, has["IA"] if rotors is None else bool(rotors))


def noise_of(given: ArrayLike | None, count: int) -> Floats:
    """Return the standard deviation of each torque."""
    return np.ones(count) if given is None else bounds("noise", given, count)


Measure = Callable[[Floats], tuple[float, Floats]]


def by_determinant(matrix: Floats) -> tuple[float, Floats]:
    """Return minus the mean logarithm of the eigenvalues, and its slopes by the matrix."""
    values, vectors = _eigen(matrix)
    return -float(np.log(values).mean()), _slopes(-1.0 / (len(values) * values), vectors)


def by_condition(sharpness: float, share: float) -> Measure:
    """Return a smooth measure of the condition number, the sharper the closer to its logarithm, and a share of
    ``by_determinant``: of motions in nearly the same condition, the one that tells more.
    """

    def measure(matrix: Floats) -> tuple[float, Floats]:
        values, vectors = _eigen(matrix)
        logs = np.log(values)
        high, low = np.exp(sharpness * (logs - logs[-1])), np.exp(sharpness * (logs[0] - logs))
        spread = logs[-1] - logs[0] + np.log(high.sum() * low.sum()) / sharpness
        slope = high / high.sum() - low / low.sum() - share / len(logs)
        return float(spread - share * logs.mean()), _slopes(slope / values, vectors)

    return measure


def condition(matrix: Floats) -> float:
    """Return the condition number of the regressor that has this information matrix."""
    values = np.linalg.eigvalsh(matrix)
    return float(np.sqrt(values[-1] / values[0])) if values[0] > 0.0 else float("inf")


def _eigen(matrix: Floats) -> tuple[Floats, Floats]:
    values, vectors = np.linalg.eigh(matrix)
    return np.maximum(values, FLOOR * values[-1]), vectors


def _slopes(slopes: Floats, vectors: Floats) -> Floats:
    return np.asarray((vectors * slopes) @ vectors.T)
