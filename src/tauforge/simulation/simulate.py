"""Simulation: the motion that torques or a controller cause."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError, SimulationError
from ..geometry.close_loops import close_loops, on_manifold
from ..models.energy import energy
from ..models.joint_motion import joint_motion
from ..models.loops.closing import active_places
from ..models.loops.closure import loop_closure
from ..models.registry import check_robot
from ..program.fuse import fuse
from ..robot.entries import owners
from ..robot.robot import Robot
from ..runtime.function import Function
from .controllers import largest_torques
from .drive import Drive, Law, drive, law_of
from .equations import equations
from .events import Watch
from .friction import Stiction
from .integrator import METHODS, Options, Record, run
from .stops import Stops, stops_of
from .system import System
from .trajectory import Trajectory

Floats = NDArray[np.float64]


# fmt: off
def simulate(
    robot: Robot, t: ArrayLike, torque: Any = None, controller: Any = None, q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None, method: str = "DOP853", rtol: float = 1e-8, atol: ArrayLike = 1e-10,
    events: Any = None, *, rate: float | None = None, delay: int = 0, saturation: ArrayLike | None = None,
    wrenches: Any = None, smoothing: float = 1e-3, stiction: float | Stiction | None = None,
    stops: float | Stops | bool | None = None, max_step: float = np.inf,
) -> Trajectory:
    # fmt: on
    """Return the motion of a robot, which can have a floating base or closed loops, under torques or a controller.

    Parameters
    ----------
    t
        Times of the results, the first one the start; or the duration, for results at the integrator's own steps.
    torque
        Constant (n); samples (times, n), each held until the next; or a function of (t) or (t, q, qd).
    controller
        A ``Controller``, a Program ``q, qd -> tau``, or a function (t, q, qd) -> tau.
    q0, qd0
        The start; by default zero. With closed loops, q0 can also be that of the independent joints.
    method
        SciPy's "RK23", "RK45", "DOP853"; for stiff equations "Radau", "BDF", with exact Jacobians; or "LSODA".
    rtol, atol, max_step
        Tolerances of each step, and its longest duration. atol can have an entry for each coordinate and velocity.
    events
        "limits", which stops at joint limits; a function (t, q, qd) -> float whose changes of sign are noted, with
        attributes ``terminal`` and ``direction`` (1 rising, -1 falling); or a sequence of these.
    rate
        Samples per second of a controller or torque function, whose torque is held in between.
    delay
        Samples by which each torque comes late; until the first one arrives, that of the first sample acts.
    saturation
        Largest torque of each joint, or of all.
    wrenches
        What each link exerts on its surroundings (links, 6): constant, or a function of (t) or (t, q, qd).
    smoothing
        Velocity below which Coulomb friction fades: sign(v) becomes v/√(v² + smoothing²). Zero keeps the sign.
    stiction
        Coulomb friction that sticks, instead: the ratio of static to Coulomb friction, or a ``Stiction``.
    stops
        End stops at the joint limits: True, a stiffness, or ``Stops``.

    Raises
    ------
    ProgramError
        If an argument is wrong.
    SimulationError
        If the simulation cannot go on: a controller returns NaN, or the integrator gives up. Its attribute
        ``trajectory`` holds what was computed. A KeyboardInterrupt carries the same attribute.
    """
    _check(robot)
    span, times = _times(t)
    how = _options(method, rtol, atol, max_step, smoothing)
    driven = drive(torque, controller, rate, delay, span, times, robot.velocity_names)
    sticking = stiction if isinstance(stiction, Stiction) or stiction is None else Stiction(stiction)
    system = _system(robot, driven, wrenches, saturation, smoothing, sticking, stops_of(robot, stops))
    integral = np.zeros(system.size - system.nq - system.n)
    y = np.concatenate([_start(robot, q0), _velocities(robot, qd0), integral])
    how = how._replace(atol=_tolerances(how.atol, system))
    return _run(system, span, times, y, Watch(robot, events, system.split), how)


def _check(robot: Robot) -> None:
    """Refuse a robot that cannot be simulated."""
    check_robot(robot)
    if robot.symbols:
        raise ProgramError(f"{robot.name} has symbols; give values to {', '.join(robot.symbols[:6])} … with bind first")
    if not robot.dof:
        raise ProgramError(f"{robot.name} has no joint that moves; there is nothing to simulate")


def _system(
    robot: Robot,
    driven: Drive,
    wrenches: Any,
    saturation: ArrayLike | None,
    smoothing: float,
    stiction: Stiction | None,
    stops: Stops | None,
) -> System:
    """Return the equations of motion, compiled."""
    outside, reads = _wrenches(robot, wrenches)
    program = equations(
        robot,
        driven.controller.program if driven.controller else None,
        wrenches=outside is not None,
        smoothing=smoothing,
        saturation=None if saturation is None else tuple(largest_torques(saturation, robot.velocity_names)),
        stiction=stiction,
        stops=stops,
    )
    return System(robot, program, driven, outside, reads)


def _run(
    system: System, span: tuple[float, float], times: Floats | None, y: Floats, watch: Watch, how: Options
) -> Trajectory:
    """Return the trajectory, or raise an error that carries the part computed so far."""
    record = Record()
    try:
        run(system, record, span, times, y, watch, how)
    except KeyboardInterrupt as interrupt:
        interrupt.trajectory = _partial(system, record, how, "interrupted")  # type: ignore[attr-defined]
        raise
    except Exception as error:
        raised = SimulationError(f"{system.robot.name}: {_reason(error)}")
        raised.trajectory = _partial(system, record, how, "failed")
        raise raised from error
    return _finished(system, record, how, "event" if record.t[-1] < span[1] else "done")


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, ProgramError) else f"{type(error).__name__}: {error}"


def _times(given: ArrayLike) -> tuple[tuple[float, float], Floats | None]:
    """Return first and last time, and the times of the results; None if these are the integrator's steps."""
    try:
        t = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ProgramError("t must be an array of times, or a duration") from None
    if t.ndim > 1 or not np.isfinite(t).all():
        raise ProgramError("t must be a vector of finite times, or a duration")
    if t.ndim == 0:
        if t <= 0.0:
            raise ProgramError(f"t is {float(t):g}; a duration is positive")
        return (0.0, float(t)), None
    if len(t) < 2:
        raise ProgramError(f"t has {len(t)} times; give at least the first and the last")
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if len(late):
        k = int(late[0]) + 1
        raise ProgramError(f"the times are not increasing: t[{k}] = {t[k]:g} comes after t[{k - 1}] = {t[k - 1]:g}")
    return (float(t[0]), float(t[-1])), t


