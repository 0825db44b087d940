"""The arguments of a rollout: made arrays that fit, or refused with what is wrong."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..errors import ProgramError
from ..models.loops.closure import loop_closure, turning
from ..models.loops.newton import angles
from ..program.array import Shape
from ..program.program import Program
from ..robot.entries import axis_names, owners
from ..robot.robot import Robot
from ..runtime.arguments import by_name, holds_parameters
from ..runtime.build import DTYPES
from ..runtime.function import Function
from .step import own_inputs

Values = NDArray[Any]
_UNIT, _OPEN = 1e-3, 1e-6
"""How far a quaternion's length can be from one at the start, and how far a loop can be open, in metres and radians."""
_QUATERNION = (".x", ".y", ".z", ".w")


class Layout(NamedTuple):
    """What the arguments are checked against, made once for a robot.

    Attributes
    ----------
    name
        The robot's name.
    coordinates
        Names of the entries of q.
    velocities
        Names of the entries of qd.
    quaternions
        Where the quaternions are in q, by the names of their joints.
    closure
        Computes what closed loops leave open; None without loops.
    turning
        For each loop, the places of those errors that are sines of angles.
    torques
        Names of the entries of tau.
    axes
        With closed loops, names of the velocities of all joints.
    """

    name: str
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    quaternions: Mapping[str, slice]
    closure: Function | None
    turning: list[list[int]]
    torques: tuple[str, ...]
    axes: tuple[str, ...] | None

    @classmethod
    def of(cls, robot: Robot, torques: tuple[str, ...]) -> Layout:
        """Return the layout of a robot's states and torques."""
        closure = loop_closure(robot).compile() if robot.loops else None
        places = turning(robot.expanded()) if robot.loops else []
        names = tuple(robot.coordinate_names), tuple(robot.velocity_names)
        axes = axis_names(robot.expanded()) if robot.loops else None
        return cls(robot.name, *names, _quaternions(robot), closure, places, torques, axes)


def scalar_type(dtype: DTypeLike) -> str:
    """Return the name of a dtype in C."""
    try:
        return next(scalar for scalar, known in DTYPES.items() if known == np.dtype(dtype))
    except (StopIteration, TypeError):
        raise ProgramError(f"dtype={dtype!r}; the arrays of a rollout are float64 or float32") from None


def given(
    layout: Layout,
    q0: ArrayLike,
    qd0: ArrayLike,
    tau: ArrayLike | Program | None,
    inputs: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None,
    dtype: np.dtype[Any],
) -> tuple[Values, dict[str, Values], Values | None]:
    """Return the states at the start, (..., coordinates + n), the inputs, with the axis of steps that some have, and
    the velocities of all joints at the start, if these were given.
    """
    q = on_manifold(layout, state("q0", q0, layout.coordinates, dtype))
    full = None
    if layout.axes is not None and np.shape(qd0)[-1:] == (len(layout.axes),) != (len(layout.velocities),):
        full = state("qd0", qd0, layout.axes, dtype)
        qd = full[..., [layout.axes.index(name) for name in layout.velocities]]
    else:
        qd = state("qd0", qd0, layout.velocities, dtype)
    check_closed(layout, q)
    found = given_inputs(layout, tau, inputs, dtype)
    leading = {"q0": q.shape[:-1], "qd0": qd.shape[:-1], **{name: x.shape[:-2] for name, x in found.items()}}
    batch = batch_of(leading)
    first = np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, qd)], axis=-1)
    return first, found, None if full is None else np.broadcast_to(full, (*batch, full.shape[-1]))


def state(name: str, given: ArrayLike, labels: Sequence[str], dtype: np.dtype[Any]) -> Values:
    """Return the coordinates or velocities at the start."""
    array = _numbers(name, given, dtype)
    if array.shape[-1:] != (len(labels),):
        raise ProgramError(
            f"{name} has the shape {array.shape}; it must be (..., {len(labels)}), one entry for each of "
            + ", ".join(labels)
        )
    refuse_unless_finite(name, array)
    return array


def on_manifold(layout: Layout, q0: Values) -> Values:
    """Return coordinates with quaternions of unit length, but for rounding those that were given."""
    if not layout.quaternions:
        return q0
    q = q0.copy()
    for name, own in layout.quaternions.items():
        length = np.linalg.norm(q[..., own], axis=-1, keepdims=True)
        if (off := np.abs(length - 1.0) > _UNIT).any():
            raise ProgramError(
                f"q0: the quaternion of joint {name!r} has the length {length[off][0]:.6g}; it must be a unit "
                "quaternion (x, y, z, w), and (0, 0, 0, 1) is the neutral one"
            )
        q[..., own] /= length
    return q


def check_closed(layout: Layout, q0: Values) -> None:
    """Refuse coordinates with open loops."""
    if layout.closure is None or not q0.size:
        return
    sines, cosine, *_ = layout.closure(q0.astype(float))
    error = angles(sines, cosine, layout.turning)
    allowed = max(_OPEN, 1e2 * float(np.finfo(q0.dtype).eps))
    if (worst := float(np.abs(error).max(initial=0.0))) > allowed:
        raise ProgramError(
            f"q0 leaves loops of {layout.name} open by {worst:.3g}; tf.close_loops(robot, q_active) gives coordinates "
            "that close them"
        )


