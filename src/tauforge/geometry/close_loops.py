"""Closing loops: the coordinates of all joints from those of the independent ones, in closed form or by Newton steps.

The errors of all loops and their exact Jacobian are one compiled Program; many states go through it at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..graph.node import is_zero
from ..models.configuration import difference, integrate
from ..models.loops.closing import assembly
from ..models.loops.closing import closing as closing_program
from ..models.loops.closure import loop_closure, turning
from ..models.loops.freedom import freedom
from ..models.loops.newton import angles, is_closed, newton
from ..models.loops.search import STARTS, mechanism_of
from ..models.registry import check_robot
from ..program.program import Program
from ..robot.entries import axis_names, owners
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..robot.scalars import randomised
from ..runtime.function import Function
from .continuation import Equations, Followed, Form, Ways, follow_form, follow_steps

Floats = NDArray[np.float64]
NUDGE = 0.3
"""Step away from frames that are half a turn apart, in metres or radians."""
HALF_TURN = -1.0 + 1e-9
"""Cosine of angles that count as half a turn."""
QUATERNION = (".x", ".y", ".z", ".w")
"""Suffixes of the names of a quaternion's entries."""
MARK = 0.2
"""How far samples of a motion are from one that is followed from another, in metres or radians."""
CLOSED = 1e-6
"""What a closed guess may leave open, in metres and radians."""
STRETCHED = 1e-6
"""Margin of a closed form that rounding may have made negative."""
SAME = 1e-9
"""Difference of coordinates that are the same."""
MANY, MODES = 6, 14
"""Signs of which all combinations are tried for an open guess, and listed as assembly modes."""
ANGULAR = ("revolute", "universal")
"""Kinds of joints whose coordinates are angles."""


class Closing(NamedTuple):
    """What closes a robot's loops: compiled functions, and the places of joints and equations.

    Attributes
    ----------
    closure
        The loops' equations.
    step
        States after steps along the axes of the tree.
    difference
        The steps between states.
    form
        The closed form in any branch; None where loops are closed by steps.
    loops
        The loop of each of its margins.
    signs
        How many signs a branch has.
    coordinates
        Places in q of the independent joints.
    held
        Their axes among those of the tree.
    moving
        Those of the coordinates that move loops.
    angles
        Places in q of other coordinates that are angles.
    dependent
        Axes that move with the independent ones.
    start
        The reference state.
    axes
        How many axes the tree has.
    turning
        For each loop the places of its equations that are sines.
    """

    closure: Function
    step: Function
    difference: Function
    form: Function | None
    loops: tuple[str, ...]
    signs: int
    coordinates: list[int]
    held: list[int]
    moving: list[int]
    angles: list[int]
    dependent: list[int]
    start: Floats
    axes: int
    turning: list[list[int]]


@dataclass(frozen=True)
class AssemblyModes:
    """The ways in which a mechanism can be assembled with its independent joints at given coordinates.

    Attributes
    ----------
    q
        The closed states, (modes, coordinates). The first is in the branch of the guess, or of home, if that can be
        closed.
    signs
        The signs of each, (modes, signs), 1 or -1: those of the roots of the closed form. Without one there are none.
    complete
        Whether these are all. Without a closed form they are those that Newton steps from many starts lead to, which
        are possibly not all.
    """

    q: Floats
    signs: NDArray[np.int8]
    complete: bool

    def __len__(self) -> int:
        return len(self.q)


