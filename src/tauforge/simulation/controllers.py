"""Controllers: Programs from the state and a reference to torques, to be simulated, compiled and written as code.

Each takes ``q, qd`` and the reference ``q_ref, qd_ref, qdd_ref`` as far as it needs them, and gives ``tau``. The
reference of a frame is ``T_ref, V_ref``, its pose and twist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..graph.node import Scalar, as_node
from ..graph.rewrite import replaced
from ..models.bias import gravity
from ..models.configuration import difference
from ..models.coordinates import INDEPENDENT
from ..models.inverse_dynamics import inverse_dynamics
from ..models.loops.closing import active_places
from ..models.loops.motors import MOTORS, TORQUES, Motors, check_efforts, motors_of
from ..models.registry import check_robot
from ..models.results import program as model_program
from ..program.array import Array, inputs, outputs
from ..program.program import Program
from ..robot.robot import Robot
from ..runtime.function import Function
from .clock import counted_from, said
from .equations import limited
from .motion.motion import Motion

Floats = NDArray[np.float64]
REFERENCES = (("q_ref", "qd_ref", "qdd_ref"), ("T_ref", "V_ref"))
"""What a reference gives, in this order: the motion of joints, or of a frame."""
KNOWN = ("q", "qd", *REFERENCES[0], *REFERENCES[1], "integral", "t")
"""Inputs that a controller's Program can have."""


@final
@dataclass(frozen=True, eq=False)
class Rest:
    """A reference that rests: the same ``(q, qd, qdd)`` at all times."""

    values: tuple[Floats, ...]

    def __call__(self, t: float) -> tuple[Floats, ...]:
        """Return the values."""
        return self.values


