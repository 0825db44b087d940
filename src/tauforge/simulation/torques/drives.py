"""The torques of many samples in one compiled batch, with a load, and with closed loops followed along the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ProgramError
from ...geometry.close_loops import close_loops, closed_along
from ...geometry.joint_limits import LimitedJoint
from ...models.coordinates import INDEPENDENT
from ...models.inverse_dynamics import inverse_dynamics
from ...models.loops.closure import loop_closure
from ...models.loops.motors import torque_names
from ...models.registry import check_robot
from ...robot.entries import by_joint
from ...robot.robot import Robot
from ...runtime.function import Function
from ..motion.checks import Floats, numbers

OPEN = 1e-6
"""Error of loops that count as closed, in metres and as sines of angles."""
WRENCH = 6
"""Entries of a wrench: force, then moment."""


class Drives:
    """A loaded robot's torques from samples of its motion.

    Parameters
    ----------
    payload, wrench, guess
        As for ``required_torques``.
    followers
        Joints that follow others, in a tree, whose own torques come after those of the degrees of freedom.
    efforts
        As for ``required_torques``.
    """

    def __init__(
        self,
        robot: Robot,
        payload: object = None,
        wrench: object = None,
        guess: ArrayLike | None = None,
        followers: Sequence[LimitedJoint] = (),
        efforts: str = INDEPENDENT,
    ) -> None:
        check_robot(robot)
        self.names = torque_names(robot, efforts)
        self.robot = robot if payload is None else loaded(robot, payload)
        if self.robot.symbols:
            some = ", ".join(self.robot.symbols[:6])
            raise ProgramError(f"{robot.name} has symbols: {some} …; give them values with bind(…) first")
        self._wrench, self._guess = wrench, guess
        self._links = tuple(body.name for body in robot.expanded().bodies)
        self._function = _compiled(self.robot, wrench is not None, efforts)
        self._way: tuple[Floats, Floats] | None = None
        self._followers = followers
        if guess is not None and not robot.loops:
            raise ProgramError(f"{robot.name} has no closed loops, so guess has no meaning")

    def torques(self, t: Floats, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """Return the torques of all samples, (m, n), and then those of followers."""
        more = () if self._wrench is None else (self._wrenches(t),)
        found: Floats = self._function(q, qd, qdd, *more)
        if self._followers:
            every = _compiled(self.robot.tree(), self._wrench is not None, INDEPENDENT)(
                *_by_joint(self.robot, q, qd, qdd), *more
            )
            found = np.concatenate([found, every[:, [joint.axis for joint in self._followers]]], axis=1)
        if not np.isfinite(found).all():
            k, j = np.argwhere(~np.isfinite(found))[0]
            names = [*self.names, *(joint.name for joint in self._followers)]
            raise ProgramError(
                f"{self.robot.name}: the torque of {names[j]} is {found[k, j]} at t = {t[k]:g} s; "
                "the robot is singular there"
            )
        return found

    def closed(self, t: Floats, q: Floats) -> Floats:
        """Return the coordinates of all joints from those of the independent ones.

        The first time, each sample starts from the one before; later, from the nearest in time of these.
        """
        if not self.robot.loops:
            return q
        if self._way is None:
            self._way = t, closed_along(self.robot, q, self._guess)
            return self._way[1]
        times, known = self._way
        after = np.clip(np.searchsorted(times, t), 1, len(times) - 1)
        nearest = after - (t - times[after - 1] < times[after] - t)
        return close_loops(self.robot, q, guess=known[nearest])

    def check_closed(self, q: Floats) -> None:
        """Refuse coordinates of all joints with which the loops are open."""
        error = np.abs(loop_closure(self.robot).compile()(q)[0]).max(axis=-1)
        if error.max(initial=0.0) > OPEN:
            k = int(error.argmax())
            raise ProgramError(
                f"{self.robot.name}: the loops are open by {error[k]:.3g} in sample {k}; give the coordinates of the "
                f"independent joints alone, {', '.join(self.robot.independent)}, or close them with close_loops"
            )

    def _wrenches(self, t: Floats) -> Floats:
        """Return the wrench of each link at each time, (m, links, 6)."""
        given = self._wrench
        if not isinstance(given, Mapping):
            return _wrench("wrench", given, t, (len(self._links), WRENCH))
        found = np.zeros((len(t), len(self._links), WRENCH))
        for link, own in given.items():
            if link not in self._links:
                raise ProgramError(f"wrench: {self.robot.name} has no link {link!r}, but {', '.join(self._links)}")
            found[:, self._links.index(link)] = _wrench(f"wrench of {link}", own, t, (WRENCH,))
        return found


def _by_joint(robot: Robot, q: Floats, qd: Floats, qdd: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the motion of all joints, those that follow others too, in joint order."""
    whole = robot.expanded()
    coordinates: list[Any] = [x for own in by_joint(whole, [*q.T]) for x in own]
    rows = robot.degrees
    G = np.zeros((len(rows), qd.shape[1]))
    for axis, row in enumerate(rows):
        G[axis, list(row)] = list(row.values())
    return np.stack(coordinates, axis=1), qd @ G.T, qdd @ G.T


def _wrench(what: str, given: object, t: Floats, shape: tuple[int, ...]) -> Floats:
    """Return a wrench at each time, from a constant one, one per sample, or a function of time."""
    found = numbers(what, [given(x) for x in t.tolist()] if callable(given) else given)
    if found.shape not in (shape, (len(t), *shape)):
        raise ProgramError(f"{what}: give an array of shape {shape}, or {(len(t), *shape)}, not {found.shape}")
    return np.broadcast_to(found, (len(t), *shape))


def loaded(robot: Robot, payload: Any) -> Robot:
    """Return the robot with a load: a mass at the last link, or all that ``Robot.payload`` takes."""
    given = dict(payload) if isinstance(payload, Mapping) else {"mass": payload}
    if unknown := sorted({*given} - {"mass", "com", "inertia", "at"}):
        raise ProgramError(f"payload: unknown {', '.join(unknown)}; it has mass, com, inertia and at")
    if "mass" not in given:
        raise ProgramError("payload: its mass is missing")
    if "at" not in given:
        tips = [body.name for j, body in enumerate(robot.bodies, 1) if not robot.children(j)]
        if robot.loops or len(tips) != 1:
            raise ProgramError(f"payload: say which frame of {robot.name} carries it, as in dict(mass=2.0, at=…)")
        given["at"] = tips[0]
    return robot.payload(given.pop("mass"), **given)


@lru_cache(maxsize=32)
def _compiled(robot: Robot, wrenches: bool, efforts: str) -> Function:
    return inverse_dynamics(robot, external_wrenches=wrenches, efforts=efforts).compile()