@overload
def close_loops(
    robot: Robot, q_active: ArrayLike | None = None, guess: ArrayLike | None = None, *, modes: Literal[False] = False
) -> Floats: ...
@overload
def close_loops(
    robot: Robot, q_active: ArrayLike | None = None, guess: ArrayLike | None = None, *, modes: Literal[True]
) -> AssemblyModes: ...
def close_loops(
    robot: Robot, q_active: ArrayLike | None = None, guess: ArrayLike | None = None, *, modes: bool = False
) -> Floats | AssemblyModes:
    """Return coordinates of all joints with the loops closed.

    Without a guess, it is the state that is reached continuously from the reference state, ``Robot.home``, while the
    independent joints go straight to ``q_active``. With a guess, it is the state in the branch of the guess.

    Parameters
    ----------
    q_active
        Coordinates of the independent joints, ``robot.independent``, (..., n); they are kept. None lets all joints
        move: the result is then the closed state nearest to the guess, or the reference state. An axis of a joint with
        several degrees of freedom has no coordinate of its own and is kept where the guess has it.
    guess
        Coordinates of all joints, (..., robot.coordinate_names). If its loops are closed, the result has the same signs
        where there is a closed form; otherwise it is reached continuously from the guess. If they are open, the result
        is the closed state nearest to it.
    modes
        Whether all ways to assemble the mechanism are wanted, for one ``q_active``.

    Raises
    ------
    ProgramError
        Where a state cannot be closed, or not reached; the message names the loop and what is left open, or where on
        the way the branch ends.
    """
    check_robot(robot)
    closing = _closing(robot)
    q = _numbers("the guess", closing.start if guess is None else guess)
    if q.shape[-1:] != closing.start.shape:
        raise ProgramError(
            f"the guess has {q.shape[-1] if q.ndim else 0} coordinates; {robot.name} has {len(closing.start)}: "
            + ", ".join(robot.coordinate_names)
        )
    if q_active is None:
        flat = q.reshape(-1, q.shape[-1])
        _normalise(robot, flat)
        if guess is not None:
            flat = _newton(robot, closing, flat, [])
        q = flat.reshape(q.shape)
        return _modes(robot, closing, q, q) if modes else q
    active = _active(robot, closing, q_active)
    if active.ndim > 1:
        q = _repeated(q, active)
    if not q.size:
        return q
    start = q.reshape(-1, q.shape[-1])
    _normalise(robot, start)
    wanted = start.copy()
    wanted[:, closing.coordinates] = np.broadcast_to(active, (*q.shape[:-1], active.shape[-1])).reshape(len(start), -1)
    _normalise(robot, wanted)
    if modes:
        return _modes(robot, closing, start.reshape(q.shape), wanted.reshape(q.shape))
    if guess is None:
        return _followed(robot, closing, start, wanted).reshape(q.shape)
    return _from_guess(robot, closing, start, wanted).reshape(q.shape)


def closed_along(robot: Robot, q_active: ArrayLike, guess: ArrayLike | None = None) -> Floats:
    """Return closed states of a motion, (samples, coordinates): each is reached continuously from the one before.

    Parameters
    ----------
    q_active
        Coordinates of the independent joints, (samples, n).
    guess
        Coordinates of all joints for the first sample, as for ``close_loops``.
    """
    closing, active = _closing(robot), _active(robot, _closing(robot), q_active)
    first = close_loops(robot, active[0], guess)
    wanted = np.tile(first, (len(active), 1))
    wanted[:, closing.coordinates] = active
    _normalise(robot, wanted)
    wanted[0] = first
    if closing.form is not None:
        return np.concatenate([first[None], _followed(robot, closing, wanted[:-1], wanted[1:], chained=True)])
    marks = [0]  # samples that are followed one by one; the others from the last of these
    for k in range(1, len(active)):
        if np.abs(active[k] - active[marks[-1]]).max() > MARK:
            wanted[k] = _followed(robot, closing, wanted[marks[-1:]], wanted[[k]], True, guessed=True)[0]
            marks.append(k)
    last = np.repeat(marks, np.diff([*marks, len(active)]))
    return _followed(robot, closing, wanted[last], wanted, guessed=True)


def _active(robot: Robot, closing: Closing, q_active: ArrayLike) -> Floats:
    """Return coordinates of the independent joints, or say what is wrong with them."""
    active = _numbers("q_active", q_active)
    if active.shape[-1:] != (len(closing.coordinates),):
        given = f"{active.shape[-1]} coordinates" if active.ndim else "the shape ()"
        raise ProgramError(
            f"q_active has {given}; it needs {len(closing.coordinates)}, those of the independent joints of "
            f"{robot.name}: {', '.join(robot.coordinate_names[k] for k in closing.coordinates)}"
        )
    return active


def _followed(
    robot: Robot, closing: Closing, start: Floats, wanted: Floats, chained: bool = False, guessed: bool = False
) -> Floats:
    """Return the states reached from closed ones with the independent joints where wanted, or say where one is lost.

    In a chain, each way starts where the last one ends, and ``start`` is closed in its first row only.
    """
    ways = _ways(robot, closing, start, wanted)
    if closing.form is not None:
        known = np.broadcast_to(start[:1], start.shape) if chained else start
        form = _form(closing, known, _signs(closing, known))
        with np.errstate(all="ignore"):
            found = follow_form(form, ways, known, closing.angles, chained)
        rest = [k for k in closing.coordinates if k not in closing.moving]
        found.q[:, rest] = wanted[:, rest]
    else:
        found = follow_steps(_equations(robot, closing), ways, _at(closing, start, wanted))
    if (found.lost <= 1.0).any():
        _refuse_way(robot, closing, start, wanted, ways, found, chained, guessed)
    return found.q