def given_inputs(
    layout: Layout,
    tau: ArrayLike | Program | None,
    inputs: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None,
    dtype: np.dtype[Any],
) -> dict[str, Values]:
    """Return the torques, or a controller's own inputs."""
    if not isinstance(inputs, Mapping | None):
        raise ProgramError(f"inputs is a {type(inputs).__name__}; give a mapping from names to values")
    values = dict(inputs or {})
    if not isinstance(tau, Program):
        if values:
            raise ProgramError(f"inputs has {', '.join(values)}, but there is no controller that takes them")
        names = layout.torques
        torques = np.zeros(len(names)) if tau is None else tau
        return {"tau": _by_step("tau", torques, Shape([len(names)], [names]), dtype)}
    wanted = {name: array.shape for name, array in own_inputs(tau).items()}
    if missing := [name for name in wanted if name not in values]:
        raise ProgramError(f"the controller {tau.name} takes {', '.join(missing)}; give them in inputs={{…}}")
    if unknown := [name for name in values if name not in wanted]:
        known = ", ".join(wanted) or "none but the state and the time"
        raise ProgramError(f"the controller {tau.name} has no input {', '.join(unknown)}; it has {known}")
    return {name: _by_step(name, _listed(tau, name, values[name]), shape, dtype) for name, shape in wanted.items()}


def _listed(controller: Program, name: str, given: ArrayLike | Mapping[str, ArrayLike]) -> ArrayLike:
    """Return an input as an array: parameters can be given by their names."""
    if not isinstance(given, Mapping):
        return given
    if not holds_parameters(controller, name):
        raise ProgramError(f"the controller {controller.name} takes {name} as an array; only parameters have names")
    return np.stack(np.broadcast_arrays(*by_name(controller, name, given)), axis=-1)


def step_count(steps: int | None, given: Mapping[str, Values]) -> int:
    """Return how many steps there are."""
    lengths = {name: array.shape[-2] for name, array in given.items() if array.ndim > 1}
    if steps is None:
        if not lengths:
            raise ProgramError("how many steps? Nothing that was given has an axis of steps; say steps=…")
        steps = next((length for length in lengths.values() if length != 1), 1)
    count = _whole("steps", steps, 0)
    for name, length in lengths.items():
        if length not in (1, count):
            raise ProgramError(f"{name} is given for {length} steps, but there are {count}")
    return count


def rows_of(every: int | None, steps: int) -> tuple[int, int | None]:
    """Return after how many steps a state is kept, and how many are; None for the last one without an axis."""
    if every is None:
        return max(1, steps), None
    period = _whole("every", every, 1)
    if steps % period:
        raise ProgramError(f"every is {period}, which does not divide {steps} steps, so the last state would be lost")
    return period, steps // period


def time_step(dt: float) -> float:
    """Return the time step as a number."""
    try:
        value = float(dt)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"dt is {dt!r}; it must be a number of seconds") from None
    if not (np.isfinite(value) and value > 0.0):
        raise ProgramError(f"dt is {value:g}; a time step must be positive and finite")
    return value


def batch_of(arrays: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the leading axes of all arrays broadcast together."""
    try:
        return np.broadcast_shapes(*arrays.values())
    except ValueError:
        axes = ", ".join(f"{name} {shape}" for name, shape in arrays.items())
        raise ProgramError(f"the leading axes do not broadcast together: {axes}") from None


def memory(out: Values | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Values:
    """Return memory for the states."""
    if out is None:
        try:
            return np.empty(shape, dtype)
        except (MemoryError, ValueError):
            raise ProgramError(
                f"the states {shape} do not fit into memory; keep fewer with every=, or only the last with every=None"
            ) from None
    if not (isinstance(out, np.ndarray) and out.dtype == dtype and out.shape == shape and out.flags.carray):
        found = f"{out.dtype} array {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ProgramError(f"out is a {found}; it must be a writable {dtype} array of shape {shape} in C order")
    return out


def refuse_unless_finite(name: str, array: Values) -> None:
    """Refuse entries that are infinite or not numbers, and say where the first is."""
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ProgramError(f"{name}{list(place)} is {array[place]}; it must be finite")


def _by_step(name: str, given: ArrayLike, shape: Shape, dtype: np.dtype[Any]) -> Values:
    """Return an input with its entries along one axis, after that of steps if it has one."""
    array = _numbers(name, given, dtype)
    leading = array.shape[: array.ndim - len(shape)]
    if array.shape[len(leading) :] != shape.shape:
        text = ", ".join(map(str, shape))
        entries = f", one entry for each of {', '.join(shape.labels[0])}" if shape.labels else ""
        raise ProgramError(
            f"{name} has the shape {array.shape}; it must be ({text}) for all steps, or (..., steps, {text}){entries}"
        )
    return array.reshape(*leading, shape.size)


def _numbers(name: str, given: ArrayLike, dtype: np.dtype[Any]) -> Values:
    try:
        array = np.asarray(given)
        if not np.can_cast(array.dtype, np.float64, "safe"):
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{name} must be an array of real numbers") from None
    array = array.astype(dtype, copy=False)
    adjacent = array.ndim == 0 or array.shape[-1] < 2 or array.strides[-1] == array.itemsize
    return array if adjacent and array.flags.aligned else np.ascontiguousarray(array)


def _whole(name: str, value: Any, least: int) -> int:
    try:
        number = -1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = -1
    if number < least:
        raise ProgramError(f"{name} is {value!r}; it must be a whole number of at least {least}")
    return number


def _quaternions(robot: Robot) -> dict[str, slice]:
    """Return where the quaternions are in q, by the names of their joints."""
    found, at, whole = dict[str, slice](), 0, robot.expanded()
    for joint in (whole.joints[j - 1] for j in owners(whole)):
        parts = joint.kind.coordinates
        if parts[-4:] == _QUATERNION:
            found[joint.name] = slice(at + len(parts) - 4, at + len(parts))
        at += len(parts)
    return found
