"""The ways to make a Motion: through points, from expressions or functions of time, as a Fourier series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ProgramError
from ...graph.derivative import jacobian
from ...graph.evaluate import symbols
from ...graph.node import Node, as_node, symbol
from ...graph.parse import as_scalar, expression
from ...program.array import Array, Shape, outputs
from ...program.program import Program
from .by_limits import fastest_motion, jerk_limited
from .checks import Floats, bounds, numbers, positive, rising
from .laws import Compiled, Fourier, Given, Pieces, values
from .motion import Motion
from .through_points import (
    at_rest,
    cubic,
    passing_velocities,
    quintic,
    shortest_times,
    spline,
    trapezoidal,
)

KINDS = {
    "spline": ("velocities", "accelerations", "degree"),
    "cubic": ("velocities", "stop"),
    "quintic": ("velocities", "accelerations", "stop"),
    "trapezoidal": ("blend", "stop"),
    "jerk-limited": ("velocities", "accelerations", "jerk"),
    "time-optimal": ("robot", "torque", "payload", "wrench", "guess"),
}
"""The kinds of motions through points, and the options of each."""
TIMELESS = ("jerk-limited", "time-optimal")
"""Kinds that find the times of the points themselves."""
FUNCTION = ("qd", "qdd", "step")
"""The options of motions that are functions of time."""
STEPS = 2000
"""Steps for numerical differences in the duration of a motion."""
LIMITS = ("velocity", "acceleration")
Path = ArrayLike | str | Node | Program | Callable[[float], Any] | Sequence[str | Node]


def motion(path: Path, times: ArrayLike | None = None, *, kind: str = "spline", **options: Any) -> Motion:
    """Return a motion through points, or along expressions or a function of time.

    Parameters
    ----------
    path
        Points (points, joints), each reached at its time. Or one expression of the time ``t`` for each joint, as text
        or Node, such as ``"pi/2*cos(pi/7*t)"``; or a Program from ``t`` to one vector: these are differentiated
        exactly. Or any function that maps a time to the joints' coordinates.
    times
        When each point is reached. A single number is the duration, from 0: points share it evenly. For expressions and
        functions, the duration, or start and end. Without times, the motion is as fast as ``velocity`` and
        ``acceleration`` allow.
    kind
        How to pass from point to point. A motion starts and ends at rest, and does not stop in between, if the options
        do not say otherwise.

        - "spline": accelerations do not jump at the points;
        - "cubic": cubic polynomials; velocities do not jump;
        - "quintic": polynomials of the fifth order; accelerations do not jump, and are zero at the points;
        - "trapezoidal": constant velocities, and blends of constant acceleration about the points;
        - "jerk-limited": the fastest from each point to the next within ``velocity``, ``acceleration`` and ``jerk``, at
          rest at the points unless ``velocities`` are given; it needs the extra "trajectory";
        - "time-optimal": the fastest along the natural cubic spline through the points, within ``velocity``,
          ``acceleration`` and ``torque``, without rest in between.
    **options
        Each kind has some of these:

        - ``velocities``, ``accelerations``: at the first and last point (2, joints), or, for cubic and quintic
          polynomials, at all points;
        - ``stop``: True for rest at every point;
        - ``degree``: of a spline, 3 or 5, which keeps jerk and its rate continuous too, and starts and ends without
          acceleration;
        - ``blend``: duration of each blend, in seconds; a third of the shortest time between points by default;
        - ``velocity``, ``acceleration``: without times, the limits of all joints, or of each;
        - ``jerk``: the same for the rate of accelerations;
        - ``robot``, ``torque``, ``payload``, ``wrench``, ``guess``: the robot and the limits of its torques, as for
          ``Motion.scaled``; limits that are not given are those of its description;
        - ``qd``, ``qdd``: derivatives of a function of time, as functions; numerical differences of the sixth order
          replace those that are not given, with the time ``step`` between values.

    Examples
    --------
    >>> tf.motion([[0, 0], [1, 0.5], [1, 2]], [0, 1, 3])
    Motion(spline: 2 joints, 0 to 3 s)
    """
    if isinstance(path, Program) or _is_expression(path):
        _known("expressions", options, ())
        return _from_expressions(path, times)
    if callable(path):
        _known("a function of time", options, FUNCTION)
        return _from_function(path, times, **options)
    return _through_points(path, times, kind, options)


def _through_points(path: Any, times: ArrayLike | None, kind: str, options: dict[str, Any]) -> Motion:
    """Return a motion through points."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise ProgramError(f"kind={kind!r}; choose among {', '.join(map(repr, KINDS))}")
    _known(f"kind={kind!r}", options, KINDS[kind] + LIMITS * (times is None or kind in TIMELESS))
    points = numbers("points", path)
    if points.ndim != 2 or len(points) < 2 or not points.shape[1]:
        raise ProgramError(f"points: give at least two rows, one number per joint in each, not shape {points.shape}")
    if kind in TIMELESS:
        return _by_limits(points, times, kind, options)
    if times is None:
        return _fastest(points, kind, options)
    when = numbers("times", times)
    when = np.linspace(0.0, positive("times", times), len(points)) if when.ndim == 0 else rising("times", when)
    if len(when) != len(points):
        raise ProgramError(f"there are {len(points)} points but {len(when)} times")
    return _of_pieces(kind, _pieces(kind, when, points, **options))