def _at(closing: Closing, q: Floats, wanted: Floats) -> Floats:
    """Return states with those independent joints where wanted that move no loop."""
    found = q.copy()
    rest = [k for k in closing.coordinates if k not in closing.moving]
    found[:, rest] = wanted[:, rest]
    return found


def _ways(robot: Robot, closing: Closing, start: Floats, wanted: Floats) -> Ways:
    """Return the ways of the independent joints; those that move no loop are at the end of theirs from the start."""
    at = {place: k for k, place in enumerate(closing.coordinates)}
    turns = [slice(at[own.start], at[own.start] + 4) for own in quaternions(robot).values() if own.start in at]
    first = _at(closing, start, wanted)
    return Ways(first[:, closing.coordinates], wanted[:, closing.coordinates], turns)


def _form(closing: Closing, start: Floats, signs: Floats) -> Form:
    """Return the closed form in the branch of each state."""
    function = closing.form
    assert function

    def form(which: NDArray[np.intp], active: Floats) -> tuple[Floats, Floats]:
        made = function(active, start[which], *([signs[which]] if closing.signs else []))
        return made.q, made.margins

    return form


def _signs(closing: Closing, q: Floats) -> Floats:
    """Return the signs of states, 1 or -1."""
    if not closing.signs:
        return np.zeros((len(q), 0))
    assert closing.form
    with np.errstate(all="ignore"):
        sides = closing.form(q[:, closing.coordinates], q, np.ones(closing.signs)).sides
    return np.where(sides < 0.0, -1.0, 1.0)


