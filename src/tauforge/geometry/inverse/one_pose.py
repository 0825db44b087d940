"""One pose of a general arm at a time: the same steps as for many, in few calls, without room for what is rare.

Where zeros of the determinant are not all simple and certain, or do not each lead to one solution, the pose is left to
others.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import final

import numpy as np

from ...runtime.function import Function
from .branches import SHARP
from .chain import NOWHERE, Floats
from .choose import Range, chosen
from .circle import LEVELS, LOW, ONE, UNSURE, cut, first_cells, kinds, nearing, spectrum
from .eliminate import SECOND, SINGULAR, Eliminated, around
from .general import General
from .orthogonal import complement, determinant, kernel
from .quick import ROTATION
from .states import ENOUGH

APART, MOVED = 1e-5, 1e-6
"""Zeros that are further apart, and lead to states nearer to them, lead to different ones."""
TURN, BLUR = 2.0 * np.pi, np.array(SHARP)


@final
class OnePose:
    """The solutions of one pose of a general arm.

    Parameters
    ----------
    fixed
        Positions of joints that are not solved for, by name.
    own
        The joints' limits, if solutions are to be within them.
    """

    def __init__(self, general: General, newton: Function, fixed: Mapping[str, float], own: Range | None) -> None:
        names = general.arm.robot.coordinate_names
        self._general, self._newton, self._range = general, newton, own
        self._near = np.array([[fixed.get(name, 0.0) for name in names]])
        self._period = np.zeros(len(names))
        self._period[[axis.place for axis in general.chain.axes if axis.place != NOWHERE and not axis.slides]] = TURN

    @cached_property
    def _eliminated(self) -> Eliminated | None:
        return self._general.eliminated

    @cached_property
    def _rest(self) -> Function:
        """The closed form for the joints that are eliminated."""
        return self._general._rest(frozenset(self._general.choice.kept)).program

    def __call__(self, T: Floats) -> Floats | None:
        """Return the solutions (K, n) of a pose (4, 4); None if it needs a closer look."""
        if T.dtype != float or self._eliminated is None:
            return None
        A, alone, skew = self._eliminated.right(T, self._near[0])
        if not skew[0] < ROTATION:
            return None
        N, size = complement()(A, alone)
        S = (N @ self._eliminated.left).reshape(6, 9, 3)
        angle = self._zeros(S)
        if angle is None or not np.abs(size).min() > SINGULAR:
            return None
        if not len(angle):
            return np.empty((0, self._near.shape[1]))
        q = self._states(T, S, angle)
        if q is None or self._range is None:
            return q
        good = np.ones((1, len(q)), dtype=bool)
        q, good, _ = chosen(self._range, q[None], good, ~good, self._near, sort=False, limits=True, turns=False)
        return q[good]

    def _zeros(self, S: Floats) -> Floats | None:
        """Return the zeros of the determinant; None if they are not all simple and certain."""
        assert self._eliminated is not None
        noise = self._eliminated.noise
        values = determinant()(S, around(2 * self._eliminated.degree + 1))[:, 0]
        if not np.abs(values).max() > self._eliminated.least:
            return None
        waves, bound = spectrum(len(values))(values)
        cells, count, found = first_cells(noise), len(waves), list[Floats]()
        for _ in range(LEVELS):
            told = kinds(count)(waves, cells, bound)[:, 0].tolist()
            if not max(told) < LOW:
                return None
            if one := [k for k, kind in enumerate(told) if kind == ONE]:
                found.append(cells[one])
            unsure = [k for k, kind in enumerate(told) if kind == UNSURE]
            if not unsure:
                return nearing(count, 0)(waves, np.concatenate(found)) if found else np.empty((0, 1))
            cells = cut(cells[unsure], noise)
        return None

    def _states(self, T: Floats, S: Floats, angle: Floats) -> Floats | None:
        """Return the solutions to which zeros (m, 1) lead; None if they are not one for each."""
        assert self._eliminated is not None
        order = sorted(angle[:, 0].tolist())
        if len(order) % 2 or min(y - x for x, y in zip(order, [*order[1:], order[0] + TURN], strict=True)) < APART:
            return None
        near = np.repeat(self._near, len(angle), axis=0)
        known = self._eliminated.joints(near, angle[:, 0], kernel()(S, angle))
        found = self._rest(T, known, BLUR)
        fine = found.error < SECOND
        if not (fine.sum(axis=1) == 1).all():
            return None
        q, _ = self._newton(found.q[fine], T)
        _, error = self._newton(q, T)
        place = self._general.chain.axes[self._general.choice.kept[0]].place
        if not error.max() < ENOUGH or not np.abs(q[:, place] - known[:, place]).max() < MOVED:
            return None
        return np.asarray(q - self._period * np.rint(q * (1.0 / TURN)))