@final
@dataclass(frozen=True, eq=False)
class Controller:
    """A controller: a Program ``q, qd, … -> tau`` and the reference that it follows.

    Call it with ``(t, q, qd)`` to get the torques. ``pd_control``, ``pid_control``, ``gravity_compensation``,
    ``computed_torque``, ``impedance_control`` and ``spring_drive`` make controllers; you can also give a Program of
    your own.

    Attributes
    ----------
    program
        Its inputs are some of ``q, qd, q_ref, qd_ref, qdd_ref, T_ref, V_ref, integral, t``; its output, or only output,
        is ``tau``. With ``integral``, an output ``integral_rate`` is its time derivative.
    reference
        A motion: a function of time that returns ``(q, qd, qdd)``, or as many of them as the Program takes; or constant
        coordinates. For a frame, a function that returns its pose ``T`` (4, 4) and its twist ``V`` (6) relative to the
        base; or a constant pose.
    """

    program: Program
    reference: Any = None

    def __post_init__(self) -> None:
        results = list(self.program.results.values())
        if len(results) == 1 and len(results[0].shape) == 1:  # whatever its name
            object.__setattr__(self, "program", replace(self.program, results={"tau": results[0]}))
        unknown = [name for name in self.program.inputs if name not in KNOWN]
        if unknown or "tau" not in self.program.outputs:
            what = f"takes {', '.join(unknown)}" if unknown else "has no output tau"
            raise ProgramError(f"{self.program.name} {what}; a controller is a Program from {', '.join(KNOWN)} to tau")
        if ("integral" in self.program.inputs) != ("integral_rate" in self.program.outputs):
            raise ProgramError(f"{self.program.name}: a controller with an integral has the output integral_rate")
        if self._needed and self.reference is None:
            raise ProgramError(f"{self.program.name} follows {', '.join(self._needed)}; give it a reference")
        if self.reference is not None and not callable(self.reference):
            object.__setattr__(self, "reference", self._constant(self.reference))

    @property
    def _reference(self) -> tuple[str, ...]:
        """What the reference gives."""
        return REFERENCES["T_ref" in self.program.inputs]

    @property
    def _needed(self) -> list[str]:
        return [name for name in self._reference if name in self.program.inputs]

    def _constant(self, given: ArrayLike) -> Rest:
        """Return the motion that rests at given coordinates."""
        shapes, (first, *rates) = self.program.inputs, self._reference
        try:
            q = np.array(given, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ProgramError("the reference must be an array of numbers, a motion, or a function of time") from None
        if first in shapes and q.shape != shapes[first].shape:
            labels = ", ".join(shapes[first].labels[0])
            wanted = f"its coordinates are {labels}" if len(shapes[first]) == 1 else "a pose is a matrix (4, 4)"
            raise ProgramError(f"the reference has shape {list(q.shape)}; {wanted}")
        if not np.isfinite(q).all():
            raise ProgramError("the reference has entries that are not finite")
        still = [np.zeros(shapes[name].shape) if name in shapes else np.zeros(0) for name in rates]
        return Rest((q, *still))

    def at(self, t: float, start: float = 0.0) -> dict[str, Floats]:
        """Return the Program's inputs that depend on time alone: the reference, and t.

        Parameters
        ----------
        t
            Seconds since ``start``.
        """
        found: dict[str, Floats] = {}
        seconds, t = t, start + t
        if needed := self._needed:
            order, follows = self._reference, self.reference
            moves = start != 0.0 and isinstance(follows, Motion)
            given = counted_from(follows, start)(seconds) if moves else follows(t)
            if not isinstance(given, tuple | list) or len(given) <= order.index(needed[-1]):
                wanted = ", ".join(order[: order.index(needed[-1]) + 1])
                raise ProgramError(f"the reference must return a tuple of {wanted}")
            for name in needed:
                found[name] = self._checked(name, given[order.index(name)], t)
        if "t" in self.program.inputs:
            found["t"] = np.array(float(t))
        return found

    def _checked(self, name: str, given: ArrayLike, t: float) -> Floats:
        value, shape = np.asarray(given, dtype=float), self.program.inputs[name]
        if value.shape != shape.shape:
            entries = f"have {shape.size} entries: {', '.join(shape.labels[0])}" if len(shape) == 1 else ""
            raise ProgramError(
                f"the reference gives {name} of shape {list(value.shape)} at t = {said(t)}; it must "
                + (entries or f"be {list(shape)}")
            )
        if not np.isfinite(value).all():
            entry = shape.labels[0][int(np.argwhere(~np.isfinite(value))[0][0])]
            raise ProgramError(f"the reference gives {name} that is not finite for {entry} at t = {said(t)}")
        return value

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike, integral: ArrayLike | None = None) -> Floats:
        """Return the torques in a state; the integral is zero by default."""
        return self.outputs(t, q, qd, integral)["tau"]

    def outputs(
        self, t: float, q: ArrayLike, qd: ArrayLike, integral: ArrayLike | None = None, start: float = 0.0
    ) -> dict[str, Floats]:
        """Return all outputs of the Program in a state, t seconds after ``start``."""
        known: dict[str, Any] = {"q": q, "qd": qd, **self.at(t, start)}
        if "integral" in self.program.inputs:
            known["integral"] = np.zeros(self.program.inputs["integral"].shape) if integral is None else integral
        found = self._function(*(known[name] for name in self.program.inputs))
        names = list(self.program.outputs)
        return dict(zip(names, found if len(names) > 1 else (found,), strict=True))

    @cached_property
    def _function(self) -> Function:
        return self.program.compile()

    def compile(self) -> Function:
        """Return the Program as a compiled function of NumPy arrays."""
        return self._function

    def code(self, target: str, name: str | None = None) -> str:
        """Return the Program as source code in a target's language."""
        return self.program.code(target, name)

    def write(self, path: str | Path, *, target: str | None = None, name: str | None = None) -> Path:
        """Write the Program as source code; by default the file's ending determines the target."""
        return self.program.write(path, target=target, name=name)

    def __repr__(self) -> str:
        return f"Controller({self.program.prototype})"