def fourier_motion(
    a: ArrayLike, b: ArrayLike, period: float, *, centre: ArrayLike = 0.0, duration: float | None = None
) -> Motion:
    """Return a periodic motion, a finite Fourier series, as used to identify parameters.

    With ω = 2π / period, and l = 1, 2, … for the columns of a and b:

        q = centre + Σ a_l / (l ω) sin(l ω t) - b_l / (l ω) cos(l ω t)

    Parameters
    ----------
    a, b
        Amplitudes of velocity, (joints, harmonics).
    period
        Time after which it repeats, in seconds.
    centre
        Mean coordinates: one for all joints, or one each.
    duration
        When it ends; after one period by default.
    """
    first, second = numbers("a", a), numbers("b", b)
    if first.ndim != 2 or first.shape != second.shape or not first.size:
        raise ProgramError(
            f"a and b are arrays (joints, harmonics) of the same shape, not of {first.shape} and {second.shape}"
        )
    middle = numbers("centre", centre)
    if middle.shape not in ((), (len(first),)):
        raise ProgramError(f"centre: give one number, or {len(first)}, not an array of shape {middle.shape}")
    T = positive("period", period)
    end = T if duration is None else positive("duration", duration)
    law = Fourier(np.broadcast_to(middle, len(first)).copy(), first, second, 2.0 * np.pi / T)
    return Motion(law=law, dof=len(first), end=end, kind="fourier")


def _known(what: str, options: dict[str, Any], known: tuple[str, ...]) -> None:
    for name in options:
        if name not in known:
            raise ProgramError(f"{what} does not take {name}; its options are {', '.join(known) or 'none'}")


def _is_expression(path: object) -> bool:
    if isinstance(path, str | Node):
        return True
    return isinstance(path, Sequence) and any(isinstance(x, str | Node) for x in path)


def _span(times: ArrayLike | None) -> tuple[float, float]:
    """Return start and end."""
    if times is None:
        raise ProgramError("times: give the duration of the motion, or its start and end")
    found = numbers("times", times)
    if found.ndim == 0:
        return 0.0, positive("times", times)
    if found.shape != (2,):
        raise ProgramError(f"times: give the duration, or start and end, not an array of shape {found.shape}")
    start, end = rising("times", found)
    return float(start), float(end)


def _from_expressions(path: Any, times: ArrayLike | None) -> Motion:
    """Return a motion along expressions of t, with exact derivatives, compiled."""
    t = symbol("t")
    if isinstance(path, Program):
        if len(path.outputs) != 1 or [*path.arguments] != ["t"] or path.arguments["t"].nodes != (t,):
            raise ProgramError(f"{path!r}: a motion's Program has the input t, a number, and one output")
        (result,) = path.results.values()
        q = list(result.nodes)
    else:
        each = [path] if isinstance(path, str | Node) else path
        q = [expression(x) if isinstance(x, str) else as_node(as_scalar(x)) for x in each]
        if other := sorted({*symbols(q)} - {"t"}):
            raise ProgramError(f"the time is called t in a motion's expressions; {', '.join(other)} has no value")
    qd = [row[0] for row in jacobian(q, [t])]
    qdd = [row[0] for row in jacobian(qd, [t])]
    results = {name: outputs(x, [len(q)], [], "") for name, x in (("q", q), ("qd", qd), ("qdd", qdd))}
    law = Compiled(Program("motion", {"t": Array(Shape([]), (t,))}, results).compile())
    start, end = _span(times)
    return Motion(law=law, dof=len(q), start=start, end=end, kind="expressions")


