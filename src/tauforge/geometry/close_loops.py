"""Closing loops: the coordinates of all joints from those of the independent ones, in closed form or by Newton steps.

The errors of all loops and their exact Jacobian are one compiled Program; many states go through it at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..models.configuration import integrate
from ..models.loops.closing import closing as closing_program
from ..models.loops.closure import loop_closure, turning
from ..models.loops.freedom import freedom
from ..models.loops.newton import angles, is_closed, newton
from ..models.registry import check_robot
from ..program.program import Program
from ..robot.entries import axis_names, owners
from ..robot.robot import Robot
from ..runtime.function import Function

Floats = NDArray[np.float64]
NUDGE = 0.3
"""Step away from frames that are half a turn apart, in metres or radians."""
HALF_TURN = -1.0 + 1e-9
"""Cosine of angles that count as half a turn."""
QUATERNION = (".x", ".y", ".z", ".w")
"""Suffixes of the names of a quaternion's entries."""
WALK = 16
"""Steps from the closed state near zero to independent coordinates from which it is not reached at once."""


class Closing(NamedTuple):
    """What closes a robot's loops: compiled functions, and the places of joints and equations."""

    closure: Function
    step: Function
    coordinates: list[int]
    held: list[int]
    start: Floats
    axes: int
    turning: list[list[int]]


def close_loops(robot: Robot, q_active: ArrayLike | None = None, guess: ArrayLike | None = None) -> Floats:
    """Return coordinates of all joints with the loops closed.

    Parameters
    ----------
    q_active
        Coordinates of the independent joints, ``robot.independent``, (..., n); they are kept. None lets all joints
        move: the result is then the closed state nearest to the guess. An axis of a joint with several degrees of
        freedom has no coordinate of its own and is kept where the guess has it.
    guess
        Coordinates of all joints from which to start, (..., robot.coordinate_names); it decides between ways to
        assemble the mechanism. By default a closed state near zero.

    Raises
    ------
    ProgramError
        Where a state cannot be closed; the message names the loop and what is left open.
    """
    check_robot(robot)
    closing = _closing(robot)
    q = _numbers("the guess", closing.start if guess is None else guess)
    if q.shape[-1:] != closing.start.shape:
        raise ProgramError(
            f"the guess has {q.shape[-1] if q.ndim else 0} coordinates; {robot.name} has {len(closing.start)}: "
            + ", ".join(robot.coordinate_names)
        )
    held: list[int] = []
    if q_active is not None:
        active = _numbers("q_active", q_active)
        if active.shape[-1:] != (len(closing.coordinates),):
            given = f"{active.shape[-1]} coordinates" if active.ndim else "the shape ()"
            raise ProgramError(
                f"q_active has {given}; it needs {len(closing.coordinates)}, those of the independent joints of "
                f"{robot.name}: {', '.join(robot.coordinate_names[k] for k in closing.coordinates)}"
            )
        if active.ndim > 1:
            q = _repeated(q, active)
        q[..., closing.coordinates] = active
        held = closing.held
    flat = q.reshape(-1, q.shape[-1])
    _normalise(robot, flat)
    left = np.arange(len(flat)) if q_active is None else _directly(robot, closing, flat)
    if len(left):
        flat[left] = _newton(robot, closing, flat[left], held, guess is None)
    return flat.reshape(q.shape)


def _repeated(q: Floats, active: Floats) -> Floats:
    """Return guesses for all states."""
    try:
        leading = np.broadcast_shapes(active.shape[:-1], q.shape[:-1])
    except ValueError:
        raise ProgramError(
            f"q_active has the shape {active.shape} and the guess {q.shape}; all axes but the last must go together"
        ) from None
    return np.broadcast_to(q, (*leading, q.shape[-1])).copy()


def _numbers(what: str, given: ArrayLike) -> Floats:
    """Return a new array of finite numbers, or say that it is not one."""
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{what} must be an array of numbers") from None
    if not np.isfinite(found).all():
        raise ProgramError(f"{what} has entries that are not finite")
    return found


def _directly(robot: Robot, closing: Closing, q: Floats) -> NDArray[np.intp]:
    """Close states by the compiled Program, and return the numbers of those that are still open."""
    with np.errstate(all="ignore"):
        reached, closed = _compiled(robot)(q[:, closing.coordinates], q)
    left: NDArray[np.intp] = (closed != 1.0).nonzero()[0]
    if len(left):
        reached[left] = q[left]
    q[:] = reached
    return left


@lru_cache(maxsize=32)
def _compiled(robot: Robot) -> Function:
    """Return the Program that closes the loops of a robot, compiled once."""
    return closing_program(robot).compile()


def on_manifold(robot: Robot, q: Floats) -> Floats:
    """Return states with their quaternions of length one, or say which has none."""
    found = q.copy()
    _normalise(robot, found)
    return found


def _normalise(robot: Robot, q: Floats) -> None:
    for name, own in quaternions(robot).items():
        part = q[:, own]
        length = np.sqrt((part * part).sum(axis=1, keepdims=True))
        if not length.all():
            raise ProgramError(
                f"{robot.name}: the quaternion of joint {name!r} is zero, which is not a rotation; "
                "(0, 0, 0, 1) is the neutral one"
            )
        part /= length


