"""Closed states reached continuously along straight ways of the independent joints, many at once.

Where loops have a closed form, the branch is a vector of signs, and the state follows from it directly. What remains to
be checked is the way: margins that vanish where branches meet must stay positive. A piece of the way is trusted if the
margins at its ends and its middle exceed their second difference, eight times what a parabola could dip between them;
any other piece is halved. Angles are unwound piece by piece.

All other loops are followed by Newton steps. A piece is trusted if the tangents at both its ends lead to the other end
but for a part of its length, which two branches that are closed at the same joints do not do, and if the determinant of
the loops' equations keeps its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
PIECE = 0.4
"""The longest piece of a way that is looked at as a whole, in metres or radians."""
TURN = 1.0
"""The largest change of an angle in half a piece, in radians."""
BRANCHING = 1e-10
"""Margin of a state where branches meet: nearer, rounding decides between them."""
END = 2.0**-10
"""Part of a way from which it may end where branches meet."""
SHORT = 2.0**-26
"""Part of a way that is not halved any more."""
ROWS = 200_000
"""States that are computed at once."""
BENT = 0.15
"""How far the tangent at one end of a Newton step may miss the other end, as a part of the step."""
LONG = 0.35
"""The longest Newton step, in metres or radians."""
TINY = 1e-9
"""Steps of which rounding is a part, in metres or radians."""
LEAST = 1e-10
"""The shortest Newton step, as a part of the way."""
LAST = 1e-8
"""Part of a way that is left where a state at its end may be singular."""
MOST = 3000
"""Newton steps on a way at the most."""


class Ways(NamedTuple):
    """Straight ways of the independent joints, (k, m).

    Attributes
    ----------
    start
        The coordinates of the independent joints where the ways start.
    end
        Those where they end.
    quaternions
        Places of quaternions among these.
    """

    start: Floats
    end: Floats
    quaternions: Sequence[slice]

    def at(self, which: Places, part: Floats) -> Floats:
        """Return the coordinates at parts of some ways; rotations turn about one axis."""
        first, last = self.start[which], self.end[which]
        found: Floats = first + part[:, None] * (last - first)
        for own in self.quaternions:
            a, b = first[:, own], last[:, own]
            side = np.where((a * b).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
            way = a + part[:, None] * (side * b - a)
            found[:, own] = way / np.linalg.norm(way, axis=1, keepdims=True)
        found[part == 1.0] = last[part == 1.0]
        return found

    def some(self, which: Places) -> Ways:
        return Ways(self.start[which], self.end[which], self.quaternions)


class Followed(NamedTuple):
    """What is found along ways.

    Attributes
    ----------
    q
        Closed states at the ends, (k, n); not to be used where a way is lost.
    lost
        The part of each way from which it cannot be followed; infinite where it is followed to its end.
    margin
        Which margin vanishes there, -1 where none is known to.
    """

    q: Floats
    lost: Floats
    margin: Places


Form = Callable[[Places, Floats], tuple[Floats, Floats]]
"""Gives, for numbers of ways and coordinates of independent joints, states and margins."""
Close = Callable[[Floats, Floats], tuple[Floats, NDArray[np.bool_]]]
"""Gives, for coordinates of independent joints and states near by, closed states, and whether they are closed."""


class _Pieces(NamedTuple):
    """Pieces of ways: which way, where they start and end, and angles and margins at the start, middle and end."""

    way: Places
    a: Floats
    b: Floats
    angles: tuple[Floats, Floats, Floats]
    margins: tuple[Floats, Floats, Floats]

    def some(self, which: NDArray[np.bool_]) -> _Pieces:
        parts = ((x[which] for x in three) for three in (self.angles, self.margins))
        angles, margins = (tuple(part) for part in parts)
        return _Pieces(self.way[which], self.a[which], self.b[which], angles, margins)  # type: ignore[arg-type]


def follow_form(form: Form, ways: Ways, start: Floats, angles: Sequence[int], chained: bool = False) -> Followed:
    """Follow ways by a closed form.

    Parameters
    ----------
    form
        The closed form in the branch of each way, with angles within half a turn of the start.
    ways
        The ways.
    start
        The closed states at their starts, (k, n).
    angles
        Places of the dependent coordinates that are angles.
    chained
        Whether each way starts where the last one ends; ``start`` is then that of the first.
    """
    count, own = len(start), list(angles)
    found = Followed(np.empty_like(start), np.full(count, np.inf), np.full(count, -1))
    length = np.abs(ways.end - ways.start).max(initial=0.0)
    pieces = int(np.clip(np.ceil(length / PIECE), 1, ROWS))
    block, turned = max(ROWS // (2 * pieces + 1), 1), np.zeros((count, len(own)))
    for first in range(0, count, block):
        which = np.arange(first, min(first + block, count))
        grid = np.linspace(0.0, 1.0, 2 * pieces + 1)
        rows = np.repeat(which, len(grid))
        q, margins = (
            x.reshape(len(which), len(grid), -1) for x in form(rows, ways.at(rows, np.tile(grid, len(which))))
        )
        found.q[which] = q[:, -1]
        columns = [slice(k, k + 2 * pieces, 2) for k in range(3)]
        three = (tuple(x[:, k].reshape(len(which) * pieces, -1) for k in columns) for x in (q[..., own], margins))
        ends = (np.tile(x, len(which)) for x in (grid[:-2:2], grid[2::2]))
        _halve(form, ways, own, _Pieces(np.repeat(which, pieces), *ends, *three), turned, found)  # type: ignore[arg-type]
    reached = start[:, own] + (np.cumsum(turned, axis=0) if chained else turned)
    found.q[:, own] += 2.0 * np.pi * np.round((reached - found.q[:, own]) / (2.0 * np.pi))
    return found


def _halve(form: Form, ways: Ways, own: list[int], pieces: _Pieces, turned: Floats, found: Followed) -> None:
    """Halve pieces of ways until each is safe, or so short that branches meet there; add up how angles change."""
    while len(pieces.way):
        fa, fm, fb = pieces.margins
        first, second = (_wrapped(y - x) for x, y in zip(pieces.angles[:2], pieces.angles[1:], strict=True))
        dip = np.abs(fa - 2.0 * fm + fb)
        least = np.minimum(np.minimum(fa, fm), fb)
        short, begun, halfway = pieces.b - pieces.a < SHORT, (fa > 0.0).all(axis=1), (fm > 0.0).all(axis=1)
        ending = (pieces.b == 1.0) & (pieces.b - pieces.a < END) & (fb < BRANCHING).any(axis=1)
        safe = (least > np.where(ending[:, None], -BRANCHING, dip)).all(axis=1)
        safe &= (np.maximum(np.abs(first), np.abs(second)) < TURN).all(axis=1)
        np.add.at(turned, pieces.way[safe], (first + second)[safe])
        lost = ~safe & (short | ~begun)
        for k in np.flatnonzero(lost):
            way = pieces.way[k]
            if pieces.a[k] < found.lost[way]:
                found.lost[way] = pieces.a[k]
                found.margin[way] = np.argmin(np.minimum(fa[k], fm[k])) if fa.shape[1] else -1
        left: NDArray[np.bool_] = ~(safe | lost) & (pieces.a < found.lost[pieces.way])
        pieces = _both(form, ways, own, pieces.some(left), np.asarray(halfway)[left])


def _both(form: Form, ways: Ways, own: list[int], rest: _Pieces, halfway: NDArray[np.bool_]) -> _Pieces:
    """Return the halves of pieces, the second ones only where the way is not lost before."""
    m = 0.5 * (rest.a + rest.b)
    halves = (rest, rest.some(halfway))
    way = np.concatenate([part.way for part in halves])
    a, b = np.concatenate([rest.a, m[halfway]]), np.concatenate([m, rest.b[halfway]])
    q, margins = form(way, ways.at(way, 0.5 * (a + b)))
    ends = (
        [np.concatenate([x[k], y[k + 1]]) for k in range(2)] for x, y in zip(halves[0][3:], halves[1][3:], strict=True)
    )
    (qa, qb), (fa, fb) = ends
    return _Pieces(way, a, b, (qa, q[:, own], qb), (fa, margins, fb))


def _wrapped(x: Floats) -> Floats:
    """Return angles within half a turn."""
    found: Floats = np.remainder(x + np.pi, 2.0 * np.pi) - np.pi
    return found


class Equations(NamedTuple):
    """The loops' equations, for ``follow_steps``.

    Attributes
    ----------
    close
        Closes states by Newton steps from states near by.
    slopes
        Gives their matrix J at states, (k, rows, axes).
    difference
        Gives the steps along the axes that lead from states to others.
    dependent
        The axes that move with them.
    """

    close: Close
    slopes: Callable[[Floats], Floats]
    difference: Callable[[Floats, Floats], Floats]
    dependent: list[int]


def follow_steps(equations: Equations, ways: Ways, start: Floats) -> Followed:
    """Follow ways by Newton steps from closed states."""
    count = len(start)
    q, at = start.copy(), np.zeros(count)
    J = equations.slopes(q)
    length = np.abs(ways.end - ways.start).max(axis=1, initial=0.0)
    h = np.minimum(1.0, LONG / np.maximum(length, 1e-300))
    lost = np.where(_is_regular(J[:, :, equations.dependent]), np.inf, 0.0)
    lost[length < TINY] = np.inf
    for _ in range(MOST):
        way = np.flatnonzero((at < 1.0) & (lost == np.inf))
        if not len(way):
            break
        ahead = np.where(h[way] >= 1.0 - at[way], 1.0, at[way] + h[way])
        step, ending = ahead - at[way], 1.0 - at[way] < LAST
        reached, closed = equations.close(ways.at(way, ahead), q[way])
        reached = np.where(closed[:, None], reached, q[way])
        far = equations.difference(q[way], reached)
        slopes = equations.slopes(reached)
        size = np.abs(far).max(axis=1, initial=0.0)
        bent, same = _compared(J[way], slopes, far, equations.dependent)
        bent = bent / np.maximum(size, TINY)
        good = closed & same & (bent < BENT) & (size < LONG * 1.5)
        good |= closed & ending & (ahead == 1.0) & (size < LONG)
        taken = way[good]
        q[taken], J[taken], at[taken] = reached[good], slopes[good], ahead[good]
        with np.errstate(divide="ignore"):
            scale = np.where(good, np.clip(np.minimum(0.5 * BENT / bent, LONG / size), 0.5, 3.0), 0.35)
        h[way] = np.where(ending & ~good, 1.0, step * scale)
        stuck = way[~good & ((h[way] < LEAST) | (ending & (ahead == 1.0)))]
        lost[stuck] = at[stuck]
    lost[(at < 1.0) & (lost == np.inf)] = at[(at < 1.0) & (lost == np.inf)]
    return Followed(q, lost, np.full(count, -1))


def _is_regular(J: Floats) -> NDArray[np.bool_]:
    """Tell whether the dependent axes are determined."""
    if not J.shape[2]:
        return np.ones(len(J), dtype=bool)
    s = np.linalg.svd(J, compute_uv=False)
    regular: NDArray[np.bool_] = (s.shape[1] >= J.shape[2]) & (s[:, J.shape[2] - 1] > 1e-7 * s[:, 0])
    return regular


def _compared(before: Floats, after: Floats, far: Floats, dependent: list[int]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return how far the tangents at both ends of steps miss the other ends, and whether no singular state is between.

    Without one, the columns of the dependent axes turn from one end to the other without losing their orientation.
    """
    if not dependent:
        return np.zeros(len(far)), np.ones(len(far), dtype=bool)
    missed = np.zeros(len(far))
    for J in (before, after):
        own = J[:, :, dependent]
        N = np.swapaxes(own, 1, 2) @ own
        N += 1e-14 * np.abs(N).max(axis=(1, 2), initial=1e-300)[:, None, None] * np.eye(len(dependent))
        right = np.swapaxes(own, 1, 2) @ (J @ far[:, :, None])
        missed = np.maximum(missed, np.abs(np.linalg.solve(N, right)).max(axis=(1, 2)))
    same = np.linalg.slogdet(np.swapaxes(before[:, :, dependent], 1, 2) @ after[:, :, dependent])[0] > 0.0
    return missed, same