def _equations(robot: Robot, closing: Closing) -> Equations:
    function = _compiled(robot)

    def close(active: Floats, near: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        with np.errstate(all="ignore"):
            q, closed = function(active, near)
        return q, closed == 1.0

    def slopes(q: Floats) -> Floats:
        return np.asarray(closing.closure(q)[2])

    def difference(before: Floats, after: Floats) -> Floats:
        return np.asarray(closing.difference(before, after))

    return Equations(close, slopes, difference, closing.dependent)


def _from_guess(robot: Robot, closing: Closing, guess: Floats, wanted: Floats) -> Floats:
    """Return the states in the branches of guesses, or the nearest ones where a guess is open."""
    is_open = np.abs(_left(closing, guess)[0]).max(axis=1, initial=0.0) > CLOSED
    found = np.empty_like(guess)
    if closing.form is None:
        if is_open.any():
            found[is_open] = _nearest(robot, closing, wanted[is_open])
        if not is_open.all():
            start = guess[~is_open]
            again, _ = _equations(robot, closing).close(start[:, closing.coordinates], start)
            found[~is_open] = _followed(robot, closing, again, wanted[~is_open], guessed=True)
        return found
    signs = _signs(closing, guess)
    if is_open.any() and 0 < closing.signs <= MANY:
        signs[is_open] = _nearest_signs(closing, guess[is_open], wanted[is_open])
    with np.errstate(all="ignore"):
        made = closing.form(wanted[:, closing.coordinates], guess, *([signs] if closing.signs else []))
    reached, closed = np.asarray(made.q), made.closed == 1.0
    if not closed.all():
        reached[~closed] = _stretched(robot, closing, wanted[~closed], signs[~closed])
    return reached


def _nearest(robot: Robot, closing: Closing, q: Floats) -> Floats:
    """Return closed states by Newton steps from open ones, the independent joints held."""
    found, closed = _equations(robot, closing).close(q[:, closing.coordinates], q)
    if not closed.all():
        found[~closed] = _newton(robot, closing, q[~closed], closing.held)
    return found


def _nearest_signs(closing: Closing, guess: Floats, wanted: Floats) -> Floats:
    """Return the signs of the closed states nearest to guesses."""
    assert closing.form
    best, found = np.full(len(guess), np.inf), _signs(closing, guess)
    for signs in _every(closing.signs):
        with np.errstate(all="ignore"):
            made = closing.form(wanted[:, closing.coordinates], guess, signs)
        away = np.where(made.closed == 1.0, np.linalg.norm(made.q - wanted, axis=1), np.inf)
        nearer = away < best * (1.0 - 1e-9)
        best[nearer], found[nearer] = away[nearer], signs
    return found


def _every(count: int) -> Iterator[Floats]:
    """Yield every vector of signs."""
    return (np.array(signs) for signs in product((1.0, -1.0), repeat=count))


def _stretched(robot: Robot, closing: Closing, q: Floats, signs: Floats) -> Floats:
    """Return states that a closed form does not close because of rounding, or say which loop stays open."""
    found, error = _closed(robot, closing, q.copy(), closing.held)
    assert closing.form
    with np.errstate(all="ignore"):
        made = closing.form(found[:, closing.coordinates], found, *([signs] if closing.signs else []))
    other = is_closed(error) & ~(np.abs(made.margins) < STRETCHED).any(axis=1)
    if other.any():
        k = int(np.flatnonzero(other)[0])
        name = closing.loops[int(np.argmin(made.margins[k]))] if closing.loops else robot.loops[0].joint.name
        raise ProgramError(
            f"{robot.name}: the loop {name!r} stays open{_of(k, q)} in the branch of the guess; other joints close it "
            "only in another one: tf.close_loops(…, modes=True) has them; check the coordinates, or give another guess"
        )
    _refuse(robot, error)
    return found


def _modes(robot: Robot, closing: Closing, start: Floats, wanted: Floats) -> AssemblyModes:
    """Return all ways to assemble a mechanism, those of the closed form or those found from many starts."""
    if wanted.ndim > 1:
        raise ProgramError(
            f"q_active has the shape {wanted.shape[:-1]} of states; modes=True is for one: call it for each"
        )
    if closing.form is None:
        return _found_modes(robot, closing, start, wanted)
    if closing.signs > MODES:
        raise ProgramError(
            f"{robot.name} has {closing.signs} signs, and two to their power assembly modes, which are too many to list"
        )
    own = _signs(closing, start[None])[0]
    every = np.array([*_every(closing.signs)]).reshape(2**closing.signs, closing.signs)
    signs = own * every  # the branch of the start is the first
    count = len(signs)
    with np.errstate(all="ignore"):
        given = (np.tile(wanted[closing.coordinates], (count, 1)), np.tile(start, (count, 1)))
        made = closing.form(*given, *([signs] if closing.signs else []))
    closed = made.closed == 1.0
    single = np.ones(count, dtype=bool)  # where a root vanishes, both its signs are the same state
    for k in np.flatnonzero(closed):
        single[k] = not (closed[:k] & single[:k] & (np.abs(made.q[:k] - made.q[k]).max(axis=1) < SAME)).any()
    kept = closed & single
    return AssemblyModes(made.q[kept], signs[kept].astype(np.int8), True)


def _found_modes(robot: Robot, closing: Closing, start: Floats, wanted: Floats) -> AssemblyModes:
    """Return the ways to assemble a mechanism that Newton steps from many starts lead to."""
    whole = robot.expanded()
    mechanism, random = mechanism_of(randomised(whole, Random(1))), np.random.default_rng(0)
    rows = [wanted[None]]
    for _ in range(4):
        q = np.tile(wanted, (STARTS, 1))
        for group in mechanism.groups:
            drawn = mechanism.starts(group, random)
            own = [k for _, places, axes in mechanism.places if {*axes} & {*group.axes} for k in places]
            q[:, own] = drawn[:, own]
        q[:, closing.coordinates] = wanted[closing.coordinates]
        rows.append(q)
    q, error = _closed(robot, closing, np.concatenate(rows), closing.held)
    try:
        q, error = (
            np.concatenate([_followed(robot, closing, start[None], wanted[None]), q]),
            np.vstack([error[:1], error]),
        )
        closed = np.concatenate([[True], is_closed(error)[1:]])
    except ProgramError:
        closed = is_closed(error)
    found = list[Floats]()
    names = axis_names(whole)
    flat = {axis for j, _, axes in mechanism.places if len(axes) == 1 for axis in axes}
    turns = [k for k in flat if not is_zero(_joint(whole, names[k]).kind.turn)]
    for row in q[closed]:
        far = np.asarray(closing.difference(np.array(found), row)) if found else np.zeros((0, closing.axes))
        far[:, turns] = np.remainder(far[:, turns] + np.pi, 2.0 * np.pi) - np.pi
        if not (np.abs(far).max(axis=1, initial=0.0) < 1e-6).any():
            found.append(row)
    made = np.array(found).reshape(-1, len(wanted))
    return AssemblyModes(made, np.zeros((len(made), 0), dtype=np.int8), False)


def _joint(robot: Robot, name: str) -> Joint:
    return next(joint for joint in robot.joints if joint.name == name)


def _refuse_way(
    robot: Robot,
    closing: Closing,
    start: Floats,
    wanted: Floats,
    ways: Ways,
    found: Followed,
    chained: bool,
    guessed: bool,
) -> None:
    """Say where the first way that is lost ends, and why."""
    k = int(np.flatnonzero(found.lost <= 1.0)[0])
    which, part = np.array([k]), np.array([found.lost[k]])
    active = ways.at(which, part)[0]
    at = ", ".join(
        f"{robot.coordinate_names[place]} = {x:.4g}"
        for place, x in zip(closing.coordinates, active, strict=True)
        if place in closing.moving
    )
    loop = closing.loops[found.margin[k]] if found.margin[k] >= 0 else ""
    where = f"the loop {loop!r}" if loop else "the mechanism"
    last = found.q[k : k + 1] if closing.form is None else start[k : k + 1]
    error = _closed(robot, closing, _placed(closing, last, wanted[k : k + 1]), closing.held)[1]
    begin = "the state before" if chained else "the start" if guessed else "home"
    if found.lost[k] <= 0.0 and not chained:
        raise ProgramError(
            f"{robot.name}: {where} starts where branches meet, stretched, folded or otherwise singular ({at}), so no "
            "branch is the one to follow; give a guess, or another reference state with robot.with_home(…)"
        )
    path = f"on the straight way from {begin}{_of(k, wanted)}, its branch ends at {100 * part[0]:.3g} % ({at})"
    if not is_closed(error).all():
        _refuse(robot, error, f" in its branch; {path}")
    raise ProgramError(
        f"{robot.name}: q_active{_of(k, wanted)} is not reached: {path}, where {where} is stretched, folded or "
        "otherwise singular; go there by way of other states, each the guess of the next, or choose one of "
        "tf.close_loops(…, modes=True)"
    )


def _placed(closing: Closing, q: Floats, wanted: Floats) -> Floats:
    found = q.copy()
    found[:, closing.coordinates] = wanted[:, closing.coordinates]
    return found


def _of(k: int, states: Floats) -> str:
    return f" in state {k}" if len(states) > 1 else ""


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


def _newton(robot: Robot, closing: Closing, q: Floats, held: list[int]) -> Floats:
    """Return states with closed loops, or say which one cannot be closed."""
    found, error = _closed(robot, closing, q.copy(), held)
    _refuse(robot, error)
    return found


def _left(closing: Closing, q: Floats) -> tuple[Floats, Floats]:
    """Return what is left open, lengths and angles, and its slopes."""
    sines, cosine, slopes = closing.closure(q)
    return angles(sines, cosine, closing.turning), slopes


def _closed(robot: Robot, closing: Closing, q: Floats, held: list[int]) -> tuple[Floats, Floats]:
    """Return states after damped Newton steps, and what is left open."""
    free = [k for k in range(closing.axes) if k not in set(held)]

    def left(q: Floats) -> tuple[Floats, Floats]:
        return _left(closing, q)

    flipped = np.flatnonzero((closing.closure(q)[1] < HALF_TURN).any(axis=1))
    if len(flipped):  # frames are half a turn apart, where the axis of a turn back is not known
        away = np.zeros((len(flipped), closing.axes))
        away[:, free] = np.random.default_rng(0).uniform(-NUDGE, NUDGE, (len(flipped), len(free)))
        q[flipped] = closing.step(q[flipped], away)
    return newton(left, closing.step, q, free)


def _refuse(robot: Robot, error: Floats, more: str = " from this guess") -> None:
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
        f"joints closes it{more}; check the coordinates, or give another guess"
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
    tree, form = whole.derived(loops=(), chosen=()), assembly(robot)
    own = {axis for group in mechanism_of(randomised(whole, Random(1))).groups for axis in group.axes}
    loose = {
        joint.name
        for joint in whole.joints
        if own & {axes.index(joint.name + x) for x in joint.axes if not joint.mimic}
    }
    coordinates = [k for name in kept for k in places[name]]
    angular = [name for name in places if name not in kept and _joint(whole, name).kind.word in ANGULAR]
    return Closing(
        closure.compile(),
        integrate(tree).compile(),
        difference(tree).compile(),
        form and form.program.compile(),
        form.loops if form else (),
        form.signs if form else 0,
        coordinates,
        held,
        [k for name in kept if name in loose for k in places[name]],
        [k for name in angular for k in places[name]],
        sorted(own - {*held}),
        found.home,
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