def pd_control(
    robot: Robot,
    kp: ArrayLike,
    kd: ArrayLike,
    reference: Any,
    *,
    saturation: ArrayLike | None = None,
    efforts: str = INDEPENDENT,
) -> Controller:
    """Return the controller tau = kp (q_ref - q) + kd (qd_ref - qd).

    Parameters
    ----------
    kp, kd
        Gains, one for each entry of qd, or a number for all that have motors.
    reference
        A motion or constant coordinates, as in ``Controller``. With closed loops its coordinates are those of the
        independent joints.
    saturation
        The largest torque of each joint, or of all.
    efforts
        "motors" for a controller on each of ``robot.motors`` instead: gains and saturation are theirs, and so is the
        error, which is what the error of the joints moves them by. Simulate it with ``efforts="motors"`` too.
    """
    law = ControlLaw(robot, efforts)
    return law.made("pd", law.pd(kp, kd), saturation, reference)


def pid_control(
    robot: Robot,
    kp: ArrayLike,
    ki: ArrayLike,
    kd: ArrayLike,
    reference: Any,
    *,
    saturation: ArrayLike | None = None,
    anti_windup: float | None = None,
    efforts: str = INDEPENDENT,
) -> Controller:
    """Return the controller tau = kp e + ki ∫ e dt + kd ė, with e = q_ref - q.

    The integral starts at zero.

    Parameters
    ----------
    ki
        Gains of the integral.
    kp, kd, reference, saturation, efforts
        As in ``pd_control``.
    anti_windup
        Keeps the integral from growing while the torque is saturated, by back-calculation: what saturation cuts off is
        taken from the integral with this time constant, in seconds. None lets it grow. It needs ``saturation`` here,
        since the controller must know its limits.
    """
    law = ControlLaw(robot, efforts)
    integral, gains = inputs("integral", law.names, "integral of the error"), law.gains("ki", ki)
    law.arrays["integral"] = integral
    tau = [a + k * x for a, k, x in zip(law.pd(kp, kd), gains, integral.nodes, strict=True)]
    rates = law.error
    if anti_windup is not None:
        if saturation is None or not 0.0 < anti_windup < np.inf:
            raise ProgramError(f"anti_windup is {anti_windup!r}; it is a time in seconds, and needs saturation=…")
        bounds = largest_torques(saturation, law.names)
        cut = [limited(x, bound) - x for x, bound in zip(tau, bounds, strict=True)]
        rates = [e + y * (1.0 / (k * anti_windup)) if k else e for e, y, k in zip(rates, cut, gains, strict=True)]
    rate = outputs(rates, [len(law.names)], [law.names], "rate of the integral")
    return law.made("pid", tau, saturation, reference, integral_rate=rate)


def gravity_compensation(
    robot: Robot,
    kp: ArrayLike = 0.0,
    kd: ArrayLike = 0.0,
    reference: Any = None,
    *,
    saturation: ArrayLike | None = None,
    efforts: str = INDEPENDENT,
) -> Controller:
    """Return the controller tau = g(q) + kp (q_ref - q) + kd (qd_ref - qd).

    Without a reference it is tau = g(q) - kd qd: you can push the robot by hand. Joints without motors get no torque.

    Parameters
    ----------
    kp, kd, reference, saturation, efforts
        As in ``pd_control``; motors that cannot give all of g(q) are refused.
    """
    law = ControlLaw(robot, efforts)
    if reference is None:
        if np.any(np.asarray(kp)):
            raise ProgramError("gravity_compensation: kp needs a reference; give one, or leave kp out")
        tau: list[Scalar] = [-k * v for k, v in zip(law.gains("kd", kd), law.speeds, strict=True)]
    else:
        tau = law.pd(kp, kd)
    g = law.torques(gravity(robot).results["g"].nodes)
    tau = [x + weight if driven else x for x, weight, driven in zip(tau, g, law.driven, strict=True)]
    return law.made("gravity_compensation", tau, saturation, reference)