def _options(method: str, rtol: float, atol: ArrayLike, max_step: float, smoothing: float) -> Options:
    if method not in METHODS:
        raise ProgramError(f"unknown method {method!r}; choose among {', '.join(map(repr, METHODS))}")
    lowest = 100.0 * np.finfo(float).eps
    if not lowest <= rtol < 1.0:
        raise ProgramError(f"rtol is {rtol}; it must be at least {lowest:.2g} and less than 1")
    if not max_step > 0.0:
        raise ProgramError(f"max_step is {max_step}; it must be positive")
    if not 0.0 <= smoothing < np.inf:
        raise ProgramError(f"smoothing is {smoothing}; it must be zero or a positive velocity")
    return Options(method, float(rtol), atol, float(max_step))


def _tolerances(atol: ArrayLike, system: System) -> Any:
    """Return absolute tolerances for the whole state."""
    found, count = np.array(atol, dtype=float), system.nq + system.n
    if found.shape not in ((), (count,)):
        raise ProgramError(
            f"atol has shape {list(found.shape)}; give one number, or {count} for coordinates and velocities"
        )
    if not (found >= 0.0).all():
        raise ProgramError("atol must not be negative")
    if found.ndim == 0:
        return float(found)
    return np.concatenate([found, np.full(system.size - count, found.min())])


def _numbers(what: str, given: ArrayLike, names: tuple[str, ...]) -> Floats:
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ProgramError(f"{what} must be an array of numbers") from None
    if found.shape != (len(names),):
        raise ProgramError(f"{what} has shape {list(found.shape)}; its {len(names)} entries are {', '.join(names)}")
    if not np.isfinite(found).all():
        raise ProgramError(f"{what} has entries that are not finite")
    return found