@lru_cache(maxsize=32)
def quaternions(robot: Robot) -> dict[str, slice]:
    """Return where the quaternions are in q, by the names of their joints."""
    whole, found = robot.expanded(), dict[str, slice]()
    for name, places in _places(whole).items():
        joint = next(joint for joint in whole.joints if joint.name == name)
        own = [k for k, part in zip(places, joint.kind.coordinates, strict=True) if part in QUATERNION]
        if len(own) == len(QUATERNION):
            found[name] = slice(own[0], own[-1] + 1)
    return found


def _newton(robot: Robot, closing: Closing, q: Floats, held: list[int], walking: bool) -> Floats:
    """Return states with closed loops, or say which one cannot be closed; walk there if steps from afar fail."""
    found, error = _closed(robot, closing, q.copy(), held)
    late = np.flatnonzero(~is_closed(error))
    if walking and held and len(late):
        found[late], error[late] = _walked(robot, closing, q[late])
    _refuse(robot, error)
    return found


def _closed(robot: Robot, closing: Closing, q: Floats, held: list[int]) -> tuple[Floats, Floats]:
    """Return states after damped Newton steps, and what is left open."""
    free = [k for k in range(closing.axes) if k not in set(held)]

    def left(q: Floats) -> tuple[Floats, Floats]:
        sines, cosine, slopes = closing.closure(q)
        return angles(sines, cosine, closing.turning), slopes

    flipped = np.flatnonzero((closing.closure(q)[1] < HALF_TURN).any(axis=1))
    if len(flipped):  # frames are half a turn apart, where the axis of a turn back is not known
        away = np.zeros((len(flipped), closing.axes))
        away[:, free] = np.random.default_rng(0).uniform(-NUDGE, NUDGE, (len(flipped), len(free)))
        q[flipped] = closing.step(q[flipped], away)
    return newton(left, closing.step, q, free)


def _walked(robot: Robot, closing: Closing, q: Floats) -> tuple[Floats, Floats]:
    """Return states that are reached from the closed state near zero in small steps of the independent joints.

    Quaternions are taken at once.
    """
    places, names = closing.coordinates, robot.coordinate_names
    way, error = np.tile(closing.start, (len(q), 1)), np.empty((len(q), 0))
    way[:, places] = q[:, places]
    straight = [k for k in places if not names[k].endswith(QUATERNION)]
    for part in np.linspace(0.0, 1.0, WALK + 1)[1:]:
        way[:, straight] = (1.0 - part) * closing.start[straight] + part * q[:, straight]
        way, error = _closed(robot, closing, way, closing.held)
    return way, error


def _refuse(robot: Robot, error: Floats) -> None:
    """Say which loop is open, and by how much, unless all are closed but for rounding."""
    if is_closed(error).all():
        return
    worst = np.abs(error).max(axis=1)
    state = int(np.argmax(worst))
    entry = int(np.argmax(np.abs(error[state])))
    labels = loop_closure(robot).outputs["error"].labels[0]
    where = f" in state {state}" if len(error) > 1 else ""
    name, _, part = labels[entry].rpartition(".")
    unit = "m" if part in ("x", "y", "z") else "rad"
    raise ProgramError(
        f"{robot.name}: the loop {name!r} stays open by {worst[state]:.3g} {unit}{where}: no position of the other "
        "joints closes it from this guess; check the coordinates, or give another guess"
    )


@lru_cache(maxsize=32)
def _closing(robot: Robot) -> Closing:
    """Return what closes the loops of a robot, compiled once; refuse a robot without loops, or with symbols in them."""
    if not robot.loops:
        raise ProgramError(f"{robot.name} has no loops to close")
    closure = loop_closure(robot)
    refuse_symbols(robot, closure)
    whole = robot.expanded()
    found, axes = freedom(whole), axis_names(whole)
    held = [k for k, name in enumerate(axes) if name in found.degrees]
    places = _places(whole)
    kept = [name for name in robot.independent if _is_whole(whole, name, found.degrees)]
    return Closing(
        closure.compile(),
        integrate(whole.derived(loops=())).compile(),
        [k for name in kept for k in places[name]],
        held,
        found.q,
        len(axes),
        turning(whole),
    )


def refuse_symbols(robot: Robot, program: Program) -> None:
    """Refuse a Program of lengths and angles that have no values; symbols of masses do not matter to it."""
    if "parameters" in program.inputs:
        names = ", ".join(program.inputs["parameters"].labels[0])
        raise ProgramError(f"{robot.name} has symbols in its geometry, {names}; give them values with bind(…) first")


def _is_whole(robot: Robot, name: str, degrees: tuple[str, ...]) -> bool:
    """Tell whether all axes of a joint are independent, so that its coordinates can be given."""
    joint = next(joint for joint in robot.joints if joint.name == name)
    return all(name + part in degrees for part in joint.axes)


def _places(robot: Robot) -> dict[str, range]:
    """Return the places of each joint's coordinates in q."""
    found, at = dict[str, range](), 0
    for j in owners(robot):
        joint = robot.joints[j - 1]
        found[joint.name] = range(at, at := at + len(joint.kind.coordinates))
    return found