def _from_function(
    q: Callable[[float], Any],
    times: ArrayLike | None,
    qd: Callable[[float], Any] | None = None,
    qdd: Callable[[float], Any] | None = None,
    step: float | None = None,
) -> Motion:
    """Return a motion along a user's function, with derivatives as given or by differences."""
    start, end = _span(times)
    own = (end - start) / STEPS if step is None else positive("step", step)
    if 7.0 * own > end - start:
        raise ProgramError(f"step = {own:g} s is too long: differences need at least seven of them in the duration")
    exact = qd is not None and qdd is not None
    law = Given(q, qd, qdd, start, end, own)
    dof = values(q, np.array([start])).shape[1]
    how = "exact" if exact else "differences"
    return Motion(law=law, dof=dof, start=start, end=end, kind="function", derivatives=how)


def _of_pieces(kind: str, law: Pieces) -> Motion:
    start, *corners, end = law.knots.tolist()
    return Motion(law=law, dof=law.coefficients.shape[2], start=start, end=end, kind=kind, corners=tuple(corners))


def _pieces(
    kind: str,
    times: Floats,
    points: Floats,
    *,
    velocities: ArrayLike | None = None,
    accelerations: ArrayLike | None = None,
    stop: bool = False,
    degree: int = 3,
    blend: float | None = None,
) -> Pieces:
    """Return the polynomials of one kind."""
    if kind == "trapezoidal":
        return at_rest(times, points, [blend] * (len(times) - 1)) if stop else trapezoidal(times, points, blend)
    inner = kind != "spline"
    chosen = passing_velocities(times, points) if inner and not stop else np.zeros_like(points)
    v = _at_points("velocities", velocities, chosen, inner)
    if kind == "cubic":
        return cubic(times, points, v)
    a = _at_points("accelerations", accelerations, np.zeros_like(points), inner)
    if kind == "quintic":
        return quintic(times, points, v, a)
    if degree not in (3, 5):
        raise ProgramError(f"degree={degree!r}; a spline's is 3 or 5")
    if degree == 3 and accelerations is not None:
        raise ProgramError("a spline of degree 3 has no choice of accelerations at its ends; take degree=5")
    return spline(times, points, v, a, degree)


def _at_points(what: str, given: ArrayLike | None, chosen: Floats, inner: bool) -> Floats:
    """Return rates at all points from those that are given: at the ends, or at all."""
    if given is None:
        return chosen
    found = numbers(what, given)
    if found.shape == chosen.shape and (inner or len(chosen) == 2):
        return found
    if found.shape != (2, chosen.shape[1]):
        every = f", or all of {chosen.shape}" if inner else ""
        raise ProgramError(
            f"{what}: give those of the first and the last point, shape {(2, chosen.shape[1])}{every}, not an array of "
            f"shape {found.shape}"
        )
    return np.concatenate([found[:1], chosen[1:-1], found[1:]])


def _by_limits(points: Floats, times: ArrayLike | None, kind: str, options: dict[str, Any]) -> Motion:
    """Return a motion that limits alone determine."""
    if times is not None:
        raise ProgramError(f"kind={kind!r} finds its own times; leave them out, or slow it down with stretched(…)")
    _distinct(points)
    if kind == "time-optimal":
        return fastest_motion(points, **options)
    still = np.zeros_like(points)
    rates = [_at_points(name, options.pop(name, None), still, True) for name in ("velocities", "accelerations")]
    return jerk_limited(points, *rates, **options)


def _distinct(points: Floats) -> Floats:
    """Return the longest way of any joint from each point to the next; refuse points that are the same."""
    ways: Floats = np.abs(np.diff(points, axis=0)).max(axis=1)
    if not ways.all():
        k = int(np.argmin(ways))
        raise ProgramError(f"the points {k + 1} and {k + 2} are the same: give times, or leave one out")
    return ways


def _fastest(points: Floats, kind: str, options: dict[str, Any]) -> Motion:
    """Return the motion in the shortest time that keeps limits of velocity and acceleration."""
    given = {name: options[name] for name in LIMITS if options.get(name) is not None}
    others = {name: x for name, x in options.items() if name not in LIMITS}
    if not given:
        raise ProgramError("give the times of the points, or limits: velocity, acceleration or both")
    ways = _distinct(points)
    pausing = kind == "trapezoidal" and (len(points) == 2 or others.get("stop"))
    if pausing and len(given) == 2 and "blend" not in others:
        v, a = (bounds(name, given[name], points.shape[1]) for name in LIMITS)
        when, blends = shortest_times(points, v, a)
        return _of_pieces(kind, at_rest(when, points, blends))
    when = np.concatenate([[0.0], np.cumsum(ways / ways.sum())])
    if fixed := {"velocities", "accelerations", "blend"} & {*others}:
        raise ProgramError(f"{', '.join(sorted(fixed))}: these need times; a motion with limits alone finds its own")
    return _of_pieces(kind, _pieces(kind, when, points, **others)).scaled(**given)
