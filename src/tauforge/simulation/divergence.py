"""Motions that diverge: found by how speed and steps grow, not by a largest number of steps.

A motion may take any number of steps, as long as they lead somewhere. Let n(t) be the number of steps up to the time t.
In steady motion n grows as t, while a robot gathers speed under a constant torque as t²: each doubling of n gains more
time than the one before. Where the speed grows exponentially, or faster, and the steps shrink with it, each doubling of
n gains the same time, or less: the end is a fixed number of doublings away, and each takes as many steps as all before.

The motion of a linear system can grow without that its steps shrink. It ends beyond the largest numbers, or, faster
than exponentially, where no step is short enough; then its speed tells that it diverged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .clock import Clock

Floats = NDArray[np.float64]
DOUBLINGS = 8
"""Doublings of the number of steps that are looked at: the last of 256 and more."""
UNEVEN = 8.0
"""Ratio of the times that they gain, up to which they follow one law: 128 in steady motion."""
SLOWING = 1.25
"""Ratio of the times gained by the later and the earlier half, below which growth does not slow down: 16 in steady
motion, 4 under a constant torque."""
AHEAD = 20
"""Doublings to the end that are out of reach: a million times the steps, and as a rule the speed, of all before."""
PER_DOUBLING = 4
"""Samples per doubling."""
FEWEST = 4096
"""Steps before a verdict."""
SHORTEST = 1e-15
"""Seconds. Motion with shorter steps gets nowhere, in any simulation of a robot."""
EXPLOSION = 1e3
"""Growth of a speed in the second half of a motion that then fails, which tells that it diverged."""
ADVICE = (
    "look for what drives it: the sign or size of a gain, the rate of a controller, friction that accelerates, a loose "
    "tolerance"
)


def _keep_pace(gains: Floats) -> bool:
    """Return whether doublings of the number of steps gain equal times, or less and less."""
    late, early = np.split(gains, 2)
    return bool(gains.min() * UNEVEN >= gains.max() and late.sum() <= SLOWING * early.sum())


@final
class Growth:
    """How the speed of a state and the number of its steps have grown.

    Parameters
    ----------
    names
        Names of the velocities.
    qd
        Velocities at the start.

    Attributes
    ----------
    due
        The number of steps from which on the next sample is due.
    """

    def __init__(self, names: Sequence[str], clock: Clock, qd: Floats) -> None:
        self._names, self._clock = names, clock
        self._steps, self._t, self._speeds = [0.0], [0.0], [np.abs(qd)]
        self.due = 1

    def note(self, steps: int, t: float, qd: Floats) -> None:
        """Add a sample."""
        self._steps.append(float(steps))
        self._t.append(t)
        self._speeds.append(np.abs(qd))
        self.due = max(steps + 1, int(steps * 2.0 ** (1.0 / PER_DOUBLING)))

    def endless(self) -> str | None:
        """Return why the motion will not get to its end; None if it may."""
        gains = self._gains()
        if gains is None:
            return None
        ahead, half = self._clock.duration - self._t[-1], DOUBLINGS // 2
        step = 2.0 * gains[0] / self._steps[-1]
        if step < max(SHORTEST, np.finfo(float).eps * self._clock.duration) and gains[0] < 3.0 * gains[1]:
            return (
                f"its steps are about {step:.1g} s short, and the end is {ahead:g} s away, {ahead / step:.0e} steps; "
                f"{self._fastest()}; {ADVICE}"
            )
        pace = float(gains[:half].mean())
        if not _keep_pace(gains) or ahead < AHEAD * pace:
            return None
        far = np.log10(2.0) * (np.log2(self._steps[-1]) + ahead / pace)
        until = f"at this pace, the end is 1e{far:.0f} steps away"
        if rising := self._rising(gains):
            return f"{rising}; {until}; {ADVICE}"
        return (
            f"its steps shrink without bound: the last {int(self._steps[-1] / 2)} of {int(self._steps[-1])} have "
            f"gained {gains[0]:.2g} s, and {until}; {self._fastest()}"
        )

    def _gains(self) -> Floats | None:
        """Return the time that each of the last doublings of the number of steps has gained, the latest first."""
        if self._steps[-1] < max(FEWEST, self._steps[min(1, len(self._t) - 1)] * 2.0**DOUBLINGS):
            return None
        steps = np.log2(self._steps[1:])
        found: Floats = -np.diff(np.interp(steps[-1] - np.arange(DOUBLINGS + 1.0), steps, self._t[1:]))
        return found

    def _rising(self, gains: Floats) -> str:
        """Return how the fastest joint that gets faster has grown; empty if no joint does."""
        t, speeds = np.array(self._t), np.array(self._speeds)
        half = t[-1] - gains[: DOUBLINGS // 2].sum()
        recent, earlier = t > half, (t > t[-1] - gains.sum()) & (t <= half)
        now, before = speeds[recent].max(axis=0), speeds[earlier].max(axis=0)
        rising = (now > 4.0 * before) & (now > 0.0)
        if not rising.any():
            return ""
        j = int(np.argmax(np.where(rising, now, 0.0)))
        peaks, two = np.maximum.accumulate(speeds[:, j]), 2 * PER_DOUBLING
        slow = np.flatnonzero(peaks[two:] <= 2.0 * peaks[:-two])  # in two doublings of the steps
        since = t[slow[-1] + two] if len(slow) else t[0]
        doubles = (t[-1] - half) / np.log2(now[j] / max(before[j], np.finfo(float).tiny))
        return (
            f"the motion diverges: since t = {self._clock.said(since)} s, the velocity of {self._names[j]} doubles "
            f"every {doubles:.2g} s, up to {now[j]:.3g} at t = {self._clock.said(t[-1])} s"
        )

    def _fastest(self) -> str:
        j = int(np.argmax(self._speeds[-1]))
        return f"the velocity of {self._names[j]} is {self._speeds[-1][j]:.3g}"

    def exploded(self, t: ArrayLike, qd: ArrayLike) -> str:
        """Return the end of a message about a motion that failed: how it diverged before; empty if it did not.

        Parameters
        ----------
        t, qd
            Further times in seconds since the start and velocities, among them the last.
        """
        times = np.concatenate([self._t, np.asarray(t, dtype=float)])
        speeds = np.concatenate([self._speeds, np.abs(np.asarray(qd, dtype=float))])
        known = np.isfinite(speeds).all(axis=1)
        times, speeds = times[known], speeds[known]
        last = times.max(initial=0.0)
        if not last > 0.0:
            return ""
        early, late = speeds[times <= 0.5 * last].max(axis=0), speeds[times == last].max(axis=0)
        grown = (early > 0.0) & (late > EXPLOSION * early)
        if not grown.any():
            gains = self._gains()
            rising = self._rising(gains) if gains is not None and _keep_pace(gains) else ""
            return f"; {rising}; {ADVICE}" if rising else ""
        j = int(np.argmax(np.where(grown, late, 0.0)))
        since = times[(times <= last) & (speeds[:, j] <= early[j])].max()
        return (
            f"; the motion diverges: the velocity of {self._names[j]} has grown from {early[j]:.3g} at "
            f"t = {self._clock.said(since)} s to {late[j]:.3g}; {ADVICE}"
        )