def computed_torque(
    robot: Robot,
    kp: ArrayLike,
    kd: ArrayLike,
    reference: Any,
    *,
    saturation: ArrayLike | None = None,
    efforts: str = INDEPENDENT,
) -> Controller:
    """Return the controller tau = inverse dynamics of qdd_ref + kp (q_ref - q) + kd (qd_ref - qd).

    The error of a robot that equals the model then obeys ë + kd ė + kp e = 0. Coulomb friction is not compensated: its
    sign would switch the torque at rest.

    Parameters
    ----------
    robot
        The model, which can differ from the robot that is simulated.
    kp, kd
        Gains, in 1/s² and 1/s.
    reference, saturation
        As in ``pd_control``; the motion gives accelerations too.
    efforts
        "motors" for the torques of ``robot.motors`` that give these accelerations. Gains are those of joints.
    """
    check_efforts(efforts)
    law = ControlLaw(robot, held=efforts == MOTORS)
    if efforts != MOTORS and not all(law.driven):
        passive = [name for name, driven in zip(law.names, law.driven, strict=True) if not driven]
        raise ProgramError(f"computed_torque needs a motor on every joint; {robot.name} has none on {passive[0]}")
    qdd_ref = law.reference("qdd_ref", law.names)
    wanted = [as_node(a + x) for a, x in zip(qdd_ref.nodes, law.pd(kp, kd), strict=True)]
    inverse = inverse_dynamics(robot.neglect("FS", "FB"), efforts=efforts)
    torques = inverse.results["tau"].nodes
    new = replaced(torques, dict(zip(inverse.arguments["qdd"].nodes, wanted, strict=True)))
    law.act_on_motors(efforts)
    return law.made("computed_torque", [new[node] for node in torques], saturation, reference)


def spring_drive(
    robot: Robot,
    stiffness: ArrayLike,
    damping: ArrayLike,
    free: Any,
    *,
    saturation: ArrayLike | None = None,
    efforts: str = INDEPENDENT,
) -> Controller:
    """Return the drive tau = stiffness (free - q) - damping qd: a closed hydraulic actuator, or any spring with damper.

    When a valve closes suddenly, the fluid and the pipes yield like a spring about the position at which they are
    relaxed (Grigorov, A generalized Newton-Euler method, equation (14), with the sign of a restoring torque).

    Parameters
    ----------
    stiffness, damping
        One for each entry of qd, or a number for all that have motors.
    free
        The position without elastic torque: constant coordinates, or a motion while the valve moves.
    saturation
        The largest torque of each joint, or of all: a relief valve.
    efforts
        "motors" for springs on each of ``robot.motors``, as in ``pd_control``; ``free`` has coordinates of joints.
    """
    law = ControlLaw(robot, efforts)
    k, d = law.gains("stiffness", stiffness), law.gains("damping", damping)
    law.follow()
    tau = [own * e - rub * v for own, e, rub, v in zip(k, law.error, d, law.speeds, strict=True)]
    return law.made("spring_drive", tau, saturation, free)


