"""Simulation: the motion that torques or a controller cause."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError, SimulationError
from ..models.coordinates import INDEPENDENT
from ..models.loops.motors import torque_names
from ..models.registry import check_robot
from ..robot.robot import Robot
from .balance import OutOfBalance
from .clock import Clock
from .compiled import Courses
from .constrained import opened
from .controllers import largest_torques
from .drive import Drive, Free, Inside, Law, Table, drive, law_of
from .energy_check import refuse_coarse
from .equations import equations
from .events import Watch
from .friction import RESOLVED, SMOOTHING, Stiction, rubbing
from .imbalance import out_of_balance
from .integrator import Record, run
from .options import LINEARISING, Options, options
from .passage import Passage
from .results import course_of_many, course_of_one, finished, partial
from .start import Start, start
from .stops import Stops, stops_of
from .system import System
from .tableaus import COMPILED
from .timed import timed
from .trajectory import Trajectory

Floats = NDArray[np.float64]


# fmt: off
def simulate(
    robot: Robot, t: ArrayLike, torque: Any = None, controller: Any = None, q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None, method: str = "DOP853", rtol: float = 1e-8, atol: ArrayLike = 1e-10,
    events: Any = None, *, rate: float | None = None, delay: int = 0, saturation: ArrayLike | None = None,
    wrenches: Any = None, smoothing: float = SMOOTHING, stiction: float | Stiction | None = None,
    stops: float | Stops | bool | None = None, max_step: float = np.inf, max_steps: int | None = None,
    threads: int | None = None, efforts: str = INDEPENDENT, coordinates: str = "auto", through: str | None = None,
) -> Trajectory:
    # fmt: on
    """Return the motion of a robot, which can have a floating base or closed loops, under torques or a controller.

    Parameters
    ----------
    t
        Times of the results, the first one the start; or the duration, for results at the integrator's own steps.
    torque
        Constant (n); samples (times, n), each held until the next; or a function of (t) or (t, q, qd). For many states,
        samples of each, (..., times, n) or (..., 1, n).
    controller
        A ``Controller``, a Program ``q, qd -> tau``, or a function (t, q, qd) -> tau.
    q0, qd0
        The start; by default zero. With closed loops, q0 can be that of the independent joints, and qd0 that of all.
        Compiled methods take many states, as leading axes.
    method
        Compiled with the model: "Tsit5", "DOP8"; for stiff equations "Rodas4", "Rodas5P". SciPy's: "RK23", "RK45",
        "DOP853"; for stiff equations "Radau", "BDF"; or "LSODA". Of SUNDIALS: "CVODE", "IDA".
    rtol, atol, max_step, max_steps
        Tolerances of each step, also an atol for each coordinate and velocity; its longest duration; most steps.
    threads
        How many threads share many states; by default as many as pay off.
    events
        "limits", to stop at joint limits; a function (t, q, qd) -> float whose changes of sign are noted; or several.
    rate, delay
        Samples per second of a controller or function, held in between, and by how many of them torques come late.
    saturation
        Largest torque of each joint, or of all.
    wrenches
        What each link exerts on its surroundings (links, 6): constant, or a function of (t) or (t, q, qd).
    smoothing, stiction
        Velocity below which Coulomb friction fades: sign(v) becomes v/√(v² + smoothing²), and zero keeps the sign. Or
        friction that sticks: the ratio of static to Coulomb friction, or a ``Stiction``.
    stops
        End stops at the joint limits: True, a stiffness, or ``Stops``.
    efforts
        Whose torques the drive gives: "independent", one for each entry of qd, or "motors", those of ``robot.motors``.
    coordinates
        With closed loops: "independent" joints, "all" joints, or "auto", the former until they no longer describe the
        mechanism well, then the latter. Results are always in the same order.
    through
        A simulation stops where the mechanism itself is singular, so that its motion can go on in more than one way, as
        when the bars of a parallelogram are in line. "inertia" goes on with the present velocities.

    Raises
    ------
    SimulationError
        If the simulation cannot go on: a controller returns NaN, or the integrator gives up. Its attribute
        ``trajectory`` holds what was computed. A KeyboardInterrupt carries the same attribute.
    """
    names = _torque_names(robot, efforts)
    clock, how = _clock(t), options(method, rtol, atol, max_step, max_steps, smoothing, threads)
    first = start(robot, q0, qd0, torque, clock.seconds, names)
    driven = _compiled(drive(first.torque, controller, rate, delay, clock, names), method, clock)
    outside = _wrenches(robot, wrenches)
    terms: dict[str, Any] = {
        "wrenches": outside[0] is not None,
        "smoothing": smoothing,
        "saturation": None if saturation is None else tuple(largest_torques(saturation, names)),
        "stiction": stiction if isinstance(stiction, Stiction) or stiction is None else Stiction(stiction),
        "stops": stops_of(robot, stops),
        "efforts": efforts,
    }

    def made(whole: bool) -> System:
        law = outside[0] and clock.law(outside[0])
        return System(robot, equations(robot, driven.law, whole=whole, **terms), driven, law, outside[1], clock, whole)

    def adapted(system: System) -> Options:
        found = how._replace(atol=_tolerances(how.atol, system))
        if method in LINEARISING and smoothing > 0.0 and stiction is None:
            return found._replace(atol=_resolving_friction(found.atol, system, smoothing))
        return found

    passage = Passage(robot, made, coordinates, through)
    whole = passage.start(first)
    system = passage.system(bool(whole.size and whole.all()))
    watch = Watch(robot, events, system.split, clock)
    if table := _table(system, first, how, wrenches, watch):
        return refuse_coarse(_march(Courses(passage, table, first, whole, adapted), first.batch), robot, how)
    y = passage.whole_start(first) if system.whole else first.y
    return refuse_coarse(_run(passage, system, _with_integrals(y, system)[0], watch, adapted), robot, how)


def _compiled(driven: Drive, method: str, clock: Clock) -> Drive:
    """Return a drive as a method needs it: a compiled one reads the reference of a controller from a table."""
    return timed(driven.controller, clock.start) if method in COMPILED and isinstance(driven, Inside) else driven


def _with_integrals(y: Floats, system: System) -> Floats:
    """Return states at the start with the integrals of controllers and friction, which are zero."""
    return np.concatenate([y, np.zeros((len(y), system.size - y.shape[1]))], axis=1)


def _torque_names(robot: Robot, efforts: str) -> tuple[str, ...]:
    """Return the names of the torques that drive a robot, which can be simulated."""
    check_robot(robot)
    velocities = _names_once(robot)
    return velocities if efforts == INDEPENDENT else torque_names(robot, efforts)


@lru_cache(maxsize=64)
def _names_once(robot: Robot) -> tuple[str, ...]:
    if robot.symbols:
        raise ProgramError(f"{robot.name} has symbols; give values to {', '.join(robot.symbols[:6])} … with bind first")
    if not robot.dof:
        raise ProgramError(f"{robot.name} has no joint that moves; there is nothing to simulate")
    return robot.velocity_names


def _table(system: System, first: Start, how: Options, wrenches: Any, watch: Watch) -> Table | None:
    """Return the inputs of a simulation that need not return to Python; None if it must, at each step or sample."""
    many = first.batch is not None
    if how.method not in COMPILED:
        if many:
            raise ProgramError(
                f"{how.method} takes one state, but q0, qd0 or torque has leading axes for many; choose one of the "
                f"methods that are compiled with the model: {', '.join(COMPILED)}"
            )
        return None
    if isinstance(system.drive, Free) or callable(wrenches):
        what = "wrenches" if callable(wrenches) else "the torque or controller"
        raise ProgramError(
            f"{how.method} is compiled with the model, but {what} is a function in Python; give a Program, numbers or "
            "a rate, at which the function is sampled, or choose one of SciPy's methods"
        )
    table = system.drive.table(0.0)
    if table is None or watch:
        if many:
            raise ProgramError("events and sampled controllers are for one state; simulate many one by one")
        return None
    rows = {name: x[None] for name, x in table.rows.items()}
    if first.torques is not None:
        rows["tau"] = first.torques
        table = Table(table.starts if first.torques.shape[1] == 1 else first.times, rows)
    if system.wrenches is not None:
        rows["wrenches"] = system.wrenches(0.0, np.zeros(0), np.zeros(0))[None, None]
    return Table(table.starts, {name: _along(x, len(table.starts)) for name, x in rows.items()})


def _along(rows: Floats, count: int) -> Floats:
    """Return rows for each of the times of a table."""
    return np.broadcast_to(rows, (len(rows), count, *rows.shape[2:])) if rows.shape[1] == 1 < count else rows


def _march(courses: Courses, batch: tuple[int, ...] | None) -> Trajectory:
    """Return the trajectory of a method that is compiled with the model."""
    if batch is not None:
        if courses.parts[0][0].task.own:
            raise ProgramError("t is a duration; the results of many states need common times: give these")
        try:
            courses.run()
        except KeyboardInterrupt as interrupt:
            interrupt.trajectory = course_of_many(courses, batch)  # type: ignore[attr-defined]
            raise
        return course_of_many(courses, batch)
    try:
        courses.run()
        courses.check()
    except KeyboardInterrupt as interrupt:
        interrupt.trajectory = course_of_one(courses, "interrupted")  # type: ignore[attr-defined]
        raise
    except OutOfBalance as error:
        system = courses.parts[-1][0].system
        wrong = out_of_balance(system.tree, system.clock, error)
        wrong.trajectory = course_of_one(courses, "failed")
        raise wrong from None
    except ProgramError as error:
        raised = SimulationError(f"{courses.passage.robot.name}: {error}")
        raised.trajectory = course_of_one(courses, "failed")
        raise raised from error
    return course_of_one(courses, "done")


def _run(
    passage: Passage, system: System, y: Floats, watch: Watch, adapted: Callable[[System], Options]
) -> Trajectory:
    """Return the trajectory, or raise an error that carries the part computed so far."""
    record, how = Record(), adapted(system)
    try:
        run(passage, system, record, y, watch, adapted)
    except KeyboardInterrupt as interrupt:
        interrupt.trajectory = partial(passage, record, how, "interrupted")  # type: ignore[attr-defined]
        raise
    except OutOfBalance as error:
        last = record.systems[-1][1]
        record.cut(error.t, error.y)
        wrong = out_of_balance(last.tree, last.clock, error)
        wrong.trajectory = partial(passage, record, how, "failed")
        raise wrong from None
    except Exception as error:
        raised = SimulationError(f"{system.robot.name}: {_reason(error)}")
        raised.trajectory = partial(passage, record, how, "failed")
        raise raised from error.__cause__ or error  # what a user's function has raised itself
    return finished(passage, record, how, "event" if record.t[-1] < system.clock.duration else "done")


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, ProgramError) else f"{type(error).__name__}: {error}"


def _clock(given: ArrayLike) -> Clock:
    """Return the clock of a simulation from its times, or from its duration."""
    try:
        t = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError("t must be an array of times, or a duration") from None
    if t.ndim > 1 or not np.isfinite(t).all():
        raise ProgramError("t must be a vector of finite times, or a duration")
    if t.ndim == 0:
        if t <= 0.0:
            raise ProgramError(f"t is {float(t):g}; a duration is positive")
        return Clock(0.0, float(t), None)
    if len(t) < 2:
        raise ProgramError(f"t has {len(t)} times; give at least the first and the last")
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if len(late):
        k = int(late[0]) + 1
        raise ProgramError(f"the times are not increasing: t[{k}] = {t[k]:g} comes after t[{k - 1}] = {t[k - 1]:g}")
    return Clock(float(t[0]), float(t[-1]) - float(t[0]), t)


def _tolerances(atol: ArrayLike, system: System) -> Any:
    """Return absolute tolerances for the whole state."""
    count = system.nq + len(system.robot.velocity_names)
    try:
        found = np.array(atol, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError("atol must be a number, or an array of numbers") from None
    if found.shape not in ((), (count,)):
        raise ProgramError(
            f"atol has shape {list(found.shape)}; give one number, or {count} for coordinates and velocities"
        )
    if not (found > 0.0).all():  # at zero, an entry of the state that is zero would have no scale for its error
        raise ProgramError("atol must be positive")
    if found.ndim == 0:
        return float(found)
    own = np.full(system.size, found.min())
    own[: system.nq] = found[: system.nq]
    own[[system.nq + k for k in system.places]] = found[system.nq :]
    return own


def _resolving_friction(atol: Any, system: System, smoothing: float) -> Any:
    """Return tolerances that resolve the width of smoothed friction.

    Within it, a velocity that rests is held by slopes of FS / smoothing; beyond it, friction has none. A state that is
    thrown out of it, but stays within the tolerance, is taken: the method then chatters, with tiny steps back to rest
    and long ones that throw it out again.
    """
    places = [system.nq + k for k in rubbing(opened(system.robot) if system.whole else system.robot)]
    if not places or np.max(atol) <= RESOLVED * smoothing:
        return atol
    found = np.broadcast_to(atol, (system.size,)).copy()
    found[places] = np.minimum(found[places], RESOLVED * smoothing)
    return found


def _wrenches(robot: Robot, wrenches: Any) -> tuple[Law | None, bool]:
    """Return the wrenches as a function of time and state, and whether they depend on the state."""
    if wrenches is None:
        return None, False
    links = [body.name for body in robot.expanded().bodies]
    shape = (len(links), 6)
    if callable(wrenches):
        return law_of(wrenches, "wrenches", shape, links)
    try:
        constant = np.array(wrenches, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError("wrenches must be an array of numbers or a function") from None
    if constant.shape != shape or not np.isfinite(constant).all():
        raise ProgramError(
            f"wrenches must be {list(shape)} finite numbers, one row per link ({', '.join(links)}); "
            f"they have shape {list(constant.shape)}"
        )
    return (lambda t, q, qd: constant), False