def _start(robot: Robot, q0: ArrayLike | None) -> Floats:
    """Return coordinates at the start, with unit quaternions and closed loops."""
    names = robot.coordinate_names
    if robot.loops:
        if q0 is None:
            return close_loops(robot)
        active = active_places(robot.expanded())
        if np.shape(q0) == (len(active),) and len(active) != len(names):
            return close_loops(robot, q0)
        q = _numbers("q0", q0, names)
        return close_loops(robot, q[active], guess=q)
    if q0 is None:
        whole = robot.expanded()
        return np.array([x for j in owners(whole) for x in whole.joints[j - 1].kind.neutral], dtype=float)
    unit: Floats = on_manifold(robot, _numbers("q0", q0, names)[None])[0]
    return unit


def _velocities(robot: Robot, qd0: ArrayLike | None) -> Floats:
    return np.zeros(robot.dof) if qd0 is None else _numbers("qd0", qd0, robot.velocity_names)


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
    except (TypeError, ValueError):
        raise ProgramError("wrenches must be an array of numbers or a function") from None
    if constant.shape != shape or not np.isfinite(constant).all():
        raise ProgramError(
            f"wrenches must be {list(shape)} finite numbers, one row per link ({', '.join(links)}); "
            f"they have shape {list(constant.shape)}"
        )
    return (lambda t, q, qd: constant), False


def _partial(system: System, record: Record, how: Options, status: str) -> Trajectory:
    """Return what was computed so far; torques that cannot be computed again are NaN."""
    record.close()
    try:
        return _finished(system, record, how, status)
    except Exception:
        return _finished(system, record, how, status, bare=True)


def _finished(system: System, record: Record, how: Options, status: str, *, bare: bool = False) -> Trajectory:
    """Return the trajectory of a record."""
    robot, nq, n = system.robot, system.nq, system.n
    t, y = np.array(record.t), np.array(record.y).reshape(len(record.t), system.size)
    q, qd, integral = y[:, :nq], y[:, nq : nq + n], y[:, nq + n :]
    q = np.array([system.settled(one) for one in q]) if robot.loops else on_manifold(robot, q)
    if bare:
        none = np.full((len(t), n), np.nan)
        found = {"qdd": none, "tau_applied": none}
    else:
        found = system.along(t, q, qd, integral)
    kinetic, potential = _energies(robot)(q, qd)
    residual, opening = _residuals(robot, q, qd)
    return Trajectory(
        robot_name=robot.name,
        coordinate_names=robot.coordinate_names,
        velocity_names=robot.velocity_names,
        t=t,
        q=q,
        qd=qd,
        qdd=np.asarray(found["qdd"]),
        tau=np.broadcast_to(found["tau_applied"], qd.shape),
        kinetic=np.asarray(kinetic),
        potential=np.broadcast_to(potential, t.shape),
        residual=residual,
        residual_rate=opening,
        method=how.method,
        evaluations=system.evaluations,
        jacobians=system.jacobians,
        steps=record.steps,
        events=tuple(record.events),
        status=status,
        robot=robot,
    )


@lru_cache(maxsize=32)
def _energies(robot: Robot) -> Function:
    return energy(robot).compile()


def _residuals(robot: Robot, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
    """Return for each time the largest error of closed loops, and of their velocities."""
    if not robot.loops:
        return np.zeros(len(q)), np.zeros(len(q))
    found = _closure(robot)(q, qd, np.zeros_like(qd))
    left = np.abs(found.error).max(axis=1, initial=0.0)
    opening = np.abs(np.einsum("tij,tj->ti", found.J, found.velocities)).max(axis=1, initial=0.0)
    return left, opening


@lru_cache(maxsize=32)
def _closure(robot: Robot) -> Function:
    """Return errors and slopes of the loops, and the velocities of all joints."""
    closure, motion = loop_closure(robot), joint_motion(robot)
    same = replace(closure, arguments=motion.arguments)
    return fuse(same, motion).compile()