class ControlLaw:
    """A control law in the making: a robot's inputs, and the error of its coordinates."""

    def __init__(self, robot: Robot, efforts: str = INDEPENDENT, *, held: bool = False) -> None:
        """``held``: motors give torques that are along the joints at first, so that every joint can have gains."""
        check_robot(robot)
        check_efforts(efforts)
        self.robot, self.names = robot, robot.velocity_names
        apart = difference(robot)
        self.q, self._between = apart.arguments["q"], apart
        self.qd = inputs("qd", self.names, "joint velocities")
        self.arrays: dict[str, Array] = {"q": self.q, "qd": self.qd}
        whole = robot.expanded()
        owner = {joint.name + part: j for j, joint in enumerate(whole.joints, 1) for part in joint.axes}
        pulled = {j for tendon in whole.tendons if tendon.driven for j, _ in tendon.joints}
        self.driven = [held or bool(whole.joints[owner[name] - 1].mu) or owner[name] in pulled for name in self.names]
        self.error: list[Scalar] = []
        self.motors: Motors | None = None
        self.speeds: Sequence[Scalar] = self.qd.nodes
        self.act_on_motors(efforts)

    def act_on_motors(self, efforts: str) -> None:
        """Let the law give the torques of the motors, with their names and speeds, if these are wanted."""
        if efforts == MOTORS and self.motors is None:
            self.motors = motors_of(self.robot)
            self.names, self.speeds = self.motors.names, self.motors.speeds(self.qd.nodes)
            self.driven = [True] * len(self.names)

    def torques(self, tau: Sequence[Scalar]) -> Sequence[Scalar]:
        """Return torques along the degrees of freedom as those of the motors, if the law acts on these."""
        return self.motors.hold(tau) if self.motors else tau

    def reference(self, name: str, labels: Sequence[str]) -> Array:
        """Return an input of the reference."""
        return self.arrays.setdefault(name, inputs(name, labels, f"reference of {name.removesuffix('_ref')}"))

    def follow(self) -> None:
        """Compare the coordinates with those of the reference."""
        robot, places = self.robot.expanded(), active_places(self.robot.expanded())
        joints = self.robot.velocity_names
        plain = [robot.coordinate_names[k] for k in places] == list(joints)
        if plain:
            q_ref = self.reference("q_ref", joints)
            self.error = [a - self.q.nodes[k] for a, k in zip(q_ref.nodes, places, strict=True)]
        else:
            q_ref = self.reference("q_ref", robot.coordinate_names)
            by = dict(zip(self._between.arguments["q_next"].nodes, q_ref.nodes, strict=True))
            v = self._between.results["v"].nodes
            new = replaced(v, by)
            self.error = [new[node] for node in v]
        if self.motors:
            self.error = self.motors.speeds(self.error)

    def pd(self, kp: ArrayLike, kd: ArrayLike) -> list[Scalar]:
        """Return kp e + kd ė."""
        self.follow()
        reference: Sequence[Scalar] = self.reference("qd_ref", self.robot.velocity_names).nodes
        if self.motors:
            reference = self.motors.speeds(reference)
        terms = zip(self.gains("kp", kp), self.error, self.gains("kd", kd), reference, self.speeds, strict=True)
        return [p * e + d * (a - b) for p, e, d, a, b in terms]

    def gains(self, name: str, given: ArrayLike) -> list[float]:
        """Return one gain for each entry of qd, or for each motor; a single number is for joints with motors."""
        found = numbers(name, given, len(self.names), self.names)
        return [x * driven for x, driven in zip(found, self.driven, strict=True)] if np.ndim(given) == 0 else found

    def made(
        self, name: str, tau: Sequence[Scalar], saturation: ArrayLike | None, reference: Any, **more: Array
    ) -> Controller:
        """Return the finished controller."""
        if saturation is not None:
            bounds = largest_torques(saturation, self.names)
            tau = [limited(x, bound) for x, bound in zip(tau, bounds, strict=True)]
        meaning = TORQUES if self.motors else "torques of the motors"
        torques = outputs(tau, [len(self.names)], [self.names], meaning)
        arrays = {key: replace(array, tangent=None) if key == "q_ref" else array for key, array in self.arrays.items()}
        return Controller(model_program(name, self.robot, arrays, {"tau": torques, **more}), reference)


def largest_torques(saturation: ArrayLike, names: Sequence[str]) -> list[float]:
    """Return the bounds of all torques, none of them negative."""
    bounds = numbers("saturation", saturation, len(names), names, infinite=True)
    if min(bounds, default=0.0) < 0.0:
        raise ProgramError(f"saturation is {min(bounds):g}; give the largest torques, which are not negative")
    return bounds


def numbers(what: str, given: ArrayLike, count: int, names: Sequence[str], *, infinite: bool = False) -> list[float]:
    """Return as many numbers as there are names, from an array or one number for all."""
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{what} must be a number or an array of numbers") from None
    if found.shape not in ((), (count,)):
        raise ProgramError(f"{what} has shape {list(found.shape)}; give one number, or {count}: {', '.join(names)}")
    if np.isnan(found).any() or not (infinite or np.isfinite(found).all()):
        raise ProgramError(f"{what} has entries that are not finite")
    return [float(x) for x in np.broadcast_to(found, (count,))]
